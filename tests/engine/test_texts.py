"""The engine's parser and tape accept what the reference accepts, with the same values."""

import random

import numpy as np
import pytest

from dsgec.engine.engine import NATIVE
from dsgec.network.evaluate import evaluate
from dsgec.network.simplify import simplify
from dsgec.network.syntax import PhenotypeError
from dsgec.search.settings import Settings
from tests.support.compilers import fast_engine
from tests.support.engine_runs import FAST_FLAGS, make, make_data
from tests.support.example_grammars import FLAT, LAYERED
from tests.support.random_networks import expression, number, rows, same_bits
from tests.support.random_phenotypes import mutate_text

pytestmark = pytest.mark.needs_cc

TEXTS = [
    *("x_1", "x1", "x[0]", "x[ : , 1 ]", "x[:2]", "x[ 1 ]", "x_0", "x0", "x_4", "x[3]", "x[-1]"),
    *("x_01", "x_0000001", "x_00000001", "x_1_", "x_1[", "x_1.5", "x_1 .5", "x", "xx", "x_", "x ["),
    *("1", "1.", ".5", ".", "1e5", "1e", "1e+5", "1.e-5", "1e400", "-1e400", "1e-400", "- 1", "+1"),
    *("-x_1", "--x_1", "-+-x_1", "-2^2", "-2 ^ 2", "- 2**2", "2^-2", "2^-x_1", "2^-x_1^2"),
    *("x_1^2^3", "x_1^-3", "x_1^0", "x_1^-0", "x_1^1", "x_1^64", "x_1^65", "x_1^(2)", "x_1^(1+1)"),
    *("(0/0)^0", "x_1^1e1", "x_1^2.0", "x_1^+2", "x_1^- 2", "2^3", "2^0.5", "x_1^x_2", "x_1**2"),
    *("sig(x_1)", "sig (x_1)", "sig x_1", "sig", "_sig_(x_1)", "np.sig(x_1)", "np._sig(x_1)"),
    *("__np.sig(x_1)", "np.np.sig(x_1)", "sigmoid(1)", "logistic(x_2)", "ln(x_1)", "plog(x_1)"),
    *("psqrt(x_1)", "divide(x_1,x_2)", "pdiv(1,0)", "min(x_1)", "min(x_1,2)", "min(x_1,2,3)"),
    *("neg(x_1)", "pow(x_1,2)", "pow(x_1,1+1)", "power(x_1,2)", "add(1,x_1)", "sub(1,x_1)"),
    *("mul(x_1,x_2)", "sig()", "sig(,)", "(x_1,x_2)", "(x_1", "x_1)", "()", "", " ", "x_1 x_2"),
    *("softmax(x_1,x_2)", "softmax(x_1)", "+softmax(x_1,x_2)", "-softmax(1,2)", "(softmax(1,2))"),
    *("softmax(x_1,x_2)+1", "1+softmax(1,2)", "softmax(1,2) ", "softmax(sig(x_1),-x_2)"),
    *("softmax(softmax(1,2),3)", "softmax((1,2))", "softmax(1,2", "softmax(1e300*1e300,1)"),
    *("h_1_1", "h_1,1", "h_0_1", "h_1_1_", "h_1_1x", "h_00001_0001", "x_1-x_2", "x_1--x_2"),
    *("x_1---x_2", "x_1----x_2", "x_1- -x_2", "x_1 - - - x_2", "x_1--h_1_1", "x_1--h_1_2"),
    *("x_1-x_2--h_1_2--h_2_1+h_1_1", "x_1-softmax(1)--h_1_1", "5-x_1--x_2^h_1_1--h_2_1"),
    *("5--x_1^h_1_1", "0.5--x_1^h_1_1", "1e-5", "1e-5-x_2", "x_1e-5", "1e5e-3", "1..5e-3--2"),
    *("12.5.3e-4", ".5e-3-x_1", ".e-3", ")x_1-x_2(", "(x_1-x_2)-x_2", "x_1,-x_2", "x_1\n-\nx_2"),
    *("x_1\x1c-x_2", "\x1c-x_1", "-x_1-x_2", "\x0bx_1", "x_1 = 2", "y_1 = x_1", "1;2", "x_1\0"),
    *("sig(x_1)--softmax(h_1_1,2)", "1-2--h_1_1-h_1_2", "1--2--3", "1/0", "0/0", "x_1/0", "-0"),
    *("1/-0", "exp(710)", "log(0)", "x_1*1e300*1e300", "x_1-x_1", "3-x_1*2", "3-x_1", "x_1*0-0"),
    *("9" * 400, "0." + "0" * 400 + "1", "1" + "0" * 30 + "e-30", "(" * 3000 + "x_1" + ")" * 3000),
    *("-" * 3001 + "x_1", "sig(" * 900 + "x_1" + ")" * 900, "x_1+" * 999 + "1", "2^" * 99 + "1"),
    *("(x_1+" * 999 + "sig(x_2)" + ")" * 999, "(sig(x_1)+" * 99 + "tanh(x_2)" + ")" * 99),
]


def expected(problem, text):
    """Return the reference's outputs of a phenotype, or None if it is refused."""
    try:
        network = problem.language.parse(text)
    except PhenotypeError:
        return None
    if not problem.fits(network):
        return None
    values = evaluate(network, problem.rows)
    assert same_bits(values, evaluate(simplify(network), problem.rows))
    return values


