"""Packages are built by the tool that they are for, or in its layout, and their examples run."""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from dsgec.network.model import unnamed_model
from dsgec.network.parse import parse
from tests.support.models import GRADED, IRIS
from tests.support.packages import STRICT, STUBS, build, first_lines, needs, run, unpacked

REGRESSION = unnamed_model(parse("3.5 * tanh(x_1 - 0.25) + 1.5"))
pytestmark = pytest.mark.needs_cc


def test_the_cmake_package_is_built_tested_installed_and_found(tmp_path):
    needs("cmake")
    source = unpacked(IRIS, "cmake", tmp_path)
    build(source, tmp_path / "build")
    assert "100% tests passed" in run("ctest", "--test-dir", tmp_path / "build")
    assert run(tmp_path / "build" / "net_example").splitlines() == first_lines(IRIS)[:2]
    run("cmake", "--install", tmp_path / "build", "--prefix", tmp_path / "there")

    user = tmp_path / "user"
    user.mkdir()
    (user / "main.c").write_text("#include <net.h>\nint main(void) { return NET_CLASSES - 3; }\n")
    (user / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.14)\nproject(user C)\nfind_package(net REQUIRED)\n"
        "add_executable(user main.c)\ntarget_link_libraries(user PRIVATE net::net)\n"
        "message(STATUS ${NET_MODEL_ID})\n"
    )
    build(user, tmp_path / "built", f"-DCMAKE_PREFIX_PATH={tmp_path / 'there'}")
    run(tmp_path / "built" / "user")


@pytest.mark.campaign
@pytest.mark.parametrize("model", [IRIS, REGRESSION, GRADED])
@pytest.mark.parametrize("dtype", ["double", "float"])
def test_another_project_fetches_the_archive(model, dtype, tmp_path):
    needs("cmake")
    source = unpacked(model, "cmake", tmp_path, dtype)
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.14)\nproject(user C)\ninclude(FetchContent)\n"
        f"FetchContent_Declare(net URL {tmp_path / 'net-cmake.zip'})\n"
        "FetchContent_MakeAvailable(net)\n"
        f"add_executable(user {source / 'examples' / 'main.c'} {source / 'src/net_selftest.c'})\n"
        "target_link_libraries(user PRIVATE net::net)\n"
    )
    build(tmp_path, tmp_path / "build")
    assert run(tmp_path / "build" / "user").splitlines()[:2] == first_lines(model)[:2]


BOARDS = {
    "zephyr": ("samples/blink", "ZEPHYR_BASE"),
    "esp-idf": ("examples/blink", "IDF_PATH"),
}


def blinks(model, package, folder, dtype="float"):
    """The example of a package, built by its own CMake files, with a stub of its platform."""
    needs("cmake")
    example, variable = BOARDS[package]
    source = unpacked(model, package, folder, dtype)
    where = {**os.environ, variable: str(STUBS / package)}
    options = ["-DCONFIG_DSGEC_NET_SELFTEST=y", "-DCONFIG_DSGEC_NET_NAMES=y"]
    build(source / example, folder / "build", *options, env=where)
    return run(folder / "build" / "app").splitlines()


@pytest.mark.parametrize("package", BOARDS)
def test_the_example_of_a_board_blinks_the_class(package, tmp_path):
    assert blinks(IRIS, package, tmp_path) == first_lines(IRIS)


@pytest.mark.campaign
@pytest.mark.parametrize("package", BOARDS)
@pytest.mark.parametrize("dtype", ["q15", "q7"])
def test_the_examples_of_boards_in_fixed_point_pass_the_self_test(package, dtype, tmp_path):
    first, name, *rest = blinks(IRIS, package, tmp_path, dtype)
    assert first == "net: the self-test passed"
    assert len(rest) == IRIS.classes.index(name) + 1


@pytest.mark.campaign
@pytest.mark.parametrize("package", BOARDS)
@pytest.mark.parametrize("model", [REGRESSION, GRADED])
@pytest.mark.parametrize("dtype", ["double", "float"])
def test_the_examples_for_boards_show_the_predictions_of_any_network(
    package, model, dtype, tmp_path
):
    assert blinks(model, package, tmp_path, dtype) == first_lines(model)


