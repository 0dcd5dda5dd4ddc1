/* Mutation where integers are alternatives: dsgec/genome/ir.py, draw_other. */

/* An alternative of a room, but not the current one. */
static int32_t draw_other(const Room *room, int32_t current, Stream *random) {
    const int32_t *allowed = options + room->first_option;
    int32_t index = below(random, room->options - 1), i;
    for (i = 0; i <= index && allowed[i] != current; i++) {
    }
    return allowed[index + (i <= index)];
}
