/* Count what the C of a network executes for a row, by kinds: `count_work` of
 * dsgec/network/cost/work.py. The network is traversed in the order in which it is printed, through
 * the operations on the columns before it, which Python gives as a list. */
#ifndef DSGEC_WORK_C
#define DSGEC_WORK_C
#include "simplify.c"

#define OTHER_KINDS(X)                                                                          \
    X(div_number) X(fill) X(is) X(flag_add) X(flag_sub) X(flag_mul) X(number) X(read) X(kept)   \
    X(live) X(distinct) X(column) X(required) X(refusing) X(listed) X(output)                   \
    X(softmax_output) X(two_classes) X(lone_output) X(classes) X(class)

typedef enum {
    BEFORE_KINDS = F_NONE - 1, /* the first kinds are functions */
#define X(name) W_##name,
    OTHER_KINDS(X)
#undef X
    KINDS
} Kind;

static const char *const other_kinds[] = {
#define X(name) #name,
    OTHER_KINDS(X)
#undef X
};

const char *dsgec_engine_kind(int64_t number) {
    if (number < 0 || number >= KINDS) {
        return NULL;
    }
    return number < F_NONE ? function_names[number] : other_kinds[number - F_NONE];
}

/* The traversal, over the nodes of the network, then over the operations before it. `order` lists
 * those that are neither constants nor columns in the order of execution; `last_use` holds the
 * position in `order` that reads each of them last. */
typedef struct {
    const Nodes *nodes;
    const dsgec_engine_prologue *prologue;
    Shared constants;
    uint8_t *done; /* 2: a flag, which encodes a category, or a product with one */
    int32_t *todo, *order, *last_use;
    size_t done_capacity, todo_capacity, order_capacity, last_use_capacity;
    int32_t todo_count, order_count;
    int64_t counts[KINDS];
} Work;

static void free_work(Work *w) {
    free(w->constants.nodes.items);
    free(w->constants.table);
    free(w->done);
    free(w->todo);
    free(w->order);
    free(w->last_use);
}

static int is_power_of_two(double value) {
    uint64_t bits = dsgec_bits(value) & (UINT64_MAX >> 1);
    uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
    return bits >> 52 > 0 ? fraction == 0 : fraction != 0 && (fraction & (fraction - 1)) == 0;
}

static int is_negated(const Node *node) {
    return node->operation == AS_WRITTEN + F_neg ||
           (node->operation == CONSTANT && node->value < 0.0);
}

/* Return the kind of a multiplication by this factor, or -1. */
static int32_t kind_of_product(const Node *factor) {
    if (factor->operation != CONSTANT) {
        return -1;
    }
    return factor->value == -1.0 ? (int32_t)F_neg : factor->value == 2.0 ? (int32_t)F_add : -1;
}

/* Return the kind of a binary function, as compilers translate it. */
static int32_t kind_of_pair(int32_t function, const Node *a, const Node *b) {
    int32_t kind;
    switch (function) {
    case F_add: return is_negated(a) || is_negated(b) ? F_sub : F_add;
    case F_sub: return is_negated(b) ? F_add : F_sub;
    case F_mul:
        kind = kind_of_product(a);
        kind = kind < 0 ? kind_of_product(b) : kind;
        return kind < 0 ? (int32_t)F_mul : kind;
    case F_div:
        if (b->operation == CONSTANT) {
            return is_power_of_two(b->value) ? (int32_t)F_mul : (int32_t)W_div_number;
        }
        return F_div;
    default: return function;
    }
}

/* Return a node or an operation; an input of the network is the operation that computes it. */
static dsgec_engine_operation look_at(const Work *w, int32_t number) {
    dsgec_engine_operation found = {0, -1, -1, -1, 0.0};
    const Node *node;
    int32_t count = w->nodes->count;
    if (number >= count) {
        found = w->prologue->operations[number - count];
        if (found.kind >= 0) {
            found.a += count;
            found.b += found.b < 0 ? 0 : count;
        }
        return found;
    }
    node = &w->nodes->items[number];
    if (node->operation == CONSTANT) {
        found.kind = CONSTANT_LEAF;
        found.value = node->value;
        return found;
    }
    found.a = node->a;
    found.b = node->b;
    found.c = third_of(node);
    found.kind = node->operation - AS_WRITTEN;
    if (node->b >= 0) {
        found.kind = kind_of_pair(found.kind, &w->nodes->items[node->a], &w->nodes->items[node->b]);
    }
    return found;
}

