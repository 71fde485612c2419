/*
 * A mask of repeats: bases under k-mers that occur often in the genome.
 *
 * Words of k bases are counted in a hash table, a word and its reverse
 * complement as one. Where the table would be larger than allowed, the words
 * are parted by their hash, and each part is counted and then marked in a pass
 * of its own: what is marked does not depend on the number of passes.
 * SPDX-License-Identifier: MIT
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/text.h"
#include "data/references.h"
#include "dnabird/sample.h"
#include "track/output.h"

enum {
    MIN_SLOTS = 1 << 16,
    SLOT_BYTES = 10,   /* a word and its count */
    LOAD_PERCENT = 60, /* of the slots that a pass fills, at most, about */
    MOST = UINT16_MAX  /* where counting stops */
};

struct counting {
    const bird_repeats_options *o;
    struct bird_packed_reference bases;
    uint8_t **mark; /* (bases.n) a bit a base */
    uint64_t *word; /* (slots) 1 + the word; 0: free */
    uint16_t *count;
    uint64_t slots; /* a power of two */
    uint64_t used, passes, pass;
    int64_t done, total; /* bases of all passes */
    bird_repeats_tally t;
};

void bird_repeats_options_default(bird_repeats_options *o)
{
    *o = (bird_repeats_options){
        .k = 20, .more_than = 3, .max_memory = INT64_C(1) << 30};
}

static int check(const bird_repeats_options *o)
{
    if (!o->n_fasta)
        return bird_fail(BIRD_EINVAL, "no genome: name FASTA files");
    if (o->k < 8 || o->k > 31)
        return bird_fail(BIRD_EINVAL, "-k must lie between 8 and 31, got %lld",
                         (long long)o->k);
    if (o->more_than < 1 || o->more_than >= MOST)
        return bird_fail(BIRD_EINVAL, "a k-mer count must be 1 to %d, got %lld",
                         MOST - 1, (long long)o->more_than);
    if (o->max_memory < MIN_SLOTS * SLOT_BYTES)
        return bird_fail(BIRD_EINVAL,
                         "the table of words needs %d bytes at least, not %lld",
                         MIN_SLOTS * SLOT_BYTES, (long long)o->max_memory);
    return 0;
}

/* ---- words --------------------------------------------------------------- */

