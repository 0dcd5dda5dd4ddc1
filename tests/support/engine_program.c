/* A program around the engine, behind whose source it is compiled: for sanitizers and profilers.
 *
 * engine_program FILE: FILE is a problem (see engine_problem.c). It runs half of the generations,
 * saves, restores into a second engine, runs the rest in both, and prints both ends. */
static void run(dsgec_engine *engine, int64_t generations) {
    while (generations > 0) {
        dsgec_engine_rows rows;
        int error = dsgec_engine_step(engine, generations, 0.05, &rows);
        if (error != 0) {
            fprintf(stderr, "error %d\n", error);
            exit(3);
        }
        generations -= rows.count;
    }
}

/* Describe and evaluate every champion, for the sanitizers. */
static void measure_champions(dsgec_engine *e) {
    int64_t columns = e->targets.classes > 1 ? e->targets.classes : 1, count, i;
    double *outputs = malloc((size_t)columns * e->table.rows * sizeof *outputs);
    dsgec_engine_champion champions[LARGEST_CHAMPION + 1];
    count = dsgec_engine_champions(e, champions);
    for (i = 0; i < count; i++) {
        dsgec_engine_network network;
        const char *text = champions[i].phenotype;
        size_t length = (size_t)champions[i].phenotype_length;
        if (dsgec_engine_describe(e, text, length, &network) != 0 ||
            dsgec_engine_evaluate(e, text, length, outputs, (int)columns) < 1) {
            exit(5);
        }
    }
    free(outputs);
}

static void tell(dsgec_engine *engine) {
    dsgec_engine_individual view;
    dsgec_engine_champion pruned[LARGEST_CHAMPION + 1];
    const char *data;
    size_t length, i;
    uint64_t sum = 0;
    if (dsgec_engine_look(engine, dsgec_engine_best(engine), &view) != 0 ||
        dsgec_engine_save(engine, &data, &length) != 0) {
        exit(4);
    }
    measure_champions(engine);
    if (dsgec_engine_prune(engine, 6, pruned) < 0) {
        exit(6);
    }
    for (i = 0; i < length; i++) {
        sum = sum * 31 + (unsigned char)data[i];
    }
    printf("%a %llu %llu\n", view.fitness, (unsigned long long)length, (unsigned long long)sum);
}

int main(int count, char **arguments) {
    Problem problem = read_problem(count > 1 ? arguments[1] : NULL);
    int64_t half = problem.generations / 2;
    dsgec_engine *first, *second;
    const char *state;
    size_t length;
    int error;
    point_to_costs(&problem);
    first = dsgec_engine_new(&problem.settings, &error);
    second = dsgec_engine_new(&problem.settings, &error);
    if (first == NULL || second == NULL) {
        return 5;
    }
    run(first, problem.generations - half);
    if (dsgec_engine_save(first, &state, &length) != 0 ||
        dsgec_engine_restore(second, state, length) != 0) {
        return 6;
    }
    run(first, half);
    tell(first);
    if (count == 2) { /* with another argument, one engine is enough */
        run(second, half);
        tell(second);
    }
    dsgec_engine_free(first);
    dsgec_engine_free(second);
    free_problem(&problem);
    return 0;
}
