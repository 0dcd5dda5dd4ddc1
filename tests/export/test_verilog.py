"""The exported Verilog gives the bits of the interpreter of integers in a simulator."""

import json
import re
import shutil
import subprocess
from dataclasses import replace

import numpy as np
import pytest

from dsgec.errors import DsgecError
from dsgec.export.artefact import LAYOUTS
from dsgec.export.files import export
from dsgec.export.fixed.evaluate import evaluate_integers, quantise
from dsgec.export.targets import running
from dsgec.export.targets.running import CannotRun
from dsgec.export.targets.verilog import TARGET, emit_verilog, read_verilog, verilog_view
from dsgec.export.targets.verilog.circuit import Circuit, schedule
from dsgec.export.targets.verilog.lower import lower
from dsgec.network.model import Column, Model, plain_columns
from dsgec.network.parse import parse
from tests.support.fixed_models import POSITIVE, RANGE, fixed_artefact, random_artefact, trying_rows
from tests.support.models import IRIS
from tests.support.random_networks import same_bits
from tests.support.verilog import IVERILOG, SOURCES, simulate, write_verilog

needs_iverilog = pytest.mark.skipif(not IVERILOG, reason="iverilog is not installed")
needs_yosys = pytest.mark.skipif(not shutil.which("yosys"), reason="yosys is not installed")
needs_verilator = pytest.mark.skipif(
    not shutil.which("verilator"), reason="verilator is not installed"
)

MIXED = Model(
    parse(
        "h_1_1 = tanh(x_1 - 2.0*x_2 + x_3)\n"
        "h_1_2 = relu(x_4 / (x_1 + 9.0) + x_5)\n"
        "y_1, y_2, y_3 = softmax(h_1_1, 2.0*h_1_2, sig(x_1 * x_4))"
    ),
    (
        Column("width", fill=1.5, center=1.0, scale=0.7),
        Column("colour", "category", ("red", "green"), fill=0.0),
        Column("open", "boolean", ("no", "yes")),
        Column("length"),
    ),
    ("a", "b", "c"),
)

LAYERED = Model(
    parse(
        "h_1_1 = sig(x_1 - 2.0*x_2 + x_4)\n"
        "h_1_2 = relu(0.5*x_1 + x_3 - 0.25*x_5)\n"
        "h_1_3 = sig(0.75*x_2 - x_4)\n"
        "h_2_1 = tanh(h_1_1 - h_1_2 + 0.5*x_5)\n"
        "y_1, y_2, y_3 = softmax(h_2_1 - h_1_3, 2.0*h_1_2, 0.3 - h_2_1)"
    ),
    MIXED.columns,
    MIXED.classes,
)
"""Neurons in two layers over columns of all kinds, which a machine with one multiplier takes."""


def agree(seeds, count, layout="flat"):
    """Compare simulations with the interpreter; return how many networks of a layout there were.

    Some rows lack values that are not filled.
    """
    tried = 0
    for seed in seeds:
        range_ = POSITIVE if seed % 4 < 2 else RANGE
        artefact = random_artefact(seed, ("q15", "q7")[seed % 2], range_)
        if artefact is None:
            continue
        artefact = replace(artefact, layout=layout)
        if (layout == "packed") != bool(verilog_view(artefact).packed):
            continue
        rows = trying_rows(artefact, seed, count, range_)
        rows[np.random.default_rng(seed).random(rows.shape) < 0.01] = np.nan
        found = TARGET.run(artefact, emit_verilog(artefact), rows)
        wanted = artefact.number_format.results(rows)
        assert same_bits(found.reshape(wanted.shape), wanted), seed
        tried += 1
    return tried


@needs_iverilog
@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_simulator_gives_the_interpreters_bits_on_random_networks(layout):
    assert agree(range(5000, 5006), 60, layout) >= 2


@needs_iverilog
@pytest.mark.campaign
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("start", range(5000, 5320, 20))
def test_the_simulator_gives_the_interpreters_bits_on_100_random_networks(start, layout):
    """Not every random network can be computed in fixed point."""
    print(f"{agree(range(start, start + 20), 300, layout)} networks")


