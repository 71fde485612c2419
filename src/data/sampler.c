/*
 * Rows for masked-language training: sample a position, encode as many bases as
 * the tokens need, choose tokens to predict.
 *
 * Each row is a pure function of (seed, step, row), so that any step's batch
 * can be made alone, by any thread. A row lies in one allowed interval, or in
 * one document, an interval of sentences (Zaheer et al. 2020, appendix F.1).
 * docs/math/pretraining-data.md has all of it.
 * SPDX-License-Identifier: MIT
 */
#include "data/sampler.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/order.h"
#include "data/shards.h"
#include "dnabird/tiles.h"
#include "token/vocab.h"

/* lo .. hi, both included. */
static int64_t between(struct bird_rng *r, int64_t lo, int64_t hi)
{
    return lo + (int64_t)bird_rng_below(r, (uint64_t)(hi - lo + 1));
}

/* ---- documents ---------------------------------------------------------- */

/* The sentences of document i, one after the other: start with
   document_begin, then each call of sentence_next adds one. */
struct sentences {
    struct bird_rng r;
    int64_t left;   /* sentences to come */
    int64_t at;     /* bp before the next one */
    int64_t length; /* bp there are */
};

static void document_begin(struct sentences *x, uint64_t seed, int64_t i,
                           int64_t length)
{
    *x = (struct sentences){.length = length};
    bird_rng_init(&x->r, seed, BIRD_STREAM_DOCUMENT, (uint64_t)i);
    x->left = between(&x->r, BIRD_SENTENCES_MIN, BIRD_SENTENCES_MAX);
}

/* Move x->at to the end of the sentence. @return 0 at the end of the document */
static int sentence_next(struct sentences *x)
{
    if (!x->left || x->at >= x->length)
        return 0;
    x->left--;
    x->at += between(&x->r, BIRD_SENTENCE_MIN, BIRD_SENTENCE_MAX);
    if (x->at > x->length)
        x->at = x->length;
    return 1;
}

/* One pass over an interval: documents from a random start to its end. */
static int add_pass(struct bird_sampler *s, const struct bird_interval *p,
                    int64_t pass)
{
    int64_t at = p->start, limit = (p->end - p->start) / 10;
    struct sentences x;
    struct bird_rng r;
    int rc = 0;

    if (limit > BIRD_PASS_START)
        limit = BIRD_PASS_START;
    bird_rng_init(&r, s->o.seed, BIRD_STREAM_PASS, (uint64_t)pass);
    for (at += between(&r, 0, limit); !rc && at < p->end; at += x.at) {
        document_begin(&x, s->o.seed, s->n_document, p->end - at);
        while (sentence_next(&x))
            ;
        rc = bird_array_grow(&s->document, &s->cap_document, s->n_document + 1,
                             sizeof(*s->document));
        if (!rc)
            s->document[s->n_document++] =
                (struct bird_document){at, p->contig, (int32_t)x.at};
    }
    return rc;
}

static int make_documents(struct bird_sampler *s)
{
    int rc = 0;

    for (int64_t i = 0; !rc && i < s->allowed.n; i++)
        for (int64_t k = 0; !rc && k < BIRD_PASSES; k++)
            rc = add_pass(s, s->allowed.at + i, i * BIRD_PASSES + k);
    if (!rc)
        rc = bird_array_new(&s->sum, s->n_document + 1, sizeof(*s->sum));
    for (int64_t i = 0; !rc && i < s->n_document; i++)
        s->sum[i + 1] = s->sum[i] + s->document[i].length;
    return rc;
}

/* ---- intervals ---------------------------------------------------------- */

/* Does the interval begin on a contig of the references? The length of one that is
 * not in memory is not known. */
static int is_there(const struct bird_sampler *s, const struct bird_interval *p)
{
    int64_t length =
        p->contig < s->bases.n ? s->bases.contig[p->contig].length : -1;

    return !length || p->start < length;
}

/* Held-out regions of which the references have nothing hold nothing out: what they
 * mean, with other names or in another assembly, would be learned. */
