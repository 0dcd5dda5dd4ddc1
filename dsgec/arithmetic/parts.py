"""A function to three that do its steps one after the other: each gets a loop of its own."""

from dataclasses import replace

from dsgec.arithmetic.ir import Assign, Call, Definition, Expression, Name, names, rewrite


def in_parts(whole: Definition, inner: Definition, middle: str) -> tuple[Definition, ...]:
    """The steps before the one that assigns `middle`, that step, and those behind it.

    The first step of `whole` calls `inner`, whose steps are taken in its place. The first part has
    as outputs what the others read.
    """
    called, *rest = whole.steps
    assert whole.result
    assert inner.result
    assert isinstance(called.value, Call)
    assert called.value.function == inner.name
    (parameter,), (argument,) = inner.parameters, called.value.arguments
    new = Name("v", "real")

    def rename(part: Expression) -> Expression | None:
        return new if part == parameter else None

    steps = [
        Assign(new.name, argument),
        *(Assign(step.name, rewrite(step.value, rename)) for step in inner.steps),
        Assign(called.name, inner.result),
        *rest,
    ]
    cut = [step.name for step in steps].index(middle)
    before, at, behind = steps[:cut], steps[cut], steps[cut + 1 :]
    last = [*(step.value for step in behind), whole.result]
    outputs = [step.name for step in before if step.name in names(at.value, *last)]
    inside = {step.name for step in behind}
    return (
        replace(
            whole,
            name=f"{whole.name}_first",
            steps=tuple(before),
            result=None,
            outputs=tuple(outputs),
        ),
        Definition(f"{whole.name}_second", tuple(names(at.value).values()), (), at.value, ""),
        Definition(
            f"{whole.name}_third",
            (
                *whole.parameters,
                *(Name(n, "real") for n in (*outputs, middle) if n in names(*last).keys() - inside),
            ),
            tuple(behind),
            whole.result,
            "",
        ),
    )
