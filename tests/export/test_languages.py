"""Rust, Java and Go give the interpreter's bits, pass their linters and escape names."""

import platform
import re
import shutil
from dataclasses import replace
from functools import cache
from itertools import count, islice

import numpy as np
import pytest

from dsgec.errors import DsgecError
from dsgec.export.artefact import Artefact
from dsgec.export.targets.go import OFFLINE
from dsgec.export.targets.target import TARGETS
from dsgec.literals import go_string, java_string, raw_json, rust_string
from dsgec.network.model import Column, Model, plain_columns, unnamed_model
from dsgec.network.parse import parse
from dsgec.network.simplify import simplify
from tests.support.artefacts import random_model
from tests.support.fixed_models import POSITIVE, RANGE, fixed_artefact, trying_rows
from tests.support.hostile import hostile
from tests.support.languages import LANGUAGES, asked, expected, extreme_rows, results, run, write
from tests.support.layered_models import layered_model
from tests.support.models import EVERY_KIND, FIXED_DTYPES, IRIS, seven_neurons
from tests.support.random_networks import same_bits

# What Go would compute exactly, or without a sign.
CONSTANT = unnamed_model(
    parse(
        "y_1 = 0.1 * 0.2 + 0.3\ny_2 = (-0.0) * 0.5\ny_3 = -0.0\ny_4 = x_1 - x_1\ny_5 = 3.14 * x_1"
    )
)
THRESHOLD = Model(parse("sig(x_1)"), plain_columns(("a",)), ("no", "yes"), "", 0.3125)
CHANGED = f"{float(np.nextafter(1.5, 2))} * h_1_1"


@pytest.fixture(params=LANGUAGES)
def language(request):
    missing = LANGUAGES[request.param].missing
    if missing:
        pytest.skip(f"{missing} is not installed")
    return request.param


def agree(folder, language, models, dtype="double", rows=100, **options):
    """Build the models and compare all their results with the interpreter's."""
    artefacts = {name: Artefact(model, name, dtype) for name, model in models.items()}
    tables = {
        name: extreme_rows(model, seed, rows, dtype)
        for seed, (name, model) in enumerate(models.items())
    }
    compare(folder, language, artefacts, tables, **options)


def agree_on_integers(folder, language, artefacts, range_, rows=100, **options):
    """Build the models in fixed point and compare all their results with the interpreter's."""
    tables = {
        name: fixed_rows(artefact, seed, rows, range_)
        for seed, (name, artefact) in enumerate(artefacts.items())
    }
    compare(folder, language, artefacts, tables, **options)


def fixed_rows(artefact, seed, count, range_=RANGE):
    """Return rows far beyond the ranges of columns, and rows near them."""
    half = count // 2
    far = extreme_rows(artefact.model, seed, half)
    return np.vstack([far, trying_rows(artefact, seed, half, range_)])


def compare(folder, language, artefacts, tables, **options):
    found = results(folder, language, artefacts, tables, **options)
    for name, (passes, made, numbers, texts, integers) in found.items():
        model = artefacts[name].model
        wanted, classes, wholes = expected(artefacts[name], tables[name])
        assert passes == (name != "changed"), name
        if passes:
            assert same_bits(made, wanted.astype(float)), name
            assert numbers == classes, name
            assert wholes is None or np.array_equal(integers, wholes), name
        numbers_of_texts = ["2", "-1", "-1"] if asked(model) else []
        columns = [column.name for column in model.columns]
        assert texts == [*columns, *map(str, model.classes), *numbers_of_texts]


def change(name, text):
    """Change a bit of a number of the model `changed`; in fixed point, its first weight by 1."""
    if name != "changed":
        return text
    text = text.replace("1.5 * h_1_1", CHANGED)
    return re.sub(r"(?<= \+ )\d+(?= ?\*)", lambda found: str(int(found[0]) + 1), text, count=1)


@cache
def a_few():
    """Return artefacts of doubles and integers that one program can call, with rows for them."""
    models = {"net0": random_model(0), "constant": CONSTANT, "iris": IRIS, "changed": IRIS}
    models["hostile"] = hostile(20, 20).model
    artefacts = {name: Artefact(model, name, selftest="quick") for name, model in models.items()}
    tables = {name: extreme_rows(model, 0, 100) for name, model in models.items()}
    for name, dtype, model in (("seven", "q15", seven_neurons()), ("columns", "q7", EVERY_KIND)):
        artefacts[name] = fixed_artefact(model, dtype, name=name)
        tables[name] = fixed_rows(artefacts[name], 0, 100)
    return artefacts, tables