static int check_held_out(const struct bird_sampler *s,
                          const struct bird_intervals *cut, const char *text)
{
    const struct bird_interval *beyond = NULL;

    for (int64_t i = 0; i < cut->n; i++) {
        if (is_there(s, &cut->at[i]))
            return 0;
        if (!beyond && cut->at[i].contig < s->bases.n)
            beyond = &cut->at[i];
    }
    if (!cut->n)
        return 0;
    if (beyond)
        return bird_fail(BIRD_ERANGE,
                         "%s: the references have nothing of these held-out "
                         "regions: '%.80s' has %lld bp, and they begin at %lld "
                         "there: are they of another assembly?",
                         text, s->bases.contigs.name[beyond->contig],
                         (long long)s->bases.contig[beyond->contig].length,
                         (long long)beyond->start + 1);
    return bird_fail(BIRD_ERANGE,
                     "%s: the references have none of the contigs of these "
                     "held-out regions (the first is '%.80s'): use the names "
                     "of the references, or hold out no regions",
                     text, s->bases.contigs.name[cut->at[0].contig]);
}

/* Subtract the held-out regions. */
static int exclude_held_out(struct bird_sampler *s, const char *text)
{
    struct bird_intervals cut = {0};
    int rc;

    if (!text)
        return 0;
    rc = bird_intervals_check_named(&s->bases.contigs, text);
    if (!rc)
        rc = bird_intervals_read_named(&cut, &s->bases.contigs, text);
    if (!rc)
        rc = check_held_out(s, &cut, text);
    bird_intervals_merge(&cut);
    if (!rc)
        rc = bird_intervals_subtract(&s->allowed, &cut);
    bird_intervals_free(&cut);
    return rc;
}

/* The mask of the contigs in use. */
static int read_repeats(struct bird_sampler *s, const char *path)
{
    int64_t *length, n = s->bases.n;
    int rc = bird_array_new(&length, n, sizeof(*length));

    for (int64_t i = 0; !rc && i < n; i++)
        length[i] = s->bases.contig[i].length;
    if (!rc)
        rc = bird_intervals_mask(&s->repeats, &s->bases.contigs, length, n,
                                 path);
    free(length);
    return rc;
}

static int count_bases(struct bird_sampler *s)
{
    for (int64_t i = 0; i < s->allowed.n; i++) {
        const struct bird_interval *p = s->allowed.at + i;

        s->n_base +=
            p->end - p->start -
            bird_packed_unknown(&s->bases, p->contig, p->start, p->end);
    }
    if (s->n_base)
        return 0;
    return bird_fail(BIRD_EINVAL, "no A, C, G or T lies where rows may lie: "
                                  "check the references and regions");
}

/* Read the references; fill allowed, document, sum and n_base. */
static int open_intervals(struct bird_sampler *s,
                          const struct bird_sample_options *o)
{
    struct bird_packed_source source = {o->fasta, o->n_fasta, o->include,
                                        o->exclude};
    int rc = bird_packed_open(&s->bases, &s->allowed, &source);

    for (int i = 0; !rc && i < 2; i++)
        rc = exclude_held_out(s, o->held_out[i]);
    if (!rc && o->repeats)
        rc = read_repeats(s, o->repeats);
    if (rc || (rc = count_bases(s)))
        return rc;
    if (o->kind == BIRD_SAMPLE_DOCUMENTS)
        return make_documents(s);
    return bird_intervals_sum(&s->sum, &s->allowed, 1);
}

/* ---- positions ---------------------------------------------------------- */

/* Where the sentences of a position's document begin, in bp from its 5' end on
   the position's strand, and where the last one ends; returns their number. */
static int64_t find_borders(int64_t border[BIRD_SENTENCES_MAX + 1],
                            const struct bird_sampler *s,
                            const struct bird_sample_position *x)
{
    int64_t length = x->end - x->start, n = 0, swap;
    struct sentences y;

    document_begin(&y, s->o.seed, x->interval, length);
    border[0] = 0;
    while (sentence_next(&y))
        border[++n] = y.at;
    if (x->strand == '+')
        return n;
    for (int64_t i = 0; i <= n / 2; i++) {
        swap = length - border[i];
        border[i] = length - border[n - i];
        border[n - i] = swap;
    }
    return n;
}

