"""Copies of the project with the edits that a page of docs/how-to describes."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "docs" / "how-to"
EDIT = re.compile(
    r"^(?:In|Make) `(\S+)`(?:, (?:at the end|behind the line of `(\w+)`))?:\n\n```\w+\n(.*?)```$",
    re.MULTILINE | re.DOTALL,
)
CHANGE = re.compile(
    r"^In `(\S+)`, (before|in the place of) `([^`\n]+)`:\n\n```\w+\n(.*?)```$",
    re.MULTILINE | re.DOTALL,
)
FOLDERS = ("dsgec", "templates", "grammars", "tables", "studies", "tests", "docs")


def edits(page):
    """Return the file, the name in the line before, and the text of each edit of a page."""
    return EDIT.findall(PAGES.joinpath(f"{page}.md").read_text(encoding="utf-8"))


def changes(page):
    """Return the file, the way, the line and the text of each edit at an existing line."""
    return CHANGE.findall(PAGES.joinpath(f"{page}.md").read_text(encoding="utf-8"))


def copy_with_edits(page, copy):
    """Copy the project, apply the edits of a page, and return the folder."""
    unneeded = shutil.ignore_patterns("__pycache__", "golden", "_build")
    for folder in FOLDERS:
        shutil.copytree(ROOT / folder, copy / folder, ignore=unneeded)
    for file in ("README.md", "CONTRIBUTING.md", "pyproject.toml"):
        shutil.copy(ROOT / file, copy / file)
    for path, name, text in edits(page):
        file = copy / path
        file.parent.mkdir(exist_ok=True)
        old = file.read_text(encoding="utf-8") if file.exists() else ""
        line = re.search(rf"^[\s|`\"]+{name}[`\"].*\n", old, re.MULTILINE) if name else None
        end = line.end() if line else len(old)
        gap = "" if line or not old else "\n\n"
        file.write_text(f"{old[:end]}{gap}{text}{old[end:]}", encoding="utf-8")
    for path, how, line, text in changes(page):
        old = (copy / path).read_text(encoding="utf-8")
        (whole,) = (one for one in old.splitlines(keepends=True) if one.strip() == line)
        new = old.replace(whole, text + whole if how == "before" else text)
        (copy / path).write_text(new, encoding="utf-8")
    return copy


def changed_files(project):
    """Return the files of a copy that differ from the project's."""
    return {
        str(file.relative_to(project))
        for folder in FOLDERS
        for file in (project / folder).rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
        if file.read_bytes() != ROOT.joinpath(file.relative_to(project)).read_bytes()
    }


def run_python(folder, *arguments):
    """Run Python on the copy and return what it printed."""
    ours = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    answer = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env=ours | {"PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert answer.returncode == 0, f"{arguments}\n{answer.stdout[-3000:]}\n{answer.stderr[-3000:]}"
    return answer.stdout
