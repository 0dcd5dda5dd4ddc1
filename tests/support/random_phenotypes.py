"""Random and mutated phenotypes with many weights, from a seed."""

from dsgec.search.backends import ReferenceBackend
from dsgec.search.loop import evolve
from dsgec.search.scoring import Scorer
from dsgec.search.settings import Settings
from tests.support.random_networks import condition

UNARY = ("sig", "sig", "tanh", "relu", "exp", "log", "sqrt", "sin", "cos", "abs")
BINARY = ("min", "max", "power", "div", "pow", "add", "sub", "mul")
SMOOTH = ("sig", "tanh", "sin", "cos", "exp")
PIECES = [
    *"()+-*/^,=.0123456789exh_[]: \n#",
    *("--", "**", "sig(", "softmax(", "h_1_1", "h_1,2", "h_2_1", "x_1", "x1", "x[0]", "x[:, 2]"),
    *("<", "<=", "> ", "!=", " and ", " xor", "not ", "not(", "if(", "if(x_1,1,"),
    *("\0", "é", "1e9", "1e-9", "np.", "_sig_(", "\x1c", "\t", "-", "- ", "1e400", "min(", "pow("),
]


def number(rng):
    return f"{rng.uniform(-3, 3):.2f}"


def expression(rng, depth, sources, unary=UNARY, binary=BINARY, powers=True):
    """Return the text of a random expression over `sources` with these functions."""
    kind = rng.random()
    if depth == 0 or kind < 0.1:
        return f"{number(rng)}*{rng.choice(sources)}" if rng.random() < 0.6 else rng.choice(sources)
    inner = [expression(rng, depth - 1, sources, unary, binary, powers) for _ in range(2)]
    if kind < 0.2 and unary is UNARY:
        return condition(rng, inner, expression(rng, depth - 1, sources, unary, binary, powers))
    if kind < 0.35:
        return f"({inner[0]} {rng.choice('+-*')} {inner[1]})"
    if kind < 0.4:
        return f"({number(rng)} {rng.choice('+-*')} {inner[1]})"
    if kind < 0.6:
        terms = [f"{number(rng)} * {rng.choice(sources)}" for _ in range(rng.randint(1, 10))]
        return " + ".join([*terms, number(rng)] if rng.random() < 0.5 else terms)
    if kind < 0.8:
        return f"{rng.choice(unary)}({inner[0]})"
    if kind < 0.9 and binary:
        second = number(rng) if rng.random() < 0.3 else inner[1]
        return f"{rng.choice(binary)}({inner[0]}, {second})"
    if kind < 0.95 or not powers:
        return f"-({inner[0]})"
    return f"({inner[0]}) ^ {rng.choice([-3, -2, -1, 0, 1, 2, 3, 5, 7, 0.5])}"


def layered_text(rng, outputs=1, **functions):
    """Return layers whose neurons read features and neurons of layers before them."""
    sources = ["x_1", "x_2", "x_3"]
    layers = []
    for layer in range(1, rng.randint(1, 4)):
        neurons = [neuron(rng, sources, functions) for _ in range(rng.randint(1, 4))]
        layers.append(" - ".join(neurons))
        sources += [f"h_{layer}_{number}" for number in range(1, len(neurons) + 1)]
    last = [neuron(rng, sources[-5:], functions) for _ in range(outputs)]
    softmax = outputs > 1 and rng.random() < 0.6
    return " -- ".join([*layers, f"softmax({','.join(last)})" if softmax else "-".join(last)])


def neuron(rng, sources, functions):
    body = expression(rng, rng.randint(0, 3), sources, **functions)
    return f"{rng.choice(['sig', 'tanh', ''])}({body})"


def mutate_text(rng, text):
    characters = list(text)
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        at = rng.randrange(len(characters) + 1)
        action = rng.random()
        if action < 0.5:
            characters.insert(at, rng.choice(PIECES))
        elif action < 0.8 and characters:
            del characters[at : at + rng.randint(1, 3)]
        else:
            characters[at:at] = characters[: rng.randint(0, 30)]
    return "".join(characters)


def first_phenotypes(problem, count, seed=1):
    """Return the phenotypes of a first generation."""
    settings = Settings(population=count, generations=0, seed=seed)
    scorer = Scorer(problem, ReferenceBackend())
    state = next(evolve(problem, settings, scorer), None)
    return [i.derivation.phenotype for i in state.population] if state else []
