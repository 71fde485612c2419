/*
 * Several FASTA files as one reference: fetched through their indices, or
 * packed in memory.
 *
 * Packed, a base takes two bits; characters other than A, C, G, T are kept as
 * runs of one character, found by binary search: a human genome is some 0.8 GB, and
 * any number of threads read it without a lock.
 * SPDX-License-Identifier: MIT
 */
#include "data/references.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/rng.h"
#include "dnabird/error.h"
#include "dnabird/reference.h"
#include "seq/alphabet.h"
#include "seq/intervals.h"

static int add_contigs(struct bird_reference *r, int64_t g, const char *path)
{
    int64_t i, n = bird_genome_count(r->genome[g]);
    const char *name;
    int32_t at;
    int rc;

    for (i = 0; i < n; i++) {
        name = bird_genome_name(r->genome[g], i);
        if (bird_contigs_find(&r->contigs, name) >= 0)
            return bird_fail(BIRD_EINVAL,
                             "%s: contig %s occurs twice: give each "
                             "contig once",
                             path, name);
        rc = bird_array_grow(&r->contig, &r->cap, r->n + 1, sizeof(*r->contig));
        if (!rc)
            rc = bird_contigs_add(&at, &r->contigs, name);
        if (rc)
            return rc;
        r->contig[r->n++] = (struct bird_reference_contig){
            g, i, bird_genome_length(r->genome[g], i), NULL};
    }
    return 0;
}

int bird_reference_open(struct bird_reference *r, const char *const *path,
                        int64_t n)
{
    struct bird_reference new = {0};
    int64_t i;
    int rc;

    if (n < 1)
        return bird_fail(BIRD_EINVAL, "no reference FASTA file is given");
    rc = bird_array_new(&new.genome, n, sizeof(bird_genome *));
    for (i = 0; !rc && i < n; i++) {
        rc = bird_genome_open(&new.genome[i], path[i]);
        if (!rc) {
            new.n_genome = i + 1;
            rc = add_contigs(&new, i, path[i]);
        }
    }
    if (rc)
        bird_reference_free(&new);
    else
        *r = new;
    return rc;
}

int bird_reference_open_list(struct bird_reference *r, const char *list)
{
    const char **path = NULL;
    char *text = strdup(list), *word, *save = NULL;
    int64_t n = 0, cap = 0;
    int rc = text ? 0 : bird_fail_memory(strlen(list));

    for (word = rc ? NULL : strtok_r(text, ",", &save); !rc && word;
         word = strtok_r(NULL, ",", &save)) {
        rc = bird_array_grow(&path, &cap, n + 1, sizeof(*path));
        if (!rc)
            path[n++] = word;
    }
    if (!rc)
        rc = bird_reference_open(r, path, n);
    free(path);
    free(text);
    return rc;
}

void bird_reference_free(struct bird_reference *r)
{
    int64_t i;

    if (!r)
        return;
    for (i = 0; i < r->n; i++)
        free(r->contig[i].bases);
    for (i = 0; i < r->n_genome; i++)
        bird_genome_free(r->genome[i]);
    free(r->genome);
    free(r->contig);
    bird_contigs_free(&r->contigs);
    *r = (struct bird_reference){0};
}

int bird_reference_bases(const char **out, struct bird_reference *r, int32_t i)
{
    struct bird_reference_contig *c = r->contig + i;
    char *bases;
    int rc;

    if (!c->bases) {
        rc = bird_array_new(&bases, c->length, 1);
        if (rc)
            return rc;
        rc = bird_genome_fetch(r->genome[c->genome], c->index, 0, c->length,
                               bases);
        if (rc) {
            free(bases);
            return rc;
        }
        c->bases = bases;
    }
    *out = c->bases;
    return 0;
}

/* ---- packed ------------------------------------------------------------- */

static int put_unknown(struct bird_packed_contig *c, char letter)
{
    struct bird_packed_run *last = c->n_run ? c->run + c->n_run - 1 : NULL;
    int rc;

    if (last && last->letter == letter && last->start + last->n == c->length &&
        last->n < INT32_MAX) {
        last->n++;
        return 0;
    }
    rc = bird_array_grow(&c->run, &c->cap_run, c->n_run + 1, sizeof(*c->run));
    if (rc)
        return rc;
    last = c->run + c->n_run;
    *last = (struct bird_packed_run){c->length, 0, 1, letter};
    if (c->n_run++)
        last->before = last[-1].before + last[-1].n;
    return 0;
}

static int put_bases(struct bird_packed_contig *c, const char *seq, int64_t n)
{
    int64_t bytes = (c->length + n + 3) / 4;
    int code, rc = bird_array_grow(&c->code, &c->cap_code, bytes, 1);

    if (rc)
        return rc;
    if (bytes > c->n_code) /* of an empty contig there is nothing yet */
        memset(c->code + c->n_code, 0, (size_t)(bytes - c->n_code));
    c->n_code = bytes;
    for (int64_t i = 0; i < n; i++, c->length++) {
        code = bird_base_code(seq[i]);
        if (code >= 0)
            c->code[c->length / 4] |= (uint8_t)(code << c->length % 4 * 2);
        else if ((rc = put_unknown(c, seq[i])))
            return rc;
    }
    return 0;
}

/* Release unused capacity. The runs enter the digest as a 64-bit hash, the
 * packed bases as SHA-256. */
