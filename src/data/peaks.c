/*
 * Peaks to labelled bins: read, sort, sweep.
 *
 * The sort is external (Knuth, The Art of Computer Programming 3, section
 * 5.4.1): runs as long as memory in a temporary file, one merge of all of
 * them; so the peak files may be of any number, size and order. The sweep
 * builds the union of a profile's peaks by itself: a peak adds only the bases
 * beyond the largest end of the profile's earlier peaks. Such pieces are
 * disjoint, so that the overlaps of one profile's pieces with a bin add up.
 * SPDX-License-Identifier: MIT
 */
#include "data/peaks.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/text.h"

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
        rc = bird_array_new(&s->buffer, room, sizeof(*s->buffer));
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

/* ---- reading peak files ------------------------------------------------- */

/* Names to numbers; the last answer is kept, for files are in order. */
struct lookup {
    const struct bird_peak_source **by_id; /* (n) in the order of ids */
    int64_t n;
    char contig_name[256];
    int32_t contig;
    const struct bird_peak_source *last;
};

void bird_peaks_in_free(struct bird_peaks_in *p)
{
    free(p->n_peak);
    p->n_peak = NULL;
}

static int by_id(const void *a, const void *b)
{
    const struct bird_peak_source *const *x = a, *const *y = b;

    return strcmp((*x)->id, (*y)->id);
}

/* Index the ids; one id must not mean two profiles. */
static int lookup_new(struct lookup *k, const struct bird_profile_list *l)
{
    int rc = bird_array_new(&k->by_id, l->n_source, sizeof(*k->by_id));

    if (rc)
        return rc;
    for (int64_t i = 0; i < l->n_source; i++)
        if (l->source[i].id)
            k->by_id[k->n++] = &l->source[i];
    qsort(k->by_id, (size_t)k->n, sizeof(*k->by_id), by_id);
    for (int64_t i = 1; i < k->n; i++)
        if (!by_id(&k->by_id[i - 1], &k->by_id[i]) &&
            k->by_id[i - 1]->profile != k->by_id[i]->profile)
            return bird_fail(BIRD_EINVAL, "two profiles have the id '%s'",
                             k->by_id[i]->id);
    return 0;
}

static int32_t find_profile(struct lookup *k, const char *id)
{
    const struct bird_peak_source key = {.id = (char *)(uintptr_t)id};
    const struct bird_peak_source *at = &key, **found;

    if (k->last && !strcmp(k->last->id, id))
        return k->last->profile;
    found = k->n
                ? bsearch(&at, k->by_id, (size_t)k->n, sizeof(*k->by_id), by_id)
                : NULL;
    if (!found)
        return -1;
    k->last = *found;
    return k->last->profile;
}

static int32_t find_contig(struct lookup *k, const struct bird_peaks_in *p,
                           const char *name)
{
    if (!*k->contig_name || strcmp(k->contig_name, name) != 0) {
        k->contig = bird_contigs_find(&p->ref->contigs, name);
        snprintf(k->contig_name, sizeof(k->contig_name), "%s", name);
        if (strcmp(k->contig_name, name) != 0)
            k->contig_name[0] = '\0'; /* too long to keep */
    }
    return k->contig;
}

static int add_peak(struct bird_peaks_in *p, struct lookup *k,
                    const struct bird_bed_line *line, int32_t profile)
{
    struct bird_peak x = {.start = line->start,
                          .end = line->end,
                          .contig = find_contig(k, p, line->contig),
                          .profile = profile};
    int64_t length;

    p->n_line++;
    if (x.contig < 0) {
        if (!p->n_contig++)
            snprintf(p->example, sizeof(p->example), "%s", line->contig);
        return 0;
    }
    length = p->ref->contig[x.contig].length;
    if (x.start >= length) {
        p->n_behind++;
        return 0;
    }
    if (x.end > length) {
        p->n_clipped++;
        x.end = length;
    }
    p->n_peak[profile * p->ref->n + x.contig]++;
    return bird_peak_sort_add(p->sort, &x);
}

/* One file is one profile, but its column 4 may name several. */
static void note_guess(struct bird_peaks_in *p, const char *path, int64_t n)
{
    if (!n || p->guess[0])
        return;
    snprintf(p->guess, sizeof(p->guess),
             "%.120s is one profile, but its column 4 has %lld names, each "
             "several times: if they are profiles, give --name-column",
             path, (long long)n);
}

