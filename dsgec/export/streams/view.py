"""The view of a stream for the templates of all languages."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dsgec.arithmetic.procedures import with_library
from dsgec.export.artefact import Artefact
from dsgec.export.streams.program import limit_procedure, renamed, row_program
from dsgec.export.streams.selftest import Recording, recording
from dsgec.export.streams.vote import vote_procedure
from dsgec.export.view import python_list
from dsgec.literals import python_data
from dsgec.network.model import Label
from dsgec.program.ir import ArrayParameter, Procedure, Program, Type
from dsgec.program.print_js import ARRAYS
from dsgec.program.printer import Printer
from dsgec.rendering import Code
from dsgec.signal.description import Signal
from dsgec.signal.lower import stream_program
from dsgec.signal.plan import make_plan
from dsgec.signal.prove import prove
from dsgec.signal.smooth import smooth
from dsgec.signal.stream import MISSING, largest_sample, state_of

_BYTES: dict[Type, int] = {"int32": 4, "int16": 2, "uint16": 2, "int8": 1, "uint8": 1}


@dataclass(frozen=True)
class StreamView:
    """The stream of an artefact."""

    artefact: Artefact
    signal: Signal

    @cached_property
    def window_program(self) -> Program:
        """Return the program of the state of one window."""
        return with_library(stream_program(self.signal), "whole")

    @cached_property
    def program(self) -> Program:
        """Return all tables and procedures of the stream."""
        own, limit = renamed(self.window_program), limit_procedure(self.signal)
        fixed = self.artefact.number_format.fixed
        row = Program((), ())
        if fixed:
            ranges = [prove(one, self.window, self.signal.bits) for one in self.signal.features]
            sizes = [max(-one.least, one.most) for one in ranges]
            row = row_program(fixed.program.columns, sizes, fixed.program.bits)
        procedures = (*own.procedures, *row.procedures, limit, *self.counting)
        return Program((*own.tables, *row.tables), procedures)

    @cached_property
    def program_of_features(self) -> Program:
        """Return the program without the integers of the network's columns."""
        own = renamed(self.window_program)
        limit = limit_procedure(self.signal)
        return Program(own.tables, (*own.procedures, limit, *self.counting))

    @property
    def votes(self) -> int:
        """Return how many windows vote for a class; 0 if each is alone."""
        votes = self.signal.smooth if self.artefact.model.is_classifier else 1
        return votes if votes > 1 else 0

    @property
    def counting(self) -> tuple[Procedure, ...]:
        """Return the procedure that counts votes, if there are any."""
        return (vote_procedure(self.votes),) if self.votes else ()

    def printed(self, print_with: Callable[[Program], Printer]) -> Code:
        """Return the tables and procedures in a language, for a network that takes floats."""
        return Code(print_with(self.program_of_features).print().rstrip("\n"))

    @property
    def state(self) -> tuple[ArrayParameter, ...]:
        """Return the arrays of the state of a window, those of the widest elements first."""
        return tuple(sorted(state_of(self.window_program), key=lambda a: -_BYTES[a.type]))

    @property
    def arrays(self) -> tuple[ArrayParameter, ...]:
        """Return the arrays of the state of a window, in the order of parameters."""
        return state_of(self.window_program)

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the channels."""
        return tuple(channel.name for channel in self.signal.channels)

    @property
    def offsets(self) -> tuple[float, ...]:
        return tuple(float(channel.offset) for channel in self.signal.channels)

    @property
    def scales(self) -> tuple[float, ...]:
        return tuple(float(channel.scale) for channel in self.signal.channels)

    @property
    def formats(self) -> tuple[tuple[float, int], ...]:
        """Return for each channel what a value is multiplied by, and what is then taken from it.

        A scale is a power of two, and an offset a multiple of it, so both are exact.
        """
        channels = self.signal.channels
        return tuple((1 / c.scale, round(c.offset / c.scale)) for c in channels)

    @property
    def widest(self) -> float:
        """Return what a multiplied value is limited to, before it is rounded."""
        return 2.0**30

    @property
    def rate(self) -> float | None:
        return self.signal.rate

    @property
    def window(self) -> int:
        return self.signal.window

    @property
    def step(self) -> int:
        return self.signal.step

    @property
    def delays(self) -> int:
        """Return the number of rings of samples."""
        return len(make_plan(self.signal.features).delays)

    @property
    def channels(self) -> int:
        return len(self.signal.channels)

    @property
    def overlap(self) -> int:
        return self.signal.overlap

    @property
    def period(self) -> int:
        """Return how many samples after its window a state begins another one."""
        return self.overlap * self.step

    @property
    def count_type(self) -> Type:
        """Return the type that counts the samples of a window."""
        return "int16" if self.period < 1 << 15 else "int32"

    @property
    def missing(self) -> int:
        return MISSING

    @property
    def largest(self) -> int:
        """Return the greatest integer of a sample."""
        return largest_sample(self.signal)

    @cached_property
    def recording(self) -> Recording:
        """Return the samples of the self-test with the features of their windows."""
        return recording(self.artefact, self.signal)

    @property
    def windows(self) -> tuple[tuple[int, tuple[int, ...], Sequence[Label | float | None]], ...]:
        """Return the last samples of windows, their features, and their labels or values."""
        found = self.recording
        labels = self.artefact.model.classes
        wanted: Sequence[Sequence[Label | float | None]] = found.results
        if labels:
            voted = self.vote(found)
            wanted = [[None if number < 0 else labels[number]] for number in voted]
        return tuple(zip(found.ends, found.features, wanted, strict=True))

    def vote(self, found: Recording) -> list[int]:
        """Return the classes of the windows of a recording by their votes."""
        begins = np.diff(found.ends, prepend=-self.window) != self.step
        classes = np.array(found.classes, dtype=np.intp)
        return [int(number) for number in smooth(classes, begins, max(self.votes, 1))]

    @property
    def python_windows(self) -> tuple[tuple[int, tuple[int, ...], Code], ...]:
        """Return the windows of the self-test with literals of Python."""
        is_label = bool(self.artefact.model.classes)
        return tuple(
            (end, features, Code(python_data(wanted[0])) if is_label else python_list(wanted))
            for end, features, wanted in self.windows
        )

    @property
    def js_prediction(self) -> Code:
        """Return the type of a prediction in TypeScript."""
        if self.artefact.model.classes:
            return Code("string | number")
        return Code("number[]" if len(self.artefact.network.outputs) > 1 else "number")

    @cached_property
    def memory(self) -> tuple[tuple[int, ArrayParameter], ...]:
        """Return a place in memory for each array, in bytes: sample, q, the state, features."""
        sample, q = (ArrayParameter(name, "int16", self.channels) for name in ("sample", "q"))
        x = ArrayParameter("x", "int32", len(self.signal.features))
        arrays = (sample, q, *self.arrays, x)
        found, place = [], 0
        for array in arrays:
            found.append((place, array))
            place += -(-array.size * _BYTES[array.type] // 4) * 4
        return tuple(found)

    @property
    def memory_bytes(self) -> int:
        place, features = self.memory[-1]
        return place + features.size * _BYTES[features.type]

    def js_array(self, array: ArrayParameter) -> Code:
        """Return the type of an array of JavaScript."""
        return Code(ARRAYS[array.type])
