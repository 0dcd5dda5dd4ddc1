/* One hidden layer of clipped relu in bytes, and the class with the largest output. */
static int32_t dot(const int8_t *weight, const int8_t *row, column_count count)
{
    int32_t sum = 0;
    while (count--)
        sum += (int16_t)READ8(weight++) * *row++;
    return sum;
}

int predict(const int8_t *row)
{
    int8_t hidden[HIDDEN];
    int32_t largest = 0;
    uint8_t i, best = 0;
    for (i = 0; i < HIDDEN; i++) {
        int32_t sum = dot(weights + i * COLUMNS, row, COLUMNS);
        sum = (sum + ((int32_t)READ16(&biases[i]) << BIAS_SHIFT)) >> SHIFT;
        hidden[i] = (int8_t)(sum < 0 ? 0 : sum > 127 ? 127 : sum);
    }
    for (i = 0; i < OUTPUTS; i++) {
        int32_t sum = dot(output_weights + i * HIDDEN, hidden, HIDDEN);
        sum += (int32_t)READ16(&output_biases[i]) << OUTPUT_BIAS_SHIFT;
#if OUTPUTS == 1
        return sum > 0;
#endif
        if (i == 0 || sum > largest) {
            largest = sum;
            best = i;
        }
    }
    return best;
}
