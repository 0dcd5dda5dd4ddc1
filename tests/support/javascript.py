"""Exported JavaScript modules run by node, and by a real browser, on rows of doubles."""

import functools
import http.server
import json
import queue
import shutil
import subprocess
import threading
from pathlib import Path

import numpy as np

from dsgec.export.artefact import Artefact
from dsgec.export.targets.target import TARGETS

NODE = shutil.which("node")
MODULES = {"js": ".mjs", "wasm": ".wasm.mjs"}
"""How the names of the modules end that have the interface of JavaScript."""
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")

# Rows and results as hexadecimal digits of little-endian doubles: no text rounds them.
SHARED = """
export function table(hex, columns) {
  const bytes = Uint8Array.from(hex.match(/../g) ?? [], (digits) => parseInt(digits, 16));
  const values = new Float64Array(bytes.buffer);
  const count = values.length / columns;
  return Array.from({ length: count }, (_, i) => values.slice(i * columns, (i + 1) * columns));
}
export function hex(values) {
  const bytes = new Uint8Array(Float64Array.from(values).buffer);
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
export function answer(net, hexRows) {
  const rows = table(hexRows, net.featureNames.length);
  const found = net.predictProbaBatch ? net.predictProbaBatch(rows) : net.predictBatch(rows);
  return `${net.modelId} ${net.selftest()} ${hex(found.flat())}`;
}
"""
NODE_DRIVER = """
import { readFileSync } from "node:fs";
import { answer } from "./shared.mjs";
for (const name of process.argv.slice(2)) {
  const net = await import(`./${name}`);
  console.log(answer(net, readFileSync(new URL(`${name}.rows`, import.meta.url), "ascii")));
}
"""
PAGE = """<!doctype html><meta charset="utf-8"><title>running</title>
<script type="module">
import { answer } from "./shared.mjs";
const lines = [];
for (const name of "NAMES".split(" ")) {
  const rows = await (await fetch(`./${name}.rows`)).text();
  lines.push(answer(await import(`./${name}`), rows));
}
await fetch("./answer", { method: "POST", body: lines.join("\\n") });
</script>"""
# fmt: off
QUIET = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]
# fmt: on


def write_files(folder: Path, target: str, artefact: Artefact) -> str:
    """The files of an artefact; gives the name of the module that is imported."""
    for file in TARGETS[target].emit(artefact):
        data = file.text if isinstance(file.text, bytes) else file.text.encode()
        (folder / file.name).write_bytes(data)
    return f"{artefact.name}{MODULES[target]}"


def write(folder: Path, models, tables, target: str, dtype: str) -> list[str]:
    """The modules of net0, net1, … and their rows; gives their names."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "shared.mjs").write_text(SHARED)
    (folder / "driver.mjs").write_text(NODE_DRIVER)
    names = []
    for number, (model, table) in enumerate(zip(models, tables, strict=True)):
        names.append(write_files(folder, target, Artefact(model, f"net{number}", dtype)))
        (folder / f"{names[-1]}.rows").write_text(table.astype("<f8").tobytes().hex())
    return names


def in_node(
    folder: Path, models, tables, target="js", dtype="double"
) -> list[tuple[str, bool, np.ndarray]]:
    """Return for each model its id, the outcome of its self-test, and its results."""
    names = write(folder, models, tables, target, dtype)
    command = [NODE, str(folder / "driver.mjs"), *names]
    answer = subprocess.run(command, capture_output=True, text=True, check=True)
    return _read(answer.stdout, tables)


def in_browser(
    folder: Path, models, tables, target="js", dtype="double"
) -> list[tuple[str, bool, np.ndarray]]:
    """The same from a page that headless Chromium loads over HTTP."""
    names = write(folder, models, tables, target, dtype)
    (folder / "page.html").write_text(PAGE.replace("NAMES", " ".join(names)))
    answers: queue.Queue[str] = queue.Queue()
    handler = functools.partial(_Handler, answers, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        profile = f"--user-data-dir={folder / 'profile'}"
        address = f"http://127.0.0.1:{server.server_port}/page.html"
        browser = subprocess.Popen([CHROMIUM, *QUIET, profile, address], stderr=subprocess.DEVNULL)
        try:
            return _read(answers.get(timeout=120), tables)
        finally:
            browser.kill()
            browser.wait()
            server.shutdown()


class _Handler(http.server.SimpleHTTPRequestHandler):
    """A handler that serves the files of a folder and receives the answers of the page."""

    extensions_map = {".mjs": "text/javascript", ".html": "text/html", "": "text/plain"}  # noqa: RUF012

    def __init__(self, answers, *request, **more):
        self.answers = answers
        super().__init__(*request, **more)

    def do_POST(self):
        self.answers.put(self.rfile.read(int(self.headers["Content-Length"])).decode("ascii"))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


def _read(text: str, tables) -> list[tuple[str, bool, np.ndarray]]:
    found = []
    for line, table in zip(text.splitlines(), tables, strict=True):
        model_id, selftest, digits = line.split(" ")
        values = np.frombuffer(bytes.fromhex(digits), "<f8").reshape(len(table), -1)
        found.append((model_id, selftest == "true", values.copy()))
    return found


def ask(folder, model, expression, target="js"):
    """Return the value of an expression over the module `net`, by way of JSON."""
    return ask_each(folder, [(model, expression)], target)[0]


def ask_each(folder, questions, target="js"):
    """Return the values of expressions, each over the module of its model; node starts once."""
    lines = [
        "const answer = (f) => { try { return f(); } catch (error) { return String(error); } };",
        "const answers = [];",
    ]
    for number, (model, expression) in enumerate(questions):
        module = write_files(folder, target, Artefact(model, f"net{number}"))
        lines.append(f'await import("./{module}").then((net) => answers.push({expression}));')
    script = folder / "ask.mjs"
    text = "\n".join([*lines, "console.log(JSON.stringify(answers));"])
    script.write_text(text, encoding="utf-8")
    answer = subprocess.run([NODE, script], capture_output=True, text=True, check=True)
    return json.loads(answer.stdout)
