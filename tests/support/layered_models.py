"""Random models with layers: every function, odd sums and extreme numbers."""

import random
from dataclasses import replace

import numpy as np

from dsgec.arithmetic.functions import FUNCTIONS
from dsgec.network.ir import ACTIVATIONS, Builder, Network, check
from dsgec.network.model import Column, Model
from dsgec.network.trees import Tree, add_tree

EXTREMES = (0.0, -0.0, 1.0, -1.0, 1e300, -1e300, 5e-324, -5e-324, 1e-310, 3.4e38, 1e-42, -1e-46)
ONE_ARGUMENT = tuple(name for name, f in FUNCTIONS.items() if f.arity == 1)
MORE_ARGUMENTS = tuple(name for name, f in FUNCTIONS.items() if (f.arity or 0) > 1)
TAME = ("sig", "tanh", "relu", "clip")
CONDITIONS = ("lt", "le", "gt", "ge", "and", "or", "xor", "nand", "nor", "if")
TREES = 0.15  # of the networks are trees


def layered_model(seed, *, is_tame=False, largest=np.inf):
    """Return a random model; a tame one has small weights and simple functions."""
    rng = random.Random(seed)
    columns = tuple(_column(rng, number, is_tame) for number in range(rng.randint(1, 5)))
    inputs = sum(len(column.features) for column in columns)
    network = _Layers(rng, inputs, is_tame, largest).network()
    return Model(network, columns, _classes(rng, network))


def _column(rng, number, is_tame):
    kind = rng.choice(("number", "number", "number", "category", "boolean"))
    texts = {"category": rng.randint(2, 4), "boolean": 2}.get(kind, 0)
    fill = None
    if rng.random() < 0.4:
        fill = float(rng.randrange(texts)) if texts else round(rng.uniform(-1, 1), 2)
    is_scaled = kind == "number" and rng.random() < 0.5
    return Column(
        f"c{number}",
        kind,
        tuple(f"t{n}" for n in range(texts)),
        fill,
        rng.choice((0.0, round(rng.uniform(-1, 1), 3))) if is_scaled else 0.0,
        rng.choice((1.0, round(rng.uniform(0.5, 2), 3))) if is_scaled else 1.0,
        fill is not None and rng.random() < 0.3,
    )


def _classes(rng, network):
    outputs = len(network.outputs)
    if network.softmax or rng.random() < 0.5:
        count = 2 if outputs == 1 else outputs
        return tuple(f"class {n}" for n in range(count))
    return ()


