"""Mistakes of users, files and machines end in a message, never in a traceback."""

import gzip
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dsgec.data import source
from dsgec.data.read import parse_table
from dsgec.errors import DsgecError
from dsgec.folder import write_whole
from tests.support.command_line import COMMAND, QUICK_OPTIONS, dsgec, read_json, restore_signals

MISTAKES = [
    (["evolve", "nothing.bnf", "wdbc"], 1, "there is no grammar nothing.bnf"),
    (["evolve", "one_layer", "nothing.csv"], 1, "there is no table nothing.csv"),
    (["evolve", ".", "wdbc"], 1, "is a folder"),
    (["evolve", "tables/wdbc.csv", "one_layer"], 1, "The grammar comes first"),
    (["evolve", "one_layer", "."], 1, "is a folder"),
    (["evolve", "one_layer", "wdbc", "--target", "diagnose"], 1, "Did you mean `diagnosis`?"),
    (["evolve", "one_layer", "wdbc", "--max-depth", "summ=2"], 1, "no symbol `<summ>`"),
    (["evolve", "one_layer", "wdbc", "--max-depth", "sum"], 2, "is not like sum=4"),
    (["evolve", "one_layer", "wdbc", "--population", "1"], 1, "--population is 1"),
    (["evolve", "one_layer", "wdbc", "--elites", "100"], 1, "--elites is 100"),
    (["evolve", "one_layer", "wdbc", "--threads", "0"], 1, "--threads is 0"),
    (["evolve", "one_layer", "wdbc", "--objective", "best"], 1, "--objective is 'best'"),
    (["evolve", "one_layer", "wdbc", "--cv", "570"], 1, "--cv takes 2 folds or more"),
    (["evolve", "multi_layer", "wdbc", "--representation", "ge"], 1, "Use --representation dsge"),
    (["evolve", "one_layer", "wdbc", "--population", "many"], 2, "not a valid integer"),
    (["evolve", "one_layer", "wdbc", "--backend", "gpu"], 2, "gpu"),
    (["evolve"], 2, "Missing argument"),
    (["evolve", "one_layer"], 1, "one_layer is a grammar"),
    (["export", "nowhere"], 1, "there is no folder nowhere"),
    (["predict", "nowhere", "wdbc"], 1, "there is no folder nowhere"),
    (["compile", "nothing.net"], 1, "cannot read nothing.net"),
    (["check", "nothing"], 1, "multi_layer_softmax"),
    (["frobnicate"], 2, "No such command"),
    (["check", "a" * 5000], 1, "File name too long"),
    (["evolve", "one_layer", "/dev/zero"], 1, "is a device"),
    (["evolve", "one_layer", "wdbc", "--name", "../elsewhere"], 1, "cannot name a folder"),
    (["evolve", "one_layer", "wdbc", "--name=-x"], 1, "cannot name a folder"),
    (["evolve", "one_layer", "wdbc", "--name", "Con.x"], 1, "cannot name a folder"),
    (["inspect", "wdbc", "--separator", ""], 1, "--separator is empty"),
    (["inspect", "tables/wdbc.csv", "--encoding", "idna"], 1, "there is no encoding `idna`"),
]


@pytest.mark.parametrize(("arguments", "code", "message"), MISTAKES, ids=lambda v: str(v)[:40])
def test_a_mistake_prints_a_message_and_has_an_exit_code(arguments, code, message):
    assert message in dsgec(*arguments, code=code, cwd=Path(__file__).parents[2]).stderr


def test_every_fault_of_a_grammar_is_reported_with_a_caret(tmp_path):
    grammar = tmp_path / "bad.bnf"
    grammar.write_text("<a> ::= <b> | <c\n<d> := x_1\n")
    errors = dsgec("check", grammar, code=1).stderr

    assert "bad.bnf:1:9" in errors
    assert "bad.bnf:1:15" in errors
    assert "bad.bnf:2:5" in errors
    assert "^" in errors


@pytest.mark.parametrize(
    "damage",
    [
        lambda run: (run / "best.net").write_text("y_1 = os.system(1)"),
        lambda run: (run / "best.net").write_bytes(b"\xff\xfe"),
        lambda run: (run / "best.net").unlink(),
        lambda run: (run / "run.json").write_text("{"),
        lambda run: (run / "run.json").write_text("[1]"),
        lambda run: (run / "run.json").write_text('{"model": 3}'),
        lambda run: (run / "run.json").write_text('{"model": {"features": [1], "classes": []}}'),
        lambda run: (run / "run.json").write_text("[" * 100_000),
        lambda run: (run / "best.net").write_text("inputs = 3\ny_1 = x_1"),
        lambda run: (run / "best.net").write_text("inputs = 30\ny_1 = x_1"),
    ],
)
def test_a_damaged_run_is_refused(run, tmp_path, damage):
    folder = tmp_path / "run"
    folder.mkdir()
    for path in run.iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    damage(folder)

    assert "error" in dsgec("predict", folder, "wdbc", code=1).stderr


