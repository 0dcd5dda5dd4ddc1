/* Simplify a network that was parsed as written: dsgec/network/simplify.py. */
#ifndef DSGEC_SIMPLIFY_C
#define DSGEC_SIMPLIFY_C
#include "parse.c"
#include "scores.c"

/* Distinct nodes; `table` holds 1 + the index of each, or 0. */
typedef struct {
    Nodes nodes;
    int32_t *table;
    size_t table_capacity, table_size;
} Shared;

/* The stages of simplifying: `shared` is the network as written, `folded` what is left of it, and
 * `moved` maps the nodes of one stage to the next. For a node of `folded`: `live` if an output
 * depends on it, `layer` and `number` from 1 on if it is a neuron. */
typedef struct {
    Shared shared, folded;
    int32_t *moved, *neurons, *layers, *outputs;
    size_t moved_capacity, neurons_capacity, layers_capacity, outputs_capacity;
    int32_t *live, *layer, *number;
    size_t live_capacity, layer_capacity, number_capacity;
    int32_t *kept; /* the remaining neurons, layer by layer */
    size_t kept_capacity;
    int32_t neuron_count, layer_count, output_count, kept_count, kept_layers;
} SimplifiedNetwork;

static void free_simplified(SimplifiedNetwork *s) {
    free(s->shared.nodes.items);
    free(s->shared.table);
    free(s->folded.nodes.items);
    free(s->folded.table);
    free(s->moved);
    free(s->neurons);
    free(s->layers);
    free(s->outputs);
    free(s->live);
    free(s->layer);
    free(s->number);
    free(s->kept);
}

/* Clear it, with room for so many nodes; return 0 without memory. */
static int open_shared(Shared *s, int32_t most) {
    s->table_size = 16;
    while (s->table_size < 2 * (size_t)most) {
        s->table_size *= 2;
    }
    if (!RESERVE(s->nodes.items, s->nodes.capacity, most) ||
        !RESERVE(s->table, s->table_capacity, s->table_size)) {
        return 0;
    }
    memset(s->table, 0, s->table_size * sizeof *s->table);
    s->nodes.count = s->nodes.first = 0;
    return 1;
}

/* Return the index of the node that is equal to this one, adding it if there is none. */
static int32_t share(Shared *s, int operation, int32_t a, int32_t b, double value) {
    uint64_t bits = dsgec_bits(value);
    uint64_t arguments = (uint64_t)(uint32_t)a << 32 | (uint32_t)b;
    uint64_t hash = finish(bits ^ finish(arguments ^ (uint64_t)operation << 56));
    size_t at = (size_t)hash & (s->table_size - 1);
    for (; s->table[at] != 0; at = (at + 1) & (s->table_size - 1)) {
        const Node *node = &s->nodes.items[s->table[at] - 1];
        if (node->operation == operation && node->a == a && node->b == b &&
            dsgec_bits(node->value) == bits) {
            return s->table[at] - 1;
        }
    }
    s->table[at] = s->nodes.count + 1;
    return add_node(&s->nodes, (Operation)operation, a, b, value);
}

static int32_t share_constant(Shared *s, double value) {
    return share(s, CONSTANT, -1, -1, value);
}

static int is_constant(const Shared *s, int32_t node) {
    return s->nodes.items[node].operation == CONSTANT;
}

/* Return whether the node is this constant, including its sign. */
static int is_same_constant(const Shared *s, int32_t node, double value) {
    return is_constant(s, node) && dsgec_bits(s->nodes.items[node].value) == dsgec_bits(value);
}

/* Add a function of nodes, folded as by `_apply` of simplify.py: the same cases in the same
 * order. */
