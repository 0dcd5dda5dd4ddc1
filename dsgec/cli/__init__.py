"""The command line: parse options, call the pipeline, print results, return exit codes.

Commands import the modules that take long inside their functions.
"""

import os
import signal
import sys

import click

from dsgec import __version__
from dsgec.cli.evolve import evolve, resume
from dsgec.cli.export import compile_, export
from dsgec.cli.grammar import check, grammars, init, sample, tables
from dsgec.cli.inspect import doctor, inspect_, predict, report, show, verify
from dsgec.cli.output import EXIT_INTERRUPTED, EXIT_MISTAKE, print_error, print_message
from dsgec.cli.search import search
from dsgec.cli.study import study
from dsgec.errors import DsgecError, reason


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


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="dsgec")
def commands() -> None:
    """Compile a grammar and a table into a small neural network as source code."""


for _command in (
    *(init, check, sample, grammars, tables, inspect_, evolve, search, resume, export, compile_),
    *(predict, show, report, verify, study, doctor),
):
    commands.add_command(_command)
