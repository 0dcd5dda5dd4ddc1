"""Inside a folder nothing is read, written or removed through a link: only what users name is."""

import json
import os
import shutil
from functools import cache

import pytest

from dsgec import load
from dsgec.errors import DsgecError
from dsgec.export import number_format
from dsgec.folder import make_folder, open_folder, open_locked, write_whole
from tests.support.command_line import QUICK_OPTIONS, dsgec

EVOLVE = ["evolve", "multi_layer", "wdbc", *QUICK_OPTIONS]
NAME = "wdbc-multi_layer-seed1"
FOREIGN = "not dsgec's\n"

COMMANDS = {
    "show": lambda folder: ["show", folder],
    "predict": lambda folder: ["predict", folder, "wdbc"],
    "export": lambda folder: ["export", folder, "--to", "c,numpy,js"],
    "pick": lambda folder: ["export", folder, "--to", "python", "--pick", "at-most", "20"],
    "report": lambda folder: ["report", folder],
    "verify": lambda folder: ["verify", folder],
    "inspect": lambda folder: ["inspect", folder],
    "resume": lambda folder: ["resume", folder],
    "evolve": lambda folder: [*EVOLVE, "--out", folder.parent],
    "overwrite": lambda folder: [*EVOLVE, "--out", folder.parent, "--overwrite"],
}
FILES = [
    "run.json",
    "config.toml",
    "best.net",
    "history.csv",
    "timing.json",
    "hall_of_fame.csv",
    "report.json",
    "report.html",
    "SHA256SUMS",
    "checkpoint",
    "wdbc.c",
    "wdbc.h",
    "wdbc_selftest.c",
    "wdbc_README.md",
    "wdbc.py",
    "wdbc.mjs",
    "wdbc_20.py",
]
ONLY_EXPORTED = ("wdbc.mjs", "wdbc_20.py")
"""What `evolve` does not write: something else of that name is not a run's to replace."""
KINDS = {
    "file": lambda path, outside: path.symlink_to(outside / "victim.txt"),
    "folder": lambda path, outside: path.symlink_to(outside / "kept", target_is_directory=True),
    "dangling": lambda path, outside: path.symlink_to(outside / "created.txt"),
    "pipe": lambda path, outside: os.mkfifo(path),
}


@pytest.fixture(scope="session")
def interrupted(tmp_path_factory):
    """The folder of a run whose time was over, so that it has a checkpoint as well."""
    out = tmp_path_factory.mktemp("interrupted")
    dsgec(*EVOLVE, "--out", out, "--max-seconds", "0")
    return out / NAME


def content(folder):
    """Everything below a folder: what its files hold, and where its links lead."""
    return {
        str(path.relative_to(folder)): path.readlink()
        if path.is_symlink()
        else (path.read_bytes() if path.is_file() else "")
        for path in sorted(folder.rglob("*"))
    }


def check_plant(source, place, command, file, kind):
    """With something planted at a file's name: nothing outside changes, and all is reported."""
    outside = place / "outside"
    (outside / "kept").mkdir(parents=True)
    (outside / "victim.txt").write_text(FOREIGN)
    (outside / "kept" / "victim.txt").write_text(FOREIGN)
    (outside / "kept" / "__init__.py").write_text(FOREIGN)
    before = content(outside)
    folder = place / "inside" / NAME
    shutil.copytree(source, folder)
    planted = folder / file
    planted.parent.mkdir(exist_ok=True)
    planted.unlink(missing_ok=True)
    KINDS[kind](planted, outside)
    words = COMMANDS[command](folder)
    answer = dsgec(*words, cwd=place, code=(0, 1))

    assert content(outside) == before
    assert FOREIGN not in answer.stdout
    if answer.returncode == 1 and kind != "pipe":
        assert str(planted) in answer.stderr or command in ("resume", "verify"), answer.stderr
    if command == "overwrite":
        assert answer.returncode == 0, answer.stderr
        assert planted.is_symlink() == (file in ONLY_EXPORTED and kind != "pipe")
        if file in ONLY_EXPORTED:
            assert str(planted) in dsgec("verify", folder, code=1).stderr


