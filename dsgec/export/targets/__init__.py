"""Targets: the languages and formats that an artefact can be exported to.

A target is a folder here, a folder of templates in `templates/`, and a line below. The folder
defines `TARGET`, as `target.py` describes it.
"""

DESCRIPTIONS = {
    "c": "C99, which needs no library",
    "python": "a module that needs nothing but Python",
    "numpy": "a module that needs only numpy",
    "cffi": "a compiled package, the fastest for Python",
    "js": "a JavaScript module for browsers and Node",
    "wasm": "a WebAssembly module and its loader",
    "rust": "a crate without dependencies, not even std",
    "java": "a package that needs no other",
    "go": "a module that needs only the standard library",
    "verilog": "a pipeline for FPGAs, in fixed point",
    "onnx": "a model for ONNX runtimes",
}
