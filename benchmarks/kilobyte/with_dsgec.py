"""dsgec at budgets of flash: one run with the largest budget, and its picks for all of them."""

from collections.abc import Iterator
from contextlib import suppress

from benchmarks.kilobyte.budgets import CHIPS
from benchmarks.kilobyte.candidate import Candidate
from benchmarks.kilobyte.case import Case
from benchmarks.kilobyte.compiled import both_layouts, fixed_candidates
from dsgec import evolve
from dsgec.errors import DsgecError

DTYPE = "q7"
SHARES = (1.0, 0.94, 0.88, 0.8)
"""The parts of a budget that are asked for, because an image may take more than its estimate."""


def evolved(case: Case) -> Iterator[Candidate]:
    """Yield what `--pick flash` picks from a run for the budgets.

    `dsgec evolve table.csv --flash 8KB --test 0`, then `dsgec export RUN --to c --dtype q7
    --chip CHIP --pick flash BUDGET`, and a little less than the budget where the image is larger.
    """
    run = evolve(
        *(case.x, case.y),
        test=0,
        task="classification",
        seed=case.split.number + 1,
        threads=1,
        flash=str(max(case.budgets)),
    )
    picked = {}
    for chip in CHIPS:
        for budget in case.budgets:
            for share in SHARES:
                with suppress(DsgecError):  # nothing is so small
                    entry = run.hall_of_fame.pick(
                        "flash", int(share * budget), chip=chip, dtype=DTYPE
                    )
                    picked[entry.model_id] = entry
    for entry in picked.values():
        assert entry.validated
        network = entry.network
        layouts = both_layouts(network.model, network.ranges, DTYPE)
        setting = f"{entry.size['connections']} connections"
        yield from fixed_candidates(setting, 1.0 - entry.validated.score, layouts)
