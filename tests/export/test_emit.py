"""The emitted text, compared with goldens, and values that templates refuse."""

from pathlib import Path

import pytest
from jinja2 import TemplateAssertionError

from dsgec.errors import DsgecError
from dsgec.export.artefact import model_id
from dsgec.export.names import check_name, safe_name
from dsgec.export.targets.target import TARGETS
from dsgec.literals import c_string, number, python_string
from dsgec.network.model import Model
from dsgec.rendering import Code, UnsafeTemplate, code_environment
from tests.support.artefacts import first_type
from tests.support.models import IRIS
from tests.support.wat import disassemble


@pytest.mark.parametrize("target", [name for name in TARGETS if name != "onnx"])
def test_the_emitted_files_are_the_goldens(target, golden):
    for file in TARGETS[target].emit(first_type(IRIS, target, "iris")):
        if isinstance(file.text, bytes):
            golden(f"iris/{target}/{Path(file.name).stem}.wat", disassemble(file.text))
        else:
            golden(f"iris/{target}/{file.name}", file.text)


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
def test_a_template_cannot_print_a_value_that_no_filter_made_safe(template):
    with pytest.raises((UnsafeTemplate, TemplateAssertionError)):
        code_environment().from_string(template).render(h="x; y")


def test_a_template_prints_values_that_a_filter_made_safe():
    render = (
        code_environment()
        .from_string("{{ a|cstr }} {{ b|num }} {{ c|block }} {{ d|ident }}")
        .render
    )

    assert render(a="é?", b=0.1, c=Code("x + y"), d="f_1") == '"\\303\\251\\077" 0.1 x + y f_1'


@pytest.mark.parametrize("value", [0.1, -0.0, 5e-324, 1.7976931348623157e308, 1 / 3, 123456789.0])
def test_a_number_reads_back_bit_for_bit(value):
    assert float(number(value)).hex() == value.hex()


def test_a_number_that_is_not_finite_has_no_literal():
    with pytest.raises(ValueError, match="no literal"):
        number(float("inf"))


def test_strings_are_escaped():
    assert c_string('a"b\\c?\n') == '"a\\042b\\134c\\077\\012"'
    assert python_string("é\n'") == '"\\xe9\\n\'"'


@pytest.mark.parametrize(
    "name",
    [
        *("class", "Upper", "9lives", "a-b", "", "a b", "dsgec_x", "é", "np", "types", "stdint"),
        *("features", "endian", "alloca", "unistd", "stdatomic", "threads", "uchar", "cffi"),
        *("pandas", "net_selftest", "_selftest"),
    ],
)
def test_a_name_that_would_not_compile_is_refused(name):
    with pytest.raises(DsgecError, match="cannot name a module"):
        check_name(name)
    assert check_name(safe_name(name))


def test_the_model_id_depends_on_the_network_and_its_names_only():
    other = Model(IRIS.network, IRIS.columns, ("a", "b", "c"))
    assert model_id(IRIS) == model_id(Model(IRIS.network, IRIS.columns, IRIS.classes))
    assert model_id(IRIS) != model_id(other)


@pytest.mark.parametrize("target", TARGETS)
def test_the_model_id_is_in_every_target(target):
    files = TARGETS[target].emit(first_type(IRIS, target, "other"))

    assert any(model_id(IRIS) in str(file.text) for file in files)


@pytest.mark.parametrize("target", TARGETS)
def test_a_target_writes_the_files_that_it_names(target):
    emitted = {file.name for file in TARGETS[target].emit(first_type(IRIS, target, "iris"))}
    named = {name.format("iris") for name in TARGETS[target].files}

    if TARGETS[target].build:
        emitted = {"iris/__init__.py", "iris/_iris.abi3.so"}
    assert emitted == named


@pytest.mark.parametrize("target", TARGETS)
def test_the_same_model_gives_the_same_bytes(target):
    emit = TARGETS[target].emit

    assert emit(first_type(IRIS, target, "iris")) == emit(first_type(IRIS, target, "iris"))
