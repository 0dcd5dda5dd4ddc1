/* accuracy, as the error rate: dsgec/search/objectives.py. */
#include "errors.c"

enum { CHECKS_OUTPUTS = 1, BY_CLASS = 0, LOGISTIC = 1 };

/* Set 1 for each row that is misclassified. */
static void row_errors(double *errors, const double *const *outputs, int32_t count,
                       const Targets *targets, size_t rows, size_t row, size_t n) {
    size_t i;
    int32_t k;
    for (i = 0; i < n; i++) {
        double best = outputs[0][i];
        if (count == 1) {
            errors[i] = (best >= 0.5) != (targets->single[row + i] == 1.0) ? 1.0 : 0.0;
            continue;
        }
        errors[i] = 1.0 - targets->each[row + i];
        for (k = 1; k < count; k++) {
            if (outputs[k][i] > best) {
                best = outputs[k][i];
                errors[i] = 1.0 - targets->each[(size_t)k * rows + row + i];
            }
        }
    }
}

static double group_fitness(const GroupSum *g) {
    return g->total / (double)g->count;
}
#if LEARNING

/* Weights are learned by log-loss. */
#define SURROGATE 1
#define LEARNED_ERRORS log_losses

static void row_gradients(double *gradients, const double *output, const double *wanted,
                          int32_t count, size_t n) {
    log_loss_gradients(gradients, output, wanted, count, n);
}

static double group_factor(const GroupSum *g, double fitness) {
    return (void)fitness, 1.0 / (double)g->count;
}
#endif