class _Layers:
    """Builds a network of layers, node by node."""

    def __init__(self, rng, inputs, is_tame, largest):
        self.rng, self.inputs, self.is_tame = rng, inputs, is_tame
        self.extremes = [number for number in EXTREMES if abs(number) <= largest]
        self.nodes = Builder()
        self.sources = [self.nodes.input(column) for column in range(inputs)]
        self.functions = rng.sample(ACTIVATIONS, rng.randint(1, 3))
        if is_tame:
            self.functions = [f for f in self.functions if f in TAME] or ["sig"]

    def network(self):
        """Return layers of neurons, or sums of trees."""
        outputs, layers = self.trees() if self.rng.random() < TREES else self.layers()
        softmax = len({*outputs}) == len(outputs) > 1 and self.rng.random() < 0.5
        named = tuple(map(tuple, layers))
        nodes = tuple(self.nodes.nodes)
        return check(Network(self.inputs, nodes, named, tuple(outputs), softmax))

    def trees(self):
        """Return sums of trees, which have a leaf for each sum or for one of them."""
        rng, count = self.rng, self.rng.choice((1, 1, 2, 3))
        shared = rng.random() < 0.5
        sums = [[] for _ in range(count)]
        for number in range(rng.randint(1, 5)):
            outputs = range(count) if shared else (number % count,)
            found = add_tree(self.nodes, self.tree(tuple(outputs)), self.sources)
            for output, node in zip(outputs, found, strict=True):
                sums[output].append(node)
        outputs = []
        for terms in sums:
            if not terms or rng.random() < 0.4:
                terms.insert(rng.choice((0, len(terms))), self.number())
            outputs.append(self.added(terms, signs=("add",)))
        return outputs, []

    def tree(self, outputs):
        """Return a random tree of up to twelve splits."""
        rng, splits = self.rng, []

        def grow(depth):
            if depth == 0 or len(splits) > 11 or rng.random() < 0.15:
                leaves.append(tuple(round(rng.gauss(0, 1), 3) for _ in outputs))
                return ~(len(leaves) - 1)
            own = len(splits)
            splits.append(None)
            column, limit = rng.randrange(self.inputs), round(rng.uniform(-1.5, 1.5), 2)
            splits[own] = column, limit, grow(depth - 1), grow(depth - 1)
            return own

        leaves = []
        grow(rng.randint(1, 5))
        columns = [tuple(split[at] for split in splits) for at in range(4)]
        return Tree(*columns, tuple(leaves), outputs)

    def layers(self):
        """Return the outputs and the layers of a network of neurons."""
        rng = self.rng
        layers = []
        is_dense = rng.random() < 0.4
        for _ in range(rng.randint(0, 3)):
            before = [*self.sources]
            if is_dense and layers:
                before = layers[-1]
            layer = [
                self.neuron(self.dense(before) if is_dense else self.sum(before))
                for _ in range(rng.randint(1, 6))
            ]
            layers.append([*dict.fromkeys(layer)])
            self.sources += layers[-1]
            if not self.is_tame and rng.random() < 0.2:
                self.sources.append(self.odd_node())
        read = layers[-1] if is_dense and layers else self.sources
        outputs = []
        for _ in range(rng.choice((1, 1, 2, 3, 5))):
            outputs.append(self.output(self.dense(read) if is_dense else self.sum(read)))
        return outputs, layers

    def output(self, total):
        kind = self.rng.random()
        if kind < 0.5:
            return total
        if kind < 0.8:
            return self.neuron(total)
        if kind < 0.9 or self.is_tame:
            return self.nodes.apply("sig", (total,))
        return self.rng.choice((*self.sources, self.number(), self.odd_node()))

    def neuron(self, total):
        functions = self.functions
        if not self.is_tame and self.rng.random() < 0.2:
            functions = ONE_ARGUMENT
        return self.nodes.apply(self.rng.choice(functions), (total,))

    def dense(self, sources):
        """Return a sum of all sources, with the bias at either end or without one."""
        terms = [self.product(source) for source in sources]
        place = self.rng.random()
        if place < 0.4:
            terms.append(self.number())
        elif place < 0.6:
            terms.insert(0, self.number())
        return self.added(terms, signs=("add",))

    def sum(self, sources):
        """Return a sum of some sources, perhaps repeated, in any order, with constants anywhere."""
        terms = [self.term(sources) for _ in range(self.rng.randint(1, 7))]
        return self.added(terms, signs=("add", "add", "sub"))

    def added(self, terms, signs):
        total = terms[0]
        for term in terms[1:]:
            total = self.nodes.apply(self.rng.choice(signs), (total, term))
            if not self.is_tame and self.rng.random() < 0.03:
                self.sources.append(total)  # part of a sum that others read
        return total

    def term(self, sources):
        rng, source = self.rng, self.rng.choice(sources)
        kind = rng.random()
        if kind < 0.6:
            return self.product(source)
        if kind < 0.75:
            return source
        if kind < 0.85:
            return self.number()
        if kind < 0.87:
            return self.nodes.apply("neg", (source,))
        if kind < 0.92:
            return self.condition(sources)
        if self.is_tame:
            return self.product(source)
        if kind < 0.93:
            return self.nodes.apply("mul", (self.number(), self.number()))
        if kind < 0.95:
            return self.sum(sources)
        return self.odd_node()

    def condition(self, sources):
        """Return a comparison, a logical function or a choice of sources and constants."""
        function = self.rng.choice(CONDITIONS)
        arguments = [self.rng.choice((*sources, self.number())) for _ in range(2)]
        if function == "if":
            arguments = [self.condition(sources), *arguments]
        return self.nodes.apply(function, tuple(arguments))

    def product(self, source):
        pair = (self.number(), source)
        return self.nodes.apply("mul", pair if self.rng.random() < 0.8 else pair[::-1])

    def odd_node(self):
        """Return a node that is no neuron: a product, a power, a function of more arguments."""
        rng, nodes = self.rng, self.nodes
        one, other = rng.choice(self.sources), rng.choice(self.sources)
        kind = rng.random()
        if kind < 0.3:
            return nodes.apply("mul", (one, other))
        if kind < 0.5:
            return nodes.apply("pow", (one, nodes.constant(float(rng.randint(-5, 9)))))
        if kind < 0.8:
            function = rng.choice(MORE_ARGUMENTS)
            arguments = [rng.choice(self.sources) for _ in range(FUNCTIONS[function].arity)]
            return nodes.apply(function, tuple(arguments))
        return nodes.apply("div", (one, self.number()))

    def number(self):
        rng = self.rng
        if not self.is_tame and rng.random() < 0.1:
            return self.nodes.constant(rng.choice(self.extremes))
        return self.nodes.constant(rng.choice((round(rng.uniform(-2, 2), 2), rng.gauss(0, 1))))


def without_softmax(network):
    return replace(network, softmax=False)


def extreme_rows(model, seed, count):
    """Return rows of ordinary and extreme numbers, infinities and missing values."""
    rng = np.random.default_rng(seed)
    table = np.empty((count, len(model.columns)))
    for number, column in enumerate(model.columns):
        if column.categories:
            table[:, number] = rng.integers(-1, len(column.categories), count)
        else:
            table[:, number] = rng.normal(size=count) * 10.0 ** rng.integers(-2, 3, count)
            odd = rng.random(count) < 0.2
            table[odd, number] = rng.choice([*EXTREMES, np.inf, -np.inf], odd.sum())
        table[rng.random(count) < 0.1, number] = np.nan
    return table


def bits(values, type_):
    """Return the bits of floats, the same for every NaN."""
    found = np.array(values, type_)
    found[np.isnan(found)] = np.nan
    return found.view({np.float64: np.uint64, np.float32: np.uint32}[type_]).tolist()
