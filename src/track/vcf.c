/* Records of seq/vcf_in.h as VCF or BCF, with INFO fields added.
 *
 * A VCF line that is written as VCF keeps every byte outside of INFO. htslib
 * converts between VCF and BCF. Names of fields are PREFIX_ID. Fields and
 * header lines that already have the prefix are removed: they come from an
 * earlier run.
 * SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <errno.h>
#include <htslib/kstring.h>
#include <htslib/vcf.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/text.h"
#include "dnabird/dnabird.h"
#include "seq/vcf_in.h"
#include "track/writer.h"

/* State of a track of records. */
struct records {
    struct bird_vcf *v;
    int bcf, drop;
    const char *prefix; /* of fields that are added */
    bcf_hdr_t *header;  /* of v */
    bcf_hdr_t *bare;    /* the header without samples; or NULL */
    char id[BIRD_VCF_PREFIX_MOST + 512]; /* the name of a field */
    struct bird_vcf_record *r;
    struct bird_text line, added;
    kstring_t text;
    int32_t *number; /* values */
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
                           "prefix '%s': use a letter, then letters and "
                           "digits, %d characters at most",
                           prefix, BIRD_VCF_PREFIX_MOST);
}

/* Is it a field with the prefix: PREFIX_...? */
static int is_own(const struct records *o, const char *id, int64_t n)
{
    int64_t m = (int64_t)strlen(o->prefix);

    return n > m && id[m] == '_' && !memcmp(id, o->prefix, (size_t)m);
}

/* Is it a header line dnabird_KEY or dnabird_KEY_PREFIX? */
static int is_own_key(const struct records *o, const char *key)
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

/* bcf_hdr_remove() removes structured lines by the ID alone: lines of that ID
 * with another key are added again. */
static int remove_structured(struct records *o, const char *id)
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

