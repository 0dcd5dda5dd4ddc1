"""The program of a stream: the state of one window, which takes one sample after the other.

`lower.stream_program(signal)` returns a program that needs no functions beside its own, with three
procedures. Their arrays `state…` have the same names and types in all of them, one array for each
type of integers at most:

- `first(sample, state…)` writes the whole state from the first sample of a window.
- `following(at, sample, state…)` reads and writes the state for each further sample; `at`, a scalar
  of int32, is the number of the sample in its window, from 1.
- `features(state…, x)` writes the features of a window whose last sample was taken, as int32.

A sample has an integer of int16 for each channel, within `Signal.bits`. A window knows nothing of
others: what counts and limits samples, and keeps a state for each of the windows that overlap,
stands around these procedures in every language.
"""

from dsgec.program.check import Extent, Ranged, RangeWalker, check_types
from dsgec.program.ir import ArrayParameter, Procedure, Program
from dsgec.program.scopes import check_scopes
from dsgec.program.walk import InvalidProgram
from dsgec.signal.description import Signal

FIRST, FOLLOWING, FEATURES = "first", "following", "features"
MISSING = -(1 << 15)
"""The integer that stands for a missing sample: after it, all windows begin again."""


def largest_sample(signal: Signal) -> int:
    """Return the greatest integer of a sample; the least one is its negative."""
    return (1 << (signal.bits - 1)) - 1


def procedure_of(program: Program, name: str) -> Procedure:
    """Return the procedure of this name."""
    return next(procedure for procedure in program.procedures if procedure.name == name)


def state_of(program: Program) -> tuple[ArrayParameter, ...]:
    """Return the arrays of the state of a window."""
    return procedure_of(program, FIRST).arrays[1:]


def check_stream(program: Program, signal: Signal) -> list[tuple[int, int]]:
    """Prove the rules of a stream for all samples of a window, or raise `InvalidProgram`.

    Returns the ranges of the features. The procedures run as often as in a window, on ranges.
    """
    for procedure in program.procedures:
        check_types(procedure)
        check_scopes(procedure, program.tables)
    most = largest_sample(signal)
    sample: list[Ranged] = [Extent(-most, most)] * len(signal.channels)
    walker = RangeWalker(program)
    state: dict[str, list[Ranged]] = {}
    for at in range(signal.window):
        procedure = procedure_of(program, FOLLOWING if at else FIRST)
        scalars = {"at": Extent(at, at)} if at else {}
        walker.run(procedure, {"sample": sample, **state}, scalars)
        state = {array.name: _final_values(walker, array) for array in state_of(program)}
    walker.run(procedure_of(program, FEATURES), state)
    (x,) = (a for a in procedure_of(program, FEATURES).arrays if a.name == "x")
    return [extent.ends for extent in _final_values(walker, x)]


def _final_values(walker: RangeWalker, array: ArrayParameter) -> list[Ranged]:
    """Return the range of each element of an array, all of which must have been written."""
    elements = [element for element in walker.arrays[array.name] if element is not None]
    if len(elements) < array.size:
        raise InvalidProgram(f"elements of {array.name} are not written")
    return elements
