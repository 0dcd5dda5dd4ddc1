/* The best text for each number of connections: the hall of fame of dsgec/evolution/scoring.py. */
typedef struct {
    double fitness;
    Text text; /* empty where there is none of this size */
    Genotype genotype; /* where numbers are learned */
} Champion;

typedef struct {
    Champion by_size[LARGEST_CHAMPION + 1];
} Hall;

static void free_hall(Hall *hall) {
    int size;
    for (size = 0; size <= LARGEST_CHAMPION; size++) {
        free(hall->by_size[size].text.data);
        free_genotype(&hall->by_size[size].genotype);
    }
}

static int set_champion(Champion *champion, double fitness, const char *text, size_t length) {
    if (!RESERVE(champion->text.data, champion->text.capacity, length)) {
        return 0;
    }
    memcpy(champion->text.data, text, length);
    champion->text.length = length;
    champion->fitness = fitness;
    return 1;
}
