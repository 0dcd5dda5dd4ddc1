/* The class with the largest of several sums of a row of bytes; of two classes there is one sum. */
int predict(const int8_t *row)
{
    const int8_t *weight = weights;
    int32_t largest = 0;
    uint8_t output, best = 0;
    column_count column;
    for (output = 0; output < OUTPUTS; output++) {
        int32_t sum = (int32_t)READ16(&biases[output]) << BIAS_SHIFT;
        for (column = 0; column < COLUMNS; column++)
            sum += (int16_t)READ8(weight++) * row[column];
#if OUTPUTS == 1
        return sum > 0;
#endif
        if (output == 0 || sum > largest) {
            largest = sum;
            best = output;
        }
    }
    return best;
}
