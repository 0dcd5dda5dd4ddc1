"""The arithmetic in single precision, on numpy arrays: that of `templates/c/arithmetic_float.c`.

The reasons for each step stand in the C. Call under `np.errstate(all="ignore")`, with arrays: numpy
before 2.0 makes a double of a single number and a literal.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]  # of float32, which the types of numpy lose beside a literal
Words = NDArray[np.uint32]


def bits(x: Array) -> Words:
    """The 32 bits of each float."""
    return np.asarray(x, dtype=np.float32).view(np.uint32)


def from_bits(n: Words) -> Array:
    """The floats that have these bits."""
    return np.asarray(n, dtype=np.uint32).view(np.float32)


def select(condition: NDArray[np.bool_], a: Array | float, b: Array | float) -> Array:
    """a where the condition holds, otherwise b."""
    return np.where(condition, np.float32(a), np.float32(b))


def div(a: Array, b: Array) -> Array:
    """a / b, and 1 where b is 0."""
    d = select(b == 0.0, 1.0, b)
    q = a / d
    return select(b == 0.0, 1.0, q)


def neg(x: Array) -> Array:
    """The number with its sign flipped."""
    return -x


def absolute(x: Array) -> Array:
    """The number without its sign."""
    return np.abs(x)


def minimum(a: Array, b: Array) -> Array:
    """The smaller of two numbers, and NaN if either is."""
    n = select(a != a, a, b)
    return select(a < b, a, n)


def maximum(a: Array, b: Array) -> Array:
    """The greater of two numbers, and NaN if either is."""
    n = select(a != a, a, b)
    return select(a > b, a, n)


def relu(x: Array) -> Array:
    """x, and 0 below 0."""
    return select(x < 0.0, 0.0, x)


def fill(a: Array, b: Array) -> Array:
    """a, and b where a is NaN."""
    return select(a != a, b, a)


def equals(a: Array, b: Array) -> Array:
    """1 where two numbers are equal, otherwise 0."""
    return select(a == b, 1.0, 0.0)


def sqrt(x: Array) -> Array:
    """The square root of |x|."""
    return np.sqrt(absolute(x))


def exp_core(r: Array) -> Array:
    """exp(r) − 1 − r for |r| ≤ ln(2)/2; pairs of terms (Estrin), as the C has them."""
    z = r * r
    p01 = 0.49999997 + r * 0.16666545
    p23 = 0.04166811 + r * 0.008366361
    return z * (p01 + z * (p23 + z * 0.0013819096))


def exp_sum(x: Array, low: Array | float) -> Array:
    """exp(x + low) for a low far below x; 2^k is two factors, because it can be out of range."""
    high = select(x > 89.0, 89.0, x)
    y = select(high < -104.0, -104.0, high)
    tail = select(y == x, low, 0.0)
    t = y * 1.442695 + 12583166.0
    k = t - 12583166.0
    a = y - k * 0.69314575
    b = k * 1.4286068e-06 - tail
    p = 1.0 + (a + (exp_core(a - b) - b))
    n = bits(t)
    h = n >> np.uint32(1)
    return (p * from_bits(h << np.uint32(23))) * from_bits((n - h) << np.uint32(23))


def exp(x: Array) -> Array:
    """e to the power x."""
    return exp_sum(x, 0.0)


def exp_down(x: Array) -> Array:
    """exp(x) for x ≤ 0, the same bits for less work: 2^(k + 64) is always in range."""
    y = select(x < -104.0, -104.0, x)
    t = y * 1.442695 + 12583063.0
    k = t - 12583063.0
    a = y - k * 0.69314575
    b = k * 1.4286068e-06
    p = 1.0 + (a + (exp_core(a - b) - b))
    return (p * from_bits(bits(t) << np.uint32(23))) * 5.9604645e-08


def sig(x: Array) -> Array:
    """1 / (1 + exp(−x))."""
    e = exp_down(-absolute(x))
    top = select(x >= 0.0, 1.0, e)
    return top / (1.0 + e)


def tanh(x: Array) -> Array:
    """The hyperbolic tangent: −m / (2 + m) with m = exp(−2|x|) − 1."""
    u = absolute(x)
    y = select(u > 10.0, -20.0, -2.0 * u)
    t = y * 1.442695 + 12583039.0
    k = t - 12583039.0
    s = from_bits(bits(t) << np.uint32(23))
    a = y - k * 0.69314575
    b = k * 1.4286068e-06
    g = exp_core(a - b) - b
    q = a + g
    q_low = (a - q) + g
    c = s * q
    h = s - 1.0
    m = h + c
    m_low = ((h - m) + c) + s * q_low
    v = (0.0 - m) / ((s + 1.0) + (c + m_low * (6.4 + 4.8 * m)))
    return from_bits(bits(v) | (bits(x) & np.uint32(0x80000000)))


def softmax(*z: Array) -> list[Array]:
    """exp(z_i) over the sum of all exp(z_j), as a list."""
    if not z:
        return []
    m = z[0]
    for v in z[1:]:
        m = maximum(m, v)
    e = [exp_down(v - m) for v in z]
    s = e[0]
    for v in e[1:]:
        s = s + v
    return [v / s for v in e]


def log(x: Array) -> Array:
    """The natural logarithm of |x|, and 0 at 0."""
    a = absolute(x)
    u = select(a < 1.1754944e-38, a * 33554432.0, a)
    bias = select(a < 1.1754944e-38, 8388760.0, 8388735.0)
    n = bits(u)
    e = (n + np.uint32(0x004AFB0D)) >> np.uint32(23)
    k = from_bits(e | np.uint32(0x4B000000)) - bias
    m = from_bits((n - (e << np.uint32(23))) + np.uint32(0x3F800000))
    f = m - 1.0
    s = f / (2.0 + f)
    z = s * s
    q = 0.28537303 + z * 0.23582314
    h = 0.5 * f * f
    q = 0.40000334 + z * q
    q = 0.6666666 + z * q
    v = s * (h + z * q) + k * 1.4286068e-06
    v = k * 0.69314575 - ((h - v) - f)
    v = select(a <= 3.4028235e38, v, a)
    return select(a == 0.0, 0.0, v)


def sum_error(a: Array, b: Array | float, s: Array) -> Array:
    """What rounding took from s = a + b (Knuth)."""
    c = s - a
    error: Array = (a - (s - c)) + (b - c)
    return error


def product_error(a: Array, b: Array, p: Array) -> Array:
    """What rounding took from p = a · b (Veltkamp, Dekker)."""
    c = a * 4097.0
    d = b * 4097.0
    ah = c - (c - a)
    bh = d - (d - b)
    al = a - ah
    bl = b - bh
    return ((ah * bh - p) + ah * bl + al * bh) + al * bl


def turn(x: Array, quarter: int) -> Array:
    """sin(x + quarter · π/2), and of 0 in place of an x out of the domain."""
    a = absolute(x)
    y = select(a <= 1000000.0, a, 0.0)
    n = bits(y).astype(np.uint64)
    s = np.where(y < 0.00024414062, np.uint64(52), np.uint64(152) - (n >> np.uint64(23)))
    left = np.where(s <= 32, np.uint64(32) - s, np.uint64(0))
    right = np.where(s <= 32, np.uint64(0), s - np.uint64(32))
    m = (n & np.uint64(0x007FFFFF)) | np.uint64(0x00800000)
    f = (((m * np.uint64(0xA2F9836E)) << left) >> right) + ((m * np.uint64(0x4E441529)) >> s)
    k = np.where(y < 0.00024414062, np.uint64(0), (f + np.uint64(1 << 61)) >> np.uint64(62))
    r = (f - (k << np.uint64(62))).view(np.int64).astype(np.float32) * 3.4061215e-19
    r = select(y < 0.00024414062, y, r)
    z = r * r
    sine = r + z * r * (-0.16666655 + z * (0.008332177 + z * -0.00019517202))
    cosine = (1.0 - 0.5 * z) + z * z * (0.041666646 + z * (-0.0013887367 + z * 2.4438388e-05))
    k = k + np.uint64(quarter)
    v = select((k & np.uint64(1)) == 0, sine, cosine)
    v = select((k & np.uint64(2)) == 0, v, -v)
    return select(x != x, x, v)


def sin(x: Array) -> Array:
    """The sine for |x| ≤ 1e6, and 0 beyond."""
    v = turn(x, 0)
    v = select(x < 0.0, 0.0 - v, v)
    return select(x == 0.0, x, v)


def cos(x: Array) -> Array:
    """The cosine for |x| ≤ 1e6, and 1 beyond."""
    return turn(x, 1)


def power(x: Array, b: Array) -> Array:
    """|x| to the power b, and 0 at x = 0 unless b is 0; the log and the product are sums of two."""
    a = absolute(x)
    u = select(a < 1.1754944e-38, a * 33554432.0, a)
    bias = select(a < 1.1754944e-38, 8388760.0, 8388735.0)
    n = bits(u)
    e = (n + np.uint32(0x004AFB0D)) >> np.uint32(23)
    k = from_bits(e | np.uint32(0x4B000000)) - bias
    m = from_bits((n - (e << np.uint32(23))) + np.uint32(0x3F800000))
    f = m - 1.0
    g = m + 1.0
    g_low = sum_error(m, 1.0, g)
    s = f / g
    sg = s * g
    s_low = (((f - sg) - product_error(s, g, sg)) - s * g_low) / g
    z = s * s
    z_low = product_error(s, s, z) + 2.0 * s * s_low
    q = 0.11092505 + z * 0.097339675
    q = 0.14285937 + z * q
    q = 0.19999999 + z * q
    q = z * q
    c = 0.33333334 + q
    v = z * c
    v_low = z * (((0.33333334 - c) + q) + -9.934108e-09) + z_low * c
    v_low = product_error(z, c, v) + v_low
    w = s * v
    w_low = product_error(s, v, w) + (s * v_low + s_low * v)
    h = s + w
    h_low = ((s - h) + w) + (s_low + w_low)
    y = k * 0.69314575
    p = y + 2.0 * h
    y_low = ((y - p) + 2.0 * h) + (k * 1.4286068e-06 + 2.0 * h_low)
    ln = p + y_low
    ln_low = (p - ln) + y_low
    c = select(b > 68719476736.0, 68719476736.0, b)
    c = select(c < -68719476736.0, -68719476736.0, c)
    p = c * ln
    v = exp_sum(p, product_error(c, ln, p) + c * ln_low)
    w = select(b < 0.0, 0.0, 1.0)
    w = select(b > 0.0, a, w)
    v = select(a > 3.4028235e38, w, v)
    w = select(b == 0.0, 1.0, 0.0)
    v = select(a == 0.0, w, v)
    v = select(b != b, b, v)
    return select(a != a, a, v)
