/* Calls one function of an image of the ATmega328P for rows, in simavr, which counts cycles.
 *
 * avr FLASH RAM ADDRESS ROW_BYTES RESULT_BYTES: the first two are files with what the memories hold.
 * Rows come from the standard input; a line goes out for each: what the function gives, the deepest
 * byte of the stack, cycles, and the digits of the result's bytes.
 */
#include <simavr/sim_avr.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAINT = 0xa5, RAM = 0x100 };

avr_flashaddr_t avr_run_one(avr_t *avr);

static size_t load(const char *path, uint8_t *to, size_t most)
{
    FILE *file = fopen(path, "rb");
    size_t size = file ? fread(to, 1, most, file) : 0;
    if (file)
        fclose(file);
    return size;
}

int main(int count, char **arguments)
{
    avr_t *avr = avr_make_mcu_by_name("atmega328p");
    uint8_t flash[1 << 15], *data;
    size_t size, constants, row_bytes, result_bytes, i;
    uint16_t row, result, top;
    avr_flashaddr_t start, back;
    if (count != 6 || !avr)
        return 1;
    avr->log = LOG_NONE;
    avr_init(avr);
    size = load(arguments[1], flash, sizeof flash);
    avr_loadcode(avr, flash, (uint32_t)size, 0);
    data = avr->data;
    top = avr->ramend;
    back = avr->flashend & ~1u;
    start = (avr_flashaddr_t)strtoul(arguments[3], NULL, 0);
    row_bytes = strtoul(arguments[4], NULL, 0);
    result_bytes = strtoul(arguments[5], NULL, 0);
    constants = load(arguments[2], data + RAM, top - RAM);
    row = (uint16_t)(RAM + constants);
    result = (uint16_t)(row + row_bytes);
    memset(data + result, PAINT, top - result + 1);
    while (fread(data + row, 1, row_bytes, stdin) == row_bytes) {
        const avr_cycle_count_t before = avr->cycle;
        uint16_t deepest = (uint16_t)(result + result_bytes);
        memset(data + deepest, PAINT, top - deepest + 1);
        data[24] = row & 255, data[25] = row >> 8;
        data[22] = result & 255, data[23] = result >> 8;
        data[1] = 0; /* as compiled code expects it */
        data[top] = back >> 1 & 255, data[top - 1] = back >> 9 & 255;
        data[R_SPL] = (top - 2) & 255, data[R_SPH] = (top - 2) >> 8;
        avr->pc = start;
        avr->state = cpu_Running;
        while (avr->pc != back && avr->state == cpu_Running)
            avr->pc = avr_run_one(avr);
        if (avr->state != cpu_Running)
            return 2;
        while (deepest <= top && data[deepest] == PAINT)
            deepest++;
        printf("%d %d %llu ", (int16_t)(data[24] | data[25] << 8), top - deepest + 1,
               (unsigned long long)(avr->cycle - before));
        for (i = 0; i < result_bytes; i++)
            printf("%02x", data[result + i]);
        putchar('\n');
    }
    return 0;
}
