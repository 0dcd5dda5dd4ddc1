"""`make compile_commands.json`: how clangd and editors compile each C file of the engine alone.

The headers that are generated for a grammar are written to build/engine, for one engine of each
kind.
"""

import json
from pathlib import Path

from dsgec.engine.source import emit_engine
from dsgec.engine.toolchain import OBJECT_FLAGS
from dsgec.grammar.expand import expand
from dsgec.grammar.genome.genotype import REPRESENTATIONS
from dsgec.grammar.genome.rule_tables import make_rule_tables
from dsgec.grammar.load import load_grammar

ROOT = Path(__file__).parents[2]
WARNINGS = ("-Wall", "-Wextra", "-Wno-unused-function", "-Wno-unused-const-variable")
EVERYTHING = {"learning": True, "trees": True, "weighted": True, "minimises": True}
NOT_YET_C = "by_hand.c"  # which is no C before it is printed


def write_generated(folder: Path) -> None:
    """Write the generated files of each kind of engine to a folder of its name."""
    tables = make_rule_tables(expand(load_grammar("multi_layer").grammar, 5, 2), {})
    kinds = {name: (name, {}) for name in REPRESENTATIONS} | {"trees": ("dsge", EVERYTHING)}
    for kind, (representation, options) in kinds.items():
        own = folder / kind
        own.mkdir(parents=True, exist_ok=True)
        source = emit_engine(tables, representation, True, "sigmoid", "log-loss", **options)
        for name, text in source.generated.items():
            (own / name).write_text(text, encoding="utf-8", newline="\n")


def kind_of(file: Path) -> str:
    """Return the kind of engine that has all of a file."""
    if file.stem in REPRESENTATIONS:
        return file.stem
    return "dsge" if "#if !TREES" in file.read_text(encoding="utf-8") else "trees"


def compile_commands(generated: Path) -> list[dict[str, object]]:
    """Return the commands for all C files, given the folder of the generated ones."""
    templates = ROOT / "templates"
    common = ("cc", *OBJECT_FLAGS, "-pthread", *WARNINGS)
    exported = sorted(templates.glob("c/**/*.c"))
    includes = {f: ("-include", "stdint.h") for f in exported if f.name != NOT_YET_C}
    for file in sorted((*templates.glob("engine/**/*.c"), *templates.glob("reader/*.c"))):
        own = generated / kind_of(file)
        includes[file] = (f"-I{own}", f"-I{templates / 'engine'}")
    for own in sorted(generated.iterdir()):
        includes[own / "grammar.c"] = (f"-I{own}", f"-I{templates / 'engine'}")
    return [
        {
            "directory": str(ROOT),
            "file": str(file),
            "arguments": [*common, *options, "-fsyntax-only", str(file)],
        }
        for file, options in includes.items()
    ]


def main() -> None:
    generated = ROOT / "build" / "engine"
    write_generated(generated)
    text = json.dumps(compile_commands(generated), indent=1)
    (ROOT / "compile_commands.json").write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
