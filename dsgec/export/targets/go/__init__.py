"""A Go module that needs nothing but the standard library.

Go may fuse a product and the sum that it is part of; a conversion around the product prevents that,
as the language's specification says. Constants are exact there, without a negative zero, until they
are converted to floats.
"""

import re
from dataclasses import dataclass, replace
from math import copysign

from dsgec.arithmetic.ir import Dtype
from dsgec.arithmetic.print_flat import FlatLanguage, camel
from dsgec.arithmetic.write import Language
from dsgec.export.artefact import DTYPES, Artefact
from dsgec.export.integers import IntegerSyntax
from dsgec.export.statements import Syntax
from dsgec.export.targets.language import LanguageView, by_dtype, handwritten
from dsgec.export.targets.running import find_command, raw_rows, run_commands
from dsgec.export.targets.target import Array, Files, Target, metadata_reader
from dsgec.literals import number, single_number
from dsgec.rendering import Code

_FILES = {
    "{}/network.go": "go/network.go.j2",
    "{}/selftest.go": "go/selftest.go.j2",
    "{}/network_test.go": "go/network_test.go.j2",
    "{}/go.mod": "go/go.mod.j2",
}
_RUNNER = {"main.go": "go/run.go.j2", "go.mod": "go/run.mod.j2"}
_NEGATIVE_ZERO = "negativeZero"
OFFLINE = {
    "GO111MODULE": "on",
    "GOCACHE": "{}/cache",
    "GOFLAGS": "-mod=mod",
    "GOPROXY": "off",
    "GOTOOLCHAIN": "local",
    "GOWORK": "off",
    "GOTELEMETRY": "off",
}
"""Environment variables that keep Go from downloading anything or writing outside the folder."""


def _flat(dtype: Dtype) -> FlatLanguage:
    real, word = {"double": ("float64", "uint64"), "float": ("float32", "uint32")}[dtype]
    size = real.removeprefix("float")
    of_double = "{}" if dtype == "double" else "float32({})"
    given = ("{0}", "{1}") if dtype == "double" else ("float64({0})", "float64({1})")
    patterns = {
        "bits": f"math.Float{size}bits({{0}})",
        "from_bits": f"math.Float{size}frombits({{0}})",
        "is_nan": "{0} != {0}",
        "math.fabs": of_double.format(f"math.Abs({given[0]})"),
        "math.sqrt": of_double.format(f"math.Sqrt({given[0]})"),
        "math.copysign": of_double.format(f"math.Copysign({given[0]}, {given[1]})"),
        "signed": "float32(int64({0}))",
        "wide": "uint64({0})",
        "real *": f"{real}({{0}} * {{1}})",
    }
    return FlatLanguage(
        dtype,
        expressions=Language(lambda literal: literal.text.lower(), lambda _: "", patterns),
        types={"real": real, "word": word, "wide": "uint64"},
        function="func {name}({parameters}) {type} {{",
        parameter="{name} {type}",
        declare="{name} := {value}",
        return_value="return {value}",
        choice="{1} := {4}\nif {2} {{\n\t{1} = {3}\n}}".format,
        return_choice="if {test} {{\n\treturn {yes}\n}}\nreturn {no}",
        typed="{type}({value})",
        indent="\t",
        spell=camel,
        by_hand=handwritten("go/softmax.go"),
    )


def _syntax(dtype: Dtype) -> Syntax:
    real = {"double": "float64", "float": "float32"}[dtype]
    plain = number if dtype == "double" else single_number

    def literal(value: float) -> str:
        if value == 0.0 and copysign(1.0, value) < 0.0:
            return _NEGATIVE_ZERO
        return plain(value)

    return Syntax(
        call=camel,
        literal=literal,
        real=real,
        inline={"add": "{} + {}", "sub": "{} - {}", "mul": f"{real}({{}} * {{}})", "neg": "-{}"},
        alone="number({})",
    )


_WHOLE = replace(
    _flat("double"),
    arithmetic="whole",
    expressions=Language(
        lambda literal: literal.text,
        lambda _: "",
        # A literal that is shifted would be of another type.
        {"at": "int32({0}[{1}])", "whole <<": "int32({0}) << {1}"},
    ),
    types={"whole": "int32", "table": "[]int16"},
)
_FLAT = by_dtype(_flat("double"), _flat("float"), _WHOLE)
_SYNTAX = by_dtype(_syntax("double"), _syntax("float"), _syntax("double"))
# gofmt removes the blanks around a product within a sum.
_INTEGERS = IntegerSyntax(column="int32(x[{}])", type="int32", times="*")
_STORED = {8: "int8", 16: "int16"}


@dataclass(frozen=True)
class GoView(LanguageView):
    """The view of an artefact for the templates of Go."""

    @property
    def is_double(self) -> bool:
        return self.real == "float64"

    @property
    def nan(self) -> Code:
        return Code("math.NaN()" if self.is_double else "float32(math.NaN())")

    @property
    def largest(self) -> Code:
        return Code("math.MaxFloat64" if self.is_double else "math.MaxFloat32")

    @property
    def negative_zero(self) -> Code:
        zero = "math.Copysign(0, -1)"
        return Code(zero if self.is_double else f"float32({zero})")

    @property
    def from_bits(self) -> Code:
        return Code("math.Float64frombits" if self.is_double else "math.Float32frombits")

    @property
    def to_bits(self) -> Code:
        return Code("math.Float64bits" if self.is_double else "math.Float32bits")

    @property
    def has_number(self) -> bool:
        return "number(" in self.values

    @property
    def has_negative_zero(self) -> bool:
        return _NEGATIVE_ZERO in self.values

    @property
    def needs_math(self) -> bool:
        """Return whether `math` is used: Go refuses an unused import."""
        compares_all = bool(self.m.classes) and not self.m.has_threshold
        if self.m.fixed:
            return True
        of_network = bool(self.m.required) or compares_all or self.has_negative_zero
        return of_network or "math." in self.arithmetic


def _view(artefact: Artefact) -> GoView:
    dtype = artefact.dtype
    return GoView(artefact, _FLAT[dtype], _SYNTAX[dtype], _INTEGERS, _STORED)


def emit_go(artefact: Artefact) -> Files:
    """Return a module: `name/go.mod`, `network.go`, `selftest.go` and `network_test.go`."""
    return _view(artefact).render(_FILES)


def run_go(artefact: Artefact, files: Files, rows: Array) -> Array:
    """Compile the module and return its probabilities or values, row after row."""
    more = (*_view(artefact).render(_RUNNER), raw_rows(rows))
    build = [find_command("go"), "build", "-o", "run", "."]
    return run_commands((*files, *more), build, ["./run"], environment=OFFLINE)


TARGET = Target(
    tuple(_FILES),
    emit_go,
    metadata_reader(re.compile(rb"^const Metadata = `(.*)`$", re.MULTILINE)),
    run_go,
    dtypes=DTYPES,
    mark=b"Code generated by dsgec ",
    swept=("*.go", "*.s", "*.S", "*.sx", "*.syso", "*.swig", "*.swigcxx", "vendor"),
    obeyed=("go.work",),
)