@needs_iverilog
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", ["q15", "q7"])
def test_the_test_bench_passes_without_a_warning(dtype, layout, tmp_path):
    write_verilog(replace(fixed_artefact(LAYERED, dtype), layout=layout), tmp_path)
    assert simulate(tmp_path) == ("", ["PASS"], 0)

    write_verilog(fixed_artefact(MIXED, dtype), tmp_path)
    assert simulate(tmp_path) == ("", ["PASS"], 0)


@needs_iverilog
@pytest.mark.parametrize(
    ("text", "classes", "threshold"),
    [
        ("sig(2*x_1 - x_2 + 0.3)", ("no", "yes"), 0.5),
        ("sig(2*x_1 - x_2 + 0.3)", ("no", "yes"), 0.9),
        ("y_1 = 0.25\ny_2 = 0.25", (), 0.5),
        ("y_1 = x_2", (), 0.5),
        ("y_1 = x_1\ny_2 = -x_2\ny_3 = 0.5*x_1\ny_4 = x_2\ny_5 = x_1", tuple("abcde"), 0.5),
    ],
)
def test_results_need_not_be_computed_and_classes_are_chosen(text, classes, threshold, tmp_path):
    model = Model(parse(text, inputs=2), plain_columns(("a", "b")), classes, threshold=threshold)
    write_verilog(fixed_artefact(model, "q7"), tmp_path)

    assert simulate(tmp_path) == ("", ["PASS"], 0)


@needs_iverilog
@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("net.v", "", None),
        ("net.v", "out_class <= lacking[LATENCY-1] ? 2'd0 : ", "out_class <= 2'd1 ^ "),
        ("net.v", "else if (ce)", "else"),
        ("net_top.v", "results >> 16", "results >> 8"),
        ("net_top.v", "in_valid(state == RUN)", "in_valid(state == WAIT)"),
    ],
)
def test_the_test_bench_finds_changes(file, old, new, tmp_path):
    write_verilog(fixed_artefact(MIXED, "q15"), tmp_path)
    find_change(file, old, new, tmp_path)


@needs_iverilog
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("factor <= sources[source]", "factor <= sources[source + 1'b1]"),
        ("weight_1 <= weight;", "weight_1 <= -weight;"),
        ("is_prepared ? prepared : ended", "prepared"),
        ("neuron < ", "neuron <= "),
        ("if (required(column) != 0 &&", "if (required(column) == 0 &&"),
        ("lacking ? 2'd0 : result3", "lacking ? 2'd1 : result3"),
        ("sum <= bias(neuron);", "sum <= bias(0);"),
        ("value <= columns[listed];", "value <= columns[0];"),
    ],
)
def test_the_test_bench_finds_changes_of_the_machine(old, new, tmp_path):
    write_verilog(replace(fixed_artefact(LAYERED, "q15"), layout="packed"), tmp_path)
    find_change("net.v", old, new, tmp_path)


def find_change(file, old, new, tmp_path):
    path = tmp_path / file
    text = path.read_text()
    if new is None:  # a weight: the first number that a product has
        old = re.search(r"\* (\d+'sd\d+)", text)[0]
        new = old + "0"
    assert old in text
    path.write_text(text.replace(old, new))

    _, printed, code = simulate(tmp_path)
    assert code == 1
    assert printed[0].startswith("FAIL: row ")


def test_a_name_of_verilog_and_one_of_a_file_beside_are_refused():
    for name in ("wire", "logic", "desk_top", "net_tb"):
        artefact = fixed_artefact(IRIS, "q7", POSITIVE, name)
        with pytest.raises(DsgecError, match=f"cannot be called `{name}`"):
            emit_verilog(artefact)


def test_double_precision_is_refused_with_the_types_that_there_are(tmp_path):
    with pytest.raises(DsgecError) as caught:
        export(IRIS, ["verilog"], "iris", tmp_path)
    assert "`verilog` cannot be of the type double" in str(caught.value)
    assert "q15" in str(caught.value)


def test_it_cannot_run_without_a_simulator(monkeypatch):
    monkeypatch.setattr(running.shutil, "which", lambda name: None)
    artefact = fixed_artefact(MIXED, "q7")
    with pytest.raises(CannotRun, match="no iverilog"):
        TARGET.run(artefact, emit_verilog(artefact), np.zeros((1, 4)))


