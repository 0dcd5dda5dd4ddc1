"""Print what an accelerometer on a wrist says, as CSV: this stands for a logger on the real board.

python record.py         12 recordings of three gestures, with labels, to learn from
python record.py live    one more recording, without labels
"""

import sys

import numpy as np

RATE = 50  # samples in a second
GESTURES = "circle", "rest", "shake"
is_live = sys.argv[1:] == ["live"]
random = np.random.default_rng(99 if is_live else 5)


def samples(gesture, strength, speed, count):
    """Return the acceleration of a gesture along three axes, in g."""
    t = np.arange(count) / RATE
    turn = 2 * np.pi * speed * t + random.uniform(0, 2 * np.pi)
    axes = np.zeros((count, 3))
    if gesture == "circle":
        axes[:, 0], axes[:, 1] = strength * np.cos(turn), strength * np.sin(turn)
    elif gesture == "shake":
        axes[:, 0], axes[:, 1] = 1.2 * strength * np.sin(2.6 * turn), 0.2 * np.sin(2.6 * turn)
    else:
        axes[:, 0] = 0.05 * np.sin(turn / 20)
    return axes + random.normal(0, 0.12, axes.shape)


print("ax,ay,az" if is_live else "recording,time_ms,ax,ay,az,gesture")
for recording in range(1 if is_live else 12):
    # Nobody wears it in quite the same way, or is as strong and as fast as another.
    worn = random.normal((0, 0, 1), 0.15)
    strength, speed = random.uniform(0.7, 1.4), random.uniform(1.6, 2.4)
    time = 0
    for part in range(9):
        gesture = GESTURES[(part + recording) % 3]
        for values in worn + samples(gesture, strength, speed, random.integers(130, 220)):
            row = [f"{value:.3f}" for value in values]
            print(*(row if is_live else [recording, time, *row, gesture]), sep=",")
            time += 1000 // RATE
