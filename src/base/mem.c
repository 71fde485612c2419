/*
 * Arrays: aligned to 64 bytes, a cache line and the widest vector, for numbers;
 * growing by half, so that n appends cost O(n), for the rest. An arena moves its
 * arrays together, which costs O(n) as well. Every size is checked before it is
 * multiplied.
 * SPDX-License-Identifier: MIT
 */
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/fail.h"

static int allocate(void **p, size_t *bytes, int64_t n, size_t size)
{
    if (n < 0 || __builtin_mul_overflow((size_t)n, size, bytes) ||
        *bytes > PTRDIFF_MAX - 64)
        return bird_fail_memory(SIZE_MAX);
    *bytes = (*bytes + 63) / 64 * 64;
    *p = aligned_alloc(64, *bytes ? *bytes : 64);
    return *p ? 0 : bird_fail_memory(*bytes);
}

int bird_array_uninit(void *out, int64_t n, size_t size)
{
    size_t bytes;
    void *p = NULL;
    int rc = allocate(&p, &bytes, n, size);

    memcpy(out, &p, sizeof(p));
    return rc;
}

int bird_array_new(void *out, int64_t n, size_t size)
{
    size_t bytes = 0;
    void *p = NULL;
    int rc = allocate(&p, &bytes, n, size);

    if (!rc)
        memset(p, 0, bytes);
    memcpy(out, &p, sizeof(p));
    return rc;
}

int bird_array_grow(void *array, int64_t *cap, int64_t n, size_t size)
{
    int64_t want;
    size_t bytes;
    void *p;

    if (n <= *cap)
        return 0;
    want = *cap + *cap / 2;
    if (want < n)
        want = n;
    if (want < 16)
        want = 16;
    if (__builtin_mul_overflow((size_t)want, size, &bytes))
        return bird_fail_memory(SIZE_MAX);
    memcpy(&p, array, sizeof(p));
    p = realloc(p, bytes);
    if (!p)
        return bird_fail_memory(bytes);
    memcpy(array, &p, sizeof(p));
    *cap = want;
    return 0;
}

void *bird_pool_array(struct bird_pool *p, int64_t n, size_t size)
{
    void *out = NULL;

    if (!p->rc)
        p->rc = bird_array_grow(&p->at, &p->cap, p->n + 1, sizeof(*p->at));
    if (!p->rc)
        p->rc = bird_array_new(&out, n, size);
    if (!p->rc)
        p->at[p->n++] = out;
    return out;
}

void bird_pool_free(struct bird_pool *p)
{
    for (int64_t i = 0; i < p->n; i++)
        free(p->at[i]);
    free((void *)p->at);
    *p = (struct bird_pool){0};
}

/* Bytes of array i with a capacity of cap elements; -1: too many. */
static int64_t array_bytes(size_t size, int64_t cap)
{
    size_t bytes;

    if (cap < 0 || __builtin_mul_overflow((size_t)cap, size, &bytes) ||
        bytes > PTRDIFF_MAX / 2)
        return -1;
    return (int64_t)((bytes + 63) / 64 * 64);
}

/* Lay the block out again, with a capacity of `want` elements in array k. */
static int lay_out(struct bird_arena *a, int k, int64_t want)
{
    int64_t total = 0, to = 0, from = 0;
    char *block;
    int rc;

    for (int i = 0; i < a->n; i++) {
        int64_t n =
            array_bytes(a->array[i].size, i == k ? want : a->array[i].cap);

        if (n < 0 || total > PTRDIFF_MAX / 2 - n)
            return bird_fail_memory(SIZE_MAX);
        total += n;
    }
    rc = bird_array_uninit(&block, total, 1);
    if (rc)
        return rc;
    for (int i = 0; i < a->n; i++) {
        int64_t old = array_bytes(a->array[i].size, a->array[i].cap);
        void *at = block + to;

        if (old > 0)
            memcpy(at, (char *)a->block + from, (size_t)old);
        memcpy(a->array[i].pointer, &at, sizeof(at));
        from += old;
        a->array[i].cap = i == k ? want : a->array[i].cap;
        to += array_bytes(a->array[i].size, a->array[i].cap);
    }
    free(a->block);
    a->block = block;
    return 0;
}

int bird_arena_grow(struct bird_arena *a, void *array, int64_t n, size_t size)
{
    int64_t want;
    int k = 0, rc;

    while (k < a->n && a->array[k].pointer != array)
        k++;
    if (k == BIRD_ARENA_ARRAYS)
        return bird_fail(BIRD_EINVAL, "an arena holds %d arrays",
                         BIRD_ARENA_ARRAYS);
    if (k < a->n && n <= a->array[k].cap)
        return 0;
    if (k == a->n) {
        a->array[a->n++].pointer = array;
        a->array[k].cap = 0;
        a->array[k].size = size;
    }
    want = a->array[k].cap + a->array[k].cap / 2;
    want = want < n ? n : want;
    rc = lay_out(a, k, want < 16 ? 16 : want);
    if (rc && !a->array[k].cap)
        a->n--; /* the array was new */
    return rc;
}

void bird_arena_free(struct bird_arena *a)
{
    void *none = NULL;

    for (int i = 0; i < a->n; i++)
        memcpy(a->array[i].pointer, &none, sizeof(none));
    free(a->block);
    *a = (struct bird_arena){0};
}

void bird_pages_release(const void *at, size_t n_byte)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), first = (uintptr_t)at;
    uintptr_t from = (first + page - 1) / page * page;
    uintptr_t to = (first + n_byte) / page * page;

    if (from < to) /* only advice: its result does not matter */
        (void)madvise((void *)from, to - from, MADV_DONTNEED);
}
