/* A program around the engine, behind whose source it is compiled: for sanitizers and profilers.
 *
 * driver FILE: it runs half of the generations of a problem (see problem.c), saves, restores into a
 * second engine, runs the rest in both, and prints both ends. */

static void run(dsgec_engine *engine, int64_t generations) {
    while (generations > 0) {
        int64_t count;
        int error = dsgec_engine_step(engine, generations, 0.05);
        if (error != 0) {
            fprintf(stderr, "error %d\n", error);
            exit(3);
        }
        dsgec_engine_rows(engine, &count);
        generations -= count;
    }
}

static void tell(dsgec_engine *engine) {
    dsgec_engine_individual view;
    const char *data;
    size_t length, i;
    uint64_t sum = 0;
    if (dsgec_engine_look(engine, dsgec_engine_best(engine), &view) != 0 ||
        dsgec_engine_save(engine, &data, &length) != 0) {
        exit(4);
    }
    for (i = 0; i < length; i++) {
        sum = sum * 31 + (unsigned char)data[i];
    }
    printf("%a %llu %llu\n", view.fitness, (unsigned long long)length, (unsigned long long)sum);
}

int main(int count, char **arguments) {
    Problem problem;
    dsgec_engine *first, *second;
    const char *state;
    size_t length;
    int error;
    if (count < 2) {
        return 2;
    }
    read_problem(&problem, arguments[1]);
    first = dsgec_engine_new(&problem.settings, &error);
    second = dsgec_engine_new(&problem.settings, &error);
    if (first == NULL || second == NULL) {
        return 5;
    }
    run(first, problem.generations - problem.generations / 2);
    if (dsgec_engine_save(first, &state, &length) != 0 ||
        dsgec_engine_restore(second, state, length) != 0) {
        return 6;
    }
    run(first, problem.generations / 2);
    tell(first);
    if (count == 2) { /* with another argument, one engine is enough */
        run(second, problem.generations / 2);
        tell(second);
    }
    dsgec_engine_free(first);
    dsgec_engine_free(second);
    free_problem(&problem);
    return 0;
}
