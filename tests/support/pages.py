"""The pages of the documentation: their blocks, and a reader who follows them.

sh               commands, run in a folder that has the run of the first steps
sh campaign      the same, but expensive: only in the campaign
sh clone         commands that set up a clone, which other tests run
python           a session, if it starts with `>>>`: what it prints is compared
text             what the commands before it print; `...` stands for anything
"""

import doctest
import os
import re
import shlex
import subprocess
import sys
from contextlib import chdir
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path

from tests.support.command_line import dsgec

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```(\w+)((?: \w+)*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FIRST_RUN = "dsgec evolve wdbc --effort quick"
CLUSTER = "tcp://HOST:8786"
"""What stands for the address of a cluster."""


@dataclass(frozen=True, slots=True)
class Block:
    kind: str
    marks: tuple[str, ...]
    body: str


def find_pages():
    """Return the names of all pages, except built pages and those that a study wrote."""
    docs = (ROOT / "docs").rglob("*.md")
    found = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(docs)]
    names = [path.relative_to(ROOT).as_posix() for path in found]
    return [
        n
        for n in names
        if not n.startswith("docs/_build/") and n != "docs/research/paper/tables.md"
    ]


PAGES = find_pages()


def read_page(name):
    return (ROOT / name).read_text(encoding="utf-8")


def blocks(name, kind=None):
    """Return the blocks of a page in order, of one kind if given."""
    found = [Block(k, tuple(m.split()), b) for k, m, b in BLOCK.findall(read_page(name))]
    return [block for block in found if kind in (None, block.kind)]


def is_shown(block):
    return block.kind == "sh" and "clone" not in block.marks


@dataclass(slots=True)
class Reader:
    """A reader who follows pages in `folder`, with the commands in `binaries` or in process."""

    folder: Path
    binaries: Path | None = None
    cluster: str = ""
    names: dict = field(default_factory=dict)
    ran: int = 0

    def follow(self, page, campaign=False):
        """Run the blocks of a page; the expensive ones only in the campaign."""
        printed = None
        for block in blocks(page):
            if is_shown(block):
                is_due = campaign or "campaign" not in block.marks
                printed = self.run(block.body) if is_due else None
            elif block.kind == "python" and block.body.startswith(">>>") and not self.binaries:
                self.hold(block.body, page)
            elif block.kind == "text" and printed is not None:
                is_same = doctest.OutputChecker().check_output
                assert is_same(block.body, printed, doctest.ELLIPSIS), f"{page}\n{printed}"

    def run(self, commands):
        """Run commands by a shell, and those that need none in this process."""
        lines = commands.replace(CLUSTER, self.cluster).splitlines(keepends=True)
        self.ran += len(lines)
        parts = groupby(lines, lambda line: self.binaries is None and is_plain(line))
        return "".join(
            self.call(part) if plain else self.shell("".join(part)) for plain, part in parts
        )

    def call(self, lines):
        asked = (shlex.split(line, comments=True)[1:] for line in lines)
        return "".join(dsgec(*words, cwd=self.folder).stdout for words in asked)

    def shell(self, commands):
        binaries = self.binaries or Path(sys.executable).parent
        answer = subprocess.run(
            ["sh", "-e", "-c", commands],
            cwd=self.folder,
            env={**os.environ, "PATH": f"{binaries}{os.pathsep}{os.environ['PATH']}"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert answer.returncode == 0, f"{commands}\n{answer.stderr}"
        return answer.stdout

    def hold(self, text, page):
        """Run a Python session with the names of the sessions before it."""
        session = doctest.DocTestParser().get_doctest(text, self.names, page, page, 0)
        said = []
        with chdir(self.folder):
            result = doctest.DocTestRunner().run(session, out=said.append, clear_globs=False)
        assert not result.failed, "".join(said)
        self.names = session.globs
        self.ran += result.attempted


def is_plain(command):
    """Return whether a line is a dsgec command that needs no shell."""
    words = command.partition(" #")[0]
    return words.startswith("dsgec ") and not set(words) & set("'\"\\|<>&;$")
