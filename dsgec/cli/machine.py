"""`dsgec doctor` and `dsgec bench`: what this machine can do."""

import click

from dsgec.cli.help import GroupedCommand
from dsgec.cli.output import hand_over, say


@click.command(cls=GroupedCommand)
def doctor() -> None:
    """Show and test the compiler and the backend used here."""
    from dsgec.machine.doctor import diagnosis

    for line in diagnosis():
        say(line)


@click.command(cls=GroupedCommand)
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON.")
@click.option("--exports", is_flag=True, help="Measure exported networks beside those of others.")
def bench(as_json: bool, exports: bool) -> None:
    """Measure the speed of this machine in four minutes.

    It measures the engine, learning, growth with the table, threads and compiling.
    """
    from itertools import chain

    from dsgec.machine.bench import bench as engine
    from dsgec.machine.bench import table_lines
    from dsgec.machine.bench_exports import bench_exports
    from dsgec.machine.bench_learning import bench_learning
    from dsgec.plain_data import to_json

    reports = {}
    for name, report in bench_exports() if exports else chain(engine(), bench_learning()):
        reports[name] = report
        if not as_json:
            say("\n".join(table_lines(name, report)))
    if as_json:
        hand_over(to_json(reports).removesuffix("\n"))
