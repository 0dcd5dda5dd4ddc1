"""Images of Cortex-M and RISC-V in unicorn: results of calls, the stack and cycles they take."""

import itertools
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.chips.cycles import RULES, Cycles, Instruction

_PAGE = 0x1000
_IMAGE, _DATA, _STACK, _RETURN = 0x0, 0x20000000, 0x30000000, 0x40000000
_DATA_BYTES, _STACK_BYTES = 0x10000, 0x10000
_MOST_BLOCKS = 10_000_000
_PAINT = b"\xa5"


class Emulator:
    """One image of a chip, of which functions can be called."""

    def __init__(
        self,
        chip: str,
        image: Path,
        instructions: dict[int, Instruction],
        symbols: dict[str, int],
    ) -> None:
        import unicorn

        self.is_arm = chip.startswith("cortex")
        if self.is_arm:
            self.machine = unicorn.Uc(unicorn.UC_ARCH_ARM, unicorn.UC_MODE_THUMB)
        else:
            self.machine = unicorn.Uc(unicorn.UC_ARCH_RISCV, unicorn.UC_MODE_RISCV32)
        self.instructions, self.rule = instructions, RULES[chip]
        self.costs: dict[tuple[int, int], tuple[int, Cycles, int]] = {}
        self.blocks: list[tuple[int, int]] = []
        mapped: set[int] = set()
        for address, content in segments(image):
            pages = {*range(address // _PAGE, -(-(address + len(content)) // _PAGE))}
            for page in pages - mapped:
                self.machine.mem_map(page * _PAGE, _PAGE)
            mapped |= pages
            self.machine.mem_write(address, content)
        self.machine.mem_map(_DATA, _DATA_BYTES)
        self.machine.mem_map(_STACK, _STACK_BYTES)
        self.machine.mem_map(_RETURN, _PAGE)
        self.machine.hook_add(unicorn.UC_HOOK_BLOCK, self._saw)
        if self.is_arm:
            self._switch_on_the_float_unit()
        else:
            from unicorn.riscv_const import UC_RISCV_REG_GP

            self.machine.reg_write(UC_RISCV_REG_GP, symbols.get("__global_pointer$", 0))

    def _switch_on_the_float_unit(self) -> None:
        from unicorn import arm_const as arm

        access = self.machine.reg_read(arm.UC_ARM_REG_C1_C0_2)
        self.machine.reg_write(arm.UC_ARM_REG_C1_C0_2, access | (0xF << 20))
        self.machine.reg_write(arm.UC_ARM_REG_FPEXC, 0x40000000)

    def _saw(self, machine: Any, address: int, size: int, data: Any) -> None:
        self.blocks.append((address, size))
        if len(self.blocks) >= _MOST_BLOCKS:
            machine.emu_stop()

    def call(self, address: int, row: bytes, result_bytes: int) -> tuple[int, bytes, int, int]:
        """What a function of a row and a result gives: itself, the result, stack, cycles."""
        machine, result_at = self.machine, _DATA + _DATA_BYTES // 2
        machine.mem_write(_DATA, row)
        machine.mem_write(_STACK, _PAINT * _STACK_BYTES)
        stack = _STACK + _STACK_BYTES - 64
        self.blocks.clear()
        registers = self._registers()
        values = _DATA, result_at, stack, _RETURN + self.is_arm
        for register, value in zip(registers, values, strict=True):
            machine.reg_write(register, value)
        machine.emu_start(address + (1 if self.is_arm else 0), _RETURN)
        if len(self.blocks) >= _MOST_BLOCKS:
            raise RuntimeError(f"a function has not returned after {_MOST_BLOCKS} blocks")
        given = machine.reg_read(registers[0])
        used = bytes(machine.mem_read(_STACK, _STACK_BYTES - 64)).lstrip(_PAINT)
        result = bytes(machine.mem_read(result_at, result_bytes))
        return given - (1 << 32) if given >> 31 else given, result, len(used), self._cycles()

    def _registers(self) -> tuple[int, int, int, int]:
        if self.is_arm:
            from unicorn import arm_const as arm

            return (
                *(arm.UC_ARM_REG_R0, arm.UC_ARM_REG_R1),
                *(arm.UC_ARM_REG_SP, arm.UC_ARM_REG_LR),
            )
        from unicorn import riscv_const as riscv

        return (
            *(riscv.UC_RISCV_REG_A0, riscv.UC_RISCV_REG_A1),
            *(riscv.UC_RISCV_REG_SP, riscv.UC_RISCV_REG_RA),
        )

    def _cycles(self) -> int:
        """What the blocks took that ran, one after the other."""
        followed = Counter(itertools.pairwise([*self.blocks, (_RETURN, 0)]))
        total = 0
        for (block, following), count in followed.items():
            cycles, last, end = self._cost(*block)
            total += count * (cycles + (last.jumping if following[0] != end else 0))
        return total

    def _cost(self, address: int, size: int) -> tuple[int, Cycles, int]:
        if (address, size) not in self.costs:
            cycles, last, before, at = 0, Cycles(0), None, address
            while at < address + size:
                own = self.instructions[at]
                last = self.rule(own, before)
                cycles, before, at = cycles + last.always, own, at + own.size
            self.costs[address, size] = cycles, last, at
        return self.costs[address, size]


def segments(image: Path) -> list[tuple[int, bytes]]:
    """What an ELF file of 32 bits has to be loaded, by address; what it does not have is 0."""
    data = image.read_bytes()
    first = int.from_bytes(data[28:32], "little")
    size, count = (int.from_bytes(data[at : at + 2], "little") for at in (42, 44))
    found = []
    for header in range(first, first + size * count, size):
        words = [int.from_bytes(data[i : i + 4], "little") for i in range(header, header + 24, 4)]
        kind, offset, address, _, in_file, in_memory = words
        if kind == 1 and in_memory:
            found.append((address, data[offset : offset + in_file].ljust(in_memory, b"\0")))
    return found
