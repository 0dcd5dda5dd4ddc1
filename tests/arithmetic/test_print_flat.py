"""Flat definitions have one operation per step and assign every variable once."""

from collections import Counter

import pytest

from dsgec.arithmetic.ir import Call, Choose, Literal, Name, Operation, walk
from dsgec.arithmetic.parse import definitions, read
from dsgec.arithmetic.print_flat import camel, flatten

CASES = [
    (arithmetic, name)
    for arithmetic in ("double", "float", "whole")
    for name in definitions(arithmetic)
    if name != "softmax"
]


def is_atom(expression):
    return isinstance(expression, Name | Literal)


def operations(definition):
    """Count the operations of two floats, or of two integers of fixed point."""
    return Counter(
        part.operator
        for part in walk(*definition.expressions)
        if isinstance(part, Operation) and len(part.operands) == 2
        if part.kind in ("real", "whole")
    )


@pytest.mark.parametrize(("arithmetic", "name"), CASES)
def test_a_step_does_one_operation(arithmetic, name):
    definition = definitions(arithmetic)[name]
    flat = flatten(definition, (), camel)
    for value in flat.expressions:
        match value:
            case Operation(_, operands):
                assert all(map(is_atom, operands))
            case Call(_, arguments):
                assert all(map(is_atom, arguments))
            case Choose(test, yes, no):
                assert is_atom(yes) and is_atom(no)
                assert all(map(is_atom, test.operands if isinstance(test, Operation) else ()))
    assert operations(flat) == operations(definition)


@pytest.mark.parametrize(("arithmetic", "name"), CASES)
def test_a_variable_is_assigned_once_and_before_it_is_read(arithmetic, name):
    flat = flatten(definitions(arithmetic)[name], (), camel)
    known = {parameter.name for parameter in flat.parameters}
    for step in flat.steps:
        assert {part.name for part in walk(step.value) if isinstance(part, Name)} <= known
        assert step.name not in known
        known.add(step.name)
    assert flat.result is not None
    assert {part.name for part in walk(flat.result) if isinstance(part, Name)} <= known


def test_what_a_language_has_its_own_way_for_is_a_call():
    flat = flatten(read("double")["exp_down"], {"real *"})
    found = [part for part in walk(*flat.expressions) if isinstance(part, Operation)]
    assert not [part for part in found if part.operator == "*"]
    assert any(part.operator == "+" for part in found)
