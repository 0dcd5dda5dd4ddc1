"""Export the network of a run that has a budget, and measure what it takes of the chip."""

from dataclasses import dataclass
from pathlib import Path

from dsgec.export.artefact import with_smaller_layout
from dsgec.export.files import export, make_artefact
from dsgec.export.targets.c.image import COMPILERS, Image, measure_image
from dsgec.folder import open_folder
from dsgec.network.cost.chips import Cost
from dsgec.network.ranges import NO_RANGES
from dsgec.run.folder import read_model, read_record
from dsgec.search.budget import Budget

SUFFIX = "-firmware"
"""The end of the name of the folder of the C, which is beside that of the run."""


@dataclass(frozen=True, slots=True)
class Firmware:
    """The files of an export for a budget, and the `image` of a cross compiler, if there is one."""

    paths: tuple[Path, ...]
    estimated: Cost
    image: Image | None
    budget: Budget

    def __str__(self) -> str:
        """Return what the network takes of the chip."""
        own, image = self.budget, self.image
        flash = image.flash if image else self.estimated.flash
        ram = image.ram + image.stack if image else self.estimated.stack
        how = f"linked by {COMPILERS[own.chip].command}" if image else "estimated"
        text = (
            f"for {own.chip} in {own.dtype}: {flash:,} bytes of flash and {ram:,} bytes of RAM"
            f" ({how}), about {self.estimated.cycles:,} cycles a row"
        )
        if not own.allows(flash, ram, self.estimated.cycles):
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
        tuple(paths), chosen.cost(budget.chip), measure_image(chosen, budget.chip), budget
    )
