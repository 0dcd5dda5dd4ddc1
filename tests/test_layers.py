"""A stage imports only earlier stages, and tests share only what is in tests/support."""

import ast
import re
import sys
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path

import pytest

import dsgec.pipeline
from dsgec.export.targets import DESCRIPTIONS

HERE = Path(__file__).parent
PACKAGE = HERE.parent / "dsgec"
LONGEST_FILE = 400

# What every stage may import, and what stands after the pipeline, in order.
FOUNDATION = (
    "errors",
    "random",
    "resources",
    "setting",
    "folder",
    "plain_data",
    "toml",
    "background",
    "literals",
    "manifest",
    "rendering",
)
STAGES = tuple(re.findall(r"^(\w+) .* → ", dsgec.pipeline.__doc__, re.MULTILINE))
AFTER = ("pipeline", "problems", "study", "api", "cli", "__main__")
ORDER = (*FOUNDATION, *STAGES, *AFTER)

# Each of these is one stage's business.
OWNERS = {
    "lark": {"grammar"},
    "jinja2": {"rendering"},
    "cffi": {"engine", "cli"},
    "subprocess": {"engine", "export", "run"},
    "click": {"cli"},
    "scipy": {"study"},
    "PIL": {"report"},
    "distributed": {"study"},
    "dask": {"study"},
    "pyarrow": {"data"},
    "onnx": {"export", "network"},
    "onnxruntime": {"export", "network"},
    "sklearn": {"api", "run"},
    "IPython": {"api"},
}

FILES = sorted(PACKAGE.rglob("*.py"))
TESTS = sorted(path for path in HERE.rglob("*.py") if "golden" not in path.parts)


def stage_of(path):
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


@cache
def parsed(path):
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def imported(path):
    """Names of the modules that a file imports, but for those that only the type checker does."""
    return [*_imported(path)]


def _imported(path):
    tree = parsed(path)
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            for inner in ast.walk(node):
                inner.only_types = True
    for node in ast.walk(tree):
        if hasattr(node, "only_types"):
            continue
        match node:
            case ast.Import(names):
                yield from (name.name for name in names)
            case ast.ImportFrom(module=module, names=names, level=0):
                yield from (f"{module}.{name.name}" for name in names)
            case ast.ImportFrom():
                pytest.fail(f"{path}:{node.lineno}: relative import; name the stage")


def test_a_file_imports_only_earlier_stages():
    for path in FILES:
        stage = stage_of(path)
        if stage == "__init__":
            continue  # the package's own, which imports on demand
        parts = [name.split(".") for name in imported(path)]
        stages = {p[1] for p in parts if p[0] == "dsgec" and len(p) > 1 and p[1] in ORDER}

        assert stages <= {*ORDER[: ORDER.index(stage) + 1]}, path


def test_a_library_is_imported_by_its_owner_only():
    for path in FILES:
        for name in imported(path):
            owners = OWNERS.get(name.split(".")[0])
            assert owners is None or stage_of(path) in owners, path


def test_a_module_that_a_template_names_exists():
    named = 0
    for path in (HERE.parent / "templates").rglob("*.[ch]"):
        text = re.sub(r"\n \* ", " ", path.read_text(encoding="utf-8"))
        for function, module in re.findall(r"(?:`(\w+)` of )?(dsgec/[\w/]+\.py)", text):
            file = HERE.parent / module
            assert file.exists(), (path, module)
            known = {getattr(node, "name", "") for node in ast.walk(parsed(file))}
            assert not function or function in known, (path, module, function)
            named += 1
    assert named > 50


def test_a_file_stays_readable():
    for path in FILES:
        text = path.read_text(encoding="utf-8")
        assert len(text.splitlines()) <= LONGEST_FILE or "@generated" in text.split('"""')[1], path


def test_no_text_becomes_code():
    for path in FILES:
        tree = parsed(path)
        calls = {ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}

        assert not calls & {"eval", "exec", "compile", "__import__", "os.system"}, path
        if path != PACKAGE / "study" / "processes.py":  # which reads what our own processes send
            names = {name.split(".")[0] for name in imported(path)}
            assert not names & {"pickle", "marshal", "shelve", "multiprocessing"}, path


@pytest.mark.parametrize("room", ["run", "api", "cli"])
def test_what_all_targets_share_knows_none_of_them(room):
    for path in PACKAGE.joinpath(room).rglob("*.py"):
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.Compare):
                values = {part.value for part in ast.walk(node) if isinstance(part, ast.Constant)}
                assert not values & DESCRIPTIONS.keys(), f"{path}:{node.lineno}"


def test_the_pipelines_docstring_names_every_stage():
    assert {stage_of(path) for path in FILES} == {*ORDER, "__init__"}
    assert len(ORDER) == len(set(ORDER))
    assert sys.version_info >= (3, 11)


def test_no_two_classes_have_one_name():
    names = Counter(
        node.name
        for path in FILES
        for node in parsed(path).body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    # A program's Network is one that predicts; what the compiler calls so is what it is made of.
    assert {name for name, count in names.items() if count > 1} <= {"Network"}


def test_every_test_asserts():
    """By a statement, by pytest or numpy, or by a function that does."""
    called, good = defaultdict(set), set()
    for path in TESTS:
        for function in ast.walk(parsed(path)):
            if isinstance(function, ast.FunctionDef):
                inner = [*ast.walk(function)]
                calls = [ast.unparse(node.func) for node in inner if isinstance(node, ast.Call)]
                names = {call.split(".")[-1] for call in calls}
                called[function.name] |= names
                raises = {"pytest.raises", "pytest.warns", "pytest.fail"} & {*calls}
                if raises or any(isinstance(node, ast.Assert) for node in inner):
                    good.add(function.name)
                good |= {name for name in names if name.startswith("assert_")}
    while more := {name for name, names in called.items() if name not in good and names & good}:
        good |= more

    assert not {name for name in called if name.startswith("test_")} - good


def test_tests_share_only_what_is_in_support():
    """`tests.matrix` is a program, which is not for one room."""
    for path in TESTS:
        for name in imported(path):
            if name.startswith("tests."):
                assert name.startswith(("tests.support.", "tests.matrix.")), f"{path}: {name}"
                assert not name.split(".")[2].startswith("test_"), f"{path}: {name}"
