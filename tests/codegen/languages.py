"""Exports to compiled languages: many networks built at once, run on rows, and linted.

Each driver reads the rows of every network and writes, as doubles: 1 if its self-test passes, the
results of all rows and, of a classifier, the number of each row's class; then the names of columns
and classes, with `SEPARATOR` before each, and the numbers of three texts, two of them unknown.
"""

import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dsgec.codegen.artefact import Artefact, view
from dsgec.codegen.statements import C
from dsgec.network.decide import chosen_classes
from dsgec.network.evaluate import evaluate
from dsgec.targets.go import OFFLINE
from dsgec.targets.registry import TARGETS
from tests.codegen.artefacts import expected_results, random_rows

SEPARATOR = b"\x1f\x1e\x1f"
RUST_HEAD = r"""
macro_rules! of {
    ($net:ident, $proba:ident, $classes:expr, $texts:expr) => {{
        use $net::*;
        let data = std::fs::read(concat!(stringify!($net), ".rows")).unwrap();
        let value = |at: usize| f64::from_le_bytes(data[8 * at..][..8].try_into().unwrap());
        let count = data.len() / 8 / (FEATURES + 1);
        let row = |i: usize| std::array::from_fn(|j| value(i * (FEATURES + 1) + j) as Real);
        let rows: Vec<Row> = (0..count).map(row).collect();
        let mut found = vec![f64::from(u8::from(selftest()))];
        for result in $proba(&rows) {
            found.extend(result.iter().map(|&v| v as f64));
        }
        let classes: fn(&[Row]) -> Vec<f64> = $classes;
        found.extend(classes(&rows));
        let mut bytes: Vec<u8> = found.iter().flat_map(|v| v.to_le_bytes()).collect();
        let texts: fn() -> Vec<String> = $texts;
        for text in texts() {
            bytes.extend("\u{1f}\u{1e}\u{1f}".bytes());
            bytes.extend(text.bytes());
        }
        std::fs::write(concat!(stringify!($net), ".out"), bytes).unwrap();
    }};
}
"""
RUST_CLASSES = """|rows| predict_batch(rows).map(|n| n.map_or(-1.0, |n| n as f64)).collect(),
    || FEATURE_NAMES.iter().chain(&CLASS_NAMES).map(|n| n.to_string()).chain([ASKED]).collect()"""
RUST_VALUES = "|_| Vec::new(), || FEATURE_NAMES.iter().map(|n| n.to_string()).collect()"
ASKED = ((1, 2), (1, -1), (0, 2))
"""Columns, and the class whose name is asked for as a text there; -1 for a text of no class."""

JAVA_HEAD = r"""
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

public final class Driver {
    static String texts(List<String> names) {
        StringBuilder all = new StringBuilder();
        for (String name : names) all.append("\u001f\u001e\u001f").append(name);
        return all.toString();
    }

    static REAL[][] rows(String name, int features) throws IOException {
        ByteBuffer data = ByteBuffer.wrap(Files.readAllBytes(Path.of(name + ".rows")));
        data.order(ByteOrder.LITTLE_ENDIAN);
        REAL[][] rows = new REAL[data.capacity() / 8 / (features + 1)][features];
        for (REAL[] row : rows) {
            for (int i = 0; i < features; i++) row[i] = (REAL) data.getDouble();
            data.getDouble();
        }
        return rows;
    }

    static void write(
            String name, boolean passes, REAL[][] found, int[] classes, String... texts)
            throws IOException {
        ByteBuffer out = ByteBuffer.allocate(8 + 8 * found.length * (found[0].length + 1));
        out.order(ByteOrder.LITTLE_ENDIAN);
        out.putDouble(passes ? 1 : 0);
        for (REAL[] row : found) for (REAL value : row) out.putDouble(value);
        for (int number : classes) out.putDouble(number);
        byte[] bytes = java.util.Arrays.copyOf(out.array(), out.position());
        Files.write(Path.of(name + ".out"), bytes);
        String all = String.join("", texts);
        Files.writeString(Path.of(name + ".out"), all, StandardOpenOption.APPEND);
    }

    public static void main(String[] arguments) throws IOException {
"""