static void finish(struct bird_packed_contig *c)
{
    uint64_t hash = (uint64_t)c->n_run;
    char part[65];
    void *code = c->n_code ? realloc(c->code, (size_t)c->n_code) : NULL;

    if (code) {
        c->code = code;
        c->cap_code = c->n_code;
    }
    for (int64_t k = 0; k < c->n_run; k++) {
        hash = bird_mix(hash, (uint64_t)c->run[k].start);
        hash = bird_mix(hash, (uint64_t)c->run[k].n);
        hash = bird_mix(hash, (unsigned char)c->run[k].letter);
    }
    bird_sha256(part, c->n_code ? c->code : (const void *)"",
                (size_t)c->n_code);
    for (int i = 0; i < 48; i++)
        c->digest[i] = part[i];
    for (int i = 0; i < 16; i++)
        c->digest[48 + i] = "0123456789abcdef"[hash >> (4 * i) & 15];
}

static int begin(struct bird_packed_reference *b, const bird_piece *p,
                 const char *path, int64_t file)
{
    int64_t known = b->contigs.n;
    int32_t i;
    int rc = bird_contigs_add(&i, &b->contigs, p->name);

    if (!rc && b->contigs.n == known)
        rc = bird_fail(BIRD_EINVAL,
                       "%s: contig %s occurs twice: give each contig once",
                       path, p->name);
    if (!rc)
        rc = bird_array_grow(&b->contig, &b->cap, b->n + 1, sizeof(*b->contig));
    if (!rc)
        b->contig[b->n++] = (struct bird_packed_contig){.file = file};
    return rc;
}

static int read_file(struct bird_packed_reference *b, const char *path,
                     int64_t file, const struct bird_contigs *wanted)
{
    bird_fastx *r = NULL;
    bird_piece p;
    int hold = 0, rc = bird_fastx_open(&r, path, 0);

    while (!rc && (rc = bird_fastx_next(r, &p)) == 1) {
        rc = 0;
        if (p.start == 0) {
            rc = begin(b, &p, path, file);
            hold = !wanted || bird_contigs_find(wanted, p.name) >= 0;
        }
        if (!rc && hold)
            rc = put_bases(b->contig + b->n - 1, p.seq, p.n);
        if (!rc && hold && p.last)
            finish(b->contig + b->n - 1);
    }
    bird_fastx_free(r);
    return rc;
}

int bird_packed_read(struct bird_packed_reference *b, const char *const *path,
                     int64_t n, const struct bird_contigs *wanted)
{
    int rc = 0;

    *b = (struct bird_packed_reference){0};
    if (n < 1)
        return bird_fail(BIRD_EINVAL, "no reference FASTA file is given");
    for (int64_t i = 0; !rc && i < n; i++)
        rc = read_file(b, path[i], i, wanted);
    if (rc)
        bird_packed_free(b);
    return rc;
}

static int find_allowed(struct bird_intervals *allowed,
                        struct bird_packed_reference *b,
                        const struct bird_packed_source *s)
{
    int64_t *length, n = b->n;
    int rc = bird_array_new(&length, n, sizeof(*length));

    if (rc)
        return rc;
    for (int64_t i = 0; i < n; i++)
        length[i] = b->contig[i].length;
    rc = bird_intervals_allowed(allowed, &b->contigs, length, n, s->include,
                                s->exclude);
    free(length);
    return rc;
}

int bird_packed_open(struct bird_packed_reference *b,
                     struct bird_intervals *allowed,
                     const struct bird_packed_source *s)
{
    struct bird_intervals named = {0};
    struct bird_contigs names = {0};
    int rc = 0;

    if (s->include)
        rc = bird_intervals_read_named(&named, &names, s->include);
    if (!rc)
        rc = bird_packed_read(b, s->fasta, s->n_fasta,
                              s->include ? &names : NULL);
    if (!rc && (rc = find_allowed(allowed, b, s)))
        bird_packed_free(b);
    bird_intervals_free(&named);
    bird_contigs_free(&names);
    return rc;
}

void bird_packed_free(struct bird_packed_reference *b)
{
    for (int64_t i = 0; i < b->n; i++) {
        free(b->contig[i].code);
        free(b->contig[i].run);
    }
    free(b->contig);
    bird_contigs_free(&b->contigs);
    *b = (struct bird_packed_reference){0};
}

/* The first run that ends after pos; n_run: none. */
static int64_t run_from(const struct bird_packed_contig *c, int64_t pos)
{
    int64_t lo = 0, hi = c->n_run, mid;

    while (lo < hi) {
        mid = lo + (hi - lo) / 2;
        if (c->run[mid].start + c->run[mid].n <= pos)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

void bird_packed_get(char *out, const struct bird_packed_reference *b,
                     int32_t i, int64_t start, int64_t end)
{
    const struct bird_packed_contig *c = b->contig + i;

    for (int64_t p = start; p < end; p++)
        out[p - start] = "ACGT"[c->code[p / 4] >> p % 4 * 2 & 3];
    for (int64_t k = run_from(c, start); k < c->n_run && c->run[k].start < end;
         k++) {
        int64_t from = c->run[k].start, to = from + c->run[k].n;

        from = from > start ? from : start;
        to = to < end ? to : end;
        memset(out + from - start, c->run[k].letter, (size_t)(to - from));
    }
}

/* Bases other than A, C, G, T before pos. */
static int64_t unknown_before(const struct bird_packed_contig *c, int64_t pos)
{
    int64_t k = run_from(c, pos), n;

    if (k < c->n_run && c->run[k].start < pos)
        return c->run[k].before + (pos - c->run[k].start);
    n = k ? c->run[k - 1].before + c->run[k - 1].n : 0;
    return n;
}

int64_t bird_packed_unknown(const struct bird_packed_reference *b, int32_t i,
                            int64_t start, int64_t end)
{
    const struct bird_packed_contig *c = b->contig + i;

    return unknown_before(c, end) - unknown_before(c, start);
}
