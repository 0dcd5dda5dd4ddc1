/* ProtoNN: a row is projected, and each prototype adds its scores, less the further away it is. */
int predict(const int8_t *row)
{
    int8_t z[PROJECTED];
    int32_t scores[OUTPUTS];
    const int8_t *place = places, *own = labels;
    uint8_t i, j, best = 0;
    for (i = 0; i < PROJECTED; i++) {
        const int8_t *weight = projection + i * COLUMNS;
        int32_t sum = READ16(&biases[i]);
        column_count column;
        for (column = 0; column < COLUMNS; column++)
            sum += (int16_t)READ8(weight++) * row[column];
        sum >>= SHIFT;
        z[i] = (int8_t)(sum < -127 ? -127 : sum > 127 ? 127 : sum);
    }
    for (i = 0; i < OUTPUTS; i++)
        scores[i] = 0;
    for (j = 0; j < PROTOTYPES; j++) {
        uint32_t far = 0, whole;
        int32_t near, part;
        for (i = 0; i < PROJECTED; i++) {
            const int16_t off = (int16_t)(z[i] - READ8(place++));
            far += (uint32_t)((int32_t)off * off);
        }
        far = (far * RATE) >> RATE_SHIFT; /* 256 halves it */
        whole = far >> 8;
        part = (int32_t)(far & 255);
        /* 2 to the power of the fraction by a parabola, with 12 bits */
        near = 4096 - ((part * (2721 - ((part * 673) >> 8))) >> 8);
        near = whole > 20 ? 0 : near >> whole;
        for (i = 0; i < OUTPUTS; i++)
            scores[i] += READ8(own++) * near;
    }
    for (i = 1; i < OUTPUTS; i++)
        if (scores[i] > scores[best])
            best = i;
    return best;
}