def test_a_language_gives_the_interpreters_bits(language, tmp_path):
    compare(tmp_path, language, *a_few(), edit=change)


def test_the_packed_layout_gives_the_interpreters_bits_and_passes_linters(language, tmp_path):
    models = {"iris": IRIS, **{f"layered{seed}": layered_model(seed) for seed in (3, 9, 22)}}
    artefacts = {
        name: Artefact(model, name, selftest="quick", layout="packed")
        for name, model in models.items()
    }
    tables = {name: extreme_rows(model, 0, 100) for name, model in models.items()}
    for name, dtype, model in (("seven", "q15", seven_neurons()), ("columns", "q7", EVERY_KIND)):
        artefacts[name] = replace(fixed_artefact(model, dtype, name=name), layout="packed")
        tables[name] = fixed_rows(artefacts[name], 0, 100)

    assert all(artefact.program.tables for artefact in artefacts.values())
    compare(tmp_path, language, artefacts, tables, lint=True)


@pytest.mark.campaign
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("dtype", ["double", "float"])
@pytest.mark.parametrize("start", range(0, 100, 25))
def test_a_language_gives_the_interpreters_bits_on_100_networks(language, dtype, start, tmp_path):
    seeds = islice(filter(lambda seed: fits(seed, dtype), count(2000)), start, start + 25)
    models = {f"net{seed}": random_model(seed) for seed in seeds}
    agree(tmp_path, language, models, dtype, 1000, lint=True)


def fits(seed, dtype):
    """Return whether the constants of a network fit the type; some are too large for float."""
    try:
        return bool(Artefact(random_model(seed), "net", dtype))
    except DsgecError:
        return False


@pytest.mark.campaign
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("range_", [POSITIVE, RANGE])
def test_a_language_gives_the_interpreters_integers_on_50_networks(language, range_, tmp_path):
    """Rust is built to panic on overflow of 32 bits."""
    found = {}
    for seed in count(3000):
        try:
            name, dtype = f"net{seed}", FIXED_DTYPES[seed % 2]
            found[name] = fixed_artefact(random_model(seed), dtype, range_, name)
        except DsgecError:
            continue
        if len(found) == 25:
            break
    agree_on_integers(tmp_path, language, found, range_, 2000, lint=True)


@pytest.mark.campaign
@pytest.mark.parametrize("dtype", FIXED_DTYPES)
def test_special_models_compile_without_a_warning_in_fixed_point(language, dtype, tmp_path):
    weights = " + ".join(f"{i % 7 / 7!r} * x_{i}" for i in range(1, 2101))
    models = {
        "limit": THRESHOLD,
        "iris": IRIS,
        "changed": IRIS,
        "hostile": hostile(60, 60).model,
        "none": unnamed_model(parse("0.5", inputs=0)),
        "same": unnamed_model(parse("y_1 = x_1\ny_2 = -0.25\ny_3 = x_2", inputs=4)),
        # More than a method of Java holds.
        "wide": unnamed_model(parse(f"y_1 = sig({weights})\ny_2 = 2.5 * x_1 + {weights}")),
    }
    artefacts = {
        name: fixed_artefact(model, dtype, POSITIVE, name) for name, model in models.items()
    }
    agree_on_integers(tmp_path, language, artefacts, POSITIVE, lint=True, edit=change)


@pytest.mark.campaign
@pytest.mark.parametrize("dtype", ["double", "float"])
def test_special_models_compile_without_a_warning(language, dtype, tmp_path):
    models = {"constant": CONSTANT, "limit": THRESHOLD, "iris": IRIS}
    models |= {"hostile": hostile(2000).model, "none": unnamed_model(parse("0.5", inputs=0))}
    agree(tmp_path, language, models, dtype, lint=True)


@pytest.mark.campaign
def test_a_large_network_is_split_and_keeps_its_bits(language, tmp_path):
    terms = [f"{i % 9}.5 * sig(x_{i % 4 + 1} * {i}.25)" for i in range(1500)]
    weights = " + ".join(f"{i / 7!r} * x_{i}" for i in range(1, 9001))
    columns = (*(Column(f"c{i}") for i in range(8999)), Column("long" * 30_000))
    models = {
        "deep": unnamed_model(simplify(parse(" + ".join(terms)))),
        # More numbers and names than a class of Java holds, and a name that is no literal there.
        "wide": Model(parse(f"y_1 = sig({weights})\ny_2 = 2.5 * x_1 + {weights}"), columns),
    }
    agree(tmp_path, language, models, rows=20)


