/* The target that $TARGET names: one program serves both, as compiling it takes longest. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *target = getenv("TARGET");
    EXPECT(target != NULL);
    if (strcmp(target, "restore") == 0) {
        fuzz_restore(data, size);
    } else {
        fuzz_receive(data, size);
    }
    return 0;
}
