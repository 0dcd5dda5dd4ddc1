"""Formula to text and to LaTeX."""

import re
from collections.abc import Sequence

from dsgec.errors import clean
from dsgec.network.evaluate import evaluate
from dsgec.network.formula import Formula, Monomial, Sum, feature_columns, make_formula
from dsgec.network.ir import Input
from dsgec.network.model import Column, Model
from dsgec.network.model_text import model_text, quote
from dsgec.network.ranges import Range
from dsgec.network.rounding import (
    TOLERANCE,
    Array,
    atom_values,
    probe_rows,
    round_formula,
    round_number,
    scale_rows,
    sum_value,
)
from dsgec.network.syntax import resolve_function

_PLAIN_NAME = re.compile(r"[^\W\d][\w .%°²³µ]*")
_LONGEST_INLINE = 200
_LONGEST = 1_000_000
_DIGITS = 5  # times as long as a rounded formula, at most, is one with all digits
_OF_MAGNITUDE = {"sqrt", "log"}
_TEX_FUNCTIONS = {
    **{name: rf"\{name}" for name in ("sin", "cos", "tanh", "exp", "min", "max")},
    "log": r"\ln",
    "sig": r"\sigma",
}
_TEX_SPECIAL = {
    **{sign: f"\\{sign}" for sign in "#$%&_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}


class Notation:
    """How sums, products and names are written. This is plain text."""

    times = " * "

    def name(self, text: str) -> str:
        """Write the name of a column or a class."""
        text = clean(text)
        is_plain = _PLAIN_NAME.fullmatch(text) and not text.endswith(" ")
        if is_plain and resolve_function(text) is None and not re.match(r"[hz]_\d", text):
            return text
        return quote(text)

    def indicator(self, column: str, category: str) -> str:
        return f"[{self.name(column)} = {self.name(category)}]"

    def missing(self, column: str) -> str:
        return f"[{self.name(column)} is missing]"

    def neuron(self, name: str) -> str:
        return name

    def probability(self, label: str) -> str:
        return f"p({self.name(label)})"

    def number(self, value: float) -> str:
        return repr(value).removesuffix(".0")

    def group(self, inner: str) -> str:
        return f"({inner})"

    def magnitude(self, inner: str) -> str:
        return f"|{inner}|"

    def call(self, name: str, arguments: Sequence[str]) -> str:
        if name == "abs":
            return self.magnitude(arguments[0])
        return f"{name}({', '.join(arguments)})"

    def power(self, base: str, exponent: int) -> str:
        return base if exponent == 1 else f"{base}^{exponent}"

    def fraction(self, above: list[str], below: list[str]) -> str:
        under = self.times.join(below)
        under = self.group(under) if len(below) > 1 else under
        return f"{self.times.join(above)} / {under}"

    def together(self, equations: list[tuple[str, str]]) -> str:
        return "\n".join(f"{left} = {right}" for left, right in equations)


class Latex(Notation):
    """The same in LaTeX, for math mode."""

    times = r" \, "

    def name(self, text: str) -> str:
        escaped = "".join(_TEX_SPECIAL.get(c, c) for c in clean(text))
        return rf"\mathit{{{escaped}}}" if escaped.isalpha() else rf"\text{{{escaped}}}"

    def indicator(self, column: str, category: str) -> str:
        return rf"\left[{self.name(column)} = {self.name(category)}\right]"

    def missing(self, column: str) -> str:
        return rf"\left[{self.name(column)}\text{{ is missing}}\right]"

    def neuron(self, name: str) -> str:
        kind, *numbers = name.split("_")
        return f"{kind}_{{{','.join(numbers)}}}"

    def probability(self, label: str) -> str:
        return rf"p\left({self.name(label)}\right)"

    def number(self, value: float) -> str:
        digits, _, exponent = super().number(value).partition("e")
        return rf"{digits} \cdot 10^{{{int(exponent)}}}" if exponent else digits

    def group(self, inner: str) -> str:
        return rf"\left({inner}\right)"

    def magnitude(self, inner: str) -> str:
        return rf"\left|{inner}\right|"

    def call(self, name: str, arguments: Sequence[str]) -> str:
        match name, arguments:
            case "abs", (inner,):
                return self.magnitude(inner)
            case "sqrt", (inner,):
                return rf"\sqrt{{{inner}}}"
            case "power", (base, exponent):
                return rf"{{{self.magnitude(base)}}}^{{{exponent}}}"
        shown = _TEX_FUNCTIONS.get(name, rf"\operatorname{{{name.replace('_', '')}}}")
        return shown + self.group(", ".join(arguments))

    def power(self, base: str, exponent: int) -> str:
        return base if exponent == 1 else f"{{{base}}}^{{{exponent}}}"

    def fraction(self, above: list[str], below: list[str]) -> str:
        return rf"\frac{{{self.times.join(above)}}}{{{self.times.join(below)}}}"

    def together(self, equations: list[tuple[str, str]]) -> str:
        if len(equations) == 1:
            return super().together(equations)
        lines = " \\\\\n".join(f"{left} &= {right}" for left, right in equations)
        return f"\\begin{{aligned}}\n{lines}\n\\end{{aligned}}"


TEXT, LATEX = Notation(), Latex()


def formula_text(
    model: Model, ranges: Sequence[Range | None] = (), notation: Notation = TEXT
) -> str:
    """Return the equations of a model in raw units, with the names of its columns.

    Numbers have as many digits as keep predictions the same to 1e-4. A network that is too large
    for this is written exactly, as `model_text` does.
    """
    found = readable_formula(model, ranges)
    if found is None:
        return model_text(model).removesuffix("\n")
    return write_formula(found, model, probe_rows(model.columns, ranges), notation)


def missing_text(model: Model) -> str:
    """Return what stands for missing values of the columns that the network reads, if anything."""
    columns = feature_columns(model.columns)
    read = {columns[node.column][0] for node in model.network.nodes if isinstance(node, Input)}
    found = []
    for column in model.columns:
        if column in read and column.fill is not None:
            fill = TEXT.number(round_number(column.fill, abs(column.fill) * TOLERANCE / 2))
            texts = column.categories
            found.append(f"{TEXT.name(column.name)} = {texts[int(column.fill)] if texts else fill}")
    return ", ".join(clean(one) for one in found)


def is_formula(model: Model, *, linear: bool = False) -> bool:
    """Return whether people call it a formula: it has no layers, or its grammar writes formulas.

    `linear`: the grammar has `%output linear`.
    """
    return len(model.network.outputs) == 1 and (linear or not model.network.layers)


def readable_formula(model: Model, ranges: Sequence[Range | None] = ()) -> Formula | None:
    """Return the shortest rounded formula of a model; None if all are too large.

    Neurons have equations of their own unless everything is short enough for one.
    """
    rows = probe_rows(model.columns, ranges)
    exact: Array | None = None
    for inline in (True, False):
        longest = _LONGEST_INLINE if inline and model.network.layers else _LONGEST
        made = [make_formula(model, inline=inline, expand=expand) for expand in (True, False)]
        candidates: list[tuple[int, int, Formula]] = []
        for formula in dict.fromkeys(made):
            if formula is None or not write_formula(formula, model, rows, TEXT, longest * _DIGITS):
                continue
            if exact is None:
                exact = evaluate(model.network, scale_rows(model.columns, rows))
            short = round_formula(formula, rows, exact)
            text = "" if short is None else write_formula(short, model, rows, TEXT, longest)
            if short is not None and text:
                candidates.append((len(text), len(candidates), short))
        if candidates:
            return min(candidates, key=lambda one: one[:2])[-1]
    return None


def write_formula(
    formula: Formula, model: Model, rows: Array, notation: Notation, longest: int = _LONGEST
) -> str:
    """Return the equations of a formula; empty where they are longer than so many characters.

    Magnitudes are marked where an argument is negative on one of the rows.
    """
    sign = _negative(formula, rows)
    atoms: list[str] = []
    columns, room = feature_columns(model.columns), _LONGEST

    def total(terms: Sum) -> str:
        return _sum(terms, atoms, notation)

    for number, atom in enumerate(formula.atoms):
        match atom.kind:
            case "feature":
                atoms.append(column_text(*columns[atom.number], notation))
            case "neuron":
                atoms.append(notation.neuron(formula.neurons[atom.number][0]))
            case "group":
                atoms.append(notation.group(total(atom.arguments[0])))
            case _:
                arguments = [total(one) for one in atom.arguments]
                if atom.name in _OF_MAGNITUDE and sign[number]:
                    arguments = [notation.magnitude(arguments[0])]
                atoms.append(notation.call(atom.name, arguments))
        room -= len(atoms[-1])
        if len(atoms[-1]) > longest or room < 0:
            return ""
    equations = [(notation.neuron(name), total(terms)) for name, terms in formula.neurons]
    names = output_names(model, notation)
    outputs = [total(terms) for terms in formula.outputs]
    if formula.softmax:
        sums = [notation.neuron(f"z_{number}") for number in range(1, len(outputs) + 1)]
        equations += zip(sums, outputs, strict=True)
        equations.append((", ".join(names), notation.call("softmax", sums)))
    else:
        equations += zip(names, outputs, strict=True)
    text = notation.together(equations)
    return text if len(text) <= longest else ""


def _negative(formula: Formula, rows: Array) -> list[bool]:
    """Return for each atom whether its first argument is negative on one of the rows."""
    if not any(atom.name in _OF_MAGNITUDE for atom in formula.atoms):
        return [False] * len(formula.atoms)
    values = atom_values(formula, rows)
    return [
        atom.name in _OF_MAGNITUDE
        and not bool((sum_value(atom.arguments[0], values, len(rows)) >= 0).all())
        for atom in formula.atoms
    ]


def column_text(column: Column, place: int, notation: Notation) -> str:
    """Return a feature of a column in raw units: its name, or a condition that is 1 or 0."""
    is_mark = column.marked and place == len(column.features) - 1
    if is_mark:
        return notation.missing(column.name)
    match column.kind:
        case "category":
            return notation.indicator(column.name, column.categories[place])
        case "boolean":
            return notation.indicator(column.name, column.categories[1])
        case _:
            return notation.name(column.name)


def output_names(model: Model, notation: Notation) -> list[str]:
    """Return what stands on the left of the equations of outputs."""
    count = len(model.network.outputs)
    if model.classes:
        labels = model.classes[1:] if count == 1 else model.classes
        return [notation.probability(str(label)) for label in labels]
    if count == 1 and model.target:
        return [notation.name(model.target)]
    return [notation.neuron(f"y_{number}") for number in range(1, count + 1)]


def _sum(terms: Sum, atoms: list[str], notation: Notation) -> str:
    pieces: list[str] = []
    for coefficient, monomial in terms:
        term = _term(abs(coefficient), monomial, atoms, notation)
        if not pieces:
            pieces.append(f"-{term}" if coefficient < 0 else term)
        else:
            pieces.append(f" {'-' if coefficient < 0 else '+'} {term}")
    return "".join(pieces) or "0"


def _term(coefficient: float, monomial: Monomial, atoms: list[str], notation: Notation) -> str:
    above = [notation.power(atoms[atom], exponent) for atom, exponent in monomial if exponent > 0]
    below = [notation.power(atoms[atom], -exponent) for atom, exponent in monomial if exponent < 0]
    if coefficient != 1.0 or not above:
        above.insert(0, notation.number(coefficient))
    return notation.fraction(above, below) if below else notation.times.join(above)
