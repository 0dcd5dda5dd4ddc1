/* The best text for each number of connections: the hall of fame of dsgec/evolution/scoring.py. */
typedef struct {
    double fitness;
    Text text; /* empty where there is none of this size */
} Champion;

typedef struct {
    Champion by_size[LARGEST_CHAMPION + 1];
} Hall;

static void free_hall(Hall *hall) {
    int size;
    for (size = 0; size <= LARGEST_CHAMPION; size++) {
        free(hall->by_size[size].text.data);
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

/* Put a text that was scored where it belongs, if it is the best of its size; 0 without memory. */
static int admit(Hall *hall, const Entry *entry, const Text *text) {
    Champion *champion;
    if (entry->outcome != SCORED || entry->size > LARGEST_CHAMPION) {
        return 1;
    }
    champion = &hall->by_size[entry->size];
    if (champion->text.length > 0 && champion->fitness <= entry->fitness) {
        return 1;
    }
    return set_champion(champion, entry->fitness, text->data, text->length);
}
