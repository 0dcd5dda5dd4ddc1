/* Runs a descent and two surveys of what a file has, in memory that has no byte too many. */
#include <stdio.h>
#include <stdlib.h>

static void *take(size_t count, size_t size) {
    void *memory = malloc(count ? count * size : 1);
    if (memory == NULL || fread(memory, size, count, stdin) != count) {
        exit(2);
    }
    return memory;
}

static void show(const double *values, int64_t count) {
    int64_t i;
    for (i = 0; i < count; i++) {
        printf("%a\n", values[i]);
    }
}

int main(void) {
    /* inputs outputs rows stride, hidden connections activation used, steps levels */
    int64_t *n = take(10, sizeof *n), neurons = n[4] + n[1], all = n[5] + neurons;
    dsgec_walk_table table = {n[0], n[1], n[2], n[2], n[3], NULL, NULL, NULL};
    dsgec_walk_network net = {0};
    double *columns = take((size_t)(n[0] * n[3]), 8), *targets = take((size_t)(n[1] * n[3]), 8);
    double *by = take((size_t)n[3], 8), *values = take((size_t)all, 8);
    double *least = take((size_t)all, 8), *most = take((size_t)all, 8);
    double *rates = take((size_t)n[8], 8), powers[2] = {1.0, 1.0};
    int32_t *used = take((size_t)n[7], 4), *first = take((size_t)(neurons + 1), 4);
    int32_t *sources = take((size_t)n[5], 4);
    double *levels = take((size_t)n[9], 8), *middles = take((size_t)n[9], 8);
    int32_t *first_level = take(5, 4);
    double *seen = calloc((size_t)all, 8);
    double *momentum = calloc((size_t)all, 8), *square = calloc((size_t)all, 8);
    double *gradient = calloc((size_t)all, 8), *sums = calloc((size_t)(2 * n[4] + 1), 8);
    double *scratch = calloc((size_t)(BATCH * (n[7] + 3 * neurons)), 8);
    double *absent = calloc((size_t)(neurons * (n[0] + n[4])), 8), loss;
    table.columns = columns;
    table.targets = targets;
    table.row_weights = by;
    net.inputs = n[7];
    net.hidden = n[4];
    net.connections = n[5];
    net.activation = n[6];
    net.has_levels = n[9] > 0;
    net.penalty = 1e-3;
    net.levels = levels;
    net.middles = middles;
    net.first_level = first_level;
    net.units = 8.0;
    net.unit = 0.125;
    net.top = 3.5;
    net.seen = n[9] ? seen : values;
    net.used = used;
    net.first = first;
    net.sources = sources;
    net.values = values;
    net.momentum = momentum;
    net.square = square;
    net.gradient = gradient;
    net.least = least;
    net.most = most;
    dsgec_walk_descend(&table, &net, rates, n[8], 0, powers, scratch);
    loss = dsgec_walk_survey(&table, &net, sums, n[7] == n[0] ? absent : NULL, scratch);
    show(values, all);
    show(&loss, 1);
    free(n), free(columns), free(targets), free(by), free(values), free(least), free(most);
    free(rates), free(used), free(first), free(sources), free(momentum), free(square);
    free(levels), free(middles), free(first_level), free(seen);
    free(gradient), free(sums), free(scratch), free(absent);
    return 0;
}
