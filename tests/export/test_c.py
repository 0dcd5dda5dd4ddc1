"""The exported C is clean, small and self-contained."""

import re
import shutil
import subprocess
from functools import cache
from itertools import product

import numpy as np
import pytest

from dsgec.errors import DsgecError
from dsgec.export.artefact import Artefact
from dsgec.export.golden import round_up
from dsgec.export.targets.target import TARGETS
from dsgec.network.evaluate import evaluate
from dsgec.network.model import Column, Model, compose, plain_columns, unnamed_model
from dsgec.network.parse import parse
from tests.support.artefacts import (
    COMPILERS,
    LEVELS,
    STRICT,
    CLibrary,
    random_rows,
    run_selftest,
    write_c,
)
from tests.support.models import IRIS, dense
from tests.support.random_networks import same_bits

EVERYTHING = Model(
    parse(
        "y_1 = sqrt(x_1) + exp(x_2) + log(x_3) + sin(x_4) + cos(x_5) + power(x_6, x_7)"
        " + tanh(x_1) + relu(x_2) + abs(x_3) + min(x_1, x_2) + max(x_1, x_2) + sig(x_1) / x_2"
        " + x_3 ^ -3 - x_8",
        inputs=9,
    ),
    (
        *plain_columns(("a", "b", "c", "d", "e")),
        Column("f", fill=1.0, center=2.0, scale=3.0),
        Column("g", "boolean", ("no", "yes")),
        Column("h", "category", ("red", "blue"), 0.0),
    ),
)
MODELS = {
    "iris": IRIS,
    "every": EVERYTHING,
    "plain": unnamed_model(parse("x_1")),
    "zero": unnamed_model(parse("0.0")),
}
MODELS |= {"wide": dense(1)}
DTYPES = ("double", "float")
pytestmark = pytest.mark.needs_cc


def campaign(*case):
    return pytest.param(*case, marks=pytest.mark.campaign)


def run(*command, cwd):
    answer = subprocess.run(command, capture_output=True, text=True, check=False, cwd=cwd)
    assert answer.returncode == 0, answer.stderr
    return answer.stdout + answer.stderr


# `every` of single precision is built with the same warnings, without a library and at every level,
# by `test_single_precision_gives_one_result_in_every_build`.
SAMPLE = [("gcc", name, "double") for name in ("every", "plain", "zero")]


@pytest.mark.parametrize(
    ("compiler", "name", "dtype"),
    [
        case if case in SAMPLE else campaign(*case)
        for case in product((*COMPILERS, *filter(shutil.which, ("g++", "clang++"))), MODELS, DTYPES)
    ],
)
def test_no_warning_no_undefined_symbol_no_data(compiler, name, dtype, tmp_path):
    write_c(MODELS[name], name, tmp_path, dtype)
    plus = compiler.endswith("++")
    language = ("-x", "c++", "-std=c++11") if plus else ("-x", "c", "-std=c99")
    macros = [f"-D{name.upper()}_{macro}" for macro in ("NO_BATCH", "NO_NAMES", "DESCRIPTION")]
    free = ("-O2", "-ffreestanding", "-fno-builtin")
    levels = (LEVELS[1], free) if plus else (*LEVELS, free)
    objects = []
    # The macros leave out some of what the levels compile, and a preprocessor does that.
    for flags in (*levels, *(("-O0", macro) for macro in macros)):
        objects.append(f"net{len(objects)}.o")
        command = (compiler, *language, *STRICT, *flags, "-c", f"{name}.c", "-o", objects[-1])
        assert run(*command, cwd=tmp_path) == ""
    assert run("nm", "-A", "-u", *objects, cwd=tmp_path) == ""
    sections = run("size", "-A", *objects, cwd=tmp_path).splitlines()
    assert sum(line.startswith(".text") for line in sections) >= len(objects)
    for line in sections:
        if line.startswith((".data", ".bss")):
            assert line.split()[1] == "0", line
    command = (compiler, *language, *STRICT, "-c", f"{name}_selftest.c", "-o", "test.o")
    assert run(*command, cwd=tmp_path) == ""


@pytest.mark.parametrize("name", MODELS)
def test_every_symbol_has_the_prefix(name, tmp_path):
    write_c(MODELS[name], name, tmp_path)
    run(COMPILERS[0], "-c", f"{name}.c", "-o", "net.o", cwd=tmp_path)
    symbols = [line.split()[-1] for line in run("nm", "-g", "net.o", cwd=tmp_path).splitlines()]

    assert symbols
    assert all(symbol.startswith(f"{name}_") for symbol in symbols)


