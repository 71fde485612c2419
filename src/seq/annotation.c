/*
 * Start sites and features from annotation. The first line of data
 * determines the format: nine columns with numbers in the fourth and fifth and
 * a strand in the seventh are GTF or GFF3; the attributes distinguish these
 * (key "value" or key=value). Each line is split in place, so that annotation
 * of any size needs the memory of one line.
 *
 * htslib reads the lines (any compression); it has no public parser of GTF or
 * GFF3, so this file has one.
 * SPDX-License-Identifier: MIT
 */
#include "seq/annotation.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/fail.h"
#include "base/mem.h"

enum { N_COLUMN = 9, MAX_WANTED = 64, TYPES_BYTES = 120 };

/* --- start sites: opening ------------------------------------------------- */

static int check_filter(const bird_transcript_filter *f)
{
    const char *s = f->attributes;
    int n = 0;

    while (s && *s) {
        size_t line = strcspn(s, "\n"), key = strcspn(s, "=\n");

        if (!key || s[key] != '=')
            return bird_fail(BIRD_EINVAL,
                             "attribute '%.*s' is not KEY=VALUE, as "
                             "transcript_type=protein_coding",
                             (int)line, s);
        if (++n > MAX_WANTED)
            return bird_fail(BIRD_EINVAL, "more than %d attributes",
                             MAX_WANTED);
        s += line + (s[line] != '\0');
    }
    return 0;
}

/* Begin to read an opened input; where opening failed (rc), return rc. */
static int begin(struct bird_start_sites *s, int rc,
                 const bird_transcript_filter *filter)
{
    if (!rc && filter) {
        s->filter = *filter;
        rc = check_filter(filter);
    }
    if (!rc)
        rc = bird_text_put(&s->types, "", 0);
    if (rc)
        bird_start_sites_close(s);
    return rc;
}

int bird_start_sites_open(struct bird_start_sites *s, const char *path,
                          const bird_transcript_filter *filter)
{
    *s = (struct bird_start_sites){0};
    return begin(s, bird_lines_open(&s->lines, path), filter);
}

int bird_start_sites_open_memory(struct bird_start_sites *s, const char *name,
                                 const void *data, int64_t n,
                                 const bird_transcript_filter *filter)
{
    *s = (struct bird_start_sites){0};
    return begin(s, bird_lines_open_memory(&s->lines, name, data, n), filter);
}

void bird_start_sites_close(struct bird_start_sites *s)
{
    bird_lines_close(&s->lines);
    bird_text_free(&s->types);
    *s = (struct bird_start_sites){0};
}

/* --- which format --------------------------------------------------------- */

/* Does the name, without a compression suffix, end like this? */
static int has_suffix(const char *name, const char *suffix)
{
    static const char *const packed[] = {".gz", ".bgz", ".bgzf", ".zst"};
    size_t n = strlen(name), m = strlen(suffix);

    for (size_t i = 0; i < sizeof(packed) / sizeof(*packed); i++) {
        size_t k = strlen(packed[i]);

        if (n > k && !strcasecmp(name + n - k, packed[i])) {
            n -= k;
            break;
        }
    }
    return n > m && !strncasecmp(name + n - m, suffix, m);
}

/* The line from its n-th column (from 1) on; "" if it has fewer columns. */
static const char *column(const char *line, int n)
{
    while (--n > 0 && line)
        line = (line = strchr(line, '\t')) ? line + 1 : NULL;
    return line ? line : "";
}

/* Is the n-th column a whole number? */
static int is_number(const char *line, int n)
{
    const char *s = column(line, n);
    size_t digits = strspn(s, "0123456789");

    return digits && (s[digits] == '\t' || !s[digits]);
}

/* GTF or GFF3, by the form of a line's first attribute. */
static enum bird_annotation_format by_attributes(const char *line)
{
    const char *s = column(line, N_COLUMN), *end;

    s += strspn(s, " ");
    end = s + strcspn(s, " =;\t");
    if (end == s || (end == s + 1 && *s == '.'))
        return BIRD_ANNOTATION_UNKNOWN;
    return *end == '=' ? BIRD_ANNOTATION_GFF3 : BIRD_ANNOTATION_GTF;
}

