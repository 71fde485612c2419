/* Sequences for `embed`: records, intervals or lines of ids are read one by
 * one, tokenized, and kept as tokens with their names, since the output's
 * header needs their number first. SPDX-License-Identifier: MIT */
#include "session/embed_read.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/guard.h"
#include "base/mem.h"
#include "dnabird/intervals.h"
#include "dnabird/reference.h"
#include "dnabird/tiles.h"
#include "head/head.h"
#include "model/stem.h"
#include "seq/input.h"

struct reader {
    struct bird_pack *p;
    const struct bird_config *c;
    const bird_tokenizer *t;
    const char *file;
    int64_t pad_to;
    struct bird_text
        *names;    /* of the rows, each with its closing NUL; or NULL */
    int per_token; /* rows are tokens, not sequences */
};

/* Its bases, from 1, after the name of the sequence; a special token has none. */
static int add_token_name(struct reader *r, const char *name, int64_t i,
                          int64_t len)
{
    const bird_encoding *e = &r->p->encoding;
    int64_t end = i + 1 < e->n ? e->start[i + 1] : len;
    int rc = end > e->start[i]
                 ? bird_text_printf(r->names, "%s:%lld-%lld", name,
                                    (long long)e->start[i] + 1, (long long)end)
                 : bird_text_printf(r->names, "%s:%s", name,
                                    bird_tokenizer_token(r->t, e->ids[i]));

    return rc ? rc : bird_text_put(r->names, "", 1);
}

/* The name of the sequence of len bases that was encoded last. */
static int add_name(struct reader *r, const char *name, int64_t len)
{
    int rc = 0;

    if (!r->names)
        return 0;
    if (!r->per_token)
        return bird_text_put(r->names, name, (int64_t)strlen(name) + 1);
    for (int64_t i = 0; !rc && i < r->p->encoding.n; i++)
        rc = add_token_name(r, name, i, len);
    return rc;
}

/* Of a sequence of n ids. */
static int add_ids_name(struct reader *r, const char *name, int64_t n)
{
    int rc = 0;

    if (!r->names || !r->per_token)
        return add_name(r, name, 0);
    for (int64_t i = 0; !rc && i < n; i++) {
        rc =
            bird_text_printf(r->names, "%s:token %lld", name, (long long)i + 1);
        if (!rc)
            rc = bird_text_put(r->names, "", 1);
    }
    return rc;
}

static int add_tokens(struct reader *r, const char *what, const int32_t *ids,
                      int64_t n)
{
    if (n < 1)
        return bird_fail(BIRD_ERANGE, "%s: %s has no tokens", r->file, what);
    if (r->pad_to && n > r->pad_to)
        return bird_fail(BIRD_ERANGE,
                         "%s: %s has %lld tokens, more than the %lld to fill "
                         "up to",
                         r->file, what, (long long)n, (long long)r->pad_to);
    if (bird_stem_rows(r->c, ids, n) > r->c->max_positions)
        return bird_fail(
            BIRD_ERANGE,
            "%s: %s has %lld tokens, the model reads %lld: cut it "
            "into windows",
            r->file, what, (long long)n,
            (long long)bird_stem_tokens(r->c, r->c->max_positions));
    return bird_pack_add_ids(r->p, ids, NULL, n);
}

static int add_text(struct reader *r, const char *what, const char *s,
                    int64_t n)
{
    bird_encoding *e = &r->p->encoding;
    int rc = bird_tokenizer_encode(r->t, e, s, n, 1);

    return rc ? rc : add_tokens(r, what, e->ids, e->n);
}

static int read_fasta(struct reader *r)
{
    struct bird_text s = {0};
    bird_fastx *x = NULL;
    bird_piece piece;
    char what[200];
    int rc = bird_fastx_open(&x, r->file, 0);

    while (!rc && (rc = bird_fastx_next(x, &piece)) > 0) {
        rc = bird_text_put(&s, piece.seq, piece.n);
        if (rc || !piece.last)
            continue;
        snprintf(what, sizeof(what), "record %lld, '%.120s',",
                 (long long)piece.contig + 1, piece.name);
        rc = add_text(r, what, s.s ? s.s : "", s.n);
        if (!rc)
            rc = add_name(r, piece.name, s.n);
        bird_text_clear(&s);
    }
    bird_fastx_free(x);
    bird_text_free(&s);
    return rc;
}