SKETCHES = {
    "arduino": "examples/blink/blink.ino",
    "platformio": "examples/blink/src/main.cpp",
}


@pytest.mark.parametrize(("package", "model"), [("arduino", IRIS), ("platformio", REGRESSION)])
def test_the_sketch_blinks_the_class(package, model, tmp_path):
    needs("g++")
    folder = unpacked(model, package, tmp_path, "float")
    stub = STUBS / "arduino"
    flags = [*STRICT.split(), "-DARDUINO=10819", f"-I{folder / 'src'}", f"-I{stub}"]
    c = [folder / "src" / "net.c", folder / "src" / "net_selftest.c"]
    sketch = ["-include", "Arduino.h", folder / SKETCHES[package], stub / "start.cpp", *c]
    run("g++", *flags, "-x", "c++", *sketch, "-o", tmp_path / "sketch")
    assert run(tmp_path / "sketch").splitlines() == first_lines(model)


MAIN = """
#include <avr/io.h>
#include <avr/interrupt.h>
#include <avr/sleep.h>
#include "net.h"
int main(void)
{
    const char *text = net_selftest() == 0 ? "passed\\n" : "failed\\n";
    UCSR0B = 1 << TXEN0;
    while (*text) {
        while (!(UCSR0A & (1 << UDRE0)))
            ;
        UDR0 = *text++;
    }
    cli();
    sleep_enable();
    sleep_cpu();
    return 0;
}
"""


@pytest.mark.parametrize("dtype", ["float", "q15"])
def test_an_atmega328_passes_the_self_test(dtype, tmp_path):
    needs("avr-gcc", "avr-size", "simavr")
    source = unpacked(IRIS, "arduino", tmp_path, dtype) / "src"
    (tmp_path / "main.c").write_text(MAIN)
    files = [tmp_path / "main.c", source / "net.c", source / "net_selftest.c"]
    flags = ["-mmcu=atmega328p", "-DF_CPU=16000000UL", "-Os", f"-I{source}", *STRICT.split()]
    elf = tmp_path / "net.elf"
    run("avr-gcc", "-std=gnu11", *flags, "-ffunction-sections", *GONE, *files, "-o", elf)
    output = run("simavr", "-m", "atmega328p", "-f", "16000000", elf, stderr_too=True)
    sections = dict(re.findall(r"^(\.\w+)\s+(\d+)", run("avr-size", "-A", elf), re.MULTILINE))

    assert "passed" in output
    # The rows of the self-test are in the flash: the numbers of their classes alone are not.
    assert int(sections[".data"]) + int(sections.get(".bss", 0)) < 100


GONE = ["-fdata-sections", "-Wl,--gc-sections"]


