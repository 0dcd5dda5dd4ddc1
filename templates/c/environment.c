/* Another library of the process may flush subnormal numbers to 0 (as -ffast-math does where it is
 * linked), or round in another direction. Computations stand between `dsgec_enter` and `dsgec_leave`,
 * which gives the caller its own settings back. */
#if defined(__GNUC__) && defined(__SSE2__) && !defined(__TINYC__)
enum { DSGEC_SETTINGS = 0xe040 }; /* of MXCSR: flush to zero, rounding, denormals are zero */
typedef unsigned dsgec_environment;
static inline unsigned dsgec_settings(void) {
    return __builtin_ia32_stmxcsr();
}
static inline void dsgec_set(unsigned settings) {
    __builtin_ia32_ldmxcsr(settings);
}
#elif defined(__GNUC__) && defined(__aarch64__) && !defined(__TINYC__)
enum { DSGEC_SETTINGS = 0x1c00003 }; /* of FPCR: flush to zero, rounding, flush inputs, AH */
typedef uint64_t dsgec_environment;
static inline uint64_t dsgec_settings(void) {
    uint64_t settings;
    __asm__ volatile("mrs %0, fpcr" : "=r"(settings) : : "memory");
    return settings;
}
static inline void dsgec_set(uint64_t settings) {
    __asm__ volatile("msr fpcr, %0" : : "r"(settings) : "memory");
}
#else
enum { DSGEC_SETTINGS = 0 };
typedef int dsgec_environment;
static inline int dsgec_settings(void) {
    return 0;
}
static inline void dsgec_set(int settings) {
    (void)settings;
}
#endif
static inline dsgec_environment dsgec_enter(void) {
    const dsgec_environment found = dsgec_settings();
    if (found & DSGEC_SETTINGS) {
        dsgec_set(found & ~(dsgec_environment)DSGEC_SETTINGS);
    }
    return found;
}
static inline void dsgec_leave(dsgec_environment found) {
    if (found & DSGEC_SETTINGS) {
        dsgec_set(found);
    }
}
