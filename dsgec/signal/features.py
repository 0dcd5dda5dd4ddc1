"""Features of windows, filters, and what is kept of the samples for them, each defined once.

A function is written in the subset of Python that `dsgec/arithmetic/read.py` describes, on integers
of 32 bits, without division. Its parameters are bound by their names:

- `x`, `y`, `z` are the samples that it is applied to, of channels or filters: integers from
  −`limit` to `limit`. What a filter gives is limited to that range, too.
- The name of something that is kept is its value before this sample in a function that is `kept`,
  its value after this sample in a filter, and its last value in a feature. So features that need
  the same sum share it.
- `at` is the number of this sample in its window; the first has the number 0.
- `delayed` is the sample `lag` samples ago; at the first `lag` samples, it is to be ignored.
- A number of the call, such as `k`; a constant or a table of `constants.py`, such as `window`.

The checker proves for each length of a window that no result leaves 32 bits.
"""

from dsgec.arithmetic.integer import Table, absolute, clamp, maximum, minimum
from dsgec.signal.definition import feature, filtered, kept, short, summed

# Functions that others call.


def root(a: int) -> int:
    """Return the square root of a number that is not negative, rounded down."""
    rest = a
    found = 0
    bit = 1 << 30
    for _i in range(16):
        trial = found + bit
        half = found >> 1
        found = half if rest < trial else half + bit
        rest = rest if rest < trial else rest - trial
        bit = bit >> 2
    return found


# Both numbers are halved until the larger one has 15 bits, so that the sum of the squares has 31.
def hypotenuse(a: int, b: int) -> int:
    """Return the square root of a² + b² for numbers below 2^30, within 2^-13 of it and 1."""
    u = absolute(a)
    v = absolute(b)
    e = 0
    for _i in range(15):
        over = 1 if maximum(u, v) > 32767 else 0
        u = u >> 1 if over > 0 else u
        v = v >> 1 if over > 0 else v
        e = e + over
    p = minimum(u, 32767)
    q = minimum(v, 32767)
    return minimum(root(p * p + q * q) << e, absolute(a) + absolute(b))


def divide(a: int, b: int) -> int:
    """Return a / b, rounded down, for 0 ≤ a < 2^14 b."""
    rest = a
    part = b << 13
    found = 0
    for _i in range(14):
        found = found + found + (0 if rest < part else 1)
        rest = rest if rest < part else rest - part
        part = part >> 1
    return found


# What is clamped is within its limits.
def ratio(a: int, b: int) -> int:
    """Return a / b in units of 2^-14, rounded down, for 0 ≤ a ≤ b ≤ 2^30 and b > 0."""
    rest = a
    found = 0
    for _i in range(15):
        found = found + found + (0 if rest < b else 1)
        rest = clamp(rest if rest < b else rest - b, 0, 1073741823)
        rest = rest + rest
    return found


def spread(total: int, squares: int, window: int, limit: int) -> int:
    """Return the sum of squared distances from the mean, rounded up."""
    s = absolute(total)
    q = minimum(divide(s, window), limit)
    r = clamp(s - q * window, 0, window)
    return maximum(squares - q * (s + r) - divide(r * r, window), 0)


# What is kept of the samples.


@kept(lambda x: x)
def total(total: int, x: int) -> int:
    """The sum of the samples."""
    return total + x


@kept(lambda x: x * x)
def squares(squares: int, x: int) -> int:
    """The sum of their squares."""
    return squares + x * x


@kept(lambda x: x)
def least(least: int, x: int) -> int:
    """The least sample."""
    return minimum(least, x)


@kept(lambda x: x)
def most(most: int, x: int) -> int:
    """The greatest sample."""
    return maximum(most, x)


@kept(lambda: 0)
def place_of_least(place_of_least: int, least: int, x: int, at: int) -> int:
    """Where the least sample is."""
    return at if x < least else place_of_least


@kept(lambda: 0)
def place_of_most(place_of_most: int, most: int, x: int, at: int) -> int:
    """Where the greatest sample is."""
    return at if x > most else place_of_most


@kept(lambda x: x)
def initial(initial: int) -> int:
    """The first sample."""
    return initial


@kept(lambda x: x)
def previous(x: int) -> int:
    """The sample before this one."""
    return x


@kept(lambda x: x)
def before(previous: int) -> int:
    """The sample before the previous one."""
    return previous


@kept(lambda: 0)
def step(previous: int, x: int, limit: int) -> int:
    """The difference from the sample before."""
    return clamp(x - previous, 0 - limit, limit)


@kept(lambda: 0)
def changes(changes: int, previous: int, x: int) -> int:
    """The sum of the absolute differences from one sample to the next."""
    return changes + absolute(x - previous)


@kept(lambda: 0)
def crossings(crossings: int, previous: int, x: int) -> int:
    """How often the samples change between negative and not negative."""
    return crossings + absolute((1 if x < 0 else 0) - (1 if previous < 0 else 0))


@kept(lambda: 0)
def rising(rising: int, previous: int, x: int) -> int:
    """1 after a step upwards, until the next step downwards."""
    return 1 if x > previous else (0 if x < previous else rising)


@kept(lambda: 0)
def tops(tops: int, rising: int, previous: int, x: int) -> int:
    """How many times the samples turn from rising to falling."""
    return tops + (rising if x < previous else 0)


@kept(lambda x, window: x * (1 - window))
def ramp(ramp: int, x: int, at: int, window: int) -> int:
    """The sum of the samples times their distances from the middle of the window, in halves."""
    return ramp + x * (at + at + 1 - window)


@kept(lambda x, begin: x if begin == 0 else 0)
def section(section: int, x: int, at: int, begin: int, end: int) -> int:
    """The sum of the samples in a part of the window."""
    return section + ((x if at < end else 0) if at >= begin else 0)


