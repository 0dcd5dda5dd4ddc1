/* An ATmega328P in simavr whose ADC measures a recording: board IMAGE CHANNELS < numbers.
 *
 * The numbers, from 0 to 1023, are those of the samples, channel by channel. What the USART sends
 * goes to the standard output; the cycles at which samples begin go to the standard error.
 */
#include <simavr/avr_adc.h>
#include <simavr/avr_uart.h>
#include <simavr/sim_avr.h>
#include <simavr/sim_elf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static int channels, measured, ended;

static void silent(struct avr_t *avr, const int level, const char *format, va_list arguments)
{
    (void)avr, (void)level, (void)format, (void)arguments;
}

static void sent(struct avr_irq_t *irq, uint32_t value, void *param)
{
    (void)irq, (void)param;
    putchar((int)value);
}

static void measures(struct avr_irq_t *irq, uint32_t value, void *param)
{
    avr_t *avr = param;
    avr_adc_mux_t mux = *(avr_adc_mux_t *)&value;
    int number, millivolts = 0;
    (void)irq;
    if (scanf("%d", &number) != 1) {
        ended = 1;
        return;
    }
    if (measured++ % channels == 0)
        fprintf(stderr, "%llu\n", (unsigned long long)avr->cycle);
    while (millivolts * 1023 / 5000 < number)
        millivolts++;
    avr_raise_irq(avr_io_getirq(avr, AVR_IOCTL_ADC_GETIRQ, ADC_IRQ_ADC0 + mux.src),
                  (uint32_t)millivolts);
}

int main(int count, char **arguments)
{
    elf_firmware_t image = { 0 };
    avr_t *avr = avr_make_mcu_by_name("atmega328p");
    uint32_t flags = 0;
    avr_global_logger_set(silent);
    if (count != 3 || !avr || elf_read_firmware(arguments[1], &image) != 0)
        return 1;
    channels = atoi(arguments[2]);
    avr_init(avr);
    avr_load_firmware(avr, &image);
    avr->frequency = 16000000;
    avr->vcc = avr->avcc = 5000;
    avr_ioctl(avr, AVR_IOCTL_UART_GET_FLAGS('0'), &flags);
    flags &= ~(uint32_t)AVR_UART_FLAG_STDIO;
    avr_ioctl(avr, AVR_IOCTL_UART_SET_FLAGS('0'), &flags);
    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_OUTPUT), sent, avr);
    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_ADC_GETIRQ, ADC_IRQ_OUT_TRIGGER), measures, avr);
    while (!ended)
        if (avr_run(avr) == cpu_Crashed)
            return 2;
    return 0;
}
