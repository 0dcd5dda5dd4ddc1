"""The table of functions: what each one means everywhere, and how exact it is."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Function:
    """One function of a network."""

    name: str
    symbol: str  # its name in vector.py and scalar.py, and in C behind `dsgec_`
    arity: int | None  # None: any number of arguments, and as many results
    meaning: str
    ulp: float  # the greatest error, in units in the last place of the exact result

    @property
    def accuracy(self) -> str:
        """The bound in words."""
        match self.ulp:
            case 0.0:
                return "exact"
            case 0.5:
                return "correctly rounded"
            case bound:
                return f"{bound:g} ulp"


_TABLE = (
    Function("div", "div", 2, "a / b; 1 where b is 0, whatever a; NaN from NaN otherwise.", 0.5),
    Function("neg", "neg", 1, "−x, also of 0, infinity and NaN.", 0.0),
    Function("abs", "absolute", 1, "|x|; infinity at ±infinity, NaN at NaN.", 0.0),
    Function("min", "minimum", 2, "The smaller; b where they are equal; NaN if either is.", 0.0),
    Function("max", "maximum", 2, "The greater; b where they are equal; NaN if either is.", 0.0),
    Function("relu", "relu", 1, "0 below 0, otherwise x, so −0 and NaN stay.", 0.0),
    Function("sqrt", "sqrt", 1, "√|x|; infinity at ±infinity, NaN at NaN.", 0.5),
    Function(
        "exp",
        "exp",
        1,
        "e^x; infinity from overflow on, subnormals and then 0 below; 0 and infinity at ∓infinity,"
        " NaN at NaN.",
        1.0,
    ),
    Function("sig", "sig", 1, "1 / (1 + e^−x); 0 and 1 at ∓infinity, NaN at NaN.", 2.5),
    Function("tanh", "tanh", 1, "tanh x; −0 stays; ±1 at ±infinity, NaN at NaN.", 2.0),
    Function(
        "softmax",
        "softmax",
        None,
        "e^z_i / Σ e^z_j with the greatest z taken off first, summed from left to right (the error"
        " counts from the rounded differences on, for up to six arguments); all NaN if any z is NaN"
        " or +infinity, or all are −infinity.",
        4.0,
    ),
    Function("log", "log", 1, "ln |x|; 0 at ±0; infinity at ±infinity, NaN at NaN.", 1.0),
    Function(
        "sin", "sin", 1, "sin x for |x| ≤ 1e6, and 0 beyond, also at ±infinity; NaN at NaN.", 1.0
    ),
    Function(
        "cos", "cos", 1, "cos x for |x| ≤ 1e6, and 1 beyond, also at ±infinity; NaN at NaN.", 1.0
    ),
    Function(
        "power",
        "power",
        2,
        "|a|^b; 1 where b is 0 or |a| is 1; 0 where a is 0 and b is not; where |a| is infinity,"
        " infinity for b > 0 and 0 for b < 0; where b is ±infinity, the limit: 0 or infinity; NaN"
        " if either is NaN.",
        1.5,
    ),
)

_ENCODINGS = (
    Function("fill", "fill", 2, "b where a is NaN, otherwise a.", 0.0),
    Function("is", "equals", 2, "1 where a equals b, otherwise 0, also at NaN.", 0.0),
)

FUNCTIONS: dict[str, Function] = {function.name: function for function in _TABLE}
"""The language of phenotypes."""

DEFINED: dict[str, Function] = FUNCTIONS | {function.name: function for function in _ENCODINGS}
"""What a network may compute with: also what turns the columns of a table into features."""
