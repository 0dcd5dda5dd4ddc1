"""What the tests of the library share."""

import pytest

from dsgec.native.toolchain import compilers


@pytest.fixture
def quick_compiler(monkeypatch):
    """The compiler that is done soonest: many engines are made here, and each runs for a moment.

    The bits do not depend on it.
    """
    use_quick_compiler(monkeypatch)


def use_quick_compiler(monkeypatch):
    quick = [toolchain for toolchain in compilers() if toolchain.tcc is not None]
    if quick:
        for user in ("evolution.engine", "evolution.choose"):
            monkeypatch.setattr(f"dsgec.{user}.find_toolchain", lambda: quick[0])