/* The end of splitmix64 (Steele et al. 2014): every bit depends on every. */
static uint64_t hash_of(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* The slot of the word, or the free one where it belongs. */
static uint64_t slot_of(const struct counting *c, uint64_t word, uint64_t hash)
{
    uint64_t i = hash & (c->slots - 1);

    while (c->word[i] && c->word[i] != word + 1)
        i = (i + 1) & (c->slots - 1);
    return i;
}

/* Does the k-mer belong to this pass? By hash bits that do not choose its slot. */
static int is_due(const struct counting *c, uint64_t hash)
{
    return (hash >> 32) % c->passes == c->pass;
}

static int count_word(struct counting *c, uint64_t word)
{
    uint64_t hash = hash_of(word), i;

    if (!is_due(c, hash))
        return 0;
    i = slot_of(c, word, hash);
    if (!c->word[i]) {
        if (++c->used == c->slots) /* a search must come to an end */
            return bird_fail(BIRD_ENOMEM,
                             "the table of words is full: allow more memory");
        c->word[i] = word + 1;
    }
    c->count[i] += c->count[i] < MOST;
    return 0;
}

static int is_often(const struct counting *c, uint64_t word)
{
    uint64_t hash = hash_of(word);

    return is_due(c, hash) &&
           c->count[slot_of(c, word, hash)] > c->o->more_than;
}

/* Count the k-mers of a range of contig i without unknown bases, or mark the bases
   of frequent ones. */
static int walk(struct counting *c, int64_t i, const int64_t range[2], int mark)
{
    const struct bird_packed_contig *from = c->bases.contig + i;
    int64_t k = c->o->k, marked = range[0];
    uint64_t own = 0, other = 0, all = (UINT64_C(1) << 2 * k) - 1;
    int rc = 0;

    for (int64_t p = range[0]; !rc && p < range[1]; p++) {
        uint64_t base = from->code[p / 4] >> p % 4 * 2 & 3, word;

        own = (own << 2 | base) & all;
        other = other >> 2 | (3 - base) << 2 * (k - 1);
        if (p - range[0] + 1 < k)
            continue;
        word = own < other ? own : other;
        if (!mark) {
            rc = count_word(c, word);
        } else if (is_often(c, word)) {
            if (marked < p - k + 1)
                marked = p - k + 1;
            for (; marked <= p; marked++)
                c->mark[i][marked / 8] |= (uint8_t)(1 << marked % 8);
        }
    }
    return rc;
}

/* The runs of known bases. */
static int walk_contig(struct counting *c, int64_t i, int mark)
{
    const struct bird_packed_contig *x = c->bases.contig + i;
    int64_t range[2] = {0, 0};
    int rc = 0;

    for (int64_t r = 0; !rc && r <= x->n_run; r++) {
        range[1] = r < x->n_run ? x->run[r].start : x->length;
        rc = walk(c, i, range, mark);
        if (r < x->n_run)
            range[0] = x->run[r].start + x->run[r].n;
    }
    return rc;
}

static int report(struct counting *c)
{
    bird_progress p = {
        "counting words", "bp", c->done, c->total, NULL, NULL, 0};

    if (c->o->progress && c->o->progress(c->o->progress_context, &p))
        return bird_fail(BIRD_ECANCELED, "stopped; nothing was written");
    return 0;
}

static int run_pass(struct counting *c)
{
    int rc = 0;

    for (uint64_t i = 0; i < c->slots; i++) {
        c->word[i] = 0;
        c->count[i] = 0;
    }
    c->used = 0;
    for (int mark = 0; mark < 2; mark++)
        for (int64_t i = 0; !rc && i < c->bases.n; i++) {
            rc = walk_contig(c, i, mark);
            c->done += c->bases.contig[i].length;
            if (!rc)
                rc = report(c);
        }
    return rc;
}

/* ---- memory -------------------------------------------------------------- */

/* A table for all words, or as large a one as is allowed. */
static void plan(struct counting *c)
{
    uint64_t words = (uint64_t)c->t.n_base, most;

    c->slots = MIN_SLOTS;
    while (c->slots * LOAD_PERCENT / 100 < words &&
           (int64_t)(2 * c->slots * SLOT_BYTES) <= c->o->max_memory)
        c->slots *= 2;
    most = c->slots * LOAD_PERCENT / 100;
    c->passes = words > most ? (words + most - 1) / most : 1;
    c->t.passes = (int64_t)c->passes;
}

static int open_genome(struct counting *c)
{
    const bird_repeats_options *o = c->o;
    int rc = bird_packed_read(&c->bases, o->fasta, o->n_fasta, NULL);

    if (!rc)
        rc = bird_array_new(&c->mark, c->bases.n, sizeof(*c->mark));
    for (int64_t i = 0; !rc && i < c->bases.n; i++) {
        int64_t length = c->bases.contig[i].length;

        c->t.n_base +=
            length - bird_packed_unknown(&c->bases, (int32_t)i, 0, length);
        c->total += length;
        rc = bird_array_new(&c->mark[i], length / 8 + 1, 1);
    }
    if (!rc && !c->t.n_base)
        rc = bird_fail(BIRD_EINVAL, "%s: no A, C, G or T", o->fasta[0]);
    if (rc)
        return rc;
    plan(c);
    c->total *= 2 * (int64_t)c->passes;
    rc = bird_array_new(&c->word, (int64_t)c->slots, sizeof(*c->word));
    return rc ? rc
              : bird_array_new(&c->count, (int64_t)c->slots, sizeof(*c->count));
}

/* ---- output -------------------------------------------------------------- */

static int is_marked(const struct counting *c, int64_t i, int64_t p)
{
    return c->mark[i][p / 8] >> p % 8 & 1;
}

static int put_contig(struct bird_output *out, struct counting *c, int64_t i)
{
    int64_t length = c->bases.contig[i].length, end;
    struct bird_text line = {0};
    int rc = 0;

    for (int64_t p = 0; !rc && p < length; p = end) {
        for (end = p + 1;
             end < length && is_marked(c, i, end) == is_marked(c, i, p);)
            end++;
        if (!is_marked(c, i, p))
            continue;
        line.n = 0;
        rc = bird_text_printf(&line, "%s\t%lld\t%lld\n",
                              c->bases.contigs.name[i], (long long)p,
                              (long long)end);
        if (!rc)
            rc = bird_output_put(out, line.s, line.n);
        c->t.n_repeat += end - p;
        c->t.n_interval++;
    }
    bird_text_free(&line);
    return rc;
}

static int write_mask(struct counting *c)
{
    struct bird_output *out;
    int rc = bird_output_open(&out, c->o->output, NULL);

    if (rc)
        return rc;
    for (int64_t i = 0; !rc && i < c->bases.n; i++)
        rc = put_contig(out, c, i);
    if (!rc)
        return bird_output_close(out, 0);
    bird_output_free(out);
    return rc;
}

int bird_repeats_write(const bird_repeats_options *o, bird_repeats_tally *tally)
{
    struct counting c = {.o = o};
    int rc = check(o);

    if (!rc)
        rc = open_genome(&c);
    for (; !rc && c.pass < c.passes; c.pass++)
        rc = run_pass(&c);
    if (!rc)
        rc = write_mask(&c);
    if (!rc && tally)
        *tally = c.t;
    for (int64_t i = 0; c.mark && i < c.bases.n; i++)
        free(c.mark[i]);
    free(c.mark);
    free(c.word);
    free(c.count);
    bird_packed_free(&c.bases);
    return rc;
}
