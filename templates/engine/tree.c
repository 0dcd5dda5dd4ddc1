/* Local variation of derivation trees: dsgec/grammar/genome/tree.py.
 *
 * A tree is its nodes in the order in which the mapping reads them. It is planted from the slots,
 * which hold a parent's genes, edited at one place, and gathered into the slots again. */
#include "express.c"
#include "variant.h"
#if TREES && !defined(DSGEC_TREE_C)
#define DSGEC_TREE_C

enum { NO_NODE = -1 };

/* `end`: the position behind the last node below, where `set_ends` was called. `origin`: the position in the parent that it is
 * kept from, or -1; the father's count from behind the mother's. */
typedef struct {
    int32_t rule, choice, depth, end, origin;
} TreeNode;

/* `counts`: the nodes of each rule, of a tree that was planted. */
typedef struct {
    TreeNode *items;
    size_t capacity;
    int32_t count, counts[MOST_RULES];
} Tree;

/* A symbol to expand, at a depth of its recursion. */
typedef struct {
    int32_t rule, depth;
} PendingSymbol;

/* Tells which layer's gene <features> is read from, while it is shown the nodes of a tree in order.
 * `open` has, for each node above the next, how many of its children are to come. */
typedef struct {
    int32_t *open;
    size_t capacity;
    int32_t count, hidden, role, height;
} Layers;

/* A node to look at, or -1, behind so many separators of neurons; `hidden` in parentheses. */
typedef struct {
    int32_t node, gap, hidden;
} Visit;

/* The anchors of the neurons of a tree, or -1, and where those of each layer begin among them. */
typedef struct {
    int32_t *items, *first;
    size_t items_capacity, first_capacity;
    int32_t count, layers;
} Anchors;

/* What one thread edits trees with. */
typedef struct {
    Tree mother, father, edited;
    PendingSymbol *todo;
    Visit *visits;
    int32_t *places, *chain; /* of nodes */
    int32_t *ordinals;       /* of the numbers, by their origins */
    int32_t *codes;          /* of the edited tree's neurons, by the origins of their anchors */
    size_t todo_capacity, visits_capacity, places_capacity, chain_capacity;
    size_t ordinals_capacity, codes_capacity;
    Layers layers;
    Anchors before, after;
    int32_t weights; /* of the mother */
    int out_of_memory;
} Trees;

static void free_trees(Trees *t) {
    free(t->mother.items);
    free(t->father.items);
    free(t->edited.items);
    free(t->todo);
    free(t->visits);
    free(t->places);
    free(t->chain);
    free(t->ordinals);
    free(t->codes);
    free(t->layers.open);
    free(t->before.items);
    free(t->before.first);
    free(t->after.items);
    free(t->after.first);
}

static inline const Branch *branch_of(int32_t rule, int32_t choice) {
    static const Branch none = {0, 0, 0, 0};
    return choice < 0 || choice >= rules[rule].productions
               ? &none
               : &branches[rules[rule].first_production + choice];
}

static int32_t part_of(Layers *layers, int32_t rule) {
    if (!DYNAMIC) {
        return 0;
    }
    if (layers->role < 0 && (rule == grammar.layer || rule == grammar.output_layer)) {
        layers->role = rule;
        layers->height = layers->count;
    }
    return rule == grammar.features && layers->role >= 0 ? layers->hidden + 1 : 0;
}

/* Take note of a node with so many children, and of all nodes that end with it. */
static int pass_node(Layers *layers, int32_t children) {
    if (!DYNAMIC) {
        return 1;
    }
    if (children > 0) {
        if (!RESERVE(layers->open, layers->capacity, layers->count + 1)) {
            return 0;
        }
        layers->open[layers->count++] = children;
        return 1;
    }
    for (;;) {
        if (layers->role >= 0 && layers->count == layers->height) {
            layers->hidden += layers->role == grammar.layer;
            layers->role = -1;
        }
        if (layers->count == 0 || --layers->open[layers->count - 1] > 0) {
            return 1;
        }
        layers->count--;
    }
}

static TreeNode *add_tree_node(Trees *t, Tree *tree) {
    if (!RESERVE(tree->items, tree->capacity, tree->count + 1)) {
        t->out_of_memory = 1;
        return NULL;
    }
    return &tree->items[tree->count++];
}

/* The children of a node go on the stack of symbols to expand, for which there is room: its end. */
static inline PendingSymbol *put_pending(PendingSymbol *todo, const Branch *branch, int32_t depth) {
    int32_t k;
    for (k = branch->children - 1; k >= 0; k--) {
        int32_t child = child_symbols[branch->first_child + k];
        todo->rule = child >> 1;
        todo->depth = child & 1 ? depth + 1 : 0;
        todo++;
    }
    return todo;
}

static inline int32_t count_children(const TreeNode *node) {
    return makes_weights(node->rule) ? 0 : branch_of(node->rule, node->choice)->children;
}