/* Move a sampled position back to the start of its sentence. If fewer than
 * `need` bases follow, take a random sentence that enough bases follow, or the
 * first sentence. */
static void move_to_sentence(struct bird_sample_position *x,
                             const struct bird_sampler *s, struct bird_rng *r,
                             int64_t need)
{
    int64_t border[BIRD_SENTENCES_MAX + 1], n = find_borders(border, s, x);
    int64_t k = 0, fit = 1, length = x->end - x->start;

    while (k + 1 < n && border[k + 1] <= x->from)
        k++;
    while (fit < n && border[fit] <= length - need)
        fit++;
    if (border[k] > length - need)
        k = (int64_t)bird_rng_below(r, (uint64_t)fit);
    x->from = border[k];
}

void bird_position_sample(struct bird_sample_position *out,
                          const struct bird_sampler *s, struct bird_rng *r,
                          int64_t need)
{
    int64_t n = s->document ? s->n_document : s->allowed.n;
    int64_t at = (int64_t)bird_rng_below(r, (uint64_t)s->sum[n]), length;

    *out = (struct bird_sample_position){
        .strand = bird_rng_next(r) >> 63 ? '-' : '+'};
    out->from = bird_sum_find(&out->interval, s->sum, n, at);
    if (s->document) {
        const struct bird_document *d = s->document + out->interval;

        out->contig = d->contig;
        out->start = d->start;
        out->end = d->start + d->length;
        move_to_sentence(out, s, r, need);
        return;
    }
    out->contig = s->allowed.at[out->interval].contig;
    out->start = s->allowed.at[out->interval].start;
    out->end = s->allowed.at[out->interval].end;
    length = out->end - out->start;
    if (length <= need)
        out->from = 0;
    else if (out->from > length - need)
        out->from = between(r, 0, length - need);
}

int64_t bird_position_cut(const struct bird_sample_position *x,
                          const struct bird_sampler *s, struct bird_rng *r,
                          int64_t span)
{
    /* A and B are each at least an eighth: a very short part teaches nothing */
    int64_t lo = span / 8 > 1 ? span / 8 : 1, hi = span - lo;
    int64_t border[BIRD_SENTENCES_MAX + 1], n = 0, m = 0;

    if (s->document)
        n = find_borders(border, s, x);
    for (int64_t i = 0; i < n; i++)
        if (border[i] >= x->from + lo && border[i] <= x->from + hi)
            border[m++] = border[i] - x->from;
    return m ? border[bird_rng_below(r, (uint64_t)m)] : between(r, lo, hi);
}

/* The n bases from the position on as they lie on the contig. */
static int64_t position_start(const struct bird_sample_position *x, int64_t n)
{
    return x->strand == '+' ? x->start + x->from : x->end - x->from - n;
}

/* n bases from the position on, of its strand. */
static void position_bases(char *out, const struct bird_sampler *s,
                           const struct bird_sample_position *x, int64_t n)
{
    int64_t start = position_start(x, n);

    bird_packed_get(out, &s->bases, x->contig, start, start + n);
    if (x->strand == '-')
        bird_reverse_complement(out, out, n);
}

/* Have the n bases from the position on too large a share of N? */
static int is_rich(const struct bird_sampler *s,
                   const struct bird_sample_position *x, int64_t n)
{
    int64_t start = position_start(x, n);
    int64_t unknown =
        bird_packed_unknown(&s->bases, x->contig, start, start + n);

    return (double)unknown > s->o.max_n * (double)n;
}

/* ---- tokens ------------------------------------------------------------- */

enum {
    MAX_TRIES = 10000, /* of positions, for one row */
    SLACK_TOK =
        4,       /* extra tokens: the cut end of the text may change the last */
    PROBES = 64, /* sequences on which bases per token are measured */
    PROBE_BP = 4096
};

/* A part of a row: a number of tokens from a position on. */
struct piece {
    bird_encoding e;
    char *text;
    int64_t cap;
    int64_t n_token, bp; /* taken */
};

