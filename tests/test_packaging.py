"""The wheel holds exactly the files that git has, and works alone."""

import subprocess
import venv
import zipfile
from pathlib import Path

import pytest

from tests.test_readme import take_tour

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
def test_the_wheel_alone_runs_the_tour(wheel, tmp_path):
    home = tmp_path / "venv"
    venv.create(home, with_pip=True)
    python = home / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", f"{wheel}[study]"], check=True)
    tour = tmp_path / "tour"
    tour.mkdir()

    assert take_tour(tour, home / "bin") >= 10
    assert not (tour / "dsgec").exists()


def test_versions_agree():
    from dsgec import __version__

    assert f"## {__version__}" in (ROOT / "CHANGELOG.md").read_text()
