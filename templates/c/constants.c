/* A constant without a suffix is a double; with -fsingle-precision-constant it would be a float. */
typedef char dsgec_must_be_compiled_without_single_precision_constants[sizeof 1.0 == sizeof(double) ? 1 : -1];
