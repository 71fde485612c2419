/* VCF and BCF out. SPDX-License-Identifier: MIT */
#include "track/vcf_out.h"

#include <ctype.h>
#include <htslib/kstring.h>
#include <htslib/vcf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"

struct bird_vcf_out {
    struct bird_vcf *v;
    struct bird_stream *s;
    int bcf, drop;
    bcf_hdr_t *header; /* of v */
    bcf_hdr_t *bare;   /* the same without samples; or NULL */
    char **own;        /* (n_own) fields that are added */
    int64_t n_own, cap_own;
    struct bird_vcf_record *r;
    struct bird_text line, added;
    kstring_t text;
    int32_t *number; /* room for values */
    int64_t cap_number;
};

int bird_vcf_out_new(struct bird_vcf_out **out, struct bird_vcf *v,
                     struct bird_stream *s, int bcf, int drop_genotypes)
{
    struct bird_vcf_out *o = calloc(1, sizeof(*o));

    if (!o)
        return bird_fail_memory(sizeof(*o));
    o->v = v;
    o->s = s;
    o->bcf = bcf;
    o->drop = drop_genotypes && bird_vcf_samples(v) > 0;
    o->header = bird_vcf_header(v);
    *out = o;
    return 0;
}

void bird_vcf_out_free(struct bird_vcf_out *o)
{
    if (!o)
        return;
    if (o->bare)
        bcf_hdr_destroy(o->bare);
    for (int64_t i = 0; i < o->n_own; i++)
        free(o->own[i]);
    free(o->own);
    free(o->number);
    free(o->text.s);
    bird_text_free(&o->line);
    bird_text_free(&o->added);
    free(o);
}

static int append(struct bird_vcf_out *o)
{
    /* one line, whatever the texts hold */
    for (int64_t i = 0; i < o->line.n; i++)
        if (iscntrl((unsigned char)o->line.s[i]))
            o->line.s[i] = ' ';
    if (bcf_hdr_append(o->header, o->line.s) < 0 || bcf_hdr_sync(o->header))
        return bird_fail(BIRD_EFORMAT, "%s: its header takes no line '%.80s'",
                         bird_vcf_name(o->v), o->line.s);
    return 0;
}

static int declare(struct bird_vcf_out *o, const char *id, const char *number,
                   const char *type, const char *about)
{
    int rc =
        bird_array_grow(&o->own, &o->cap_own, o->n_own + 1, sizeof(*o->own));

    if (rc)
        return rc;
    if (!(o->own[o->n_own] = strdup(id)))
        return bird_fail_memory(strlen(id));
    o->n_own++;
    bcf_hdr_remove(o->header, BCF_HL_INFO, id);
    bird_text_clear(&o->line);
    rc = bird_text_printf(&o->line,
                          "##INFO=<ID=%s,Number=%s,Type=%s,Description=\"%s\">",
                          id, number, type, about);
    return rc ? rc : append(o);
}

int bird_vcf_out_info(struct bird_vcf_out *o, const char *id,
                      enum bird_vcf_type type, const char *about)
{
    static const char *const types[] = {"Float", "Integer", "String"};

    return declare(o, id, "A", types[type], about);
}

int bird_vcf_out_flag(struct bird_vcf_out *o, const char *id, const char *about)
{
    return declare(o, id, "0", "Flag", about);
}

int bird_vcf_out_line(struct bird_vcf_out *o, const char *key, const char *text)
{
    int rc;

    bird_text_clear(&o->line);
    rc = bird_text_printf(&o->line, "##%s=%s", key, text);
    return rc ? rc : append(o);
}

int bird_vcf_out_header(struct bird_vcf_out *o, int put)
{
    bcf_hdr_t *h = o->header;

    if (o->drop) {
        h = o->bare = bcf_hdr_subset(o->header, 0, NULL, NULL);
        if (!h)
            return bird_fail_memory(0);
    }
    if (!put)
        return 0;
    if (o->bcf)
        return bcf_hdr_write(bird_stream_hts(o->s), h)
                   ? bird_fail(BIRD_EIO, "%s: the header cannot be written",
                               bird_stream_name(o->s))
                   : 0;
    o->text.l = 0;
    if (bcf_hdr_format(h, 0, &o->text))
        return bird_fail_memory(0);
    return bird_stream_put(o->s, o->text.s, (int64_t)o->text.l);
}

