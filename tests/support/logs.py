"""Logs of samples for tests: walks that have nothing to do with their class, and gestures."""

import math
import random


def walk_log(recordings=9, samples=300, *, classes="abc", names=True, seed=0):
    """A random walk of three channels: neighbouring rows are alike, and the class is by chance."""
    draw = random.Random(seed)
    lines = ["time_ms,ax,ay,az," + ("recording," if names else "") + "class"]
    time = 0
    for number in range(recordings):
        place = [draw.gauss(0, 3) for _ in range(3)]
        for _ in range(samples):
            place = [value + draw.gauss(0, 1) for value in place]
            cells = [str(time), *(f"{value:.4f}" for value in place)]
            cells += [f"r{number}"] * names + [classes[number % len(classes)]]
            lines.append(",".join(cells))
            time += 20
        time += 60_000
    return "\n".join(lines) + "\n"


def gesture_log(recordings=8, samples=320, *, seed=0, rate=50, start=0):
    """Whole numbers of a sensor at rest, or shaken at 2 or 5 Hz, by recordings of all three."""
    draw = random.Random(seed)
    lines = ["time_ms,ax,ay,az,recording,gesture"]
    for number in range(start, start + recordings):
        for part, (gesture, hertz) in enumerate((("rest", 0), ("slow", 2), ("fast", 5))):
            for i in range(samples // 3):
                at = (part * (samples // 3) + i) / rate
                swing = 3000 * math.sin(2 * math.pi * hertz * at + number) if hertz else 0
                axes = [swing, 0.5 * swing, 8000 - 0.3 * swing]
                cells = [str(round(value + draw.gauss(0, 120))) for value in axes]
                lines.append(f"{round(1000 * at)},{','.join(cells)},p{number},{gesture}")
    return "\n".join(lines) + "\n"
