"""The one arithmetic, and networks, in Java: strict since 17, and without unsigned integers."""

from dataclasses import replace

from dsgec.arithmetic.ir import Dtype, Literal
from dsgec.arithmetic.print_flat import FlatLanguage, camel
from dsgec.arithmetic.write import Language
from dsgec.export.fixed.ir import STORED_BITS
from dsgec.export.integers import IntegerSyntax
from dsgec.export.statements import Syntax
from dsgec.literals import float_number, number

_SOFTMAX = """\
private static void softmax({double|float}[] z) {
    {double|float} m = z[0];
    for (int i = 1; i < z.length; i++) {
        m = maximum(m, z[i]);
    }
    {double|float} s = {0.0|0.0f};
    for (int i = 0; i < z.length; i++) {
        z[i] = expDown(z[i] - m);
        s += z[i];
    }
    for (int i = 0; i < z.length; i++) {
        z[i] /= s;
    }
}
"""


def _flat(dtype: Dtype) -> FlatLanguage:
    is_double = dtype == "double"
    word = "long" if is_double else "int"

    def literal(literal: Literal) -> str:
        text = literal.text.lower()
        if literal.kind == "real":
            return text if is_double else f"{text}f"
        return f"{text}L" if "x" in text and (is_double or literal.kind == "wide") else text

    sqrt = "Math.sqrt({0})"
    patterns = {
        "bits": "Double.doubleToRawLongBits({0})" if is_double else "Float.floatToRawIntBits({0})",
        "from_bits": "Double.longBitsToDouble({0})" if is_double else "Float.intBitsToFloat({0})",
        "is_nan": f"{dtype.capitalize()}.isNaN({{0}})",
        "math.fabs": "Math.abs({0})",
        "math.sqrt": sqrt if is_double else f"(float) {sqrt}",
        "math.copysign": "Math.copySign({0}, {1})",
        "signed": "(float) {0}",
        "wide": "Integer.toUnsignedLong({0})",
        "word >>": "{0} >>> {1}",
        "wide >>": "{0} >>> {1}",
    }
    return FlatLanguage(
        dtype,
        expressions=Language(literal, lambda _: "", patterns),
        types={"real": dtype, "word": word, "wide": "long"},
        function="private static {type} {name}({parameters}) {{",
        parameter="{type} {name}",
        declare="{type} {name} = {value};",
        return_value="return {value};",
        choice="{} {} = {} ? {} : {};".format,
        return_choice="return {test} ? {yes} : {no};",
        spell=camel,
        by_hand={"softmax": _SOFTMAX},
    )


_DOUBLE, _FLOAT = _flat("double"), _flat("float")
_WHOLE = replace(
    _DOUBLE,
    arithmetic="whole",
    expressions=Language(lambda literal: literal.text, lambda _: "", {"at": "{0}[{1}]"}),
    types={"whole": "int", "table": "int[]"},
)
_REAL = Syntax(call=camel, literal=number, real="double")

FLAT: dict[str, FlatLanguage] = {
    "double": _DOUBLE,
    "float": _FLOAT,
    **dict.fromkeys(STORED_BITS, _WHOLE),
}
SYNTAX: dict[str, Syntax] = {
    "double": _REAL,
    "float": Syntax(call=camel, literal=float_number, real="float"),
    **dict.fromkeys(STORED_BITS, _REAL),
}
# A class inside has a method `equals` of its own. A statement takes 180 bytes at most, of the 64 KB
# of a method.
INTEGERS = IntegerSyntax(call="Network.{}", type="int", longest=300)
STORED = {8: "byte", 16: "short"}
