"""The chips and the bytes of flash at which methods are compared."""

CHIPS = {"cortex-m0plus": "Cortex-M0+", "avr": "ATmega328"}
BUDGETS = (256, 512, 1024, 2048, 4096, 8192)
