"""Compute the polynomial coefficients and split constants that `dsgec/arithmetic` is built on."""

from collections.abc import Callable
from functools import cache
from itertools import pairwise

import mpmath as mp
from mpmath import mpf

PRECISION = 200  # bits: far more than a weighted error of 2^-70 needs
GRID = 60  # samples between two nodes when an extremum is looked for
EXCHANGES = 8

Real = Callable[[mpf], mpf]


def horner(coefficients: list[mpf], x: mpf) -> mpf:
    """Evaluate a polynomial whose constant term comes first."""
    value = mpf(0)
    for c in reversed(coefficients):
        value = c + x * value
    return value


def remez(f: Real, weight: Real, low: mpf, high: mpf, degree: int) -> tuple[list[mpf], mpf]:
    """Return the polynomial P of `degree` that minimises max |weight · (f − P)|, and its error."""
    count = degree + 2
    # Chebyshev's nodes, a little aside, so that none falls on 0, where a weight may vanish.
    nodes = [
        (low + high) / 2 - (high - low) / 2 * mp.cos(mp.pi * (i + 0.5) / (count + 0.3))
        for i in range(count)
    ]
    coefficients: list[mpf] = []
    worst = mpf(0)
    for _ in range(EXCHANGES):
        rows = [
            [x**j for j in range(count - 1)] + [(-1) ** i / weight(x)] for i, x in enumerate(nodes)
        ]
        solution = mp.lu_solve(mp.matrix(rows), mp.matrix([f(x) for x in nodes]))
        coefficients = [solution[j] for j in range(count - 1)]

        def error(x: mpf, c: list[mpf] = coefficients) -> mpf:
            return weight(x) * (f(x) - horner(c, x))

        edges = [low, *((a + b) / 2 for a, b in pairwise(nodes)), high]
        signs = [mp.sign(error(x)) for x in nodes]
        nodes = [
            max((a + (b - a) * j / GRID for j in range(GRID + 1)), key=lambda x, s=s: s * error(x))
            for (a, b), s in zip(pairwise(edges), signs, strict=True)
        ]
        sizes = [abs(error(x)) for x in nodes]
        worst = max(sizes)
        if worst < min(sizes) * mpf("1.01"):
            break
    return coefficients, worst


def split(value: mpf, widths: list[int]) -> list[float]:
    """Split a value into doubles of so many bits each, and a last one of full precision."""
    parts = []
    for width in widths:
        unit = mpf(2) ** (mp.floor(mp.log(abs(value), 2)) - width + 1)
        parts.append(float(mp.floor(value / unit) * unit))
        value -= parts[-1]
    return [*parts, float(value)]


def polynomials() -> dict[str, tuple[list[mpf], mpf]]:
    """Return each polynomial and its largest weighted error, before rounding to doubles."""
    tiny = mpf(2) ** -40  # the quotients below are 0/0 at 0
    half = mp.log(2) / 2 * mpf("1.0001")  # rounding of x·log2(e) can pass the middle
    quarter = (mp.pi / 4 * mpf("1.0001")) ** 2
    far = ((mp.sqrt(2) - 1) / (mp.sqrt(2) + 1)) ** 2 * mpf("1.0001")

    def log_tail(z: mpf) -> mpf:  # (2·atanh(s) − 2s) / (s·z), z = s²
        s = mp.sqrt(z)
        return (2 * mp.atanh(s) - 2 * s) / (s * z)

    return {
        "exp": remez(
            lambda r: (mp.exp(r) - 1 - r) / r**2, lambda r: abs(r) * mp.exp(-r), -half, half, 9
        ),
        "log": remez(log_tail, lambda z: z, tiny, far, 6),
        "sin": remez(
            lambda z: (mp.sin(mp.sqrt(z)) / mp.sqrt(z) - 1) / z, lambda z: z, tiny, quarter, 5
        ),
        "cos": remez(
            lambda z: (mp.cos(mp.sqrt(z)) - 1 + z / 2) / z**2, lambda z: z**2, tiny, quarter, 5
        ),
        "power": remez(
            lambda z: ((mp.atanh(mp.sqrt(z)) / mp.sqrt(z) - 1) / z - mpf(1) / 3) / z,
            lambda z: z**2,
            tiny,
            far,
            7,
        ),
    }


@cache
def coefficients() -> dict[str, tuple[float, ...]]:
    """Return every computed constant in the code, by the name of its function."""
    with mp.workprec(PRECISION):
        found = {name: tuple(float(c) for c in p) for name, (p, _) in polynomials().items()}
        # 42 bits: k·ln2 is exact for |k| ≤ 2^11; 33 bits: k·π/2 is exact for |k| ≤ 2^20.
        found["log2e"] = (float(1 / mp.log(2)),)
        found["ln2"] = tuple(split(mp.log(2), [42]))
        found["two_over_pi"] = (float(2 / mp.pi),)
        found["half_pi"] = tuple(split(mp.pi / 2, [33, 33, 33]))
        found["third"] = tuple(split(mpf(1) / 3, [53]))
    return found


def main() -> None:
    """Print the errors of the polynomials and every coefficient as written in the code."""
    with mp.workprec(PRECISION):
        for name, (_, worst) in polynomials().items():
            print(f"{name}: greatest error 2^{float(mp.log(worst, 2)):.2f}")
    for name, numbers in coefficients().items():
        print(name, *(f"    {number!r}" for number in numbers), sep="\n")


if __name__ == "__main__":
    main()
