/* Bonsai: a row is projected, and all nodes on its path through a tree add to the scores.
 *
 * A score is w.z * tanh(v.z), where tanh is two parabolas; numbers are shifted, not divided.
 */
enum { INNER = (1 << DEPTH) - 1, NODES = 2 * INNER + 1 };

static int32_t dot(const int8_t *weight, const int8_t *values, column_count count)
{
    int32_t sum = 0;
    while (count--)
        sum += (int16_t)READ8(weight++) * *values++;
    return sum;
}

int predict(const int8_t *row)
{
    int8_t z[PROJECTED];
    int32_t scores[OUTPUTS];
    uint8_t i, node = 0, best = 0;
    for (i = 0; i < PROJECTED; i++) {
        int32_t sum = (dot(projection + i * COLUMNS, row, COLUMNS) + READ16(&biases[i])) >> SHIFT;
        z[i] = (int8_t)(sum < -127 ? -127 : sum > 127 ? 127 : sum);
    }
    for (i = 0; i < OUTPUTS; i++)
        scores[i] = 0;
    for (;;) {
        for (i = 0; i < OUTPUTS; i++) {
            const uint16_t at = (uint16_t)(node * OUTPUTS + i) * PROJECTED;
            int32_t bend = (dot(v + at, z, PROJECTED) << 2) >> BEND_SHIFT; /* 512 is 2 */
            const int32_t size = bend < 0 ? -bend : bend;
            bend = size >= 512 ? (bend < 0 ? -256 : 256) : (bend * (1024 - size)) >> 10;
            scores[i] += dot(w + at, z, PROJECTED) * bend;
        }
        if (node >= INNER)
            break;
        node = (uint8_t)(2 * node + 1 + (dot(theta + node * PROJECTED, z, PROJECTED) <= 0));
    }
#if OUTPUTS == 1
    return scores[0] > 0;
#endif
    for (i = 1; i < OUTPUTS; i++)
        if (scores[i] > scores[best])
            best = i;
    return best;
}
