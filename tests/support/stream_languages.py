"""Streams in every language: many built at once, fed with samples, and what comes of their windows.

A file `NAME.samples` has a record of int16 for each sample: 1 if the stream restarts before it,
otherwise 0, and the integers of the channels. `NAME.out` has doubles: 1 if the self-test passes,
and for each window that is complete the number of its last sample, its features, its results and,
of a classifier, the number of its class.
"""

import json

import numpy as np

from dsgec.engine.module import load_module
from dsgec.export.packages.micropython import MICROPYTHON
from dsgec.export.targets.go import OFFLINE
from dsgec.export.targets.target import TARGETS
from tests.support.languages import QUICK, SMALL_MACHINE, run, width, write

SANITISED = ("-O1", "-g", "-fsanitize=undefined,address", "-fno-sanitize-recover=all")
WARNINGS = ("-std=c99", "-Wall", "-Wextra", "-Wno-unused-function", "-Werror", "-pedantic")

C_MAIN = r"""
#include <stdio.h>
#include "NAME.h"

int main(void)
{
    NAME_stream s;
    int16_t record[1 + MACRO_CHANNELS];
    double t = 0, value;
    FILE *in = fopen("NAME.samples", "rb"), *out = fopen("NAME.out", "wb");
    value = NAME_selftest() == 0;
    fwrite(&value, 8, 1, out);
    NAME_restart(&s);
    for (; fread(record, sizeof record, 1, in) == 1; t++) {
        int i;
        if (record[0])
            NAME_restart(&s);
        if (NAME_push(&s, record + 1)) {
            int32_t features[MACRO_FEATURES];
            RESULT y[WIDTH];
            NAME_features(&s, features);
            fwrite(&t, 8, 1, out);
            for (i = 0; i < MACRO_FEATURES; i++)
                value = features[i], fwrite(&value, 8, 1, out);
            NAME_PROBA_window(&s, y);
            for (i = 0; i < WIDTH; i++)
                value = y[i] * UNIT, fwrite(&value, 8, 1, out);
            CLASS
        }
    }
    fclose(in);
    return fclose(out);
}
"""

JS_MAIN = r"""
import { readFileSync, writeFileSync } from "node:fs";
for (const [name, file, channels] of JSON.parse(readFileSync("names.json", "utf8"))) {
  const net = await import(`./${file}`);
  const bytes = readFileSync(`${name}.samples`);
  const data = new Int16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2);
  const found = [Number(net.selftest())];
  const stream = new net.Stream();
  for (let at = 0; at < data.length; at += channels + 1) {
    if (data[at]) stream.start();
    const answer = stream.pushIntegers(data.subarray(at + 1, at + 1 + channels));
    if (answer === null) continue;
    found.push(at / (channels + 1), ...stream.features());
    if (net.classes) {
      found.push(...stream.predictProba(), net.classes.indexOf(answer));
    } else {
      found.push(...[stream.predict()].flat());
    }
  }
  writeFileSync(`${name}.out`, new Uint8Array(Float64Array.from(found).buffer));
}
"""

RUST_HEAD = r"""
macro_rules! of {
    ($net:ident, $more:expr) => {{
        use $net::*;
        let data = std::fs::read(concat!(stringify!($net), ".samples")).unwrap();
        let value = |at: usize| i16::from_le_bytes(data[2 * at..][..2].try_into().unwrap());
        let mut found = vec![f64::from(u8::from(selftest()))];
        let mut stream = Stream::new();
        for t in 0..data.len() / 2 / (CHANNELS + 1) {
            let at = t * (CHANNELS + 1);
            if value(at) != 0 {
                stream.start();
            }
            if stream.push(&std::array::from_fn(|i| value(at + 1 + i))) {
                found.push(t as f64);
                found.extend(stream.features().iter().map(|&v| f64::from(v)));
                let more: fn(&mut Stream) -> Vec<f64> = $more;
                found.extend(more(&mut stream));
            }
        }
        let bytes: Vec<u8> = found.iter().flat_map(|v| v.to_le_bytes()).collect();
        std::fs::write(concat!(stringify!($net), ".out"), bytes).unwrap();
    }};
}
"""
RUST_CLASSES = """|s| {
    let mut all: Vec<f64> = s.predict_proba().iter().map(|&v| v as f64).collect();
    all.push(s.ANSWER().map_or(-1.0, |n| n as f64));
    all
}"""
RUST_VALUES = "|s| s.predict().iter().map(|&v| v as f64).collect()"

