"""Files that are no tables are recognised with advice; one fault is printed three times at most."""

import gzip
import io
import json
import pickle
import sqlite3
import zipfile

import numpy as np
import pytest

import dsgec
from dsgec.data.options import Preprocessing
from dsgec.data.prepare import make_dataset
from dsgec.data.read import parse_table, read_table
from dsgec.errors import DsgecError, Fault
from tests.support.command_line import dsgec as command

ROWS = [{"a": i, "b": i * i, "c": "xy"[i % 2]} for i in range(30)]
TABLE = "a,b,c\n" + "".join(f"{row['a']},{row['b']},{row['c']}\n" for row in ROWS)


def archive(**members):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as packed:
        for name, text in members.items():
            packed.writestr(name.replace("__", "/").replace("_DOT_", "."), text)
    return out.getvalue()


def excel():
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as packed:
        for name in ("[Content_Types].xml", "_rels/.rels", "xl/workbook.xml"):
            packed.writestr(name, "<xml/>")
    return out.getvalue()


def database(path):
    with sqlite3.connect(path) as opened:
        opened.execute("create table t (a, b)")
    return path.read_bytes()


def saved(write, what):
    out = io.BytesIO()
    write(out, what)
    return out.getvalue()


FILES = {
    "xlsx": (excel(), "an Excel file", "save it as CSV"),
    "xls": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "an Excel file", "save it as CSV"),
    "ods": (
        archive(mimetype="application/vnd.oasis.opendocument.spreadsheet"),
        "a spreadsheet",
        "save it as CSV",
    ),
    "json": (json.dumps(ROWS).encode(), "a JSON file", "read_json"),
    "long json": (json.dumps(ROWS * 3000, indent=1).encode(), "a JSON file", "read_json"),
    "json of columns": (b'{"a": [1, 2], "b": [3, 4]}', "a JSON file", "read_json"),
    "json of rows": (b"[[1, 2], [3, 4]]\n", "a JSON file", "read_json"),
    "lines of json": (b"\n".join(json.dumps(r).encode() for r in ROWS), "a JSON file", "read_json"),
    "zip": (archive(t_DOT_csv=TABLE), "a ZIP archive", "Unpack it"),
    "npz": (saved(lambda out, x: np.savez(out, x), np.eye(3)), "arrays of numpy", "dsgec.evolve"),
    "npy": (saved(np.save, np.eye(3)), "an array of numpy", "dsgec.evolve"),
    "pickle": (pickle.dumps(ROWS), "a pickle", "save the table as CSV"),
    "old pickle": (pickle.dumps(ROWS, 2), "a pickle", "save the table as CSV"),
    "hdf5": (b"\x89HDF\r\n\x1a\n" + bytes(100), "an HDF5 file", "read_hdf"),
    "feather": (b"ARROW1\0\0" + bytes(100), "a Feather or Arrow file", "read_feather"),
    "bzip2": (__import__("bz2").compress(TABLE.encode()), "packed with bzip2", "npack it"),
    "xz": (__import__("lzma").compress(TABLE.encode()), "packed with xz", "npack it"),
    "html": (b"<!DOCTYPE html><html><table></table></html>", "an HTML or XML file", "CSV"),
    "packed json": (gzip.compress(json.dumps(ROWS).encode()), "a JSON file", "read_json"),
}


@pytest.mark.parametrize("kind", FILES)
def test_a_file_of_another_format_is_recognised_with_advice(kind):
    data, what, advice = FILES[kind]
    with pytest.raises(DsgecError) as raised:
        parse_table(data, "t.x", "t")
    text = str(raised.value)
    assert f"t.x is {what}" in text
    assert advice in text


def test_a_database_is_recognised(tmp_path):
    with pytest.raises(DsgecError, match="an SQLite database"):
        parse_table(database(tmp_path / "t.db"), "t.db", "t")


@pytest.mark.parametrize("start", ["ORC,size", "BZh,b", "RDX,b", "[a],b", '{x},"b"', "ARROW1,b"])
def test_a_table_that_begins_like_another_file_is_read(start):
    rows = "".join(f"{i},{i * i}\n" for i in range(9))
    assert len(parse_table(f"{start}\n{rows}".encode(), "t", "t")) == 9
    lists = "".join(f"[{i};{i}],{i * i}\n" for i in range(9))
    assert len(parse_table(lists.encode(), "t", "t")) == 9


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-16"])
def test_text_of_two_bytes_a_character_is_read_with_and_without_a_mark(encoding):
    found = parse_table(TABLE.encode(encoding), "t.csv", "t")
    assert found.columns == ("a", "b", "c")
    assert len(found) == 30
    assert bool(found.notes) == (encoding != "utf-16")