static void piece_free(struct piece *p)
{
    bird_encoding_free(&p->e);
    free(p->text);
}

/* Bases of n tokens, more or less. */
static int64_t bases_of(const struct bird_sampler *s, int64_t n)
{
    return (int64_t)((double)n * s->words.bp) + 1;
}

/* Bases that hardly ever are fewer than n tokens. */
static int64_t bases_for(const struct bird_sampler *s, int64_t n)
{
    return bases_of(s, n) + bases_of(s, n) / 10 + 64;
}

/* Up to n whole tokens from the position on, within `limit` bases and within
 * the interval. */
static int piece_encode(struct piece *p, const struct bird_sampler *s,
                        const struct bird_sample_position *x, int64_t n,
                        int64_t limit)
{
    int64_t take = bases_for(s, n);
    int rc;

    if (limit > bird_position_left(x))
        limit = bird_position_left(x);
    for (;; take += take / 2) {
        if (take > limit)
            take = limit;
        if ((rc = bird_array_grow(&p->text, &p->cap, take, 1)))
            return rc;
        position_bases(p->text, s, x, take);
        rc = bird_tokenizer_encode(s->t, &p->e, p->text, take, 0);
        if (rc)
            return rc;
        if (take == limit || p->e.n >= n + SLACK_TOK)
            break;
    }
    p->n_token = p->e.n < n ? p->e.n : n;
    p->bp = p->n_token < p->e.n ? p->e.start[p->n_token] : take;
    return 0;
}

static void put(struct bird_sampled_row *d, int32_t id, int64_t bp)
{
    d->ids[d->n_token] = id;
    if (d->weight)
        d->weight[d->n_token] = 1;
    d->bp[d->n_token++] = (int32_t)bp;
}

/* Weight of a token that begins `from` bp after the position and has n bp. */
static float weight_of(const struct bird_sampler *s,
                       struct bird_sample_position x, int64_t from, int64_t n)
{
    int64_t start, inside;

    x.from += from;
    start = position_start(&x, n);
    inside = bird_intervals_covered(&s->repeats, x.contig, start, start + n);
    return 2 * inside > n ? (float)s->o.repeat_weight : 1;
}

/* The piece that was taken from x. */
static void put_piece(struct bird_sampled_row *d, const struct piece *p,
                      const struct bird_sampler *s,
                      const struct bird_sample_position *x)
{
    for (int64_t i = 0; i < p->n_token; i++) {
        int64_t from = p->e.start[i];
        int64_t end = i + 1 < p->n_token ? p->e.start[i + 1] : p->bp;

        put(d, p->e.ids[i], end - from);
        if (d->weight && s->repeats.n)
            d->weight[d->n_token - 1] = weight_of(s, *x, from, end - from);
    }
}

/* Is there anything that can be predicted? */
static int is_informative(const struct bird_sampler *s, const struct piece *p)
{
    for (int64_t i = 0; i < p->n_token; i++)
        if (!s->words.special[p->e.ids[i]])
            return 1;
    return 0;
}

/* Encode tokens from a position; *good: few N. N are counted in the expected bases
   first, so that a run of N is not encoded, then in the bases used. */
static int take_piece(struct piece *p, int *good, const struct bird_sampler *s,
                      const struct bird_sample_position *x, int64_t n,
                      int64_t limit)
{
    int64_t need = bases_of(s, n), room = bird_position_left(x);
    int rc;

    need = need < room ? need : room;
    *good = 0;
    if (is_rich(s, x, need < limit ? need : limit))
        return 0;
    rc = piece_encode(p, s, x, n, limit);
    if (!rc)
        *good = is_informative(s, p) && !is_rich(s, x, p->bp);
    return rc;
}

/* B: what follows A, or another position; a document other than A's if there is
   one. */
static void position_of_b(struct bird_sample_position *out,
                          const struct bird_sampler *s, struct bird_rng *r,
                          const struct bird_sample_position *a,
                          const struct bird_sampled_row *d)
{
    int64_t left = s->o.length_tok - 1 - d->n_token;
    int tries = MAX_TRIES;

    *out = *a;
    if (d->next == 0)
        return;
    do
        bird_position_sample(out, s, r, bases_for(s, left));
    while (s->n_document > 1 && out->interval == a->interval && --tries);
}

