/*
 * A reference: contigs of a FASTA file by random access.
 *
 * Through an index where the file has one or can have one (faindex.c); else
 * contigs are read into memory as they are asked for, one pass for as many as
 * fit, because every pass decompresses the whole file. A contig cache on top
 * keeps what lies around the position asked for last, so that positions in
 * rising order cost one reading.
 * SPDX-License-Identifier: MIT
 */
#include "seq/reference.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/timer.h"
#include "dnabird/error.h"
#include "dnabird/reference.h"
#include "seq/alphabet.h"
#include "seq/fastx.h"

/* Bytes of other contigs that a pass may load besides the wanted one. */
enum { COMPANY_BYTES = 64 << 20 };

static int fail_changed(const bird_genome *g)
{
    return bird_fail(BIRD_EIO, "%s: the file changed while it was read",
                     g->path);
}

/* One pass that fills the contigs i with need[i] != 0, `left` of them. */
static int read_needed(bird_genome *g, const char *need, int64_t left)
{
    bird_fastx *r = NULL;
    bird_piece p;
    int rc = bird_fastx_open(&r, g->path, BIRD_FASTX_RAW);

    if (rc)
        return rc;
    while (left && (rc = bird_fastx_next(r, &p)) > 0) {
        struct bird_contig *c = g->contigs + p.contig;

        if (p.contig >= g->n || strcmp(p.name, c->name) != 0 ||
            p.start + p.n > c->layout.length ||
            (p.last && p.start + p.n < c->layout.length)) {
            rc = fail_changed(g);
            break;
        }
        if (!need[p.contig])
            continue;
        if (!c->held && (rc = bird_array_new(&c->held, c->layout.length, 1)))
            break;
        if (p.n)
            memcpy(c->held + p.start, p.seq, (size_t)p.n);
        left -= p.last;
    }
    bird_fastx_free(r);
    if (rc < 0)
        return rc;
    return left ? fail_changed(g) : 0;
}

/* Read these contigs (wanted[i] != 0) into memory, in one pass. */
static int load_read(bird_genome *g, const char *wanted)
{
    char *need = NULL;
    int64_t left = 0;
    int rc = bird_array_new(&need, g->n, 1);

    if (rc)
        return rc;
    for (int64_t i = 0; i < g->n; i++) {
        need[i] = wanted[i] && !g->contigs[i].held;
        left += need[i];
    }
    rc = left ? read_needed(g, need, left) : 0;
    /* a contig read in part must not pass for a whole one */
    for (int64_t i = 0; rc && i < g->n; i++)
        if (need[i]) {
            free(g->contigs[i].held);
            g->contigs[i].held = NULL;
        }
    free(need);
    return rc;
}

/* Hold this contig, and with it others as far as they fit. */
static int load_contig(bird_genome *g, int64_t contig)
{
    char *wanted = NULL;
    int64_t room = COMPANY_BYTES;
    int rc;

    if (g->contigs[contig].held)
        return 0;
    if ((rc = bird_array_new(&wanted, g->n, 1)))
        return rc;
    wanted[contig] = 1;
    room -= g->contigs[contig].layout.length;
    for (int64_t k = 1; k < g->n; k++) {
        int64_t i = (contig + k) % g->n;

        if (g->contigs[i].held || g->contigs[i].layout.length > room)
            continue;
        wanted[i] = 1;
        room -= g->contigs[i].layout.length;
    }
    rc = load_read(g, wanted);
    free(wanted);
    return rc;
}

/* Load all contigs of an input that can be read only once. */
static int load_all(bird_genome *g)
{
    bird_fastx *r = NULL;
    char *seq = NULL;
    int64_t cap = 0;
    bird_piece p;
    int rc = bird_fastx_open(&r, g->path, BIRD_FASTX_RAW);

    while (!rc && (rc = bird_fastx_next(r, &p)) > 0) {
        struct bird_fai_layout layout;

        rc = bird_array_grow(&seq, &cap, p.start + p.n + 1, 1);
        if (rc)
            break;
        if (p.n)
            memcpy(seq + p.start, p.seq, (size_t)p.n);
        if (!p.last)
            continue;
        bird_fastx_layout(r, &layout);
        if ((rc = bird_contig_add(g, p.name, &layout)))
            break;
        g->contigs[g->n - 1].held = seq;
        seq = NULL;
        cap = 0;
    }
    free(seq);
    bird_fastx_free(r);
    if (rc)
        return rc;
    return bird_genome_note(g,
                            "%s: can be read only once and is held in memory, "
                            "one byte a base: give a file for less",
                            strcmp(g->path, "-") ? g->path : "standard input");
}