static enum bird_annotation_format find_format(const struct bird_start_sites *s,
                                               const char *line)
{
    const char *name = s->lines.in.name, *strand = column(line, 7);
    int gtf = has_suffix(name, ".gtf"), gff3 = has_suffix(name, ".gff3");
    int looks_so = is_number(line, 4) && is_number(line, 5) &&
                   !(is_number(line, 2) && is_number(line, 3)) && *strand &&
                   strchr("+-.?", *strand) && strand[1] == '\t';
    enum bird_annotation_format by;

    if (!looks_so && !gtf && !gff3 && !has_suffix(name, ".gff"))
        return BIRD_ANNOTATION_BED;
    by = s->is_declared ? BIRD_ANNOTATION_GFF3 : by_attributes(line);
    if (!by)
        by = gtf ? BIRD_ANNOTATION_GTF : BIRD_ANNOTATION_GFF3;
    return by;
}

/* --- GTF and GFF3 --------------------------------------------------------- */

static int hex(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* Decode %2C and the like in place; other text, and %00, are unchanged. */
static void decode(char *s)
{
    char *to = s;

    for (; *s; s++) {
        int high = *s == '%' ? hex(s[1]) : -1;
        int low = high >= 0 ? hex(s[2]) : -1;

        if (low >= 0 && high + low > 0) {
            *to++ = (char)(16 * high + low);
            s += 2;
        } else {
            *to++ = *s;
        }
    }
    *to = '\0';
}

/* What to find in the attributes of a line. */
struct wanted {
    const bird_transcript_filter *filter;
    uint64_t met;                   /* attributes of the filter that were
                                       found */
    struct bird_annotated *feature; /* out: names of the feature; or NULL */
    int is_gtf, rc;
};

/* Keep the first value of a key that names the feature. */
static void note_name(struct wanted *w, const char *key, const char *value)
{
    int is_gene = !strcmp(w->feature->type, "gene");
    struct bird_text *t = NULL;

    if (!strcmp(key, w->is_gtf ? "gene_id" : "ID"))
        t = w->is_gtf && !is_gene ? &w->feature->parent : &w->feature->id;
    else if (!w->is_gtf && !strcmp(key, "Parent"))
        t = &w->feature->parent;
    else if (!strcmp(key, w->is_gtf ? "gene_name" : "Name"))
        t = &w->feature->name;
    if (t && !t->n && !w->rc)
        w->rc = bird_text_put(t, value, (int64_t)strlen(value));
}

/* Mark the wanted attributes that equal this key and value. */
static void mark_wanted(struct wanted *w, const char *key, const char *value)
{
    const char *s = w->filter->attributes;
    size_t n_key = strlen(key), n = strlen(value);

    if (w->feature)
        note_name(w, key, value);
    for (int i = 0; s && *s; i++) {
        size_t line = strcspn(s, "\n");

        if (line == n_key + 1 + n && s[n_key] == '=' &&
            !memcmp(s, key, n_key) && !memcmp(s + n_key + 1, value, n))
            w->met |= UINT64_C(1) << i;
        s += line + (s[line] != '\0');
    }
}

static int fail_attribute(const char *s)
{
    return bird_fail(BIRD_EFORMAT,
                     "cannot read the attribute '%.40s' in column 9: GTF has "
                     "key \"value\"; and GFF3 key=value;",
                     s);
}

/* key "value"; key "value": a key may be repeated. Quotes are optional. */
static int read_gtf(struct wanted *w, char *s)
{
    while (*(s += strspn(s, " ;"))) {
        char *key = s, *value, *end;

        value = key + strcspn(key, " ;");
        if (*value != ' ')
            return fail_attribute(key);
        *value++ = '\0';
        value += strspn(value, " ");
        if (*value == '"') {
            end = strchr(++value, '"');
            if (!end)
                return fail_attribute(key);
            s = end + 1;
        } else {
            end = value + strcspn(value, " ;");
            s = end + (*end != '\0');
        }
        *end = '\0';
        mark_wanted(w, key, value);
    }
    return 0;
}

/* key=value,value;key=value: each value of a key counts. */
static int read_gff3(struct wanted *w, char *s)
{
    char *field, *value;

    while ((field = strsep(&s, ";"))) {
        field += strspn(field, " ");
        if (!*field)
            continue;
        value = strchr(field, '=');
        if (!value || value == field)
            return fail_attribute(field);
        *value++ = '\0';
        decode(field);
        for (char *one; (one = strsep(&value, ","));) {
            decode(one);
            mark_wanted(w, field, one);
        }
    }
    return 0;
}

/* Is this word in the comma-separated list? */
static int is_among(const char *list, const char *word)
{
    size_t n = strlen(word), k;

    for (; *list; list += k + (list[k] == ',')) {
        k = strcspn(list, ",");
        if (k == n && !memcmp(list, word, n))
            return 1;
    }
    return 0;
}

static const char *wanted_types(const struct bird_start_sites *s)
{
    return s->filter.feature                  ? s->filter.feature
           : s->format == BIRD_ANNOTATION_GTF ? "transcript"
                                              : "transcript,mRNA";
}

/* Remember a type of feature, for the message if none is wanted. */
static int note_type(struct bird_start_sites *s, const char *type)
{
    if (s->n_taken || s->types.n > TYPES_BYTES || is_among(s->types.s, type))
        return 0;
    return bird_text_printf(&s->types, "%s%.40s", s->types.n ? "," : "", type);
}

static int take_position(int64_t *out, const char *s)
{
    int64_t v = 0;

    if (!*s)
        return 0;
    for (; *s; s++)
        if (*s < '0' || *s > '9' || __builtin_mul_overflow(v, 10, &v) ||
            __builtin_add_overflow(v, *s - '0', &v))
            return 0;
    *out = v;
    return v >= 1 && v < BIRD_REGION_END;
}

/* Parse a line in place. @return 1 with its transcript in *out, 0: another
 * feature, or an error. `feature` gets the names; or NULL */
static int parse_feature(struct bird_start_sites *s, struct bird_bed_line *out,
                         struct bird_annotated *feature, char *line)
{
    struct wanted w = {.filter = &s->filter,
                       .feature = feature,
                       .is_gtf = s->format == BIRD_ANNOTATION_GTF};
    struct bird_bed_line x = {0};
    char *field[N_COLUMN];
    uint64_t wanted = 0;
    int n = 0, rc;

    for (char *rest = line; n < N_COLUMN && (line = strsep(&rest, "\t"));)
        field[n++] = line;
    if (n < N_COLUMN)
        return bird_fail(BIRD_EFORMAT,
                         "%d column%s where GTF and GFF3 have 9, with tabs "
                         "between them",
                         n, n == 1 ? "" : "s");
    if (!*field[0])
        return bird_fail(BIRD_EFORMAT, "no sequence name in column 1");
    if (!take_position(&x.start, field[3]) || !take_position(&x.end, field[4]))
        return bird_fail(BIRD_EFORMAT,
                         "columns 4 and 5 ('%.20s', '%.20s') are not whole "
                         "numbers from 1 on",
                         field[3], field[4]);
    if (x.end < x.start)
        return bird_fail(BIRD_EFORMAT,
                         "the end %lld lies before the start "
                         "%lld",
                         (long long)x.end, (long long)x.start);
    if (s->format == BIRD_ANNOTATION_GFF3) {
        decode(field[0]);
        decode(field[2]);
    }
    s->n_feature++;
    if ((rc = note_type(s, field[2])))
        return rc;
    if (!is_among(wanted_types(s), field[2]))
        return 0;
    if (!strcmp(field[8], "."))
        *field[8] = '\0';
    if (feature)
        feature->type = field[2];
    rc = w.is_gtf ? read_gtf(&w, field[8]) : read_gff3(&w, field[8]);
    if (rc || (rc = w.rc))
        return rc;
    for (const char *p = s->filter.attributes; p && *p; wanted = 2 * wanted + 1)
        p += strcspn(p, "\n") + (p[strcspn(p, "\n")] != '\0');
    if (w.met != wanted)
        return 0;
    x.start--; /* 1-based closed to 0-based half-open */
    x.contig = field[0];
    x.strand = field[6][0] && !field[6][1] ? field[6][0] : '.';
    *out = x;
    return 1;
}

/* Sequence may follow the features of GFF3. */
static int is_end(const struct bird_start_sites *s, const char *line)
{
    int gff3 = s->format == BIRD_ANNOTATION_GFF3 ||
               (s->format == BIRD_ANNOTATION_UNKNOWN && s->is_declared);

    return gff3 && (*line == '>' || (!strncmp(line, "##FASTA", 7) &&
                                     !line[7 + strspn(line + 7, " \t")]));
}

static int fail_none(const struct bird_start_sites *s)
{
    return bird_fail(BIRD_EFORMAT,
                     "%s: none of its %lld features is a %s%s: choose among "
                     "the types of column 3 (%s) by --gtf-feature, and by "
                     "--gtf-attribute",
                     s->lines.in.name, (long long)s->n_feature, wanted_types(s),
                     s->filter.attributes ? " with the attributes asked for"
                                          : "",
                     s->types.s);
}

/* The next line that is data. @return 1, 0 at the end, or an error */
static int next_line(struct bird_start_sites *s)
{
    struct bird_lines *l = &s->lines;
    int rc;

    do {
        rc = bird_lines_next(l);
        if (rc > 0 && is_end(s, l->text.s))
            rc = 0;
        if (rc > 0 && !strncmp(l->text.s, "##gff-version", 13) &&
            l->text.s[13 + strspn(l->text.s + 13, " \t")] == '3')
            s->is_declared = 1;
    } while (rc > 0 && bird_bed_is_comment(l->text.s));
    return rc;
}

/* The base at the 5' end. */
static int make_site(struct bird_bed_line *x, int strand_column)
{
    if (x->strand != '+' && x->strand != '-')
        return bird_fail(BIRD_EFORMAT,
                         "a start site needs a strand: + or - in column %d",
                         strand_column);
    if (x->strand == '-')
        x->start = x->end - 1;
    x->end = x->start + 1;
    return 1;
}

int bird_start_sites_next(struct bird_start_sites *s, struct bird_bed_line *out)
{
    struct bird_lines *l = &s->lines;
    int rc, is_bed;

    do {
        if ((rc = next_line(s)) <= 0)
            break;
        if (!s->format)
            s->format = find_format(s, l->text.s);
        is_bed = s->format == BIRD_ANNOTATION_BED;
        rc = is_bed ? bird_bed_parse(out, l->text.s, l->bigbed != NULL)
                    : parse_feature(s, out, NULL, l->text.s);
        if (rc > 0)
            rc = make_site(out, is_bed ? 6 : 7);
        if (rc < 0)
            return bird_fail_in(rc, "%s: line %lld", l->in.name,
                                (long long)l->line);
    } while (!rc);
    if (!rc && s->n_feature && !s->n_taken)
        return fail_none(s);
    if (rc > 0) {
        s->n_taken++;
        out->line = l->line;
    }
    return rc;
}

/* --- features whole ------------------------------------------------------- */

void bird_annotated_free(struct bird_annotated *f)
{
    bird_text_free(&f->id);
    bird_text_free(&f->parent);
    bird_text_free(&f->name);
    *f = (struct bird_annotated){0};
}

static int put_empty(struct bird_text *t)
{
    bird_text_clear(t);
    return bird_text_put(t, "", 0);
}

static int next_feature(struct bird_start_sites *s, struct bird_annotated *out)
{
    struct bird_lines *l = &s->lines;
    int rc = put_empty(&out->id);

    if (!rc)
        rc = put_empty(&out->parent);
    if (!rc)
        rc = put_empty(&out->name);
    if (rc || (rc = next_line(s)) <= 0)
        return rc;
    if (!s->format)
        s->format = find_format(s, l->text.s);
    out->type = "";
    if (s->format != BIRD_ANNOTATION_BED) {
        rc = parse_feature(s, &out->at, out, l->text.s);
    } else if ((rc = bird_bed_parse(&out->at, l->text.s, l->bigbed != NULL)) >
                   0 &&
               out->at.name) {
        int bad = bird_text_put(&out->name, out->at.name,
                                (int64_t)strlen(out->at.name));

        rc = bad ? bad : rc;
    }
    return rc < 0 ? bird_fail_in(rc, "%s: line %lld", l->in.name,
                                 (long long)l->line)
           : rc   ? 1
                  : 2; /* another type */
}

int bird_annotated_next(struct bird_start_sites *s, struct bird_annotated *out)
{
    int rc;

    do
        rc = next_feature(s, out);
    while (rc == 2);
    return rc;
}
