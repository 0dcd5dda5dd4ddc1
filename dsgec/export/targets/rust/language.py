"""The one arithmetic, and networks, in Rust: without `std`, which has the functions of floats."""

from dataclasses import replace

from dsgec.arithmetic.ir import Dtype, Literal
from dsgec.arithmetic.print_flat import FlatLanguage, snake
from dsgec.arithmetic.write import Language
from dsgec.export.fixed.ir import STORED_BITS
from dsgec.export.integers import IntegerSyntax
from dsgec.export.statements import Syntax
from dsgec.literals import number, single_number

_LONGEST_CHOICE = 50  # characters of one that rustfmt leaves in a line

# The digits of the root, one by one (Kahan).
_SQRT = """\
// Correctly rounded, digit by digit: what the instruction of a machine gives, if it has one.
fn sqrt(x: {f64|f32}) -> {f64|f32} {
    let a = absolute(x);
    let is_small = a < {2.2250738585072014e-308|1.1754944e-38};
    let u = if is_small { a * {18014398509481984.0|16777216.0} } else { a };
    let back = if is_small { {7.450580596923828e-09|0.00024414062} } else { 1.0 };
    let n = u.to_bits();
    let e = n >> {52|23};
    if n == 0 || e == {2047|255} {
        return a;
    }
    let mut m = (n & {0x000f_ffff_ffff_ffff|0x007f_ffff}) | (1 << {52|23});
    m <<= if e & 1 == 0 { 2 } else { 1 };
    let (mut q, mut s) = (0, 0);
    for place in (0..={53|24}).rev() {
        let r = 1 << place;
        let t = s + r;
        if t <= m {
            s = t + r;
            m -= t;
            q += r;
        }
        m <<= 1;
    }
    if m != 0 {
        q += q & 1; // never half way
    }
    {f64|f32}::from_bits((q >> 1) + (((e + {1021|125}) >> 1) << {52|23})) * back
}
"""
_SOFTMAX = """\
fn softmax(z: &mut [{f64|f32}]) {
    let m = z.iter().skip(1).fold(z[0], |m, &v| maximum(m, v));
    let mut s = 0.0;
    for v in z.iter_mut() {
        *v = exp_down(*v - m);
        s += *v;
    }
    for v in z.iter_mut() {
        *v /= s;
    }
}
"""


def _literal(literal: Literal) -> str:
    return literal.text.lower()


def _choice(_: str, name: str, test: str, yes: str, no: str) -> str:
    short = f"if {test} {{ {yes} }} else {{ {no} }}"
    if len(short) <= _LONGEST_CHOICE:
        return f"let {name} = {short};"
    return f"let {name} = if {test} {{\n    {yes}\n}} else {{\n    {no}\n}};"


def _flat(dtype: Dtype) -> FlatLanguage:
    real, word = {"double": ("f64", "u64"), "float": ("f32", "u32")}[dtype]
    digits = 16 if dtype == "double" else 8
    patterns = {
        "bits": "{0}.to_bits()",
        "from_bits": f"{real}::from_bits({{0}})",
        "is_nan": "{0}.is_nan()",
        "math.fabs": f"{real}::from_bits({{0}}.to_bits() & 0x{'7'.ljust(digits, 'f')})",
        "math.copysign": f"{real}::from_bits({{0}}.to_bits() | "
        f"({{1}}.to_bits() & 0x{'8'.ljust(digits, '0')}))",
        "signed": "{0} as i64 as f32",
        "wide": "u64::from({0})",
    }
    for kind, type_ in (("word", word), ("wide", "u64")):
        for operator, name in (("+", "add"), ("-", "sub"), ("*", "mul")):
            patterns[f"{kind} {operator}"] = f"{type_}::wrapping_{name}({{0}}, {{1}})"
    return FlatLanguage(
        dtype,
        expressions=Language(_literal, lambda _: "", patterns),
        types={"real": real, "word": word, "wide": "u64"},
        function="fn {name}({parameters}) -> {type} {{",
        parameter="{name}: {type}",
        declare="let {name} = {value};",
        return_value="{value}",
        choice=_choice,
        return_choice="if {test} {{\n    {yes}\n}} else {{\n    {no}\n}}",
        by_hand={"sqrt": _SQRT, "softmax": _SOFTMAX},
    )


_DOUBLE, _FLOAT = _flat("double"), _flat("float")
_WHOLE = replace(
    _DOUBLE,
    arithmetic="whole",
    expressions=Language(_literal, lambda _: "", {"at": "i32::from({0}[{1} as usize])"}),
    types={"whole": "i32", "table": "&[i16]"},
)
_REAL = Syntax(call=snake, literal=number, real="f64")

FLAT: dict[str, FlatLanguage] = {
    "double": _DOUBLE,
    "float": _FLOAT,
    **dict.fromkeys(STORED_BITS, _WHOLE),
}
SYNTAX: dict[str, Syntax] = {
    "double": _REAL,
    "float": Syntax(call=snake, literal=single_number, real="f32"),
    **dict.fromkeys(STORED_BITS, _REAL),
}
INTEGERS = IntegerSyntax(column="i32::from(x[{}])", type="i32")
STORED = {8: "i8", 16: "i16"}