/* ---- opening, names ------------------------------------------------------ */

int bird_contig_add(bird_genome *g, const char *name,
                    const struct bird_fai_layout *layout)
{
    int64_t same = bird_contigs_find_exact(&g->names, name);
    int rc =
        bird_array_grow(&g->contigs, &g->cap, g->n + 1, sizeof(*g->contigs));

    if (!rc && same >= 0)
        rc = bird_fail(BIRD_EFORMAT,
                       "%s: two records are named '%s' (lines %lld and "
                       "%lld): rename or remove one",
                       g->path, name, (long long)g->contigs[same].layout.record,
                       (long long)layout->record);
    if (!rc && !(rc = bird_contigs_append(&g->names, name)))
        g->contigs[g->n++] =
            (struct bird_contig){g->names.name[g->names.n - 1], *layout, NULL};
    return rc;
}

void bird_contigs_clear(bird_genome *g)
{
    for (int64_t i = 0; i < g->n; i++)
        free(g->contigs[i].held);
    bird_contigs_free(&g->names);
    g->n = 0;
}

int bird_genome_note(bird_genome *g, const char *fmt, ...)
{
    char sentence[1024];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(sentence, sizeof(sentence), fmt, ap);
    va_end(ap);
    return bird_text_printf(&g->notice, "%s%s", g->notice.n ? "; " : "",
                            sentence);
}

int bird_genome_open(bird_genome **out, const char *path)
{
    bird_genome *g;
    int rc = 0;

    if (!path)
        return bird_fail(BIRD_EINVAL, "no FASTA file of a genome");
    g = calloc(1, sizeof(*g));
    if (!g)
        return bird_fail_memory(sizeof(*g));
    g->path = strdup(path);
    if (!g->path)
        rc = bird_fail_memory(strlen(path));
    else if (bird_file_is_stream(path))
        rc = load_all(g);
    else
        rc = bird_faindex_open(g);
    if (!rc)
        *out = g, g = NULL;
    bird_genome_free(g);
    return rc;
}

int bird_genome_of_bases(bird_genome **out, const char *name, const char *bases,
                         int64_t n)
{
    struct bird_fai_layout layout = {.length = n};
    bird_genome *g = calloc(1, sizeof(*g));
    int rc = 0;

    if (!g)
        return bird_fail_memory(sizeof(*g));
    g->path = strdup(name);
    if (!g->path)
        rc = bird_fail_memory(strlen(name));
    if (!rc)
        rc = bird_contig_add(g, name, &layout);
    if (!rc)
        rc = bird_array_new(&g->contigs[0].held, n, 1);
    if (!rc) {
        memcpy(g->contigs[0].held, bases, (size_t)n);
        *out = g, g = NULL;
    }
    bird_genome_free(g);
    return rc;
}

void bird_genome_free(bird_genome *g)
{
    if (!g)
        return;
    bird_faindex_close(g);
    bird_contigs_clear(g);
    bird_text_free(&g->notice);
    free(g->contigs);
    free(g->path);
    free(g);
}

const char *bird_genome_notice(const bird_genome *g)
{
    return g->notice.n ? g->notice.s : NULL;
}

const char *bird_genome_path(const bird_genome *g)
{
    return g->path;
}

int64_t bird_genome_count(const bird_genome *g)
{
    return g->n;
}

const char *bird_genome_name(const bird_genome *g, int64_t i)
{
    return g->contigs[i].name;
}

int64_t bird_genome_length(const bird_genome *g, int64_t i)
{
    return g->contigs[i].layout.length;
}

int64_t bird_genome_find(const bird_genome *g, const char *name)
{
    return bird_contigs_find_exact(&g->names, name);
}

int64_t bird_genome_find_alias(const bird_genome *g, const char *name)
{
    return bird_contigs_find(&g->names, name);
}

static int check_range(const bird_genome *g, int64_t contig, int64_t start,
                       int64_t end)
{
    const struct bird_contig *c = g->contigs + contig;

    if (contig < 0 || contig >= g->n)
        return bird_fail(BIRD_ERANGE, "%s: no contig number %lld", g->path,
                         (long long)contig);
    if (start < 0 || start > end || end > c->layout.length)
        return bird_fail(BIRD_ERANGE,
                         "%s: %lld .. %lld lies outside contig '%s' of %lld "
                         "bp",
                         g->path, (long long)start, (long long)end, c->name,
                         (long long)c->layout.length);
    return 0;
}

