"""Exports to compiled languages: many networks built at once, run on rows, and linted.

Each driver reads the rows of every network and writes, as doubles: 1 if its self-test passes, the
results of all rows and, of a classifier, the number of each row's class; in fixed point, for each
row its integers, what comes of them and the class; then the names of columns and classes, with
`SEPARATOR` before each, and the numbers of three texts, two of them unknown.
"""

import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dsgec.export.fixed.evaluate import evaluate_integers, quantise
from dsgec.export.targets.go import OFFLINE
from dsgec.export.targets.target import TARGETS
from dsgec.export.view import TemplateView
from dsgec.network.decide import classify
from tests.support.artefacts import expected_results, random_rows
from tests.support.language_drivers import (
    GO_HEAD,
    JAVA_HEAD,
    JAVA_INTEGERS,
    RUST_CLASS,
    RUST_CLASSES,
    RUST_HEAD,
    RUST_INTEGERS,
    RUST_VALUES,
)

SEPARATOR = b"\x1f\x1e\x1f"
QUICK = "\n[profile.dev]\ndebug = false\n"  # overflow is checked all the same
SMALL_MACHINE = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto")
ASKED = ((1, 2), (1, -1), (0, 2))
"""Columns, and the class whose name is asked for as a text there; -1 for a text of no class."""


def rust(folder: Path, artefacts, *, lint: bool) -> None:
    calls = []
    for name, artefact in artefacts.items():
        model, integers = artefact.model, "|_| Vec::new()"
        if artefact.number_format.fixed:
            number = RUST_CLASS if model.is_classifier else ""
            integers = RUST_INTEGERS.replace("CLASS", number)
            integers = integers.replace("RESULTS", str(width(model)))
        proba = "predict_proba_batch" if model.is_classifier else "predict_batch"
        texts = ", ".join(f"category({c}, {rust_text(n)}).to_string()" for c, n in asked(model))
        rest = RUST_CLASSES.replace("ASKED", texts) if model.is_classifier else RUST_VALUES
        calls.append(f"    of!({name}, {proba}, {integers}, {rest});")
    needs = [f'{name} = {{ path = "../{name}" }}' for name in artefacts]
    members = ", ".join(f'"{name}"' for name in ("driver", *artefacts))
    write(folder / "Cargo.toml", f'[workspace]\nresolver = "2"\nmembers = [{members}]\n{QUICK}')
    package = '[package]\nname = "driver"\nversion = "0.0.0"\nedition = "2021"\n\n[dependencies]\n'
    write(folder / "driver/Cargo.toml", package + "\n".join(needs) + "\n")
    main = "\n".join([RUST_HEAD, "fn main() {", *calls, "}"])
    write(folder / "driver/src/main.rs", main)
    cargo = {"CARGO_NET_OFFLINE": "true", "CARGO_TARGET_DIR": str(folder / "target")}
    run(folder, ["cargo", "run", "--quiet", "--package", "driver"], cargo)
    if lint:
        mine = [argument for name in artefacts for argument in ("--package", name)]
        strict = ["cargo", "clippy", "--quiet", "--all-targets", *mine, "--", "-D", "warnings"]
        assert run(folder, strict, cargo) == ""
        sources = [str(folder / f"{name}/src/lib.rs") for name in artefacts]
        assert run(folder, ["rustfmt", "--check", "--edition", "2021", *sources]) == ""


def java(folder: Path, artefacts, *, lint: bool) -> None:
    calls, dtype = [], real(artefacts, "double", "float")
    for name, artefact in artefacts.items():
        model, integers = artefact.model, "i -> new double[0]"
        net, rows = f"{name}.Network", f"rows_{name}"
        proba = "predictProbaBatch" if model.is_classifier else "predictBatch"
        classes = f"{net}.predictBatch({rows})" if model.is_classifier else "new int[0]"
        texts = ["feature", "class"] if model.is_classifier else ["feature"]
        names = [f"texts({net}.{kind}Names())" for kind in texts]
        for column, number in asked(model):
            text = '"no class"' if number < 0 else f"{net}.classNames().get({number})"
            names.append(f'texts(List.of("" + {net}.category({column}, {text})))')
        names = ", ".join(names)
        if artefact.number_format.fixed:
            number = f"{net}.classifyIntegers(row)" if model.is_classifier else ""
            integers = JAVA_INTEGERS.replace("CLASS", number)
            integers = integers.replace("NET", net).replace("ROWS", rows)
        calls += [
            f'        {dtype}[][] {rows} = rows("{name}", {net}.FEATURES);',
            f'        write("{name}", {net}.selftest(),',
            f"            {net}.{proba}({rows}), {classes}, {integers}, {names});",
        ]
    write(
        folder / "Driver.java", JAVA_HEAD.replace("REAL", dtype) + "\n".join(calls) + "\n    }\n}\n"
    )
    files = [f"{name}/{file}.java" for name in artefacts for file in ("Network", "SelfTest")]
    strict = ["-Xlint:all", "-Xdoclint:all/protected", "-Werror"]
    write(folder / "sources", "\n".join(files))
    javac = ["javac", *(f"-J{flag}" for flag in SMALL_MACHINE), "-proc:none", "-d", "classes"]
    if lint:
        run(folder, [*javac, "-encoding", "US-ASCII", *strict, "@sources"])
    run(folder, [*javac, "-encoding", "US-ASCII", "Driver.java"])
    run(folder, ["java", *SMALL_MACHINE, "-cp", "classes", "Driver"])


