/* Assemble nodes to a tape of instructions on registers; a register is a block of values, one for
 * each row. Only what the outputs depend on is on the tape. A sum of products, the constant added
 * to it and the sigmoid around it are one instruction, so that rows are read and written once. */
#ifndef DSGEC_TAPE_C
#define DSGEC_TAPE_C
#include "parse.c"
#include "printed/row_loops.c"

enum { LAST = INT32_MAX, NOWHERE = INT32_MIN };
enum { KEYS = 3 }; /* the readers of a function's operands, one key for each */

/* An operand is a register, or -1 - the column of a feature. */
typedef struct {
    uint8_t operation, terms, sigmoid, operands, cacheable; /* cacheable: see neuron_cache.c */
    int32_t to, a, b;
    double value;
    double weight[TERMS];
    int32_t source[TERMS]; /* of a function, the third operand */
#if LEARNING
    int32_t link[TERMS], value_link; /* of the weights and the value: see link_of in nodes.c */
    uint64_t key[TERMS];             /* the order of the readers of its operands */
#endif
} Instruction;

/* The uses of a node: the number of its readers, the reader found last, the node in whose
 * instruction it is computed, the last position that reads it, the terms of its sum, and its
 * operand. */
typedef struct {
    int32_t readers, reader, position, last, terms, place;
} Use;

typedef struct {
    Instruction *items;
    Use *uses;
    int32_t *free, *outputs;
    size_t items_capacity, uses_capacity, free_capacity, outputs_capacity;
    int32_t count, registers, free_count, output_count;
    int softmax, is_logical; /* runs on bits: see bits.c */
#if LEARNING
    int keep_all; /* every value gets a register of its own */
#endif
} Tape;

static void free_tape(Tape *t) {
    free(t->items);
    free(t->uses);
    free(t->free);
    free(t->outputs);
}

static void note_use(Use *uses, int32_t node, int32_t reader, int32_t position) {
    uses[node].readers++;
    uses[node].reader = reader;
    uses[node].last = position > uses[node].last ? position : uses[node].last;
}

/* Return whether node `i` can be computed in the instruction of its reader. */
static int joins(const Nodes *nodes, const Use *uses, int32_t i) {
    const Node *node = &nodes->items[i], *reader;
    if (uses[i].readers != 1 || uses[i].reader < 0) {
        return 0;
    }
    reader = &nodes->items[uses[i].reader];
    switch (node->operation) {
    case ADD_CONSTANT: return reader->operation == OF_sig;
    case SCALE:
    case ADD_SCALED:
        return reader->operation == OF_sig || reader->operation == ADD_CONSTANT ||
               (reader->operation == ADD_SCALED && reader->a == i && reader->b != i &&
                uses[uses[i].reader].terms < TERMS - (node->operation == ADD_SCALED));
    default: return 0;
    }
}

/* Find which nodes are needed, where, and until when, from the last to the first. */
static void find_uses(const Parser *p, Use *uses) {
    const Nodes *nodes = &p->nodes;
    int32_t i;
    for (i = 0; i < nodes->count; i++) {
        uses[i].readers = 0;
        uses[i].last = -1;
    }
    for (i = 0; i < p->output_count; i++) {
        note_use(uses, p->outputs[i], -1, LAST);
    }
    for (i = nodes->count - 1; i >= 0; i--) {
        const Node *node = &nodes->items[i];
        Use *use = &uses[i];
        if (use->readers == 0 || node->operation <= INPUT) {
            continue;
        }
        use->position = i;
        use->terms = node->operation == SCALE || node->operation == ADD_SCALED;
        if (joins(nodes, uses, i)) {
            use->position = uses[use->reader].position;
            use->terms += nodes->items[use->reader].operation == ADD_SCALED
                              ? uses[use->reader].terms
                              : 0;
        }
        note_use(uses, node->a, i, use->position);
        if (node->b >= 0) {
            note_use(uses, node->b, i, use->position);
        }
        if (third_of(node) >= 0) {
            note_use(uses, third_of(node), i, use->position);
        }
    }
}

static int32_t take_register(Tape *t) {
    return t->free_count > 0 ? t->free[--t->free_count] : t->registers++;
}

static inline int keeps_all(const Tape *t) {
#if LEARNING
    return t->keep_all;
#else
    return (void)t, 0;
#endif
}

static int release(Tape *t, int32_t place) {
    if (keeps_all(t)) {
        return 1;
    }
    if (!RESERVE(t->free, t->free_capacity, t->free_count + 1)) {
        return 0;
    }
    t->free[t->free_count++] = place;
    return 1;
}

/* Release the register of a node that nothing reads after `position`. */
static int end_use(Tape *t, int32_t node, int32_t position) {
    Use *use = &t->uses[node];
    if (use->last != position || use->place < 0) {
        return 1;
    }
    use->last = -1;
    return release(t, use->place);
}