/* Bases that were read: nucleotide codes, where the caller wants no other. */
static int check_bases(const bird_genome *g, int64_t contig, int64_t start,
                       const char *bases, int64_t n)
{
    for (int64_t i = 0; i < n && !g->any; i++)
        if (!bird_letter_fold[(unsigned char)bases[i]])
            return bird_fail(BIRD_EFORMAT,
                             "%s: record '%s' holds '%c' at position %lld, "
                             "which is not a nucleotide code: %s",
                             g->path, g->contigs[contig].name, bases[i],
                             (long long)(start + i + 1),
                             bird_bases_advice(bases + i, n - i));
    return 0;
}

int bird_genome_fetch_raw(bird_genome *g, int64_t contig, int64_t start,
                          int64_t end, char *out)
{
    enum bird_phase before;
    int rc = check_range(g, contig, start, end);

    if (rc || start == end)
        return rc;
    before = bird_timer_enter(BIRD_PHASE_READ);
    if (g->fai)
        rc = bird_faindex_fetch(g, contig, start, end, out);
    else if (!(rc = load_contig(g, contig)))
        memcpy(out, g->contigs[contig].held + start, (size_t)(end - start));
    bird_timer_leave(before);
    return rc ? rc : check_bases(g, contig, start, out, end - start);
}

int bird_genome_fetch(bird_genome *g, int64_t contig, int64_t start,
                      int64_t end, char *out)
{
    int rc = bird_genome_fetch_raw(g, contig, start, end, out);

    if (!rc)
        for (int64_t i = 0; i < end - start; i++)
            out[i] = (char)bird_letter_any[(unsigned char)out[i]];
    return rc;
}

void bird_genome_any_characters(bird_genome *g)
{
    g->any = 1;
}

int bird_genome_hold(bird_genome *g, const int64_t *contigs, int64_t n)
{
    char *wanted = NULL;
    int rc = 0;

    for (int64_t i = 0; i < n && !rc; i++)
        rc = check_range(g, contigs[i], 0, 0);
    if (rc || g->fai || !n)
        return rc;
    if ((rc = bird_array_new(&wanted, g->n, 1)))
        return rc;
    for (int64_t i = 0; i < n; i++)
        wanted[contigs[i]] = 1;
    rc = load_read(g, wanted);
    free(wanted);
    return rc;
}

/* ---- a cache of bases ---------------------------------------------------- */

enum { AHEAD = 1 << 20, AROUND = 32768 };

void bird_contig_cache_free(struct bird_contig_cache *s)
{
    free(s->bases);
    *s = (struct bird_contig_cache){0};
}

static int64_t clamp(int64_t x, int64_t lo, int64_t hi)
{
    return x < lo ? lo : x > hi ? hi : x;
}

static int cache_fill(struct bird_contig_cache *s, bird_genome *g,
                      int64_t contig, int64_t start, int64_t end)
{
    int64_t length = bird_genome_length(g, contig), from, to;
    int onward = s->genome == g && s->contig == contig && start >= s->start &&
                 start <= s->end + AHEAD;
    int rc;

    /* much ahead where positions rise; a little around them where they jump */
    end = clamp(length, end, end + (onward ? AHEAD : AROUND));
    if (!onward && start > 0)
        start = start > AROUND ? start - AROUND : 0;
    s->genome = NULL;
    rc = bird_array_grow(&s->bases, &s->cap, end - start, 1);
    if (rc)
        return rc;
    from = clamp(start, 0, length);
    to = clamp(end, 0, length);
    memset(s->bases, 'N', (size_t)(end - start));
    if (to > from)
        rc = bird_genome_fetch(g, contig, from, to, s->bases + from - start);
    if (rc)
        return rc;
    s->genome = g;
    s->contig = contig;
    s->start = start;
    s->end = end;
    return 0;
}

int bird_contig_cache_get(const char **out, struct bird_contig_cache *s,
                          bird_genome *g, int64_t contig, int64_t start,
                          int64_t end)
{
    int rc = 0;

    if (s->genome != g || s->contig != contig || start < s->start ||
        end > s->end)
        rc = cache_fill(s, g, contig, start, end);
    if (!rc)
        *out = s->bases + start - s->start;
    return rc;
}
