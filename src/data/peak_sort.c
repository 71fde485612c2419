/*
 * Sorting peaks by contig, start, end and profile.
 *
 * The sort is external (Knuth, The Art of Computer Programming 3, section
 * 5.4.1): runs as long as memory in a temporary file, one merge of all of
 * them; so the peak files may be of any number, size and order.
 * SPDX-License-Identifier: MIT
 */
#include "data/peaks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/mem.h"

enum { MIN_MEMORY = 65536, MIN_BLOCK = 16 };

struct run {
    int64_t at, end; /* peaks of the file not yet read */
    int64_t next, n; /* in its block */
    struct bird_peak *block;
};

struct bird_peak_sort {
    char *folder;
    struct bird_peak *buffer; /* (cap) */
    int64_t n, cap, next;
    FILE *file;
    struct run *run; /* (n_run) */
    int64_t n_run, cap_run, block;
    int64_t *heap; /* (n_heap) runs, the smallest peak first */
    int64_t n_heap;
};

int bird_peak_sort_new(struct bird_peak_sort **out, int64_t memory,
                       const char *folder)
{
    struct bird_peak_sort *s;
    int rc;

    if (memory < MIN_MEMORY)
        return bird_fail(BIRD_EINVAL,
                         "%lld bytes to sort peaks in: at least "
                         "%d are needed",
                         (long long)memory, MIN_MEMORY);
    rc = bird_array_new(&s, 1, sizeof(*s));
    if (rc)
        return rc;
    /* glibc's qsort allocates the same amount */
    s->cap = memory / 2 / (int64_t)sizeof(*s->buffer);
    s->folder = strdup(folder);
    rc = s->folder ? 0 : bird_fail_memory(strlen(folder));
    if (rc)
        bird_peak_sort_free(s);
    else
        *out = s;
    return rc;
}

void bird_peak_sort_free(struct bird_peak_sort *s)
{
    if (!s)
        return;
    if (s->file)
        fclose(s->file);
    free(s->folder);
    free(s->buffer);
    free(s->run);
    free(s->heap);
    free(s);
}

static int compare(const struct bird_peak *x, const struct bird_peak *y)
{
    if (x->contig != y->contig)
        return x->contig < y->contig ? -1 : 1;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    if (x->end != y->end)
        return x->end < y->end ? -1 : 1;
    return x->profile < y->profile ? -1 : x->profile > y->profile;
}

static int by_place(const void *a, const void *b)
{
    return compare(a, b);
}

/* Files often come sorted. */
static void sort_buffer(struct bird_peak_sort *s)
{
    for (int64_t i = 1; i < s->n; i++)
        if (compare(&s->buffer[i - 1], &s->buffer[i]) > 0) {
            qsort(s->buffer, (size_t)s->n, sizeof(*s->buffer), by_place);
            return;
        }
}

static int fail_file(const struct bird_peak_sort *s)
{
    return bird_fail(BIRD_EIO, "%s: a temporary file for sorting peaks: %s",
                     s->folder, errno ? strerror(errno) : "unreadable");
}

static int open_file(struct bird_peak_sort *s)
{
    char *path = NULL;
    int fd, rc = 0;

    if (asprintf(&path, "%s/dnabird-peaks-XXXXXX", s->folder) < 0)
        return bird_fail_memory(strlen(s->folder));
    fd = mkstemp(path);
    if (fd >= 0)
        unlink(path);
    s->file = fd < 0 ? NULL : fdopen(fd, "w+b");
    if (!s->file) {
        rc = fail_file(s);
        if (fd >= 0)
            close(fd);
    }
    free(path);
    return rc;
}

/* The full buffer as a run. */
static int spill(struct bird_peak_sort *s)
{
    int64_t from = s->n_run ? s->run[s->n_run - 1].end : 0;
    int rc = s->file ? 0 : open_file(s);

    if (rc || (rc = bird_array_grow(&s->run, &s->cap_run, s->n_run + 1,
                                    sizeof(*s->run))))
        return rc;
    sort_buffer(s);
    errno = 0;
    if (fwrite(s->buffer, sizeof(*s->buffer), (size_t)s->n, s->file) !=
        (size_t)s->n)
        return fail_file(s);
    s->run[s->n_run++] = (struct run){.at = from, .end = from + s->n};
    s->n = 0;
    return 0;
}

int bird_peak_sort_add(struct bird_peak_sort *s, const struct bird_peak *p)
{
    int64_t room = s->cap;
    int rc = s->n == s->cap ? spill(s) : 0;

    if (!rc && !s->buffer)
        rc = bird_array_uninit(&s->buffer, room, sizeof(*s->buffer));
    if (!rc)
        s->buffer[s->n++] = *p;
    return rc;
}

/* More of a run into its block; an empty block means its end. */
static int refill(struct bird_peak_sort *s, struct run *r)
{
    int64_t n = r->end - r->at < s->block ? r->end - r->at : s->block;

    errno = 0;
    if (n &&
        (fseeko(s->file, (off_t)(r->at * (int64_t)sizeof(*r->block)),
                SEEK_SET) ||
         fread(r->block, sizeof(*r->block), (size_t)n, s->file) != (size_t)n))
        return fail_file(s);
    r->at += n;
    r->n = n;
    r->next = 0;
    return 0;
}

static const struct bird_peak *top_of(const struct bird_peak_sort *s, int64_t i)
{
    const struct run *r = &s->run[s->heap[i]];

    return &r->block[r->next];
}

static void sift_down(struct bird_peak_sort *s, int64_t i)
{
    for (;;) {
        int64_t c = 2 * i + 1, t;

        if (c >= s->n_heap)
            return;
        if (c + 1 < s->n_heap && compare(top_of(s, c + 1), top_of(s, c)) < 0)
            c++;
        if (compare(top_of(s, i), top_of(s, c)) <= 0)
            return;
        t = s->heap[i];
        s->heap[i] = s->heap[c];
        s->heap[c] = t;
        i = c;
    }
}

/* The buffer becomes the runs' blocks. */
static int begin_merge(struct bird_peak_sort *s)
{
    int rc = spill(s);

    if (rc || (rc = bird_array_new(&s->heap, s->n_run, sizeof(*s->heap))))
        return rc;
    s->block = s->cap / s->n_run;
    if (s->block < MIN_BLOCK)
        return bird_fail(BIRD_EINVAL,
                         "%lld runs of peaks do not fit into the memory to "
                         "sort them in: give more",
                         (long long)s->n_run);
    for (int64_t i = 0; !rc && i < s->n_run; i++) {
        s->run[i].block = s->buffer + i * s->block;
        rc = refill(s, &s->run[i]);
        if (!rc && s->run[i].n)
            s->heap[s->n_heap++] = i;
    }
    for (int64_t i = s->n_heap / 2; !rc && i-- > 0;)
        sift_down(s, i);
    return rc;
}

int bird_peak_sort_finish(struct bird_peak_sort *s)
{
    if (s->n_run)
        return begin_merge(s);
    sort_buffer(s);
    s->next = 0;
    return 0;
}

int bird_peak_sort_next(struct bird_peak_sort *s, struct bird_peak *out)
{
    struct run *r;
    int rc;

    if (!s->n_run) {
        if (s->next >= s->n)
            return 0;
        *out = s->buffer[s->next++];
        return 1;
    }
    if (!s->n_heap)
        return 0;
    *out = *top_of(s, 0);
    r = &s->run[s->heap[0]];
    if (++r->next == r->n && (rc = refill(s, r)))
        return rc;
    if (!r->n)
        s->heap[0] = s->heap[--s->n_heap];
    sift_down(s, 0);
    return 1;
}