/* @param profile the profile of all peaks in the file; -1: column 4 names the
 * profile */
static int read_file(struct bird_peaks_in *p, struct lookup *k,
                     const char *path, int32_t profile)
{
    struct bird_lines bed;
    struct bird_bed_line line;
    struct bird_column_guess guess = {.no = profile < 0 || p->list->has_id};
    int rc = bird_lines_open(&bed, path);

    if (rc)
        return rc;
    while ((rc = bird_bed_next(&bed, &line)) > 0) {
        int32_t whose = profile;

        if (whose < 0 && !line.name)
            rc = bird_fail(BIRD_EFORMAT,
                           "%s: line %lld: no column 4, which names the "
                           "profile",
                           path, (long long)line.line);
        else if (whose < 0)
            whose = find_profile(k, line.name);
        if (rc > 0 && whose < 0)
            p->n_other_id++;
        else if (rc > 0)
            rc = add_peak(p, k, &line, whose);
        if (rc >= 0)
            rc = bird_column_guess_add(&guess, &line);
        if (rc < 0)
            break;
    }
    note_guess(p, path, bird_column_guess_end(&guess));
    bird_lines_close(&bed);
    return rc;
}

static int check_any(const struct bird_peaks_in *p)
{
    if (!p->n_line && !p->n_other_id)
        return bird_fail(BIRD_EFORMAT, "the peak files contain no peaks");
    if (!p->n_line)
        return bird_fail(BIRD_EINVAL,
                         "none of the %lld peaks has, in column 4, an id of "
                         "the list of profiles",
                         (long long)p->n_other_id);
    if (p->n_line == p->n_contig + p->n_behind)
        return bird_fail(
            BIRD_EINVAL,
            "no peak lies on the reference: %lld peaks are on contigs that the "
            "reference lacks (such as '%s'), %lld beyond the end of a contig: "
            "is this another genome build?",
            (long long)p->n_contig, p->example, (long long)p->n_behind);
    return 0;
}

int bird_peaks_read(struct bird_peaks_in *p, const bird_profile_files *f)
{
    const struct bird_profile_list *l = p->list;
    int64_t n_common = f->profiles || f->name_column ? f->n_peaks : 0;
    struct lookup k = {0};
    int rc = bird_array_new(&p->n_peak, l->features.n * p->ref->n,
                            sizeof(*p->n_peak));

    if (!rc && n_common)
        rc = lookup_new(&k, l);
    for (int64_t i = 0; !rc && i < n_common; i++)
        rc = read_file(p, &k, f->peaks[i], -1);
    for (int64_t i = 0; !rc && !n_common && i < l->n_source; i++)
        if (l->source[i].path)
            rc = read_file(p, &k, l->source[i].path, l->source[i].profile);
    if (!rc)
        rc = check_any(p);
    if (!rc)
        rc = bird_peak_sort_finish(p->sort);
    free(k.by_id);
    return rc;
}

/* ---- sweeping ----------------------------------------------------------- */

struct bird_bin_sweep {
    struct bird_peak_sort *peaks;
    int64_t bin, n_profile;
    struct bird_overlap_rule rule;
    int64_t *reached;        /* (n_profile) end of its union so far */
    int64_t *overlap;        /* (n_profile) with the bin at hand */
    struct bird_peak *piece; /* (n_piece) that end in or after the bin */
    int64_t n_piece, cap_piece;
    int32_t *label; /* (n_profile) */
    struct bird_peak next;
    int more; /* `next` holds a peak */
    int32_t contig;
    int64_t number; /* of the bin at hand */
};

int bird_overlap_parse(struct bird_overlap_rule *out, const char *text,
                       int64_t bin)
{
    struct bird_overlap_rule r = {0, bin, 0};
    double share;

    if (!strcmp(text, "half"))
        r.least = bin / 2 + 1;
    else if (!strcmp(text, "any"))
        r.least = 1;
    else if (!strcmp(text, "centre") || !strcmp(text, "center"))
        r = (struct bird_overlap_rule){bin / 2, bin / 2 + 1, 1};
    else if (!bird_parse_double(&share, text) && share > 0 && share <= 1)
        /* 0.7 of 10 is 7: not the 8 that the last bit would make of it */
        r.least = (int64_t)ceil(share * (double)bin - 1e-9 * (double)bin);
    else
        return bird_fail(BIRD_EINVAL,
                         "overlap '%.40s': it is half, any, centre or a share "
                         "above 0 and up to 1",
                         text);
    if (r.least < 1)
        r.least = 1;
    *out = r;
    return 0;
}

