"""The wheel has exactly the files that git tracks, and works on its own."""

import subprocess
import venv
import zipfile
from pathlib import Path

import pytest

from tests.support.pages import FIRST_RUN, PAGES, Reader

ROOT = Path(__file__).parents[1]
PACKED = ("dsgec", "templates", "grammars", "tables", "studies")


def tracked():
    answer = subprocess.run(
        # With what is not added yet, but without what git ignores.
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", *PACKED],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    files = answer.stdout.split()
    return {name if name.startswith("dsgec/") else f"dsgec/{name}" for name in files}


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not a git checkout")
def test_the_wheel_holds_what_git_has(wheel):
    with zipfile.ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if ".dist-info/" not in name}

    assert held == tracked()


@pytest.mark.campaign
@pytest.mark.needs_cc
def test_the_wheel_alone_runs_the_tour(wheel, tmp_path):
    home = tmp_path / "venv"
    venv.create(home, with_pip=True)
    python = home / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", f"{wheel}[study]"], check=True)
    (tmp_path / "tour").mkdir()
    reader = Reader(tmp_path / "tour", binaries=home / "bin")
    reader.run(FIRST_RUN)
    for page in PAGES:
        reader.follow(page)

    assert reader.ran >= 30
    assert not (reader.folder / "dsgec").exists()


def test_versions_agree():
    from dsgec import __version__

    assert f"## {__version__}" in (ROOT / "CHANGELOG.md").read_text()
