"""The wheel holds exactly the files that git has, and works alone."""

import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    out = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(out)]
    subprocess.run([*command, str(ROOT)], check=True, capture_output=True)
    (path,) = out.glob("*.whl")
    return path


def tracked():
    answer = subprocess.run(
        ["git", "ls-files", "dsgec", "templates", "grammars", "tables"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    files = answer.stdout.split()
    return {name if name.startswith("dsgec/") else f"dsgec/{name}" for name in files}


def test_the_wheel_holds_what_git_has(wheel):
    with zipfile.ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if ".dist-info/" not in name}
    if os.environ.get("CI"):
        assert held == tracked()
    else:  # a working copy may hold files that are not added yet
        assert held >= tracked()


@pytest.mark.campaign
def test_the_wheel_alone_runs_the_tour(wheel, tmp_path):
    home = tmp_path / "venv"
    venv.create(home, with_pip=True)
    python = home / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", str(wheel)], check=True)
    command = [home / "bin" / "dsgec", "evolve", "one_layer", "wdbc", "--generations", "3"]
    subprocess.run([*command, "--population", "10"], cwd=tmp_path, check=True)
    code = "import wdbc; print(wdbc.predict([1.0] * 30))"
    folder = tmp_path / "build" / "wdbc-one_layer-seed1"
    answer = subprocess.run(
        [python, "-c", code], cwd=folder, capture_output=True, text=True, check=True
    )

    assert "benign" in answer.stdout or "malignant" in answer.stdout


def test_versions_agree():
    from dsgec import __version__

    assert f"## {__version__}" in (ROOT / "CHANGELOG.md").read_text()
