"""Grammars that several tests share: the shipped ones by name, and small ones as text."""

SHIPPED = (
    "float",
    "one_layer",
    "one_layer_softmax",
    "multi_layer",
    "multi_layer_softmax",
    "formula",
)
LAYER_IS_FEATURES = """
%layer a
%features a
%output-layer o
<s> ::= <a> -- <o> | <a> -- <s>
<a> ::= x_1 | x_2 | x_3 | x_1 + x_2
<o> ::= <a> | <a> * <a> | <a> - <a>
"""
NO_FEATURES = """
%layer l
%output-layer o
<s> ::= <l> -- <s> | <o>
<l> ::= x_1 | x_2 - <l> | -x_3
<o> ::= sig(h_1_1) | x_2 | h_1_2
"""
NESTED_LAYERS = """
<s> ::= <layer> -- <output-layer>
<layer> ::= <features> | <features> - <layer> | (<output-layer>) - <features>
<output-layer> ::= <features> | sig(<layer>) | <features> + <output-layer>
<features> ::= x_1 | ... | x_n
"""
EMPTY_AND_LONG = """
<s> ::= <e> | "" | <s> <p> <e>
<p> ::= "        +             " | + | ""
<e> ::= x_1 | <d> <e> | 1.000000000000000000000000000000 | é | <s>
<d> ::= "" | "" | 2*
"""
INDIRECT = """
<s> ::= <a> | <s> + <a>
<a> ::= <b> * <a> | x_1 | <b>
<b> ::= (<s>) | x_2 | <a> + 1.5 | 2
"""
FLAT = "<s> ::= x_1"
LAYERED = "%layer l\n%features f\n%output-layer l\n<s> ::= <l>\n<l> ::= <f>\n<f> ::= x_1"
