"""The arithmetic on Python floats; each public function has an entry in the table of functions.

Every other language is printed from here by `python -m dsgec.arithmetic.generate`. `read.py` says
which part of Python may be used. No function raises, whatever its arguments.
"""

import math

from dsgec.arithmetic.core import (
    BIAS,
    BIAS_NORMAL,
    EXPONENT,
    HUGE,
    LARGEST,
    LEAST_NORMAL,
    LN2,
    LN2_LOW,
    LOG2_E,
    LOG_SERIES,
    MANTISSA,
    NORMAL,
    ONE,
    POWER_SERIES,
    ROOT_HALF,
    ROUND,
    TANH_IS_ONE,
    TANH_LEAST,
    THIRD,
    THIRD_LOW,
    exp_core,
    exp_down,
    exp_sum,
    product_error,
    sum_error,
)
from dsgec.arithmetic.entry import function
from dsgec.arithmetic.primitives import bits, from_bits, horner


@function(
    "a / b; 1 where b is 0, whatever a; NaN from NaN otherwise.",
    lambda a, b, y: 0.0 if b == 0.0 else 1.0 / b,
    lambda a, b, y: 0.0 if b == 0.0 else -(y / b),
    ulp=0.5,
    aliases=("pdiv", "divide"),
)
def div(a: float, b: float) -> float:
    """a / b, and 1 where b is 0."""
    d = 1.0 if b == 0.0 else b
    q = a / d
    return 1.0 if b == 0.0 else q


@function(
    "−x, also of 0, infinity and NaN.",
    lambda x, y: -1.0,
    ulp=0.0,
    onnx="Neg",
)
def neg(x: float) -> float:
    """The number with its sign flipped."""
    return -x


@function(
    "|x|; infinity at ±infinity, NaN at NaN.",
    lambda x, y: 0.0 if x == 0.0 else (-1.0 if x < 0.0 else 1.0),
    name="abs",
    ulp=0.0,
    onnx="Abs",
)
def absolute(x: float) -> float:
    """The number without its sign."""
    return math.fabs(x)


@function(
    "The smaller; b where they are equal; NaN if either is.",
    lambda a, b, y: 1.0 if a < b else 0.0,
    lambda a, b, y: 0.0 if a < b else 1.0,
    name="min",
    ulp=0.0,
    onnx="Min",
)
def minimum(a: float, b: float) -> float:
    """The smaller of two numbers, and NaN if either is."""
    n = a if a != a else b
    return a if a < b else n


@function(
    "The greater; b where they are equal; NaN if either is.",
    lambda a, b, y: 1.0 if a > b else 0.0,
    lambda a, b, y: 0.0 if a > b else 1.0,
    name="max",
    ulp=0.0,
    onnx="Max",
)
def maximum(a: float, b: float) -> float:
    """The greater of two numbers, and NaN if either is."""
    n = a if a != a else b
    return a if a > b else n


@function(
    "0 below 0, otherwise x, so −0 and NaN stay.",
    lambda x, y: 1.0 if x > 0.0 else 0.0,
    ulp=0.0,
    is_activation=True,
    onnx="Relu",
)
def relu(x: float) -> float:
    """x, and 0 below 0."""
    return 0.0 if x < 0.0 else x


@function(
    "0 below 0, 4 above 4, otherwise x, so −0 and NaN stay.",
    lambda x, y: 1.0 if x * (4.0 - x) > 0.0 else 0.0,
    ulp=0.0,
    is_activation=True,
)
def clip(x: float) -> float:
    """x, 0 below 0 and 4 above 4."""
    v = 4.0 if x > 4.0 else x
    return 0.0 if x < 0.0 else v


@function(
    "b where a is NaN, otherwise a.",
    lambda a, b, y: 0.0 if a != a else 1.0,
    lambda a, b, y: 1.0 if a != a else 0.0,
    ulp=0.0,
    is_encoding=True,
    onnx=lambda o, a, b: o.Where(o.IsNaN(a), b, a),
)
def fill(a: float, b: float) -> float:
    """a, and b where a is NaN."""
    return b if a != a else a


@function(
    "1 where a equals b, otherwise 0, also at NaN.",
    lambda a, b, y: 0.0,
    lambda a, b, y: 0.0,
    name="is",
    ulp=0.0,
    is_encoding=True,
)
def equals(a: float, b: float) -> float:
    """1 where two numbers are equal, otherwise 0."""
    return 1.0 if a == b else 0.0


