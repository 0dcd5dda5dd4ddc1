/* Stands for Zephyr's: the first second of the program, on a computer. */
#include <stdio.h>
#include <stdlib.h>
#define printk printf
static inline void k_msleep(int milliseconds)
{
    if (milliseconds == 1000)
        exit(0);
}
#define BUILD_ASSERT(test, message) _Static_assert(test, message)
#define ARRAY_SIZE(array) (sizeof(array) / sizeof *(array))
#define K_USEC(n) (n)
struct k_timer { int period; };
#define k_timer_init(timer, expired, stopped) ((timer)->period = 0)
#define k_timer_start(timer, first, each) ((timer)->period = (each))
#define k_timer_status_sync(timer) ((void)(timer)->period)