static inline void set_value_link(Instruction *in, int32_t link) {
#if LEARNING
    in->value_link = link;
    in->cacheable = in->cacheable && link == 0;
#endif
    (void)in, (void)link;
}

static Instruction *add_instruction(Tape *t, int operation, int32_t to, int32_t a, int32_t b) {
    Instruction *instruction;
    if (!RESERVE(t->items, t->items_capacity, t->count + 1)) {
        return NULL;
    }
    instruction = &t->items[t->count++];
    instruction->operation = (uint8_t)operation;
    instruction->terms = 0;
    instruction->sigmoid = 0;
    instruction->operands = 0;
    instruction->cacheable = 0;
    instruction->to = to;
    instruction->a = a;
    instruction->b = b;
    instruction->value = -0.0; /* adding it changes no number */
    set_value_link(instruction, 0);
    return instruction;
}

/* Set the keys, which order the readers of a value, for the operands of a function. */
static inline void set_keys(Instruction *in, uint32_t key) {
#if LEARNING
    in->key[0] = KEYS * (uint64_t)key;
    in->key[1] = KEYS * (uint64_t)key + 1;
    in->key[2] = KEYS * (uint64_t)key + 2;
#endif
    (void)in, (void)key;
}

/* A term of a sum. */
typedef struct {
    double weight;
    int32_t node, link;
    uint64_t key;
} Term;

static void add_term(Instruction *in, const Term *term, int32_t source) {
    in->weight[in->terms] = term->weight;
#if LEARNING
    in->link[in->terms] = term->link;
    in->key[in->terms] = term->key;
    in->cacheable = in->cacheable && term->link == 0;
#endif
    in->source[in->terms++] = source;
}

/* Add the sum that ends at node `i`: sigmoid((terms from left to right) + constant), as far as it
 * has these parts. Nodes that are computed here are part of it; any other is a term of weight 1. */
static int add_sum_of(Tape *t, const Nodes *nodes, int32_t i) {
    const Node *node = &nodes->items[i];
    Use *uses = t->uses;
    int32_t at = i, count = 0, k;
    uint64_t key = 0;
    Term terms[TERMS];
    Instruction *in = add_instruction(t, DOT, 0, 0, 0);
    if (in == NULL) {
        return 0;
    }
    if (node->operation == OF_sig) {
        in->sigmoid = 1;
        key = KEYS * (uint64_t)key_a_of(nodes, at);
        at = node->a;
    }
    in->cacheable = in->sigmoid;
    if (nodes->items[at].operation == ADD_CONSTANT && uses[at].position == i) {
        in->value = nodes->items[at].value;
        set_value_link(in, link_of(nodes, at));
        key = KEYS * (uint64_t)key_a_of(nodes, at);
        at = nodes->items[at].a;
    }
    for (;;) {
        Term *term = &terms[count++];
        node = &nodes->items[at];
        if ((node->operation != SCALE && node->operation != ADD_SCALED) ||
            uses[at].position != i) {
            term->weight = 1.0;
            term->node = at;
            term->link = 0;
            term->key = key;
            break;
        }
        term->weight = node->value;
        term->node = node->operation == SCALE ? node->a : node->b;
        term->link = link_of(nodes, at);
        term->key = KEYS * (uint64_t)key_b_of(nodes, at) + 1;
        if (node->operation == SCALE) {
            break;
        }
        key = KEYS * (uint64_t)key_a_of(nodes, at);
        at = node->a;
    }
    for (k = count - 1; k >= 0; k--) {
        add_term(in, &terms[k], uses[terms[k].node].place);
        in->cacheable = in->cacheable && uses[terms[k].node].place < 0;
    }
    for (k = count - 1; k >= 0; k--) {
        if (!end_use(t, terms[k].node, i)) {
            return 0;
        }
    }
    in->to = uses[i].place = take_register(t);
    return 1;
}

/* Return a node as an operand; a constant is filled into a register. */
static int32_t operand(Tape *t, const Nodes *nodes, int32_t i) {
    Instruction *fill;
    int32_t place;
    if (nodes->items[i].operation != CONSTANT) {
        return t->uses[i].place;
    }
    place = take_register(t);
    fill = add_instruction(t, FILL, place, 0, 0);
    if (fill == NULL) {
        return NOWHERE;
    }
    fill->value = nodes->items[i].value;
    set_value_link(fill, link_of(nodes, i));
    return place;
}

static int add_pair(Tape *t, int operation, int32_t to, int32_t a, int32_t b, uint32_t key) {
    Instruction *in = add_instruction(t, operation, to, a, b);
    if (in == NULL) {
        return 0;
    }
    in->operands = 2;
    set_keys(in, key);
    return 1;
}