GO_HEAD = r"""package main

import (
	"encoding/binary"
	"math"
	"os"
	"strconv"
IMPORTS)

func load(name string, put func(i, j int, value REAL), features int) {
	data, err := os.ReadFile(name + ".rows")
	if err != nil {
		panic(err)
	}
	for at := 0; 8*at < len(data); at++ {
		value := math.Float64frombits(binary.LittleEndian.Uint64(data[8*at:]))
		put(at/(features+1), at%(features+1), REAL(value))
	}
}

func sprint(number REAL) string {
	return strconv.FormatFloat(float64(number), 'g', -1, 64)
}

func store(name string, found []float64, texts []string) {
	var out []byte
	for _, value := range found {
		out = binary.LittleEndian.AppendUint64(out, math.Float64bits(value))
	}
	for _, text := range texts {
		out = append(out, "\x1f\x1e\x1f"+text...)
	}
	if os.WriteFile(name+".out", out, 0o600) != nil {
		panic(name)
	}
}

func main() {
"""


def rust(folder: Path, models, dtype: str, *, lint: bool) -> None:
    calls = []
    for name, model in models.items():
        proba = "predict_proba_batch" if model.is_classifier else "predict_batch"
        texts = ", ".join(f"category({c}, {rust_text(n)}).to_string()" for c, n in asked(model))
        rest = RUST_CLASSES.replace("ASKED", texts) if model.is_classifier else RUST_VALUES
        calls.append(f"    of!({name}, {proba}, {rest});")
    needs = [f'{name} = {{ path = "../{name}" }}' for name in models]
    members = ", ".join(f'"{name}"' for name in ("driver", *models))
    write(folder / "Cargo.toml", f'[workspace]\nresolver = "2"\nmembers = [{members}]\n')
    package = '[package]\nname = "driver"\nversion = "0.0.0"\nedition = "2021"\n\n[dependencies]\n'
    write(folder / "driver/Cargo.toml", package + "\n".join(needs) + "\n")
    main = "\n".join([RUST_HEAD, "fn main() {", *calls, "}"])
    write(folder / "driver/src/main.rs", main)
    cargo = {"CARGO_NET_OFFLINE": "true", "CARGO_TARGET_DIR": str(folder / "target")}
    run(folder, ["cargo", "run", "--quiet", "--package", "driver"], cargo)
    if lint:
        mine = [argument for name in models for argument in ("--package", name)]
        strict = ["cargo", "clippy", "--quiet", "--all-targets", *mine, "--", "-D", "warnings"]
        assert run(folder, strict, cargo) == ""
        sources = [str(folder / f"{name}/src/lib.rs") for name in models]
        assert run(folder, ["rustfmt", "--check", "--edition", "2021", *sources]) == ""


def java(folder: Path, models, dtype: str, *, lint: bool) -> None:
    calls = []
    for name, model in models.items():
        net, rows = f"{name}.Network", f"rows_{name}"
        proba = "predictProbaBatch" if model.is_classifier else "predictBatch"
        classes = f"{net}.predictBatch({rows})" if model.is_classifier else "new int[0]"
        texts = ["feature", "class"] if model.is_classifier else ["feature"]
        names = [f"texts({net}.{kind}Names())" for kind in texts]
        for column, number in asked(model):
            text = '"no class"' if number < 0 else f"{net}.classNames().get({number})"
            names.append(f'texts(List.of("" + {net}.category({column}, {text})))')
        names = ", ".join(names)
        calls += [
            f'        {dtype}[][] {rows} = rows("{name}", {net}.FEATURES);',
            f'        write("{name}", {net}.selftest(),',
            f"            {net}.{proba}({rows}), {classes}, {names});",
        ]
    write(
        folder / "Driver.java", JAVA_HEAD.replace("REAL", dtype) + "\n".join(calls) + "\n    }\n}\n"
    )
    files = [f"{name}/{file}.java" for name in models for file in ("Network", "SelfTest")]
    strict = ["-Xlint:all", "-Xdoclint:all/protected", "-Werror"] if lint else []
    write(folder / "sources", "\n".join(files))
    run(folder, ["javac", "-encoding", "US-ASCII", *strict, "-d", "classes", "@sources"])
    run(folder, ["javac", "-cp", "classes", "-d", "classes", "Driver.java"])
    run(folder, ["java", "-cp", "classes", "Driver"])


