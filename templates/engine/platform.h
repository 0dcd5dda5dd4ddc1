/* The C library: every other file includes this one before any header of the system. */
#ifndef DSGEC_PLATFORM_H
#define DSGEC_PLATFORM_H
#define _POSIX_C_SOURCE 200809L
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#endif
