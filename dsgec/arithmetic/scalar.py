"""The one arithmetic on Python floats: the operations of `templates/c/arithmetic.c`, in its order.

The reasons for each step stand in the C. No function raises, whatever the numbers.
"""

import math
import struct


def bits(x: float) -> int:
    """The 64 bits of a double."""
    return int.from_bytes(struct.pack("<d", x), "little")


def from_bits(n: int) -> float:
    """The double that has the low 64 of these bits."""
    return float(struct.unpack("<d", (n & 0xFFFFFFFFFFFFFFFF).to_bytes(8, "little"))[0])


def div(a: float, b: float) -> float:
    """a / b, and 1 where b is 0."""
    d = 1.0 if b == 0.0 else b
    q = a / d
    return 1.0 if b == 0.0 else q


def neg(x: float) -> float:
    """The number with its sign flipped."""
    return -x


def absolute(x: float) -> float:
    """The number without its sign."""
    return math.fabs(x)


def minimum(a: float, b: float) -> float:
    """The smaller of two numbers, and NaN if either is."""
    n = a if a != a else b
    return a if a < b else n


def maximum(a: float, b: float) -> float:
    """The greater of two numbers, and NaN if either is."""
    n = a if a != a else b
    return a if a > b else n


def relu(x: float) -> float:
    """x, and 0 below 0."""
    return 0.0 if x < 0.0 else x


def fill(a: float, b: float) -> float:
    """a, and b where a is NaN."""
    return b if a != a else a


def equals(a: float, b: float) -> float:
    """1 where two numbers are equal, otherwise 0."""
    return 1.0 if a == b else 0.0


def sqrt(x: float) -> float:
    """The square root of |x|."""
    return math.sqrt(absolute(x))


def exp_core(r: float) -> float:
    """exp(r) − 1 − r for |r| ≤ ln(2)/2; pairs of terms (Estrin), as the C has them."""
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


def exp_sum(x: float, low: float) -> float:
    """exp(x + low) for a low far below x; 2^k is two factors, because it can be out of range."""
    high = 710.0 if x > 710.0 else x
    y = -746.0 if high < -746.0 else high
    tail = low if y == x else 0.0
    t = y * 1.4426950408889634 + 6755399441057790.0
    k = t - 6755399441057790.0
    a = y - k * 0.6931471805598903
    b = k * 5.497923018708371e-14 - tail
    p = 1.0 + (a + (exp_core(a - b) - b))
    n = bits(t)
    h = n >> 1
    return (p * from_bits(h << 52)) * from_bits((n - h) << 52)


def exp(x: float) -> float:
    """e to the power x."""
    return exp_sum(x, 0.0)


def exp_down(x: float) -> float:
    """exp(x) for x ≤ 0, the same bits for less work: 2^(k + 64) is always in range."""
    y = -746.0 if x < -746.0 else x
    t = y * 1.4426950408889634 + 6755399441056831.0
    k = t - 6755399441056831.0
    a = y - k * 0.6931471805598903
    b = k * 5.497923018708371e-14
    p = 1.0 + (a + (exp_core(a - b) - b))
    return (p * from_bits(bits(t) << 52)) * 5.421010862427522e-20


def sig(x: float) -> float:
    """1 / (1 + exp(−x))."""
    e = exp_down(-absolute(x))
    top = 1.0 if x >= 0.0 else e
    return top / (1.0 + e)


def tanh(x: float) -> float:
    """The hyperbolic tangent: −m / (2 + m) with m = exp(−2|x|) − 1."""
    u = absolute(x)
    y = -40.0 if u > 20.0 else -2.0 * u
    t = y * 1.4426950408889634 + 6755399441056767.0
    k = t - 6755399441056767.0
    s = from_bits(bits(t) << 52)
    a = y - k * 0.6931471805598903
    b = k * 5.497923018708371e-14
    g = exp_core(a - b) - b
    q = a + g
    q_low = (a - q) + g
    c = s * q
    h = s - 1.0
    m = h + c
    m_low = ((h - m) + c) + s * q_low
    v = (0.0 - m) / ((s + 1.0) + (c + m_low * (6.4 + 4.8 * m)))
    return math.copysign(v, x)


def softmax(*z: float) -> list[float]:
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


def log(x: float) -> float:
    """The natural logarithm of |x|, and 0 at 0."""
    a = absolute(x)
    u = a * 18014398509481984.0 if a < 2.2250738585072014e-308 else a
    bias = 4503599627371573.0 if a < 2.2250738585072014e-308 else 4503599627371519.0
    n = bits(u)
    e = (n + 0x00095F619980C433) >> 52
    k = from_bits(e | 0x4330000000000000) - bias
    m = from_bits((n - (e << 52)) + 0x3FF0000000000000)
    f = m - 1.0
    s = f / (2.0 + f)
    z = s * s
    q = 0.15314035190282466 + z * 0.1479611186642276
    h = 0.5 * f * f
    q = 0.18183564892133203 + z * q
    q = 0.22222198562983544 + z * q
    q = 0.2857142874248006 + z * q
    q = 0.39999999999414293 + z * q
    q = 0.6666666666666734 + z * q
    v = s * (h + z * q) + k * 5.497923018708371e-14
    v = k * 0.6931471805598903 - ((h - v) - f)
    v = v if a <= 1.7976931348623157e308 else a
    return 0.0 if a == 0.0 else v


