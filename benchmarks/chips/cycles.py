"""The disassembly of an image to the cycles of each of its instructions.

A simulator that knows no cycles says which blocks of instructions ran; this says what they took, by
the tables of the manuals: of the Cortex-M0+ (ARM DDI 0484, table 3-1, with the multiplier of one
cycle), of the Cortex-M4 with its float unit (ARM DDI 0439, tables 3-1 and 7-1) and, for RV32IMC,
of a core as simple as Ibex with its default multiplier. Memory answers at once.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

_LINE = re.compile(r"^\s*([0-9a-f]+):\t([0-9a-f ]+?)\s*\t([a-z0-9_.]+)(?:\s+(.*))?$")
_REGISTERS = re.compile(r"\{(.*)\}")
_RANGE = re.compile(r"([rs])(\d+)-[rs](\d+)")


@dataclass(frozen=True, slots=True)
class Instruction:
    """One line of a disassembly; `operands` are as it writes them."""

    address: int
    size: int
    name: str
    operands: str

    @property
    def registers(self) -> int:
        """How many a list of registers has."""
        listed = _REGISTERS.search(self.operands)
        parts = listed[1].split(",") if listed else []
        ranges = (_RANGE.match(part.strip()) for part in parts)
        return sum(int(r[3]) - int(r[2]) + 1 if r else 1 for r in ranges)


@dataclass(frozen=True, slots=True)
class Cycles:
    """What an instruction takes, and how much more where it jumps."""

    always: int
    jumping: int = 0


Rule = Callable[[Instruction, Instruction | None], Cycles]


def disassembly(text: str) -> dict[int, Instruction]:
    """The instructions of what objdump prints, by their addresses."""
    found: dict[int, Instruction] = {}
    for line in text.splitlines():
        if part := _LINE.match(line):
            digits = part[2].replace(" ", "")
            name = part[3].removesuffix(".n").removesuffix(".w")
            operands = (part[4] or "").split("@")[0].split("#")
            address = int(part[1], 16)
            found[address] = Instruction(
                address, len(digits) // 2, name, "#".join(operands).strip()
            )
    return found


_BRANCH = re.compile(r"b(eq|ne|cs|cc|mi|pl|vs|vc|hi|ls|ge|lt|gt|le|hs|lo)$")


def cortex_m0plus(own: Instruction, before: Instruction | None) -> Cycles:
    """ARM DDI 0484C, table 3-1."""
    name = own.name
    if name in {"push", "ldmia", "stmia", "ldm", "stm"}:
        return Cycles(1 + own.registers)
    if name == "pop":
        return Cycles((3 if "pc" in own.operands else 1) + own.registers)
    if name.startswith(("ldr", "str")):
        return Cycles(2)
    if _BRANCH.match(name):
        return Cycles(1, 1)
    if name in {"b", "bx", "blx"}:
        return Cycles(2)
    if name == "bl":
        return Cycles(3)
    writes_pc = name in {"mov", "add"} and own.operands.startswith("pc")
    return Cycles(2 if writes_pc else 1)


_REFILL = 2  # of the pipeline; 1 to 3 by the manual
_SINGLE = ("ldr", "str", "vldr", "vstr")
_FLOAT = ("vadd", "vsub", "vmul", "vneg", "vabs", "vdiv", "vsqrt", "vcvt")


def cortex_m4f(own: Instruction, before: Instruction | None) -> Cycles:
    """ARM DDI 0439B, tables 3-1 and 7-1."""
    waits = 1 if before is not None and _reads_result(own, before) else 0
    return Cycles(_m4(own, before).always + waits, _m4(own, before).jumping)


def _reads_result(own: Instruction, before: Instruction) -> bool:
    """Whether a result of the float unit is read by the very next instruction."""
    if not before.name.startswith(_FLOAT):
        return False
    result, *_ = before.operands.split(",")
    _, *read = re.split(r"[, {}\[\]]+", own.operands)
    stores = own.name.startswith(("vstr", "vcmp", "vmov")) and own.operands.startswith(result + ",")
    return result in read or stores


def _m4(own: Instruction, before: Instruction | None) -> Cycles:
    name = own.name
    if name in {"push", "vpush", "vpop"} or name.startswith(("ldm", "stm", "vldm", "vstm")):
        jumps = _REFILL if "pc" in own.operands else 0
        return Cycles(1 + own.registers + jumps)
    if name == "pop":
        return Cycles(1 + own.registers + (_REFILL if "pc" in own.operands else 0))
    if name.startswith(_SINGLE):
        follows = before is not None and before.name.startswith(_SINGLE)
        double = 1 if name.startswith(("ldrd", "strd")) else 0
        return Cycles((1 if follows else 2) + double)
    if name.startswith(("vdiv", "vsqrt")):
        return Cycles(14)
    if name.startswith(("vmla", "vmls", "vfma", "vfms", "vnmla")):
        return Cycles(3)
    if name.startswith(("mla", "mls")):
        return Cycles(2)
    if name.startswith(("udiv", "sdiv")):
        return Cycles(7)  # 2 to 12 by the manual
    if name in {"cbz", "cbnz"} or _BRANCH.match(name):
        return Cycles(1, _REFILL)
    if name in {"b", "bl", "bx", "blx"} or own.operands.startswith("pc"):
        return Cycles(1 + _REFILL)
    if name in {"tbb", "tbh"}:
        return Cycles(2 + _REFILL)
    return Cycles(1)


def rv32imc(own: Instruction, before: Instruction | None) -> Cycles:
    """As the manual of Ibex has it for two stages and the multiplier of several cycles."""
    name = own.name.removeprefix("c.")
    if name in {"lw", "lh", "lhu", "lb", "lbu", "sw", "sh", "sb", "lwsp", "swsp"}:
        return Cycles(2)
    if name.startswith("mulh"):
        return Cycles(4)
    if name == "mul":
        return Cycles(3)
    if name.startswith(("div", "rem")):
        return Cycles(37)
    if name in {"j", "jal", "jalr", "jr", "ret", "call", "tail"}:
        return Cycles(2)
    return Cycles(1, 2) if name.startswith("b") else Cycles(1)


RULES: dict[str, Rule] = {
    "cortex-m0plus": cortex_m0plus,
    "cortex-m4f": cortex_m4f,
    "rv32imc": rv32imc,
}
