/* Local variation of derivation trees: dsgec/grammar/genome/tree.py. A tree is a list of its nodes
 * in the order in which the mapping reads them. It is planted from the slots, which hold the genes
 * of a parent, edited at one place, and gathered into the slots again. */
#include "express.c"
#include "variant.h"
#if TREES && !defined(DSGEC_TREE_C)
#define DSGEC_TREE_C

enum { NO_NODE = -1 };

/* A node. `end` is the position after its last descendant, once `set_ends` was called. `origin` is
 * its position in the parent, or -1 if it is new; positions in the father follow those in the
 * mother. */
typedef struct {
    int32_t rule, choice, depth, end, origin;
} TreeNode;

/* A tree; `counts` holds the number of nodes of each rule after planting. `size` is that of its
 * phenotype, in an individual that keeps its tree. */
typedef struct {
    TreeNode *items;
    size_t capacity;
    int64_t size;
    int32_t count, counts[MOST_RULES];
} Tree;

/* Whether individuals keep the trees that were written without repair. Their nodes need no origins:
 * nothing is learned, and no reference follows a neuron. */
enum { KEEPS_TREES = EXTERNAL && !DYNAMIC };

/* A symbol to expand, at a depth of its recursion. */
typedef struct {
    int32_t rule, depth;
} PendingSymbol;

/* Tracks which layer's gene <features> is read from while the nodes of a tree pass in order. `open`
 * holds, for each ancestor of the next node, how many of its children are still to come. */
typedef struct {
    int32_t *open;
    size_t capacity;
    int32_t count, hidden, role, height;
} Layers;

/* A node to visit, or -1, after so many neuron separators; `hidden` if it is in parentheses. */
typedef struct {
    int32_t node, gap, hidden;
} Visit;

/* The anchors of the neurons of a tree, or -1, and the index of the first one of each layer. */
typedef struct {
    int32_t *items, *first;
    size_t items_capacity, first_capacity;
    int32_t count, layers;
} Anchors;

/* The working memory of a thread that edits trees. */
typedef struct {
    Tree mother, father, edited;
    PendingSymbol *todo;
    Visit *visits;
    int32_t *places, *chain; /* of nodes */
    int32_t *ordinals;       /* indices of the weights, by origin */
    int32_t *codes;          /* of the edited tree's neurons, by origin of their anchors */
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

/* Pass a node with so many children, and leave all nodes that end with it. */
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

/* Push the children of a node on the stack of symbols to expand, which has room for them; return
 * its new end. */
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

/* Set the ends of a node and of its descendants. */
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

/* Make room for a tree, which has at most as many nodes as the slots have integers. */
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

/* Copy a tree that an individual keeps; return 0 without memory. */
static int copy_tree(Tree *to, const Tree *from) {
    if (!RESERVE(to->items, to->capacity, from->count)) {
        return 0;
    }
    if (from->count > 0) {
        memcpy(to->items, from->items, (size_t)from->count * sizeof *to->items);
    }
    to->size = from->size;
    to->count = from->count;
    memcpy(to->counts, from->counts, sizeof to->counts);
    return 1;
}

static void swap_trees(Tree *a, Tree *b) {
    Tree moved = *a;
    *a = *b;
    *b = moved;
}

static int32_t count_weights(const Tree *tree) {
    int32_t rule, count = 0;
    for (rule = 0; rule < grammar.rules; rule++) {
        count += makes_weights(rule) ? tree->counts[rule] : 0;
    }
    return count;
}

/* Build the tree of the genes in the slots, which are complete, and return the number of its
 * weights. The origins of its nodes start at `first`, the indices of its weights at
 * `first_number`. */
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

/* Store the genes of the edited tree in the slots. */
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

/* Count the nodes of a part of a tree, which gets so many times more of each. */
static void count_nodes(Tree *tree, const TreeNode *part, int32_t count, int32_t times) {
    int32_t i;
    for (i = 0; i < count; i++) {
        tree->counts[part[i].rule] += times;
    }
}

/* Append the nodes from `start` up to `end` to the edited tree. */
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

/* Append a new subtree of a symbol. Connections are left open: the mapping draws them. */
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