@pytest.mark.parametrize("target", LANGUAGES)
def test_metadata_with_hostile_names_are_read_back(target, names):
    artefact = Artefact(names.model, "net")
    files = TARGETS[target].emit(artefact)
    for file in files:
        assert file.text.isascii()
        assert "/* evil" not in file.text
    assert TARGETS[target].read(files[0].text.encode()) == artefact.metadata


def test_strings_are_those_of_the_language():
    text = 'a"\\\n\xe9\u2028\U0001f600#`'
    assert rust_string(text) == r'"a\u{22}\u{5c}\u{a}\u{e9}\u{2028}\u{1f600}\u{23}\u{60}"'
    assert go_string(text) == r'"a\x22\x5c\x0a\xc3\xa9\xe2\x80\xa8\xf0\x9f\x98\x80\x23\x60"'
    assert java_string(text) == r'"a\042\134\012\351\u2028\ud83d\ude00\043\140"'
    assert rust_string("\ud800") == r'"\u{fffd}"'
    assert go_string("\ud800") == r'"\xed\xa0\x80"'
    assert java_string("\ud800") == r'"\ud800"'
    assert java_string("a" * 10_001) == f'String.join("", "{"a" * 10_000}", "a")'
    assert raw_json(["#`", 2**64]) == r'["\u0023\u0060", 18446744073709551616]'


@pytest.mark.campaign
@pytest.mark.parametrize("machine", ["arm64", "ppc64le", "s390x"])
def test_go_fuses_no_product_with_a_sum(machine, tmp_path):
    """These machines have fused instructions, and Go uses them where the language allows it."""
    if LANGUAGES["go"].missing:
        pytest.skip("go is not installed")
    calls = [f"{name}(x_1)" for name in ("sig", "tanh", "log", "sin", "exp")]
    model = unnamed_model(parse(f"2.5 * x_1 + x_2 * x_3 + {' + '.join(calls)} + power(x_2, x_3)"))
    texts = {file.name: file.text for file in TARGETS["go"].emit(Artefact(model, "net"))}
    found = []
    for number, text in enumerate(
        (
            texts["net/network.go"],
            re.sub(r"float64\((\S+ \* \S+)\)", r"\1", texts["net/network.go"]),
        )
    ):
        folder = tmp_path / str(number)
        for name, other in texts.items():
            write(folder / name, text if name == "net/network.go" else other)
        environment = {name: value.format(tmp_path) for name, value in OFFLINE.items()}
        build = ["go", "build", "-gcflags=-S", "."]
        assembly = run(folder / "net", build, environment | {"GOARCH": machine})
        found.append(len(re.findall(r"\tFN?M(?:ADD|SUB)[SD]?\t", assembly)))
    ours, fused = found
    assert ours == 0
    assert fused > 20


CHIP = """
#![no_std]
#![no_main]

#[panic_handler]
fn stop(_: &core::panic::PanicInfo) -> ! {
    loop {}
}

#[no_mangle]
pub extern "C" fn run(row: &net::ROW, class: &mut usize) -> bool {
    *class = net::PREDICT(row).unwrap_or(9);
    net::selftest()
}
"""
FLOATS = r"\s(?:v?(?:add|sub|mul|div|min|max|sqrt)[sp][sd]|v?u?comis[sd]|v?cvt\w+)\s"


@pytest.mark.campaign
@pytest.mark.parametrize("dtype", FIXED_DTYPES)
def test_integers_in_rust_link_no_floating_point(dtype, tmp_path):
    """No core library of a chip is installed, but the code for this machine shows as much."""
    missing = [c for c in ("rustc", "ld", "objdump") if not shutil.which(c)]
    if missing or platform.machine() != "x86_64":
        pytest.skip(f"{missing or 'an x86-64 processor'} is not here")
    for file in TARGETS["rust"].emit(fixed_artefact(seven_neurons(), dtype)):
        write(tmp_path / file.name, file.text)
    rustc = ["rustc", "-Copt-level=s", "-Cpanic=abort", "--edition=2021"]
    run(tmp_path, [*rustc, "--crate-type=rlib", "--crate-name=net", "net/src/lib.rs"])
    found = []
    for row, predict in (("IntegerRow", "classify_integers"), ("Row", "predict")):
        write(tmp_path / "chip.rs", CHIP.replace("ROW", row).replace("PREDICT", predict))
        run(tmp_path, [*rustc, "--crate-type=staticlib", "--extern=net=libnet.rlib", "chip.rs"])
        run(tmp_path, ["ld", "--gc-sections", "-e", "run", "-u", "run", "libchip.a"])
        found.append(len(re.findall(FLOATS, run(tmp_path, ["objdump", "-d", "a.out"]))))
    integers, doubles = found
    assert integers == 0
    assert doubles > 5
