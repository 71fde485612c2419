/* VCF and BCF out. SPDX-License-Identifier: MIT */
#include "track/vcf_out.h"

#include <ctype.h>
#include <htslib/kstring.h>
#include <htslib/vcf.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"

struct bird_vcf_out {
    struct bird_vcf *v;
    struct bird_output *s;
    int bcf, drop;
    bcf_hdr_t *header; /* of v */
    bcf_hdr_t *bare;   /* the same without samples; or NULL */
    char prefix[BIRD_VCF_PREFIX_MOST + 1]; /* of fields that are added */
    char id[BIRD_VCF_PREFIX_MOST + 512];   /* one of their names */
    struct bird_vcf_record *r;
    struct bird_text line, added;
    kstring_t text;
    int32_t *number; /* room for values */
    int64_t cap_number;
};

int bird_vcf_prefix_check(const char *prefix)
{
    size_t n = strlen(prefix);

    for (size_t i = 0; i < n; i++)
        if (!(i ? isalnum((unsigned char)prefix[i])
                : isalpha((unsigned char)prefix[i])))
            n = 0;
    return n && n <= BIRD_VCF_PREFIX_MOST
               ? 0
               : bird_fail(BIRD_EINVAL,
                           "prefix '%s': a letter, then letters and digits, "
                           "at most %d",
                           prefix, BIRD_VCF_PREFIX_MOST);
}

/* Is it one of our fields, PREFIX_...? */
static int is_own(const struct bird_vcf_out *o, const char *id, int64_t n)
{
    int64_t m = (int64_t)strlen(o->prefix);

    return n > m && id[m] == '_' && !memcmp(id, o->prefix, (size_t)m);
}

/* Is it one of our header lines, dnabird_KEY or dnabird_KEY_PREFIX? */
static int is_own_key(const struct bird_vcf_out *o, const char *key)
{
    static const char ours[] = "dnabird_";
    const char *of;

    if (strncmp(key, ours, sizeof(ours) - 1) != 0)
        return 0;
    of = strchr(key + sizeof(ours) - 1, '_');
    return !strcmp(of ? of + 1 : BIRD_VCF_PREFIX, o->prefix);
}

static const char *id_of(bcf_hrec_t *line)
{
    int i = bcf_hrec_find_key(line, "ID");

    return i < 0 ? NULL : line->vals[i];
}

/* bcf_hdr_remove() takes what has no type of its own by the ID alone: other
 * lines of that ID come back. */
static int remove_structured(struct bird_vcf_out *o, const char *id)
{
    bcf_hdr_t *h = o->header;
    bcf_hrec_t **kept = NULL;
    int64_t n = 0, cap = 0;
    int rc = 0;

    for (int i = 0; i < h->nhrec && !rc; i++) {
        const char *is = id_of(h->hrec[i]);

        if (h->hrec[i]->type != BCF_HL_STR || !is || strcmp(is, id) != 0 ||
            is_own_key(o, h->hrec[i]->key))
            continue;
        if (!(rc = bird_array_grow(&kept, &cap, n + 1, sizeof(*kept))) &&
            !(kept[n++] = bcf_hrec_dup(h->hrec[i])))
            rc = bird_fail_memory(0);
    }
    if (!rc)
        bcf_hdr_remove(h, BCF_HL_STR, id);
    for (int64_t i = 0; i < n; i++)
        if (rc || bcf_hdr_add_hrec(h, kept[i]) < 0) {
            bcf_hrec_destroy(kept[i]);
            rc = rc ? rc : bird_fail_memory(0);
        }
    free(kept);
    return rc;
}

/* The header's lines of an earlier run under this prefix. */
static int remove_own(struct bird_vcf_out *o)
{
    bcf_hdr_t *h = o->header;
    int rc = 0;

    for (int i = 0; i < h->nhrec && !rc;) {
        bcf_hrec_t *line = h->hrec[i];
        const char *id = id_of(line);
        int type = line->type, before = h->nhrec;
        char *name;

        if (type == BCF_HL_INFO ? !id || !is_own(o, id, (int64_t)strlen(id))
            : type == BCF_HL_GEN || (type == BCF_HL_STR && id)
                ? !is_own_key(o, line->key)
                : 1) {
            i++;
            continue;
        }
        name = strdup(type == BCF_HL_GEN ? line->key : id);
        if (!name)
            return bird_fail_memory(0);
        if (type == BCF_HL_STR)
            rc = remove_structured(o, name);
        else
            bcf_hdr_remove(h, type, name);
        free(name);
        i = h->nhrec < before ? 0 : i + 1;
    }
    return rc || !bcf_hdr_sync(h) ? rc : bird_fail_memory(0);
}