JAVA_HEAD = r"""
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

public final class Driver {
    static ByteBuffer read(String name) throws IOException {
        byte[] bytes = Files.readAllBytes(Path.of(name + ".samples"));
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    static void write(String name, List<Double> found) throws IOException {
        ByteBuffer out = ByteBuffer.allocate(8 * found.size()).order(ByteOrder.LITTLE_ENDIAN);
        for (double value : found) out.putDouble(value);
        Files.write(Path.of(name + ".out"), out.array());
    }

    public static void main(String[] arguments) throws IOException {
"""
JAVA_CALL = r"""        {
            List<Double> found = new ArrayList<>();
            found.add(NAME.Network.selftest() ? 1.0 : 0.0);
            ByteBuffer data = read("NAME");
            NAME.Network.Stream stream = new NAME.Network.Stream();
            short[] sample = new short[NAME.Network.CHANNELS];
            for (int t = 0; data.hasRemaining(); t++) {
                if (data.getShort() != 0) stream.start();
                for (int i = 0; i < sample.length; i++) sample[i] = data.getShort();
                if (!stream.push(sample)) continue;
                found.add((double) t);
                for (int value : stream.features()) found.add((double) value);
                for (REAL value : stream.PROBA()) found.add((double) value);
                CLASS
            }
            write("NAME", found);
        }
"""

GO_HEAD = """package main

import (
	"encoding/binary"
	"math"
	"os"
IMPORTS)

func main() {
"""
GO_CALL = """	{
		data, _ := os.ReadFile("NAME.samples")
		value := func(at int) int16 { return int16(binary.LittleEndian.Uint16(data[2*at:])) }
		found := []float64{0}
		if NAME.Selftest() {
			found[0] = 1
		}
		stream := NAME.NewStream()
		for t := 0; t < len(data)/2/(NAME.Channels+1); t++ {
			at := t * (NAME.Channels + 1)
			if value(at) != 0 {
				stream.Start()
			}
			var sample [NAME.Channels]int16
			for i := range sample {
				sample[i] = value(at + 1 + i)
			}
			if !stream.Push(&sample) {
				continue
			}
			found = append(found, float64(t))
			for _, v := range stream.Features() {
				found = append(found, float64(v))
			}
			for _, v := range stream.PROBA() {
				found = append(found, float64(v))
			}
			CLASS
		}
		var out []byte
		for _, v := range found {
			out = binary.LittleEndian.AppendUint64(out, math.Float64bits(v))
		}
		_ = os.WriteFile("NAME.out", out, 0o600)
	}
"""


def has_votes(artefact):
    """Return whether the windows of a stream vote for its class."""
    return artefact.model.is_classifier and artefact.model.signal.smooth > 1


def c(folder, artefacts):
    """Compile each with the sanitizers, and run it."""
    for name, artefact in artefacts.items():
        fixed, model = artefact.number_format.fixed, artefact.model
        main = C_MAIN.replace("NAME", name).replace("MACRO", name.upper())
        main = main.replace("WIDTH", str(width(model)))
        main = main.replace("PROBA", "predict_proba" if model.is_classifier else "regress")
        main = main.replace("RESULT", f"{name}_result" if fixed else f"{name}_real")
        main = main.replace("UNIT", repr(2.0**-fixed.program.fraction) if fixed else "1")
        answer = "vote" if has_votes(artefact) else "predict"
        chosen = f"value = {name}_{answer}_window(&s); fwrite(&value, 8, 1, out);"
        write(
            folder / f"{name}_main.c", main.replace("CLASS", chosen if model.is_classifier else "")
        )
        sources = [f"{name}.c", f"{name}_selftest.c", f"{name}_main.c"]
        run(folder, ["cc", *WARNINGS, *SANITISED, *sources, "-o", name])
        run(folder, [f"./{name}"])


