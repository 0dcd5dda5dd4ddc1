/* Stands for ESP-IDF's: a LED that is a line of text. */
#include <stdio.h>
#define GPIO_NUM_2 2
#define GPIO_MODE_OUTPUT 2
static inline void gpio_reset_pin(int pin) { (void)pin; }
static inline void gpio_set_direction(int pin, int mode) { (void)pin, (void)mode; }
static inline void gpio_set_level(int pin, int level)
{
    (void)pin;
    if (level)
        puts("blink");
}