def go(folder: Path, artefacts, *, lint: bool) -> None:
    calls, type_ = [], real(artefacts, "float64", "float32")
    for name, artefact in artefacts.items():
        model = artefact.model
        proba = "PredictProbaBatch" if model.is_classifier else "PredictBatch"
        calls += [
            "\t{",
            f"\t\tvar rows [][{name}.Features]{type_}",
            f'\t\tload("{name}", func(i, j int, value {type_}) {{',
            "\t\t\tif j == 0 {",
            f"\t\t\t\trows = append(rows, [{name}.Features]{type_}{{}})\n\t\t\t}}",
            f"\t\t\tif j < {name}.Features {{\n\t\t\t\trows[i][j] = value\n\t\t\t}}",
            f"\t\t}}, {name}.Features)",
            f"\t\tfound := []float64{{0}}\n\t\tif {name}.Selftest() {{\n\t\t\tfound[0] = 1\n\t\t}}",
            f"\t\tfor _, row := range {name}.{proba}(rows) {{\n\t\t\tfor _, value := range row {{",
            "\t\t\t\tfound = append(found, float64(value))\n\t\t\t}\n\t\t}",
        ]
        if model.is_classifier:
            calls.append(f"\t\tfor _, number := range {name}.PredictBatch(rows) {{")
            calls.append("\t\t\tfound = append(found, float64(number))\n\t\t}")
        if artefact.number_format.fixed:
            calls.append(f"\t\tfor i := range rows {{\n\t\t\trow := {name}.Quantise(&rows[i])")
            calls.append(f"\t\t\tmade, ok := {name}.EvaluateIntegers(&row)")
            calls.append("\t\t\tfor _, v := range row {\n\t\t\t\tfound = append(found, float64(v))")
            calls.append("\t\t\t}\n\t\t\tfor _, v := range made {\n\t\t\t\tif !ok {")
            calls.append("\t\t\t\t\tv = -32768\n\t\t\t\t}")
            calls.append("\t\t\t\tfound = append(found, float64(v))\n\t\t\t}")
            if model.is_classifier:
                number = f"{name}.ClassifyIntegers(&row)"
                calls.append(f"\t\t\tfound = append(found, float64({number}))")
            calls.append("\t\t}")
        calls.append(f"\t\ttexts := {name}.FeatureNames[:]")
        if model.is_classifier:
            calls.append(f"\t\ttexts = append(texts, {name}.ClassNames[:]...)")
        for column, number in asked(model):
            text = '"no class"' if number < 0 else f"{name}.ClassNames[{number}]"
            calls.append(f"\t\ttexts = append(texts, sprint({name}.Category({column}, {text})))")
        calls.append(f'\t\tstore("{name}", found, texts)\n\t}}')
    imports = "".join(f'\t"example.com/{name}"\n' for name in artefacts)
    head = GO_HEAD.replace("IMPORTS", imports).replace("REAL", type_)
    write(folder / "main.go", head + "\n".join(calls) + "\n}\n")
    lines = ["module driver", "go 1.18", "require ("]
    lines += [f"\texample.com/{name} v0.0.0" for name in artefacts]
    lines += [")", "replace ("]
    lines += [f"\texample.com/{name} => ./{name}" for name in artefacts]
    write(folder / "go.mod", "\n".join([*lines, ")"]) + "\n")
    offline = {name: value.format(folder) for name, value in OFFLINE.items()}
    run(folder, ["go", "build", "-o", "driver", "."], offline)
    run(folder, ["./driver"])
    if lint:
        assert (
            run(folder, ["go", "vet", *(f"example.com/{name}" for name in artefacts)], offline)
            == ""
        )
        assert run(folder, ["gofmt", "-l", *artefacts]) == ""


def width(model):
    """Return the number of results of a row."""
    return len(model.classes) or len(model.network.outputs)


def real(artefacts, double, single):
    """The type of raw numbers of all of them."""
    return single if next(iter(artefacts.values())).dtype == "float" else double


def asked(model):
    """Return the calls to make for a model whose second column has names of classes as texts."""
    is_named = len(model.classes) > 2 and len(model.columns) > 1
    return ASKED if is_named and model.columns[1].categories == model.classes[:3] else ()