/* Does this record go from text to text? */
static int is_text(const struct bird_vcf_out *o)
{
    return !o->bcf && !bird_vcf_is_bcf(o->v);
}

int bird_vcf_out_begin(struct bird_vcf_out *o, struct bird_vcf_record *r)
{
    int rc = 0;

    o->r = r;
    bird_text_clear(&o->added);
    if (is_text(o))
        return 0;
    if (o->bcf)
        rc = bird_vcf_parse(o->v, r);
    for (int64_t i = 0; !rc && i < o->n_own; i++)
        if (bcf_update_info(o->header, r->hts, o->own[i], NULL, 0, BCF_HT_INT) <
            0)
            rc = bird_fail(BIRD_EFORMAT, "%s: record %lld: INFO is malformed",
                           bird_vcf_name(o->v), (long long)r->number);
    return rc;
}

static int update(struct bird_vcf_out *o, const char *id, const void *value,
                  int64_t n, int type)
{
    if (bcf_update_info(o->header, o->r->hts, id, value, (int)n, type) < 0)
        return bird_fail(BIRD_EFORMAT,
                         "%s: record %lld: INFO takes no field %s",
                         bird_vcf_name(o->v), (long long)o->r->number, id);
    return 0;
}

static int begin_field(struct bird_vcf_out *o, const char *id)
{
    return bird_text_printf(&o->added, "%s%s=", o->added.n ? ";" : "", id);
}

int bird_vcf_number(struct bird_text *out, double v)
{
    char room[64];
    kstring_t s = {0, sizeof(room), room};

    if (isnan(v))
        return bird_text_put(out, ".", 1);
    kputd((double)(float)v, &s); /* shorter than its room */
    return bird_text_put(out, s.s, (int64_t)s.l);
}

int bird_vcf_out_floats(struct bird_vcf_out *o, const char *id,
                        const double *value, int64_t n)
{
    int64_t n_missing = 0;
    int rc;

    for (int64_t i = 0; i < n; i++)
        n_missing += isnan(value[i]);
    if (n_missing == n)
        return 0;
    if (is_text(o)) {
        rc = begin_field(o, id);
        for (int64_t i = 0; i < n && !rc; i++) {
            if (i)
                rc = bird_text_put(&o->added, ",", 1);
            if (!rc)
                rc = bird_vcf_number(&o->added, value[i]);
        }
        return rc;
    }
    rc = bird_array_grow(&o->number, &o->cap_number, n, sizeof(*o->number));
    if (rc)
        return rc;
    for (int64_t i = 0; i < n; i++) {
        float x = (float)value[i];

        if (isnan(value[i]))
            bcf_float_set_missing(x);
        memcpy(o->number + i, &x, sizeof(x));
    }
    return update(o, id, o->number, n, BCF_HT_REAL);
}

int bird_vcf_out_integers(struct bird_vcf_out *o, const char *id,
                          const int64_t *value, int64_t n)
{
    int64_t n_missing = 0;
    int rc;

    for (int64_t i = 0; i < n; i++)
        n_missing += value[i] < 0;
    if (n_missing == n)
        return 0;
    if (is_text(o)) {
        rc = begin_field(o, id);
        for (int64_t i = 0; i < n && !rc; i++)
            rc = value[i] < 0
                     ? bird_text_printf(&o->added, "%s.", i ? "," : "")
                     : bird_text_printf(&o->added, "%s%lld", i ? "," : "",
                                        (long long)value[i]);
        return rc;
    }
    rc = bird_array_grow(&o->number, &o->cap_number, n, sizeof(*o->number));
    if (rc)
        return rc;
    for (int64_t i = 0; i < n; i++)
        o->number[i] = value[i] < 0 ? bcf_int32_missing : (int32_t)value[i];
    return update(o, id, o->number, n, BCF_HT_INT);
}

