"""The README is true: its commands work, its tables are what the code says."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from dsgec.arithmetic.table import FUNCTIONS
from dsgec.bnf.parse import parse
from dsgec.resources import GRAMMARS, STUDIES, shipped_names

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", README, re.DOTALL)
COMMANDS = [line for kind, body in BLOCKS if kind == "sh" for line in body.splitlines()]

ELSEWHERE = {
    "make run": "test_make_run",
    "make test": "CI",
    "pip install .": "test_packaging",
    "dsgec study paper --quick": "tests/study/test_work.py",
}
"""Commands that set up an environment of their own or take a minute, and what runs them."""


def function_table():
    lines = ["| function | meaning | error |", "|---|---|---|"]
    for function in FUNCTIONS.values():
        meaning = function.meaning.replace("|", "\\|")
        lines.append(f"| `{function.name}` | {meaning} | {function.accuracy} |")
    return "\n".join(lines)


def test_the_table_of_functions_is_the_codes():
    assert f"<!-- functions -->\n{function_table()}\n" in README


def needs_cc(command):
    return command.startswith(("cc ", "PYTHONPATH=fast")) or "--to cffi" in command


def take_tour(folder, binaries):
    """Run every command of the README in `folder`; gives how many there were."""
    search = f"{binaries}{os.pathsep}{os.environ['PATH']}"
    ran = 0
    for command in COMMANDS:
        plain = command.split("#")[0].strip()
        if plain in ELSEWHERE or (needs_cc(plain) and not shutil.which("cc")):
            continue
        answer = subprocess.run(
            command,
            shell=True,
            cwd=folder,
            env={**os.environ, "PATH": search},
            capture_output=True,
            text=True,
            check=False,
        )
        assert answer.returncode == 0, f"{command}\n{answer.stderr}"
        ran += 1
    return ran


def test_the_tour_works_as_it_stands(tmp_path):
    assert take_tour(tmp_path, Path(sys.executable).parent) >= 10
    assert (tmp_path / "predictions.csv").exists()
    assert (tmp_path / "network.svg").read_bytes() == (ROOT / "docs" / "network.svg").read_bytes()


def test_the_grammar_it_shows_is_one():
    (grammar,) = [body for kind, body in BLOCKS if kind == "bnf"]

    assert len(parse(grammar, "README.md").rules) == 5


def test_the_study_it_shows_is_the_shipped_one():
    (study,) = [body for kind, body in BLOCKS if kind == "toml"]

    assert study == STUDIES.joinpath("example.toml").read_text(encoding="utf-8")


def test_every_shipped_grammar_and_command_is_named():
    from dsgec.cli import commands

    for name in shipped_names(GRAMMARS, ".bnf"):
        assert f"| `{name}` |" in README
    for name in commands.commands:
        assert re.search(rf"`dsgec {name}[ `]", README)


def test_the_order_is_what_two_commands_tour_picture():
    places = [README.index(text) for text in ("make run", "pip install", "dsgec evolve", "![")]

    assert places == sorted(places)


def clone(folder):
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(folder)], check=True)
    return folder


def without_compiler(folder):
    """A PATH that has what `make` needs, and no C compiler."""
    folder.mkdir()
    for name in ("make", "touch", "sh", "git", "rm", "ls"):
        (folder / name).symlink_to(Path(shutil.which(name)).resolve())
    python = folder / "python3"
    python.write_text(f'#!/bin/sh\nexec "{Path(sys.executable).resolve()}" "$@"\n')
    python.chmod(0o755)
    return str(folder)


def make(goal, folder, path):
    environment = {**os.environ, "PATH": path, "CC": "", "DSGEC_NO_TCC": "1"}
    return subprocess.run(
        ["make", goal], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


@pytest.mark.campaign
def test_make_run_works_with_and_without_a_compiler(tmp_path):
    paths = {"with": os.environ["PATH"], "without": without_compiler(tmp_path / "bin")}
    results = set()
    for name, path in paths.items():
        answer = make("run", clone(tmp_path / name), path)
        assert answer.returncode == 0, answer.stderr
        assert ("no C compiler was found" in answer.stderr) == (name == "without")
        results.add(answer.stdout.splitlines()[-1])
    assert len(results) == 1
    assert "test accuracy" in results.pop()


@pytest.mark.campaign
def test_make_test_works_without_a_compiler(tmp_path):
    answer = make("test", clone(tmp_path / "clone"), without_compiler(tmp_path / "bin"))

    assert answer.returncode == 0, answer.stdout[-3000:]
    assert "no C compiler" in answer.stdout  # the reason for what was skipped
