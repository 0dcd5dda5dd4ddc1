int iris_level(void);
int iris_run(const double *x, size_t rows, double *out, int level);
int iris_run_sums(const double *x, size_t rows, double *out, int level);
void iris_choose(const double *p, size_t rows, int *numbers);