def rust_text(number):
    return '"no class"' if number < 0 else f"CLASS_NAMES[{number}]"


@dataclass(frozen=True)
class Language:
    """A compiled language: how to build and run networks, the tools needed, and its linters."""

    build: Callable[..., None]
    needs: tuple[str, ...]
    lints: tuple[str, ...] = ()

    @property
    def missing(self) -> str:
        return next((command for command in self.needs if not shutil.which(command)), "")

    @property
    def lint(self) -> bool:
        return all(map(shutil.which, self.lints))


LANGUAGES = {
    "rust": Language(rust, ("cargo", "rustc"), ("cargo-clippy", "rustfmt")),
    "java": Language(java, ("javac", "java")),
    "go": Language(go, ("go",), ("gofmt",)),
}


def results(folder: Path, language: str, artefacts, tables, *, lint=False, edit=None):
    """Return by name: whether the self-test passes, results, classes, names and integers.

    `edit` changes the text of a file of one of this name.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name, artefact in artefacts.items():
        for file in TARGETS[language].emit(artefact):
            write(folder / file.name, edit(name, file.text) if edit else file.text)
        table = np.hstack([tables[name].astype("<f8"), np.zeros((len(tables[name]), 1))])
        (folder / f"{name}.rows").write_bytes(table.tobytes())
    known = LANGUAGES[language]
    known.build(folder, artefacts, lint=lint and known.lint)
    found = {}
    for name, artefact in artefacts.items():
        numbers, *texts = (folder / f"{name}.out").read_bytes().split(SEPARATOR)
        passes, *values = np.frombuffer(numbers)
        rows = len(tables[name])
        count = rows * width(artefact.model)
        end = count + rows * artefact.model.is_classifier
        made = np.array(values[:count]).reshape(rows, -1)
        classes = [int(number) for number in values[count:end]]
        integers = np.array(values[end:]).reshape(rows, -1)
        found[name] = bool(passes), made, classes, [text.decode() for text in texts], integers
    return found


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def run(folder: Path, command, environment=None) -> str:
    answer = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, **(environment or {})},
        capture_output=True,
        text=True,
        check=False,
    )
    assert answer.returncode == 0, f"{command}\n{answer.stdout[-3000:]}\n{answer.stderr[-3000:]}"
    return answer.stdout + answer.stderr


EXTREMES = (0.0, -0.0, 1e308, -1e308, 1.7976931348623157e308, np.inf, -np.inf, 5e-324, -5e-324)
EXTREMES += (2.225073858507201e-308, 1e-310, 1e-320, 3.4e38, 1e-45, 1.17e-38, 709.8, -745.2, 1e6)


def extreme_rows(model, seed, count, dtype="double"):
    """Return rows of every kind, with missing values even in columns without a fill."""
    rng = np.random.default_rng(seed)
    table = random_rows(model, seed, count)
    numbers = [i for i, column in enumerate(model.columns) if column.kind == "number"]
    for column in numbers:
        which = rng.random(count) < 0.15
        table[which, column] = rng.choice(EXTREMES, size=int(which.sum()))
    for column in range(len(model.columns)):
        table[rng.random(count) < 0.02, column] = np.nan
    with np.errstate(over="ignore"):
        return table.astype(np.float32) if dtype == "float" else table


def expected(artefact, table):
    """Return the interpreter's answers; there is none for a missing value without a fill."""
    if artefact.number_format.fixed:
        return expected_integers(artefact, table)
    model, required = artefact.model, list(TemplateView(artefact).required)
    lacks = np.isnan(table[:, required]).any(axis=1)
    made = expected_results(model, table)
    made[lacks] = np.nan
    if not model.is_classifier:
        return made, [], None
    numbers, nothing = classify(artefact.network, table, model.threshold)
    return made, np.where(lacks | nothing, -1, numbers).tolist(), None


def expected_integers(artefact, table):
    """The same in fixed point, and with it the integers of rows, their results and classes."""
    model, program, m = artefact.model, artefact.number_format.fixed.program, TemplateView(artefact)
    rows = quantise(program, table)
    made = evaluate_integers(program, rows)
    lacks = np.isnan(table[:, list(m.required)]).any(axis=1)
    doubles = np.where(lacks[:, None], np.nan, made * 2.0**-program.fraction)
    made[lacks] = -32768
    rows[:, [column for column in range(m.inputs) if column not in m.used]] = 0
    if not model.is_classifier:
        return doubles, [], np.hstack([rows, made])
    reaches = doubles[:, 1] >= model.threshold
    numbers = np.where(lacks, -1, reaches if model.has_threshold else made.argmax(axis=1))
    return doubles, numbers.tolist(), np.hstack([rows, made, numbers[:, None]])