def go(folder: Path, models, dtype: str, *, lint: bool) -> None:
    real = {"double": "float64", "float": "float32"}[dtype]
    calls = []
    for name, model in models.items():
        proba = "PredictProbaBatch" if model.is_classifier else "PredictBatch"
        calls += [
            "\t{",
            f"\t\tvar rows [][{name}.Features]{real}",
            f'\t\tload("{name}", func(i, j int, value {real}) {{',
            "\t\t\tif j == 0 {",
            f"\t\t\t\trows = append(rows, [{name}.Features]{real}{{}})\n\t\t\t}}",
            f"\t\t\tif j < {name}.Features {{\n\t\t\t\trows[i][j] = value\n\t\t\t}}",
            f"\t\t}}, {name}.Features)",
            f"\t\tfound := []float64{{0}}\n\t\tif {name}.Selftest() {{\n\t\t\tfound[0] = 1\n\t\t}}",
            f"\t\tfor _, row := range {name}.{proba}(rows) {{\n\t\t\tfor _, value := range row {{",
            "\t\t\t\tfound = append(found, float64(value))\n\t\t\t}\n\t\t}",
        ]
        if model.is_classifier:
            calls.append(f"\t\tfor _, number := range {name}.PredictBatch(rows) {{")
            calls.append("\t\t\tfound = append(found, float64(number))\n\t\t}")
        calls.append(f"\t\ttexts := {name}.FeatureNames[:]")
        if model.is_classifier:
            calls.append(f"\t\ttexts = append(texts, {name}.ClassNames[:]...)")
        for column, number in asked(model):
            text = '"no class"' if number < 0 else f"{name}.ClassNames[{number}]"
            calls.append(f"\t\ttexts = append(texts, sprint({name}.Category({column}, {text})))")
        calls.append(f'\t\tstore("{name}", found, texts)\n\t}}')
    imports = "".join(f'\t"example.com/{name}"\n' for name in models)
    head = GO_HEAD.replace("IMPORTS", imports).replace("REAL", real)
    write(folder / "main.go", head + "\n".join(calls) + "\n}\n")
    lines = ["module driver", "go 1.18", "require ("]
    lines += [f"\texample.com/{name} v0.0.0" for name in models]
    lines += [")", "replace ("]
    lines += [f"\texample.com/{name} => ./{name}" for name in models]
    write(folder / "go.mod", "\n".join([*lines, ")"]) + "\n")
    offline = {name: value.format(folder) for name, value in OFFLINE.items()}
    run(folder, ["go", "build", "-o", "driver", "."], offline)
    run(folder, ["./driver"])
    if lint:
        assert (
            run(folder, ["go", "vet", *(f"example.com/{name}" for name in models)], offline) == ""
        )
        assert run(folder, ["gofmt", "-l", *models]) == ""


def asked(model):
    """What is asked of a model whose second column has names of classes as texts."""
    is_named = len(model.classes) > 2 and len(model.columns) > 1
    return ASKED if is_named and model.columns[1].categories == model.classes[:3] else ()


def rust_text(number):
    return '"no class"' if number < 0 else f"CLASS_NAMES[{number}]"


@dataclass(frozen=True)
class Language:
    """What builds and runs networks, what that needs, and the commands of its lints."""

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


def results(folder: Path, language: str, models, tables, dtype="double", *, lint=False, edit=None):
    """For each model by its name: whether its self-test passes, results, classes, names.

    `edit` changes the text of a file of a model of this name.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name, model in models.items():
        for file in TARGETS[language].emit(Artefact(model, name, dtype)):
            write(folder / file.name, edit(name, file.text) if edit else file.text)
        table = np.hstack([tables[name].astype("<f8"), np.zeros((len(tables[name]), 1))])
        (folder / f"{name}.rows").write_bytes(table.tobytes())
    known = LANGUAGES[language]
    known.build(folder, models, dtype, lint=lint and known.lint)
    found = {}
    for name, model in models.items():
        numbers, *texts = (folder / f"{name}.out").read_bytes().split(SEPARATOR)
        passes, *values = np.frombuffer(numbers)
        width = len(model.classes) or len(model.network.outputs)
        count = len(tables[name]) * width
        made = np.array(values[:count]).reshape(-1, width)
        classes = [int(number) for number in values[count:]]
        found[name] = bool(passes), made, classes, [text.decode() for text in texts]
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
    """Rows of every kind, with values that are missing, also where nothing stands for them."""
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
    """By the interpreter: no result where a value is missing that nothing stands for."""
    model, required = artefact.model, list(view(artefact, C).required)
    lacks = np.isnan(table[:, required]).any(axis=1)
    made = expected_results(model, table)
    made[lacks] = np.nan
    if not model.is_classifier:
        return made, []
    numbers, nothing = chosen_classes(evaluate(artefact.network, table), model.threshold)
    return made, np.where(lacks | nothing, -1, numbers).tolist()