/* Sample a row; *good is 1 when the row can be used. d->next decides which B
 * the row has. */
static int try_row(struct bird_sampled_row *d, int *good, struct piece *p,
                   const struct bird_sampler *s, struct bird_rng *r)
{
    int64_t n = s->o.length_tok - s->words.n_global - 2 - (d->next >= 0);
    int64_t room, limit = INT64_MAX, need = bases_of(s, n);
    struct bird_sample_position a, b;
    int rc;

    bird_position_sample(&a, s, r, bases_for(s, n));
    room = bird_position_left(&a);
    *good = 0;
    if (d->next >= 0) {
        if (room < 2)
            return 0;
        limit = bird_position_cut(&a, s, r, need < room ? need : room);
        n--; /* one at least for B */
    }
    rc = take_piece(p, good, s, &a, n, limit);
    if (rc || !*good)
        return rc;
    d->n_token = 0;
    d->type = s->o.genome_types ? (int32_t)s->bases.contig[a.contig].file : 0;
    for (int64_t i = 0; i < s->words.n_global; i++)
        put(d, s->words.global[i], 0);
    put(d, s->words.cls, 0);
    put_piece(d, p, s, &a);
    put(d, s->words.sep, 0);
    d->second = d->n_token;
    if (d->next < 0)
        return 0;
    a.from += p->bp;
    position_of_b(&b, s, r, &a, d);
    rc =
        take_piece(p, good, s, &b, s->o.length_tok - 1 - d->n_token, INT64_MAX);
    if (!rc && *good) {
        put_piece(d, p, s, &b);
        put(d, s->words.sep, 0);
    }
    return rc;
}

int bird_row_sample(struct bird_sampled_row *d, const struct bird_sampler *s,
                    int64_t step, int64_t row)
{
    struct piece p = {0};
    struct bird_rng r;
    int good = 0, rc = 0;

    bird_rng_init(&r, bird_mix(s->o.seed, BIRD_STREAM_ROW), (uint64_t)step,
                  (uint64_t)row);
    d->next = BIRD_SAMPLE_NONE;
    if (s->o.next_sentence) /* for all tries: rejections must not bias it */
        d->next = (int32_t)(bird_rng_next(&r) >> 63);
    for (d->n_rich = 0; !rc && d->n_rich < MAX_TRIES; d->n_rich++) {
        rc = try_row(d, &good, &p, s, &r);
        if (good)
            break;
    }
    piece_free(&p);
    if (!rc && !good)
        rc = bird_fail(
            BIRD_EINVAL,
            "step %lld, row %lld: none of %d sampled sequences has at most a "
            "share of %g of N and is long enough for a token to predict: raise "
            "--max-n, exclude regions rich in N, or give longer sequence",
            (long long)step, (long long)row, MAX_TRIES, s->o.max_n);
    return rc;
}

/* Measure words.bp. */
static int measure_tokens(struct bird_sampler *s)
{
    int64_t n_bp = 0, n_token = 0;
    struct piece p = {0};
    struct bird_sample_position x;
    struct bird_rng r;
    int rc = 0, probes = 0;

    bird_rng_init(&r, 0, BIRD_STREAM_PROBE, 0);
    s->words.bp = 1.0;
    for (int i = 0; !rc && probes < PROBES && i < MAX_TRIES; i++) {
        bird_position_sample(&x, s, &r, PROBE_BP);
        if (is_rich(s, &x,
                    bird_position_left(&x) < PROBE_BP ? bird_position_left(&x)
                                                      : PROBE_BP))
            continue;
        rc = piece_encode(&p, s, &x, PROBE_BP, PROBE_BP);
        n_bp += p.bp;
        n_token += p.n_token;
        probes++;
    }
    piece_free(&p);
    if (!rc && !n_token)
        rc = bird_fail(BIRD_EINVAL,
                       "all of %d sampled sequences have more than a share of "
                       "%g of N: raise --max-n, or exclude regions rich in N",
                       MAX_TRIES, s->o.max_n);
    if (!rc)
        s->words.bp = (double)n_bp / (double)n_token;
    return rc;
}

