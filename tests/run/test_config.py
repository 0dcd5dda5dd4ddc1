"""config.toml repeats the run whose folder it is in, and --config takes settings from any file."""

import re
import tomllib

import pytest

import dsgec
from dsgec.cli.shared_options import RunOptions, SessionOptions, config_settings
from dsgec.setting import settings_of
from tests.support.command_line import dsgec as command
from tests.support.command_line import read_json
from tests.support.runs import made

QUICK = ["--generations", "2", "--population", "6", "--pruning", "1", "--tuning", "2"]
QUICK += ["--backend", "numpy", "--quiet"]
SHOP = "size;colour;paid;how many\n" + "".join(
    f"{n % 7},5;{'red' if n % 3 else 'blue'};{n % 5},25;{n % 4 * 10},5\n" for n in range(60)
)


@pytest.fixture
def desk(tmp_path):
    """A folder with a grammar and a table."""
    (tmp_path / "shop.csv").write_text(SHOP)
    (tmp_path / "more.csv").write_text(SHOP)
    (tmp_path / "own.bnf").write_text(
        "%max-depth sum=3\n<start> ::= <sum>\n<sum> ::= <term> | <sum> + <term>\n"
        "<term> ::= <weight> * <x>\n<x> ::= x_1 | ... | x_n\n<weight> ::= 0.5 | 1.5 | -0.5\n"
    )
    return tmp_path


def repeated(desk, folder, *more, out="again"):
    """The bytes of the run that a folder's config.toml makes."""
    config = desk / folder / "config.toml"
    command("evolve", "--config", config, "--out", out, "--quiet", *more, cwd=desk)
    found = [path.parent for path in (desk / out).rglob("run.json")]
    return {path.name: made(path) for path in found}


@pytest.mark.parametrize(
    "options",
    [
        ["one_layer", "wdbc"],
        ["one_layer", "wdbc", "--preset", "paper", "--seed", str(2**64 - 1)],
        ["one_layer", "wdbc", "--representation", "ge", "--codons", "90", "--codons", "80"],
        ["one_layer", "wdbc", "--codons", "7", "--max-depth", "sum=1", "--max-depth", "sigexpr=2"],
        ["own.bnf", "shop.csv", "--test", "more.csv", "--task", "regression"],
        ["own.bnf", "./shop.csv", "--ignore", "paid", "--ignore", "colour", "--scale", "minmax"],
        ["own.bnf", "shop.csv", "--target", "1", "--separator", ";", "--task", "regression"],
        ["own.bnf", "shop.csv", "--stop-at", "1e9", "--l2", "1e-5", "--objective", "mae"],
    ],
    ids=lambda words: " ".join(words[:4]),
)
def test_the_file_in_a_folder_repeats_the_run(desk, options):
    command("evolve", *options, *QUICK, "--out", "first", cwd=desk)
    (folder,) = (desk / "first").iterdir()

    again = repeated(desk, folder)

    assert again == {folder.name: made(folder)}


def test_the_file_of_a_fold_repeats_the_cross_validation(desk, threads_for_processes):
    command("evolve", "own.bnf", "shop.csv", "--cv", "2", *QUICK, "--out", "first", cwd=desk)
    (folder,) = (desk / "first").iterdir()

    again = repeated(desk, folder / "fold2")

    assert again == {path.name: made(path) for path in folder.iterdir() if path.is_dir()}
    assert again.keys() == {"fold1", "fold2"}


def test_the_file_of_one_of_several_runs_repeats_that_one(desk, threads_for_processes):
    command("evolve", "own.bnf", "shop.csv", "--runs", "2", *QUICK, "--out", "first", cwd=desk)
    second = desk / "first" / "shop-own-seed2"

    assert repeated(desk, second) == {second.name: made(second)}


def test_no_path_of_the_machine_is_in_it(desk):
    names = [desk / "own.bnf", desk / "shop.csv", "--test", desk / "more.csv"]
    command("evolve", *names, *QUICK, "--out", "absolute", cwd=desk)
    command("evolve", "own.bnf", "shop.csv", "--test", "more.csv", *QUICK, cwd=desk)
    text = (desk / "absolute" / "shop-own-seed1" / "config.toml").read_text()

    assert str(desk) not in text
    assert text == (desk / "build" / "shop-own-seed1" / "config.toml").read_text()
    values = tomllib.loads(text)
    assert [values[key] for key in ("grammar", "data", "test")] == [
        "own.bnf",
        "shop.csv",
        "more.csv",
    ]


def test_an_interrupted_run_leaves_the_same_file(desk):
    words = ["evolve", "own.bnf", "shop.csv", *QUICK]
    command(*words, "--out", "first", cwd=desk)
    command(*words, "--out", "second", "--max-seconds", "0", cwd=desk)
    run = desk / "second" / "shop-own-seed1"
    assert (run / "checkpoint").exists()
    command("resume", run, "--backend", "numpy", "--quiet")

    assert made(run) == made(desk / "first" / "shop-own-seed1")


def test_it_belongs_to_the_manifest_and_is_replaced_with_the_rest(desk):
    words = ["evolve", "own.bnf", "shop.csv", *QUICK, "--name", "run"]
    command(*words, cwd=desk)
    run = desk / "build" / "run"
    assert "  config.toml\n" in (run / "SHA256SUMS").read_text()
    command("verify", run)
    with (run / "config.toml").open("a") as file:
        file.write("seed = 3\n")
    assert "config.toml" in command("verify", run, code=1).stderr
    command(*words, "--overwrite", "--seed", "4", cwd=desk)

    assert tomllib.loads((run / "config.toml").read_text())["seed"] == 4


