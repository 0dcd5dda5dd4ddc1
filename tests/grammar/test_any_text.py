"""Grammars whose phenotypes are any text: blanks, lines, indentation, and grammars of others."""

import random

import pytest

from dsgec.errors import DsgecError
from dsgec.grammar.genome.derivation_tree import make_tree
from dsgec.grammar.genome.dsge import Dsge
from dsgec.grammar.genome.represent import represent
from dsgec.grammar.genome.rule_tables import make_rule_tables
from dsgec.grammar.indentation import indent_lines
from dsgec.grammar.load import parse_grammar
from dsgec.grammar.text import grammar_text
from dsgec.random import Stream
from dsgec.search.text_problem import expand_text_grammar
from tests.support.text_searches import quote, random_text_grammar


def derive(text, name="grammar", seed=0):
    """A random phenotype of a grammar, with its indentation."""
    grammar = expand_text_grammar(parse_grammar(text, name, any_text=True).grammar, 3, 2)
    tables = make_rule_tables(grammar, {})
    phenotype = Dsge(tables, "all", 10**6).express({}, Stream(seed, 0, 0)).phenotype
    return indent_lines(phenotype) if grammar.directives.indent else phenotype


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('<s> ::= "a  b" c', "a  bc"),
        ("<s> ::= 'tab\\tnew\\nline' \"é→𝄞\"", "tab\tnew\nlineé→𝄞"),
        ('<s> ::= "it\'s" \'a "b"\'', 'it\'sa "b"'),
        ("%blanks keep\n<s> ::= if x  then <t> \n<t> ::= y", "if x  then y"),
        ("%blanks keep\n<s> ::= a\n  'b'\n<t>\n<t> ::= c", "a\nb\nc"),
        ("%blanks keep\n<s> ::= <t> | <t>\n<t> ::= c", "c"),
        ("%blanks drop\n<s> ::= a <t>\n<t> ::= c", "ac"),
        ("<layer> ::= <features>\n<features> ::= x", "x"),
        ("<s> ::= '{:' x", "{:x"),
    ],
)
def test_texts_are_kept_as_the_grammar_has_them(text, expected):
    assert derive(text) == expected


def test_a_pybnf_file_has_indented_lines():
    text = "<p> ::= def f():{:x = 0{::}<c>:}f()\n<c> ::= for i in r:{:x += 1\\nx -= 2:}"
    expected = "def f():\n  x = 0\n  for i in r:\n    x += 1\n    x -= 2\nf()"
    assert derive(text, "p.pybnf") == expected
    assert derive(f"%indent python\n%blanks keep\n{text}") == expected
    compile(expected, "", "exec")


def test_code_blocks_elsewhere_are_refused_with_their_place():
    with pytest.raises(DsgecError, match=r"p\.bnf:2:5: error: `\{:` opens a code block") as caught:
        parse_grammar("<s> ::=\n  a:{:b:}", "p.bnf", any_text=True)
    assert "%indent python" in str(caught.value)
    with pytest.raises(DsgecError, match="which is not supported"):
        parse_grammar("<s> ::= a:{:b:}", "p.pybnf")  # for networks


def test_words_that_would_be_joined_are_a_warning():
    found = parse_grammar("<s> ::= if food then <s> | x + y | go", any_text=True)
    assert [one.message for one in found.warnings] == [
        "`if` and `food` are joined to one word",
        "`food` and `then` are joined to one word",
    ]
    assert not parse_grammar('%blanks keep\n<s> ::= if food | "a b"', any_text=True).warnings
    assert not parse_grammar("<s> ::= if food").warnings


def test_wrong_values_of_the_directives_are_errors():
    for line, message in (
        ("%blanks yes", "not a value of `%blanks`"),
        ("%indent", "needs a value"),
    ):
        with pytest.raises(DsgecError, match=message):
            parse_grammar(f"{line}\n<s> ::= a", any_text=True)


def test_ranges_need_their_numbers():
    grammar = parse_grammar("<s> ::= x_1 | ... | x_n", any_text=True).grammar
    with pytest.raises(DsgecError, match=r"say how many with features=5"):
        expand_text_grammar(grammar, 0, 0)
    assert len(expand_text_grammar(grammar, 7, 0).rules[0].alternatives) == 7
    values = parse_grammar("<s> ::= GE_RANGE:dataset_n_os", any_text=True).grammar
    with pytest.raises(DsgecError, match="number of outputs"):
        expand_text_grammar(values, 0, 0)
    assert len(expand_text_grammar(values, 0, 4).rules[0].alternatives) == 4
    with pytest.raises(DsgecError, match="GE_RANGE of PonyGE2 that is not supported"):
        parse_grammar("<s> ::= GE_RANGE:dataset_n_os")


def test_canonical_text_keeps_blanks_and_indentation():
    text = "%blanks keep\n%indent python\n<s> ::= a {: <t>  b :}\n<t> ::= c d"
    grammar = parse_grammar(text, any_text=True).grammar
    again = parse_grammar(grammar_text(grammar), any_text=True).grammar
    assert again == grammar and again.directives.indent == "python"


def test_texts_come_back_from_their_quotes():
    for seed in range(50):
        rng = random.Random(seed)
        text = "".join(rng.choices("ab \n\t\"'|<>#:{}\\é→𝄞%.", k=rng.randint(1, 9)))
        assert derive(f"<s> ::= {quote(text)}") == text


@pytest.mark.parametrize("representation", ["dsge", "sge", "ge"])
def test_a_derivation_tree_derives_its_phenotype(representation):
    found = 0
    for seed in range(40):
        grammar = parse_grammar(random_text_grammar(random.Random(seed)), any_text=True).grammar
        tables = make_rule_tables(grammar, {})
        how = {"connect": "all", "max_size": 10**6, "codons": 50, "wraps": 0}
        own = represent(representation, tables, **how)
        stream = Stream(seed, 0, 0)
        derivation = own.express(own.grow(stream), stream)
        if derivation.fault:
            continue
        tree = make_tree(tables, derivation)
        assert tree.text == derivation.phenotype
        assert tree.symbol == tables.names[tables.start]
        assert tree.size == len(derivation.expansions) >= tree.depth
        assert len([line for line in tree.lines() if "<" in line]) >= tree.size
        found += 1
    assert found > 20
