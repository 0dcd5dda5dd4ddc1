"""Round the coefficients of a formula to as few digits as give the same results.

The choice of digits is the same on every machine: no sum over rows, no function of libm.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dsgec.arithmetic.functions import ALL_FUNCTIONS
from dsgec.arithmetic.printed import vector
from dsgec.network.formula import Atom, Formula, Monomial, Sum, feature_columns
from dsgec.network.ir import power
from dsgec.network.model import Column
from dsgec.network.ranges import Range

Array = NDArray[np.float64]

TOLERANCE = 1e-4
"""The difference that rounding may make, as a share of an output or of its range."""

_STRICTER = 0.3  # other rows may be worse than those that are tried
_ROWS, _SEED = 512, 20250101
_SHARES = tuple(float(f"{digit}e-{place}") for place in range(4, 13) for digit in (10, 3))


def probe_rows(columns: Sequence[Column], ranges: Sequence[Range | None]) -> Array:
    """Return rows of features in raw units, within the ranges of the columns.

    An unknown range is three scales on either side of the center.
    """
    draw = np.random.RandomState(_SEED)  # numpy promises never to change its numbers
    found: list[Array] = []
    known = ranges or (None,) * len(columns)
    spans = {id(column): span for column, span in zip(columns, known, strict=True)}
    chosen: dict[int, NDArray[np.int64]] = {}
    for column, place in feature_columns(columns):
        if column.kind == "number" and not place:
            width = 3 * abs(column.scale)
            low, high = spans[id(column)] or (column.center - width, column.center + width)
            found.append(low + (high - low) * draw.random_sample(_ROWS))
        elif column.kind == "category" and place < len(column.categories):
            if not place:
                chosen[id(column)] = draw.randint(
                    len(column.categories), size=_ROWS, dtype=np.int64
                )
            found.append((chosen[id(column)] == place).astype(np.float64))
        else:
            found.append(draw.randint(2, size=_ROWS, dtype=np.int64).astype(np.float64))
    return np.column_stack(found) if found else np.empty((_ROWS, 0))


def scale_rows(columns: Sequence[Column], rows: Array) -> Array:
    """Scale rows of features from raw units to those of the network."""
    centers, scales = [], []
    for column, place in feature_columns(columns):
        centers.append(0.0 if place else column.center)
        scales.append(1.0 if place else column.scale)
    scaled: Array = (rows - np.array(centers)) / np.array(scales)
    return scaled


def round_formula(formula: Formula, rows: Array, exact: Array) -> Formula | None:
    """Return the formula with rounded coefficients whose results on the rows are nearly `exact`.

    A coefficient is rounded if that changes its sum by less than a share of the sum's variation;
    the largest share is taken with which the outputs stay within the tolerance. None if the
    formula itself is not within it.
    """
    finite = np.isfinite(exact).all(axis=1)
    rows, exact = rows[finite], exact[finite]
    if not len(rows):
        return formula
    with np.errstate(all="ignore"):
        allowed = _STRICTER * TOLERANCE * np.maximum(np.abs(exact), np.ptp(exact, axis=0) / 4)
        atoms = atom_values(formula, rows)
        slack = {terms: _slack(terms, atoms) for terms in _sums(formula)}
        for share in (*_SHARES, 0.0):
            found = _round_sums(formula, share, slack) if share else formula
            outputs = _output_values(found, atom_values(found, rows))
            if (np.abs(outputs - exact) <= allowed).all():
                return found
    return None


def atom_values(formula: Formula, rows: Array) -> list[Array]:
    """Return the value of every atom for each row of features in raw units."""
    values: list[Array] = []
    with np.errstate(all="ignore"):
        for atom in formula.atoms:
            values.append(_atom_value(formula, atom, values, rows))
    return values


def _atom_value(formula: Formula, atom: Atom, values: list[Array], rows: Array) -> Array:
    match atom.kind:
        case "feature":
            return rows[:, atom.number]
        case "neuron":
            return sum_value(formula.neurons[atom.number][1], values, len(rows))
        case "group":
            return sum_value(atom.arguments[0], values, len(rows))
        case _:
            function: Any = getattr(vector, ALL_FUNCTIONS[atom.name].symbol)
            arguments = (sum_value(one, values, len(rows)) for one in atom.arguments)
            return np.asarray(function(*arguments), np.float64)


def _output_values(formula: Formula, atoms: list[Array]) -> Array:
    """Return the outputs of a formula, a column each."""
    count = len(atoms[0]) if atoms else 1
    outputs = [sum_value(one, atoms, count) for one in formula.outputs]
    if formula.softmax:
        outputs = list(vector.softmax(*outputs))
    return np.column_stack(outputs)


def sum_value(terms: Sum, atoms: list[Array], count: int) -> Array:
    """Return the value of a sum for each row."""
    total = np.zeros(count)
    for coefficient, monomial in terms:
        total = total + coefficient * _monomial_value(monomial, atoms)
    return total


def _monomial_value(monomial: Monomial, atoms: list[Array]) -> Any:
    """Return the value of a monomial for each row; 1 for that of a constant."""
    value: Any = 1.0
    for atom, exponent in monomial:
        value = value * power(atoms[atom], exponent, np.divide)
    return value


def _sums(formula: Formula) -> set[Sum]:
    inner = (terms for atom in formula.atoms for terms in atom.arguments)
    return {*inner, *(terms for _, terms in formula.neurons), *formula.outputs}


def _slack(terms: Sum, atoms: list[Array]) -> tuple[float, ...]:
    """Return by how much each coefficient can change until the sum changes by its variation."""
    count = len(atoms[0]) if atoms else 1
    total = sum_value(terms, atoms, count)
    varies = float(np.ptp(total)) / 2 or float(np.abs(total).max())
    reaches = (float(np.abs(_monomial_value(monomial, atoms)).max()) for _, monomial in terms)
    return tuple(varies / reach if reach else math.inf for reach in reaches)


def _round_sums(formula: Formula, share: float, slack: dict[Sum, tuple[float, ...]]) -> Formula:
    """Return the formula with each coefficient rounded by a share of its slack."""

    def short(terms: Sum) -> Sum:
        found = tuple(
            (value, monomial)
            for (coefficient, monomial), most in zip(terms, slack[terms], strict=True)
            if (value := round_number(coefficient, share * most))
        )
        return found or ((0.0, ()),)

    return Formula(
        tuple(replace(one, arguments=tuple(map(short, one.arguments))) for one in formula.atoms),
        tuple((name, short(terms)) for name, terms in formula.neurons),
        tuple(map(short, formula.outputs)),
        formula.softmax,
    )


def round_number(value: float, error: float) -> float:
    """Round a number to the fewest decimal places that keep it within an error."""
    if error <= 0 or not math.isfinite(error):
        return value if error <= 0 else 0.0
    places = -Decimal(2 * error).adjusted()
    return round(value, places) if places < 320 else value
