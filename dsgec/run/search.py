"""An evolver to its outcome: generations by slices of time, from the start or from a state."""

import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from functools import partial

from dsgec.folder import Folder
from dsgec.run.fitting import recommend_fitting, recommend_option
from dsgec.run.history import history_row
from dsgec.run.poles import without_poles
from dsgec.run.populations import PopulationLog
from dsgec.search.budget import make_budget
from dsgec.search.evolver import SLICE, Ending, Evolver, Generation, HistoryRow, with_winner
from dsgec.search.individual import LARGEST_CHAMPION, Champion
from dsgec.search.measure import IntegerMeasurer, Measurer
from dsgec.search.packing import pack, unpack
from dsgec.search.pool import make_options
from dsgec.search.recommend import Recommendation
from dsgec.search.refine import combine_fronts
from dsgec.search.walk.stage import WalkStage

INTERRUPTED = "interrupted"
"""The reason to stop of a person who does not want to wait."""

MAX_SECONDS = "max-seconds"
"""The reason of a run that ended because its time was over; it can be resumed."""

_WALKED = b"dsgec walk 1\n"  # before the state of a run that has begun its walk

OnSlice = Callable[[Sequence[Generation]], str]
"""Called with the generations of a slice of time; a reason ends the search early."""


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """The best network, in the last generation, and the way to it; `ended` says why it ended.

    With a `choice`, the best is the one that cross-validation chose. A `note` says that the best
    was refused.
    `compiling` has the seconds that this process waited for its engine, and those that a better one
    was compiled for beside the run.
    """

    last: Generation
    history: tuple[HistoryRow, ...]
    champions: tuple[Champion, ...]
    measurer: Callable[[], Measurer]
    seconds: float
    backend: str
    ended: str
    choice: Recommendation | None = None
    note: str = ""
    compiling: tuple[float, float] = (0.0, 0.0)
    log: PopulationLog | None = None

    @property
    def best(self) -> Champion:
        """The best individual of the last generation, or the one that was chosen."""
        if self.choice:
            return self.choice.champion
        return Champion(self.last.size, self.last.best, self.last.phenotype)