/* Remove the header lines of an earlier run with this prefix. */
static int remove_own(struct records *o)
{
    bcf_hdr_t *h = o->header;
    int rc = 0;

    for (int i = 0; i < h->nhrec && !rc;) {
        bcf_hrec_t *line = h->hrec[i];
        const char *id = id_of(line);
        int type = line->type, before = h->nhrec;
        char *name;

        /* INFO lines without an ID are skipped */
        /* cppcheck-suppress nullPointerRedundantCheck */
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

static int append(struct records *o)
{
    bird_replace_control(o->line.s,
                         ' '); /* one line, even if a text has newlines */
    if (bcf_hdr_append(o->header, o->line.s) < 0 || bcf_hdr_sync(o->header))
        return bird_fail(BIRD_EFORMAT, "%s: its header takes no line '%.80s'",
                         bird_vcf_name(o->v), o->line.s);
    return 0;
}

/* The field's whole name. */
static const char *whole(struct records *o, const char *id)
{
    snprintf(o->id, sizeof(o->id), "%s_%s", o->prefix, id);
    return o->id;
}

/* Declare an INFO field with one value for each ALT, or for each record. */
static int declare(struct records *o, const struct bird_column *c)
{
    static const char *const types[] = {
        [BIRD_CELL_TEXT] = "String",  [BIRD_CELL_INTEGER] = "Integer",
        [BIRD_CELL_REAL] = "Float",   [BIRD_CELL_FLOAT] = "Float",
        [BIRD_CELL_DOUBLE] = "Float", [BIRD_CELL_SIGNED] = "Integer",
        [BIRD_CELL_FLAG] = "Flag"};
    int rc;

    bird_text_clear(&o->line);
    rc = bird_text_printf(&o->line,
                          "##INFO=<ID=%s,Number=%s,Type=%s,Description=\"%s\">",
                          whole(o, c->id),
                          c->type == BIRD_CELL_FLAG ? "0"
                          : c->once                 ? "1"
                                                    : "A",
                          types[c->type], c->about);
    return rc ? rc : append(o);
}

/* Add "##dnabird_key=text", or "##dnabird_key_PREFIX=text" when the prefix is
 * not the default. */
static int add_line(struct records *o, const char *key, const char *text)
{
    int is_default = !strcmp(o->prefix, BIRD_VCF_PREFIX), rc;

    if (!text)
        return 0;
    bird_text_clear(&o->line);
    rc = is_default ? bird_text_printf(&o->line, "##dnabird_%s=%s", key, text)
                    : bird_text_printf(&o->line, "##dnabird_%s_%s=%s", key,
                                       o->prefix, text);
    return rc ? rc : append(o);
}

static int add_lines(struct records *o, const struct bird_track *t)
{
    const bird_track_options *p = &t->options;
    int rc = 0;

    for (int64_t i = 0; i < t->extra.n_column && !rc; i++)
        rc = declare(o, &t->extra.column[i]);
    for (int64_t i = 0; i < t->extra.n_header && !rc; i++)
        rc = add_line(o, "feature", t->extra.header[i]);
    if (rc || p->no_version || (rc = add_line(o, "version", bird_version())) ||
        (rc = add_line(o, "command", p->command)) ||
        (rc = add_line(o, "model", p->model)) ||
        (rc = add_line(o, "reference", p->reference)))
        return rc;
    return add_line(o, "background", t->extra.background);
}

static int put_header(struct records *o, struct bird_track *t)
{
    bcf_hdr_t *h = o->header;

    if (o->drop) {
        h = o->bare = bcf_hdr_subset(o->header, 0, NULL, NULL);
        if (!h)
            return bird_fail_memory(0);
    }
    if (o->bcf)
        return !t->extra.from_bytes &&
                       bcf_hdr_write(bird_output_hts(t->output), h)
                   ? bird_fail(BIRD_EIO, "%s: the header cannot be written",
                               bird_output_name(t->output))
                   : 0;
    o->text.l = 0;
    if (bcf_hdr_format(h, 0, &o->text))
        return bird_fail_memory(0);
    return bird_text_put(&t->line, o->text.s, (int64_t)o->text.l);
}

static void free_records(struct bird_track *t)
{
    struct records *o = t->own;

    if (o->bare)
        bcf_hdr_destroy(o->bare);
    free(o->number);
    free(o->text.s);
    bird_text_free(&o->line);
    bird_text_free(&o->added);
    free(o);
}

static int begin(struct bird_track *t)
{
    struct records *o = calloc(1, sizeof(*o));
    int rc;

    if (!o)
        return bird_fail_memory(sizeof(*o));
    t->own = o;
    o->v = t->extra.vcf;
    o->bcf = t->format->index == BIRD_INDEX_BCF;
    o->drop = t->extra.drop_genotypes && bird_vcf_samples(o->v) > 0;
    o->header = bird_vcf_header(o->v);
    o->prefix = t->extra.prefix ? t->extra.prefix : BIRD_VCF_PREFIX;
    rc = bird_vcf_prefix_check(o->prefix);
    if (!rc)
        rc = remove_own(o);
    if (!rc)
        rc = add_lines(o, t);
    return rc ? rc : put_header(o, t);
}

/* Is the record read and written as text? */
static int is_text(const struct records *o)
{
    return !o->bcf && !bird_vcf_is_bcf(o->v);
}

/* Remove all fields with the prefix from a line's INFO. */
static void strip_line(const struct records *o, struct bird_vcf_record *r)
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
    if (to > info &&
        to[-1] == ';') /* the last field was removed: drop the ';' before it */
        to--;
    if (to == info)
        *to++ = '.';
    gone = end - to;
    memmove(to, end, (size_t)(r->line.s + r->line.n - end));
    r->line.n -= gone;
    r->line.s[r->line.n] = '\0';
    r->info_n -= gone;
}

/* Do the same in a BCF record. htslib removes only declared fields, and one of
 * each name; so set the marks that htslib sets for a removed field. */
static int strip_hts(const struct records *o, bcf1_t *b)
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

/* Begin a record and remove its fields with the prefix. */
static int begin_record(struct records *o, struct bird_vcf_record *r)
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

static int update(struct records *o, const char *id, const void *value,
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

static int begin_field(struct records *o, const char *id)
{
    return bird_text_printf(&o->added, "%s%s=", o->added.n ? ";" : "",
                            whole(o, id));
}

int bird_vcf_number(struct bird_text *out, double v)
{
    char buffer[64];
    kstring_t s = {0, sizeof(buffer), buffer};

    if (isnan(v))
        return bird_text_put(out, ".", 1);
    kputd((double)(float)v, &s); /* it fits */
    return bird_text_put(out, s.s, (int64_t)s.l);
}

/* Is the cell a Float in VCF? All three have one precision there. */
static int is_real(enum bird_cell_type type)
{
    return type == BIRD_CELL_REAL || type == BIRD_CELL_FLOAT ||
           type == BIRD_CELL_DOUBLE;
}

/* Is the value missing? */
static int is_missing(enum bird_cell_type type, const struct bird_cell *c)
{
    return is_real(type)              ? isnan(c->real)
           : type == BIRD_CELL_TEXT   ? !c->text
           : type == BIRD_CELL_SIGNED ? c->integer == INT64_MIN
                                      : c->integer < 0;
}

/* Append a value as VCF text. */
static int add_value(struct bird_text *out, enum bird_cell_type type,
                     const struct bird_cell *c)
{
    if (is_missing(type, c))
        return bird_text_put(out, ".", 1);
    if (is_real(type))
        return bird_vcf_number(out, c->real);
    return type == BIRD_CELL_TEXT
               ? bird_text_printf(out, "%s", c->text)
               : bird_text_printf(out, "%lld", (long long)c->integer);
}

/* Convert a value to a BCF number. */
static void set_number(int32_t *out, enum bird_cell_type type,
                       const struct bird_cell *c)
{
    float x = (float)c->real;

    if (type == BIRD_CELL_INTEGER || type == BIRD_CELL_SIGNED) {
        *out = is_missing(type, c) ? bcf_int32_missing : (int32_t)c->integer;
        return;
    }
    if (isnan(c->real))
        bcf_float_set_missing(x);
    memcpy(out, &x, sizeof(x));
}

/* Put n values of a column, `stride` apart; no field if all are missing. */
static int put_field(struct records *o, const struct bird_column *c,
                     const struct bird_cell *cell, int64_t n, int64_t stride)
{
    int64_t n_missing = 0, from = o->added.n;
    int rc = 0;

    for (int64_t i = 0; i < n; i++)
        n_missing += is_missing(c->type, &cell[i * stride]);
    if (n_missing == n)
        return 0;
    if (is_text(o) || c->type == BIRD_CELL_TEXT) {
        if (is_text(o))
            rc = begin_field(o, c->id);
        for (int64_t i = 0; i < n && !rc; i++) {
            if (i)
                rc = bird_text_put(&o->added, ",", 1);
            if (!rc)
                rc = add_value(&o->added, c->type, &cell[i * stride]);
        }
        if (rc || is_text(o))
            return rc;
        rc = update(o, c->id, o->added.s + from, o->added.n - from, BCF_HT_STR);
        bird_text_clear(&o->added);
        return rc;
    }
    rc = bird_array_grow(&o->number, &o->cap_number, n, sizeof(*o->number));
    for (int64_t i = 0; i < n && !rc; i++)
        set_number(o->number + i, c->type, &cell[i * stride]);
    return rc ? rc
              : update(o, c->id, o->number, n,
                       is_real(c->type) ? BCF_HT_REAL : BCF_HT_INT);
}

static int put_flag(struct records *o, const char *id)
{
    if (is_text(o))
        return bird_text_printf(&o->added, "%s%s", o->added.n ? ";" : "",
                                whole(o, id));
    return update(o, id, NULL, 1, BCF_HT_FLAG);
}

/* Join the record's own INFO and the added fields. */
static int splice_info(struct records *o, struct bird_text *line)
{
    const char *s = o->r->line.s + o->r->info, *end = s + o->r->info_n;
    int64_t from = line->n;
    int rc = 0;

    while (s < end && !rc) {
        const char *to = memchr(s, ';', (size_t)(end - s));
        int64_t n = (to ? to : end) - s;

        if (n && !(n == 1 && *s == '.')) {
            if (line->n > from)
                rc = bird_text_put(line, ";", 1);
            if (!rc)
                rc = bird_text_put(line, s, n);
        }
        s += n + 1;
    }
    if (!rc && o->added.n) {
        if (line->n > from)
            rc = bird_text_put(line, ";", 1);
        if (!rc)
            rc = bird_text_put(line, o->added.s, o->added.n);
    }
    if (!rc && line->n == from)
        rc = bird_text_put(line, ".", 1);
    return rc;
}

static int put_text(struct records *o, struct bird_text *line)
{
    const struct bird_vcf_record *r = o->r;
    int64_t rest = r->info + r->info_n;
    int rc = bird_text_put(line, r->line.s, r->info);

    if (!rc)
        rc = splice_info(o, line);
    if (!rc && !o->drop)
        rc = bird_text_put(line, r->line.s + rest, r->line.n - rest);
    return rc ? rc : bird_text_put(line, "\n", 1);
}

static int end_record(struct records *o, struct bird_track *t)
{
    char where[BIRD_VCF_WHERE];
    bcf1_t *b = o->r->hts;

    if (is_text(o))
        return put_text(o, &t->line);
    if (o->drop) {
        b->n_sample = 0;
        b->n_fmt = 0;
        b->indiv.l = 0;
        b->d.indiv_dirty = 0;
    }
    if (o->bcf)
        return bcf_write(bird_output_hts(t->output),
                         o->bare ? o->bare : o->header, b)
                   ? bird_fail(BIRD_EIO,
                               "%s: %s cannot be written "
                               "as BCF: a full disk, or try VCF (-O z)",
                               bird_output_name(t->output),
                               bird_vcf_where(where, o->r))
                   : 0;
    o->text.l = 0;
    if (vcf_format(o->header, b, &o->text) < 0)
        return bird_fail(BIRD_EFORMAT, "%s: %s cannot be written",
                         bird_vcf_name(o->v), bird_vcf_where(where, o->r));
    return bird_text_put(&t->line, o->text.s, (int64_t)o->text.l);
}

/* Put the fields in the order declared; a record without ALT gets only flags.
 * */
static int put_record(struct bird_track *t, struct bird_vcf_record *r,
                      int64_t n, const char *const *alt,
                      const struct bird_cell *cell)
{
    int64_t n_column = t->extra.n_column;
    struct records *o = t->own;
    int rc;

    errno = 0;
    rc = begin_record(o, r);
    (void)alt;
    for (int64_t k = 0; k < n_column && !rc; k++) {
        const struct bird_column *c = &t->extra.column[k];

        if (c->type == BIRD_CELL_FLAG)
            rc = cell[k].integer ? put_flag(o, c->id) : 0;
        else if (r->n_alt)
            rc = put_field(o, c, cell + k, c->once ? 1 : n, n_column);
    }
    if (!rc)
        rc = end_record(o, t);
    /* without memory htslib may write an incomplete record */
    return !rc && errno == ENOMEM ? bird_fail_memory(0) : rc;
}

#define RECORDS                                                                \
    .commands = BIRD_WRITES(BIRD_TRACK_VARIANT),                               \
    .content = BIRD_CONTENT_FIELDS, .begin = begin, .record = put_record,      \
    .join = BIRD_JOIN_CONCAT, .free = free_records

const struct bird_format bird_format_vcf = {
    .name = "v",
    .suffixes = ".vcf",
    .about = "VCF",
    .container = BIRD_PLAIN,
    .index = BIRD_INDEX_VCF,
    RECORDS,
};

const struct bird_format bird_format_vcf_bgzip = {
    .name = "z",
    .suffixes = ".vcf",
    .about = "bgzipped VCF",
    .container = BIRD_BGZIP,
    .index = BIRD_INDEX_VCF,
    RECORDS,
};

const struct bird_format bird_format_bcf_plain = {
    .name = "u",
    .suffixes = "",
    .about = "uncompressed BCF",
    .container = BIRD_BCF_PLAIN,
    .index = BIRD_INDEX_BCF,
    RECORDS,
};

const struct bird_format bird_format_bcf = {
    .name = "b",
    .suffixes = ".bcf",
    .about = "BCF",
    .container = BIRD_BCF,
    .index = BIRD_INDEX_BCF,
    RECORDS,
};