@pytest.mark.parametrize(
    ("command", "file", "kind"),
    [
        ("report", "report.html", "file"),
        ("report", "run.json", "file"),
        ("report", "SHA256SUMS", "file"),
        ("show", "best.net", "pipe"),
        ("export", "wdbc.c", "file"),
        ("export", "wdbc.py", "dangling"),
        ("verify", "wdbc.h", "file"),
        ("resume", "checkpoint", "file"),
        ("overwrite", "history.csv", "file"),
        ("overwrite", "timing.json", "folder"),
        ("overwrite", "checkpoint", "dangling"),
    ],
)
def test_a_link_in_a_runs_folder_is_not_followed(command, file, kind, run, interrupted, tmp_path):
    check_plant(interrupted if file == "checkpoint" else run, tmp_path, command, file, kind)


remembered = cache(number_format.golden)
"""Most of a command's time, for what depends on nothing but the model."""


@pytest.mark.campaign
@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("state", ["ended", "interrupted"])
def test_no_command_follows_a_link_at_any_name(
    command, file, kind, state, run, interrupted, tmp_path, monkeypatch
):
    monkeypatch.setattr(number_format, "golden", remembered)
    source = interrupted if state == "interrupted" else run
    check_plant(source, tmp_path, command, file, kind)


def test_a_link_in_the_place_of_a_package_is_replaced(run, tmp_path):
    """And what it led to stays as it is, also when the package is removed again."""
    if not shutil.which("cc"):
        pytest.skip("no C compiler")
    victim = tmp_path / "victim"
    victim.mkdir()
    (victim / "__init__.py").write_text(FOREIGN)
    (victim / "__pycache__").mkdir()
    before = content(victim)
    folder = tmp_path / NAME
    shutil.copytree(run, folder)
    (folder / "net").symlink_to(victim, target_is_directory=True)
    dsgec("export", folder, "--to", "cffi", "--name", "net")
    assert not (folder / "net").is_symlink()
    assert (folder / "net" / "__init__.py").read_text() != FOREIGN

    shutil.rmtree(folder / "net")
    (folder / "net").symlink_to(victim, target_is_directory=True)
    dsgec(*EVOLVE, "--out", tmp_path, "--overwrite", "--quiet")
    assert content(victim) == before


def test_a_link_to_a_fold_is_not_followed(tmp_path, threads_for_processes):
    victim = tmp_path / "victim"
    victim.mkdir()
    outer = tmp_path / "out" / "wdbc-float-seed1-cv2"
    outer.mkdir(parents=True)
    (outer / "fold1").symlink_to(victim, target_is_directory=True)
    (outer / "cv.json").symlink_to(victim / "cv.json")
    short = ["--preset", "paper", "--generations", "1", "--population", "4", "--backend", "numpy"]
    words = ["evolve", "float", "wdbc", *short, "--cv", "2", "--jobs", "1", "--quiet"]
    words += ["--out", tmp_path / "out"]
    assert "is a link" in dsgec(*words, code=1).stderr

    dsgec(*words, "--overwrite")
    assert list(victim.iterdir()) == []
    assert json.loads((outer / "cv.json").read_text())["rows"] == [285, 284]


STUDY = """
name = "small"
runs = 2
generations = 2
[settings]
population = 6
[[part]]
name = "usual"
representations = ["dsge"]
grammars = ["one_layer"]
data = ["wdbc"]
"""


def test_links_in_a_studys_folder_are_not_followed(tmp_path, threads_for_processes):
    victim = tmp_path / "victim"
    victim.mkdir()
    (victim / "file").write_text(FOREIGN)
    folder = tmp_path / "study"
    folder.mkdir()
    (folder / "runs").symlink_to(victim, target_is_directory=True)
    for name in ("results.csv", "report.html", "tables.txt"):
        (folder / name).symlink_to(victim / "file")
    file = tmp_path / "small.toml"
    file.write_text(STUDY)
    dsgec("study", file, "--out", folder, "--jobs", "1", "--quiet")
    (folder / "report.html").unlink()
    (folder / "report.html").symlink_to(victim / "file")
    dsgec("report", folder)

    assert content(victim) == {"file": FOREIGN.encode()}
    assert not any(path.is_symlink() for path in folder.iterdir())