def test_doubles_are_refused_where_they_have_32_bits(tmp_path):
    needs("avr-gcc")
    source = unpacked(IRIS, "arduino", tmp_path) / "src"
    command = ["avr-gcc", "-mmcu=atmega328p", "-c", source / "net.c", "-o", tmp_path / "net.o"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert done.returncode != 0
    assert "export with --dtype float" in done.stderr


HARDWARE = Path("/usr/share/arduino-builder"), Path("/usr/share/arduino/hardware")


@pytest.mark.campaign
@pytest.mark.parametrize("model", [IRIS, REGRESSION, GRADED])
@pytest.mark.parametrize("dtype", ["float", "q15", "q7"])
def test_the_builder_of_arduino_makes_a_sketch_that_runs_on_an_uno(model, dtype, tmp_path):
    needs("arduino-builder", "simavr", "timeout")
    if not all(folder.exists() for folder in HARDWARE):
        pytest.skip("Arduino's core for AVR is not where Debian has it")
    unpacked(model, "arduino", tmp_path / "libraries", dtype)
    sketch = tmp_path / "libraries" / "net" / SKETCHES["arduino"]
    (tmp_path / "build").mkdir()
    run(
        *("arduino-builder", "-compile", "-fqbn", "arduino:avr:uno", "-warnings", "all"),
        *(part for folder in HARDWARE for part in ("-hardware", folder)),
        *("-tools", HARDWARE[1], "-prefs=runtime.tools.avr-gcc.path=/usr"),
        # Which the compiler of some systems does not define in C++.
        "-prefs=compiler.cpp.extra_flags=-DDECIMAL_DIG=__DECIMAL_DIG__",
        *("-libraries", tmp_path / "libraries", "-build-path", tmp_path / "build", sketch),
    )
    simulate = ["simavr", "-m", "atmega328p", "-f", "16000000", tmp_path / "build/blink.ino.elf"]
    done = subprocess.run(["timeout", "20", *simulate], capture_output=True, text=True, check=False)
    output = done.stdout + done.stderr

    assert "net: the self-test passed" in output
    number = re.search(r"([a-z]+|-?\d\.\d{6}|-?\d+)\.\.", output.split("passed")[1])
    assert number, output


@pytest.mark.campaign
@pytest.mark.parametrize("package", ["platformio", "esp-idf"])
def test_the_packer_of_a_platform_takes_the_package(package, tmp_path):
    needs({"platformio": "pio", "esp-idf": "compote"}[package])
    folder = unpacked(IRIS, package, tmp_path, "float")
    if package == "platformio":
        run("pio", "pkg", "pack", folder, "-o", tmp_path / "net.tar.gz")
        assert "[env:uno]" in (folder / "examples/blink/platformio.ini").read_text()
        assert "atmelavr" in run("pio", "project", "config", "-d", folder / "examples/blink")
    else:
        run("compote", "component", "pack", "--name", "net", "--project-dir", folder)


def test_the_manifest_of_platformio_names_files_that_are_there(tmp_path):
    folder = unpacked(IRIS, "platformio", tmp_path, "float")
    manifest = json.loads((folder / "library.json").read_text())
    (example,) = manifest["examples"]

    assert (folder / "src" / manifest["headers"]).exists()
    assert all((folder / example["base"] / file).exists() for file in example["files"])
    assert len(manifest["version"]) <= 50  # as the registry has it


def test_the_properties_of_the_arduino_library_are_complete(tmp_path):
    folder = unpacked(IRIS, "arduino", tmp_path, "float")
    lines = (folder / "library.properties").read_text().splitlines()
    found = dict(line.split("=", 1) for line in lines)

    assert re.fullmatch(r"\d+\.\d+\.\d+\+[0-9a-f]{32}\.float", found["version"])
    wanted = "name version author maintainer sentence paragraph category url architectures includes"
    assert list(found) == wanted.split()
    words = [line.split("\t")[0] for line in (folder / "keywords.txt").read_text().splitlines()]
    header = (folder / "src" / "net.h").read_text()
    assert all(word in header for word in words)


@pytest.mark.parametrize("package", ["zephyr", "esp-idf"])
def test_the_options_of_a_platform_are_those_that_the_build_reads(package, tmp_path):
    folder = unpacked(IRIS, package, tmp_path)
    kconfig = folder / ("zephyr/Kconfig" if package == "zephyr" else "Kconfig")
    defined = set(re.findall(r"^config (\w+)", kconfig.read_text(), re.MULTILINE))
    used = set(re.findall(r"CONFIG_(\w+)", (folder / "CMakeLists.txt").read_text()))

    assert used == defined


@pytest.mark.campaign
@pytest.mark.parametrize("package", ["arduino", "platformio", "zephyr", "esp-idf", "cmake"])
@pytest.mark.parametrize("dtype", ["double", "float", "q15", "q7"])
def test_the_sources_of_every_package_compile_for_a_cortex_m0(package, dtype, tmp_path):
    needs("arm-none-eabi-gcc")
    source = unpacked(IRIS, package, tmp_path, dtype) / "src"
    flags = ["-mcpu=cortex-m0plus", "-mthumb", "-Os", "-std=c99", *STRICT.split(), f"-I{source}"]
    for file in ("net.c", "net_selftest.c"):
        run("arm-none-eabi-gcc", *flags, "-c", source / file, "-o", tmp_path / "net.o")
