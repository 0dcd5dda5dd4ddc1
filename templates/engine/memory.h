/* Arrays that grow. */
#ifndef DSGEC_MEMORY_H
#define DSGEC_MEMORY_H
#include "platform.h"

/* Make room for `count` elements in the array at `where`; return 0 if there is no memory. */
static int enlarge(void *where, size_t *capacity, size_t count, size_t size) {
    size_t wanted = count + count / 2 + 16;
    void *array;
    if (wanted < count || wanted > SIZE_MAX / size) {
        return 0;
    }
    memcpy(&array, where, sizeof array);
    array = realloc(array, wanted * size);
    if (array == NULL) {
        return 0;
    }
    memcpy(where, &array, sizeof array);
    *capacity = wanted;
    return 1;
}

#define RESERVE(array, capacity, count)            \
    ((size_t)(count) <= (capacity) ||              \
     enlarge(&(array), &(capacity), (size_t)(count), sizeof *(array)))

/* Bytes that grow: a phenotype, a log, a saved state. */
typedef struct {
    char *data;
    size_t length, capacity;
} Buffer;
#endif
