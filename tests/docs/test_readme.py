"""The README is short and in order, and its two commands work in a fresh clone."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.pages import ROOT, Reader, read_page

README = read_page("README.md")


def test_it_is_at_most_150_lines_long():
    assert len(README.splitlines()) <= 150


def test_the_order_is_commands_tour_links():
    headings = re.findall(r"^## (.+)$", README, re.MULTILINE)

    assert headings == [
        "The two commands",
        "Five minutes",
        "Documentation",
        "Citing",
    ]


@pytest.mark.needs_cc
def test_the_picture_is_what_the_tour_draws(desk):
    Reader(desk).run("dsgec evolve pump --effort quick --quiet")
    Reader(desk).run("dsgec show build/pump-shared-seed1 --svg network.svg")

    drawn = (desk / "network.svg").read_bytes()
    assert drawn == (ROOT / "docs" / "pictures" / "network.svg").read_bytes()


@pytest.mark.needs_cc
def test_the_files_of_a_run_are_those_in_its_table(desk):
    section = read_page("docs/reference/run-folder.md").split("\n## ")[0]
    table = "".join(line for line in section.splitlines() if line.startswith("| `"))
    Reader(desk).run("dsgec evolve pump --effort quick --quiet")
    run = desk / "build" / "pump-shared-seed1"

    named = {name for name in re.findall(r"`([\w.]+)`", table) if "." in name} | {"SHA256SUMS"}
    assert named == {file.name for file in run.iterdir()}


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
