/* A step of Adam for a dense network of fixed shape, as one would write it by hand for this alone. */
enum { ROWS = 64, INPUTS = 64, HIDDEN = 64, OUTPUTS = 10 };
enum { WEIGHTS = HIDDEN * INPUTS + OUTPUTS * HIDDEN, ALL = WEIGHTS + HIDDEN + OUTPUTS };

static double before[HIDDEN][ROWS], after[HIDDEN][ROWS], below[HIDDEN][ROWS];
static double p[OUTPUTS][ROWS], own[OUTPUTS][ROWS], gradient[ALL];

static void add(const double *w, double bias, int count, double (*x)[ROWS], double *sum) {
    int i, r;
    for (r = 0; r < ROWS; r++) {
        sum[r] = bias;
    }
    for (i = 0; i < count; i++) {
        for (r = 0; r < ROWS; r++) {
            sum[r] += w[i] * x[i][r];
        }
    }
}

static double dot(const double *a, const double *b) {
    double lanes[8] = {0.0};
    int r, l;
    for (r = 0; r < ROWS; r += 8) {
        for (l = 0; l < 8; l++) {
            lanes[l] += a[r + l] * b[r + l];
        }
    }
    return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) +
           ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
}

void bare_steps(double *x, double *t, double *w, double *m, double *v, int64_t count) {
    double (*columns)[ROWS] = (double (*)[ROWS])x, (*wanted)[ROWS] = (double (*)[ROWS])t;
    double *second = w + HIDDEN * INPUTS, *biases = w + WEIGHTS, one = 1.0, two = 1.0;
    double ones[ROWS];
    int64_t step;
    int i, j, k, r;
    for (r = 0; r < ROWS; r++) {
        ones[r] = 1.0;
    }
    for (step = 0; step < count; step++) {
        for (j = 0; j < HIDDEN; j++) {
            add(w + j * INPUTS, biases[j], INPUTS, columns, before[j]);
            for (r = 0; r < ROWS; r++) {
                after[j][r] = dsgec_clip(before[j][r]);
                below[j][r] = 0.0;
            }
        }
        for (k = 0; k < OUTPUTS; k++) {
            add(second + k * HIDDEN, biases[HIDDEN + k], HIDDEN, after, p[k]);
        }
        for (r = 0; r < ROWS; r++) {
            double most = p[0][r];
            for (k = 1; k < OUTPUTS; k++) {
                most = p[k][r] > most ? p[k][r] : most;
            }
            own[0][r] = most;
        }
        for (k = OUTPUTS - 1; k >= 0; k--) {
            for (r = 0; r < ROWS; r++) {
                p[k][r] = dsgec_exp_down(p[k][r] - own[0][r]);
            }
        }
        for (r = 0; r < ROWS; r++) {
            double sum = 0.0;
            for (k = 0; k < OUTPUTS; k++) {
                sum += p[k][r];
            }
            for (k = 0; k < OUTPUTS; k++) {
                own[k][r] = p[k][r] / sum - wanted[k][r];
            }
        }
        for (k = 0; k < OUTPUTS; k++) {
            for (j = 0; j < HIDDEN; j++) {
                for (r = 0; r < ROWS; r++) {
                    below[j][r] += own[k][r] * second[k * HIDDEN + j];
                }
                gradient[HIDDEN * INPUTS + k * HIDDEN + j] = dot(own[k], after[j]) / ROWS;
            }
            gradient[WEIGHTS + HIDDEN + k] = dot(own[k], ones) / ROWS;
        }
        for (j = 0; j < HIDDEN; j++) {
            for (r = 0; r < ROWS; r++) {
                below[j][r] *= dsgec_clip_derivative(before[j][r], after[j][r]);
            }
            for (i = 0; i < INPUTS; i++) {
                gradient[j * INPUTS + i] = dot(below[j], columns[i]) / ROWS;
            }
            gradient[WEIGHTS + j] = dot(below[j], ones) / ROWS;
        }
        one *= 0.9;
        two *= 0.99;
        for (i = 0; i < ALL; i++) {
            double g = gradient[i] + 1e-3 * w[i];
            m[i] = 0.9 * m[i] + 0.1 * g;
            v[i] = 0.99 * v[i] + 0.01 * (g * g);
            w[i] -= 0.01 / (1.0 - one) * m[i] / (dsgec_sqrt(v[i] / (1.0 - two)) + 1e-8);
            w[i] = w[i] < -9.99 ? -9.99 : w[i] > 9.99 ? 9.99 : w[i];
        }
    }
}
