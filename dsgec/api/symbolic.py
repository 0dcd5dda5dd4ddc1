"""Turn formulas into SymPy expressions; SymPy is imported when it is needed."""

from collections.abc import Callable, Sequence
from typing import Any

from dsgec.errors import DsgecError
from dsgec.network.formula import Atom, Formula, Monomial, Sum, make_formula
from dsgec.network.model import Model
from dsgec.network.notation import readable_formula
from dsgec.network.ranges import Range


def sympy_expressions(model: Model, ranges: Sequence[Range | None], *, exact: bool) -> list[Any]:
    """Return the expression of each output, in the columns of the raw row."""
    try:
        import sympy
    except ImportError as error:
        raise ImportError("sympy() needs SymPy: `pip install sympy` installs it") from error
    formula = (
        make_formula(model, inline=False, expand=False)
        if exact
        else readable_formula(model, ranges)
    )
    if formula is None:
        raise DsgecError("the network is too large for SymPy", "Take one of the hall of fame.")
    atoms: list[Any] = []

    def term(value: float, monomial: Monomial) -> Any:
        number = int(value) if value.is_integer() else sympy.Float(repr(value))
        return number * sympy.Mul(*(atoms[atom] ** exponent for atom, exponent in monomial))

    def total(terms: Sum) -> Any:
        return sympy.Add(*(term(*one) for one in terms))

    for atom in formula.atoms:
        atoms.append(_atom(atom, formula, model, total, sympy))
    outputs = [total(terms) for terms in formula.outputs]
    if formula.softmax:
        powers = [sympy.exp(one) for one in outputs]
        return [one / sympy.Add(*powers) for one in powers]
    return outputs


def _atom(
    atom: Atom, formula: Formula, model: Model, total: Callable[[Sum], Any], sympy: Any
) -> Any:
    match atom.kind:
        case "feature":
            return sympy.Symbol(model.features[atom.number])
        case "neuron":
            return total(formula.neurons[atom.number][1])
        case "group":
            return total(atom.arguments[0])
    arguments = [total(one) for one in atom.arguments]
    known: dict[str, Callable[..., Any]] = {
        "sig": lambda x: 1 / (1 + sympy.exp(-x)),
        "abs": sympy.Abs,
        "min": sympy.Min,
        "max": sympy.Max,
        "relu": lambda x: sympy.Max(0, x),
        "clip": lambda x: sympy.Min(4, sympy.Max(0, x)),
        "sqrt": lambda x: sympy.sqrt(sympy.Abs(x)),
        "log": lambda x: sympy.log(sympy.Abs(x)),
        "power": lambda a, b: sympy.Abs(a) ** b,
        **_conditions(sympy),
        **{name: getattr(sympy, name) for name in ("exp", "tanh", "sin", "cos")},
    }
    return known.get(atom.name, sympy.Function(atom.name))(*arguments)


def _conditions(sympy: Any) -> dict[str, Callable[..., Any]]:
    """Return comparisons, logical functions and the choice; a number is true if it is above 0."""

    def flag(test: Any) -> Any:
        return sympy.Piecewise((1, test), (0, True))

    def true(x: Any) -> Any:
        return sympy.Gt(x, 0)

    return {
        "lt": lambda a, b: flag(sympy.Lt(a, b)),
        "le": lambda a, b: flag(sympy.Le(a, b)),
        "gt": lambda a, b: flag(sympy.Gt(a, b)),
        "ge": lambda a, b: flag(sympy.Ge(a, b)),
        "eq": lambda a, b: flag(sympy.Eq(a, b)),
        "ne": lambda a, b: flag(sympy.Ne(a, b)),
        "not": lambda x: flag(sympy.Not(true(x))),
        "and": lambda a, b: flag(sympy.And(true(a), true(b))),
        "or": lambda a, b: flag(sympy.Or(true(a), true(b))),
        "xor": lambda a, b: flag(sympy.Xor(true(a), true(b))),
        "nand": lambda a, b: flag(sympy.Nand(true(a), true(b))),
        "nor": lambda a, b: flag(sympy.Nor(true(a), true(b))),
        "if": lambda c, a, b: sympy.Piecewise((a, true(c)), (b, True)),
    }
