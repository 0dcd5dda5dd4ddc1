/* A small Arduino core for the ATmega328P at 16 MHz: what the examples call, on its registers. */
#pragma once
#include <avr/io.h>
#include <avr/pgmspace.h>
#include <stdint.h>
#include <stdlib.h>
#define F(text) text
#define LED_BUILTIN 13
enum { LOW, HIGH };
enum { INPUT, OUTPUT };
enum { A0 = 14, A1, A2, A3, A4, A5 };

unsigned long micros(void);
int analogRead(uint8_t pin);
void pinMode(uint8_t pin, uint8_t mode);
void digitalWrite(uint8_t pin, uint8_t level);
void delay(unsigned long milliseconds);
void setup(void);
void loop(void);

struct Port {
    void begin(unsigned long baud);
    void print(const char *text);
    void println(const char *text);
    void println(int value);
};
extern Port Serial;
