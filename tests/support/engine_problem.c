/* A problem as `data` of driven.py writes it, for programs behind the engine's source. */
#include <stdio.h>

typedef struct {
    dsgec_engine_settings settings;
    int64_t generations;
    dsgec_engine_prologue prologue;
    dsgec_engine_prices prices;
    void *tables[12]; /* what the settings point to */
} Problem;

static void *read_array(FILE *file, size_t count, size_t size) {
    void *array = malloc(count * size + 1);
    if (array == NULL || fread(array, size, count, file) != count) {
        fprintf(stderr, "the file is too short\n");
        exit(2);
    }
    return array;
}

/* What costs are counted with, if there is more in the file. */
static void read_costs(FILE *file, Problem *problem) {
    dsgec_engine_prologue *p = &problem->prologue;
    dsgec_engine_prices *q = &problem->prices;
    int64_t *numbers;
    int next = fgetc(file);
    if (next == EOF) {
        return;
    }
    ungetc(next, file);
    numbers = problem->tables[5] = read_array(file, 8, sizeof *numbers);
    p->count = numbers[0];
    p->columns = numbers[1];
    p->classes = numbers[2];
    p->has_threshold = numbers[3];
    q->base = numbers[6];
    q->base_needs = (uint64_t)numbers[7];
    p->operations = problem->tables[6] = read_array(file, (size_t)p->count, sizeof *p->operations);
    p->features = problem->tables[7] =
        read_array(file, (size_t)problem->settings.features, sizeof *p->features);
    p->required = problem->tables[8] = read_array(file, (size_t)p->columns, sizeof *p->required);
    q->each = problem->tables[9] = read_array(file, (size_t)numbers[4], sizeof *q->each);
    q->once = problem->tables[10] = read_array(file, (size_t)numbers[5], sizeof *q->once);
    q->needs = problem->tables[11] = read_array(file, (size_t)numbers[4], sizeof *q->needs);
}

/* After the problem has come to rest where it stays. */
static void point_to_costs(Problem *problem) {
    if (problem->tables[6] != NULL) {
        problem->settings.prologue = &problem->prologue;
        problem->settings.prices = &problem->prices;
    }
}

static Problem read_problem(const char *path) {
    Problem problem = {0};
    dsgec_engine_settings *s = &problem.settings;
    FILE *file = path != NULL ? fopen(path, "rb") : NULL;
    int64_t *numbers;
    double *rates;
    if (file == NULL) {
        fprintf(stderr, "no file with a problem\n");
        exit(2);
    }
    numbers = read_array(file, 20, sizeof *numbers);
    rates = read_array(file, 10, sizeof *rates);
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
    s->crossover = rates[0];
    s->mutation = rates[1];
    s->penalty = rates[2];
    s->parsimony = rates[3];
    s->down_sample = rates[4];
    s->learning_factor = rates[5];
    s->grammar_mutation = rates[6];
    s->grammar_deviation = rates[7];
    s->rate_mutation = rates[8];
    s->rate_deviation = rates[9];
    s->steps = numbers[15];
    s->batch = numbers[16];
    s->selection = numbers[17];
    s->adaptive = numbers[18];
    s->initialisation = numbers[19];
    problem.generations = numbers[14];
    s->row_groups = problem.tables[0] = read_array(file, (size_t)s->groups, sizeof *s->row_groups);
    s->columns = problem.tables[1] =
        read_array(file, (size_t)(s->features * s->rows), sizeof *s->columns);
    s->single = problem.tables[2] = read_array(file, (size_t)s->rows, sizeof *s->single);
    s->each = problem.tables[3] =
        read_array(file, (size_t)((s->classes > 0 ? s->classes : 1) * s->rows), sizeof *s->each);
    problem.tables[4] = WEIGHTED ? read_array(file, (size_t)s->rows, sizeof *s->row_weights) : NULL;
    s->row_weights = problem.tables[4];
    read_costs(file, &problem);
    fclose(file);
    free(numbers);
    free(rates);
    return problem;
}

static void free_problem(Problem *problem) {
    size_t i;
    for (i = 0; i < sizeof problem->tables / sizeof *problem->tables; i++) {
        free(problem->tables[i]);
    }
}