static int add_single(Tape *t, int operation, int32_t to, int32_t a, uint32_t key) {
    Instruction *in = add_instruction(t, operation, to, a, 0);
    if (in == NULL) {
        return 0;
    }
    in->operands = 1;
    set_keys(in, key);
    return 1;
}

/* Return the register of the next step of a power. */
static int32_t step_register(Tape *t, int32_t last) {
    return last < 0 || keeps_all(t) ? take_register(t) : last;
}

/* Add an integer power, by squaring from the highest bit down: `power` of dsgec/network/ir.py.
 * Returns its register, or NOWHERE. */
static int32_t add_powers(Tape *t, int32_t base, int exponent, uint32_t key) {
    unsigned bits = (unsigned)(exponent < 0 ? -exponent : exponent), bit = 1;
    int32_t from = base, to = -1;
    while (bit <= bits / 2) {
        bit *= 2;
    }
    for (bit /= 2; bit > 0; bit /= 2) {
        to = step_register(t, to);
        if (!add_pair(t, MULTIPLY, to, from, from, key++)) {
            return NOWHERE;
        }
        from = to;
        if (bits & bit) {
            to = step_register(t, to);
            if (!add_pair(t, MULTIPLY, to, from, base, key++)) {
                return NOWHERE;
            }
            from = to;
        }
    }
    if (exponent < 0) {
        to = step_register(t, to);
        return add_single(t, WHOLE_POWER, to, from, key) ? to : NOWHERE;
    }
    if (exponent == 1) {
        Term term = {1.0, 0, 0, KEYS * (uint64_t)key};
        Instruction *copy = add_instruction(t, DOT, to = step_register(t, to), 0, 0);
        if (copy == NULL) {
            return NOWHERE;
        }
        add_term(copy, &term, base);
    }
    return to;
}

/* Release the register of an operand of node `i`, which a constant has for itself. */
static int end_operand(Tape *t, const Nodes *nodes, int32_t i, int32_t node, int32_t place) {
    return nodes->items[node].operation == CONSTANT ? release(t, place) : end_use(t, node, i);
}

/* Add any other function; its result may reuse the register of an operand that ends here. */
static int add_function(Tape *t, const Nodes *nodes, int32_t i) {
    const Node *node = &nodes->items[i];
    const int32_t read[3] = {node->a, node->b, third_of(node)};
    int32_t places[3] = {0, 0, 0}, count, k, to;
    Instruction *in;
    for (count = 0; count < 3 && read[count] >= 0; count++) {
        places[count] = operand(t, nodes, read[count]);
        if (places[count] == NOWHERE) {
            return 0;
        }
    }
    if (node->operation == WHOLE_POWER) {
        /* The base of a power must stay until the power is complete. */
        to = t->uses[i].place = add_powers(t, places[0], (int)node->value, key_a_of(nodes, i));
        return to != NOWHERE && end_use(t, node->a, i);
    }
    for (k = 0; k < count; k++) {
        if (!end_operand(t, nodes, i, read[k], places[k])) {
            return 0;
        }
    }
    to = t->uses[i].place = take_register(t);
    in = add_instruction(t, node->operation, to, places[0], places[1]);
    if (in == NULL) {
        return 0;
    }
    in->operands = (uint8_t)count;
    in->source[0] = places[2];
    set_keys(in, key_a_of(nodes, i));
    return 1;
}

/* Assemble the tape of a parsed network; return 0 without memory. */
static int assemble(Tape *t, const Parser *p) {
    const Nodes *nodes = &p->nodes;
    int32_t i;
    t->count = t->registers = t->free_count = 0;
    t->output_count = p->output_count;
    t->softmax = p->softmax;
    t->is_logical = 0;
    if (!RESERVE(t->uses, t->uses_capacity, nodes->count) ||
        !RESERVE(t->outputs, t->outputs_capacity, p->output_count)) {
        return 0;
    }
    find_uses(p, t->uses);
    for (i = 0; i < nodes->count; i++) {
        const Node *node = &nodes->items[i];
        if (node->operation == INPUT) {
            t->uses[i].place = -1 - node->a;
        } else if (node->operation != CONSTANT && t->uses[i].readers > 0 &&
                   t->uses[i].position == i) {
            int is_sum = node->operation <= ADD_CONSTANT || node->operation == OF_sig;
            if (is_sum ? !add_sum_of(t, nodes, i) : !add_function(t, nodes, i)) {
                return 0;
            }
        }
    }
    for (i = 0; i < p->output_count; i++) {
        t->outputs[i] = operand(t, nodes, p->outputs[i]);
        if (t->outputs[i] == NOWHERE) {
            return 0;
        }
    }
    return 1;
}
#endif