class Search:
    """One run, as the command line, the library and studies evolve it, islands included."""

    def __init__(self, evolver: Evolver) -> None:
        self.evolver = evolver
        self.ending = Ending(evolver.problem, evolver.settings)
        self.history: list[HistoryRow] = []
        self.walker: WalkStage | None = None  # from the last generation on
        self.log: PopulationLog | None = None
        self._last: Generation | None = None
        self._seconds_before = 0.0
        self._started = time.perf_counter()

    def resume(
        self,
        state: bytes,
        history: Sequence[HistoryRow],
        seconds: float = 0.0,
        *,
        keeps_patience: bool = True,
    ) -> None:
        """Continue from a state that `save` returned after the last generation of `history`."""
        own, walked = unpack(state[len(_WALKED) :], 2) if _is_walked(state) else (state, b"")
        self.evolver.restore(own)
        if not history or self.evolver.next_generation != history[-1].generation + 1:
            raise ValueError("its state is not that of the last generation of its history")
        self.history = [*history]
        self._seconds_before = seconds
        row = history[-1]
        if keeps_patience:
            for earlier in history:
                self.ending.update(earlier.generation, earlier.best)
        else:
            self.ending = Ending(self.evolver.problem, self.evolver.settings, row.generation)
        self._last = Generation(**asdict(row), phenotype=self.evolver.best_phenotype)
        if _is_walked(state):
            self.walker = self.evolver.walker()
            if self.walker is None:
                raise ValueError("it has a walk, but the run has none")
            self.walker.restore(walked)
        self._started = time.perf_counter()

    def save(self) -> bytes:
        """Return the state between two generations, or of the walk after the last one."""
        state = self.evolver.save()
        return _WALKED + pack([state, self.walker.save()]) if self.walker else state

    def run(
        self, on_slice: OnSlice = lambda _: "", on_tuning: Callable[[], None] = lambda: None
    ) -> Outcome:
        """Evolve to the end, or until `on_slice` gives a reason to stop.

        It is called without generations while the walk after the last one goes on.
        `on_tuning` is called before the best networks are pruned and tuned, if they are.
        """
        reason = ""
        try:
            for states in self.evolver.slices(self.ending):
                self._add(states)
                reason = on_slice(states)
                if reason:
                    self.finish_generation()
                    break
        except KeyboardInterrupt:
            # A user's fitness can take long: an interrupted search ends with what it has.
            is_text = self.evolver.problem.fitness is not None
            if not is_text or self._last is None or self.evolver.next_generation < 0:
                raise
            reason = INTERRUPTED
        assert self._last is not None
        if self.log is not None:
            self.log.flush()
        reason = self._walk(reason, on_slice)
        tuned = tuple(self._refine(reason, on_tuning))
        winner = self.evolver.winner(tuned, self._last)
        winner, champions, note = self._refuse_poles(winner, tuned)
        choice = self._recommend(reason, champions)
        is_integer = bool(self._validated_walks())
        winner = choice.champion if choice else winner
        return Outcome(
            with_winner(self._last, winner),
            tuple(self.history),
            choice.champions if choice else champions,
            partial(IntegerMeasurer, self.evolver.problem) if is_integer else self.evolver.measurer,
            self.seconds,
            self.evolver.name,
            (reason if self.walker else "") or self.ending.reason or reason,
            choice,
            note,
            (self.evolver.compile_seconds, self.evolver.upgrade_seconds),
            self.log,
        )

    def _walk(self, reason: str, on_slice: OnSlice) -> str:
        """Do the walk of a run whose generations have ended; return a reason to stop, if any."""
        if not self.ending.reason:
            return reason
        self.walker = self.walker or self.evolver.walker()
        if self.walker is None:
            return reason
        reason = reason or on_slice(())
        if not reason:
            with closing(self.walker.slices(SLICE)) as slices:
                reason = next(filter(None, (on_slice(()) for _ in slices)), "")
        return reason

    def _refuse_poles(
        self, winner: Champion | None, champions: tuple[Champion, ...]
    ) -> tuple[Champion | None, tuple[Champion, ...], str]:
        """Leave out formulas with a pole, and return a note if the best was one of them.

        Only searches that learn do so: the paper's take the best, whatever it is.
        """
        assert self._last is not None
        is_text = self.evolver.problem.fitness is not None
        if self.evolver.settings.variation != "trees" or is_text:
            return winner, champions, ""
        last = self._last
        best = winner or Champion(last.size, last.best, last.phenotype)
        safe, others, note = without_poles(self.evolver.problem, best, champions)
        return (safe if note else winner), tuple(others), note

    def _recommend(self, reason: str, champions: Sequence[Champion]) -> Recommendation | None:
        """Choose a champion that fits the budget, by cross-validation if that is possible.

        It is not if the run was interrupted, or its best is too large for the hall of fame. Without
        a budget, None is returned then.
        """
        assert self._last is not None
        own, is_rough = self.evolver, reason == INTERRUPTED or self._last.size > LARGEST_CHAMPION
        budget = make_budget(own.settings)
        if budget is None:
            return None if is_rough else own.recommend(champions)
        if stage := self._validated_walks():
            rows = sum(len(fold.held_out) for fold in stage.folds)
            return recommend_option(own.problem, budget, make_options(stage), rows)
        recommend = (lambda *_: None) if is_rough else own.recommend
        return recommend_fitting(own.problem, own.settings, champions, recommend)

    def _validated_walks(self) -> WalkStage | None:
        """Return the stage of walks with folds, or None unless all of them are over."""
        stage = self.walker
        if stage is None or not stage.folds or not all(walk.is_over for walk in stage.walks):
            return None
        return stage

    def _refine(self, reason: str, on_tuning: Callable[[], None]) -> Sequence[Champion]:
        """Return the champions, pruned and tuned unless the run was interrupted."""
        settings = self.evolver.settings
        if reason == INTERRUPTED:
            champions = self.evolver.champions
        else:
            if settings.pruning or settings.tuning:
                on_tuning()
            champions = self.evolver.refine()
        if self.walker is None:
            return champions
        return combine_fronts(self.evolver.problem, champions, self.walker.champions())

    def finish_generation(self) -> Sequence[Generation]:
        """Complete the generation that is being evolved, if one is; a state is saved after it."""
        states = self.evolver.finish()
        for state in states:
            self.ending.update(state.generation, state.best)
        self._add(states)
        return states

    def log_populations(self, folder: Folder | None) -> None:
        """Log the population of every generation from now on, in memory or in a folder."""
        self.log = PopulationLog(folder)
        self.log.resume(self.evolver.next_generation - 1)
        self.evolver.is_watched = True

    def _add(self, states: Sequence[Generation]) -> None:
        self.history += map(history_row, states)
        if states:
            self._last = states[-1]
            if self.log is not None:
                self.log.add(self.evolver, self._last.generation)

    @property
    def seconds(self) -> float:
        """The seconds of evolving, in this process and in those that it was resumed from."""
        return self._seconds_before + self.session_seconds

    @property
    def session_seconds(self) -> float:
        """The seconds of evolving in this process."""
        return time.perf_counter() - self._started


def _is_walked(state: bytes) -> bool:
    return state.startswith(_WALKED)
