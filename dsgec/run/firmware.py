"""Export the network of a run that has a budget, and measure what it takes of the chip."""

from dataclasses import dataclass, replace
from pathlib import Path

from dsgec.export.artefact import with_smaller_layout
from dsgec.export.files import export, make_artefact
from dsgec.export.streams.cost import deployed_cost
from dsgec.export.targets.c.image import COMPILERS, Image, measure_image
from dsgec.folder import open_folder
from dsgec.network.cost.chips import Cost
from dsgec.network.ranges import NO_RANGES
from dsgec.run.cost_text import cycles_text, time_text
from dsgec.run.folder import read_model, read_record
from dsgec.search.budget import Budget

SUFFIX = "-firmware"
"""The end of the name of the folder of the C, which is beside that of the run."""


@dataclass(frozen=True, slots=True)
class Firmware:
    """The files of an export for a budget, and the `image` of a cross compiler, if there is one.

    `rate` is the number of samples of a signal in a second, if it is known.
    """

    paths: tuple[Path, ...]
    estimated: Cost
    image: Image | None
    budget: Budget
    rate: float | None = None

    @property
    def cost(self) -> Cost:
        """Return the cost, with bytes of the image if there is one."""
        if self.image is None:
            return self.estimated
        stack = self.image.ram + self.image.stack
        return replace(self.estimated, flash=self.image.flash, stack=stack)

    def __str__(self) -> str:
        """Return what the network takes of the chip."""
        own, cost = self.budget, self.cost
        how = f"linked by {COMPILERS[own.chip].command}" if self.image else "estimated"
        stream = "" if cost.state is None else f", {cost.state:,} of them for a stream"
        text = (
            f"for {own.chip} in {own.dtype}: {cost.flash:,} bytes of flash and {cost.ram:,} bytes"
            f" of RAM{stream} ({how}), about {cycles_text(cost)}"
        )
        if self.rate:
            text += f"; {time_text(cost, own.chip, self.rate)}"
        if not own.allows(cost):
            text += "; warning: this is more than the estimate and the budget, so allow less"
        return text


def write_firmware(run: Path, budget: Budget) -> Firmware:
    """Export the network of a run as C for its budget."""
    with open_folder(run) as folder:
        model, name = read_model(folder)
        recorded = read_record(folder).ranges
    paths = export(
        *(model, ("c",), name, run.with_name(run.name + SUFFIX), budget.dtype),
        recorded=recorded,
        chip=budget.chip,
    )
    artefact = make_artefact(model, name, budget.dtype, NO_RANGES, recorded, True)
    chosen = with_smaller_layout(artefact, budget.chip)
    return Firmware(
        tuple(paths),
        deployed_cost(chosen, budget.chip),
        measure_image(chosen, budget.chip),
        budget,
        chosen.model.signal.rate if chosen.model.signal else None,
    )
