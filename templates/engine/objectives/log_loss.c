/* log-loss: dsgec/fitness/objectives.py. */
enum { CHECKS_OUTPUTS = 1, OF_CLASSES = 0 };

/* -log of the probability of each row's class, which is kept away from 0 and 1. */
static void row_errors(double *errors, const double *const *outputs, int32_t count,
                       const Targets *targets, size_t rows, size_t row, size_t n) {
    const double least = 2.220446049250313e-16, most = 1.0 - 2.220446049250313e-16;
    size_t i;
    int32_t k;
    rows_fill(errors, 0.0, n);
    for (k = 0; k < count; k++) {
        const double *wanted = count == 1 ? targets->single : targets->each + (size_t)k * rows;
        const double *output = outputs[k], *is_class = wanted + row;
        EACH_ROW {
            double other = count == 1 ? 1.0 - output[i] : errors[i];
            errors[i] = is_class[i] == 1.0 ? output[i] : other;
        }
    }
    EACH_ROW {
        double p = errors[i] < least ? least : errors[i];
        errors[i] = -dsgec_log(p > most ? most : p);
    }
}

static double group_fitness(const GroupSum *g) {
    return g->total / (double)g->count;
}
