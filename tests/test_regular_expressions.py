"""Regular expressions mean the same in every Python that is declared, and take linear time.

Possessive repeats and atomic groups would be a way to linear time, but Python before 3.11.5 reads
them wrongly.
"""

import ast
import importlib
import os
import shutil
import subprocess
import time
from pathlib import Path
from re import _constants, _parser

import lark
import pytest

from dsgec.data.formats import is_arff
from dsgec.errors import DsgecError
from dsgec.grammar.load import load_grammar, parse
from dsgec.grammar.text import grammar_text
from dsgec.network.syntax import split_layers
from dsgec.resources import GRAMMARS, shipped_names

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "dsgec"
NAMES = sorted(shipped_names(GRAMMARS, ".bnf"))
BROKEN = {_constants.POSSESSIVE_REPEAT, _constants.ATOMIC_GROUP}


def expressions_of(path):
    """The pattern of each `re.…(pattern, …)` in a module, wherever in it that stands."""
    name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id="re")), args=[pattern, *_]):
                yield eval(ast.unparse(pattern), vars(importlib.import_module(name)))


def terminals_of(path):
    grammar = lark.Lark(path.read_text(encoding="utf-8"), parser="lalr", start=["start", "symbol"])
    return [terminal.pattern.to_regexp() for terminal in grammar.terminals]


def operations(parsed):
    """Every operation of an expression that was parsed, however deep it stands."""
    if isinstance(parsed, _parser.SubPattern | list | tuple):
        for part in parsed:
            yield from operations(part)
    else:
        yield parsed


def uses_what_is_broken(pattern):
    return not BROKEN.isdisjoint(operations(_parser.parse(pattern)))


@pytest.mark.parametrize("pattern", ["a++", "(?:a|b)*+", "(?:x(?:y|z?+))", "(?>a|b)", "a{2}+"])
def test_what_is_broken_is_found(pattern):
    assert uses_what_is_broken(pattern)


def test_no_regular_expression_is_possessive_or_atomic():
    # These two compile the terminals of bnf.lark, which are looked at below.
    compiled = {PACKAGE / "grammar" / name for name in ("syntax.py", "draft.py")}
    paths = set(PACKAGE.rglob("*.py")) - compiled
    found = [(path.name, pattern) for path in paths for pattern in expressions_of(path)]
    for path in PACKAGE.rglob("*.lark"):
        found += [(path.name, pattern) for pattern in terminals_of(path)]

    assert len(found) > 50
    assert [each for each in found if uses_what_is_broken(each[1])] == []


def read_grammar(source):
    try:
        parse(source, "g")
    except DsgecError as error:
        assert error.faults


def seconds(function, argument):
    """The least of three, of the processor's time."""
    taken = []
    for _ in range(3):
        began = time.process_time()
        function(argument)
        taken.append(time.process_time() - began)
    return min(taken)


HEAD = "<a> ::= "


@pytest.mark.parametrize(
    ("function", "start", "piece", "end"),
    [
        (read_grammar, HEAD, ":", ""),
        (read_grammar, HEAD, "<", "a"),
        (read_grammar, HEAD, "-:<", "::="),
        (read_grammar, HEAD, ":::", "::="),
        (read_grammar, HEAD + "<a", " b", "|"),
        (read_grammar, "<a", " b.c-", ""),
        (read_grammar, "<a>", " ", ":"),
        (read_grammar, HEAD + '"', '\\"', ""),
        (read_grammar, HEAD + "'", "\\\\", "\n"),
        (read_grammar, "%max-depth a", " b", " c"),
        (is_arff, b"", b"%", b"\n1,2\n"),
        (is_arff, b"", b"% \n", b"1,2\n"),
        (is_arff, b"", b"%\r\n \t%%\r", b"1,2\n"),
        (split_layers, "", "9", ""),
        (split_layers, "", "9.", "e"),
        (split_layers, "", "9e", "-"),
    ],
)
def test_long_texts_take_time_in_proportion(function, start, piece, end):
    long = start + piece * (7_500 // len(piece)) + end
    longer = start + piece * (120_000 // len(piece)) + end

    # In proportion is 16; 256 would be the square.
    assert seconds(function, longer) < 100 * max(seconds(function, long), 0.001)


def test_a_python_that_reads_possessive_repeats_wrongly_reads_grammars():
    folders = os.pathsep.join(["/usr/bin", os.environ["PATH"]])
    python = shutil.which("python3.11", path=folders)
    asked = "import sys; sys.exit(sys.version_info >= (3, 11, 5))"
    if python is None or subprocess.run([python, "-c", asked]).returncode:
        pytest.skip("no Python older than 3.11.5 is here")
    # Reading grammars takes the package and lark alone, which are the same files for every Python.
    path = os.pathsep.join(map(str, [ROOT, Path(lark.__file__).parents[1]]))
    script = "from dsgec.grammar.load import load_grammar as load\n"
    script += "from dsgec.grammar.text import grammar_text\n"
    script += f"print(*(grammar_text(load(name).grammar) for name in {NAMES}), sep='')"
    answer = subprocess.run(
        [python, "-c", script], env={"PYTHONPATH": path}, capture_output=True, text=True
    )

    assert answer.stderr == ""
    assert (
        answer.stdout == "".join(grammar_text(load_grammar(name).grammar) for name in NAMES) + "\n"
    )
