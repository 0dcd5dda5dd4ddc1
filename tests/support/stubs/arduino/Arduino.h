/* Stands for the Arduino core: the first second of the sketch, on a computer. */
#pragma once
#include <cstdio>
#include <cstdlib>
#define F(text) text
enum { LOW, HIGH, OUTPUT, A0, A1, A2 };
#define LED_BUILTIN 13
struct Port {
    void begin(long) {}
    void print(const char *text) { std::printf("%s", text); }
    void println(const char *text) { std::printf("%s\n", text); }
    void println(int value) { std::printf("%d\n", value); }
    void println(double value, int digits) { std::printf("%.*f\n", digits, value); }
};
static __attribute__((unused)) Port Serial;
#ifdef MEASURED
#include "../recording.h"
inline int analogRead(int) { return next_measured(); }
#else
inline int analogRead(int) { return 0; }
#endif
inline unsigned long micros() { static unsigned long now; return now += 100; }
inline void pinMode(int, int) {}
inline void digitalWrite(int, int level)
{
    if (level == HIGH)
        std::puts("blink");
}
inline void delay(int milliseconds)
{
    if (milliseconds == 1000)
        std::exit(0);
}
