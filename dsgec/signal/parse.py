"""Parse features as grammars and network files write them: `std(lowpass(ax, 3))`."""

import json
import re
from collections.abc import Sequence

import dsgec.signal.features  # noqa: F401  (defines the features)
from dsgec.errors import DsgecError, Fault, Span, clean, join_names
from dsgec.signal.constants import NUMBERS
from dsgec.signal.definition import DEFINITIONS, Definition
from dsgec.signal.description import Call

_TOKEN = re.compile(
    r"""\s*(?:
      (?P<name>[A-Za-z_][A-Za-z0-9_]*)
    | (?P<quoted>"(?:[^"\\]|\\.)*")
    | (?P<number>[0-9]{1,9}(?![0-9A-Za-z_.]))
    | (?P<sign>[(),])
    | (?P<end>\Z)
    | (?P<other>.)
    )""",
    re.VERBOSE | re.DOTALL | re.ASCII,
)
_DEEPEST = 8  # filters inside each other
_FORM = "Write a feature as `std(ax)`, `goertzel(ax, 5)` or `std(lowpass(ax, 3))`."


def parse_feature(
    text: str,
    channels: Sequence[str] | None = None,
    window: int | None = None,
) -> Call:
    """Return the call that a text is; its channels and numbers are checked where they are known."""
    return _Parser(text, channels, window).feature()


class _Parser:
    """Reads one feature from left to right."""

    def __init__(self, text: str, channels: Sequence[str] | None, window: int | None) -> None:
        self.text, self.channels, self.window = text, channels, window
        self.at = 0

    def feature(self) -> Call:
        """Return the whole text as a feature."""
        found = self.call("feature", 0)
        token = self.next()
        if token.lastgroup != "end":
            raise self.unexpected(token, "the end of the feature")
        return found

    def call(self, kind: str, depth: int) -> Call:
        """Return a call of a feature or a filter."""
        token = self.next()
        name = token["name"]
        if name is None:
            raise self.unexpected(token, f"the name of a {kind}")
        definition = DEFINITIONS.get(name)
        if definition is None or definition.kind != kind:
            raise self.unknown_name_error(token, kind)
        if depth > _DEEPEST:
            raise self.fail(token, f"more than {_DEEPEST} filters stand inside each other")
        self.expect("(")
        streams: list[Call | str] = [self.stream(depth)]
        numbers: dict[str, int] = {}
        while not self.takes(")"):
            if not self.takes(","):
                raise self.unexpected(self.next(), "`,` or `)`")
            if self.peek().lastgroup == "number":
                self.number(definition, numbers)
            elif numbers:
                raise self.fail(self.next(), "whole numbers come last", _FORM)
            else:
                streams.append(self.stream(depth))
        self.check_counts(token, definition, len(streams), len(numbers))
        return Call(name, (*streams, *numbers.values()))

    def stream(self, depth: int) -> Call | str:
        """Return a channel, or a filter of channels."""
        token = self.peek()
        match token.lastgroup:
            case "name" if self.text[token.end() :].lstrip().startswith("("):
                return self.call("filter", depth + 1)
            case "name":
                name = token["name"]
            case "quoted":
                name = _unquoted(token["quoted"])
                if name is None:
                    raise self.fail(
                        token, "this name is not a JSON string", r"Write `\"` and `\\`."
                    )
            case _:
                raise self.unexpected(token, "a channel or a filter")
        self.at = token.end()
        if self.channels is not None and name not in self.channels:
            raise self.fail(
                token,
                f"there is no channel `{clean(name)}`",
                f"The channels are {clean(join_names([*self.channels]))}.",
            )
        return str(name)

    def number(self, definition: Definition, numbers: dict[str, int]) -> None:
        """Add a whole number to those of a call."""
        token = self.next()
        place = len(numbers)
        if place == len(definition.numbers):
            raise self.fail(token, f"{definition.name} has too many numbers", signature(definition))
        name, value = definition.numbers[place], int(token["number"])
        if self.window is not None:
            least, most = NUMBERS[name](self.window, numbers)
            if not least <= value <= most:
                allowed = f"from {least} to {most}" if least <= most else "of no value"
                raise self.fail(
                    token,
                    f"the {name} of {definition.name} is {value}",
                    f"In a window of {self.window} samples it can be {allowed}.",
                )
        numbers[name] = value

    def check_counts(
        self, token: re.Match[str], definition: Definition, streams: int, numbers: int
    ) -> None:
        """Raise a DsgecError unless a call has as many arguments as its definition."""
        most = len(definition.streams)
        if not most - definition.optional <= streams <= most or numbers < len(definition.numbers):
            message = f"{definition.name} has other arguments"
            raise self.fail(token, message, signature(definition))

    # Tokens.

    def peek(self) -> re.Match[str]:
        found = _TOKEN.match(self.text, self.at)
        assert found is not None
        return found

    def next(self) -> re.Match[str]:
        found = self.peek()
        self.at = found.end()
        return found

    def takes(self, sign: str) -> bool:
        """Return whether a sign comes next; if so, move behind it."""
        token = self.peek()
        if token["sign"] == sign:
            self.at = token.end()
        return token["sign"] == sign

    def expect(self, sign: str) -> None:
        if not self.takes(sign):
            raise self.unexpected(self.next(), f"`{sign}`")

    # Errors.

    def fail(self, token: re.Match[str], message: str, advice: str = "") -> DsgecError:
        start = token.start(token.lastgroup or 0)
        span = Span("feature", 1, start + 1, max(1, token.end() - start))
        return DsgecError(Fault(message, advice, span, self.text))

    def unexpected(self, token: re.Match[str], expected: str) -> DsgecError:
        found = "the end" if token.lastgroup == "end" else f"`{clean(token[0].strip())}`"
        return self.fail(token, f"expected {expected}, found {found}", _FORM)

    def unknown_name_error(self, token: re.Match[str], kind: str) -> DsgecError:
        """Return the error of a name that is no feature or filter here."""
        names = [one.name for one in DEFINITIONS.values() if one.kind == kind]
        other = DEFINITIONS.get(token["name"])
        if other is not None and other.kind == "feature":
            message = f"`{other.name}` is a feature of a whole window, where a filter is expected"
        elif other is not None and other.kind == "filter":
            message = f"`{other.name}` is a filter, where a feature is expected"
        else:
            message = f"unknown {kind} `{clean(token['name'])}`"
        return self.fail(token, message, f"The {kind}s are {join_names(names, 40)}.")


def signature(definition: Definition) -> str:
    """Return how a feature or a filter is written, as advice."""
    given = definition.streams[: len(definition.streams) - definition.optional]
    arguments = ", ".join((*given, *definition.numbers))
    also = f" or `{definition.name}({', '.join(definition.streams)})`" * bool(definition.optional)
    return f"Write it as `{definition.name}({arguments})`{also}."


def _unquoted(text: str) -> str | None:
    try:
        found = json.loads(text)
    except ValueError:
        return None
    return found if isinstance(found, str) else None