def test_a_nul_character_is_found_with_its_line():
    damaged = TABLE.replace("5,25,y", "5,\0\0,y")
    with pytest.raises(DsgecError, match=r"(?s)t.csv:7:1: error: a NUL character.*tr -d"):
        parse_table(damaged.encode(), "t.csv", "t")


def test_the_library_refuses_a_file_of_another_format(tmp_path):
    (tmp_path / "t.xlsx").write_bytes(excel())
    (tmp_path / "t.json").write_text(json.dumps(ROWS))
    with pytest.raises(DsgecError, match="an Excel file"):
        dsgec.evolve(tmp_path / "t.xlsx", "c")
    with pytest.raises(DsgecError, match="a JSON file"):
        dsgec.evolve(str(tmp_path / "t.json"), target="c")


def test_the_command_line_refuses_it_without_a_traceback(tmp_path):
    (tmp_path / "t.xlsx").write_bytes(excel())
    answer = command("evolve", "t.xlsx", cwd=tmp_path, code=1)
    assert answer.stderr.startswith("error: t.xlsx is an Excel file (.xlsx)")
    assert "Traceback" not in answer.stderr


def test_dates_and_durations_are_left_out_with_advice():
    pandas = pytest.importorskip("pandas")
    from dsgec.data.arrays import make_table

    times = pandas.date_range("2024-01-01", periods=30, freq="h")
    frame = pandas.DataFrame({"when": times, "lasted": times - times[0], "b": range(30)})
    frame["b"] = frame["b"] ** 2 % 7
    frame["y"] = [0, 1] * 15
    for table in (make_table(frame), parse_table(frame.to_csv(index=False).encode(), "t", "t")):
        notes = make_dataset(table, "y").notes
        assert any("`when` is left out" in n and "hour and weekday" in n for n in notes)
        assert any("`lasted` is left out" in n and "seconds" in n for n in notes)
    few = frame.assign(lasted=[times[i % 2] - times[0] for i in range(30)])
    assert any("durations" in note for note in make_dataset(make_table(few), "y").notes)


def test_lines_that_are_not_equally_long_are_shown_three_times():
    with pytest.raises(DsgecError) as raised:
        parse_table(b"a,b\n1,2\n3,4\n" + b"1,2,3\n" * 15, "t", "t")
    text = str(raised.value)
    assert text.count("3 cells where 2 were expected") == 3
    assert "… and 12 more like this" in text


def test_texts_among_numbers_are_shown_three_times():
    table = parse_table(("a,c\n" + "1,x\n2,y\n" * 50 + "oops,x\n" * 9).encode(), "t", "t")
    with pytest.raises(DsgecError) as raised:
        make_dataset(table, None, Preprocessing(missing="error"))
    text = str(raised.value)
    assert text.count("not a finite number") == 3
    assert "… and 6 more like this" in text


def test_the_same_fault_is_printed_three_times_and_another_still_is():
    faults = [Fault("wrong", "do this")] * 15 + [Fault("other")]
    text = str(DsgecError(faults))
    assert text.count("error: wrong") == 3
    assert text.count("… and 12 more like this") == 1
    assert text.endswith("error: other")


def test_notes_of_one_kind_are_printed_three_times(tmp_path):
    names = [f"n{i}" for i in range(8)]
    head = ",".join([*names, "c"])
    rows = "".join(",".join([*(str(i + 1) for _ in names), "xy"[i % 2]]) + "\n" for i in range(30))
    (tmp_path / "t.csv").write_text(f"{head}\n{rows}")
    words = ["--index", "keep", "--generations", "1", "--population", "8", "--out", "o"]
    answer = command("evolve", "t.csv", *words, cwd=tmp_path)
    assert answer.stderr.count("numbers the rows") == 3
    assert "note: … and 5 more like this" in answer.stderr


def test_three_classes_and_a_grammar_of_two_advise_the_one_of_many(tmp_path):
    rows = "".join(f"{i},{i * i % 7},{'xyz'[i % 3]}\n" for i in range(30))
    (tmp_path / "iris.csv").write_text("a,b,c\n" + rows)
    answer = command("evolve", "network", "iris.csv", cwd=tmp_path, code=1)
    assert "Use the shipped grammar `shared_softmax`, network_softmax," in answer.stderr


def test_shipped_tables_are_read_as_before():
    assert len(read_table("wdbc")) == 569
