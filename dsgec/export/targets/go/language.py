"""The one arithmetic, and networks, in Go, which may fuse a product and a sum that it goes into.

The conversion around a product makes it a number of its own, as the language's specification says.
Constants are exact numbers there, without a negative zero, until something makes floats of them.
"""

from dataclasses import replace
from math import copysign

from dsgec.arithmetic.ir import Dtype
from dsgec.arithmetic.print_flat import FlatLanguage, camel
from dsgec.arithmetic.write import Language
from dsgec.export.fixed.ir import STORED_BITS
from dsgec.export.integers import IntegerSyntax
from dsgec.export.statements import Syntax
from dsgec.literals import number, single_number

NEGATIVE_ZERO = "negativeZero"
_SOFTMAX = """\
func softmax(z []{float64|float32}) {
	m := z[0]
	for _, v := range z[1:] {
		m = maximum(m, v)
	}
	var s {float64|float32}
	for i, v := range z {
		z[i] = expDown(v - m)
		s += z[i]
	}
	for i := range z {
		z[i] /= s
	}
}
"""


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
        by_hand={"softmax": _SOFTMAX},
    )


def _syntax(dtype: Dtype) -> Syntax:
    real = {"double": "float64", "float": "float32"}[dtype]
    plain = number if dtype == "double" else single_number

    def literal(value: float) -> str:
        if value == 0.0 and copysign(1.0, value) < 0.0:
            return NEGATIVE_ZERO
        return plain(value)

    return Syntax(
        call=camel,
        literal=literal,
        real=real,
        inline={"add": "{} + {}", "sub": "{} - {}", "mul": f"{real}({{}} * {{}})", "neg": "-{}"},
        alone="number({})",
    )


_DOUBLE, _FLOAT = _flat("double"), _flat("float")
_WHOLE = replace(
    _DOUBLE,
    arithmetic="whole",
    expressions=Language(
        lambda literal: literal.text,
        lambda _: "",
        # A literal that is shifted would be of another type.
        {"at": "int32({0}[{1}])", "whole <<": "int32({0}) << {1}"},
    ),
    types={"whole": "int32", "table": "[]int16"},
)
_REAL = _syntax("double")

FLAT: dict[str, FlatLanguage] = {
    "double": _DOUBLE,
    "float": _FLOAT,
    **dict.fromkeys(STORED_BITS, _WHOLE),
}
SYNTAX: dict[str, Syntax] = {
    "double": _REAL,
    "float": _syntax("float"),
    **dict.fromkeys(STORED_BITS, _REAL),
}
# gofmt takes the blanks around a product within a sum.
INTEGERS = IntegerSyntax(column="int32(x[{}])", type="int32", times="*")
STORED = {8: "int8", 16: "int16"}
