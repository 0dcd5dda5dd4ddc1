"""Print procedures on one row as typed functions on columns, which the reference runs."""

from collections.abc import Mapping
from typing import ClassVar

from dsgec.program.ir import Procedure, Program, Type, Variable
from dsgec.program.print_numpy import NumpyPrinter


class ColumnsPrinter(NumpyPrinter):
    """Prints functions of a module; those of the arithmetic are in `vector`."""

    types: ClassVar[Mapping[Type, str]] = {"double": "Column", "int32": "int", "bool": "bool"}

    def __init__(self, procedures: tuple[Procedure, ...]) -> None:
        super().__init__(Program((), procedures))
        self.prefix = ""

    @property
    def entry(self) -> None:
        return None

    def head(self, procedure: Procedure) -> str:
        listed = ", ".join(
            f"{p.name}: {self.types[p.type]}"
            if isinstance(p, Variable)
            else f"{p.name}: list[{self.types[p.type]}]"
            for p in procedure.parameters
        )
        kind = self.types[procedure.result.type] if procedure.result else "None"
        return f"def {procedure.name}({listed}) -> {kind}:"

    def spell_function(self, name: str) -> str:
        return f"vector.{name}"
