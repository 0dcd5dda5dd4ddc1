"""The syntax of phenotypes and network files: tokens, names of functions, layers and comments."""

import json
import re

from dsgec.arithmetic.functions import FUNCTIONS
from dsgec.errors import DsgecError, Fault, Span
from dsgec.network.ir import OPERATORS

SIGNS = {
    **{"<": (5, "lt"), "<=": (5, "le"), ">": (5, "gt"), ">=": (5, "ge")},
    **{"=": (5, "eq"), "==": (5, "eq"), "!=": (5, "ne")},
    **{"+": (6, "add"), "-": (6, "sub"), "*": (7, "mul"), "/": (7, "div")},
    **{"^": (9, "pow"), "**": (9, "pow")},
}
"""The signs between two operands: how strongly they bind, and their functions."""

WORDS = {"or": 1, "nor": 1, "xor": 2, "and": 3, "nand": 3}
"""The functions whose names may stand between two operands: how strongly they bind."""

NOT, COMPARISON, NEGATION, POWER = 4, 5, 8, 9
"""How strongly `not` and a minus before an operand bind, a comparison, and a power."""

TOKEN = re.compile(
    r"""\s*(?:
      (?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)
    | x(?:_?(?P<feature>\d+)|\[\s*(?::\s*,\s*)?(?P<column>\d+)\s*\])(?![\w\[])
    | h_(?P<layer>\d+)[_,](?P<neuron>\d+)(?!\w)
    | (?P<name>[A-Za-z_][\w.]*)
    | (?P<sign>\*\*|[<>=!]=|[-+*/^(),<>=])
    | (?P<end>\Z)
    | (?P<other>.)
    )""",
    re.VERBOSE | re.DOTALL | re.ASCII,
)
EQUATION = re.compile(r"\s*(h_\d+_\d+|y_\d+(?:\s*,\s*y_\d+)*|inputs)\s*=(.*)", re.ASCII)

LONGEST_INDEX = 7
"""The most digits that the number of a feature or a neuron may have."""

MOST_INPUTS = 100_000
"""The most features of a network whose text alone says how many there are."""

ALIASES = {
    **{operator: operator for operator in OPERATORS},
    **{alias: name for name, function in FUNCTIONS.items() for alias in (name, *function.aliases)},
}
"""Every name that can be called, and the function that it means."""

_COMMENT = re.compile(r'"(?:[^"\\\n]|\\[^\n])*"?|#[^\n]*')
_LANDMARK = re.compile(r"\d\.?[eE][+-]?\d+|[()]|-", re.ASCII)  # of a numeral, its exponent
_BLANKS = " \t\n\r\f\v"
_BEFORE_A_SIGN = frozenset("+*/^,(<>=")


class PhenotypeError(DsgecError):
    """A text that is not a network. `offset` is the place in the text that was parsed."""

    def __init__(self, text: str, source: str, offset: int, message: str, advice: str) -> None:
        self.offset = offset
        start = text.rfind("\n", 0, offset) + 1
        end = text.find("\n", offset)
        line_text = text[start : end if end >= 0 else len(text)]
        span = Span(source, text.count("\n", 0, offset) + 1, offset - start + 1)
        super().__init__(Fault(message, advice, span, line_text))


class SourceText:
    """A text that is parsed, and the name of where it is from."""

    def __init__(self, text: str, source: str) -> None:
        self.text, self.source = text, source

    def fail(self, offset: int, message: str, advice: str = "") -> PhenotypeError:
        """Return the error to raise about the place at an offset."""
        return PhenotypeError(self.text, self.source, offset, message, advice)


class Cursor:
    """A place that moves from token to token through a part of a text.

    The last alternative of the pattern of tokens takes any character.
    """

    def __init__(self, source: SourceText, tokens: re.Pattern[str], start: int, end: int) -> None:
        self.source, self.tokens = source, tokens
        self.at, self.end = start, end

    def peek(self) -> re.Match[str]:
        """Return the next token."""
        match = self.tokens.match(self.source.text, self.at, self.end)
        assert match is not None
        return match

    def next(self) -> re.Match[str]:
        """Return the next token and move behind it."""
        match = self.peek()
        self.at = match.end()
        return match

    def unexpected(self, match: re.Match[str], expected: str, advice: str = "") -> PhenotypeError:
        """Return the error to raise about a token where another one is expected."""
        found = "the end" if match.lastgroup == "end" else f"`{match[0].strip()[:40]}`"
        return self.source.fail(token_start(match), f"expected {expected}, found {found}", advice)


def token_start(match: re.Match[str]) -> int:
    """Return where a token starts, after the blanks before it."""
    return match.start(match.lastgroup or 0)


def resolve_function(name: str) -> str | None:
    """Return the function that a name means; PonyGE2's `np.sin` and sge3's `_sin_` are `sin`."""
    return ALIASES.get(name.removeprefix("np.").strip("_"))


def blank_comments(text: str) -> str:
    """Return the text with blanks for comments, so that places stay what they were.

    A `#` within quotes begins no comment.
    """
    return _COMMENT.sub(lambda m: m[0] if m[0][0] == '"' else " " * len(m[0]), text)


def split_layers(phenotype: str) -> list[list[tuple[int, int]]]:
    """Split a layered phenotype into layers, each the list of its neurons as (start, end) offsets.

    `--` separates layers and `-` separates neurons, where they stand outside parentheses; inside,
    and at the start of an operand, a `-` is a sign or a minus. Both the mapping, which must know
    how many neurons a layer has, and the network parser split with this one function.
    """
    layers: list[list[tuple[int, int]]] = [[]]
    depth = start = resume = 0
    for match in _LANDMARK.finditer(phenotype):
        mark, at = match[0], match.start()
        if mark == "(":
            depth += 1
        elif mark == ")":
            depth -= 1
        elif mark == "-" and depth == 0 and at >= resume:
            last = at - 1
            while last >= start and phenotype[last] in _BLANKS:
                last -= 1
            if last < start or phenotype[last] in _BEFORE_A_SIGN:
                continue
            layers[-1].append((start, at))
            if phenotype.startswith("--", at):
                layers.append([])
                start = resume = at + 2
            else:
                start = at + 1
    layers[-1].append((start, len(phenotype)))
    return layers


def count_neurons(phenotype: str) -> int:
    """Return the number of neurons in the phenotype of one layer."""
    return sum(map(len, split_layers(phenotype)))


def quote(text: str, ascii_only: bool = False) -> str:
    """Return a text as a JSON string of printable characters on one line."""
    written = json.dumps(text, ensure_ascii=ascii_only)
    return "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in written)
