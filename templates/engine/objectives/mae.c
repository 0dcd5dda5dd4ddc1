/* mae: dsgec/search/objectives.py. */
#include "errors.c"

enum { CHECKS_OUTPUTS = 0, BY_CLASS = 0, LOGISTIC = 0 };

static void rows_add_distance(double *d, const double *a, const double *b, size_t n) {
    size_t i;
    EACH_ROW { d[i] = d[i] + dsgec_absolute(a[i] - b[i]); }
}

/* Sum the absolute errors of each row over its outputs, from left to right. */
static void row_errors(double *errors, const double *const *outputs, int32_t count,
                       const Targets *targets, size_t rows, size_t row, size_t n) {
    int32_t k;
    rows_fill(errors, 0.0, n);
    for (k = 0; k < count; k++) {
        const double *wanted = count == 1 ? targets->single : targets->each + (size_t)k * rows;
        rows_add_distance(errors, outputs[k], wanted + row, n);
    }
}

static double group_fitness(const GroupSum *g) {
    return g->total / (double)(g->count * g->outputs);
}
#if LEARNING

/* 1, -1, or 0 where there is no error. */
static void row_gradients(double *gradients, const double *output, const double *wanted,
                          int32_t count, size_t n) {
    size_t i;
    (void)count;
    EACH_ROW {
        double error = output[i] - wanted[i];
        gradients[i] = error > 0.0 ? 1.0 : error < 0.0 ? -1.0 : 0.0;
    }
}

static double group_factor(const GroupSum *g, double fitness) {
    return (void)fitness, 1.0 / (double)(g->count * g->outputs);
}
#endif
