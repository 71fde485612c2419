/* Bins and what is around them. SPDX-License-Identifier: MIT */
#include "seq/bins.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/text.h"
#include "seq/stretch.h"

struct bird_bins {
    int64_t bin, context, side; /* side: bp of the context before the bin */
    enum bird_bins_how how;
    /* a stream */
    bird_fastx *stream;
    char *buffer; /* letters from .. from + n of the contig */
    int64_t from, n, cap;
    int64_t contig; /* index; -1 before the first */
    int whole;      /* the contig's end is in the buffer */
    struct bird_text name;
    /* regions */
    bird_genome *genome;
    const bird_regions *list;
    struct bird_stretch stretch;
    int64_t region;      /* the next one, when no bin of the last is left */
    int64_t last_number; /* of the bin given last on that contig */
    int64_t last_contig;
    /* both */
    int64_t number, end_number; /* bins still to come: number .. end-1 */
    char *seq;                  /* (context) */
    int64_t n_contig, n_empty, n_bp;
};

static int bins_new(struct bird_bins **out, int64_t bin, int64_t context,
                    enum bird_bins_how how)
{
    struct bird_bins *b;
    int rc;

    if (bin < 1 || context < bin || (context - bin) % 2 ||
        context > BIRD_PIECE_MAX * INT64_C(1024))
        return bird_fail(BIRD_EINVAL,
                         "bins of %lld bp in a context of %lld: it must be as "
                         "wide, with as much on either side",
                         (long long)bin, (long long)context);
    rc = bird_array_new(&b, 1, sizeof(*b));
    if (rc)
        return rc;
    b->bin = bin;
    b->context = context;
    b->side = (context - bin) / 2;
    b->how = how;
    b->contig = b->last_contig = -1;
    rc = bird_array_new(&b->seq, context, 1);
    if (rc)
        bird_bins_free(b);
    else
        *out = b;
    return rc;
}

int bird_bins_stream(struct bird_bins **out, bird_fastx *r, int64_t bin,
                     int64_t context, enum bird_bins_how how)
{
    int rc = bins_new(out, bin, context, how);

    if (!rc)
        (*out)->stream = r;
    return rc;
}

int bird_bins_regions(struct bird_bins **out, bird_genome *g,
                      const bird_regions *list, int64_t bin, int64_t context,
                      enum bird_bins_how how)
{
    int rc;

    for (int64_t i = 0; i < list->n; i++)
        if (list->at[i].index < 0 ||
            list->at[i].index >= bird_genome_count(g) ||
            list->at[i].end > bird_genome_length(g, list->at[i].index))
            return bird_fail(BIRD_ERANGE,
                             "region %lld is not placed on the "
                             "genome",
                             (long long)i + 1);
    rc = bins_new(out, bin, context, how);
    if (!rc) {
        (*out)->genome = g;
        (*out)->list = list;
    }
    return rc;
}

void bird_bins_free(struct bird_bins *b)
{
    if (!b)
        return;
    free(b->buffer);
    free(b->seq);
    bird_text_free(&b->name);
    bird_stretch_free(&b->stretch);
    free(b);
}

void bird_bins_count(const struct bird_bins *b, int64_t *n_contig,
                     int64_t *n_empty, int64_t *n_bp)
{
    *n_contig = b->n_contig;
    *n_empty = b->n_empty;
    *n_bp = b->n_bp;
}

/* Place of bin number i; in the middle of from .. to when that is wanted. */
static void place(const struct bird_bins *b, struct bird_bin *x, int64_t from,
                  int64_t to)
{
    int64_t start = b->how == BIRD_BINS_TILE
                        ? b->number * b->bin
                        : from + (to - from) / 2 - b->bin / 2;

    x->start = start;
    x->end = start + b->bin;
}

/* Letters of x's context into b->seq, of a contig whose letters from .. from
 * + n stand at `bases`; then x is cut to the contig. */
static void cut_context(const struct bird_bins *b, struct bird_bin *x,
                        const char *bases, int64_t from, int64_t n)
{
    int64_t start = x->start - b->side, lo, hi;

    lo = start < from ? from : start;
    hi = start + b->context < from + n ? start + b->context : from + n;
    memset(b->seq, 'N', (size_t)b->context);
    if (hi > lo)
        memcpy(b->seq + lo - start, bases + lo - from, (size_t)(hi - lo));
    x->seq = b->seq;
    x->n_unknown = 0;
    for (int64_t i = 0; i < b->context; i++)
        x->n_unknown += !memchr("ACGT", b->seq[i], 4);
}

/* The bin to the contig's end; counts what of its context lies beyond. A
 * length that is not known yet is INT64_MAX: the context is there. */
static void clip(const struct bird_bins *b, struct bird_bin *x, int64_t length)
{
    int64_t from = x->start - b->side, to = from + b->context;

    x->n_beyond = (from < 0 ? -from : 0) + (to > length ? to - length : 0);
    if (x->n_beyond > b->context)
        x->n_beyond = b->context;
    if (x->start < 0)
        x->start = 0;
    if (x->end > length)
        x->end = length;
}