static int read_region(struct reader *r, bird_genome *g, const bird_region *at,
                       char *bases)
{
    int64_t n = at->end - at->start;
    struct bird_text where = {0};
    char what[240];
    int named, rc = bird_genome_fetch(g, at->index, at->start, at->end, bases);

    if (rc)
        return rc;
    if (at->strand == '-') {
        bird_reverse_complement(bases + n, bases, n);
        bases += n;
    }
    rc = bird_text_printf(&where, "%s:%lld-%lld%s", at->contig,
                          (long long)at->start + 1, (long long)at->end,
                          at->strand == '-' ? "(-)" : "");
    if (rc)
        goto done;
    snprintf(what, sizeof(what), "line %lld, %.200s,", (long long)at->line,
             where.s);
    rc = add_text(r, what, bases, n);
    named = at->name && *at->name && strcmp(at->name, ".") != 0;
    if (!rc)
        rc = add_name(r, named ? at->name : where.s, n);
done:
    bird_text_free(&where);
    return rc;
}

static int read_regions(struct reader *r, const char *reference)
{
    bird_genome *g = NULL;
    bird_regions list = {0};
    char *bases = NULL;
    int64_t cap = 0;
    int rc = bird_genome_open(&g, reference);

    if (rc || (rc = bird_regions_read_bed(&list, r->file)) ||
        (rc = bird_regions_resolve(&list, g)))
        goto done;
    for (int64_t i = 0; !rc && i < list.n; i++) {
        int64_t n = list.at[i].end - list.at[i].start;

        /* twice the length: room for the reverse complement */
        rc = bird_array_grow(&bases, &cap, 2 * n, 1);
        if (!rc)
            rc = read_region(r, g, &list.at[i], bases);
    }
done:
    free(bases);
    bird_regions_free(&list);
    bird_genome_free(g);
    return rc;
}

/* Read the ids of one line, separated by blanks. */
static int read_line(struct reader *r, char *line, int64_t number,
                     struct bird_pack *ids)
{
    char what[40], *save = NULL, *word;
    int rc = 0;

    snprintf(what, sizeof(what), "line %lld", (long long)number);
    bird_pack_clear(ids);
    for (word = strtok_r(line, " \t\r\n", &save); !rc && word;
         word = strtok_r(NULL, " \t\r\n", &save)) {
        char *end;
        long id;

        errno = 0;
        id = strtol(word, &end, 10);
        if (end == word || *end)
            return bird_fail(
                BIRD_EFORMAT,
                "%s: %s: '%.20s' is not a token id: a line is token "
                "ids between blanks",
                r->file, what, word);
        if (errno || id < 0 || id >= r->c->vocab_size)
            return bird_fail(BIRD_ERANGE,
                             "%s: %s: id %.20s is outside the vocabulary of "
                             "%lld",
                             r->file, what, word, (long long)r->c->vocab_size);
        rc = bird_pack_add_ids(ids, &(int32_t){(int32_t)id}, NULL, 1);
    }
    if (!rc)
        rc = add_tokens(r, what, ids->ids, ids->n_tok);
    return rc ? rc : add_ids_name(r, what, ids->n_tok);
}

static int read_ids(struct reader *r)
{
    struct bird_pack ids = {0};
    struct bird_lines in = {0};
    int rc = bird_guard_input(r->file);

    if (!rc)
        rc = bird_lines_open(&in, r->file);
    if (rc)
        return rc;
    while (!rc && (rc = bird_lines_next(&in)) > 0)
        rc = read_line(r, in.text.s, in.line, &ids);
    bird_lines_close(&in);
    bird_pack_free(&ids);
    return rc;
}

int bird_embed_read(struct bird_pack *p, struct bird_text *names,
                    const bird_embed_options *o, const struct bird_config *c,
                    const bird_tokenizer *t)
{
    struct reader r = {p,
                       c,
                       t,
                       o->ids       ? o->ids
                       : o->regions ? o->regions
                                    : o->fasta,
                       o->run.pad_to,
                       names,
                       o->logits && bird_head_per_token(c)};
    int rc = o->ids       ? read_ids(&r)
             : o->regions ? read_regions(&r, o->reference)
                          : read_fasta(&r);

    if (!rc && !p->n_seq)
        rc = bird_fail(BIRD_EFORMAT, "%s: no sequence in it", r.file);
    return rc;
}
