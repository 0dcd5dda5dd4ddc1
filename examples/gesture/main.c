/* Stands for the firmware: a sample of three axes in, a line for each window out.
 *
 * The lines marked BOARD are the only ones that know that this is not a board.
 */
#include <stdio.h> /* BOARD: no stdio */

#include "gesture.h"

/* A sample of each channel, in the units of the log: gesture_sample needs GESTURE_QUANTISE. A sensor
 * that gives integers needs no floating point: GESTURE_SCALE_0 and the like say what they stand for. */
static int read_sample(int16_t sample[GESTURE_CHANNELS])
{
    int i;
    for (i = 0; i < GESTURE_CHANNELS; i++) {
        double value;
        if (scanf(i ? ",%lf" : "%lf", &value) != 1) /* BOARD: read the accelerometer */
            return 0;
        sample[i] = gesture_sample(i, value);
    }
    return 1;
}

int main(void)
{
    static gesture_stream stream; /* all of its state */
    int16_t sample[GESTURE_CHANNELS];
    long at;

    if (gesture_selftest() != 0) {
        puts("self-test failed: this build computes other bits"); /* BOARD: stay in a safe state */
        return 1;
    }
    scanf("%*[^\n]"); /* BOARD: there is no line with names */
    gesture_restart(&stream);
    for (at = 1; read_sample(sample); at++) { /* BOARD: for ever, GESTURE_RATE times a second */
        if (gesture_push(&stream, sample)) /* a window is complete */
            printf("%ld,%s\n", at, gesture_class_names[gesture_predict_window(&stream)]); /* BOARD: show it */
    }
    return 0;
}