/* The next peak into s->next. */
static int advance(struct bird_bin_sweep *s)
{
    int rc = bird_peak_sort_next(s->peaks, &s->next);

    s->more = rc > 0;
    return rc < 0 ? rc : 0;
}

int bird_bin_sweep_new(struct bird_bin_sweep **out,
                       struct bird_peak_sort *peaks, int64_t bin,
                       int64_t n_profile, const struct bird_overlap_rule *rule)
{
    struct bird_bin_sweep *s;
    int rc = bird_array_new(&s, 1, sizeof(*s));

    if (rc)
        return rc;
    *s = (struct bird_bin_sweep){.peaks = peaks,
                                 .bin = bin,
                                 .n_profile = n_profile,
                                 .rule = *rule,
                                 .contig = -1};
    rc = bird_array_new(&s->reached, n_profile, sizeof(*s->reached));
    if (!rc)
        rc = bird_array_new(&s->overlap, n_profile, sizeof(*s->overlap));
    if (!rc)
        rc = bird_array_new(&s->label, n_profile, sizeof(*s->label));
    if (!rc)
        rc = advance(s);
    if (rc)
        bird_bin_sweep_free(s);
    else
        *out = s;
    return rc;
}

void bird_bin_sweep_free(struct bird_bin_sweep *s)
{
    if (!s)
        return;
    free(s->reached);
    free(s->overlap);
    free(s->piece);
    free(s->label);
    free(s);
}

/* Peaks that begin before `end` become pieces. */
static int take_peaks(struct bird_bin_sweep *s, int64_t end)
{
    int rc = 0;

    while (!rc && s->more && s->next.contig == s->contig &&
           s->next.start < end) {
        struct bird_peak p = s->next;
        int64_t *reached = &s->reached[p.profile];

        if (p.start < *reached)
            p.start = *reached;
        if (p.end > p.start) {
            rc = bird_array_grow(&s->piece, &s->cap_piece, s->n_piece + 1,
                                 sizeof(*s->piece));
            if (rc)
                return rc;
            s->piece[s->n_piece++] = p;
            *reached = p.end;
        }
        rc = advance(s);
    }
    return rc;
}

static int by_number(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

    return x < y ? -1 : x > y;
}

/* Labels of the bin at hand; pieces that end in it are dropped. */
static int64_t measure(struct bird_bin_sweep *s)
{
    int64_t start = s->number * s->bin, left = 0, n = 0;
    int64_t lo = start + s->rule.lo, hi = start + s->rule.hi;

    for (int64_t i = 0; i < s->n_piece; i++) {
        const struct bird_peak *p = &s->piece[i];
        int64_t from = p->start > lo ? p->start : lo;
        int64_t to = p->end < hi ? p->end : hi, *sum = &s->overlap[p->profile];

        if (to > from) {
            if (*sum < s->rule.least && *sum + to - from >= s->rule.least)
                s->label[n++] = p->profile;
            *sum += to - from;
        }
    }
    for (int64_t i = 0; i < s->n_piece; i++) {
        s->overlap[s->piece[i].profile] = 0;
        if (s->piece[i].end > start + s->bin)
            s->piece[left++] = s->piece[i];
    }
    s->n_piece = left;
    qsort(s->label, (size_t)n, sizeof(*s->label), by_number);
    return n;
}

int bird_bin_sweep_next(struct bird_bin_sweep *s, struct bird_labelled_bin *out)
{
    int64_t n = 0;
    int rc;

    while (!n) {
        if (!s->n_piece) {
            if (!s->more)
                return 0;
            if (s->next.contig != s->contig)
                memset(s->reached, 0,
                       (size_t)s->n_profile * sizeof(*s->reached));
            s->contig = s->next.contig;
            s->number = s->next.start / s->bin;
        }
        rc = take_peaks(s, (s->number + 1) * s->bin);
        if (rc)
            return rc;
        n = measure(s);
        *out = (struct bird_labelled_bin){s->contig, s->number++, s->label, n};
    }
    return 1;
}