def test_two_models_link_into_one_program(tmp_path):
    for name in ("iris", "every"):
        write_c(MODELS[name], name, tmp_path)
    (tmp_path / "main.c").write_text(
        '#include "iris.h"\n#include "every.h"\n'
        "int main(void) { return iris_selftest() + every_selftest(); }\n"
    )
    sources = [f"{name}{end}.c" for name in ("iris", "every") for end in ("", "_selftest")]
    run(COMPILERS[0], "main.c", *sources, "-o", "main", cwd=tmp_path)
    run("./main", cwd=tmp_path)


@pytest.mark.parametrize(
    ("compiler", "dtype", "level"),
    [
        *((compiler, "double", "-O0") for compiler in COMPILERS[:1]),  # built in half the time
        *(campaign(*case) for case in product(COMPILERS, DTYPES, ["-O1"])),
    ],
)
def test_sanitizers_are_quiet(compiler, dtype, level, tmp_path):
    for name, model in MODELS.items():
        write_c(model, name, tmp_path, dtype)
    lines = [f'#include "{name}.h"' for name in MODELS]
    body = []
    for name, model in MODELS.items():
        row = "predict_proba" if model.is_classifier else "regress"
        width = len(model.classes) or len(model.network.outputs)
        body.append(f"""
    {{
        static {dtype} x[70][{max(len(model.columns), 1)}], y[70][{width}];
        bad += {name}_selftest();
        bad += (int){name}_{row}_batch(&x[0][0], 70, &y[0][0]);
    }}""")
    main = ["int main(void) {", "    int bad = 0;", *body, "    return bad;", "}"]
    (tmp_path / "main.c").write_text("\n".join(lines + main) + "\n")
    sources = [f"{name}{end}.c" for name in MODELS for end in ("", "_selftest")]
    flags = ("-g", level, "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
    run(compiler, *flags, "main.c", *sources, "-o", "main", cwd=tmp_path)

    assert run("./main", cwd=tmp_path) == ""


@pytest.mark.parametrize("compiler", COMPILERS)
def test_the_selftest_is_a_program(compiler, tmp_path):
    write_c(IRIS, "iris", tmp_path)
    rows = len(Artefact(IRIS, "iris").golden.rows)

    assert run_selftest(tmp_path, "iris", compiler) == (
        0,
        f"iris: {rows} rows agree, bit for bit\n",
    )
    free = (compiler, "-ffreestanding", "-DIRIS_SELFTEST_MAIN", "-c", "iris_selftest.c")
    run(*free, "-o", "free.o", cwd=tmp_path)
    assert "printf" not in run("nm", "-u", "free.o", cwd=tmp_path)


@pytest.fixture(scope="module")
def float_library(tmp_path_factory):
    """Build a model in single precision once per way, without warnings or libraries."""
    alone = ("-nostdlib", "-Wl,-z,defs")

    @cache
    def built(name, compiler, *flags):
        folder = tmp_path_factory.mktemp(name)
        flags = (*STRICT, *alone, *flags)
        return CLibrary({name: MODELS[name]}, folder, compiler, *flags, dtype="float")

    return built


ONE_RESULT = [
    ("every", compiler, flags)
    for compiler, flags in product(COMPILERS, LEVELS)
    if compiler == COMPILERS[0] or flags == ("-O2",)
]


@pytest.mark.parametrize(
    ("name", "compiler", "flags"),
    [
        case if case in ONE_RESULT else campaign(*case)
        for case in product(("every", "iris", "wide"), COMPILERS, LEVELS)
    ],
)
def test_single_precision_gives_one_result_in_every_build(name, compiler, flags, float_library):
    model = MODELS[name]
    table = np.clip(random_rows(model, 5, 200), -1e38, 1e38).astype(np.float32)
    outputs = evaluate(compose(model), table)
    single = model.is_classifier and outputs.shape[1] == 1
    expected = np.hstack([np.float32(1) - outputs, outputs]) if single else outputs
    assert expected.dtype == np.float32
    library = float_library(name, compiler, *flags)
    assert library.selftest(name) == 0
    for batch in (False, True):
        given = library.results(name, table, batch=batch)
        same = given.view(np.int32) == expected.view(np.int32)
        assert (same | (np.isnan(given) & np.isnan(expected))).all()


# Flags that permit other arithmetic than was written; gcc takes them back from within the source.
FAST = (
    "-funsafe-math-optimizations",
    "-fassociative-math",
    "-freciprocal-math",
    "-fno-signed-zeros",
    "-fno-trapping-math",
    "-fno-math-errno",
    "-ffp-contract=fast",
    "-fexcess-precision=fast",
)


@pytest.mark.skipif("gcc" not in COMPILERS, reason="gcc is not installed")
@pytest.mark.parametrize(
    "fast", [FAST, *(campaign((flag,)) for flag in FAST)], ids=lambda fast: " ".join(fast)
)
def test_a_flag_of_the_fast_family_changes_nothing(fast, tmp_path):
    table = random_rows(EVERYTHING, 6, 60)
    table[1, 0] = np.nan
    # Without start files: gcc would link one that flushes this process's subnormals to 0.
    flags = ("-O3", "-march=native", "-nostartfiles", *fast)
    library = CLibrary({"every": EVERYTHING}, tmp_path, "gcc", *flags)

    assert library.selftest("every") == 0
    given = library.results("every", table[2:], batch=True)
    assert same_bits(given, evaluate(compose(EVERYTHING), table[2:]))
    out = np.zeros((2, 1))
    rows = library.pointer(table), library.pointer(out)
    assert library.call("every", "regress", library.pointer(table[1]), rows[1]) == -1
    assert library.call("every", "regress_batch", rows[0], 2, rows[1]) == 1
    assert np.isnan(out[1, 0])


@pytest.mark.parametrize("flag", ["-ffast-math", "-Ofast", "-ffinite-math-only"])
@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_flags_under_which_nothing_can_be_promised_are_refused(compiler, flag, dtype, tmp_path):
    write_c(IRIS, "iris", tmp_path, dtype)
    command = [compiler, flag, "-c", "iris.c", "-o", "net.o"]
    answer = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)

    assert answer.returncode != 0
    assert "must be compiled without" in answer.stderr


