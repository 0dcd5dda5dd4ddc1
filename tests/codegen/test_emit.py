"""What is emitted, letter by letter, and what can never be."""

import ast
import subprocess

import pytest
from jinja2 import TemplateAssertionError

from dsgec.codegen.artefact import Artefact
from dsgec.codegen.emit_c import emit_c
from dsgec.codegen.emit_numpy import emit_numpy
from dsgec.codegen.environment import Code, UnsafeTemplate, environment
from dsgec.codegen.literals import c_string, number, python_string
from dsgec.codegen.names import check_name, safe_name
from dsgec.errors import DsgecError
from dsgec.native.module import load_module
from dsgec.native.toolchain import find_toolchain
from dsgec.network.model import Model, plain
from dsgec.network.parse import parse, parse_phenotype
from dsgec.network.simplify import simplify

IRIS = Model(
    simplify(
        parse_phenotype(
            "sig(0.52*x_1+-1.30*x_3+0.10)-tanh(x_2^2/x_4)--sig(1.5*h_1_1+x_2)"
            "--softmax(2.0*h_2_1+0.3,h_1_2,min(h_1_1,-h_2_1))",
            layered=True,
            inputs=4,
        )
    ),
    plain(("sepal length", "sepal width", "petal length", "petal width")),
    ("setosa", "versicolor", "virginica"),
)


def test_the_emitted_files_are_the_goldens(golden):
    for file in (*emit_c(Artefact(IRIS, "iris")), *emit_numpy(Artefact(IRIS, "iris"))):
        golden(f"iris/{file.name}", file.text)


@pytest.mark.needs_cc
@pytest.mark.parametrize("language", ["c", "c++"])
def test_the_emitted_c_is_clean_under_strict_warnings(language, tmp_path):
    for file in emit_c(Artefact(IRIS, "iris")):
        (tmp_path / file.name).write_text(file.text)
    standard = "-std=c99" if language == "c" else "-std=c++11"
    flags = [
        standard,
        "-Wall",
        "-Wextra",
        "-pedantic",
        "-Wconversion",
        "-Wdouble-promotion",
        "-Werror",
    ]
    command = [find_toolchain().command, "-x", language, *flags, "-c", str(tmp_path / "iris.c")]
    answer = subprocess.run(
        [*command, "-o", str(tmp_path / "iris.o")], capture_output=True, text=True, check=False
    )
    if "cc1plus" in answer.stderr:
        pytest.skip("no C++ compiler")

    assert answer.stderr == ""
    assert answer.returncode == 0


HOSTILE = [
    'x"}; int main(){',
    "*/ evil /*",
    "// \\",
    "line\nbreak",
    "\r",
    "'''; import os; '''",
    '"""',
    "__import__('os')",
    "%s%n",
    "{{ 7 * 7 }}",
    "{% raw %}",
    "??/",
    "\\",
    "é ü 漢字 \U0001f600",
    "\u2028\u202e",
    "\ud800",
    "\0",
    "",
    "int",
    "def",
    "a" * 5000,
]


def hostile_model():
    text = " + ".join(f"x_{i}" for i in range(1, len(HOSTILE) + 1))
    return Model(parse(text), plain(tuple(HOSTILE)), ("*/ #error", 'y"'))


def test_hostile_names_arrive_verbatim_in_the_numpy_module():
    text = emit_numpy(Artefact(hostile_model(), "net"))[0].text
    module = load_module(text, "net")

    assert module.feature_names_in_ == tuple(HOSTILE)
    assert module.classes_ == ("*/ #error", 'y"')
    assert text.isascii()
    calls = {ast.unparse(n.func) for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Call)}
    assert not calls & {"__import__", "exec", "eval", "os.system"}


@pytest.mark.needs_cc
def test_hostile_names_arrive_verbatim_in_the_c_module(tmp_path):
    from tests.codegen.test_agreement import c_module

    library = c_module(hostile_model(), "net", tmp_path, "-O0", "-std=c99", "-Wall", "-Werror")
    names = library.functions.net_feature_names
    for index, name in enumerate(HOSTILE):
        expected = name.encode("utf-8", "surrogatepass").split(b"\0")[0]
        assert library.ffi.string(names[index]) == expected


@pytest.mark.parametrize(
    "template",
    [
        "{{ h }}",
        "{{ h|upper }}",
        "{{ h ~ 'a' }}",
        "{{ 'const' }}",
        "{{ 7 }}",
        "{{ h|ident }}",
        "{{ h|block }}",
    ],
)
def test_a_template_cannot_print_what_no_filter_made_safe(template):
    with pytest.raises((UnsafeTemplate, TemplateAssertionError)):
        environment().from_string(template).render(h="x; y")


def test_a_template_prints_what_a_filter_made_safe():
    render = (
        environment().from_string("{{ a|cstr }} {{ b|num }} {{ c|block }} {{ d|ident }}").render
    )

    assert render(a="é?", b=0.1, c=Code("x + y"), d="f_1") == '"\\303\\251\\077" 0.1 x + y f_1'


@pytest.mark.parametrize("value", [0.1, -0.0, 5e-324, 1.7976931348623157e308, 1 / 3, 123456789.0])
def test_a_number_reads_back_bit_for_bit(value):
    assert float(number(value)).hex() == value.hex()


def test_what_is_not_finite_has_no_literal():
    with pytest.raises(ValueError, match="no literal"):
        number(float("inf"))


def test_strings_are_escaped():
    assert c_string('a"b\\c?\n') == '"a\\042b\\134c\\077\\012"'
    assert python_string("é\n'") == '"\\xe9\\n\'"'


@pytest.mark.parametrize(
    "name",
    ["class", "Upper", "9lives", "a-b", "", "a b", "dsgec_x", "é", "np", "types", "stdint"],
)
def test_a_name_that_would_not_compile_is_refused(name):
    with pytest.raises(DsgecError, match="cannot name a module"):
        check_name(name)
    assert check_name(safe_name(name))


def test_the_model_id_depends_on_the_network_and_its_names_only():
    from dsgec.codegen.artefact import model_id

    other = Model(IRIS.network, IRIS.columns, ("a", "b", "c"))
    assert model_id(IRIS) == model_id(Model(IRIS.network, IRIS.columns, IRIS.classes))
    assert model_id(IRIS) != model_id(other)
    assert all(
        model_id(IRIS) in f.text
        for f in (emit_c(Artefact(IRIS, "a"))[0], *emit_numpy(Artefact(IRIS, "b")))
    )
