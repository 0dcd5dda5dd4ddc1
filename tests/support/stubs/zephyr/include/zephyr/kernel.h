/* Stands for Zephyr's: the first second of the program, on a computer. */
#include <stdio.h>
#include <stdlib.h>
#define printk printf
static inline void k_msleep(int milliseconds)
{
    if (milliseconds == 1000)
        exit(0);
}
