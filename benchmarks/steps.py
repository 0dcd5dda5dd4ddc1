"""The command: what a step of Adam costs beside a bare loop in C with the same arithmetic.

python -m benchmarks.steps

Both learn a dense network of 64 inputs, 64 neurons and 10 classes from batches of 64 rows, compiled
with the same flags. It also prints the cost of a step of sparse networks and, if PyTorch is
installed, that of its step of the dense network on one core, with its fastest Adam. Times are CPU
times, the least of several, taken in turn.
"""

import importlib.util
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from dsgec.engine.library import Library, load
from dsgec.engine.toolchain import find_toolchain
from dsgec.search.walk.descent import BATCH, BATCH_STRIDE, make_walk_table
from dsgec.search.walk.layer import Array, LayerShape, SharedLayer, dense_layer, make_layer
from dsgec.search.walk.native_descent import FLAGS, NativeDescent, arithmetic, load_descent

_SHAPE = LayerShape(64, 10, "clip", 5e-4, ((-9.99, 9.99),) * 4)
_DECLARATION = (
    "void bare_steps(double *x, double *t, double *w, double *m, double *v, int64_t count);"
)
_STEPS, _ROUNDS = 300, 15


def load_bare() -> Library:
    """Compile the bare loop."""
    toolchain = find_toolchain()
    assert toolchain is not None
    source = Path(__file__).with_name("bare_step.c").read_text(encoding="utf-8")
    header = arithmetic().replace('#include "platform.h"', "#include <stdint.h>")
    text = f"{header}\n{source}"
    return load(text, _DECLARATION, toolchain, (*FLAGS, "-march=native"))


def main() -> int:
    """Measure and print."""
    toolchain = find_toolchain()
    assert toolchain is not None
    rng = np.random.default_rng(1)
    columns = rng.normal(size=(64, 1257))
    targets = (rng.integers(0, 10, 1257) == np.arange(10)[:, None]).astype(float)
    descent = NativeDescent(
        make_walk_table(columns, targets, np.ones(1257)), load_descent(toolchain)
    )
    neurons, sources = dense_layer(_SHAPE, 64)
    values = rng.normal(size=len(neurons) + 74) * 0.1
    net = make_layer(_SHAPE, 64, neurons, sources, values)
    bare = load_bare()
    batch = [np.ascontiguousarray(part[:, :64]) for part in (columns, targets)]
    arrays = [*batch, values.copy(), np.zeros_like(values), np.zeros_like(values)]
    pointers = [bare.ffi.cast("double *", array.ctypes.data) for array in arrays]
    own, theirs = [], []
    for _ in range(_ROUNDS):
        own.append(_time(lambda: descent.descend(net, np.full(_STEPS, 0.01))))
        theirs.append(_time(lambda: bare.functions.bare_steps(*pointers, _STEPS)))
    print(
        f"dense, {net.size} connections: {min(own):.1f} µs a step; bare loop {min(theirs):.1f} µs"
    )
    print(f"ratio {min(own) / min(theirs):.2f}")
    for share in (0.2, 0.08, 0.04, 0.02, 0.01):
        sparse = _thin(net, share, rng)
        descend = partial(descent.descend, sparse, np.full(_STEPS, 0.01))
        least = min(_time(descend) for _ in range(_ROUNDS))
        print(f"{sparse.size} connections, {sparse.hidden} neurons: {least:.1f} µs a step")
    if importlib.util.find_spec("torch") is None:
        print("PyTorch is not installed")
        return 0
    for name in ("float64", "float32"):
        steps = make_torch_steps(columns, targets, name)
        least = min(_time(steps) for _ in range(_ROUNDS))
        print(f"PyTorch, {name}, one core: {least:.1f} µs a step")
    return 0


def make_torch_steps(columns: Array, targets: Array, dtype: str) -> Callable[[], None]:
    """Return a function that takes steps of the dense network in PyTorch."""
    torch: Any = importlib.import_module("torch")
    torch.set_num_threads(1)
    kind = getattr(torch, dtype)
    rows = torch.tensor(columns.T.copy(), dtype=kind)
    classes = torch.tensor(targets.argmax(axis=0))
    model = torch.nn.Sequential(
        torch.nn.Linear(64, 64), torch.nn.Hardtanh(0.0, 4.0), torch.nn.Linear(64, 10)
    ).to(kind)
    loss = torch.nn.CrossEntropyLoss()
    adam = torch.optim.Adam(
        model.parameters(), lr=0.01, betas=(0.9, 0.99), weight_decay=1e-3, fused=True
    )

    def steps() -> None:
        for step in range(_STEPS):
            start = step * BATCH_STRIDE % (len(rows) - BATCH)
            batch = slice(start, start + BATCH)
            adam.zero_grad()
            loss(model(rows[batch]), classes[batch]).backward()
            adam.step()

    return steps


def _thin(net: SharedLayer, share: float, rng: np.random.Generator) -> SharedLayer:
    return net.keep(rng.random(net.size) < share)


def _time(call: Callable[[], object]) -> float:
    """Return the CPU time of a step in microseconds."""
    started = time.process_time()
    call()
    return (time.process_time() - started) / _STEPS * 1e6


if __name__ == "__main__":
    sys.exit(main())
