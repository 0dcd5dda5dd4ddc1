"""Prove that no feature leaves 32 bits, and find the range of its results."""

from dataclasses import dataclass
from functools import cache

from dsgec.program.check import Extent, check
from dsgec.signal.description import Call, Channel, Signal
from dsgec.signal.plan import Stream, channels_of, make_plan, streams_of, written_out
from dsgec.signal.window import window_program

MOST_RESULT = 1 << 24
"""The largest result of a feature: every whole number up to it is a float."""


_SHORT = 4  # samples in which a filter that keeps nothing does all that it does in more


@dataclass(frozen=True, slots=True)
class ProvedFeature:
    """The least and the greatest result of a feature, and by how many bits it is shifted right."""

    least: int
    most: int
    shift: int


def prove(feature: Call, window: int, bits: int) -> ProvedFeature:
    """Return the range of a feature of a window, or raise an `InvalidProgram`."""
    parts = [_prove_part(part, window, bits) for part in written_out(feature)]
    if len(parts) == 1:
        return parts[0]
    return _shift_to_floats(sum(part.least for part in parts), sum(part.most for part in parts))


def shifts_of(signal: Signal) -> dict[Call, int]:
    """Return by how many bits the results of features, and of the parts of sums, are shifted."""
    found: dict[Call, int] = {}
    for feature in signal.features:
        found[feature] = prove(feature, signal.window, signal.bits).shift
        for part in written_out(feature):
            found[part] = prove(part, signal.window, signal.bits).shift
    return found


def _prove_part(feature: Call, window: int, bits: int) -> ProvedFeature:
    """Return the range of a feature; a filter limits its results, so it is proved on its own."""
    for stream in streams_of(feature):
        _prove_stream(stream, window, bits)
    return _prove_feature(_on_channels(feature), window, bits)


def _prove_stream(stream: Stream, window: int, bits: int) -> None:
    if isinstance(stream, Call):
        for inner in streams_of(stream):
            _prove_stream(inner, window, bits)
        alone = Call("last", (_on_channels(stream),))
        keeps = len(make_plan((alone,)).old) > 0
        _prove_feature(alone, window if keeps else min(window, _SHORT), bits)


def _on_channels(call: Call) -> Call:
    """Return a call whose streams are channels, by numbers."""
    streams = len(streams_of(call))
    return Call(call.function, (*map(str, range(streams)), *call.arguments[streams:]))


@cache
def _prove_feature(feature: Call, window: int, bits: int) -> ProvedFeature:
    """Return the range of a feature of a window, after a proof that it stays within 32 bits."""
    channels = tuple(Channel(name) for name in dict.fromkeys(channels_of(feature)))
    program = window_program(Signal(channels, window, window, (feature,), bits))
    (found,) = check(program, program.entry)["y"]
    assert isinstance(found, Extent)
    return _shift_to_floats(found.least, found.most)


def _shift_to_floats(least: int, most: int) -> ProvedFeature:
    """Return a range that is shifted so far that floats have all its numbers."""
    shift = 0
    while max(-(least >> shift), most >> shift) > MOST_RESULT:
        shift += 1
    return ProvedFeature(least >> shift, most >> shift, shift)
