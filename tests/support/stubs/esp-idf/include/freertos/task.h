/* Stands for FreeRTOS: the first second of the program, on a computer. */
#include <stdlib.h>
static inline void vTaskDelay(int ticks)
{
    if (ticks == 100)
        exit(0);
}