@needs_iverilog
def test_hostile_names_stay_in_one_comment(tmp_path, names):
    few = 40
    columns = tuple(Column(name) for name in names.names[:few])
    text = "sig(x_1 - 2.0*x_40)"
    models = [
        Model(parse(text, inputs=few), columns, names.labels[1:3], names.names[1]),
        Model(
            parse(text, inputs=few), plain_columns(tuple(f"n{i}" for i in range(few))), ("a", "b")
        ),
    ]
    hostile, tame = (emit_verilog(fixed_artefact(model, "q7")) for model in models)
    for ours, other in zip(hostile, tame, strict=True):
        assert ours.text.isascii()
        lines = zip(ours.text.split("\n"), other.text.split("\n"), strict=True)
        different = [a for a, b in lines if a != b]
        assert all(line.startswith(("// metadata: ", "A neural")) for line in different)
    comment = next(line for line in hostile[0].text.split("\n") if line.startswith("// metadata: "))
    assert not set("`*") & set(comment)
    assert "/" not in comment[2:]
    metadata = read_verilog(hostile[0].text.encode())
    assert tuple(column["name"] for column in metadata["columns"]) == names.names[:few]
    assert tuple(metadata["classes"]) == names.labels[1:3]
    assert metadata == json.loads(comment.removeprefix("// metadata: "))

    write_verilog(fixed_artefact(models[0], "q7"), tmp_path)
    assert simulate(tmp_path) == ("", ["PASS"], 0)


@pytest.mark.parametrize("dtype", ["q15", "q7"])
def test_every_value_of_the_circuit_is_within_its_limits(dtype):
    """The values are computed here without the limits, on rows without missing values."""
    artefact = fixed_artefact(MIXED, dtype)
    program = artefact.number_format.fixed.program
    rows = trying_rows(artefact, 5, 2000, RANGE)
    rows = rows[~np.isnan(rows).any(axis=1)]
    wholes = quantise(program, rows).astype(np.int64)
    built = lower(program, classes=3)
    values = circuit_values(built.circuit, wholes)
    for node, value in zip(built.circuit.nodes, values, strict=True):
        assert node.low <= np.min(value) and np.max(value) <= node.high, node
    results = np.stack([values[number] for number in built.results], axis=1)
    assert np.array_equal(results, evaluate_integers(program, wholes.astype(np.int32)))
    assert np.array_equal(values[built.class_], results.argmax(axis=1))


def circuit_values(circuit: Circuit, rows):
    """Return the value of every node for each row."""
    found = []
    for node in circuit.nodes:
        operands = [found[operand] for operand in node.operands]
        match node.operation:
            case "constant":
                value = np.full(len(rows), node.value)
            case "column":
                value = rows[:, node.value]
            case "limited":
                value = operands[0]
            case "cut":
                value = operands[0] & ((1 << node.value) - 1)
            case "rom":
                entries = np.array(circuit.roms[node.value])
                value = entries[np.clip(operands[0], 0, len(entries) - 1)]
            case "choose":
                value = np.where(*operands)
            case operator:
                name = {"<<": "left_shift", ">>": "right_shift", "+": "add", "-": "subtract"}
                name |= {"*": "multiply", "<": "less", "<=": "less_equal", ">": "greater"}
                name |= {">=": "greater_equal", "==": "equal", "!=": "not_equal"}
                value = getattr(np, name[operator])(*operands)
        found.append(value)
    return found


def test_a_stage_has_at_most_three_additions_in_a_row():
    text = " + ".join(f"{i % 7 + 1}.3*x_{i + 1}" for i in range(30))
    model = Model(parse(text), plain_columns(tuple(f"c{i}" for i in range(30))))
    artefact = fixed_artefact(model, "q15")
    built = lower(artefact.number_format.fixed.program)
    plan = schedule(built.circuit, built.results)
    depth = {}
    for number, stage in plan.stages.items():
        node = built.circuit.nodes[number]
        own = [depth[o] for o in node.operands if plan.stages.get(o) == stage]
        depth[number] = max(own, default=0) + (node.operation in "+-")
        assert all(plan.stages[o] <= stage for o in node.operands if o in plan.stages)
    assert max(depth.values()) <= 3
    # Limits, pairs of products, then eight sums into one in every stage.
    assert plan.latency == 4