def test_what_a_user_names_is_followed(run, tmp_path):
    link = tmp_path / "link"
    link.symlink_to(run, target_is_directory=True)
    (tmp_path / "page.html").touch()
    (tmp_path / "page-link.html").symlink_to(tmp_path / "page.html")
    dsgec("report", link, "-o", tmp_path / "page-link.html")
    (tmp_path / "wdbc.py").symlink_to(run / "wdbc.py")

    assert (tmp_path / "page.html").read_bytes() == (run / "report.html").read_bytes()
    assert (tmp_path / "page-link.html").is_symlink()
    assert "every byte" in dsgec("verify", tmp_path / "wdbc.py").stdout
    assert load(link).record == load(run).record


def test_the_library_does_not_follow_links_either(run, tmp_path):
    folder = tmp_path / "run"
    shutil.copytree(run, folder)
    (tmp_path / "victim").write_text(FOREIGN)
    (folder / "history.csv").unlink()
    (folder / "history.csv").symlink_to(tmp_path / "victim")
    with pytest.raises(DsgecError, match=r"history\.csv is a link; links inside .* not followed"):
        load(folder)

    load(run).save(folder, overwrite=True)
    assert not (folder / "history.csv").is_symlink()
    assert (tmp_path / "victim").read_text() == FOREIGN


@pytest.mark.parametrize("name", ["../x", "a/../../x", "..", ""])
def test_a_name_does_not_lead_out_of_a_folder(name, tmp_path):
    with make_folder(tmp_path / "inside") as folder:
        for act in (lambda: folder.read(name, 9), lambda: folder.write(name, "x")):
            with pytest.raises(DsgecError, match="not the name of a file in"):
                act()
    assert [path.name for path in tmp_path.iterdir()] == ["inside"]


def test_a_folder_without_permission_is_reported_with_its_path(tmp_path, monkeypatch):
    folder = tmp_path / "run"
    folder.mkdir()
    real = os.open

    def refuse(path, *arguments, **options):
        if str(path) == str(folder):
            raise PermissionError(13, "Permission denied")  # as for mode 333; root is let in
        return real(path, *arguments, **options)

    monkeypatch.setattr("dsgec.folder.os.open", refuse)
    answer = dsgec("show", folder, code=1)
    assert f"cannot open {folder}: Permission denied" in answer.stderr
    assert "chmod" in answer.stderr


def test_a_lock_that_another_process_holds_leaves_its_folder_alone(tmp_path):
    folder = tmp_path / "run"
    with open_locked(folder, "run") as held:
        with pytest.raises(DsgecError, match="another process"), open_locked(folder, "run"):
            pass
        held.write("file", "x")
    assert (folder / "file").read_text() == "x"


def test_a_failed_write_leaves_the_old_file(tmp_path, monkeypatch):
    write_whole(tmp_path / "file", "old")
    monkeypatch.setattr("dsgec.folder.os.replace", fail)
    with pytest.raises(DsgecError, match=r"cannot write .*file: it failed"):
        write_whole(tmp_path / "file", "new")
    assert content(tmp_path) == {"file": b"old"}


def fail(*_, **__):
    raise OSError(5, "it failed")


def test_a_folder_knows_what_is_in_it(tmp_path):
    with make_folder(tmp_path / "f") as folder:
        folder.write("a/b.txt", "x")
        folder.write("c", b"y")
        assert folder.names() == ["a", "c"]
        assert [*folder.files()] == ["a/b.txt", "c"]
        assert folder.has_folder("a")
        assert not folder.has_file("a")
        folder.remove("a/b.txt")
        assert [*folder.files()] == ["c"]
        assert not folder.has("a")
    with pytest.raises(DsgecError, match="there is no folder"):
        open_folder(tmp_path / "none")
    with pytest.raises(DsgecError, match="not a folder"):
        open_folder(tmp_path / "f" / "c")
