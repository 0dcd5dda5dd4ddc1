"""The repository tracks only files that belong in it."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = """
    .ci .github benchmarks build docs dsgec examples grammars paper recipe studies tables templates
    tests
"""


def test_only_known_folders_are_tracked_and_no_object_files():
    if not shutil.which("git") or not (ROOT / ".git").exists():
        pytest.skip("not a clone")
    command = ["git", "ls-files"]
    out = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if out.returncode != 0:
        pytest.skip("git cannot read the clone")
    files = out.stdout.splitlines()

    assert {file.split("/")[0] for file in files if "/" in file} <= {*FOLDERS.split()}
    assert [file for file in files if file.endswith((".o", ".so", ".pyc", ".a"))] == []
