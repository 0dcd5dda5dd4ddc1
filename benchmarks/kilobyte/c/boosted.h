/* Boosted trees of one depth: the column and the threshold of each node, then a byte per leaf.
 *
 * The trees of the classes follow each other in turn; of two classes there is one sum.
 */
enum { NODES = (1 << DEPTH) - 1, BYTES = 2 * NODES + NODES + 1 };

int predict(const int8_t *row)
{
    int16_t sums[OUTPUTS];
    const int8_t *tree = trees;
    uint8_t output, best = 0;
    uint16_t round;
    for (output = 0; output < OUTPUTS; output++)
        sums[output] = READ16(&starts[output]);
    for (round = 0; round < ROUNDS; round++)
        for (output = 0; output < OUTPUTS; output++, tree += BYTES) {
            uint8_t node = 0;
            while (node < NODES) {
                const int8_t *at = tree + 2 * node;
                node = (uint8_t)(2 * node + 1 + (row[(uint8_t)READ8(at)] > READ8(at + 1)));
            }
            sums[output] += READ8(tree + NODES + node);
        }
#if OUTPUTS == 1
    return sums[0] > 0;
#endif
    for (output = 1; output < OUTPUTS; output++)
        if (sums[output] > sums[best])
            best = output;
    return best;
}
