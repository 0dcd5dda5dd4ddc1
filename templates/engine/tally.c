/* Outputs and targets to the sums that metrics are made of: Tally of dsgec/search/metrics.py. */
#ifndef DSGEC_TALLY_C
#define DSGEC_TALLY_C
#include "sums.c"

enum { DIGIT = 8, DIGITS = 8 };

/* Sort by the digits from the lowest on; a digit that is the same in all is passed over. Gives
 * where the result is: in `keys` or in `other`. */
static uint64_t *sort_keys(uint64_t *keys, uint64_t *other, size_t count) {
    static const uint64_t mask = (1u << DIGIT) - 1;
    size_t starts[DIGITS][1u << DIGIT], i;
    int digit;
    memset(starts, 0, sizeof starts);
    for (i = 0; i < count; i++) {
        for (digit = 0; digit < DIGITS; digit++) {
            starts[digit][keys[i] >> (DIGIT * digit) & mask]++;
        }
    }
    for (digit = 0; digit < DIGITS; digit++) {
        size_t *start = starts[digit], before = 0;
        uint64_t *from = keys;
        if (count > 0 && start[keys[0] >> (DIGIT * digit) & mask] == count) {
            continue;
        }
        for (i = 0; i <= mask; i++) {
            size_t own = start[i];
            start[i] = before;
            before += own;
        }
        for (i = 0; i < count; i++) {
            other[start[from[i] >> (DIGIT * digit) & mask]++] = from[i];
        }
        keys = other;
        other = from;
    }
    return keys;
}

/* The order of the keys is that of the numbers; the two zeros are one. */
static inline uint64_t key_of(double value) {
    uint64_t bits = dsgec_bits(value + 0.0);
    return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

/* Sorted keys, and where those begin that are in each of equal parts of their range. */
enum { PARTS = 4096 };
typedef struct {
    const uint64_t *keys;
    size_t count, begin[PARTS + 1];
    uint64_t least, most;
    int shift;
} Ruler;

static void make_ruler(Ruler *r, const uint64_t *keys, size_t count) {
    size_t part = 0, i;
    r->keys = keys;
    r->count = count;
    r->least = keys[0];
    r->most = keys[count - 1];
    r->shift = 0;
    while ((r->most - r->least) >> r->shift >= PARTS) {
        r->shift++;
    }
    for (i = 0; i < count; i++) {
        for (; part <= (keys[i] - r->least) >> r->shift; part++) {
            r->begin[part] = i;
        }
    }
    for (; part <= PARTS; part++) {
        r->begin[part] = count;
    }
}

/* How many of the keys are less than this one, and how many less or equal, together. */
static inline size_t place_key(const Ruler *r, uint64_t key) {
    size_t low, high, equal;
    if (key < r->least) {
        return 0;
    }
    if (key > r->most) {
        return 2 * r->count;
    }
    low = r->begin[(key - r->least) >> r->shift];
    high = r->begin[((key - r->least) >> r->shift) + 1];
    while (high - low > 8) {
        size_t middle = low + (high - low) / 2;
        if (r->keys[middle] < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    while (low < r->count && r->keys[low] < key) {
        low++;
    }
    if (low == r->count || r->keys[low] != key) {
        return 2 * low;
    }
    high = r->begin[((key - r->least) >> r->shift) + 1];
    for (equal = low; high - equal > 1;) { /* the last that is equal */
        size_t middle = equal + (high - equal) / 2;
        if (r->keys[middle] == key) {
            equal = middle;
        } else {
            high = middle;
        }
    }
    return low + equal + 1;
}

/* Twice the sum of the ranks of the rows of a class by a column, where equals share their mean. */
static int64_t sum_ranks(const dsgec_engine_tally *t, int64_t column, int64_t class_number) {
    const double *scores = t->outputs + column * t->rows;
    uint64_t *own = t->room, *others = t->room + t->rows, *spare = t->room + 2 * t->rows;
    size_t positives = 0, negatives = 0, below = 0, i;
    int unordered = 0;
    Ruler ruler;
    for (i = 0; i < (size_t)t->rows; i++) {
        uint64_t key = key_of(scores[i]);
        unordered |= scores[i] != scores[i] && t->classes[i] >= 0;
        own[positives] = others[negatives] = key; /* where the row does not belong, it is lost */
        positives += t->classes[i] == class_number;
        negatives += t->classes[i] >= 0 && t->classes[i] != class_number;
    }
    if (unordered) {
        return -1;
    }
    if (positives == 0) {
        return 0;
    }
    make_ruler(&ruler, sort_keys(own, spare, positives), positives);
    for (i = 0; i < negatives; i++) {
        below += place_key(&ruler, others[i]);
    }
    /* A row's rank is how many are less, itself, and half of those that are equal: among themselves
     * those of the class have the ranks from 1 to their number, however equal they are. */
    return (int64_t)(positives * (positives + 1) + 2 * positives * negatives - below);
}

/* What each row is taken for: dsgec/network/decide.py. */
static void count_predicted(const dsgec_engine_tally *t) {
    double *most = (double *)t->room;
    int64_t *predicted = (int64_t *)t->room + t->rows, i, k;
    const double *last = t->outputs + (t->columns - 1) * t->rows;
    int by_threshold = t->columns == 1 || t->threshold != 0.5;
    for (i = 0; i < t->rows; i++) {
        double value = t->outputs[i];
        predicted[i] = by_threshold && last[i] >= t->threshold;
        most[i] = value == value ? value : -INFINITE;
    }
    for (k = 1; k < t->columns && !by_threshold; k++) {
        const double *column = t->outputs + k * t->rows;
        for (i = 0; i < t->rows; i++) {
            int more = column[i] > most[i];
            most[i] = more ? column[i] : most[i];
            predicted[i] = more ? k : predicted[i];
        }
    }
    for (i = 0; i < t->rows; i++) {
        if (t->classes[i] >= 0) {
            t->confusion[t->classes[i] * t->class_count + predicted[i]]++;
        }
    }
}

/* For each row, its squared errors summed over the outputs from left to right. */
static void sum_squares(dsgec_engine_tally *t) {
    double *errors = (double *)t->room, lanes[LANES] = {0.0};
    int64_t i, k;
    memset(errors, 0, (size_t)t->rows * sizeof *errors);
    for (k = 0; k < t->columns; k++) {
        const double *column = t->outputs + k * t->rows;
        int64_t own = t->columns == 1 ? 1 : k;
        for (i = 0; i < t->rows; i++) {
            double difference = column[i] - (t->classes[i] == own ? 1.0 : 0.0);
            errors[i] = errors[i] + difference * difference;
        }
    }
    for (i = 0; i < t->count; i++) {
        lanes[i % LANES] += errors[t->places[i]];
    }
    t->squares = add_lanes(lanes);
}

static void count_classes(dsgec_engine_tally *t) {
    int64_t k;
    sum_squares(t);
    count_predicted(t);
    if (t->class_count == 2) { /* the second against the first */
        t->ranks[0] = sum_ranks(t, t->columns - 1, 1);
        return;
    }
    for (k = 0; k < t->columns; k++) {
        t->ranks[k] = sum_ranks(t, k, k);
    }
}

static void sum_errors(dsgec_engine_tally *t) {
    double squares[LANES] = {0.0}, distances[LANES] = {0.0};
    int64_t i;
    for (i = 0; i < t->count; i++) {
        double error = t->outputs[t->places[i]] - t->wanted[t->places[i]];
        squares[i % LANES] += error * error;
        distances[i % LANES] += dsgec_absolute(error);
    }
    t->squares = add_lanes(squares);
    t->distances = add_lanes(distances);
}
#endif
