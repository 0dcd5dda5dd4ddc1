"""A log of a machine: consecutive recordings, whose sensors do not depend on their class."""

import numpy as np


def make_log(seed: int = 1, rows: int = 60, *, with_recording: bool = True) -> str:
    """Return nine recordings of random classes, three of each, with drifting sensors."""
    random = np.random.RandomState(seed)
    classes = random.permutation(np.repeat(["idle", "ok", "worn"], 3))
    lines = ["time,recording,current,temperature,vibration,state"]
    time = 100.0
    for number, state in enumerate(classes, 1):
        temperature, current = 20 + 5 * random.randn(), 2 + 0.5 * random.randn()
        for _ in range(rows):
            time += 0.5
            temperature += 0.05 * random.randn()
            current += 0.01 * random.randn()
            cells = (f"{time:g}", f"rec{number}", f"{current:.4f}", f"{temperature:.3f}")
            lines.append(",".join((*cells, f"{random.rand():.4f}", str(state))))
        time += 300
    if not with_recording:
        lines = [",".join(line.split(",")[:1] + line.split(",")[2:]) for line in lines]
    return "\n".join(lines) + "\n"