def test_a_folder_that_cannot_be_written_is_reported(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("")

    assert (
        "cannot write"
        in dsgec("evolve", "one_layer", "wdbc", *QUICK_OPTIONS, "--out", blocked, code=1).stderr
    )


def test_a_device_and_a_link_stay_what_they_are(run, tmp_path):
    link, real = tmp_path / "link.csv", tmp_path / "real.csv"
    link.symlink_to(real)
    dsgec("predict", run, "wdbc", "-o", link)
    assert link.is_symlink()
    assert real.read_text().startswith("predicted")

    assert "No space left" in dsgec("sample", "one_layer", "-n", "9", code=1, stdout=Full()).stderr


class Full:
    """A standard output that cannot be written to."""

    def fileno(self):
        return os.open("/dev/full", os.O_WRONLY)


def test_control_characters_of_a_table_do_not_reach_the_terminal(tmp_path):
    table = tmp_path / "t.csv"
    table.write_text("a,b\n1,\x1b[31mred\n2,blue\n3,blue\n4,\x1b[31mred\n")
    answer = dsgec("evolve", "one_layer", table, *QUICK_OPTIONS, "--out", tmp_path, "--test", "0")

    assert "\x1b" not in answer.stderr + answer.stdout


@pytest.mark.timeout(120)  # it took years
def test_a_grammar_that_grows_without_end_is_checked_quickly(tmp_path):
    grammar = tmp_path / "g.bnf"
    rules = [f"<a{i}> ::= <a{i + 1}>+<a{i + 1}>" for i in range(60)]
    grammar.write_text("\n".join([*rules, "<a60> ::= x_1"]))
    assert "more than 10^18" in dsgec("check", grammar).stdout
    grammar.write_text("<a> ::= x_1 | ... | x_99999\n")
    assert "there are 30 features" in dsgec("check", grammar, "--data", "wdbc", code=1).stderr


def test_recursive_features_in_a_layered_grammar_are_refused(tmp_path):
    grammar = tmp_path / "g.bnf"
    grammar.write_text(
        "<start> ::= <layer> -- <output-layer>\n<layer> ::= sig(<features>)\n"
        "<output-layer> ::= sig(<features>)\n<features> ::= <features>+<features> | x_1\n"
    )
    errors = dsgec("sample", grammar, code=1).stderr
    assert "g.bnf:4:1" in errors
    assert "made again for each layer" in errors


def test_an_interrupt_keeps_the_result_so_far(tmp_path):
    arguments = ["evolve", "one_layer", "wdbc", "--out", str(tmp_path), "--generations", "100000"]
    arguments += ["--population", "8", "--pruning", "1", "--tuning", "2"]
    command = [*COMMAND, *arguments, "--backend", "numpy", "--quiet", "--save-every", "0"]
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, preexec_fn=restore_signals
    ) as process:
        while process.poll() is None and not list(tmp_path.glob("*/checkpoint")):
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate()

    assert process.returncode == 130
    assert "interrupted" in errors
    assert "Traceback" not in errors
    record = read_json(tmp_path / "wdbc-one_layer-seed1", "run.json")
    history = (tmp_path / "wdbc-one_layer-seed1" / "history.csv").read_text().splitlines()
    assert len(history) == record["result"]["generations"] + 2


def test_a_device_or_a_pipe_instead_of_a_run_is_reported(tmp_path):
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "run.json").symlink_to("/dev/zero")
    assert "run.json is a link; links inside" in dsgec("show", folder, code=1).stderr
    (folder / "run.json").unlink()
    os.mkfifo(folder / "run.json")
    assert "run.json is not a file" in dsgec("show", folder, code=1).stderr


@pytest.mark.parametrize("command", [["check"], ["inspect"], ["evolve", "one_layer"], ["compile"]])
def test_a_pipe_without_a_writer_does_not_block(command, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert "is a pipe, not a file" in dsgec(*command, pipe, code=1).stderr


def test_standard_input_is_read(tmp_path):
    text = "a,b\n1,no\n2,yes\n3,no\n4,yes\n"
    for name in ("-", "/dev/stdin"):
        command = [*COMMAND, "inspect", name]
        done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


def test_an_export_that_cannot_be_written_leaves_no_folder(tmp_path, monkeypatch):
    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("dsgec.folder.os.fsync", full)
    with pytest.raises(DsgecError, match="No space left on device"):
        write_whole(tmp_path / "a" / "b" / "net.c", "int x;")
    assert list(tmp_path.iterdir()) == []


def test_control_characters_of_a_table_do_not_reach_a_pipe(tmp_path):
    table = tmp_path / "table.csv"
    table.write_text("a\x1b[31m,b\n1,no\n2,yes\n3,no\n4,yes\n")
    printed = dsgec("inspect", table).stdout

    assert "a\N{REPLACEMENT CHARACTER}[31m" in printed
    assert "\x1b" not in printed


def test_an_interrupt_while_importing_ends_with_one_line():
    script = (
        "import sys\n"
        "class Interrupts:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'click':\n"
        "            raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Interrupts())\n"
        "from dsgec.__main__ import main\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (130, "interrupted\n")


def test_a_name_cannot_forge_a_message_or_control_a_terminal(tmp_path):
    answer = dsgec("evolve", "one_layer", "x\nerror: y", code=1, cwd=tmp_path).stderr
    assert not [line for line in answer.splitlines() if line.startswith("error: y")]
    name = ["--name", "a\x1b[31m", "--generations", "1"]
    assert "cannot name a folder" in dsgec("evolve", "one_layer", "wdbc", *name, code=1).stderr


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('printed = "a\\u0000b"', "cannot be printed"),
        (f"{'a.' * 10_000}a = 1", "has a line of more than"),
        ('name = "a\\u001b[31m"', "cannot be printed"),
    ],
)
def test_hostile_studies_are_refused(text, message, tmp_path):
    part = '[[part]]\nengines = ["dsge"]\ngrammars = ["one_layer"]\ndata = ["wdbc"]\n'
    (tmp_path / "s.toml").write_text(f"{text}\n{part}")
    assert message in dsgec("study", tmp_path / "s.toml", code=1, cwd=tmp_path).stderr


def test_a_decompression_bomb_is_refused(monkeypatch):
    monkeypatch.setattr(source, "_UNSUSPICIOUS", 1 << 20)
    with pytest.raises(DsgecError, match="unpacks to more than 200 times"):
        parse_table(gzip.compress(b"1,2,3\n" * 1_000_000), "t.csv.gz", "t")
