/**
 * What targets that make their input from bytes share.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TEST_FUZZ_HELP_H
#define BIRD_TEST_FUZZ_HELP_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MUST(x)                                                                \
    do {                                                                       \
        if (!(x))                                                              \
            abort();                                                           \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/** What AddressSanitizer asks for at its start. */
const char *__asan_default_options(void);
#define LEAKS_ARE_EXPECTED                                                     \
    const char *__asan_default_options(void)                                   \
    {                                                                          \
        return "detect_leaks=0";                                               \
    }

/** Bytes that choices are read from; 0 behind the end. */
struct choices {
    const uint8_t *s;
    size_t n;
};

static inline int choose(struct choices *c, int n)
{
    int v;

    if (!c->n)
        return 0;
    v = *c->s;
    c->s++;
    c->n--;
    return v % n;
}

/** A file in memory, which is opened by its path. */
struct memory_file {
    char path[32];
    int fd;
};

static inline void memory_file_put(struct memory_file *f, const void *data,
                                   size_t size)
{
    if (!f->path[0]) {
        f->fd = memfd_create("fuzz", MFD_CLOEXEC);
        MUST(f->fd >= 0);
        snprintf(f->path, sizeof(f->path), "/proc/self/fd/%d", f->fd);
    }
    MUST(!ftruncate(f->fd, 0));
    MUST(pwrite(f->fd, data, size, 0) == (ssize_t)size);
}

/**
 * A safetensors file of a header, the text up to the first NUL, and the bytes
 * behind it: free().
 */
static inline uint8_t *safetensors_of(size_t *n, const uint8_t *data,
                                      size_t size)
{
    const uint8_t *nul = size ? memchr(data, 0, size) : NULL;
    size_t head = nul ? (size_t)(nul - data) : size;
    size_t rest = nul ? size - head - 1 : 0, wide = (head + 7) / 8 * 8;
    uint8_t *s = malloc(8 + wide + rest);

    MUST(s);
    for (int i = 0; i < 8; i++)
        s[i] = (uint8_t)((uint64_t)wide >> 8 * i);
    memset(s + 8, ' ', wide);
    if (head)
        memcpy(s + 8, data, head);
    if (rest)
        memcpy(s + 8 + wide, nul + 1, rest);
    *n = 8 + wide + rest;
    return s;
}

#endif
