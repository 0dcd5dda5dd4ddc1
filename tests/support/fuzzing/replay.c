/* Feeds the files that are named to a harness: what libFuzzer does with a corpus, by any compiler. */
int main(int count, char **arguments) {
    int i;
    for (i = 1; i < count; i++) {
        FILE *file = fopen(arguments[i], "rb");
        uint8_t *data;
        long size;
        EXPECT(file != NULL && fseek(file, 0, SEEK_END) == 0);
        size = ftell(file);
        rewind(file);
        data = malloc((size_t)size + !size);
        EXPECT(data != NULL && fread(data, 1, (size_t)size, file) == (size_t)size);
        fclose(file);
        LLVMFuzzerTestOneInput(data, (size_t)size);
        free(data);
    }
    return 0;
}
