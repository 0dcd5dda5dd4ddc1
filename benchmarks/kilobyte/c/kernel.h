/* What the loops over packed tables share: tables stay in the flash of an AVR, too. */
#ifndef KERNEL_H
#define KERNEL_H
#include <stdint.h>
#ifdef __AVR__
#include <avr/pgmspace.h>
#define READ8(at) ((int8_t)pgm_read_byte(at))
#define READ16(at) ((int16_t)pgm_read_word(at))
#else
#define PROGMEM
#define READ8(at) (*(at))
#define READ16(at) (*(at))
#endif
#if COLUMNS > 255
typedef uint16_t column_count;
#else
typedef uint8_t column_count;
#endif
#endif
