/* Stands for the firmware: rows of sensor values in, a line for each change of state out.
 *
 * The lines marked BOARD are the only ones that know that this is not a board.
 */
#include <stdio.h>  /* BOARD: no stdio */

#include "pump.h"

#define AGREEING 3 /* readings in a row that must agree before a new state is believed */

/* One value for each column of the table but the target, in its order and in its units. */
static int read_sensors(pump_real row[PUMP_FEATURES]) {
    for (int i = 0; i < PUMP_FEATURES; i++) {
        if (scanf(i ? ",%f" : "%f", &row[i]) != 1) return 0; /* BOARD: read your ADC, then scale to units */
    }
    return 1;
}

static void show(long reading, int state) {
    printf("reading %3ld: %s\n", reading, pump_class_names[state]); /* BOARD: set a LED or a relay */
}

int main(void) {
    pump_real row[PUMP_FEATURES];
    int state = -1, candidate = -1, seen = 0;

    if (pump_selftest() != 0) {
        puts("self-test failed: this build computes other bits"); /* BOARD: stay in the safe state */
        return 1;
    }
    for (long reading = 1; read_sensors(row); reading++) { /* BOARD: for ever, ten times a second */
        int now = pump_predict(row); /* the number of a class, or -1: no class */
        seen = now == candidate ? seen + 1 : 1;
        candidate = now;
        if (now >= 0 && now != state && seen >= AGREEING) {
            state = now;
            show(reading, state);
        }
    }
    return 0;
}