/* ---- samplers ----------------------------------------------------------- */

void bird_sample_options_default(bird_sample_options *o)
{
    *o = (bird_sample_options){.kind = BIRD_SAMPLE_WINDOWS,
                               .length_tok = 512,
                               .seed = 1,
                               .max_n = 0.05,
                               .mask = 0.15,
                               .span = 1,
                               .repeat_weight = 0.1};
}

static int check_options(const struct bird_sample_options *o)
{
    if (o->kind != BIRD_SAMPLE_WINDOWS && o->kind != BIRD_SAMPLE_DOCUMENTS)
        return bird_fail(BIRD_EINVAL, "unknown kind of sampling");
    if (o->length_tok < 8 || o->length_tok > 1 << 24)
        return bird_fail(
            BIRD_EINVAL,
            "--length must lie between 8 and 16777216 tokens, got %lld",
            (long long)o->length_tok);
    if (!(o->max_n >= 0.0 && o->max_n <= 1.0))
        return bird_fail(BIRD_EINVAL, "a share of N of %g: it lies in 0 to 1",
                         o->max_n);
    if (!(o->mask > 0.0 && o->mask <= 1.0))
        return bird_fail(BIRD_EINVAL,
                         "a masked share of %g: it lies above 0, up to 1",
                         o->mask);
    if (o->span < 1 || o->span > 1000)
        return bird_fail(BIRD_EINVAL,
                         "spans of up to %d tokens: 1 to 1000 are possible",
                         o->span);
    if (!(o->repeat_weight >= 0.0 && o->repeat_weight <= 1.0))
        return bird_fail(
            BIRD_EINVAL,
            "the weight of repeats must lie between 0 and 1, got %g",
            o->repeat_weight);
    if (o->genome_types && (o->shards || o->next_sentence))
        return bird_fail(BIRD_EINVAL,
                         "--genome-types needs FASTA files and rows of one "
                         "part: leave out --shards and --nsp");
    if (o->shards && o->repeats)
        return bird_fail(BIRD_EINVAL,
                         "%s: rows of token shards have no genome positions, "
                         "so a mask of repeats cannot be used with token "
                         "shards: give the references alone",
                         o->shards);
    if (o->shards && (o->n_fasta || o->include || o->exclude ||
                      o->held_out[0] || o->held_out[1]))
        return bird_fail(BIRD_EINVAL,
                         "%s: token shards are read instead of references and "
                         "regions: give the one or the others",
                         o->shards);
    return 0;
}

/* Those that the tokenizer puts before [CLS]. */
static int find_global(struct bird_vocab_stats *w, const bird_tokenizer *t)
{
    int64_t n = w->n_global = bird_tokenizer_global(t);
    int rc = bird_array_new(&w->global, n, sizeof(*w->global));

    if (!rc)
        rc = bird_array_new(&w->global_rising, n, sizeof(*w->global_rising));
    for (int64_t i = 0; !rc && i < n; i++) {
        w->global[i] = w->global_rising[i] = t->before[i];
        w->special[t->before[i]] = 1;
    }
    if (!rc)
        bird_sort_int32(w->global_rising, n);
    return rc;
}

/* The five special tokens in their two spellings; [CLS], [SEP] and [MASK]
   are needed. */
