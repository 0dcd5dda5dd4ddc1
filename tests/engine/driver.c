/* A program around the engine, behind whose source it is compiled: for sanitizers and profilers.
 *
 * driver FILE: FILE has int64 numbers (see `main`), two doubles and the tables. It runs half of the
 * generations, saves, restores into a second engine, runs the rest in both, and prints both ends. */
#include <stdio.h>

static void *read_array(FILE *file, size_t count, size_t size) {
    void *array = malloc(count * size + 1);
    if (array == NULL || fread(array, size, count, file) != count) {
        fprintf(stderr, "the file is too short\n");
        exit(2);
    }
    return array;
}

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
    dsgec_engine_settings s;
    dsgec_engine *first, *second;
    FILE *file = count > 1 ? fopen(arguments[1], "rb") : NULL;
    int64_t *numbers;
    double *rates, *columns, *single, *each;
    dsgec_engine_group *groups;
    const char *state;
    size_t length;
    int error;
    if (file == NULL) {
        return 2;
    }
    numbers = read_array(file, 15, sizeof *numbers);
    rates = read_array(file, 2, sizeof *rates);
    s.seed = (uint64_t)numbers[0];
    s.population = numbers[1];
    s.tournament = numbers[2];
    s.elites = numbers[3];
    s.max_size = numbers[4];
    s.threads = numbers[5];
    s.connect_all = numbers[6];
    s.codons = numbers[7];
    s.wraps = numbers[8];
    s.memory = numbers[9];
    s.features = numbers[10];
    s.rows = numbers[11];
    s.classes = numbers[12];
    s.groups = numbers[13];
    s.crossover = rates[0];
    s.mutation = rates[1];
    s.row_groups = groups = read_array(file, (size_t)s.groups, sizeof *groups);
    s.columns = columns = read_array(file, (size_t)(s.features * s.rows), sizeof *columns);
    s.single = single = read_array(file, (size_t)s.rows, sizeof *single);
    s.each = each = read_array(file, (size_t)((s.classes > 0 ? s.classes : 1) * s.rows), sizeof *each);
    fclose(file);
    first = dsgec_engine_new(&s, &error);
    second = dsgec_engine_new(&s, &error);
    if (first == NULL || second == NULL) {
        return 5;
    }
    run(first, numbers[14] - numbers[14] / 2);
    if (dsgec_engine_save(first, &state, &length) != 0 ||
        dsgec_engine_restore(second, state, length) != 0) {
        return 6;
    }
    run(first, numbers[14] / 2);
    tell(first);
    if (count == 2) { /* with another argument, one engine is enough */
        run(second, numbers[14] / 2);
        tell(second);
    }
    dsgec_engine_free(first);
    dsgec_engine_free(second);
    free(numbers);
    free(rates);
    free(groups);
    free(columns);
    free(single);
    free(each);
    return 0;
}