# Each of these differences is limited, so that its square is that of a sample at most.
@kept(lambda: 0)
def apart(apart: int, x: int, delayed: int, at: int, lag: int, limit: int) -> int:
    """The sum of the squared differences from the samples `lag` earlier."""
    d = clamp(x - delayed, 0 - limit, limit)
    return apart + (0 if at < lag else d * d)


@kept(lambda k: k)
def turn(turn: int, k: int, window: int) -> int:
    """The angle of the next sample in a wave that has k cycles in a window, in parts of a cycle."""
    return turn - (window - k) if turn > window - k - 1 else turn + k


@kept(lambda x: x * 127)
def real(real: int, x: int, turn: int, wave: Table, quarter: int) -> int:
    """The sum of the samples times a cosine."""
    return real + x * wave[turn + quarter]


@kept(lambda: 0)
def imaginary(imaginary: int, x: int, turn: int, wave: Table) -> int:
    """The sum of the samples times a sine."""
    return imaginary + x * wave[turn]


@kept(lambda x, power: x * power)
def slow(slow: int, x: int, shift: int, power: int, limit: int) -> int:
    """The low-pass filtered samples, times 2^shift."""
    return clamp(slow + x - (slow >> shift), 0 - limit * power, limit * power)


# A biquad with a peak gain of 1 and Q = 2; its results have two more bits, its coefficients 13.
@kept(lambda: 0)
def response(
    response: int,
    response_before: int,
    before: int,
    x: int,
    gain: int,
    feedback: int,
    feedback_before: int,
    limit: int,
) -> int:
    """The band-pass filtered samples, times 4."""
    a = gain * 4 * (x - before) - feedback * response - feedback_before * response_before
    return clamp((a + 4096) >> 13, 0 - 4 * limit, 4 * limit)


@kept(lambda: 0)
def response_before(response: int) -> int:
    """The response at the sample before."""
    return response


# Filters.


@filtered("shift")
def lowpass(slow: int, shift: int) -> int:
    """y ← y + (x − y) / 2^shift, from y = x at the first sample."""
    return slow >> shift


@filtered("shift")
def highpass(x: int, slow: int, shift: int, limit: int) -> int:
    """x − lowpass(x, shift)."""
    return clamp(x - (slow >> shift), 0 - limit, limit)


@filtered("k")
def bandpass(response: int, limit: int) -> int:
    """A biquad band-pass around k cycles in a window, with Q = 2 and a peak gain of 1."""
    return clamp((response + 2) >> 2, 0 - limit, limit)


@filtered()
def diff(step: int) -> int:
    """The difference from the sample before; 0 at the first sample."""
    return step


@filtered()
def abs_(x: int) -> int:
    """|x|."""
    return absolute(x)


@filtered(streams=3, least=2)
def magnitude(x: int, y: int, z: int, limit: int) -> int:
    """√(x² + y²), or √(x² + y² + z²), rounded down."""
    return minimum(root(x * x + y * y + z * z), limit)


# Features.


@feature()
def mean(total: int) -> int:
    """The sum of the samples: the mean times `window`."""
    return total


@feature()
def std(total: int, squares: int, window: int, limit: int) -> int:
    """The standard deviation times √window, rounded down."""
    return root(spread(total, squares, window, limit))


@feature()
def rms(squares: int) -> int:
    """The root of the mean square, times √window, rounded down."""
    return root(squares)


@feature()
def min_(least: int) -> int:
    """The least sample."""
    return least


@feature()
def max_(most: int) -> int:
    """The greatest sample."""
    return most


@feature()
def range_(least: int, most: int) -> int:
    """The greatest sample minus the least."""
    return most - least


@feature()
def energy(squares: int) -> int:
    """The sum of the squares of the samples."""
    return squares


@feature()
def first(initial: int) -> int:
    """The first sample."""
    return initial


@feature()
def last(previous: int) -> int:
    """The last sample."""
    return previous


@feature()
def min_at(place_of_least: int) -> int:
    """How many samples come before the least one, the first of them if there are several."""
    return place_of_least


@feature()
def max_at(place_of_most: int) -> int:
    """How many samples come before the greatest one, the first of them if there are several."""
    return place_of_most


@feature()
def slope(ramp: int) -> int:
    """Σ (2t − window + 1) x_t: the slope of the straight line through the samples, scaled."""
    return ramp


@feature()
def mean_change(changes: int) -> int:
    """Σ |x_t − x_(t−1)|: the mean absolute difference times window − 1."""
    return changes


@feature()
def zero_crossings(crossings: int) -> int:
    """How often the samples change between negative and not negative."""
    return crossings


@feature()
def peaks(tops: int) -> int:
    """How many times the samples turn from rising to falling."""
    return tops


@feature("i", "n")
def part(section: int) -> int:
    """The sum of the samples of the i-th of n equal parts of the window."""
    return section


@feature("lag")
def autocorrelation(apart: int, total: int, squares: int, window: int, limit: int) -> int:
    """1 − Σ (x_t − x_(t−lag))² / (2 Σ (x_t − mean)²) in units of 2^-13; 0 at a constant."""
    c = spread(total, squares, window, limit)
    return 8192 - ratio(apart >> 2, maximum(c, apart >> 2)) if c > 0 else 0


@feature("k")
def goertzel(real: int, imaginary: int) -> int:
    """The amplitude at k cycles in a window, times 127 · window / 2."""
    return hypotenuse(real, imaginary)


summed("band", "k", "l", over="goertzel", about="Σ goertzel(x, i) for i from k to l.")
short(
    "mean_crossings",
    text="zero_crossings(highpass(x, 4))",
    about="How often the samples cross lowpass(x, 4), which follows their mean.",
)
