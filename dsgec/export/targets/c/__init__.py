"""C99 files that need no library, for machines of any size."""

from dsgec.export.artefact import DTYPES
from dsgec.export.targets.c.emit import emit_c
from dsgec.export.targets.c.read import read_c
from dsgec.export.targets.c.run import can_compile, check_c, run_c
from dsgec.export.targets.target import Target

TARGET = Target(
    ("{}.c", "{}.h", "{}_selftest.c", "{}_README.md"),
    emit_c,
    read_c,
    run_c,
    dtypes=DTYPES,
    check=check_c,
    can_check=can_compile,
)
