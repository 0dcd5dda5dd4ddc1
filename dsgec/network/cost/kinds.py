"""The kinds of work that the C of a network does for a row: each has a price on every chip.

`count_work` counts those of IEEE numbers, as does the engine in `templates/engine/work.c`;
`integer_work` of `dsgec.export.fixed.cost` counts those of integers.
"""

from dsgec.arithmetic.functions import ALL_FUNCTIONS

FLAGGED = ("add", "sub", "mul")
"""Operations that many compilers' routines do faster with a flag, which is mostly 0."""

SURROUNDING_KINDS = ("column", "output", "required", "refusing", "listed")
"""Columns that are read, outputs that are stored, and missing values that are refused."""

CHOICE_KINDS = ("two_classes", "lone_output", "classes", "class")
"""The choice of a class."""

REAL_KINDS = (
    *("add", "sub", "mul", "flag_add", "flag_sub", "flag_mul", "div_number", *ALL_FUNCTIONS),
    *("number", "distinct", "read", "column", "kept", "live", "output"),
    *("required", "refusing", "listed"),
    *("softmax_output", *CHOICE_KINDS),
)
"""All kinds of C that computes with IEEE numbers.

Operations have the names of their functions. `div_number` is a division by a constant, which needs
no protection; `flag_add` and the like have an operand that is the flag of a category. `number` and
`read` are operands that are constants and columns, `distinct` the different constants, `kept` the
operands that are not the value computed just before, and `live` the most values to be kept at a
time.
"""

DATA = "data"
"""The kind that counts the bytes of tables, each of which takes one of flash."""

RUNNING_KINDS = (
    *("unrolled_sum", "unrolled_term", "unrolled_read", "inlined_sum", "called_sum", "term"),
    *("times", "negative", "doubled", "plain", "flag", "flag_times"),
    *("read", "bias", "byte", "word", "shift", "shift_bits"),
    *("clamp", "fill", "equals", "minimum", "maximum", "absolute", "rounded", "shifted"),
    *("product", "quotient", "excess", "reciprocal"),
    *("flat_look", "inlined_look", "twin_look", "shared_look", "called_look"),
    *("inlined_bits", "twin_bits", "shared_bits", "look_odd_call", "look_even_call"),
    *("required_1", "required_2", "required_3", "required_4", "required_loop", "listed_few"),
    *("classes_2", "classes_3", "classes_4", "kept", "live", "saved"),
)
"""The kinds of integer work that take time, besides SURROUNDING_KINDS and CHOICE_KINDS."""

STORED_KINDS = (
    *("sum_function", "quotients", "look_odd", "look_even"),
    *("flat_table", "inlined_table", "twin_table", "shared_table", "shared_tables"),
    *("called_table", "lone_table"),
)
"""The kinds of integer work that take only flash, besides DATA."""

_TAILS = (
    *("look", "look_odd", "look_even", "short_look", "short_look_odd", "short_look_even"),
    *("clamp", "maximum", "minimum", "absolute", "equals", "fill", "rounded", "sum"),
)
_WAYS = tuple(
    f"{kept}_{way}" for kept in ("bytes", "words") for way in ("listed", "windows", "relative")
)
_SUMS = ("int16", "int24", "int32")

PACKED_CODE_KINDS = (
    *("decides", "best", "limit", "load_refuses", "load", "load_two", "load_loop", "load_listed"),
    *("load_fill", "load_fills", "load_limit", "load_limits", "other"),
    *(f"other_{step}" for step in _TAILS),
    *(
        "two_neurons",
        "several_neurons",
        "shift_each",
        "shift_all",
        "may_lack_weights",
    ),
    *(f"bias_{kept}_{length}" for kept in ("bytes", "words") for length in (1, 2, 3, 4)),
    *(f"{variable}_{type_}" for variable in ("sum", "value") for type_ in _SUMS),
    *("sources_int8", "sources_int16", "sources_int32", "sums_int16", "sums_int32"),
    *("store_source", "store_sum", "branch"),
    *(f"tail_{step}" for step in _TAILS),
    *(f"has_{step}" for step in _TAILS),
    *(*_WAYS, "counts_each", "counts_wide", "firsts_each", "firsts_wide", "second_loop", "after"),
)
"""The features of the code of a packed network that take flash, besides DATA.

`other` are sources that are computed one by one; `tail_` counts branches whose neurons go through a
function, and `has_` is 1 if there are any. Weights are in `bytes`, in the list of the neurons, or
in `words`, in a list of their own; a bias takes one or more of these. A `second_loop` is one for
weights that are stored as those of the first.
"""

PACKED_RUNNING_KINDS = (
    *("loaded", "loaded_listed", "loaded_fill", "loaded_limit", "loaded_refused"),
    *("neuron", "compared", *(f"{part}_{type_}" for part in ("bits", "adds") for type_ in _SUMS)),
    *(f"ran_{step}" for step in _TAILS),
    *(f"weight_{way}" for way in _WAYS),
    *("weight_int8", "weight_int16", "weight_int32", "coded"),
    *("turn_varying", "turn_bitmap", "head_byte"),
)
"""The kinds of work of a packed network that take only time: columns, neurons and weights.

`bits` are those by which sums are shifted, `adds` the products that are added to sums of a type.
`coded` are weights that are read from codes, `turn_varying` turns of loops that not all neurons run
as often, and `turn_bitmap` those that look at a bit first. A `head_byte` is what a neuron reads
besides its weights.
"""

ARRAY_BYTES = "array_bytes"
"""The kind that counts the bytes of arrays, which take stack."""