/* --- a stream ------------------------------------------------------------ */

/* Letters before the next bin's context are no longer needed. */
static void forget(struct bird_bins *b)
{
    int64_t keep = b->number * b->bin - b->side;

    if (b->how == BIRD_BINS_CENTRE || keep <= b->from)
        return;
    if (keep > b->from + b->n)
        keep = b->from + b->n;
    memmove(b->buffer, b->buffer + keep - b->from,
            (size_t)(b->from + b->n - keep));
    b->n -= keep - b->from;
    b->from = keep;
}

/* One more piece. @return 1, 0 at the end of the stream, or an error */
static int read_piece(struct bird_bins *b)
{
    bird_piece p;
    int rc = bird_fastx_next(b->stream, &p);

    if (rc <= 0)
        return rc;
    if (p.contig != b->contig) {
        b->contig = p.contig;
        b->number = b->from = b->n = 0;
        b->n_contig++;
        bird_text_clear(&b->name);
        if ((rc = bird_text_put(&b->name, p.name, (int64_t)strlen(p.name))))
            return rc;
    }
    forget(b);
    rc = bird_array_grow(&b->buffer, &b->cap, b->n + p.n, 1);
    if (rc)
        return rc;
    if (p.n)
        memcpy(b->buffer + b->n, p.seq, (size_t)p.n);
    b->n += p.n;
    b->n_bp += p.n;
    b->whole = p.last;
    b->n_empty += p.last && !(b->from + b->n);
    return 1;
}

/* Is the next bin's context there? And so much of the contig that it cannot
 * be shorter than a context, while its length is not known. */
static int is_ready(const struct bird_bins *b)
{
    int64_t reach = b->from + b->n;

    if (b->contig < 0)
        return 0;
    return b->whole || (b->how == BIRD_BINS_TILE && b->context <= reach &&
                        b->number * b->bin - b->side + b->context <= reach);
}

/* Are bins of this contig left? */
static int is_over(const struct bird_bins *b)
{
    int64_t length = b->from + b->n;

    if (b->contig < 0)
        return 1;
    if (!b->whole)
        return 0;
    if (!length || b->how == BIRD_BINS_CENTRE)
        return b->number > 0;
    return b->number * b->bin >= length;
}

static int next_of_stream(struct bird_bins *b, struct bird_bin *out)
{
    struct bird_bin x = {.region = -1};
    int64_t reach;
    int rc;

    while (is_over(b) || !is_ready(b)) {
        rc = read_piece(b);
        if (rc <= 0)
            return rc;
    }
    reach = b->from + b->n;
    place(b, &x, 0, reach);
    cut_context(b, &x, b->buffer, b->from, b->n);
    clip(b, &x, b->whole ? reach : INT64_MAX);
    b->number++;
    x.contig = b->contig;
    x.name = b->name.s;
    x.length = b->whole ? reach : -1;
    x.last = is_over(b);
    *out = x;
    return 1;
}

/* --- regions ------------------------------------------------------------- */

/* The bins of the next region that has any. @return 0 at the end */
static int next_region(struct bird_bins *b)
{
    while (b->number >= b->end_number) {
        const bird_region *r;

        if (b->region == b->list->n)
            return 0;
        r = &b->list->at[b->region++];
        b->n_contig++;
        b->n_bp += r->end - r->start;
        if (b->how == BIRD_BINS_CENTRE) {
            b->number = 0;
            b->end_number = 1;
            return 1;
        }
        b->number = r->start / b->bin;
        b->end_number = (r->end - 1) / b->bin + 1;
        /* two regions may meet in one bin */
        if (r->index == b->last_contig && b->number <= b->last_number)
            b->number = b->last_number + 1;
    }
    return 1;
}

static int next_of_regions(struct bird_bins *b, struct bird_bin *out)
{
    struct bird_bin x = {0};
    const bird_region *r;
    const char *bases;
    int64_t from;
    int rc;

    if (!next_region(b))
        return 0;
    x.region = b->region - 1;
    r = &b->list->at[x.region];
    place(b, &x, r->start, r->end);
    from = x.start - b->side;
    rc = bird_stretch_get(&bases, &b->stretch, b->genome, r->index, from,
                          from + b->context);
    if (rc)
        return rc;
    cut_context(b, &x, bases, from, b->context);
    x.length = bird_genome_length(b->genome, r->index);
    clip(b, &x, x.length);
    b->last_contig = r->index;
    b->last_number = b->number++;
    x.contig = r->index;
    x.name = bird_genome_name(b->genome, r->index);
    x.last = b->number >= b->end_number;
    *out = x;
    return 1;
}

int bird_bins_next(struct bird_bins *b, struct bird_bin *out)
{
    return b->stream ? next_of_stream(b, out) : next_of_regions(b, out);
}