static int32_t fold(Shared *s, int function, int32_t a, int32_t b, int32_t c) {
    int left = is_constant(s, a), right = b >= 0 && is_constant(s, b);
    if (left && (b < 0 || right) && (c < 0 || is_constant(s, c))) {
        double value = apply_constants(function, s->nodes.items[a].value,
                                       b < 0 ? 0.0 : s->nodes.items[b].value,
                                       c < 0 ? 0.0 : s->nodes.items[c].value);
        if (value - value == 0.0) {
            return share_constant(s, value);
        }
    } else if (function == F_if) {
        if (left || b == c) {
            return left && !(s->nodes.items[a].value > 0.0) ? c : b;
        }
    } else if (left || right) {
        if (function == F_mul && is_same_constant(s, a, 1.0)) {
            return b;
        }
        if ((function == F_mul || function == F_div || function == F_pow) &&
            is_same_constant(s, b, 1.0)) {
            return a;
        }
        if (function == F_sub && is_same_constant(s, b, 0.0)) {
            return a;
        }
        if (function == F_add && is_same_constant(s, b, -0.0)) {
            return a;
        }
        if (function == F_add && is_same_constant(s, a, -0.0)) {
            return b;
        }
        if (function == F_pow && right && s->nodes.items[b].value == 0.0) {
            return share_constant(s, 1.0);
        }
    } else if (function == F_neg && s->nodes.items[a].operation == AS_WRITTEN + F_neg) {
        return s->nodes.items[a].a;
    }
    return share(s, AS_WRITTEN + function, a, b, with_third(c));
}

/* Copy all nodes of a list, sharing equal ones and, if `folds`, folding constants. */
static void move_nodes(SimplifiedNetwork *s, const Nodes *from, Shared *to, int folds) {
    int32_t i;
    for (i = 0; i < from->count; i++) {
        const Node *node = &from->items[i];
        if (node->operation < AS_WRITTEN) {
            s->moved[i] = share(to, node->operation, node->a, node->b, node->value);
        } else {
            int32_t a = s->moved[node->a], b = node->b < 0 ? -1 : s->moved[node->b];
            int32_t c = third_of(node) < 0 ? -1 : s->moved[third_of(node)];
            s->moved[i] = folds ? fold(to, node->operation - AS_WRITTEN, a, b, c)
                                : share(to, node->operation, a, b, with_third(c));
        }
    }
}

static void follow(const SimplifiedNetwork *s, int32_t *positions, int32_t count) {
    int32_t i;
    for (i = 0; i < count; i++) {
        positions[i] = s->moved[positions[i]];
    }
}

static int is_neuron(const Node *node) {
    return node->operation >= AS_WRITTEN && is_activation[node->operation - AS_WRITTEN];
}

/* Infer the layers of a single expression: every activation but the output is a hidden neuron,
 * whose layer is the nesting depth of activations in it. */
static void infer_layers(SimplifiedNetwork *s) {
    const Nodes *nodes = &s->shared.nodes;
    int32_t *depth = s->live, *own = s->number, *begin = s->layers, i, k, before = 0;
    memset(begin, 0, (size_t)nodes->count * sizeof *begin);
    s->layer_count = s->neuron_count = 0;
    for (i = 0; i < nodes->count; i++) {
        own[i] = is_neuron(&nodes->items[i]);
    }
    for (k = 0; k < s->output_count; k++) {
        own[s->outputs[k]] = 0;
    }
    for (i = 0; i < nodes->count; i++) {
        const Node *node = &nodes->items[i];
        depth[i] = 0;
        if (node->operation < AS_WRITTEN) {
            continue;
        }
        depth[i] = depth[node->a];
        if (node->b >= 0 && depth[node->b] > depth[i]) {
            depth[i] = depth[node->b];
        }
        if (third_of(node) >= 0 && depth[third_of(node)] > depth[i]) {
            depth[i] = depth[third_of(node)];
        }
        if (own[i]) {
            begin[depth[i]++]++; /* at first, the size of each layer */
            s->neuron_count++;
            s->layer_count = depth[i] > s->layer_count ? depth[i] : s->layer_count;
        }
    }
    for (i = 0; i < s->layer_count; i++) {
        int32_t count = begin[i];
        begin[i] = before;
        before += count;
    }
    for (i = 0; i < nodes->count; i++) {
        if (own[i]) {
            s->neurons[begin[depth[i] - 1]++] = i; /* which moves the beginning to the end */
        }
    }
}