@function(
    "√|x|; infinity at ±infinity, NaN at NaN.",
    lambda x, y: 0.0 if x == 0.0 else (-0.5 if x < 0.0 else 0.5) / y,
    ulp=0.5,
    aliases=("psqrt",),
)
def sqrt(x: float) -> float:
    """The square root of |x|."""
    return math.sqrt(absolute(x))


@function(
    "e^x; infinity from overflow on, subnormals and then 0 below; 0 and infinity at ∓infinity,"
    " NaN at NaN.",
    lambda x, y: y,
    ulp=1.0,
    onnx="Exp",
)
def exp(x: float) -> float:
    """e to the power x."""
    return exp_sum(x, 0.0)


@function(
    "1 / (1 + e^−x); 0 and 1 at ∓infinity, NaN at NaN.",
    lambda x, y: y * (1.0 - y),
    ulp=2.5,
    aliases=("sigmoid", "logistic"),
    is_activation=True,
    is_bounded=True,
    onnx="Sigmoid",
)
def sig(x: float) -> float:
    """1 / (1 + exp(−x))."""
    e = exp_down(-absolute(x))
    top = 1.0 if x >= 0.0 else e
    return top / (1.0 + e)


# With m = exp(-2|x|) - 1 it is -m / (2 + m), and m = (2^k - 1) + 2^k * q with q = exp(a - b) - 1
# keeps its digits where x is small: no second polynomial. What rounding takes from m is given
# back by the divisor, where it costs no rounding: its share is -2/m, about 6.4 + 4.8 m.
@function(
    "tanh x; −0 stays; ±1 at ±infinity, NaN at NaN.",
    lambda x, y: (1.0 - y) * (1.0 + y),
    ulp=2.0,
    is_activation=True,
    is_bounded=True,
    onnx="Tanh",
)
def tanh(x: float) -> float:
    """The hyperbolic tangent: −m / (2 + m) with m = exp(−2|x|) − 1."""
    u = absolute(x)
    y = TANH_LEAST if u > TANH_IS_ONE else -2.0 * u
    t = y * LOG2_E + ROUND
    k = t - ROUND
    s = from_bits(bits(t) << MANTISSA)
    a = y - k * LN2
    b = k * LN2_LOW
    g = exp_core(a - b) - b
    q = a + g
    q_low = (a - q) + g
    c = s * q
    h = s - 1.0
    m = h + c
    m_low = ((h - m) + c) + s * q_low
    v = (0.0 - m) / ((s + 1.0) + (c + m_low * (6.4 + 4.8 * m)))
    return math.copysign(v, x)


@function(
    "e^z_i / Σ e^z_j with the greatest z taken off first, summed from left to right (the error"
    " counts from the rounded differences on, for up to six arguments); all NaN if any z is NaN"
    " or +infinity, or all are −infinity.",
    lambda y, other, same: y * (same - other),
    ulp=4.0,
)
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


# |x| = 2^k * m with m from sqrt(1/2) to sqrt(2), and log(m) = 2 atanh(s) with s = (m - 1)/(m + 1).
# Or-ing the exponent into 2^{52|23} makes it a {double|float} without a conversion.
@function(
    "ln |x|; 0 at ±0; infinity at ±infinity, NaN at NaN.",
    lambda x, y: 0.0 if x == 0.0 else 1.0 / x,
    ulp=1.0,
    aliases=("ln", "plog"),
    onnx=lambda o, x: o.Where(o.Equal(x, 0.0), 0.0, o.Log(o.Abs(x))),
)
def log(x: float) -> float:
    """The natural logarithm of |x|, and 0 at 0."""
    a = absolute(x)
    u = a * NORMAL if a < LEAST_NORMAL else a
    bias = BIAS_NORMAL if a < LEAST_NORMAL else BIAS
    n = bits(u)
    e = (n + ROOT_HALF) >> MANTISSA
    k = from_bits(e | EXPONENT) - bias
    m = from_bits((n - (e << MANTISSA)) + ONE)
    f = m - 1.0
    s = f / (2.0 + f)
    z = s * s
    h = 0.5 * f * f
    q = horner(z, LOG_SERIES)
    v = s * (h + z * q) + k * LN2_LOW
    v = k * LN2 - ((h - v) - f)
    v = v if a <= LARGEST else a
    return 0.0 if a == 0.0 else v


