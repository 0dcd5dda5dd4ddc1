"""The table of packages by name."""

from collections.abc import Mapping
from functools import partial

from dsgec.errors import mention
from dsgec.export.packages.layout import layout, wheel_entries, wheel_file
from dsgec.export.packages.micropython import MICROPYTHON
from dsgec.export.packages.package import Package
from dsgec.export.targets.target import TARGETS, Target

_C = TARGETS["c"]
# Headers that sketches include, in lower case, for file systems that ignore case.
_ARDUINO_HEADERS = "arduino eeprom ethernet keyboard mouse sd servo spi stepper wifi wire"
# Components of ESP-IDF, which a component of the same name in a project would replace.
_IDF_COMPONENTS = """
    bootloader bt cmock console cxx driver efuse freertos hal heap idf_test json log lwip main
    mbedtls mqtt newlib nvs_flash openthread partition_table perfmon protobuf protocomm pthread
    riscv rt sdmmc soc spi_flash spiffs ulp unity usb vfs wpa_supplicant xtensa
"""
_CMAKE_TARGETS = """
    all clean depend edit_cache help install package package_source preinstall rebuild_cache test
"""
# Modules of MicroPython's ports and library, which an import finds first, and files that it runs.
_MICROPYTHON_MODULES = """
    aioble aiorepl apa106 bdev binascii bluetooth boot btree cryptolib deflate dht
    ds18x20 errno esp esp32 espnow flashbdev framebuf gc inisetup js lcd160cr lora lwip machine main
    micropython mip mpr121 neopixel network nrf ntptime onewire openamp port_diag pyb requests rp2
    samd senml stm ssd1306 uarray uasyncio ubinascii ubluetooth ucollections ucryptolib uctypes
    uerrno uhashlib uheapq uio ujson umachine umqtt unittest uos uplatform upysh urandom ure
    urequests uselect usocket ussl ustruct usys utime uwebsocket uzlib vfs webrepl
    webrepl_setup websocket wipy zephyr
"""
_ON_AVR = (
    "note: on AVR boards (Uno, Nano, Mega) a double has 32 bits, and this package does not compile"
    f" there; use {mention('dtype', 'float')} or q15 for them"
)


def _archive(
    kind: str,
    known_by: str,
    target: Target = _C,
    folder: str = "src/",
    taken: str = "",
    notes: Mapping[str, str] | None = None,
) -> Package:
    """Return a package whose other files are printed from the templates of its kind."""
    return Package(
        target,
        lambda artefact: f"{artefact.name}-{kind}.zip",
        partial(layout, kind, target, folder),
        known_by,
        taken=frozenset(taken.split()),
        notes=notes or {},
    )


PACKAGES: dict[str, Package] = {
    "arduino": _archive(
        "arduino", "/library.properties", taken=_ARDUINO_HEADERS, notes={"double": _ON_AVR}
    ),
    "platformio": _archive(
        "platformio", "/library.json", taken=_ARDUINO_HEADERS, notes={"double": _ON_AVR}
    ),
    "zephyr": _archive("zephyr", "/zephyr/module.yml"),
    "esp-idf": _archive("esp-idf", "/idf_component.yml", taken=_IDF_COMPONENTS),
    "cmake": _archive("cmake", "-config.cmake.in", taken=_CMAKE_TARGETS),
    "micropython": _archive(
        "micropython", "/package.json", MICROPYTHON, "", taken=_MICROPYTHON_MODULES
    ),
    "wheel": Package(TARGETS["cffi"], wheel_file, wheel_entries, ".dist-info/WHEEL", suffix=".whl"),
}


def maker_of(name: str) -> Target | Package:
    """Return the target or the package of this name."""
    return PACKAGES[name] if name in PACKAGES else TARGETS[name]


def package_notes(packages: tuple[str, ...], dtype: str) -> list[str]:
    """Return notes for users who make these packages of a type."""
    notes = (PACKAGES[package].notes.get(dtype) for package in packages)
    return list(dict.fromkeys(note for note in notes if note))
