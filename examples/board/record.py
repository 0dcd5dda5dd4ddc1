"""Print what the sensors of a pump say, as CSV: this stands for a logger on the real machine.

python record.py          600 labelled readings, to learn from
python record.py faults   900 readings, half of them of a healthy pump: the shipped table `pump`
python record.py live     readings of a pump that is blocked and later runs dry, without labels
"""

import sys

import numpy as np

# How much of the current, the pressure and the vibration of a healthy pump each state has.
STATES = {"ok": (1.0, 1.0, 1.0), "blocked": (1.25, 1.3, 1.4), "dry": (0.7, 0.6, 1.4)}
random = np.random.default_rng(1)


def reading(state):
    """Speed, current, pressure and vibration: at another speed all of them are others."""
    current, pressure, vibration = STATES[state] * random.normal(1, 0.1, 3)
    speed = random.uniform(0.4, 1)
    return (
        f"{3000 * speed:.0f}",
        f"{(0.5 + 2.5 * speed**3) * current:.2f}",
        f"{4 * speed**2 * pressure:.2f}",
        f"{(10 + 40 * speed**2) * vibration:.1f}",
    )


if sys.argv[1:] == ["live"]:
    for state, count in [("ok", 20), ("blocked", 15), ("ok", 15), ("dry", 15)]:
        for _ in range(count):
            print(*reading(state), sep=",")
elif sys.argv[1:] == ["faults"]:
    print("speed_rpm,current_A,pressure_bar,state")  # a cheaper one, that does not feel vibration
    for state in random.choice(["ok", "ok", "blocked", "dry"], 900):
        print(*reading(state)[:3], "ok" if state == "ok" else "fault", sep=",")
else:
    print("speed_rpm,current_A,pressure_bar,vibration_mg,state")
    for state in STATES:
        for _ in range(200):
            print(*reading(state), state, sep=",")
