/* Windows of bins by the parts of a split. SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "data/references.h"
#include "dnabird/dataset.h"

struct part {
    char *name, *where; /* in the copy of the split */
    struct bird_intervals at;
    struct bird_text bed;
};

struct cutting {
    const bird_bin_split *o;
    struct bird_reference ref;
    struct bird_intervals exclude;
    int64_t *length; /* (ref.n) */
    char *split;
    struct part part[BIRD_MAX_PART];
    bird_bin_split_tally t;
};

void bird_bin_split_default(bird_bin_split *o)
{
    *o = (bird_bin_split){
        .bin_bp = 200, .window_bp = 8000, .margin_bp = 800, .max_n = 0.5};
}

static int check(bird_bin_split *o)
{
    if (o->bin_bp < 1 || o->margin_bp < 0 || o->border_bp < 0 ||
        o->window_bp <= 2 * o->margin_bp)
        return bird_fail(BIRD_EINVAL, "a bin is 1 bp or more, a window longer "
                                      "than its two margins");
    if (o->margin_bp % o->bin_bp)
        return bird_fail(BIRD_EINVAL,
                         "a margin of %lld bp is no whole number of bins of "
                         "%lld bp: bins would be lost between windows",
                         (long long)o->margin_bp, (long long)o->bin_bp);
    if (!o->stride_bp)
        o->stride_bp = o->window_bp - 2 * o->margin_bp;
    if (o->stride_bp < 1 || o->stride_bp % o->bin_bp)
        return bird_fail(BIRD_EINVAL,
                         "windows begin at multiples of a bin of %lld bp: a "
                         "stride of %lld bp (a window less its margins, if "
                         "none is given) is none",
                         (long long)o->bin_bp, (long long)o->stride_bp);
    return o->max_n >= 0 && o->max_n <= 1
               ? 0
               : bird_fail(BIRD_EINVAL, "a share of N lies in 0 to 1");
}

/* "NAME=WHERE,NAME=WHERE" to names and places. */
static int read_split(struct cutting *c)
{
    char *word, *save = NULL, *sign;

    for (word = strtok_r(c->split, ",", &save); word;
         word = strtok_r(NULL, ",", &save)) {
        struct part *p = &c->part[c->t.n_part];

        sign = strchr(word, '=');
        if (!sign || sign == word || !sign[1] || *word == '.' ||
            memchr(word, '/', (size_t)(sign - word)))
            return bird_fail(BIRD_EINVAL,
                             "split '%s': a part is NAME=FILE.bed, "
                             "NAME=contig+contig or NAME=rest",
                             word);
        if (c->t.n_part == BIRD_MAX_PART)
            return bird_fail(BIRD_EINVAL, "a split has at most %d parts",
                             BIRD_MAX_PART);
        *sign = '\0';
        p->name = word;
        p->where = sign + 1;
        for (int64_t i = 0; i < c->t.n_part; i++)
            if (!strcmp(c->part[i].name, word))
                return bird_fail(BIRD_EINVAL, "part '%s' is there twice", word);
        snprintf(c->t.part[c->t.n_part++].name, sizeof(c->t.part->name), "%s",
                 word);
    }
    return c->t.n_part ? 0
                       : bird_fail(BIRD_EINVAL, "the split names no part: give "
                                                "NAME=FILE.bed,... or leave "
                                                "out --split");
}

static int is_rest(const struct part *p)
{
    return !strcmp(p->where, "rest");
}

/* Where each part is: what it names, then what is left. */
static int place_parts(struct cutting *c)
{
    int rc = 0;

    for (int64_t i = 0; !rc && i < c->t.n_part; i++) {
        struct part *p = &c->part[i];

        if (is_rest(p))
            continue;
        if (bird_file_exists(p->where) &&
            bird_contigs_find(&c->ref.contigs, p->where) >= 0)
            return bird_fail(BIRD_EINVAL,
                             "--split: %.80s is a contig and a file here: "
                             "write ./%.80s for the file or %.80s:1- for the "
                             "contig",
                             p->where, p->where, p->where);
        for (char *s = p->where; !bird_file_exists(p->where) && *s; s++)
            *s = (char)(*s == '+' ? ',' : *s);
        rc = bird_intervals_allowed(&p->at, &c->ref.contigs, c->length,
                                    c->ref.n, p->where, NULL);
    }
    for (int64_t i = 0; !rc && i < c->t.n_part; i++) {
        struct part *p = &c->part[i];

        if (!is_rest(p))
            continue;
        rc = bird_intervals_whole(&p->at, c->length, c->ref.n);
        for (int64_t k = 0; !rc && k < c->t.n_part; k++)
            if (k != i && !is_rest(&c->part[k]))
                rc = bird_intervals_subtract(&p->at, &c->part[k].at);
    }
    return rc;
}

