/* Stands for Zephyr's: a LED that is a line of text. */
#include <stdio.h>
#define DT_ALIAS(name) name
#define DT_NODE_HAS_STATUS(node, status) 1
#define GPIO_DT_SPEC_GET(node, property) { 0 }
#define GPIO_OUTPUT_INACTIVE 0
struct gpio_dt_spec { int pin; };
static inline void gpio_pin_configure_dt(const struct gpio_dt_spec *led, int flags)
{
    (void)led, (void)flags;
}
static inline void gpio_pin_set_dt(const struct gpio_dt_spec *led, int on)
{
    (void)led;
    if (on)
        puts("blink");
}
