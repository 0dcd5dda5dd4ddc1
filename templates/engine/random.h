/* The random stream of one individual: SplitMix64, as in dsgec/random.py. */
#ifndef DSGEC_RANDOM_H
#define DSGEC_RANDOM_H
#include "platform.h"

typedef struct {
    uint64_t state;
} Stream;

static const uint64_t GAMMA = UINT64_C(0x9E3779B97F4A7C15);

static inline uint64_t mix(uint64_t z) {
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

static Stream stream(uint64_t seed, uint64_t generation, uint64_t individual) {
    Stream s;
    s.state = mix(seed + GAMMA);
    s.state = mix(s.state + generation + GAMMA);
    s.state = mix(s.state + individual + GAMMA);
    return s;
}

/* Return 64 random bits. */
static inline uint64_t word(Stream *s) {
    s->state += GAMMA;
    return mix(s->state);
}

/* Return one of 0, 1, ..., count - 1; without a choice, nothing is drawn. */
static inline int32_t below(Stream *s, int32_t count) {
    return count > 1 ? (int32_t)((word(s) >> 32) * (uint64_t)count >> 32) : 0;
}

/* Return 1 with this probability. */
static inline int chance(Stream *s, double probability) {
    return (double)(word(s) >> 11) * 0x1p-53 < probability;
}
#endif
