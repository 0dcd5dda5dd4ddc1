/* The functions of the core: time by Timer 1, which counts half microseconds, and the first USART. */
#include "Arduino.h"

Port Serial;

unsigned long micros(void)
{
    static uint16_t last;
    static uint32_t halves;
    const uint16_t now = TCNT1;
    halves += (uint16_t)(now - last);
    last = now;
    return halves >> 1;
}

int analogRead(uint8_t pin)
{
    ADMUX = 1 << REFS0 | (pin - A0);
    ADCSRA |= 1 << ADSC;
    while (ADCSRA & 1 << ADSC)
        ;
    return ADC;
}

void pinMode(uint8_t, uint8_t mode) { DDRB = mode ? 1 << DDB5 : 0; }
void digitalWrite(uint8_t, uint8_t level) { PORTB = level ? 1 << PORTB5 : 0; }

void delay(unsigned long milliseconds)
{
    const unsigned long begin = micros();
    while (micros() - begin < 1000 * milliseconds)
        ;
}

void Port::begin(unsigned long baud)
{
    UCSR0A = 1 << U2X0;
    UBRR0 = (uint16_t)(F_CPU / 8 / baud - 1);
    UCSR0B = 1 << TXEN0;
}

void Port::print(const char *text)
{
    for (; *text; text++) {
        while (!(UCSR0A & 1 << UDRE0))
            ;
        UDR0 = *text;
    }
}

void Port::println(const char *text)
{
    print(text);
    print("\n");
}

void Port::println(int value)
{
    char digits[7];
    println(itoa(value, digits, 10));
}

int main(void)
{
    TCCR1B = 1 << CS11;
    ADCSRA = 1 << ADEN | 7;
    setup();
    for (;;)
        loop();
}
