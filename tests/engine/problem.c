/* A problem from a file, as driven.py writes it: int64 numbers, two doubles and the tables. */
#include <stdio.h>

/* What the settings of an engine point into, to be freed with `free_problem`. */
typedef struct {
    dsgec_engine_settings settings;
    int64_t *numbers, generations;
    double *rates, *columns, *single, *each;
    dsgec_engine_group *groups;
} Problem;

static void *read_array(FILE *file, size_t count, size_t size) {
    void *array = malloc(count * size + 1);
    if (array == NULL || fread(array, size, count, file) != count) {
        fprintf(stderr, "the file is too short\n");
        exit(2);
    }
    return array;
}

static void read_problem(Problem *p, const char *path) {
    FILE *file = fopen(path, "rb");
    dsgec_engine_settings *s = &p->settings;
    int64_t *numbers;
    if (file == NULL) {
        exit(2);
    }
    numbers = p->numbers = read_array(file, 15, sizeof *numbers);
    p->rates = read_array(file, 2, sizeof *p->rates);
    s->seed = (uint64_t)numbers[0];
    s->population = numbers[1];
    s->tournament = numbers[2];
    s->elites = numbers[3];
    s->max_size = numbers[4];
    s->threads = numbers[5];
    s->connect_all = numbers[6];
    s->codons = numbers[7];
    s->wraps = numbers[8];
    s->memory = numbers[9];
    s->features = numbers[10];
    s->rows = numbers[11];
    s->classes = numbers[12];
    s->groups = numbers[13];
    p->generations = numbers[14];
    s->crossover = p->rates[0];
    s->mutation = p->rates[1];
    s->row_groups = p->groups = read_array(file, (size_t)s->groups, sizeof *p->groups);
    s->columns = p->columns =
        read_array(file, (size_t)(s->features * s->rows), sizeof *p->columns);
    s->single = p->single = read_array(file, (size_t)s->rows, sizeof *p->single);
    s->each = p->each =
        read_array(file, (size_t)((s->classes > 0 ? s->classes : 1) * s->rows), sizeof *p->each);
    fclose(file);
}

static void free_problem(Problem *p) {
    free(p->numbers);
    free(p->rates);
    free(p->groups);
    free(p->columns);
    free(p->single);
    free(p->each);
}