int bird_vcf_out_words(struct bird_vcf_out *o, const char *id,
                       const char *const *value, int64_t n)
{
    int64_t n_missing = 0, from = o->added.n;
    int rc = 0;

    for (int64_t i = 0; i < n; i++)
        n_missing += !value[i];
    if (n_missing == n)
        return 0;
    if (is_text(o))
        rc = begin_field(o, id);
    for (int64_t i = 0; i < n && !rc; i++)
        rc = bird_text_printf(&o->added, "%s%s", i ? "," : "",
                              value[i] ? value[i] : ".");
    if (rc || is_text(o))
        return rc;
    rc = update(o, id, o->added.s + from, o->added.n - from, BCF_HT_STR);
    bird_text_clear(&o->added);
    return rc;
}

int bird_vcf_out_set(struct bird_vcf_out *o, const char *id)
{
    if (is_text(o))
        return bird_text_printf(&o->added, "%s%s", o->added.n ? ";" : "", id);
    return update(o, id, NULL, 1, BCF_HT_FLAG);
}

static int is_own(const struct bird_vcf_out *o, const char *entry, int64_t n)
{
    for (int64_t i = 0; i < o->n_own; i++) {
        int64_t m = (int64_t)strlen(o->own[i]);

        if (m <= n && !memcmp(o->own[i], entry, (size_t)m) &&
            (m == n || entry[m] == '='))
            return 1;
    }
    return 0;
}

/* The record's own INFO, less fields that are added anew, and those. */
static int splice_info(struct bird_vcf_out *o)
{
    const char *s = o->r->line.s + o->r->info, *end = s + o->r->info_n;
    int64_t from = o->line.n;
    int rc = 0;

    while (s < end && !rc) {
        const char *to = memchr(s, ';', (size_t)(end - s));
        int64_t n = (to ? to : end) - s;

        if (n && !(n == 1 && *s == '.') && !is_own(o, s, n)) {
            if (o->line.n > from)
                rc = bird_text_put(&o->line, ";", 1);
            if (!rc)
                rc = bird_text_put(&o->line, s, n);
        }
        s += n + 1;
    }
    if (!rc && o->added.n) {
        if (o->line.n > from)
            rc = bird_text_put(&o->line, ";", 1);
        if (!rc)
            rc = bird_text_put(&o->line, o->added.s, o->added.n);
    }
    if (!rc && o->line.n == from)
        rc = bird_text_put(&o->line, ".", 1);
    return rc;
}

static int put_text(struct bird_vcf_out *o)
{
    const struct bird_vcf_record *r = o->r;
    int64_t rest = r->info + r->info_n;
    int rc;

    bird_text_clear(&o->line);
    rc = bird_text_put(&o->line, r->line.s, r->info);
    if (!rc)
        rc = splice_info(o);
    if (!rc && !o->drop)
        rc = bird_text_put(&o->line, r->line.s + rest, r->line.n - rest);
    if (!rc)
        rc = bird_text_put(&o->line, "\n", 1);
    return rc ? rc : bird_stream_put(o->s, o->line.s, o->line.n);
}

int bird_vcf_out_end(struct bird_vcf_out *o)
{
    bcf1_t *b = o->r->hts;

    if (is_text(o))
        return put_text(o);
    if (o->drop) {
        b->n_sample = 0;
        b->n_fmt = 0;
        b->indiv.l = 0;
        b->d.indiv_dirty = 0;
    }
    if (o->bcf)
        return bcf_write(bird_stream_hts(o->s), o->bare ? o->bare : o->header,
                         b)
                   ? bird_fail(BIRD_EIO,
                               "%s: record %lld at %s:%lld cannot be written "
                               "as BCF: a full disk, or try VCF (-O z)",
                               bird_stream_name(o->s), (long long)o->r->number,
                               o->r->contig, (long long)o->r->pos + 1)
                   : 0;
    o->text.l = 0;
    if (vcf_format(o->header, b, &o->text) < 0)
        return bird_fail(BIRD_EFORMAT, "%s: record %lld cannot be written",
                         bird_vcf_name(o->v), (long long)o->r->number);
    return bird_stream_put(o->s, o->text.s, (int64_t)o->text.l);
}
