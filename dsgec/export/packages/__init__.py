"""Archives that tools install, made from the files of a target: a line here, and one in `registry`.

What an archive holds besides the files of its target is printed from the templates in
`templates/packages/`, in a folder of the package's name that is laid out as the archive is.
"""

DESCRIPTIONS = {
    "arduino": "a library for the Arduino IDE",
    "platformio": "a library for PlatformIO",
    "zephyr": "a module for Zephyr",
    "esp-idf": "a component for ESP-IDF",
    "cmake": "a CMake project, for find_package and FetchContent",
    "micropython": "a module for MicroPython",
    "wheel": "what pip installs, of the target cffi",
}
