"""What a row costs in JavaScript and in WebAssembly, by Node: `python -m benchmarks.wasm`.

The targets take turns, so that what else the machine does slows all of them; the fastest of many
rounds counts. With clang that can make WebAssembly, its module of the exported C takes part.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from dsgec.export.artefact import QUICK, Artefact
from dsgec.export.targets.target import TARGETS
from dsgec.folder import write_whole
from dsgec.network.model import Model, plain_columns
from dsgec.network.parse import parse
from dsgec.network.simplify import simplify

INPUTS, NEURONS, CLASSES = 30, 7, 2
CLANG = (
    *("clang", "--target=wasm32", "-O3", "-nostdlib", "-ffreestanding", "-Wl,--no-entry"),
    *("-Wl,--export=net_predict_proba_batch", "-Wl,--export=__heap_base"),
    *("net.c", "-o", "clang.wasm"),
)
SCRIPT = """
import { existsSync, readFileSync } from "node:fs";
import * as js from "./net.mjs";
import * as wasm from "./net.wasm.mjs";
const count = 2000, columns = js.featureNames.length;
const value = (i, j) => ((i * 31 + j * 17) % 101) / 25 - 2;
const row = (i) => Array.from({ length: columns }, (_, j) => value(i, j));
const rows = Array.from({ length: count }, (_, i) => row(i));
async function module(file, name, heap) {
  const { instance } = await WebAssembly.instantiate(readFileSync(file));
  const { memory, [name]: run, [heap]: start } = instance.exports;
  memory.grow(Math.ceil((count * (columns + 2) * 8) / 65536));
  const x = (start.value + 15) & ~15, out = x + count * columns * 8;
  new Float64Array(memory.buffer, x, count * columns).set(rows.flat());
  return () => run(x, count, out);
}
const contestants = {
  "js, rows as arrays": () => js.predictProbaBatch(rows),
  "wasm by its loader, rows as arrays": () => wasm.predictProbaBatch(rows),
  "wasm, rows in its memory": await module("net.wasm", "predict_proba", "heap"),
};
if (existsSync("clang.wasm")) {
  const clang = await module("clang.wasm", "net_predict_proba_batch", "__heap_base");
  contestants["clang -O3 to wasm, rows in its memory"] = clang;
}
const best = {};
for (let round = 0; round < 300; round++) {
  for (const [name, run] of Object.entries(contestants)) {
    const start = process.hrtime.bigint();
    run();
    const nanoseconds = Number(process.hrtime.bigint() - start) / count;
    best[name] = Math.min(best[name] ?? Infinity, nanoseconds);
  }
}
for (const [name, time] of Object.entries(best)) {
  console.log(`${name.padEnd(40)} ${time.toFixed(0).padStart(6)} ns a row`);
}
"""


def model() -> Model:
    """A layer of neurons that read all columns, and a softmax."""
    names = [f"x_{i}" for i in range(1, INPUTS + 1)]

    def total(sources: list[str], shift: int) -> str:
        terms = [f"{(i * 7 + shift * 3) % 19 / 8 - 1} * {s}" for i, s in enumerate(sources)]
        return " + ".join(terms)

    hidden = [f"h_1_{i}" for i in range(1, NEURONS + 1)]
    lines = [f"{name} = sig({total(names, i)})" for i, name in enumerate(hidden)]
    outputs = ", ".join(total(hidden, i) for i in range(CLASSES))
    lines.append(f"y_1, y_2 = softmax({outputs})")
    return Model(simplify(parse("\n".join(lines))), plain_columns(tuple(names)), ("no", "yes"))


def main() -> int:
    node = shutil.which("node")
    if node is None:
        print("there is no node here")
        return 1
    with tempfile.TemporaryDirectory() as folder:
        artefact = Artefact(model(), "net", selftest=QUICK)
        for target in ("js", "wasm", "c"):
            for file in TARGETS[target].emit(artefact):
                write_whole(Path(folder, file.name), file.text)
        if shutil.which("clang"):
            subprocess.run(CLANG, cwd=folder, check=False)  # noqa: S603
        write_whole(Path(folder, "bench.mjs"), SCRIPT)
        subprocess.run([node, "bench.mjs"], cwd=folder, check=True)  # noqa: S603
    return 0


if __name__ == "__main__":
    sys.exit(main())
