"""Every fault has its place, message and advice, and all faults of a file are reported."""

from pathlib import Path

import pytest

from dsgec.errors import DsgecError, Fault
from dsgec.grammar.load import parse_with_warnings

TABLE = Path(__file__).with_name("faults.cases").read_text(encoding="utf-8")


def cases():
    for case in TABLE.split("\n=== ")[1:]:
        lines = case.removesuffix("\n").split("\n")
        text = [line for line in lines[1:] if not line.startswith("--- ")]
        expected = [line.removeprefix("--- ") for line in lines[1:] if line.startswith("--- ")]
        yield pytest.param("\n".join(text), expected, id=lines[0])


def faults_of(text: str | bytes) -> tuple[Fault, ...]:
    try:
        return parse_with_warnings(text, "g.bnf")[1]
    except DsgecError as error:
        return error.faults


def test_the_table_has_at_least_fifty_rows():
    assert len(list(cases())) >= 50


@pytest.mark.parametrize(("text", "expected"), list(cases()))
def test_a_mistake_is_told_with_its_place_and_what_to_do(text, expected):
    found = faults_of(text)
    shown = "\n".join(map(str, found))
    assert len(found) == len(expected), shown
    for fault, row in zip(found, expected, strict=True):
        place, message, advice = (*row.split(" :: "), "")[:3]
        kind = "W " if fault.warning else ""
        assert f"{kind}{fault.span.line}:{fault.span.column}" == place, shown
        assert message in fault.message, shown
        assert advice in fault.advice, shown
        assert fault.advice, shown
        assert fault.line_text == text.split("\n")[fault.span.line - 1]
        assert fault.span.column <= len(fault.line_text) + 1
        assert str(fault).replace("\n", "").isprintable()


def test_a_fault_is_shown_with_a_caret_under_its_place():
    (fault,) = faults_of("<s> ::= x <b>\n")
    assert str(fault) == (
        "g.bnf:1:11: error: `<b>` is not defined\n"
        "    <s> ::= x <b>\n"
        "              ^^^\n"
        "  Add a rule `<b> ::= …`."
    )


@pytest.mark.parametrize(
    ("data", "place", "message"),
    [
        (b"<s> ::= x\n<t> ::= \xff", (2, 9), "byte 0xff is not UTF-8"),
        ("<s> ::= ü".encode("latin-1"), (1, 9), "byte 0xfc is not UTF-8"),
        ("<s> ::= x".encode("utf-16"), (1, 1), "byte 0xff is not UTF-8"),
        (b"<s> ::= x\r\n\r\n<t> ::= \0", (3, 9), "a NUL byte is in the file"),
        ("<s> ::= \ud800", (1, 9), "this character is not text"),
    ],
)
def test_what_is_no_text_is_told_with_its_place(data, place, message):
    (fault,) = faults_of(data)
    assert (fault.span.line, fault.span.column) == place
    assert fault.message == message
    assert fault.advice


def test_no_more_than_a_thousand_faults_are_shown():
    faults = faults_of("<s> ::= " + " ".join(f"<u{i}>" for i in range(5000)))
    assert len(faults) == 1001
    assert faults[-1].message == "4000 more faults are not shown"


def test_many_warnings_hide_no_error_and_make_none():
    warnings = "<s> ::= x" + " | None" * 2000
    assert all(fault.warning for fault in faults_of(warnings))
    errors = [fault for fault in faults_of(warnings + " | <b>") if not fault.warning]
    assert errors[0].message == "`<b>` is not defined"
