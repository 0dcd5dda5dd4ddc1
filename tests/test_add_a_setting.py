"""The edits of docs/how-to/add-a-setting.md add the setting to every surface."""

import json
import re
from dataclasses import fields

import pytest

from dsgec.api.generate import PRINTED
from dsgec.setting import Setting
from tests.support.project_copy import ROOT, changed_files, changes, copy_with_edits, run_python

PAGE = "add-a-setting"
QUICK = (
    "--preset",
    "paper",
    "--population",
    "6",
    "--generations",
    "9",
    "--backend",
    "numpy",
    "--quiet",
)
SURFACES = """
import inspect, io, json, sys
from contextlib import redirect_stdout, suppress
import dsgec
from dsgec.__main__ import main
from dsgec.errors import DsgecError
from dsgec.study.parse import load_study

told = {"evolve": dsgec.evolve.__doc__, "estimator": dsgec.DSGEClassifier.__doc__}
told["signature"] = str(inspect.signature(dsgec.evolve))
told["parameter"] = dsgec.DSGERegressor(grace=4).get_params()["grace"]
told["study"] = load_study("study.toml").parts[0].settings[0][0].grace
try:
    dsgec.evolve("one_layer", "wdbc", grace=-1)
except DsgecError as error:
    told["error"] = str(error)
sys.argv = ["dsgec", "evolve", "--help-all"]
with redirect_stdout(io.StringIO()) as told["help"], suppress(SystemExit):
    main()
print(json.dumps(told | {"help": told["help"].getvalue()}))
"""
RUNS = """
import sys
from contextlib import suppress
from dsgec.__main__ import main
asked = [*sys.argv[1:]]
for grace in ("0", "6"):
    sys.argv = ["dsgec", *asked, "--name", f"grace{grace}", "--grace", grace]
    with suppress(SystemExit):
        main()
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A copy with the setting, printed."""
    copy = copy_with_edits(PAGE, tmp_path_factory.mktemp("copy"))
    run_python(copy, "-m", "dsgec.api.generate")
    return copy


def test_a_setting_is_one_entry_and_the_code_that_uses_it(project):
    by_hand = [path for path, *_ in changes(PAGE)]
    assert by_hand == ["dsgec/search/settings.py", "dsgec/search/evolver.py"]
    assert changed_files(project) == {*by_hand, str(PRINTED.relative_to(ROOT))}


def test_every_field_that_the_page_names_exists_and_every_field_is_named():
    text = (ROOT / "docs/how-to/add-a-setting.md").read_text()
    entries = re.findall(r"^- (.*?):", text, re.MULTILINE)
    named = {name for entry in entries for name in re.findall(r"`(\w+)`", entry)}
    always = {"default", "help", "name", "kind", "low", "high"}  # which the sentence above lists
    assert named == {field.name for field in fields(Setting)} - always


def test_every_surface_has_the_setting(project):
    part = 'representations = ["dsge"]\ngrammars = ["one_layer"]\ndata = ["wdbc"]\n'
    (project / "study.toml").write_text(f"[settings]\ngrace = 7\n[[part]]\n{part}")
    told = json.loads(run_python(project, "-c", SURFACES))

    for surface in ("evolve", "estimator"):
        assert ":param grace: Generations before patience counts. Default: 0." in told[surface]
    assert "grace: int = 0" in told["signature"]
    assert (told["parameter"], told["study"]) == (4, 7)
    assert told["error"] == "error: grace is -1\n  It must be between 0 and 100000000."
    shown = " ".join(told["help"].split())
    assert "--grace INTEGER Generations before patience counts; default: 0." in shown


def test_the_setting_is_used_recorded_and_reported(project):
    evolve = ("evolve", "one_layer", "wdbc", *QUICK, "--patience", "1", "--out", "o")
    run_python(project, "-c", RUNS, *evolve)
    reached = {}
    for grace in (0, 6):
        folder = project / "o" / f"grace{grace}"
        record = json.loads((folder / "run.json").read_text())
        reached[grace] = record["result"]["generations"]
        assert record["settings"].get("grace", 0) == grace
        command = re.search("<bdi>(dsgec evolve[^<]*)", (folder / "report.html").read_text())[1]
        assert ("--grace 6" in command) == bool(grace)
    assert reached[0] < 6 < reached[6]