# clang ignores the flag of gcc, and has one of its own for OpenCL.
SINGLE = {"gcc": "-fsingle-precision-constant", "clang": "-cl-single-precision-constant"}


@pytest.mark.parametrize("target", ["c", "cffi"])
@pytest.mark.parametrize("compiler", COMPILERS)
def test_constants_of_single_precision_are_refused(compiler, target, tmp_path):
    (source,) = (
        file
        for file in TARGETS[target].emit(Artefact(IRIS, "iris"))
        if file.name.endswith("iris.c")
    )
    write_c(IRIS, "iris", tmp_path)
    (tmp_path / "iris.c").write_text(source.text)
    for language in ("-std=c99", "-std=c11", "-xc++"):
        if target == "cffi" and language == "-xc++":
            continue
        command = [compiler, SINGLE[compiler], language, "-c", "iris.c", "-o", "net.o"]
        answer = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)

        assert answer.returncode != 0
        assert "must_be_compiled_without_single_precision_constants" in answer.stderr


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("name", ["every", *(campaign(name) for name in ("iris", "wide"))])
def test_constants_of_single_precision_change_nothing_in_single_precision(
    name, compiler, float_library
):
    model = MODELS[name]
    table = np.clip(random_rows(model, 5, 200), -1e38, 1e38).astype(np.float32)
    flags = (("-O2",), ("-O2", SINGLE[compiler]))
    one, other = (float_library(name, compiler, *each) for each in flags)

    assert other.selftest(name) == 0
    for batch in (False, True):
        given = [library.results(name, table, batch=batch) for library in (one, other)]
        assert given[0].tobytes() == given[1].tobytes()


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_machine_with_a_type_of_16_bits_is_taken(dtype, tmp_path):
    write_c(IRIS, "iris", tmp_path, dtype)
    builds = [("gcc", "-march=sapphirerapids")]
    builds.append(("arm-none-eabi-gcc", "-mcpu=cortex-m55", "-mfloat-abi=hard"))
    for command in filter(lambda build: shutil.which(build[0]), builds):
        assert run(*command, "-std=c99", "-O1", "-c", "iris.c", "-o", "net.o", cwd=tmp_path) == ""


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_number_of_another_size_is_refused(dtype, tmp_path):
    write_c(IRIS, "iris", tmp_path, dtype)
    macro, digits = ("DBL_MANT_DIG", 24) if dtype == "double" else ("FLT_MANT_DIG", 53)
    text = (tmp_path / "iris.c").read_text()
    text = text.replace(
        "#include <float.h>", f"#include <float.h>\n#undef {macro}\n#define {macro} {digits}"
    )
    (tmp_path / "iris.c").write_text(text)
    command = [COMPILERS[0], "-c", "iris.c"]
    answer = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)

    assert f"this code needs a {dtype} of" in answer.stderr


