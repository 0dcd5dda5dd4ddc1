"""The arithmetic of fixed point on Python integers.

Every other language is printed from here by `python -m dsgec.arithmetic.generate`; `read.py` says
which part of Python may be used. An int has 32 bits. No function overflows on the arguments that
fixed point passes: values of at most 16 bits and sums below 2^31. A right shift rounds down, also
for negative numbers; only numbers that are not negative are shifted left. There is no division.
"""

Table = list[int]


# The number between two limits that is nearest to a.
def clamp(a: int, least: int, most: int) -> int:
    """The number between two limits that is nearest to a."""
    b = least if a < least else a
    return most if b > most else b


def absolute(a: int) -> int:
    """The number without its sign."""
    return 0 - a if a < 0 else a


def minimum(a: int, b: int) -> int:
    """The smaller of two numbers."""
    return a if a < b else b


def maximum(a: int, b: int) -> int:
    """The greater of two numbers."""
    return a if a > b else b


def fill(a: int, missing: int, b: int) -> int:
    """a, and b where a is what stands for a missing value."""
    return b if a == missing else a


def equals(a: int, b: int) -> int:
    """1 where two numbers are equal, otherwise 0."""
    return 1 if a == b else 0


def greater(a: int, b: int) -> int:
    """1 where a is greater than b, otherwise 0."""
    return 1 if a > b else 0


def selected(c: int, a: int, b: int) -> int:
    """a where c is greater than 0, otherwise b."""
    return a if c > 0 else b


def shifted(a: int, shift: int) -> int:
    """a / 2^shift, rounded down."""
    return a >> shift


# a / 2^shift, rounded to the nearest number, and upwards from the middle.
def rounded(a: int, shift: int) -> int:
    """a / 2^shift, rounded to the nearest number, and upwards from the middle."""
    return (a + ((1 << shift) >> 1)) >> shift


def product(a: int, b: int, shift: int) -> int:
    """a · b / 2^shift, rounded."""
    return rounded(a * b, shift)


# The part is a number of 256ths, from 0 to 255.
def between(a: int, b: int, part: int) -> int:
    """The number that lies a part of the way from a to b, rounded."""
    return a + (((b - a) * part + 128) >> 8)


# The entries stand for first, first + 2^shift, first + 2 * 2^shift ...; between two of them the
# value is on the straight line. There is one more of them than a can reach.
def look(table: Table, a: int, first: int, last: int, shift: int) -> int:
    """The value of a table at a, which is clamped: its entries are 2^shift apart."""
    d = clamp(a, first, last) - first
    i = d >> shift
    r = d - (i << shift)
    y = table[i]
    return y + rounded((table[i + 1] - y) * r, shift)


# Of a function with f(-a) = total - f(a), which is given for numbers that are not negative.
def look_odd(table: Table, a: int, last: int, shift: int, total: int) -> int:
    """The same of a function with f(−a) = total − f(a), given for a ≥ 0."""
    y = look(table, absolute(a), 0, last, shift)
    return total - y if a < 0 else y


# Of a function with f(-a) = f(a).
def look_even(table: Table, a: int, last: int, shift: int) -> int:
    """The same of a function with f(−a) = f(a), given for a ≥ 0."""
    return look(table, absolute(a), 0, last, shift)


# 2^29 / m for m from 2^14 to 2^15 - 1, within 1, and at most 2^15 - 1: a straight line, then three
# steps of Newton's, each of which takes the part of the error away that the one before it has left.
def reciprocal(m: int) -> int:
    """2^29 / m for m from 2^14 to 2^15 − 1, within 1, and at most 2^15 − 1."""
    a = 46261 - ((m * 30840) >> 15)
    b = a + ((((536870912 - m * a) >> 14) * a) >> 15)
    c = b + ((((536870912 - m * b) >> 9) * b) >> 20)
    d = c + rounded(((536870912 - m * c) >> 4) * c, 25)
    return minimum(d, 32767)


# How often a number from 1 to 2^15 - 1 can be doubled until it has 15 bits.
def room(a: int) -> int:
    """How often a number from 1 to 2^15 − 1 can be doubled until it has 15 bits."""
    e = 8 if a < 128 else 0
    b = a << e
    f = 4 if b < 2048 else 0
    c = b << f
    g = 2 if c < 8192 else 0
    d = c << g
    h = 1 if d < 16384 else 0
    return e + f + g + h


# How often a number from 2^14 on must be halved until it has 15 bits.
def excess(a: int) -> int:
    """How often a number from 2^14 on must be halved until it has 15 bits."""
    e = 8 if a >= 8388608 else 0
    b = a >> e
    f = 4 if b >= 524288 else 0
    c = b >> f
    g = 2 if c >= 131072 else 0
    d = c >> g
    h = 1 if d >= 65536 else 0
    i = 1 if (d >> h) >= 32768 else 0
    return e + f + g + h + i


# a / b * 2^(29 - shift) for a b that is not 0, by way of the reciprocal of its first 15 bits.
def quotient(a: int, b: int, shift: int) -> int:
    """a / b · 2^(29 − shift) for a b that is not 0."""
    u = absolute(b)
    k = room(u)
    q = product(a, reciprocal(u << k), shift - k)
    return 0 - q if b < 0 else q
