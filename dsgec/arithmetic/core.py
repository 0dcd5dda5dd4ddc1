"""Steps and constants that functions of the arithmetic share, on Python floats; see `read.py`."""

from dsgec.arithmetic.primitives import bits, from_bits, number

LARGEST = number(1.7976931348623157e308, 3.4028235e38)
LEAST_NORMAL = number(2.2250738585072014e-308, 1.1754944e-38)
MANTISSA = number(52, 23)
LOG2_E = number(1.4426950408889634, 1.442695)
# ln 2 as a sum of two numbers: k times the first is exact.
LN2 = number(0.6931471805598903, 0.69314575)
LN2_LOW = number(5.497923018708371e-14, 1.4286068e-06)
# 1.5 · 2^52 plus the value for the low bits: the bias of an exponent, or twice that.
ROUND_TWICE = number(6755399441057790.0, 12583166.0)
ROUND_DOWN = number(6755399441056831.0, 12583063.0)
ROUND = number(6755399441056767.0, 12583039.0)
OVERFLOW = number(710.0, 89.0)
UNDERFLOW = number(-746.0, -104.0)
SMALL = number(5.421010862427522e-20, 5.9604645e-08)
SPLIT = number(134217729.0, 4097.0)
# The factor that makes a subnormal number normal, and the biases of exponents without and with it.
NORMAL = number(18014398509481984.0, 33554432.0)
BIAS = number(4503599627371519.0, 8388735.0)
BIAS_NORMAL = number(4503599627371573.0, 8388760.0)
# The distance from the bits of sqrt(1/2) to exponent 0; the exponents of 2^52 and of 1.
ROOT_HALF = number(0x00095F619980C433, 0x004AFB0D)
EXPONENT = number(0x4330000000000000, 0x4B000000)
ONE = number(0x3FF0000000000000, 0x3F800000)
TANH_IS_ONE = number(20.0, 10.0)
TANH_LEAST = number(-40.0, -20.0)
HUGE = number(36893488147419103232.0, 68719476736.0)
LOG_SERIES = number(
    (
        0.6666666666666734,
        0.39999999999414293,
        0.2857142874248006,
        0.22222198562983544,
        0.18183564892133203,
        0.15314035190282466,
        0.1479611186642276,
    ),
    (0.6666666, 0.40000334, 0.28537303, 0.23582314),
)
THIRD = number(0.3333333333333333, 0.33333334)
THIRD_LOW = number(1.850371707708594e-17, -9.934108e-09)
POWER_SERIES = number(
    (
        0.1999999999999999,
        0.14285714285722556,
        0.11111111108768279,
        0.09090909435148431,
        0.07692278436125195,
        0.06668158688379339,
        0.05837409588627797,
        0.05994504672492568,
    ),
    (0.19999999, 0.14285937, 0.11092505, 0.097339675),
)


# exp(r) - 1 - r for |r| <= ln(2)/2. Pairs of terms (Estrin) make a short chain of dependences.
def exp_core(r: float) -> float:
    """exp(r) − 1 − r for |r| ≤ ln(2)/2; pairs of terms (Estrin) make a short chain."""
    z = r * r
    w = z * z
    p01 = 0.5000000000000004 + r * 0.16666666666666496
    p23 = 0.041666666666581656 + r * 0.008333333333462953
    p45 = 0.001388888893022589 + r * 0.00019841269536166674
    p67 = 2.480150667943323e-05 + r * 2.7557587721068823e-06
    p89 = 2.762553676944757e-07 + r * 2.4992450692466455e-08
    low = p01 + z * p23
    high = (p45 + z * p67) + w * p89
    return z * (low + w * high)


# exp(x + low) for a low far below x. The magic number 1.5 * 2^{52|23} + {2046|254} rounds to the
# integer k and leaves k + {2046|254} in the low bits; 2^k is two factors, because it can be out of
# range. a is exact, and a - b is not: so b goes into the sum by way of the small term.
def exp_sum(x: float, low: float) -> float:
    """exp(x + low) for a low far below x; 2^k is two factors, because it can be out of range."""
    high = OVERFLOW if x > OVERFLOW else x
    y = UNDERFLOW if high < UNDERFLOW else high
    tail = low if y == x else 0.0
    t = y * LOG2_E + ROUND_TWICE
    k = t - ROUND_TWICE
    a = y - k * LN2
    b = k * LN2_LOW - tail
    p = 1.0 + (a + (exp_core(a - b) - b))
    n = bits(t)
    h = n >> 1
    return (p * from_bits(h << MANTISSA)) * from_bits((n - h) << MANTISSA)


# exp(x) for x <= 0, the same bits for less work: 2^(k + {64|24}) is always in range.
def exp_down(x: float) -> float:
    """exp(x) for x ≤ 0, the same bits for less work: 2^(k + 64) is always in range."""
    y = UNDERFLOW if x < UNDERFLOW else x
    t = y * LOG2_E + ROUND_DOWN
    k = t - ROUND_DOWN
    scale = from_bits(bits(t) << MANTISSA)
    a = y - k * LN2
    b = k * LN2_LOW
    m = a + (exp_core(a - b) - b)
    return ((1.0 + m) * scale) * SMALL


# What rounding took from s = a + b (Knuth).
def sum_error(a: float, b: float, s: float) -> float:
    """What rounding took from s = a + b (Knuth)."""
    c = s - a
    return (a - (s - c)) + (b - c)


# What rounding took from p = a * b (Veltkamp, Dekker); not fma, which not every target has.
def product_error(a: float, b: float, p: float) -> float:
    """What rounding took from p = a · b (Veltkamp, Dekker)."""
    c = a * SPLIT
    d = b * SPLIT
    ah = c - (c - a)
    bh = d - (d - b)
    al = a - ah
    bl = b - bh
    return ((ah * bh - p) + ah * bl + al * bh) + al * bl
