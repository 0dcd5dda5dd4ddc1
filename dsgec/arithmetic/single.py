"""Functions that replace those of the same names in single precision.

Only the printers read this file: Python's floats are doubles. A `Wide` has 64 bits, an int 32.
"""

from dsgec.arithmetic.primitives import Wide, bits, signed
from dsgec.arithmetic.scalar import absolute


# exp(r) - 1 - r for |r| <= ln(2)/2.
def exp_core(r: float) -> float:
    """exp(r) − 1 − r for |r| ≤ ln(2)/2."""
    z = r * r
    p01 = 0.49999997 + r * 0.16666545
    p23 = 0.04166811 + r * 0.008366361
    return z * (p01 + z * (p23 + z * 0.0013819096))


# sin(|x| + quarter * pi/2), and of 0 in place of an x out of the domain. |x| times 2/pi is exact in
# whole numbers, modulo 4, with 62 bits behind the point, so that all digits are kept beside a
# multiple of pi/2.
def turn(x: float, quarter: int) -> float:
    """sin(|x| + quarter · π/2), and of 0 in place of an x out of the domain."""
    a = absolute(x)
    y = a if a <= 1000000.0 else 0.0
    n = bits(y)
    s = 52 if y < 0.00024414062 else 152 - (n >> 23)
    left = 32 - s if s <= 32 else 0
    right = 0 if s <= 32 else s - 32
    m: Wide = (n & 0x007FFFFF) | 0x00800000
    f = (((m * 0xA2F9836E) << left) >> right) + ((m * 0x4E441529) >> s)
    half_up = f + 0x2000000000000000
    k = 0 if y < 0.00024414062 else half_up >> 62
    r = signed(f - (k << 62)) * 3.4061215e-19
    r = y if y < 0.00024414062 else r
    z = r * r
    sine = r + z * r * (-0.16666655 + z * (0.008332177 + z * -0.00019517202))
    cosine = (1.0 - 0.5 * z) + z * z * (0.041666646 + z * (-0.0013887367 + z * 2.4438388e-05))
    k = k + quarter
    v = sine if (k & 1) == 0 else cosine
    v = v if (k & 2) == 0 else -v
    return x if x != x else v


def sin(x: float) -> float:
    """The sine for |x| ≤ 1e6, and 0 beyond."""
    v = turn(x, 0)
    v = 0.0 - v if x < 0.0 else v
    return x if x == 0.0 else v
