"""Bonsai and ProtoNN of edgeml_pytorch with parameters of 8 bits, in integers.

pip install torch==2.13.0
pip install --no-deps edgeml_pytorch==0.3.0
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from benchmarks.kilobyte.candidate import Candidate
from benchmarks.kilobyte.case import Array, Case
from benchmarks.kilobyte.loops import Quantised, label_of, predict_encoded
from benchmarks.kilobyte.packed import kernel_source

BONSAI = ((3, 0), (5, 1), (10, 2))
"""The width of the projection and the depth of the tree."""

PROTONN = ((3, 8), (6, 20), (12, 40))
"""The width of the projection and the number of prototypes."""

_STEPS, _BATCH, _RATE, _PENALTY = 300, 64, 0.03, 1e-4
_LARGEST_STEEPNESS = 50.0


def bonsai(case: Case) -> Iterator[Candidate]:
    """Yield trees of several depths, validated on one fold."""
    for width, depth in BONSAI:
        learn = partial(_learn_bonsai, case, width, depth)
        yield _candidate(case, f"projection {width}, depth {depth}", learn)


def protonn(case: Case) -> Iterator[Candidate]:
    """Yield several numbers of prototypes, validated on one fold."""
    for width, count in PROTONN:
        learn = partial(_learn_protonn, case, width, count)
        yield _candidate(case, f"projection {width}, {count} prototypes", learn)


def _candidate(case: Case, setting: str, learn: Callable[[Array], Quantised]) -> Candidate:
    train, valid = case.folds[0]
    encoding = case.bytes
    labels = learn(train).labels(encoding(case.x[valid]))
    found = learn(np.arange(len(case.y)))
    return Candidate(
        setting,
        float(np.mean(labels == case.y[valid])),
        found.source,
        encoding,
        partial(predict_encoded, found.labels, encoding),
        is_exact=True,
    )


def _standardised(case: Case, train: Array) -> tuple[Array, Array, Array]:
    """Return rows of bytes, standardised, with what was subtracted and divided by."""
    rows = case.bytes(case.x[train]).astype(float)
    mean, deviation = rows.mean(axis=0), np.maximum(rows.std(axis=0), 1e-3)
    return (rows - mean) / deviation, mean, deviation


def _learn(case: Case, train: Array, rows: Array, forward: Any, module: Any) -> None:
    """Minimise the cross-entropy with Adam; `forward` gets a batch and the share of steps."""
    import torch

    x = torch.tensor(rows, dtype=torch.float32)
    y = torch.tensor(case.y[train])
    optimiser = torch.optim.Adam(module.parameters(), lr=_RATE, weight_decay=_PENALTY)
    plan = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, _STEPS)
    for step in range(_STEPS):
        chosen = torch.randint(len(x), (min(_BATCH, len(x)),))
        scores = forward(x[chosen], step / _STEPS)
        if scores.shape[1] == 1:
            target = y[chosen].float()[:, None]
            loss = torch.nn.functional.binary_cross_entropy_with_logits(scores, target)
        else:
            loss = torch.nn.functional.cross_entropy(scores, y[chosen])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        plan.step()


def _project(
    weights: Array, mean: Array, deviation: Array, encoded: Array
) -> tuple[dict[str, Array], int, float, Callable[[Array], Array]]:
    """Return tables, shift, scale and the function of a projection of rows of bytes to bytes."""
    own = weights / deviation
    scale = 127 / np.abs(own).max()
    table = np.rint(own * scale).astype(np.int8)
    added = -(own @ mean) * scale
    # The 16 bits of a bias limit the scale of columns far away from 0.
    biases = np.clip(np.rint(added), -32767, 32767).astype(np.int16)
    wide = table.astype(np.int64).T
    sums = encoded.astype(np.int64) @ wide + biases
    shift = max(0, int(np.ceil(np.log2(max(1.0, np.quantile(np.abs(sums), 0.999)) / 127))))

    def project(rows: Array) -> Array:
        found: Array = (rows.astype(np.int64) @ wide + biases) >> shift
        return np.clip(found, -127, 127)

    return {"projection": table, "biases": biases}, shift, scale / 2**shift, project


def _to_bytes(values: Array) -> tuple[Array, float]:
    """Return values as bytes, and their scale."""
    scale = 127 / max(float(np.abs(values).max(initial=0.0)), 1e-9)
    return np.rint(values * scale).astype(np.int8), scale


def _learn_bonsai(case: Case, width: int, depth: int, train: Array) -> Quantised:
    import torch
    from edgeml_pytorch.graph.bonsai import Bonsai

    torch.manual_seed(case.split.number)
    rows, mean, deviation = _standardised(case, train)
    model = Bonsai(case.classes, rows.shape[1], width, depth, 1.0)
    with torch.no_grad():
        for parameter in (model.W, model.V, model.T):
            parameter *= 0.3

    def forward(batch: Any, share: float) -> Any:
        return model(batch, 1.0 * _LARGEST_STEEPNESS**share)[0]

    _learn(case, train, rows, forward, model)
    z, w, v, t = (
        own.detach().numpy().astype(float) for own in (model.Z, model.W, model.V, model.T)
    )
    encoded = case.bytes(case.x[train])
    tables, shift, unit, project = _project(z / width, mean, deviation, encoded)
    (w8, _), (t8, _) = _to_bytes(w), _to_bytes(t)
    # v.z is a fraction of 64 before it is shifted: a power of two is its scale.
    bend_shift = int(np.floor(np.log2(127 / max(np.abs(v).max(), 1e-9) * unit / 64)))
    v_scale = 2.0**bend_shift * 64 / unit
    bend_shift = max(bend_shift, 0)
    v8 = np.clip(np.rint(v * v_scale), -127, 127).astype(np.int8)
    outputs, inner = model.numClasses, 2**depth - 1
    numbers = {"OUTPUTS": outputs, "COLUMNS": rows.shape[1], "PROJECTED": width}
    numbers |= {"DEPTH": depth, "SHIFT": shift, "BEND_SHIFT": bend_shift}
    tables |= {"w": w8, "v": v8, "theta": t8 if depth else np.zeros(1, np.int8)}

    def labels(rows: Array) -> Array:
        projected = project(rows)
        node = np.zeros(len(rows), int)
        scores = np.zeros((len(rows), outputs), np.int64)
        for _ in range(depth + 1):
            own = node[:, None] * outputs + np.arange(outputs)
            bend = np.einsum("rop,rp->ro", v8.astype(np.int64)[own], projected) * 4 >> bend_shift
            size = np.abs(bend)
            bend = np.where(size >= 512, np.sign(bend) * 256, bend * (1024 - size) >> 10)
            scores += np.einsum("rop,rp->ro", w8.astype(np.int64)[own], projected) * bend
            if node.max() < inner:
                side = np.einsum("rp,rp->r", t8.astype(np.int64)[node], projected) <= 0
                node = 2 * node + 1 + side
        return label_of(scores)

    return Quantised(kernel_source("bonsai", numbers, tables), labels)


def _learn_protonn(case: Case, width: int, count: int, train: Array) -> Quantised:
    import torch
    from edgeml_pytorch.graph.protoNN import ProtoNN

    torch.manual_seed(case.split.number)
    rows, mean, deviation = _standardised(case, train)
    rng = np.random.default_rng(case.split.number)
    start = rng.normal(size=(rows.shape[1], width)) / np.sqrt(rows.shape[1])
    chosen = rng.choice(len(rows), count, replace=len(rows) < count)
    places = (rows[chosen] @ start).T
    own = np.eye(case.classes)[case.y[train][chosen]].T
    model = ProtoNN(rows.shape[1], width, count, case.classes, 1.0, start, places, own)
    _learn(case, train, rows, lambda batch, _: model(batch) * 3, model)
    w, b, z, _ = (
        np.asarray(getattr(part, "detach", lambda part=part: part)())
        for part in model.getModelMatrices()
    )
    encoded = case.bytes(case.x[train])
    tables, shift, unit, project = _project(w.T.astype(float), mean, deviation, encoded)
    places8 = np.clip(np.rint(b.T * unit), -127, 127).astype(np.int8)
    own8, _ = _to_bytes(z.T)
    # A distance of 1, which multiplies by 1/e, is so many halvings, as fractions of 256.
    exact = 256 / np.log(2) / unit**2
    rate_shift = int(np.clip(np.floor(np.log2(255 / exact)), 0, 14))
    rate = int(np.clip(np.rint(exact * 2**rate_shift), 1, 255))
    numbers = {"OUTPUTS": case.classes, "COLUMNS": rows.shape[1], "PROJECTED": width}
    numbers |= {"PROTOTYPES": count, "SHIFT": shift, "RATE": rate, "RATE_SHIFT": rate_shift}
    tables |= {"places": places8, "labels": own8}

    def labels(rows: Array) -> Array:
        off = project(rows)[:, None, :] - places8.astype(np.int64)
        far = np.einsum("rmp,rmp->rm", off, off) * rate >> rate_shift
        part = far & 255
        near = 4096 - (part * (2721 - (part * 673 >> 8)) >> 8)
        near = np.where(far >> 8 > 20, 0, near >> np.minimum(far >> 8, 20))
        return np.asarray((near @ own8.astype(np.int64)).argmax(axis=1))

    return Quantised(kernel_source("prototypes", numbers, tables), labels)