def test_data_in_memory_leaves_none_and_an_earlier_one_is_removed(desk, monkeypatch):
    monkeypatch.chdir(desk)
    small = {"generations": 2, "population": 6, "pruning": 0, "tuning": 0, "backend": "numpy"}
    named = dsgec.evolve("own.bnf", "shop.csv", **small, out="run")
    assert 'data = "shop.csv"' in (desk / "run" / "config.toml").read_text()
    assert named.config == (desk / "run" / "config.toml").read_text()
    rows = [[n % 7, n % 3] for n in range(40)]
    run = dsgec.evolve("own.bnf", rows, [n % 11 / 2 for n in range(40)], **small)
    assert run.config == ""
    run.save("run", overwrite=True)

    assert not (desk / "run" / "config.toml").exists()
    assert dsgec.load("run").config == ""


def test_options_override_the_file_and_files_lie_beside_it(desk):
    place = desk / "deep" / "er"
    place.mkdir(parents=True)
    (desk / "shop.csv").rename(place / "shop.csv")
    (place / "run.toml").write_text(
        'grammar = "own.bnf"  # which is where the command runs\ndata = "shop.csv"\n'
        'generations = 2\npopulation = 6\npruning = 0\ntuning = 0\nseed = 7\nname = "one"\n'
        'max_depth = { sum = 2 }\nignore = ["paid"]\nquiet = true\nbackend = "numpy"\n'
    )
    command("evolve", "--config", "deep/er/run.toml", "--seed", "8", cwd=desk)

    record = read_json(desk / "build" / "one", "run.json")
    settings = record["settings"]
    assert (settings["seed"], settings["population"], settings["max_depth"]) == (8, 6, {"sum": 2})
    assert record["data"]["ignore"] == ["paid"]
    written = tomllib.loads((desk / "build" / "one" / "config.toml").read_text())
    assert (written["grammar"], written["data"]) == ("own.bnf", "deep/er/shop.csv")
    assert repeated(desk, "build/one") == {"shop-own-seed8": made(desk / "build" / "one")}


def test_one_argument_beside_a_file_is_the_table(desk):
    (desk / "run.toml").write_text('grammar = "own.bnf"\ndata = "missing.csv"\n')
    command("evolve", "--config", "run.toml", "shop.csv", *QUICK, cwd=desk)

    assert (desk / "build" / "shop-own-seed1").is_dir()
    answer = command("evolve", "--config", "run.toml", *QUICK, cwd=desk, code=1)
    assert "there is no table missing.csv" in answer.stderr


def test_a_table_is_not_confused_with_a_file_of_the_run(desk):
    (desk / "shop.csv").rename(desk / "history.csv")
    command("evolve", "own.bnf", "history.csv", *QUICK, "--out", "first", cwd=desk)
    (folder,) = (desk / "first").iterdir()

    assert repeated(desk, folder) == {folder.name: made(folder)}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("generatons = 3", r"`generatons` means nothing here\n  Did you mean `generations`\?"),
        ("max-depth = 3", "Did you mean `max_depth`"),
        ("population = 1.5", r"run.toml: `population` is 1.5\n  It must be a whole number"),
        ("population = 1", r"`population` is 1\n  It must be between 2 and 1000000"),
        ('missing = "men"', "Choose from fill, error, mean, median, drop"),
        ("crossover = 2027-01-01", "It must be a number"),
        ("data = 3", r"`data` is 3\n  It must be a string"),
        ("test = [1]", r"`test` is \[1\]\n  It must be a number"),
        ("cv = true", r"`cv` is True\n  It must be a whole number"),
        ('max_depth = "sum"', "It must be a dictionary"),
        ("overwrite = 1", "`overwrite` is 1\n  It must be True or False"),
        ("runs = 0", r"`runs` is 0\n  It must be between 1 and"),
        ("fold = 1", "`fold` means nothing here"),
        ("[search]\nseed = 1", "`search` means nothing here"),
        ("seed = 1\nseed = 2", r"run.toml:2:\d+: error: this is not TOML"),
        ("seed = ", "this is not TOML"),
    ],
)
def test_what_is_wrong_with_a_file_is_reported(desk, text, message):
    (desk / "run.toml").write_text(text)
    answer = command("evolve", "--config", "run.toml", "own.bnf", "shop.csv", cwd=desk, code=1)

    assert re.search(message, answer.stderr)


def test_all_that_is_wrong_is_reported_at_once(desk):
    (desk / "run.toml").write_text("seed = -1\nsteps = 0.5\nnonsense = {}\n")
    answer = command("evolve", "--config", "run.toml", "own.bnf", "shop.csv", cwd=desk, code=1)

    assert answer.stderr.count("error:") == 3


def test_a_file_can_say_all_that_an_option_can():
    from dsgec.cli import commands

    hidden = {"config", "help_all"}
    options = {one.name for one in commands.commands["evolve"].params} - hidden

    assert {one.name for one in config_settings().values()} == options
    for kind in (RunOptions, SessionOptions):
        assert {one.word for one in settings_of(kind)} <= config_settings().keys()
