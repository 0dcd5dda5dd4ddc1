"""Check the names of a procedure: each is declared once, before it is read, and has one type.

A variable belongs to the block that declares it. No name hides another one, because some languages
do not allow that.
"""

from collections.abc import Iterable, Mapping

from dsgec.program import ir
from dsgec.program.walk import InvalidProgram


def check_scopes(procedure: ir.Procedure, tables: Iterable[ir.ConstantTable]) -> None:
    """Check the names of a procedure, or raise `InvalidProgram`."""
    scope = _Scope(procedure.name, {table.name: table.type for table in tables}, {})
    for parameter in procedure.parameters:
        if isinstance(parameter, ir.Variable):
            scope.declare(scope.variables, parameter.name, parameter.type)
        else:
            scope.declare(scope.arrays, parameter.name, parameter.type)
    scope.block(procedure.body)
    if procedure.result is not None:
        scope.read(procedure.result)


class _Scope:
    """The arrays and variables that a block can name, with their types."""

    def __init__(
        self, procedure: str, arrays: Mapping[str, ir.Type], variables: Mapping[str, ir.Type]
    ) -> None:
        self.procedure = procedure
        self.arrays, self.variables = {**arrays}, {**variables}

    def declare(self, names: dict[str, ir.Type], name: str, type_: ir.Type) -> None:
        """Add a new name."""
        if name in self.arrays or name in self.variables:
            raise InvalidProgram(f"{self.procedure} declares {name} twice")
        names[name] = type_

    def known(self, names: Mapping[str, ir.Type], name: str) -> ir.Type:
        """Return the type of a name."""
        if name not in names:
            raise InvalidProgram(f"{self.procedure} uses {name} where it is not declared")
        return names[name]

    def inner(self, body: Iterable[ir.Instruction], *counters: ir.Variable) -> None:
        """Check a block inside this one."""
        inside = _Scope(self.procedure, self.arrays, self.variables)
        for counter in counters:
            inside.declare(inside.variables, counter.name, counter.type)
        inside.block(body)

    def block(self, body: Iterable[ir.Instruction]) -> None:
        """Check instructions one after the other."""
        for instruction in body:
            for expression in ir.expressions(instruction):
                self.read(expression)
            match instruction:
                case ir.Declare(ir.Variable(name, type_)):
                    self.declare(self.variables, name, type_)
                case ir.Update(variable):
                    self.read(variable)
                case ir.Store(array, _, value):
                    self.same(array, self.known(self.arrays, array), value.type, is_kept=False)
                case ir.Loop(counter, _, inner):
                    self.inner(inner, counter)
                case ir.While(_, updates):
                    self.inner(updates)
                case ir.Branch(_, yes, no):
                    self.inner(yes)
                    self.inner(no)
                case ir.LocalArray(name, type_):
                    self.declare(self.arrays, name, type_)
                case ir.Perform(_, arguments):
                    for name in arguments:
                        self.known(self.arrays, name)

    def read(self, expression: ir.Expression) -> None:
        """Check the names that an expression reads."""
        for part in ir.parts(expression):
            match part:
                case ir.Variable(name, type_):
                    self.same(name, self.known(self.variables, name), type_)
                case ir.Element(array, _, type_):
                    self.same(array, self.known(self.arrays, array), type_)

    def same(self, name: str, own: ir.Type, type_: ir.Type, *, is_kept: bool = True) -> None:
        """Check that a name is used with its type; a store may narrow an integer."""
        is_narrowed = not is_kept and own in ir.LIMITS and type_ in ir.LIMITS
        if own != type_ and not is_narrowed:
            raise InvalidProgram(f"{self.procedure} uses {name} as {type_}: it is {own}")