@pytest.mark.parametrize(
    ("inputs", "dtype"),
    [
        *((1, "double"), (300, "double"), (1, "float"), (30, "float")),
        *(campaign(30, "double"), campaign(300, "float")),
    ],
)
def test_a_batch_uses_little_stack_and_states_how_much(inputs, dtype, tmp_path):
    text = " + ".join(f"x_{i}" for i in range(1, inputs + 1))
    model = Model(
        parse(f"sig({text})"), plain_columns(tuple(f"c{i}" for i in range(inputs))), ("a", "b")
    )
    write_c(model, "net", tmp_path, dtype)
    run(COMPILERS[0], "-Os", "-fstack-usage", "-c", "net.c", "-o", "net.o", cwd=tmp_path)
    used = sum(int(line.split("\t")[1]) for line in (tmp_path / "net.su").read_text().splitlines())
    stated = int(re.search(r"(\d+) bytes of the stack \(", (tmp_path / "net.h").read_text())[1])

    assert stated <= 4096
    assert used <= stated + 1000  # the frames of the other functions


def test_a_class_is_none_if_the_output_is_not_a_number(tmp_path):
    models = {
        "one": Model(parse("sig(x_1 * 1e30 * 1e300 * 0.0)"), plain_columns(("a",)), ("no", "yes")),
        "two": Model(parse("softmax(x_1, 0.5)"), plain_columns(("a",)), ("no", "yes")),
        "few": Model(parse("y_1 = x_1 - x_1\ny_2 = 0.5"), plain_columns(("a",)), ("no", "yes")),
    }
    library = CLibrary(models, tmp_path, COMPILERS[0], "-O2")
    table = np.array([[np.inf], [0.0]])
    for name, expected in {"one": [-1, 1], "two": [-1, 1], "few": [1, 1]}.items():
        for batch in (False, True):
            assert library.classes(name, table, batch=batch) == expected, name
        assert library.selftest(name) == 0


def test_a_column_that_is_not_read_is_ignored(tmp_path):
    model = Model(parse("x_2", inputs=3), plain_columns(("a", "b", "c")))
    library = CLibrary({"net": model}, tmp_path, COMPILERS[0], "-O2")

    table = np.array([[np.nan, 2.0, np.nan]])
    for batch in (False, True):
        assert library.results("net", table, batch=batch).tolist() == [[2.0]]


def test_the_stated_loss_is_rounded_up():
    for value in (1.21e-7, 9.91e-8, 1.2e-7, 0.0, 5e-324):
        stated = round_up(value)
        assert value <= stated <= value * 1.1


@pytest.mark.parametrize("name", ["iris", "wide"])
def test_the_loss_of_single_precision_is_stated(name, tmp_path):
    artefact = Artefact(MODELS[name], name, "float")
    write_c(MODELS[name], name, tmp_path, "float")
    readme = (tmp_path / f"{name}_README.md").read_text()

    assert artefact.loss.rows > 500
    assert 0 < artefact.loss.worst < 1e-4
    assert repr(artefact.loss.worst) in readme
    assert repr(artefact.loss.worst) in (tmp_path / f"{name}.h").read_text()


def test_a_number_beyond_single_precision_is_refused():
    with pytest.raises(DsgecError, match=r"1e\+300 is too large for the type float"):
        Artefact(unnamed_model(parse("x_1 * 1e300")), "net", "float")


@pytest.mark.parametrize("layout", ["flat", "packed"])
def test_all_tables_are_in_flash_or_none(layout):
    """Gcc makes one of two tables with the same bytes, wherever an AVR reads each of them."""
    network = parse("y_1 = sig(0.5 * x_1 - 2 * x_3) + tanh(x_3 + 3 * x_1)", inputs=4)
    model = Model(network, plain_columns(("a", "b", "c", "d")))
    made = TARGETS["c"].make(Artefact(model, "net", "float", layout=layout))
    (text,) = (str(file.text) for file in made if file.name == "net.c")

    places = {"flat": {""}, "packed": {"NET_FLASH"}}
    tables = re.findall(r"^ *static const .*\](.*)= \{$", text, re.MULTILINE)
    assert {table.strip() for table in tables} == places[layout]
    assert len(tables) > 2 or layout == "flat"
