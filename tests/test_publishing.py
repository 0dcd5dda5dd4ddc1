"""The files of a release are complete and consistent, and work as far as they can run here."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import venv
import zipfile
from email import message_from_bytes
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement

import dsgec

ROOT = Path(__file__).parents[1]
BINARIES = Path(sys.executable).parent
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = PYPROJECT["project"]
SLOW_HOOKS = "mypy"  # `make lint` runs it, and the campaign


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")


def read_workflow(name):
    return yaml.safe_load(read(f".github/workflows/{name}.yml"))


def run(*words, cwd=ROOT, **variables):
    """Run a command of this environment and return its output."""
    path = f"{BINARIES}{os.pathsep}{os.environ['PATH']}"
    env = {**os.environ, "PATH": path, "NO_COLOR": "1", **variables}
    ended = subprocess.run(words, cwd=cwd, env=env, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def run_hooks(home, skipped=""):
    if not (ROOT / ".git").exists() or not shutil.which("git"):
        pytest.skip("not a clone")
    hooks = ["pre-commit", "run", "--all-files"]
    return run(*hooks, SKIP=skipped, PRE_COMMIT_HOME=str(home))


def test_all_files_pass_the_hooks(tmp_path):
    """Formatting, spelling, workflows and templates by their schemas, and the packaging review."""
    lines = run_hooks(tmp_path, SLOW_HOOKS).splitlines()
    hooks = yaml.safe_load(read(".pre-commit-config.yaml"))["repos"][0]["hooks"]

    assert len(hooks) == len(lines)
    assert sum(line.endswith("Passed") for line in lines) == len(hooks) - 1  # the slow one


@pytest.mark.campaign
def test_all_files_pass_all_hooks(tmp_path):
    assert "Skipped" not in run_hooks(tmp_path)


def test_the_packaging_review_leaves_out_only_what_is_explained():
    ignored = PYPROJECT["tool"]["repo-review"]["ignore"]
    section = read("pyproject.toml").split("[tool.repo-review]")[1]
    explained = re.findall(r"(?:    # .+\n)+((?:    \"\w+\",.*\n)+)", section)

    assert sorted(re.findall(r'"(\w+)"', "".join(explained))) == sorted(ignored)
    assert len({*ignored}) == len(ignored)


@pytest.fixture(scope="module")
def distributions(tmp_path_factory):
    """Return the folder with the sdist and the wheel that is built from it."""
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder))
    return folder


def find_wheel(folder):
    return next(folder.glob("*.whl"))


def test_the_sdist_builds_the_wheel_of_the_clone(distributions, wheel):
    with zipfile.ZipFile(wheel) as ours, zipfile.ZipFile(find_wheel(distributions)) as theirs:
        assert {i.filename: i.CRC for i in theirs.infolist()} == {
            i.filename: i.CRC for i in ours.infolist()
        }
    with tarfile.open(next(distributions.glob("*.tar.gz"))) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {
        "LICENSE",
        "CHANGELOG.md",
        "CITATION.cff",
        "tests/conftest.py",
        "docs/index.md",
    } <= names
    assert not [name for name in names if name.startswith((".venv", ".ci", "build/"))]


def test_the_wheel_describes_the_project(distributions):
    with zipfile.ZipFile(find_wheel(distributions)) as archive:
        name = next(name for name in archive.namelist() if name.endswith("/METADATA"))
        metadata = message_from_bytes(archive.read(name))

    assert metadata["Version"] == dsgec.__version__
    assert metadata["License-Expression"] == "MIT"
    assert metadata["Author"] == "the dsgec authors"
    assert metadata["Description-Content-Type"] == "text/markdown"
    assert len(metadata.get_all("Project-URL")) == 4
    assert len(metadata.get_all("Classifier")) == len(PROJECT["classifiers"])
    # On a package index there are no files for links to lead to.
    links = re.findall(r"\]\(([^)]+)\)", metadata.get_payload())
    assert len(links) > 20
    assert {link for link in links if not link.startswith(("https://", "#"))} == set()


@pytest.mark.needs_cc
def test_the_wheel_evolves_in_a_fresh_environment(distributions, tmp_path):
    """Dependencies are those of this environment; `make matrix` installs them, too."""
    home = tmp_path / "fresh"
    venv.create(home, symlinks=True)
    python = home / "bin" / "python"
    packages = next(home.glob("lib/python*/site-packages"))
    # A path in a .pth file is not searched for .pth files itself, so the clone stays out of sight.
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib"))
    install = ["-m", "uv", "--quiet", "pip", "install", "--offline", "--no-deps", "--reinstall"]
    run(sys.executable, *install, "--python", str(python), str(find_wheel(distributions)))
    command = str(home / "bin" / "dsgec")
    where = run(str(python), "-P", "-c", "import dsgec; print(dsgec.__file__)", cwd=tmp_path)
    run(command, "evolve", "one_layer", "wdbc", "--generations", "5", "--quiet", cwd=tmp_path)

    assert Path(where.strip()).is_relative_to(home)
    assert dsgec.__version__ in run(command, "--version", cwd=tmp_path)
    assert (tmp_path / "build" / "wdbc-one_layer-seed1" / "best.net").exists()


def test_one_version_and_one_address():
    version, address = dsgec.__version__, PROJECT["urls"]["Repository"]
    recipe = yaml.safe_load(read("recipe/recipe.yaml"))

    assert f"\nversion: {version}\n" in read("CITATION.cff")
    assert recipe["context"]["version"] == version
    assert recipe["context"]["repository"] == address
    assert all(url.startswith(address) for url in PROJECT["urls"].values())
    for name in (
        "README.md",
        "CITATION.cff",
        "SECURITY.md",
        "CODE_OF_CONDUCT.md",
        "paper/paper.md",
    ):
        assert "github.com/OWNER" not in read(name)


def test_the_recipe_needs_what_the_project_needs():
    recipe = yaml.safe_load(read("recipe/recipe.yaml"))
    needed = [Requirement(line) for line in PROJECT["dependencies"]]
    taken = [Requirement(line) for line in recipe["requirements"]["run"] if "${{" not in line]
    python = {"python_version": recipe["context"]["python_min"]}

    assert PROJECT["requires-python"] == f">={recipe['context']['python_min']}"
    assert {r.name for r in taken} == {r.name for r in needed}
    for ours in needed:
        if ours.marker is None or ours.marker.evaluate(python):
            (theirs,) = (each for each in taken if each.name == ours.name)
            lowest = next(iter(theirs.specifier)).version
            assert ours.specifier.contains(lowest), f"{theirs} is lower than {ours}"
    (script,) = PROJECT["scripts"].items()
    assert recipe["build"]["python"]["entry_points"] == [" = ".join(script)]
    assert recipe["about"]["summary"] == PROJECT["description"]


@pytest.mark.campaign
def test_the_recipe_renders():
    rattler = pytest.importorskip("rattler_build")
    recipe = rattler.Stage0Recipe.from_yaml(read("recipe/recipe.yaml"))
    (rendered,) = recipe.render(rattler.VariantConfig({}))
    recipe = rendered.recipe.to_dict()

    assert recipe["package"] == {"name": "dsgec", "version": dsgec.__version__}
    assert "python >=3.11" in recipe["requirements"]["run"]


def test_the_workflows_run_the_oldest_and_the_newest_python_and_targets_of_make():
    jobs = read_workflow("ci")["jobs"]
    matrix = jobs["test"]["strategy"]["matrix"]
    supported = [
        line.rpartition(" ")[2] for line in PROJECT["classifiers"] if "Python :: 3." in line
    ]
    steps = [step for job in jobs.values() for step in job["steps"]]
    (every,) = (
        step["with"]["python-version"].split()
        for step in jobs["dependencies"]["steps"]
        if "python-version" in step.get("with", {})
    )
    targets = [step["run"].split()[1] for step in steps if step.get("run", "").startswith("make ")]
    makefile = read("Makefile")

    assert matrix["python"] == [supported[0], supported[-1]]
    assert PROJECT["requires-python"] == f">={supported[0]}"
    assert sorted(every) == supported
    assert {system.split("-")[0] for system in matrix["os"]} == {"ubuntu", "macos"}
    assert targets == ["lint", "test", "matrix", "docs", "dist"]
    assert all(f"\n{target}: " in makefile for target in targets)


@pytest.mark.parametrize(
    ("tag", "owner", "complaint"),
    [
        ("v{version}", "somebody", ""),
        ("v9.9.9", "somebody", "has another version than 9.9.9"),
        ("v{version}", "OWNER", "needs the address of the repository"),
    ],
)
def test_a_release_is_refused_unless_tag_version_and_address_are_right(
    tag, owner, complaint, tmp_path
):
    (script,) = (
        step["run"] for step in read_workflow("release")["jobs"]["check"]["steps"] if "run" in step
    )
    (tmp_path / "dsgec").mkdir()
    for name in ("dsgec/__init__.py", "CITATION.cff", "CHANGELOG.md", "pyproject.toml"):
        (tmp_path / name).write_text(read(name).replace("OWNER", owner), encoding="utf-8")
    ended = subprocess.run(
        ["bash", "-e", "-c", script],
        cwd=tmp_path,
        env={**os.environ, "GITHUB_REF_NAME": tag.format(version=dsgec.__version__)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert (ended.returncode == 0) == (complaint == "")
    assert complaint in ended.stdout


def test_only_the_release_may_write_and_only_by_trusted_publishing():
    for name in ("ci", "release"):
        assert read_workflow(name)["permissions"] == {"contents": "read"}
    jobs = read_workflow("release")["jobs"]
    permissions = {name: job["permissions"] for name, job in jobs.items() if "permissions" in job}
    actions = re.findall(r"uses: (\S+)", read(".github/workflows/release.yml"))
    actions += re.findall(r"uses: (\S+)", read(".github/workflows/ci.yml"))

    assert permissions == {"publish": {"id-token": "write"}, "announce": {"contents": "write"}}
    assert {*jobs["publish"]["needs"]} == {"check", "ci"}
    assert not re.search("password|secrets", read(".github/workflows/release.yml"))
    assert all(re.fullmatch(r"[\w/.-]+@[0-9a-f]{40}|\./.*", action) for action in actions)


def test_the_paper_has_what_its_journal_asks_for():
    head, body = read("paper/paper.md").removeprefix("---\n").split("\n---\n", 1)
    sections = re.findall(r"^# (.+)$", body, re.MULTILINE)
    cited = {*re.findall(r"@([a-z0-9]+)", body)}
    entries = re.findall(r"^@\w+\{(\w+),\n(.*?)^\}$", read("paper/paper.bib"), re.M | re.S)

    assert {"title", "tags", "authors", "affiliations", "date", "bibliography"} <= {
        *yaml.safe_load(head)
    }
    assert 750 <= len(body.split()) <= 1750
    assert sections == [
        "Summary",
        "Statement of need",
        "State of the field",
        "Software design",
        "Research impact statement",
        "AI usage disclosure",
        "Acknowledgements",
        "References",
    ]
    assert cited == {name for name, _ in entries}
    for name, fields in entries:
        assert re.search(r"^  (doi|url) = ", fields, re.M), name
        assert re.search(r"^  year = \{\d{4}\}", fields, re.M), name


def test_every_figure_of_the_paper_is_in_the_documentation():
    body = read("paper/paper.md").split("\n---\n", 1)[1]
    figures = {*re.findall(r"(?<![\w.,@-])\d[\d.,]*\d(?![\w-])", body)} - {"754"}  # IEEE 754
    pages = [read("README.md")]
    pages += [path.read_text(encoding="utf-8") for path in (ROOT / "docs").rglob("*.md")]

    assert len(figures) > 15
    missing = [
        figure
        for figure in figures
        if not any(re.search(rf"(?<![\d.,]){re.escape(figure)}(?![\d])", page) for page in pages)
    ]
    assert missing == [], "measured again? then change the paper, too"
