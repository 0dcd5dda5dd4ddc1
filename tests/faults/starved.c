/* A program around an engine that was compiled with starve.h: everything that an engine does, with
 * the n-th request for memory refused, for n = 1, 2, … until nothing is refused any more.
 *
 * starved FILE: prints how many requests were refused. An error that is not told as one, a block
 * that is not freed, or another end than that of a run which nothing disturbed is an exit code. */
#include <string.h>

#define MOST_STATE (1 << 20)

static char undisturbed[MOST_STATE];
static size_t undisturbed_length;

/* Whether a call did what it was asked, or says that it could not. */
static void expect(int code, const char *what) {
    if (code != OK && code != NO_MEMORY && code != NO_THREADS) {
        printf("%s ended with %d\n", what, code);
        exit(3);
    }
}

/* A saved state; a refusal leaves the engine as it was, so that saving again gives the state. */
static int save(dsgec_engine *e, const char **state, size_t *length) {
    int code = dsgec_engine_save(e, state, length);
    expect(code, "save");
    if (code != OK && !starve_always) {
        code = dsgec_engine_save(e, state, length);
        if (code != OK) {
            printf("after a refusal, save ended with %d\n", code);
            exit(4);
        }
    }
    return code;
}

static int use(dsgec_engine *first, dsgec_engine *second, int64_t generations) {
    const char *state, *migrant;
    size_t length;
    int64_t best;
    int code;
    double fitness;
    dsgec_engine_individual view;
    dsgec_engine_rows rows;
    dsgec_engine_champion champions[LARGEST_CHAMPION + 1];
    int64_t pruned;
    if ((code = dsgec_engine_step(first, generations / 2, 1e9, &rows)) != OK ||
        (code = save(first, &state, &length)) != OK ||
        (code = dsgec_engine_restore(second, state, length)) != OK) {
        return code;
    }
    best = dsgec_engine_best(second);
    if ((code = dsgec_engine_send(second, best, &migrant, &length)) != OK ||
        (code = dsgec_engine_receive(second, (best + 1) % 2, migrant, length)) != OK ||
        (code = dsgec_engine_step(first, generations - generations / 2, 1e9, &rows)) != OK ||
        (code = dsgec_engine_look(first, dsgec_engine_best(first), &view)) != OK) {
        return code;
    }
    code = dsgec_engine_score(first, view.phenotype, (size_t)view.phenotype_length, &fitness);
    if (code == 0 && fitness != view.fitness) {
        printf("another score\n");
        exit(5);
    }
    if (code != 0 && dsgec_starved() == 0) {
        printf("the best could not be scored\n");
        exit(5);
    }
    pruned = dsgec_engine_prune(first, 3, champions);
    if (pruned < 0) {
        return (int)(-1 - pruned);
    }
    if ((code = save(first, &state, &length)) != OK) {
        return code;
    }
    if (undisturbed_length == 0 && length <= MOST_STATE) {
        memcpy(undisturbed, state, length);
        undisturbed_length = length;
    }
    if (length != undisturbed_length || memcmp(undisturbed, state, length) != 0) {
        printf("another end\n");
        exit(6);
    }
    return OK;
}

/* Whether anything was refused. */
static int attempt(const Problem *problem, int64_t n, int always) {
    int code = OK, other = OK;
    dsgec_engine *first, *second = NULL;
    const int64_t held = starve_held;
    dsgec_starve(n, always);
    first = dsgec_engine_new(&problem->settings, &code);
    if (first != NULL) {
        second = dsgec_engine_new(&problem->settings, &other);
        code = other;
    }
    if (first != NULL && second != NULL) {
        code = use(first, second, problem->generations);
    }
    expect(code, "a call");
    if (code != OK && dsgec_starved() == 0) {
        printf("error %d, but nothing was refused\n", code);
        exit(7);
    }
    dsgec_engine_free(second);
    dsgec_engine_free(first);
    if (starve_held != held) {
        printf("request %lld: %lld blocks were not freed\n", (long long)n,
               (long long)(starve_held - held));
        exit(8);
    }
    return dsgec_starved() > 0;
}

int main(int count, char **arguments) {
    Problem problem;
    int64_t n, tried = 0;
    int always;
    if (count < 2) {
        return 2;
    }
    dsgec_starve(0, 0);
    problem = read_problem(arguments[1]);
    point_to_costs(&problem);
    attempt(&problem, 0, 0);
    for (always = 0; always < 2; always++) {
        for (n = 1; attempt(&problem, n, always); n++) {
            tried++;
        }
    }
    dsgec_starve(0, 0);
    free_problem(&problem);
    printf("%lld\n", (long long)tried);
    return 0;
}
