"""Programs with the entry `f(x, y)`, run in C as two compilers build it."""

import re
import shutil

import numpy as np

from dsgec.arithmetic.source import c_source, integer_source
from dsgec.program.ir import functions_called
from dsgec.program.print_c import CPrinter
from tests.support.fuzzing.harness import fast_sanitizer
from tests.support.languages import run

WARNINGS = ("-Wall", "-Wextra", "-Werror", "-ffp-contract=off")
COMMANDS = {
    "gcc": (
        *("gcc", "-O2", *WARNINGS),
        "-Wno-maybe-uninitialized",  # an array that a loop writes; exports initialise theirs
    ),
    "clang": ("clang", "-O2", *WARNINGS),
    "sanitizers": (
        *(fast_sanitizer(), "-O0", *WARNINGS),
        *("-fsanitize=address,undefined", "-fno-sanitize-recover=all"),
    ),
}
TYPES = {"double": "double", "float": "float", "int8": "int8_t", "int16": "int16_t"}
MACROS = "".join(f"#define NET_READ_{kind}(p) (*(p))\n" for kind in (8, 16, 32, "DOUBLE", "FLOAT"))
MAIN = """
int main(void)
{{
    FILE *in = fopen("rows", "rb"), *out = fopen("results", "wb");
    static {given} x[{inputs}];
    static {written} y[{outputs}];
    while (fread(x, sizeof x, 1, in) == 1) {{
        net_f(x, y);
        fwrite(y, sizeof y, 1, out);
    }}
    fclose(in);
    return fclose(out);
}}
"""


def run_c(folder, program, arithmetic, rows):
    """Return the results of rows, built by each compiler that is installed and with sanitizers."""
    text = CPrinter(program, "net").print()
    whole = arithmetic == "whole"
    functions = {*functions_called(program)}
    if whole:
        source = integer_source("c", {*re.findall(r"\bdsgec_(\w+)\(", text)})
    else:
        source = c_source({*functions, "bits"}, arithmetic)
    head = "#include <stdint.h>\n#include <stdio.h>\n#define NET_FLASH\n"
    head += "#define DSGEC_READ(table, i) ((int16_t)(table)[i])\n" if whole else ""
    x, y = program.entry.arrays
    types = {"given": TYPES[x.type], "written": TYPES[y.type]}
    main = MAIN.format(**types, inputs=x.size, outputs=y.size)
    (folder / "net.c").write_text(f"{head}{MACROS}{source}\n{text}{main}")
    kinds = [
        np.dtype(name.removesuffix("_t").replace("float", "f4"))
        for name in (types["given"], types["written"])
    ]
    (folder / "rows").write_bytes(np.ascontiguousarray(rows, kinds[0]).tobytes())
    found = {}
    for name, command in COMMANDS.items():
        if shutil.which(command[0]):
            run(folder, [*command, "-std=c99", "net.c", "-o", "net", "-lm"])
            run(folder, ["./net"])
            found[name] = np.fromfile(folder / "results", kinds[1]).reshape(len(rows), -1)
    return found