def test_a_network_that_the_machine_cannot_compute_stays_flat():
    two = parse("h_1_1 = relu(min(x_1, x_2) - x_3)\ny_1 = h_1_1 - x_3")
    for artefact in (
        fixed_artefact(Model(two, plain_columns(("a", "b", "c"))), "q7"),  # a source of two columns
        random_artefact(5056, "q7", POSITIVE),  # reads a column after the neurons
    ):
        packed = replace(artefact, layout="packed")
        assert packed.packed
        assert not verilog_view(packed).packed
        assert emit_verilog(packed)[1].text == emit_verilog(artefact)[1].text


@needs_iverilog
@pytest.mark.parametrize("layout", LAYOUTS)
def test_metadata_of_many_columns_take_several_lines(layout):
    """Icarus Verilog cannot read lines of any length."""
    few = 250
    columns = plain_columns(
        tuple(f"column number {i} of a table with long names" for i in range(few))
    )
    model = Model(parse(f"relu(x_1 - 2.0*x_{few})"), columns)
    artefact = replace(fixed_artefact(model, "q7"), layout=layout)
    files = emit_verilog(artefact)

    assert max(map(len, files[0].text.split("\n"))) < 16_384
    assert files[0].text.count("// metadata: ") > 1
    assert len(read_verilog(files[0].text.encode())["columns"]) == few
    rows = np.linspace(-2, 2, 3 * few).reshape(3, few)
    found = TARGET.run(artefact, files, rows)
    assert same_bits(found.reshape(3, 1), artefact.number_format.results(rows))


@needs_verilator
def test_verilator_has_nothing_to_say(tmp_path):
    write_verilog(fixed_artefact(MIXED, "q15"), tmp_path)
    command = ["verilator", "--lint-only", "-Wall", "--top-module", "net_top", *SOURCES]
    answer = subprocess.run(command, cwd=tmp_path, check=False, capture_output=True, text=True)

    assert (answer.returncode, answer.stderr) == (0, "")


@needs_yosys
@pytest.mark.parametrize(
    "artefact",
    [
        fixed_artefact(IRIS, "q7", POSITIVE),
        replace(fixed_artefact(LAYERED, "q15"), layout="packed"),
    ],
)
def test_yosys_takes_it_without_a_warning(artefact, tmp_path):
    write_verilog(artefact, tmp_path)
    script = f"read_verilog {' '.join(SOURCES)}; hierarchy -check -top net_top; proc; check -assert"
    answer = subprocess.run(
        ["yosys", "-p", script], cwd=tmp_path, check=False, capture_output=True, text=True
    )

    assert answer.returncode == 0
    assert "Warning" not in answer.stdout + answer.stderr


@needs_yosys
@needs_iverilog
@pytest.mark.campaign
@pytest.mark.timeout(3600)
def test_the_gates_that_yosys_makes_of_a_machine_pass_the_test_bench(tmp_path):
    text = "h_1_1 = relu(x_1 - 2.0*x_2)\nh_1_2 = relu(x_2 + 0.5)\ny_1 = h_1_1 - 0.5*h_1_2"
    model = Model(parse(text), plain_columns(("a", "b")))
    write_verilog(replace(fixed_artefact(model, "q7"), layout="packed"), tmp_path)
    script = "read_verilog net.v; synth -flatten -top net; write_verilog -noattr gates.v"
    subprocess.run(["yosys", "-q", "-p", script], cwd=tmp_path, check=True)
    (tmp_path / "net.v").write_text((tmp_path / "gates.v").read_text())

    _, printed, code = simulate(tmp_path)
    assert (printed, code) == (["PASS"], 0)


@needs_yosys
@needs_iverilog
@pytest.mark.campaign
@pytest.mark.timeout(3600)
def test_the_gates_that_yosys_makes_pass_the_test_bench(tmp_path):
    write_verilog(fixed_artefact(IRIS, "q7", POSITIVE), tmp_path)
    script = "read_verilog net.v; synth -top net; write_verilog -noattr gates.v"
    subprocess.run(["yosys", "-q", "-p", script], cwd=tmp_path, check=True)
    latency = verilog_view(fixed_artefact(IRIS, "q7", POSITIVE)).latency
    bench = (tmp_path / "net_tb.v").read_text().replace("network.LATENCY", str(latency))
    (tmp_path / "net_tb.v").write_text(bench)
    (tmp_path / "net.v").write_text((tmp_path / "gates.v").read_text())

    _, printed, code = simulate(tmp_path)
    assert (printed, code) == (["PASS"], 0)