/* Return an argument, or the operation that computes it, or -1 if there is none. */
static int32_t follow_input(const Work *w, int32_t number) {
    const Node *node = number < 0 ? NULL : number < w->nodes->count ? &w->nodes->items[number] : NULL;
    if (node == NULL || node->operation != INPUT) {
        return number;
    }
    return w->nodes->count + w->prologue->features[node->a];
}

static void count_power(Work *w, double exponent) {
    unsigned left = (unsigned)(exponent < 0.0 ? -exponent : exponent);
    for (; left > 1; left >>= 1) {
        w->counts[F_mul] += 1 + (left & 1);
    }
    w->counts[F_div] += exponent < 0.0;
}

/* Count an argument of the next operation. */
static void count_argument(Work *w, int32_t number) {
    dsgec_engine_operation argument = look_at(w, number);
    w->last_use[number] = w->order_count;
    if (argument.kind == CONSTANT_LEAF) {
        w->counts[W_number]++;
        share_constant(&w->constants, argument.value == 0.0 ? 0.0 : argument.value);
    } else if (argument.kind == COLUMN_LEAF) {
        w->counts[W_read]++;
    } else {
        w->counts[W_kept] += w->order_count == 0 || number != w->order[w->order_count - 1];
    }
}

/* Return the kind of an operation on a flag, which the routines of many compilers execute
 * faster. */
static int32_t kind_with_flag(int32_t kind) {
    switch (kind) {
    case F_add: return W_flag_add;
    case F_sub: return W_flag_sub;
    case F_mul: return W_flag_mul;
    default: return kind;
    }
}

/* Count an operation whose arguments have been counted; return whether it is a flag. */
static int count_operation(Work *w, int32_t number, const dsgec_engine_operation *operation) {
    int32_t a, b, c, kind = operation->kind;
    if (kind == COLUMN_LEAF) {
        w->counts[W_column]++;
        w->counts[W_required] += w->prologue->required[operation->a];
    }
    if (kind < 0) {
        return 0;
    }
    a = follow_input(w, operation->a);
    b = follow_input(w, operation->b);
    c = follow_input(w, operation->c);
    count_argument(w, a);
    if (kind == F_pow) {
        count_power(w, look_at(w, b).value);
    } else {
        if (w->done[a] == 2 || (b >= 0 && w->done[b] == 2)) {
            kind = kind_with_flag(kind);
        }
        w->counts[kind]++;
        if (b >= 0) {
            count_argument(w, b);
        }
        if (c >= 0) {
            count_argument(w, c);
        }
    }
    w->order[w->order_count++] = number;
    return kind == W_is || kind == W_flag_mul;
}

/* Return whether a stored value is used for the last time. */
static int ends_with(const Work *w, int32_t number, int32_t place) {
    return number >= 0 && w->last_use[number] == place && look_at(w, number).kind >= 0;
}

/* Return the maximum number of live values. */
static int64_t count_live(const Work *w) {
    int64_t live = 0, most = 0;
    int32_t i;
    for (i = 0; i < w->order_count; i++) {
        dsgec_engine_operation operation = look_at(w, w->order[i]);
        int32_t a = follow_input(w, operation.a);
        int32_t b = follow_input(w, operation.b), c = follow_input(w, operation.c);
        live += 1 - ends_with(w, a, i) - (b != a && ends_with(w, b, i)) -
                (c != a && c != b && ends_with(w, c, i));
        most = live > most ? live : most;
    }
    return most;
}

static int count_later(Work *w, int32_t number) {
    if (number < 0 || w->done[number]) {
        return 1;
    }
    if (!RESERVE(w->todo, w->todo_capacity, w->todo_count + 1)) {
        return 0;
    }
    w->todo[w->todo_count++] = number;
    return 1;
}