# sin(x + quarter * pi/2), and of 0 in place of an x out of the domain. pi/2 is three parts of 33
# bits, exact times k, and a tail, so that r + d keeps all digits beside a multiple of pi/2.
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


@function(
    "sin x for |x| ≤ 1e6, and 0 beyond, also at ±infinity; NaN at NaN.",
    lambda x, y: 0.0 if absolute(x) > 1000000.0 else turn(x, 1),
    ulp=1.0,
    onnx=lambda o, x: o.Sin(o.Where(o.LessOrEqual(o.Abs(x), 1e6), x, 0.0)),
)
def sin(x: float) -> float:
    """The sine for |x| ≤ 1e6, and 0 beyond."""
    v = turn(x, 0)
    return x if x == 0.0 else v


@function(
    "cos x for |x| ≤ 1e6, and 1 beyond, also at ±infinity; NaN at NaN.",
    lambda x, y: -sin(x),
    ulp=1.0,
    onnx=lambda o, x: o.Cos(o.Where(o.LessOrEqual(o.Abs(x), 1e6), x, 0.0)),
)
def cos(x: float) -> float:
    """The cosine for |x| ≤ 1e6, and 1 beyond."""
    return turn(x, 1)


# |x|^b = exp(b * log|x|) with the logarithm and the product as sums of two {doubles|floats}. As in
# log, s = (m - 1)/(m + 1); here log(m) = 2 (s + s v), v = z (1/3 + z q), z = s^2. |b| > 2^{65|36}
# gives what 2^{65|36} gives: 0, 1 or infinity.
@function(
    "|a|^b; 1 where b is 0 or |a| is 1; 0 where a is 0 and b is not; where |a| is infinity,"
    " infinity for b > 0 and 0 for b < 0; where b is ±infinity, the limit: 0 or infinity; NaN"
    " if either is NaN.",
    lambda x, b, y: 0.0 if x == 0.0 else b * y / x,
    lambda x, b, y: y * log(x),
    ulp=1.5,
    onnx=lambda o, x, b: o.Where(
        o.Equal(x, 0.0), o.Where(o.Equal(b, 0.0), 1.0, 0.0), o.Pow(o.Abs(x), b)
    ),
)
def power(x: float, b: float) -> float:
    """|x| to the power b, and 0 at x = 0 unless b is 0; the log and the product are sums of two."""
    a = absolute(x)
    u = a * NORMAL if a < LEAST_NORMAL else a
    bias = BIAS_NORMAL if a < LEAST_NORMAL else BIAS
    n = bits(u)
    e = (n + ROOT_HALF) >> MANTISSA
    k = from_bits(e | EXPONENT) - bias
    m = from_bits((n - (e << MANTISSA)) + ONE)
    f = m - 1.0
    g = m + 1.0
    g_low = sum_error(m, 1.0, g)
    s = f / g
    sg = s * g
    s_low = (((f - sg) - product_error(s, g, sg)) - s * g_low) / g
    z = s * s
    z_low = product_error(s, s, z) + 2.0 * s * s_low
    q = horner(z, POWER_SERIES)
    q = z * q
    c = THIRD + q
    v = z * c
    v_low = z * (((THIRD - c) + q) + THIRD_LOW) + z_low * c
    v_low = product_error(z, c, v) + v_low
    w = s * v
    w_low = product_error(s, v, w) + (s * v_low + s_low * v)
    h = s + w
    h_low = ((s - h) + w) + (s_low + w_low)
    y = k * LN2
    p = y + 2.0 * h
    y_low = ((y - p) + 2.0 * h) + (k * LN2_LOW + 2.0 * h_low)
    ln = p + y_low
    ln_low = (p - ln) + y_low
    c = HUGE if b > HUGE else b
    c = -HUGE if c < -HUGE else c
    p = c * ln
    v = exp_sum(p, product_error(c, ln, p) + c * ln_low)
    w = 0.0 if b < 0.0 else 1.0
    w = a if b > 0.0 else w
    v = w if a > LARGEST else v
    w = 1.0 if b == 0.0 else 0.0
    v = w if a == 0.0 else v
    v = b if b != b else v
    return a if a != a else v
