"""The constants and the table that features name, and the limits of the numbers of their calls."""

from collections.abc import Callable, Mapping

from dsgec.arithmetic.scalar import cos, sin
from dsgec.program.ir import ConstantTable

Numbers = Mapping[str, int]

MOST_SAMPLES = 2048
"""The longest window."""
MOST_BITS = 14
_BUDGET = 30  # bits of a sum of squares; one more than that is left for what is computed with it
_MOST_SHIFT, _MOST_LAG, _MOST_PARTS, _WIDEST_BAND = 8, 64, 64, 64
_BIQUAD_SCALE, _QUALITY = 8192.0, 2.0
_WAVE_SCALE = 127.0 * (1.0 - 2.0**-40)  # half of a number, at 30 degrees, is rounded towards 0


def bits_for(window: int) -> int:
    """Return the bits of a sample for which the sum of the squares of a window has 30 bits."""
    fits = (
        bits for bits in range(MOST_BITS, 1, -1) if window * limit_of(bits) ** 2 <= 1 << _BUDGET
    )
    return next(fits)


def limit_of(bits: int) -> int:
    """Return the greatest sample of so many bits, with the sign; the least one is its negative."""
    return (1 << (bits - 1)) - 1


NUMBERS: Mapping[str, Callable[[int, Numbers], tuple[int, int]]] = {
    "k": lambda window, numbers: (1, (window - 1) // 2),
    "l": lambda window, numbers: (
        numbers["k"],
        min(numbers["k"] + _WIDEST_BAND - 1, (window - 1) // 2),
    ),
    "lag": lambda window, numbers: (1, min(window - 1, _MOST_LAG)),
    "shift": lambda window, numbers: (1, _MOST_SHIFT),
    "i": lambda window, numbers: (1, _MOST_PARTS),
    "n": lambda window, numbers: (max(2, numbers["i"]), min(window, _MOST_PARTS)),
}
"""The least and the greatest value of a number, which may depend on the window and those before."""


def constant(name: str, window: int, limit: int, numbers: Numbers) -> int:
    """Return the value of a constant; `numbers` are those of a call."""
    return _CONSTANTS[name](window, limit, numbers)


def _quarter(window: int) -> int:
    """Return how far the cosine stands behind the sine in the table."""
    return window if window % 4 else window // 4


def _angle(numbers: Numbers, window: int) -> float:
    """Return the angle of k cycles in a window between two samples, in radians."""
    return 6.283185307179586 * numbers["k"] / window


def _biquad(numbers: Numbers, window: int) -> tuple[float, float, float]:
    """Return the gain and the two feedbacks of a band-pass, before they are scaled."""
    angle = _angle(numbers, window)
    alpha = sin(angle) / (2.0 * _QUALITY)
    whole = 1.0 + alpha
    return alpha / whole, -2.0 * cos(angle) / whole, (1.0 - alpha) / whole


_CONSTANTS: Mapping[str, Callable[[int, int, Numbers], int]] = {
    "window": lambda window, limit, numbers: window,
    "limit": lambda window, limit, numbers: limit,
    "quarter": lambda window, limit, numbers: _quarter(window),
    "power": lambda window, limit, numbers: 1 << numbers["shift"],
    "begin": lambda window, limit, numbers: (numbers["i"] - 1) * window // numbers["n"],
    "end": lambda window, limit, numbers: numbers["i"] * window // numbers["n"],
    "gain": lambda window, limit, numbers: _scaled(_biquad(numbers, window)[0]),
    "feedback": lambda window, limit, numbers: _scaled(_biquad(numbers, window)[1]),
    "feedback_before": lambda window, limit, numbers: _scaled(_biquad(numbers, window)[2]),
}
CONSTANTS = frozenset(_CONSTANTS)
WAVE = "wave"
NEEDED: Mapping[str, tuple[str, ...]] = {
    "power": ("shift",),
    "begin": ("i", "n"),
    "end": ("i", "n"),
    "gain": ("k",),
    "feedback": ("k",),
    "feedback_before": ("k",),
}
"""The numbers of a call that a constant depends on."""


def _scaled(value: float) -> int:
    """Return a coefficient of a biquad filter as an integer."""
    return round(value * _BIQUAD_SCALE)


def wave_table(window: int) -> ConstantTable:
    """Return the table of a sine that has one cycle in a window, and of the cosine behind it."""
    quarter = _quarter(window)
    angles = [6.283185307179586 * i / window for i in range(window)]
    values = [round(_WAVE_SCALE * sin(angle)) for angle in angles]
    if window % 4:
        values += [round(_WAVE_SCALE * cos(angle)) for angle in angles]
    else:
        values += values[:quarter]
    return ConstantTable(
        WAVE, "int8", tuple(values), "A sine, times 127, and the cosine behind it."
    )
