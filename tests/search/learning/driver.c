/* A program around an engine with learning, behind whose source it is compiled: for sanitizers.
 *
 * driver FILE: FILE is a problem (see engine_problem.c of tests/support). Each line that is read is a number
 * of weights, their offsets and lengths, and a text. It prints, for each, what comes of it, the loss,
 * the slopes, and the loss and values after 20 evaluations. */
static void tell(const char *name, int outcome, double loss, const double *values, int64_t count) {
    int64_t i;
    printf("%s %d", name, outcome);
    if (outcome == SCORED) {
        printf(" %a", loss);
        for (i = 0; i < count; i++) {
            printf(" %a", values[i]);
        }
    }
    printf("\n");
}

static void try_text(dsgec_engine *e, const char *text, const dsgec_engine_weight *weights,
                     int64_t count) {
    /* As large as they are, so that a sanitizer sees what is beyond. */
    size_t length = strlen(text), size = (size_t)count * sizeof(double);
    char *exact = malloc(length + 1);
    double *values = malloc(size + 1), *slopes = malloc(size + 1), loss = 0.0, other = 0.0;
    int64_t used, i;
    int outcome;
    memcpy(exact, text, length);
    exact = realloc(exact, length > 0 ? length : 1);
    outcome = dsgec_engine_gradient(e, exact, length, weights, count, 0.01, NULL, &loss, slopes);
    tell("slopes", outcome, loss, slopes, count);
    for (i = 0; i < count; i++) {
        values[i] = 0.5;
    }
    if (dsgec_engine_gradient(e, exact, length, weights, count, 0.0, values, &loss, NULL) == SCORED &&
        dsgec_engine_gradient(e, exact, length, weights, count, 0.0, values, &other, slopes) == SCORED &&
        memcmp(&loss, &other, sizeof loss) != 0) {
        exit(6);
    }
    outcome = dsgec_engine_tune(e, exact, length, weights, count, 0.0, 20, values, &loss, &used);
    tell("tuned", outcome, loss, values, count);
    free(exact), free(values), free(slopes);
}

int main(int count, char **arguments) {
    Problem problem = read_problem(count > 1 ? arguments[1] : NULL);
    static char line[1 << 16];
    long weights;
    int error;
    dsgec_engine *engine;
    point_to_costs(&problem);
    engine = dsgec_engine_new(&problem.settings, &error);
    if (engine == NULL) {
        return 5;
    }
    while (scanf("%ld", &weights) == 1) {
        dsgec_engine_weight *found = malloc((size_t)weights * sizeof *found + 1);
        long i;
        for (i = 0; i < weights; i++) {
            int offset, length;
            if (scanf("%d %d", &offset, &length) != 2) {
                return 7;
            }
            found[i].offset = offset;
            found[i].length = length;
            found[i].least = -5.0;
            found[i].most = 5.0;
        }
        if (fgetc(stdin) != ' ' || fgets(line, sizeof line, stdin) == NULL) {
            return 8;
        }
        line[strcspn(line, "\n")] = 0;
        try_text(engine, line, found, weights);
        free(found);
    }
    dsgec_engine_free(engine);
    free_problem(&problem);
    return 0;
}