int bird_vcf_out_new(struct bird_vcf_out **out, struct bird_vcf *v,
                     struct bird_output *s, const char *prefix, int bcf,
                     int drop_genotypes)
{
    struct bird_vcf_out *o;
    int rc = bird_vcf_prefix_check(prefix);

    if (rc)
        return rc;
    if (!(o = calloc(1, sizeof(*o))))
        return bird_fail_memory(sizeof(*o));
    o->v = v;
    o->s = s;
    o->bcf = bcf;
    o->drop = drop_genotypes && bird_vcf_samples(v) > 0;
    o->header = bird_vcf_header(v);
    memcpy(o->prefix, prefix, strlen(prefix));
    rc = remove_own(o);
    if (rc)
        bird_vcf_out_free(o);
    else
        *out = o;
    return rc;
}

void bird_vcf_out_free(struct bird_vcf_out *o)
{
    if (!o)
        return;
    if (o->bare)
        bcf_hdr_destroy(o->bare);
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

/* The field's whole name. */
static const char *whole(struct bird_vcf_out *o, const char *id)
{
    snprintf(o->id, sizeof(o->id), "%s_%s", o->prefix, id);
    return o->id;
}

static int declare(struct bird_vcf_out *o, const char *id, const char *number,
                   const char *type, const char *about)
{
    int rc;

    bird_text_clear(&o->line);
    rc = bird_text_printf(&o->line,
                          "##INFO=<ID=%s,Number=%s,Type=%s,Description=\"%s\">",
                          whole(o, id), number, type, about);
    return rc ? rc : append(o);
}

int bird_vcf_out_info(struct bird_vcf_out *o, const char *id,
                      enum bird_vcf_type type, const char *about)
{
    static const char *const types[] = {"Float", "Integer", "String"};

    return declare(o, id, "A", types[type], about);
}

int bird_vcf_out_once(struct bird_vcf_out *o, const char *id, const char *about)
{
    return declare(o, id, "1", "Integer", about);
}

int bird_vcf_out_flag(struct bird_vcf_out *o, const char *id, const char *about)
{
    return declare(o, id, "0", "Flag", about);
}

int bird_vcf_out_line(struct bird_vcf_out *o, const char *key, const char *text)
{
    int is_default = !strcmp(o->prefix, BIRD_VCF_PREFIX), rc;

    bird_text_clear(&o->line);
    rc = is_default ? bird_text_printf(&o->line, "##dnabird_%s=%s", key, text)
                    : bird_text_printf(&o->line, "##dnabird_%s_%s=%s", key,
                                       o->prefix, text);
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
        return bcf_hdr_write(bird_output_hts(o->s), h)
                   ? bird_fail(BIRD_EIO, "%s: the header cannot be written",
                               bird_output_name(o->s))
                   : 0;
    o->text.l = 0;
    if (bcf_hdr_format(h, 0, &o->text))
        return bird_fail_memory(0);
    return bird_output_put(o->s, o->text.s, (int64_t)o->text.l);
}

/* Does this record go from text to text? */
static int is_text(const struct bird_vcf_out *o)
{
    return !o->bcf && !bird_vcf_is_bcf(o->v);
}

/* Take our fields out of a line's INFO, as often as they stand there. */
static void strip_line(const struct bird_vcf_out *o, struct bird_vcf_record *r)
{
    char *info = r->line.s + r->info, *end = info + r->info_n, *to = info;
    int64_t gone;

    for (char *s = info; s < end;) {
        char *next = memchr(s, ';', (size_t)(end - s));
        int64_t n = (next ? next + 1 : end) - s;

        if (!is_own(o, s, (next ? next : end) - s)) {
            memmove(to, s, (size_t)n);
            to += n;
        }
        s += n;
    }
    if (to == end)
        return;
    if (to > info && to[-1] == ';') /* the last one went */
        to--;
    if (to == info)
        *to++ = '.';
    gone = end - to;
    memmove(to, end, (size_t)(r->line.s + r->line.n - end));
    r->line.n -= gone;
    r->line.s[r->line.n] = '\0';
    r->info_n -= gone;
}

/* The same of a BCF record. htslib takes out only what the header declares,
 * and one of a name; this is how it marks a field as taken out. */
static int strip_hts(const struct bird_vcf_out *o, bcf1_t *b)
{
    if (bcf_unpack(b, BCF_UN_INFO) < 0)
        return -1;
    for (int i = 0; i < b->n_info; i++) {
        bcf_info_t *x = &b->d.info[i];
        const char *id = bcf_hdr_int2id(o->header, BCF_DT_ID, x->key);

        if (!id || !is_own(o, id, (int64_t)strlen(id)))
            continue;
        if (x->vptr_free)
            free(x->vptr - x->vptr_off);
        x->vptr_free = 0;
        x->vptr = NULL;
        x->vptr_off = x->vptr_len = 0;
        b->d.shared_dirty |= BCF1_DIRTY_INF;
    }
    return 0;
}

int bird_vcf_out_begin(struct bird_vcf_out *o, struct bird_vcf_record *r)
{
    char where[BIRD_VCF_WHERE];
    int rc = 0;

    o->r = r;
    bird_text_clear(&o->added);
    if (!bird_vcf_is_bcf(o->v)) {
        strip_line(o, r);
        return o->bcf ? bird_vcf_parse(o->v, r) : 0;
    }
    if (strip_hts(o, r->hts))
        rc = bird_fail(BIRD_EFORMAT, "%s: %s: INFO is malformed",
                       bird_vcf_name(o->v), bird_vcf_where(where, r));
    return rc;
}

static int update(struct bird_vcf_out *o, const char *id, const void *value,
                  int64_t n, int type)
{
    char where[BIRD_VCF_WHERE];

    if (bcf_update_info(o->header, o->r->hts, whole(o, id), value, (int)n,
                        type) < 0)
        return bird_fail(BIRD_EFORMAT, "%s: %s: INFO takes no field %s",
                         bird_vcf_name(o->v), bird_vcf_where(where, o->r),
                         o->id);
    return 0;
}

static int begin_field(struct bird_vcf_out *o, const char *id)
{
    return bird_text_printf(&o->added, "%s%s=", o->added.n ? ";" : "",
                            whole(o, id));
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
        return bird_text_printf(&o->added, "%s%s", o->added.n ? ";" : "",
                                whole(o, id));
    return update(o, id, NULL, 1, BCF_HT_FLAG);
}

/* The record's own INFO, and the fields that are added. */
static int splice_info(struct bird_vcf_out *o)
{
    const char *s = o->r->line.s + o->r->info, *end = s + o->r->info_n;
    int64_t from = o->line.n;
    int rc = 0;

    while (s < end && !rc) {
        const char *to = memchr(s, ';', (size_t)(end - s));
        int64_t n = (to ? to : end) - s;

        if (n && !(n == 1 && *s == '.')) {
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
    return rc ? rc : bird_output_put(o->s, o->line.s, o->line.n);
}

int bird_vcf_out_end(struct bird_vcf_out *o)
{
    char where[BIRD_VCF_WHERE];
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
        return bcf_write(bird_output_hts(o->s), o->bare ? o->bare : o->header,
                         b)
                   ? bird_fail(BIRD_EIO,
                               "%s: %s cannot be written "
                               "as BCF: a full disk, or try VCF (-O z)",
                               bird_output_name(o->s),
                               bird_vcf_where(where, o->r))
                   : 0;
    o->text.l = 0;
    if (vcf_format(o->header, b, &o->text) < 0)
        return bird_fail(BIRD_EFORMAT, "%s: %s cannot be written",
                         bird_vcf_name(o->v), bird_vcf_where(where, o->r));
    return bird_output_put(o->s, o->text.s, (int64_t)o->text.l);
}
