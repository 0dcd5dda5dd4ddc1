"""Random grammars from a seed, whose phenotypes are mostly networks."""

from dsgec.errors import DsgecError
from dsgec.grammar.load import parse

FUNCTIONS = (
    *("sig", "tanh", "relu", "exp", "log", "sqrt", "sin", "cos", "abs"),
    *("_sig_", "np.log", "not"),
)
PAIRS = ("min", "max", "power", "pow", "div", "pdiv", "add", "sub", "mul", "lt", "nand", "xor")
SIGNS = ("+", "+", "*", "*", "/", "^", "**", "<", ">=", "=", "!=", '" and "', '" or "')
ODD = (
    *"()+-*/^,.e[]:; 0",
    *("--", "9", "1e", "e-", "x_1", "x_99", "h_1_1", "h_2_1", "softmax(", "sig", "é", "日本"),
    *("\\n", "\\t", "|", "<", "#", "\\\\", "x[:,0]", "x [1]", "x2", "np.", "_", "1e308", "?"),
    *("0000000000000000000000000", "123456789012345678901234567890", "????????????????????"),
)


def random_grammar(rng):
    """Return a random grammar that the parser accepts."""
    while True:
        text = _layered(rng) if rng.random() < 0.5 else _flat(rng)
        try:
            return parse(text, "random")
        except DsgecError:
            continue


def _quoted(text):
    return '"' + text.replace('"', '\\"') + '"'


def _rule(rng, name, alternatives, odd):
    alternatives = [*alternatives]
    if rng.random() < odd:
        words = [_quoted(rng.choice(ODD)) for _ in range(rng.randint(0, 3))]
        alternatives.append(" ".join(words) or '""')
    rng.shuffle(alternatives)
    return f"<{name}> ::= {' | '.join(alternatives)}"


def _numbers(rng, odd):
    forms = ["<digit>", "<digit>.<digit>", "-<digit>.<digit><digit>", ".<digit>"]
    forms += ["<digit>e<digit>", "<digit>e-<digit>", "<digit><number>"]
    digits = [str(d) for d in rng.sample(range(10), rng.randint(1, 10))]
    return [
        _rule(rng, "number", [*rng.sample(forms, rng.randint(1, 4)), "<digit>"], odd),
        _rule(rng, "digit", digits, odd / 2),
    ]


def _expressions(rng, names, leaves, odd):
    """Return rules that refer to one another at random; each has a leaf, so each can end."""
    rules = []
    for name in names:
        alternatives = [rng.choice(leaves)]
        for _ in range(rng.randint(1, 4)):
            a, b = (f"<{rng.choice(names)}>" for _ in range(2))
            form = rng.random()
            if form < 0.35:
                alternatives.append(f"{a} {rng.choice(SIGNS)} {b}")
            elif form < 0.5:
                alternatives.append(f"({a} {rng.choice((*SIGNS, '-'))} {b})")
            elif form < 0.65:
                alternatives.append(f"{rng.choice(FUNCTIONS)}({a})")
            elif form < 0.75:
                alternatives.append(f"{rng.choice(PAIRS)}({a}, {b})")
            elif form < 0.85:
                alternatives.append(f"-({a})")
            elif form < 0.92:
                alternatives.append(f"if({a}, {b}, <{rng.choice(names)}>)")
            else:
                alternatives.append(rng.choice(leaves))
        rules.append(_rule(rng, name, alternatives, odd))
    return rules


def _head(rng, names):
    lines = []
    if rng.random() < 0.4:
        lines.append("%output sigmoid")
    for name in names:
        lines.append(f"%max-depth {name}={rng.randint(0, 4)}")
    return lines


def _flat(rng):
    odd = rng.choice([0.0, 0.1, 0.5])
    names = [f"e{i}" for i in range(rng.randint(1, 4))]
    leaves = ["<features>", "<number>", "<number> * <features>"]
    starts = ["<e0>"]
    if rng.random() < 0.3:
        starts = ["softmax(<e0> , ... , <e0>)"]
    rules = [_rule(rng, "start", starts, odd / 2), *_expressions(rng, names, leaves, odd)]
    rules.append("<features> ::= x_1 | ... | x_n")
    return "\n".join([*_head(rng, names), *rules, *_numbers(rng, odd)]) + "\n"


def _layered(rng):
    odd = rng.choice([0.0, 0.1, 0.4])
    names = [f"e{i}" for i in range(rng.randint(1, 3))]
    leaves = ["<features>", "<number>*<features>", "<number>*<features> + <number>*<features>"]
    neuron = rng.choice(["sig(<e0>)", "<e0>", "tanh(<e0> + <number>)", "sig(<e0>) - <e0>"])
    output = rng.choice(
        ["sig(<e0>)", "<e0>", "softmax(<e0> , ... , <e0>)", "<e0> - <e0>", "<output> - <output>"]
    )
    rules = [
        _rule(rng, "start", ["<hidden> -- <output-layer>"], odd / 3),
        _rule(rng, "hidden", ["<layer>", "<layer> -- <hidden>", "<hidden> -- <hidden>"], odd / 3),
        _rule(rng, "layer", ["<nodes>"], odd / 3),
        _rule(rng, "nodes", ["<node>", "<node> - <nodes>"], odd / 3),
        _rule(rng, "node", [neuron], odd),
        _rule(rng, "output-layer", [output], odd / 3),
        _rule(rng, "output", ["<e0>", "sig(<e0>)"], odd / 3),
        *_expressions(rng, names, leaves, odd),
        "<features> ::= x_1 | ... | x_n",
    ]
    return "\n".join([*_head(rng, [*names, "hidden"]), *rules, *_numbers(rng, odd)]) + "\n"
