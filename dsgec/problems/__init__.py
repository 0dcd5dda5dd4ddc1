"""Problems of the literature to start from, each a module with a `grammar` and a `fitness`.

`dsgec search santa_fe` runs one; in Python, `from dsgec.problems import santa_fe`. The grammars are
written from the published definitions. A phenotype is read by the problem's own parser and never
executed. docs/how-to/add-a-problem.md shows how to write one.
"""

NAMES = (
    "string_match",
    "quartic",
    "keijzer_6",
    "vladislavleva_4",
    "pagie_1",
    "parity_5",
    "multiplexer_11",
    "santa_fe",
    "los_altos",
    "boston_housing",
    "rule_list",
    "number_io",
    "smallest",
    "median",
    "small_or_large",
    "grade",
)
