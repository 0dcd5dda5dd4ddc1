/* How a search with learning draws new choices: dsgec/grammar/genome/constants.py. */
#ifndef DSGEC_GROWTH_C
#define DSGEC_GROWTH_C
#include "arithmetic.h"
#include "grammar.h"
#include "random.h"

static inline int makes_weights(int32_t rule) {
    return numeral_lists[rule].count > 0;
}

/* Return the rank of the nearest numeral; of two, the lower. */
static int32_t nearest(int32_t rule, double wanted) {
    const double *values = numeral_values + numeral_lists[rule].first;
    int32_t low = 0, high = numeral_lists[rule].count;
    double share = (wanted - values[0]) / (values[high - 1] - values[0]);
    if (share > 0.0 && share < 1.0) { /* numerals are often evenly spaced */
        int32_t guess = (int32_t)(share * (double)(high - 1) + 0.5);
        int32_t next = guess + (values[guess] < wanted);
        if (next > 0 && next < high && values[next - 1] < wanted && !(values[next] < wanted)) {
            return next - !(values[next] - wanted < wanted - values[next - 1]);
        }
    }
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (values[middle] < wanted) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low == 0) {
        return 0;
    }
    if (low == numeral_lists[rule].count) {
        return low - 1;
    }
    return values[low] - wanted < wanted - values[low - 1] ? low : low - 1;
}

/* Draw from the standard normal distribution. */
static double gaussian(Stream *random) {
    double radius = (double)((word(random) >> 11) + 1) * 0x1p-53;
    double angle = (double)(word(random) >> 11) * 0x1p-53;
    return dsgec_sqrt(-2.0 * dsgec_log(radius)) * dsgec_cos(6.283185307179586 * angle);
}

static int32_t new_weight(int32_t rule, Stream *random) {
    return nearest(rule, SPREAD * gaussian(random));
}

/* Draw an alternative that is not equal to `without`; a deeper one with probability `growth`. */
static int32_t grow_option(int32_t rule, int32_t level, const Branch *without, double growth,
                           Stream *random) {
    const Room *room = &rooms[rules[rule].first_room + level];
    const int32_t *allowed = options + room->first_option;
    const Branch *first = branches + rules[rule].first_production;
    int32_t count[2] = {0, 0}, i, index;
    int wanted = -1;
    for (i = 0; i < room->options; i++) {
        const Branch *branch = first + allowed[i];
        if (without == NULL || branch->twin != without->twin) {
            count[branch->deeper]++;
        }
    }
    if (count[0] > 0 && count[1] > 0) {
        wanted = chance(random, growth);
    }
    index = below(random, wanted < 0 ? count[0] + count[1] : count[wanted]);
    for (i = 0;; i++) {
        const Branch *branch = first + allowed[i];
        if ((without == NULL || branch->twin != without->twin) &&
            (wanted < 0 || branch->deeper == wanted) && index-- == 0) {
            return allowed[i];
        }
    }
}

static int32_t grow_choice(int32_t rule, int32_t level, double growth, Stream *random) {
    return makes_weights(rule) ? new_weight(rule, random)
                           : grow_option(rule, level, NULL, growth, random);
}
#endif
