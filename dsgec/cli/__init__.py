"""The command line: parse options, call the pipeline, print results, return exit codes.

A command's module is imported when the command is run, and modules that take long inside its
functions.
"""

import importlib
import os
import signal
import sys
from collections import UserDict
from typing import Any

import click

from dsgec import __version__
from dsgec.cli.output import EXIT_INTERRUPTED, EXIT_MISTAKE, print_error, print_message
from dsgec.errors import DsgecError, reason

_MODULES = {
    "evolve": ("evolve", "resume"),
    "export": ("export", "compile"),
    "grammar": ("check", "grammars", "init", "sample", "tables"),
    "inspect": ("doctor", "inspect", "predict", "report", "show", "verify"),
    "search": ("search",),
    "study": ("study",),
}


class _Commands(UserDict[str, Any]):
    """The commands by name, made of the names of their modules."""

    def __getitem__(self, name: str) -> click.Command:
        module = importlib.import_module(f"dsgec.cli.{self.data[name]}")
        command = getattr(module, name, None) or getattr(module, f"{name}_")
        assert isinstance(command, click.Command)
        return command


def main() -> None:
    """Run the command line; a user's mistake ends with a message, never with a traceback."""
    try:
        code = commands.main(standalone_mode=False)
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    except DsgecError as error:
        print_error(error)
        code = EXIT_MISTAKE
    except (KeyboardInterrupt, click.Abort):
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # a second one changes nothing
        print_message("interrupted")
        code = EXIT_INTERRUPTED
    except BrokenPipeError:  # the reader of our output has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = EXIT_MISTAKE
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        print_message(f"error: {where}{reason(error)}")
        code = EXIT_MISTAKE
    except MemoryError:
        print_message("error: there is not enough memory")
        code = EXIT_MISTAKE
    sys.exit(code if isinstance(code, int) else 0)


_BY_NAME = {name: module for module, names in _MODULES.items() for name in names}


@click.group(
    commands=_Commands(_BY_NAME),
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="dsgec")
def commands() -> None:
    """Compile a grammar and a table into a small neural network as source code."""