def _script(folder, artefacts, ending):
    names = [[n, n + ending, len(a.model.signal.channels)] for n, a in artefacts.items()]
    write(folder / "names.json", json.dumps(names))
    write(folder / "main.mjs", JS_MAIN)
    run(folder, ["node", "main.mjs"])


def js(folder, artefacts):
    """Run the modules in Node."""
    _script(folder, artefacts, ".mjs")


def wasm(folder, artefacts):
    """Run the modules in Node."""
    _script(folder, artefacts, ".wasm.mjs")


def rust(folder, artefacts):
    """Build a workspace, in which overflow is checked."""
    classes = {
        n: RUST_CLASSES.replace("ANSWER", "vote" if has_votes(a) else "predict")
        if a.model.is_classifier
        else RUST_VALUES
        for n, a in artefacts.items()
    }
    calls = [f"    of!({name}, {more});" for name, more in classes.items()]
    needs = [f'{name} = {{ path = "../{name}" }}' for name in artefacts]
    members = ", ".join(f'"{name}"' for name in ("driver", *artefacts))
    write(folder / "Cargo.toml", f'[workspace]\nresolver = "2"\nmembers = [{members}]\n{QUICK}')
    package = '[package]\nname = "driver"\nversion = "0.0.0"\nedition = "2021"\n\n[dependencies]\n'
    write(folder / "driver/Cargo.toml", package + "\n".join(needs) + "\n")
    main = "\n".join([RUST_HEAD, "fn main() {", *calls, "}"])
    write(folder / "driver/src/main.rs", main)
    cargo = {"CARGO_NET_OFFLINE": "true", "CARGO_TARGET_DIR": str(folder / "target")}
    run(folder, ["cargo", "run", "--quiet", "--package", "driver"], cargo)


def java(folder, artefacts):
    """Compile all packages and run a program on them."""
    calls = []
    for name, artefact in artefacts.items():
        call = JAVA_CALL.replace("NAME", name)
        is_classifier = artefact.model.is_classifier
        call = call.replace("REAL", "float" if artefact.dtype == "float" else "double")
        call = call.replace("PROBA", "predictProba" if is_classifier else "predict")
        answer = "vote" if has_votes(artefact) else "predict"
        chosen = f"found.add((double) stream.{answer}());" if is_classifier else ""
        calls.append(call.replace("CLASS", chosen))
    write(folder / "Driver.java", JAVA_HEAD + "".join(calls) + "    }\n}\n")
    javac = ["javac", *(f"-J{flag}" for flag in SMALL_MACHINE), "-proc:none", "-d", "classes"]
    run(folder, [*javac, "-encoding", "US-ASCII", "Driver.java"])
    run(folder, ["java", *SMALL_MACHINE, "-cp", "classes", "Driver"])


def go(folder, artefacts):
    """Build a program of all modules."""
    calls = []
    for name, artefact in artefacts.items():
        is_classifier = artefact.model.is_classifier
        call = GO_CALL.replace("NAME", name)
        call = call.replace("PROBA", "PredictProba" if is_classifier else "Predict")
        answer = "Vote" if has_votes(artefact) else "Predict"
        chosen = f"found = append(found, float64(stream.{answer}()))" if is_classifier else ""
        calls.append(call.replace("CLASS", chosen))
    imports = "".join(f'\t"example.com/{name}"\n' for name in artefacts)
    write(folder / "main.go", GO_HEAD.replace("IMPORTS", imports) + "".join(calls) + "}\n")
    lines = ["module driver", "go 1.18", "require ("]
    lines += [f"\texample.com/{name} v0.0.0" for name in artefacts]
    lines += [")", "replace ("]
    lines += [f"\texample.com/{name} => ./{name}" for name in artefacts]
    write(folder / "go.mod", "\n".join([*lines, ")"]) + "\n")
    offline = {name: value.format(folder) for name, value in OFFLINE.items()}
    run(folder, ["go", "build", "-o", "driver", "."], offline)
    run(folder, ["./driver"])