static int find_words(struct bird_vocab_stats *w, const bird_tokenizer *t)
{
    static const char *const name[5][2] = {{"[CLS]", "<s>"},
                                           {"[SEP]", "</s>"},
                                           {"[MASK]", "<mask>"},
                                           {"[PAD]", "<pad>"},
                                           {"[UNK]", "<unk>"}};
    int32_t id[5];
    int rc;

    w->n = bird_tokenizer_count(t);
    rc = bird_array_new(&w->special, w->n, 1);
    if (!rc)
        rc = bird_array_new(&w->n_base, w->n, sizeof(*w->n_base));
    if (rc)
        return rc;
    for (int64_t i = 0; i < w->n; i++) {
        const char *token = bird_tokenizer_token(t, (int32_t)i);

        w->n_base[i] = token ? (int32_t)strlen(token) : 0;
    }
    for (int i = 0; i < 5; i++) {
        id[i] = bird_tokenizer_id(t, name[i][0]);
        if (id[i] < 0)
            id[i] = bird_tokenizer_id(t, name[i][1]);
        if (id[i] >= 0)
            w->special[id[i]] = 1;
        else if (i < 3)
            return bird_fail(BIRD_EUNSUPPORTED,
                             "the tokenizer has no token %s: pretraining needs "
                             "it",
                             name[i][0]);
    }
    w->cls = id[0];
    w->sep = id[1];
    w->mask = id[2];
    return find_global(w, t);
}

static int open_data(struct bird_sampler *s,
                     const struct bird_sample_options *o, json_t *identity)
{
    int rc;

    if (o->shards) {
        rc = bird_shards_open(&s->shards, o->shards, identity);
        if (!rc)
            s->n_base = bird_shards_bases(s->shards);
        return rc ? rc : bird_identity_text(s, bird_shards_identity(s->shards));
    }
    rc = open_intervals(s, o);
    if (!rc)
        rc = measure_tokens(s);
    if (!rc)
        rc = bird_identity_add_data(identity, s);
    return rc ? rc : bird_identity_text(s, identity);
}

int bird_sampler_open(struct bird_sampler **out,
                      const struct bird_sample_options *o,
                      const bird_tokenizer *t)
{
    struct bird_sampler *s = NULL;
    json_t *identity = NULL;
    int rc = check_options(o);

    if (rc || (rc = bird_array_new(&s, 1, sizeof(*s))))
        return rc;
    s->o = *o;
    s->t = t;
    rc = find_words(&s->words, t);
    if (!rc && o->length_tok < s->words.n_global + 8)
        rc = bird_fail(BIRD_EINVAL,
                       "rows of %lld tokens, of which %lld are global ones of "
                       "the tokenizer: use %lld or more",
                       (long long)o->length_tok, (long long)s->words.n_global,
                       (long long)s->words.n_global + 8);
    if (!rc)
        rc = bird_identity_of_options(&identity, s);
    if (!rc)
        rc = open_data(s, o, identity);
    json_decref(identity);
    if (rc)
        bird_sampler_free(s);
    else
        *out = s;
    return rc;
}

void bird_sampler_free(struct bird_sampler *s)
{
    if (!s)
        return;
    bird_packed_free(&s->bases);
    bird_intervals_free(&s->allowed);
    bird_intervals_free(&s->repeats);
    bird_shards_free(s->shards);
    bird_text_free(&s->identity);
    free(s->words.special);
    free(s->words.n_base);
    free(s->words.global);
    free(s->words.global_rising);
    free(s->document);
    free(s->sum);
    free(s);
}

int bird_sampler_row(struct bird_sampler *s, int64_t step, int64_t row,
                     struct bird_sample_row *out)
{
    /* out->label first has the bases under each token: each value is read
     * before the label overwrites it */
    struct bird_sampled_row d = {
        .ids = out->ids, .bp = out->label, .weight = out->weight};
    int rc;

    if (step < 0 || row < 0)
        return bird_fail(BIRD_ERANGE, "step %lld, row %lld: both count from 0",
                         (long long)step, (long long)row);
    rc = s->shards ? bird_shards_row(&d, s->shards, s, step, row)
                   : bird_row_sample(&d, s, step, row);
    for (int64_t i = 0; !rc && s->shards && d.weight && i < d.n_token; i++)
        d.weight[i] = 1; /* shards have no coordinates */
    if (!rc)
        rc = bird_row_mask(out, &d, s, step, row);
    return rc;
}

int64_t bird_sampler_bases(const struct bird_sampler *s)
{
    return s->n_base;
}

int64_t bird_sampler_steps(const struct bird_sampler *s)
{
    return s->shards ? bird_shards_steps(s->shards) : INT64_MAX;
}

const char *bird_sampler_identity(const struct bird_sampler *s)
{
    return s->identity.s;
}
