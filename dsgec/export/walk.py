"""Programs of decision trees: nested choices, or tables of nodes that one loop walks.

A packed tree is a list of bytes. A split has its column, its threshold and how many bytes its left
branch takes, which follows; the right branch comes after that. A leaf is a byte above those of all
columns. It stands for an entry of a table, for a class that gets a vote, or for a value that
follows.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from dsgec.export.node_stream import SEVERAL, NodeStream, all_leaves, is_votes, leaf_classes
from dsgec.network.trees import Forest, Tree
from dsgec.program import ir

_BYTE = 256
_MASK = ir.Number(255, "int16")
_CODE = ir.Variable("code", "uint8")


def _index(value: int) -> ir.Number:
    return ir.Number(value, ir.narrowest(0, max(value, 1)))


@dataclass(frozen=True)
class TreeCode:
    """Code that adds the leaves of a forest's trees to an array `s`; `number` is the type of x.

    Real numbers have the type `number`, too; sums of integers have 16 or 32 bits.
    """

    forest: Forest
    number: ir.Type
    packed: bool
    x: ir.ArrayParameter
    looks: bool = True  # whether an element of a table may depend on the row
    tables: list[ir.ConstantTable] = field(default_factory=list)

    @property
    def is_real(self) -> bool:
        return self.number in ir.REALS

    @property
    def outputs(self) -> int:
        return len(self.forest.firsts)

    @property
    def sum_type(self) -> ir.Type:
        """Return the type of the sums."""
        return self.number if self.is_real else "int16"

    def constant(self, value: float) -> ir.Number:
        """Return a number of a sum."""
        return ir.Number(value, self.number) if self.is_real else ir.Number(int(value), "int16")

    def table(self, name: str, values: Sequence[int | float], type_: ir.Type, about: str) -> str:
        """Add a table and return its name; one that exists is used again."""
        made = ir.ConstantTable(name, type_, tuple(values), about)
        if made not in self.tables:
            self.tables.append(made)
        return name

    def whole(
        self, name: str, values: Sequence[int], at: ir.Expression, about: str
    ) -> ir.Expression:
        """Return an element of a table of whole numbers; if all are equal, that is enough."""
        if len({*values}) == 1:
            return _index(values[0])
        type_ = ir.narrowest(0, max(values))
        return ir.Element(self.table(name, values, type_, about), at, type_)

    # Sums.

    def sums(self) -> ir.Procedure:
        """Return the procedure `trees(x, s)`."""
        s = ir.ArrayParameter("s", self.sum_type, self.outputs, is_written=True)
        body = (*self.begin(), *(self.walk() if self.packed else self.nested()))
        return ir.Procedure("trees", "Add up the leaves of all trees.", (self.x, s), body)

    def begin(self) -> Iterator[ir.Instruction]:
        """Yield the first values of the sums."""
        firsts = self.forest.firsts
        if len({value.hex() for value in firsts}) > 1 or self.outputs == 1:
            for number, value in enumerate(firsts):
                yield ir.Store("s", _index(number), self.constant(value))
            return
        k = ir.Variable("k", "uint8" if self.outputs < _BYTE else "uint16")
        yield ir.Loop(k, _index(self.outputs), (ir.Store("s", k, self.constant(firsts[0])),), 1)

    def add(self, output: ir.Expression, value: ir.Expression) -> ir.Instruction:
        """Return the addition of a value to a sum."""
        before = ir.Element("s", output, self.sum_type)
        return ir.Store("s", output, ir.Binary("+", before, value, self.sum_type))

    def leaf_table(self, leaves: Sequence[tuple[float, ...]], name: str) -> tuple[str, ir.Type]:
        """Add the table of some leaves; return its name and its type."""
        flat = [value for leaf in leaves for value in leaf]
        if self.is_real:
            type_: ir.Type = self.number
        else:
            flat = [int(value) for value in flat]
            type_ = ir.narrowest(int(min(flat)), int(max(flat)))
        return self.table(name, flat, type_, "The leaves."), type_

    def add_leaf(
        self,
        leaves: Sequence[tuple[float, ...]],
        leaf: ir.Expression,
        name: str,
        outputs: ir.Expression,
    ) -> list[ir.Instruction]:
        """Return how the leaf of some number is added; a scalar one to the sum `outputs`."""
        width = len(leaves[0])
        if width == 1:
            table, type_ = self.leaf_table(leaves, name)
            return [self.add(outputs, ir.Element(table, leaf, type_))]
        k = ir.Variable("k", "uint8" if width < _BYTE else "uint16")
        if is_votes(leaves):
            value: ir.Expression = ir.Select(
                ir.Binary("==", leaf, k, "bool"), self.constant(1), self.constant(0), self.sum_type
            )
        else:
            table, type_ = self.leaf_table(leaves, name)
            place = ir.narrowest(0, len(leaves) * width)
            first = ir.Binary("*", leaf, _index(width), place)
            value = ir.Element(table, ir.Binary("+", first, k, place), type_)
        return [ir.Loop(k, _index(width), (self.add(k, value),), 1)]

    # Nested choices.

    def nested(self) -> Iterator[ir.Instruction]:
        """Yield the trees as nested choices."""
        leaves, _ = all_leaves(self.forest.trees)
        for number, tree in enumerate(self.forest.trees):
            if len(tree.outputs) == 1:
                values = [self.constant(leaf[0]) for leaf in tree.leaves]
                yield self.add(_index(tree.outputs[0]), self.choice(tree, values, self.sum_type))
                continue
            if not self.looks:
                for place, output in enumerate(tree.outputs):
                    values = [self.constant(each[place]) for each in tree.leaves]
                    yield self.add(_index(output), self.choice(tree, values, self.sum_type))
                continue
            leaf = ir.Variable(f"leaf{number}", ir.narrowest(0, len(leaves)))
            places = [_index(leaves.index(each)) for each in tree.leaves]
            yield ir.Declare(leaf, self.choice(tree, places, leaf.type))
            yield from self.add_leaf(leaves, leaf, "leaves", _index(0))

    def choice(self, tree: Tree, leaves: Sequence[ir.Expression], type_: ir.Type) -> ir.Expression:
        """Return a tree as nested choices between the values of its leaves."""
        values: dict[int, ir.Expression] = {~number: value for number, value in enumerate(leaves)}
        for split in reversed(range(len(tree.columns))):
            column = ir.Element("x", _index(tree.columns[split]), self.number)
            limit = tree.thresholds[split]
            threshold = ir.Number(limit if self.is_real else int(limit), self.number)
            yes, no = values[tree.lefts[split]], values[tree.rights[split]]
            test = ir.Binary("<=", column, threshold, "bool")
            values[split] = yes if yes == no else ir.Select(test, yes, no, type_)
        return values[tree.root]

    # Tables.

    @cached_property
    def stream(self) -> "NodeStream":
        """The nodes of all trees as bytes."""
        stream = NodeStream.make(self.forest, self.number)
        assert stream is not None
        return stream

    def go(self, start: ir.Expression) -> list[ir.Instruction]:
        """Return the walk from a root to a leaf, whose byte is in `code`."""
        stream = self.stream
        self.table("nodes", stream.values, "int8", "The splits and leaves of all trees.")
        at, limit = stream.at, ir.Variable("limit", "int8" if self.number == "int8" else "int16")
        byte, signed = self.byte, ir.Element("nodes", at, "int8")
        begin: list[ir.Instruction] = [ir.Declare(at, start), ir.Declare(_CODE, byte), self.step]
        body: list[ir.Update] = []
        if self.is_real:
            self.table(
                "thresholds", stream.thresholds, self.number, "What the columns are compared with."
            )
            limit = ir.Variable("limit", "uint16")
            body += [ir.Update(limit, byte), self.step]
            if stream.place_bytes == 2:
                body += self.second(limit)
            threshold: ir.Expression = ir.Element("thresholds", limit, self.number)
        else:
            threshold = limit
            body += [ir.Update(limit, signed), self.step]
            if self.number == "int16":
                body += self.second(limit)
        begin.append(ir.Declare(limit, ir.Number(0, "uint8")))
        test = ir.Binary("<=", ir.Element("x", _CODE, self.number), threshold, "bool")
        skip, own = byte, _index(stream.skip_bytes)
        if stream.skip_bytes == 2:
            following = ir.Element(
                "nodes", ir.Binary("+", at, ir.Number(1, "uint8"), at.type), "int8"
            )
            high = ir.Binary("*", byte, ir.Number(_BYTE, "int16"), "uint16")
            skip = ir.Binary("+", high, ir.Binary("&", following, _MASK, "uint8"), "uint16")
        moved = ir.Select(test, own, skip, "uint16")
        body += [
            ir.Update(at, ir.Binary("+", at, moved, at.type)),
            ir.Update(_CODE, byte),
            self.step,
        ]
        going = ir.Binary("<", _CODE, _index(stream.columns), "bool")
        return [*begin, ir.While(going, tuple(body))] if stream.columns else begin

    @property
    def byte(self) -> ir.Expression:
        """Return the next byte as a number from 0 to 255."""
        return ir.Binary("&", ir.Element("nodes", self.stream.at, "int8"), _MASK, "uint8")

    @property
    def step(self) -> ir.Update:
        """Return the step to the next byte."""
        at = self.stream.at
        return ir.Update(at, ir.Binary("+", at, ir.Number(1, "uint8"), at.type))

    def second(self, number: ir.Variable) -> list[ir.Update]:
        """Return how the second byte of a number is read."""
        high = ir.Binary("*", number, ir.Number(_BYTE, "int16"), number.type)
        return [ir.Update(number, ir.Binary("+", high, self.byte, number.type)), self.step]

    def walk(self) -> Iterator[ir.Instruction]:
        """Yield the loop over all trees."""
        trees, stream = self.forest.trees, self.stream
        count = len(trees)
        t, o = ir.Variable("t", ir.narrowest(0, count)), ir.Variable("o", "uint8")
        start: ir.Expression
        after: list[ir.Instruction] = []
        if stream.has_lengths:
            start = ir.Variable("start", stream.at.type)
            about = "How many bytes each tree takes."
            length = self.whole("lengths", stream.lengths, t, about)
            yield ir.Declare(start, ir.Number(0, "uint8"))
            after.append(ir.Update(start, ir.Binary("+", start, length, start.type)))
        else:
            start = self.whole("roots", stream.roots, t, "Where the trees begin.")
        body = self.go(start)
        outputs = [tree.outputs[0] for tree in trees]
        output: ir.Expression = o
        if count > SEVERAL and outputs == [at % self.outputs for at in range(count)] != [0] * count:
            yield ir.Declare(o, ir.Number(0, "uint8"))
            following = ir.Binary("+", o, ir.Number(1, "uint8"), "uint8")
            is_last = ir.Binary("==", o, _index(self.outputs - 1), "bool")
            after.append(
                ir.Update(o, ir.Select(is_last, ir.Number(0, "uint8"), following, "uint8"))
            )
        else:
            about = "The sums that the trees belong to."
            output = self.whole("owners", outputs, t, about)
        leaf: ir.Expression = _CODE
        if stream.columns:
            leaf = ir.Binary("-", _CODE, _index(stream.columns), "uint8")
        if stream.is_inline:
            body += self.add_inline(len(trees[0].outputs), output)
        else:
            body += self.add_leaf(stream.leaves, leaf, "leaves", output)
        body += after
        yield from [ir.Loop(t, _index(count), tuple(body), 1)] if count > 1 else body

    def add_inline(self, width: int, output: ir.Expression) -> list[ir.Instruction]:
        """Return how values that stand behind a leaf are added."""
        at, value = self.stream.at, ir.Variable("value", "int16")
        k = ir.Variable("k", "uint8" if width < _BYTE else "uint16")
        to = k if width > 1 else output
        one: list[ir.Instruction] = [self.add(to, ir.Element("nodes", at, "int8")), self.step]
        if self.stream.value_bytes == 2:
            more = self.second(value)
            one = [ir.Declare(value, ir.Element("nodes", at, "int8")), self.step, *more]
            one.append(self.add(to, value))
        return [ir.Loop(k, _index(width), tuple(one), 1)] if width > 1 else one

    # Classes.

    def decide(self, limit: int | None) -> ir.Procedure:
        """Return the procedure `decide(x)`: the class of the greatest sum, or of one limit."""
        about = "Return the class."
        if len(self.forest.trees) == 1:
            return self.decide_one(limit, about)
        s = ir.LocalArray("s", self.sum_type, self.outputs)
        body: list[ir.Instruction] = [s, *self.begin()]
        body += self.walk() if self.packed else self.nested()
        if limit is not None:
            test = ir.Binary(
                ">=", ir.Element("s", _index(0), self.sum_type), ir.Number(limit), "bool"
            )
            return ir.Procedure("decide", about, (self.x,), tuple(body), test)
        best, b = ir.Variable("best", "uint8"), ir.Variable("b", "uint8")
        own = ir.Element("s", b, self.sum_type)
        test = ir.Binary(">", own, ir.Element("s", best, self.sum_type), "bool")
        body.append(ir.Declare(best, ir.Number(0, "uint8")))
        body.append(
            ir.Loop(
                b, _index(self.outputs), (ir.Update(best, ir.Select(test, b, best, "uint8")),), 1
            )
        )
        return ir.Procedure("decide", about, (self.x,), tuple(body), best)

    def decide_one(self, limit: int | None, about: str) -> ir.Procedure:
        """Return the class of the leaf that the only tree reaches."""
        (tree,) = self.forest.trees
        firsts = [self.forest.firsts[output] for output in tree.outputs]
        if not self.packed:
            classes = [_index(number) for number in leaf_classes(tree.leaves, firsts, limit)]
            return ir.Procedure("decide", about, (self.x,), (), self.choice(tree, classes, "uint8"))
        stream = self.stream
        body = self.go(_index(0))
        leaf = ir.Binary("-", _CODE, _index(stream.columns), "uint8") if stream.columns else _CODE
        numbers = leaf_classes(stream.leaves, firsts, limit)
        result: ir.Expression = leaf
        if [*numbers] != [*range(len(numbers))]:
            result = self.whole("classes", numbers, leaf, "The classes of the leaves.")
        return ir.Procedure("decide", about, (self.x,), tuple(body), result)