static int is_clear(const struct cutting *c, int32_t contig, int64_t start)
{
    int64_t end = start + c->o->window_bp;
    int64_t i = bird_intervals_first(&c->exclude, contig, end) - 1;

    return i < 0 || c->exclude.at[i].contig != contig ||
           c->exclude.at[i].end <= start;
}

static int put_window(struct cutting *c, int64_t k, int32_t contig,
                      int64_t start)
{
    int64_t none = 0, len = c->o->window_bp;
    const char *bases;
    int rc = bird_reference_bases(&bases, &c->ref, contig);

    for (int64_t i = start; !rc && i < start + len; i++)
        none += !bird_is_acgt(bases[i]);
    if (rc)
        return rc;
    if ((double)none > c->o->max_n * (double)len) {
        c->t.part[k].n_unknown++;
        return 0;
    }
    c->t.part[k].n_window++;
    return bird_text_printf(&c->part[k].bed, "%s\t%lld\t%lld\n",
                            c->ref.contigs.name[contig], (long long)start,
                            (long long)(start + len));
}

static int cut_part(struct cutting *c, int64_t k)
{
    const bird_bin_split *o = c->o;
    const struct bird_intervals *at = &c->part[k].at;
    int rc = 0;

    for (int64_t i = 0; !rc && i < at->n; i++) {
        int32_t contig = at->at[i].contig;
        int64_t start = at->at[i].start, end = at->at[i].end;

        start += start > 0 ? o->border_bp : 0;
        end -= end < c->length[contig] ? o->border_bp : 0;
        start = (start + o->bin_bp - 1) / o->bin_bp * o->bin_bp;
        c->t.part[k].n_short += start + o->window_bp > end;
        for (; !rc && start + o->window_bp <= end; start += o->stride_bp)
            if (is_clear(c, contig, start))
                rc = put_window(c, k, contig, start);
    }
    if (!rc && !c->t.part[k].n_window)
        rc = bird_fail(BIRD_EINVAL,
                       "part '%s' has no window (%lld stretches are too short, "
                       "%lld windows have too many N)",
                       c->part[k].name, (long long)c->t.part[k].n_short,
                       (long long)c->t.part[k].n_unknown);
    return rc;
}

static int write_parts(const struct cutting *c)
{
    int rc = bird_folder_make(c->o->output);

    for (int64_t i = 0; !rc && i < c->t.n_part; i++) {
        const struct bird_text *t = &c->part[i].bed;
        char *path = NULL;

        if (asprintf(&path, "%s/%s.bed", c->o->output, c->part[i].name) < 0)
            return bird_fail_memory(0);
        rc = bird_file_write(path, t->s, (size_t)t->n);
        free(path);
    }
    return rc;
}

static int open_all(struct cutting *c)
{
    int rc = bird_reference_open(&c->ref, c->o->fasta, c->o->n_fasta);

    if (!rc)
        rc = bird_array_new(&c->length, c->ref.n, sizeof(*c->length));
    for (int64_t i = 0; !rc && i < c->ref.n; i++)
        c->length[i] = c->ref.contig[i].length;
    if (!rc && c->o->exclude) {
        rc = bird_intervals_read(&c->exclude, &c->ref.contigs, c->o->exclude);
        bird_intervals_merge(&c->exclude);
    }
    if (!rc && !(c->split = strdup(c->o->split ? c->o->split : "all=rest")))
        rc = bird_fail_memory(0);
    return rc ? rc : read_split(c);
}

int bird_bin_split_write(const bird_bin_split *o, bird_bin_split_tally *tally)
{
    bird_bin_split own = *o;
    struct cutting c = {.o = &own};
    int rc = check(&own);

    if (!rc)
        rc = open_all(&c);
    if (!rc)
        rc = place_parts(&c);
    for (int64_t i = 0; !rc && i < c.t.n_part; i++)
        rc = cut_part(&c, i);
    if (!rc)
        rc = write_parts(&c);
    if (!rc && tally)
        *tally = c.t;
    for (int64_t i = 0; i < c.t.n_part; i++) {
        bird_intervals_free(&c.part[i].at);
        bird_text_free(&c.part[i].bed);
    }
    bird_intervals_free(&c.exclude);
    bird_reference_free(&c.ref);
    free(c.length);
    free(c.split);
    return rc;
}