def sum_error(a: float, b: float, s: float) -> float:
    """What rounding took from s = a + b (Knuth)."""
    c = s - a
    return (a - (s - c)) + (b - c)


def product_error(a: float, b: float, p: float) -> float:
    """What rounding took from p = a · b (Veltkamp, Dekker)."""
    c = a * 134217729.0
    d = b * 134217729.0
    ah = c - (c - a)
    bh = d - (d - b)
    al = a - ah
    bl = b - bh
    return ((ah * bh - p) + ah * bl + al * bh) + al * bl


def turn(x: float, quarter: int) -> float:
    """sin(x + quarter · π/2), and of 0 in place of an x out of the domain."""
    y = x if absolute(x) <= 1000000.0 else 0.0
    t = y * 0.6366197723675814 + 6755399441055744.0
    k = t - 6755399441055744.0
    n = bits(t) + quarter
    h1 = y - k * 1.5707963267341256
    b2 = k * 6.077100506303966e-11
    h2 = h1 - b2
    e2 = sum_error(h1, -b2, h2)
    b3 = k * 2.0222662487111665e-21
    h3 = h2 - b3
    e3 = sum_error(h2, -b3, h3)
    low = (e2 + e3) - k * 8.4784276603689e-32
    r = h3 + low
    d = (h3 - r) + low
    z = r * r
    h = 0.5 * z
    w = 1.0 - h
    p = -2.5050758113532378e-08 + z * 1.589679549745234e-10
    q = 2.0875723307482948e-09 + z * -1.1359649494725844e-11
    p = 2.755731369191356e-06 + z * p
    q = -2.755731435259117e-07 + z * q
    p = -0.00019841269829807813 + z * p
    q = 2.4801587289483072e-05 + z * q
    p = 0.008333333333322413 + z * p
    q = -0.0013888888888874125 + z * q
    p = -0.16666666666666632 + z * p
    q = 0.0416666666666666 + z * q
    sine = r + (z * r * p + d * w)
    cosine = w + (((1.0 - w) - h) + (z * z * q - r * d))
    v = sine if (n & 1) == 0 else cosine
    v = v if (n & 2) == 0 else -v
    return x if x != x else v


def sin(x: float) -> float:
    """The sine for |x| ≤ 1e6, and 0 beyond."""
    v = turn(x, 0)
    return x if x == 0.0 else v


def cos(x: float) -> float:
    """The cosine for |x| ≤ 1e6, and 1 beyond."""
    return turn(x, 1)


def power(x: float, b: float) -> float:
    """|x| to the power b, and 0 at x = 0 unless b is 0; the log and the product are sums of two."""
    a = absolute(x)
    u = a * 18014398509481984.0 if a < 2.2250738585072014e-308 else a
    bias = 4503599627371573.0 if a < 2.2250738585072014e-308 else 4503599627371519.0
    n = bits(u)
    e = (n + 0x00095F619980C433) >> 52
    k = from_bits(e | 0x4330000000000000) - bias
    m = from_bits((n - (e << 52)) + 0x3FF0000000000000)
    f = m - 1.0
    g = m + 1.0
    g_low = sum_error(m, 1.0, g)
    s = f / g
    sg = s * g
    s_low = (((f - sg) - product_error(s, g, sg)) - s * g_low) / g
    z = s * s
    z_low = product_error(s, s, z) + 2.0 * s * s_low
    q = 0.05837409588627797 + z * 0.05994504672492568
    q = 0.06668158688379339 + z * q
    q = 0.07692278436125195 + z * q
    q = 0.09090909435148431 + z * q
    q = 0.11111111108768279 + z * q
    q = 0.14285714285722556 + z * q
    q = 0.1999999999999999 + z * q
    q = z * q
    c = 0.3333333333333333 + q
    v = z * c
    v_low = z * (((0.3333333333333333 - c) + q) + 1.850371707708594e-17) + z_low * c
    v_low = product_error(z, c, v) + v_low
    w = s * v
    w_low = product_error(s, v, w) + (s * v_low + s_low * v)
    h = s + w
    h_low = ((s - h) + w) + (s_low + w_low)
    y = k * 0.6931471805598903
    p = y + 2.0 * h
    y_low = ((y - p) + 2.0 * h) + (k * 5.497923018708371e-14 + 2.0 * h_low)
    ln = p + y_low
    ln_low = (p - ln) + y_low
    c = 36893488147419103232.0 if b > 36893488147419103232.0 else b
    c = -36893488147419103232.0 if c < -36893488147419103232.0 else c
    p = c * ln
    v = exp_sum(p, product_error(c, ln, p) + c * ln_low)
    w = 0.0 if b < 0.0 else 1.0
    w = a if b > 0.0 else w
    v = w if a > 1.7976931348623157e308 else v
    w = 1.0 if b == 0.0 else 0.0
    v = w if a == 0.0 else v
    v = b if b != b else v
    return a if a != a else v
