"""Order what features need of each sample: filters, and what is kept, each of it once."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from dsgec.signal.constants import NEEDED
from dsgec.signal.definition import DEFINITIONS, SHORT, STREAMS, SUMS, Definition
from dsgec.signal.description import Call
from dsgec.signal.parse import parse_feature

Stream = Call | str
"""A channel, or a filter of channels."""

AT, DELAYED, LAG = "at", "delayed", "lag"
Numbers = tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Kept:
    """Something that is kept of streams, with those numbers of the call that it depends on."""

    name: str
    streams: tuple[Stream, ...]
    numbers: Numbers

    @property
    def definition(self) -> Definition:
        return DEFINITIONS[self.name]


@dataclass(frozen=True, slots=True)
class Delay:
    """The last `lag` samples of a stream."""

    stream: Stream
    lag: int


Step = Kept | Delay | Call
"""What is done at each sample; a call is a filter."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The steps of a sample, each after those whose new results it needs, and the features.

    A feature is the sum of one or more calls of features that are defined by a function.
    """

    steps: tuple[Step, ...]
    features: tuple[tuple[Call, ...], ...]
    old: frozenset[Step]  # what is read at the next sample
    shared: frozenset[Step]  # what something else reads there
    new: frozenset[Step]  # what filters read at the same sample
    final: frozenset[Step]  # what features read

    @property
    def kept(self) -> tuple[Kept, ...]:
        """Return what has a place in the state."""
        return tuple(
            step
            for step in self.steps
            if isinstance(step, Kept) and (step in self.old or step in self.final)
        )

    @property
    def delays(self) -> tuple[Delay, ...]:
        return tuple(step for step in self.steps if isinstance(step, Delay))


def make_plan(features: Sequence[Call]) -> Plan:
    """Return the plan of features."""
    planner = _Planner()
    written = tuple(tuple(written_out(feature)) for feature in features)
    for parts in written:
        for part in parts:
            planner.feature(part)
    return Plan(
        tuple(planner.steps),
        written,
        frozenset(planner.old),
        frozenset(planner.shared),
        frozenset(planner.new),
        frozenset(planner.final),
    )


def written_out(feature: Call) -> Iterator[Call]:
    """Yield the calls of which a feature is the sum; each is defined by a function."""
    if feature.function in SHORT:
        text = parse_feature(SHORT[feature.function])
        yield from written_out(_on_stream(text, streams_of(feature)[0]))
    elif feature.function in SUMS:
        *numbers, first, last = numbers_of(feature)
        for number in range(first[1], last[1] + 1):
            given = (*streams_of(feature), *(value for _, value in numbers), number)
            yield from written_out(Call(SUMS[feature.function], given))
    else:
        yield feature


def streams_of(call: Call) -> tuple[Stream, ...]:
    """Return the streams that a feature or a filter is applied to."""
    return tuple(argument for argument in call.arguments if not isinstance(argument, int))


def numbers_of(call: Call) -> Numbers:
    """Return the whole numbers of a call with their names."""
    values = (argument for argument in call.arguments if isinstance(argument, int))
    return tuple(zip(DEFINITIONS[call.function].numbers, values, strict=True))


def channels_of(call: Call) -> Iterator[str]:
    """Yield the channels that a feature or a filter reads, some perhaps more than once."""
    for stream in streams_of(call):
        if isinstance(stream, str):
            yield stream
        else:
            yield from channels_of(stream)


def kept_by(call: Call | Kept, name: str) -> Kept:
    """Return what is kept under a name for a call, or for something else that is kept."""
    streams, numbers = _context(call)
    needs = _dependencies(name)
    own = tuple((number, value) for number, value in numbers if number in needs)
    return Kept(name, streams if needs & {*STREAMS} else (), own)


def delay_of(step: Call | Kept) -> Delay:
    """Return the delay that something reads."""
    streams, numbers = _context(step)
    return Delay(streams[0], dict(numbers)[LAG])


def _context(step: Call | Kept) -> tuple[tuple[Stream, ...], Numbers]:
    if isinstance(step, Kept):
        return step.streams, step.numbers
    return streams_of(step), numbers_of(step)


class _Planner:
    """Collects the steps of features."""

    def __init__(self) -> None:
        self.steps: dict[Step, None] = {}
        self.started: set[Step] = set()
        self.old: set[Step] = set()
        self.shared: set[Step] = set()
        self.new: set[Step] = set()
        self.final: set[Step] = set()

    def feature(self, call: Call) -> None:
        """Add what a feature needs."""
        for name in _kept_names(DEFINITIONS[call.function]):
            step = kept_by(call, name)
            self.final.add(step)
            self.keep(step)

    def stream(self, stream: Stream) -> None:
        """Add a filter and what it needs."""
        if isinstance(stream, str) or stream in self.steps:
            return
        for inner in streams_of(stream):
            self.stream(inner)
        for name in _kept_names(DEFINITIONS[stream.function]):
            step = kept_by(stream, name)
            self.new.add(step)
            self.keep(step)
        self.steps[stream] = None

    def keep(self, step: Kept) -> None:
        """Add something that is kept, and what it needs."""
        if step in self.started:
            return
        self.started.add(step)
        for stream in step.streams:
            self.stream(stream)
        parameters = step.definition.parameters
        if DELAYED in parameters:
            self.steps[delay_of(step)] = None
        self.steps[step] = None
        for name in _kept_names(step.definition):
            other = kept_by(step, name)
            self.old.add(other)
            self.shared |= {other} - {step}
            self.keep(other)


def _kept_names(definition: Definition) -> Iterator[str]:
    for name in definition.parameters:
        if name in DEFINITIONS and DEFINITIONS[name].kind == "kept":
            yield name


@cache
def _dependencies(name: str) -> frozenset[str]:
    """Return the streams and numbers that something kept depends on, also through others."""
    found: set[str] = set()
    waiting, seen = [name], set()
    while waiting:
        one = waiting.pop()
        if one in seen:
            continue
        seen.add(one)
        definition = DEFINITIONS[one]
        for parameter in (*definition.parameters, *definition.first_parameters):
            if parameter in DEFINITIONS and DEFINITIONS[parameter].kind == "kept":
                waiting.append(parameter)
            elif parameter == DELAYED:
                found |= {"x", LAG}
            else:
                found |= {parameter, *NEEDED.get(parameter, ())}
    return frozenset(found)


def _on_stream(call: Call, stream: Stream) -> Call:
    """Return a call of the stream x as one of another stream."""
    names: Mapping[str, Stream] = {"x": stream}
    return Call(
        call.function,
        tuple(
            _on_stream(argument, stream)
            if isinstance(argument, Call)
            else names.get(argument, argument)
            if isinstance(argument, str)
            else argument
            for argument in call.arguments
        ),
    )
