"""`dsgec predict` and `dsgec show`: what a finished run holds."""

from pathlib import Path

import click

from dsgec.cli.output import hand_over, say
from dsgec.cli.tables import TableOptions, reading_options


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.argument("data")
@click.option("-o", "--out", type=click.Path(path_type=Path), help="Default: standard output.")
@reading_options
def predict(run: Path, data: str, out: Path | None, table: TableOptions) -> None:
    """Predict every row of DATA with the network of RUN, as CSV."""
    from dsgec.run.files import write_whole
    from dsgec.run.predict import predictions
    from dsgec.run.record import read_model

    model, _ = read_model(run)
    names = tuple(column.name for column in model.columns)
    text = predictions(model, table.read(data, names))
    if out is None:
        hand_over(text.removesuffix("\n"))
    else:
        write_whole(out, text)
        say(str(out))


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--svg", type=click.Path(path_type=Path), help="Draw the network to this file.")
def show(run: Path, svg: Path | None) -> None:
    """Print the equations of the network of RUN, or draw it."""
    from dsgec.network.text import text
    from dsgec.run.drawing import draw
    from dsgec.run.files import write_whole
    from dsgec.run.record import read_model

    model, _ = read_model(run)
    if svg is not None:
        write_whole(svg, draw(model))
        say(str(svg))
        return
    for number, name in enumerate(model.features, 1):
        say(f"# x_{number} is {name!a}")
    if model.classes:
        say(f"# classes: {', '.join(ascii(label) for label in model.classes)}")
    say(text(model.network).removesuffix("\n"))