class Pair:
    """The reference and an engine for the same rows, taken one by one in their order."""

    def __init__(self, grammar, classes, flags=FAST_FLAGS, count=24):
        data = make_data(1, count, 3, classes)
        data.x[:] = rows(1, count, 3)
        settings = Settings(population=2, tournament=1)
        # Of this objective all rows are one group, in order, so outputs can be compared.
        self.problem = make(grammar, settings, data, "rmse")
        self.engine = fast_engine(self.problem, settings, flags=flags)

    def compare(self, text):
        values = expected(self.problem, text)
        found = self.engine.native.evaluate(text)
        assert (found is None) == (values is None), text[:300]
        if values is not None:
            # Rows that fill the last lanes come after those that count.
            assert same_bits(np.ascontiguousarray(values), found[: len(values)]), text[:300]
        return values is not None


@pytest.fixture(scope="module", params=[(FLAT, 2), (LAYERED, 2), (LAYERED, 3)], ids=str)
def pair(request):
    return Pair(*request.param)


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: ascii(text)[:30])
def test_a_text_is_understood_as_in_the_reference(pair, text):
    pair.compare(text)
    pair.compare(f"{text}--{text}")


def layered_text(rng):
    """Layers whose neurons read features and neurons of layers before them, or of none."""
    sources = ["x_1", "x_2", "x_3"]
    layers = []
    for layer in range(1, rng.randint(1, 4)):
        neurons = [one_neuron(rng, sources) for _ in range(rng.randint(1, 4))]
        layers.append(" - ".join(neurons))
        sources += [f"h_{layer}_{number}" for number in range(1, len(neurons) + 1)]
    outputs = [one_neuron(rng, sources[-5:]) for _ in range(rng.choice([1, 1, 2, 3]))]
    last = "-".join(outputs) if rng.random() < 0.6 else f"softmax({','.join(outputs)})"
    return " -- ".join([*layers, last])


def one_neuron(rng, sources):
    body = expression(rng, rng.randint(0, 4), sources)
    return f"{rng.choice(['sig', 'tanh', 'relu', ''])}({body})"


def compare_many(pair, count, seed):
    rng = random.Random(seed)
    accepted = 0
    for _ in range(count):
        if rng.random() < 0.5:
            text = layered_text(rng)
        else:
            text = expression(rng, rng.randint(1, 5), ["x_1", "x[1]", "x3", number(rng)])
        if rng.random() < 0.6:
            text = mutate_text(rng, text)
        accepted += pair.compare(text)
    return accepted


def test_random_and_mutated_texts_are_understood_as_in_the_reference(pair):
    assert compare_many(pair, 150, seed=1) > 5


@pytest.mark.campaign
@pytest.mark.parametrize("flags", [FAST_FLAGS, NATIVE], ids=["quick", "native"])
def test_thousands_of_texts_are_understood_as_in_the_reference(flags):
    for seed, (grammar, classes) in enumerate([(FLAT, 2), (LAYERED, 2), (LAYERED, 3), (FLAT, 0)]):
        many = Pair(grammar, classes, flags, count=520 if seed % 2 else 9)
        assert compare_many(many, 6000, seed) > 300


def hard_numbers(rng, count):
    for _ in range(count):
        value = np.uint64(rng.getrandbits(63)).view(np.float64)
        if np.isfinite(value):
            yield repr(float(value))
            yield f"{float(value):.{rng.randint(0, 30)}e}"
            # Halfway to the next double, exactly, and just beside it.
            half = middle(float(value))
            yield half
            yield half + "1" if "e" not in half and "." in half else half
            yield half[:-1] + "4999999" if half.endswith("5") else half
        digits = "".join(rng.choice("0123456789") for _ in range(rng.randint(1, 40)))
        at = rng.randint(0, len(digits))
        yield digits[:at] + "." + digits[at:]
        yield f"{digits}e{rng.randint(-345, 310)}"
        yield f"0.{'0' * rng.randint(0, 330)}{digits}E+{rng.randint(0, 330)}"
        yield f"{rng.randint(0, 99)}.{rng.randint(0, 99):02}"


def middle(value):
    from decimal import Context, Decimal

    following = float(np.nextafter(value, np.inf))
    if not np.isfinite(following):
        return "1e308"
    context = Context(prec=1200)
    return format(context.divide(context.add(Decimal(value), Decimal(following)), Decimal(2)), "f")


NUMBERS = [
    *("0", "0.0", "1e-324", "2.4703282292062327e-324", "2.4703282292062328e-324", "4.9e-324"),
    *("2.2250738585072011e-308", "2.2250738585072012e-308", "2.2250738585072014e-308", "1e23"),
    *("1.7976931348623157e308", "1.7976931348623158e308", "1.7976931348623159e308", "1e309"),
    *("9007199254740993", "9007199254740992.5", "9007199254740993.0000000000000001", "8e22"),
    *("179769313486231580793" + "0" * 288, "1" * 800, "1" * 801 + "." + "0" * 900 + "1", "1e22"),
    *("9" * 19, "9" * 20, "18446744073709551615", "18446744073709551616", "1.e5", ".5E-7"),
    *("0" * 2000 + "1", "." + "0" * 2000 + "1e2000", "1" + "0" * 2000 + "e-2000", "1e-99999999999"),
    *("1e99999999999999999999", "0e99999999999", "123456789012345678e-17", "1e0000000000000001"),
]


def test_numbers_are_read_as_python_reads_them(pair):
    native = pair.engine.native
    for text in [*NUMBERS, *hard_numbers(random.Random(1), 400)]:
        assert native.number(text).hex() == float(text).hex(), text