static void find_live(SimplifiedNetwork *s) {
    const Nodes *nodes = &s->folded.nodes;
    int32_t i;
    memset(s->live, 0, (size_t)nodes->count * sizeof *s->live);
    for (i = 0; i < s->output_count; i++) {
        s->live[s->outputs[i]] = 1;
    }
    /* Arguments precede their node, so one backward pass finds all. */
    for (i = nodes->count - 1; i >= 0; i--) {
        const Node *node = &nodes->items[i];
        if (s->live[i] && node->operation >= AS_WRITTEN) {
            s->live[node->a] = 1;
            if (node->b >= 0) {
                s->live[node->b] = 1;
            }
            if (third_of(node) >= 0) {
                s->live[third_of(node)] = 1;
            }
        }
    }
}

/* Keep the neurons that are left. One that nothing reads, that was folded to a constant or a
 * feature, or that equals another is removed; so is a layer without neurons. */
static void keep_neurons(SimplifiedNetwork *s) {
    const Nodes *nodes = &s->folded.nodes;
    int32_t layer, i, number;
    s->kept_count = s->kept_layers = 0;
    memset(s->layer, 0, (size_t)nodes->count * sizeof *s->layer);
    for (layer = 0; layer < s->layer_count; layer++) {
        number = 0;
        for (i = layer > 0 ? s->layers[layer - 1] : 0; i < s->layers[layer]; i++) {
            int32_t position = s->neurons[i];
            if (s->live[position] && nodes->items[position].operation >= AS_WRITTEN &&
                s->layer[position] == 0) {
                s->layer[position] = s->kept_layers + 1;
                s->number[position] = ++number;
                s->kept[s->kept_count++] = position;
            }
        }
        s->kept_layers += number > 0;
    }
}

/* Simplify what was parsed as written; return 0 without memory. */
static int simplify(SimplifiedNetwork *s, const Parser *p) {
    int32_t most = p->nodes.count;
    if (!open_shared(&s->shared, most) || !open_shared(&s->folded, most) ||
        !RESERVE(s->moved, s->moved_capacity, most) ||
        !RESERVE(s->neurons, s->neurons_capacity, most + p->neuron_count) ||
        !RESERVE(s->layers, s->layers_capacity, most + p->layer_count) ||
        !RESERVE(s->outputs, s->outputs_capacity, p->output_count) ||
        !RESERVE(s->live, s->live_capacity, most) ||
        !RESERVE(s->layer, s->layer_capacity, most) ||
        !RESERVE(s->number, s->number_capacity, most) ||
        !RESERVE(s->kept, s->kept_capacity, most)) {
        return 0;
    }
    s->neuron_count = p->neuron_count;
    s->layer_count = p->layer_count;
    s->output_count = p->output_count;
    memcpy(s->neurons, p->neurons, (size_t)p->neuron_count * sizeof *s->neurons);
    memcpy(s->layers, p->layers, (size_t)p->layer_count * sizeof *s->layers);
    memcpy(s->outputs, p->outputs, (size_t)p->output_count * sizeof *s->outputs);
    move_nodes(s, &p->nodes, &s->shared, 0);
    follow(s, s->neurons, s->neuron_count);
    follow(s, s->outputs, s->output_count);
    if (!LAYERED) {
        infer_layers(s);
    }
    move_nodes(s, &s->shared.nodes, &s->folded, 1);
    follow(s, s->neurons, s->neuron_count);
    follow(s, s->outputs, s->output_count);
    find_live(s);
    keep_neurons(s);
    return 1;
}
#endif