/* Count a node after its arguments, from left to right; return 0 without memory. */
static int count_from(Work *w, int32_t root) {
    w->todo_count = 0;
    if (!count_later(w, follow_input(w, root))) {
        return 0;
    }
    while (w->todo_count > 0) {
        int32_t top = w->todo[w->todo_count - 1], waiting = w->todo_count;
        dsgec_engine_operation operation = look_at(w, top);
        if (!w->done[top] && operation.kind >= 0 &&
            (!count_later(w, follow_input(w, operation.c)) ||
             !count_later(w, follow_input(w, operation.b)) ||
             !count_later(w, follow_input(w, operation.a)))) {
            return 0;
        }
        if (w->todo_count > waiting) {
            continue;
        }
        w->todo_count--;
        if (!w->done[top]) {
            w->done[top] = (uint8_t)(1 + count_operation(w, top, &operation));
        }
    }
    return 1;
}

/* Count what depends on the outputs as a whole. */
static void count_outputs(Work *w, int32_t outputs, int softmax) {
    const dsgec_engine_prologue *p = w->prologue;
    w->counts[W_output] = outputs;
    w->counts[F_softmax] = softmax;
    w->counts[W_softmax_output] = softmax ? outputs : 0;
    if (p->classes > 0 && (outputs == 1 || p->has_threshold)) {
        w->counts[W_two_classes] = 1;
        w->counts[W_lone_output] = outputs == 1;
    } else if (p->classes > 0) {
        w->counts[W_classes] = 1;
        w->counts[W_class] = outputs;
    }
}

/* Return the node that decides the class: a single output needs no sigmoid. */
static int32_t find_deciding(const Work *w, int32_t output, int32_t outputs, int softmax) {
    int is_lone = w->prologue->classes > 0 && outputs == 1 && !softmax;
    dsgec_engine_operation operation = look_at(w, output);
    return is_lone && operation.kind == F_sig ? operation.a : output;
}

/* Count the work of a simplified network, up to its class; return 0 without memory. */
static int count_work(Work *w, const SimplifiedNetwork *s, int softmax,
                      const dsgec_engine_prologue *prologue) {
    const Nodes *nodes = &s->folded.nodes;
    size_t all = (size_t)nodes->count + (size_t)prologue->count;
    int32_t i, last;
    int counted = open_shared(&w->constants, (int32_t)all) &&
                  RESERVE(w->done, w->done_capacity, all) &&
                  RESERVE(w->order, w->order_capacity, all) &&
                  RESERVE(w->last_use, w->last_use_capacity, all);
    if (!counted) {
        return 0;
    }
    w->nodes = nodes;
    w->prologue = prologue;
    w->order_count = 0;
    memset(w->counts, 0, sizeof w->counts);
    memset(w->done, 0, all * sizeof *w->done);
    if (prologue->classes > 0 && !prologue->has_threshold && s->output_count > 1) {
        softmax = 0; /* the class is that of the largest output */
    }
    for (i = 0; counted && i < s->kept_count; i++) {
        last = s->kept[i] == s->outputs[0]
                   ? find_deciding(w, s->kept[i], s->output_count, softmax) : s->kept[i];
        counted = count_from(w, last);
    }
    for (i = 0; counted && i < s->output_count; i++) {
        last = find_deciding(w, s->outputs[i], s->output_count, softmax);
        counted = count_from(w, last);
    }
    for (i = 0; i < s->output_count; i++) { /* they are stored at the end */
        last = find_deciding(w, s->outputs[i], s->output_count, softmax);
        w->last_use[follow_input(w, last)] = INT32_MAX;
    }
    w->counts[W_live] = count_live(w);
    w->counts[W_distinct] = w->constants.nodes.count;
    w->counts[W_refusing] = w->counts[W_required] > 0;
    w->counts[W_listed] =
        w->counts[W_required] < prologue->columns ? w->counts[W_required] : 0;
    count_outputs(w, s->output_count, softmax);
    return counted;
}
#endif