def python(folder, artefacts, target="python"):
    """Run the modules in this process."""
    for name, artefact in artefacts.items():
        files = MICROPYTHON.emit(artefact) if target == "micropython" else None
        text = (files or TARGETS[target].emit(artefact))[0].text
        module = load_module(str(text), name)
        passes = True
        if files:
            passes = load_module(str(files[1].text), name)._stream_agrees(module.Stream)
        _write_windows(
            folder, name, artefact, module, passes and (bool(files) or module.selftest())
        )


def _write_windows(folder, name, artefact, module, passes):
    model = artefact.model
    channels = len(model.signal.channels)
    records = np.frombuffer((folder / f"{name}.samples").read_bytes(), "<i2")
    found, stream, last = [float(passes)], module.Stream(), None
    for t, (restarts, *sample) in enumerate(records.reshape(-1, channels + 1).tolist()):
        if restarts:
            stream.start()
            last = None
        answer = stream.push_integers(sample)
        if stream._features is last or stream._features is None:
            last = stream._features
            continue
        last = stream._features
        found += [t, *stream.features()]
        if model.classes:
            number = -1 if answer is None else [*model.classes].index(answer)
            found += [*stream.predict_proba(), number]
        else:
            found += np.ravel(stream.predict()).tolist()
    (folder / f"{name}.out").write_bytes(np.array(found, "<f8").tobytes())


def numpy(folder, artefacts):
    """Run the modules in this process."""
    python(folder, artefacts, "numpy")


def micropython(folder, artefacts):
    """Run the modules in this Python."""
    python(folder, artefacts, "micropython")


def cffi(folder, artefacts):
    """Import the packages in this process, under names of their own."""
    import importlib
    import sys

    sys.path.insert(0, str(folder))
    try:
        for name, artefact in artefacts.items():
            module = importlib.import_module(name)
            _write_windows(folder, name, artefact, module, module.selftest())
    finally:
        sys.path.remove(str(folder))


BUILDS = {
    **{"c": c, "cffi": cffi, "python": python, "numpy": numpy, "js": js, "wasm": wasm},
    **{"rust": rust, "java": java, "go": go, "micropython": micropython},
}
NEEDS = {"rust": "cargo", "java": "javac", "go": "go", "js": "node", "wasm": "node", "c": "cc"}


def windows_of(folder, language, artefacts, samples, restarts):
    """Return by name whether the self-test passes in a language, and what windows it makes."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, artefact in artefacts.items():
        flags = np.zeros((len(samples[name]), 1), np.int16)
        flags[list(restarts[name])] = 1
        records = np.hstack([flags, samples[name].astype(np.int16)])
        (folder / f"{name}.samples").write_bytes(records.astype("<i2").tobytes())
        for file in TARGETS[language].make(artefact) if language in TARGETS else ():
            path = folder / file.name
            path.parent.mkdir(parents=True, exist_ok=True)
            text = file.text if isinstance(file.text, bytes) else file.text.encode()
            path.write_bytes(text)
    BUILDS[language](folder, artefacts)
    found = {}
    for name, artefact in artefacts.items():
        passes, *values = np.frombuffer((folder / f"{name}.out").read_bytes(), "<f8")
        model = artefact.model
        size = 1 + len(model.columns) + width(model) + model.is_classifier
        found[name] = bool(passes), np.array(values).reshape(-1, size)
    return found
