"""Each C file of the engine and of the reader includes what it needs: it compiles alone."""

import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.support.compile_commands import ROOT, compile_commands, write_generated


@pytest.mark.needs_cc
@pytest.mark.skipif(not shutil.which("cc"), reason="no cc")
def test_each_file_compiles_by_its_own_command(tmp_path):
    write_generated(tmp_path)
    commands = compile_commands(tmp_path)
    files = {command["file"] for command in commands}
    assert {str(path) for path in ROOT.glob("templates/engine/**/*.c")} < files

    def complaints(command):
        run = [*command["arguments"], "-Werror"]
        return subprocess.run(run, capture_output=True, text=True, check=False).stderr

    with ThreadPoolExecutor(2) as pool:
        assert not "".join(pool.map(complaints, commands))