/* The ends of a node and of all below it. */
static void set_ends(Tree *tree, int32_t at) {
    int32_t i = at, to_come = 1, k;
    for (; to_come > 0; i++) {
        to_come += count_children(&tree->items[i]) - 1;
    }
    for (i--; i >= at; i--) {
        TreeNode *node = &tree->items[i];
        node->end = i + 1;
        for (k = count_children(node); k > 0; k--) {
            node->end = tree->items[node->end].end;
        }
    }
}

/* Room for a tree that has no more nodes than the slots have integers. */
static int have_tree(Trees *t, const Slots *slots, Tree *tree, int32_t first) {
    size_t most = 1;
    int32_t i;
    for (i = 0; i < slots->count; i++) {
        most += (size_t)slots->items[i].length;
    }
    if (!RESERVE(tree->items, tree->capacity, most) || !RESERVE(t->todo, t->todo_capacity, most) ||
        !RESERVE(t->ordinals, t->ordinals_capacity, (size_t)first + most)) {
        t->out_of_memory = 1;
        return 0;
    }
    return 1;
}

/* The tree of the genes in the slots, which have all that is read: the number of its numbers. The
 * origins of its nodes count from `first` on, its numbers from `first_number` on. */
static int32_t plant(Trees *t, Slots *slots, Tree *tree, int32_t first, int32_t first_number) {
    PendingSymbol *todo;
    int32_t number = first_number, i;
    tree->count = 0;
    memset(tree->counts, 0, sizeof tree->counts);
    t->layers.count = t->layers.hidden = 0;
    t->layers.role = -1;
    read_again(slots);
    if (!have_tree(t, slots, tree, first)) {
        return 0;
    }
    todo = t->todo;
    todo->rule = grammar.start;
    todo->depth = 0;
    todo++;
    for (i = 0; todo > t->todo; i++) {
        const PendingSymbol next = *--todo;
        Slot *slot = &slots->items[find_slot(next.rule, part_of(&t->layers, next.rule))];
        TreeNode *node = &tree->items[i];
        int32_t children = 0;
        tree->counts[next.rule]++;
        node->rule = next.rule;
        node->depth = next.depth;
        node->choice = slot->values[slot->read++];
        node->origin = first + i;
        t->ordinals[first + i] = number;
        if (makes_weights(next.rule)) {
            number++;
        } else {
            const Branch *branch = branch_of(next.rule, node->choice);
            children = branch->children;
            todo = put_pending(todo, branch, next.depth);
        }
        if (!pass_node(&t->layers, children)) {
            t->out_of_memory = 1;
            return 0;
        }
    }
    tree->count = i;
    return number - first_number;
}

/* The genes of the edited tree, into the slots. */
static int gather(Trees *t, Slots *slots) {
    int32_t i;
    clear_slots(slots);
    t->layers.count = t->layers.hidden = 0;
    t->layers.role = -1;
    for (i = 0; i < t->edited.count; i++) {
        const TreeNode *node = &t->edited.items[i];
        int32_t part = part_of(&t->layers, node->rule);
        Slot *slot;
        if (!have_slots(slots, part)) {
            return NO_MEMORY;
        }
        slot = &slots->items[find_slot(node->rule, part)];
        if (!put_value(slot, slot->length, node->choice) ||
            !pass_node(&t->layers, branch_of(node->rule, node->choice)->children)) {
            return NO_MEMORY;
        }
    }
    return OK;
}

/* Append the nodes from `start` to before `end`. */
static void keep_nodes(Trees *t, const Tree *from, int32_t start, int32_t end) {
    size_t count = (size_t)(end - start);
    if (count == 0 || t->out_of_memory) {
        return;
    }
    if (!RESERVE(t->edited.items, t->edited.capacity, (size_t)t->edited.count + count)) {
        t->out_of_memory = 1;
        return;
    }
    memcpy(t->edited.items + t->edited.count, from->items + start, count * sizeof *from->items);
    t->edited.count += end - start;
}

/* Append a new tree below a symbol. What a neuron reads is left open: the mapping draws it. */
static void grow_nodes(Trees *t, int32_t rule, int32_t depth, double growth, Stream *random) {
    size_t pending = 1;
    if (!RESERVE(t->todo, t->todo_capacity, 1)) {
        t->out_of_memory = 1;
    }
    if (t->out_of_memory) {
        return;
    }
    t->todo[0].rule = rule;
    t->todo[0].depth = depth;
    while (pending > 0) {
        PendingSymbol next = t->todo[--pending];
        TreeNode *node = add_tree_node(t, &t->edited);
        const Branch *branch;
        if (node == NULL) {
            return;
        }
        node->rule = next.rule;
        node->depth = next.depth;
        node->origin = -1;
        node->choice = DYNAMIC && next.rule == grammar.features
                           ? NO_NODE
                           : grow_choice(next.rule, level_of(&rules[next.rule], next.depth),
                                         growth, random);
        branch = branch_of(next.rule, node->choice);
        if (!RESERVE(t->todo, t->todo_capacity, pending + (size_t)branch->children)) {
            t->out_of_memory = 1;
            return;
        }
        pending = (size_t)(put_pending(t->todo + pending, branch, next.depth) - t->todo);
    }
}
#endif
