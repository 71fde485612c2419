/*
 * Lines of VCF that become BCF: what BCF needs and the header does not declare.
 * SPDX-License-Identifier: MIT
 */
#include <htslib/kstring.h>
#include <htslib/vcf.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "seq/vcf_in.h"

static int fail_undeclared(const struct bird_vcf *v,
                           const struct bird_vcf_record *r, const char *what,
                           const char *id, int64_t n)
{
    char where[BIRD_VCF_WHERE];

    return bird_fail(BIRD_EUNSUPPORTED,
                     "%s: %s has %s %.*s that the header "
                     "does not declare, which BCF cannot hold: declare it, or "
                     "write VCF (-O z)",
                     bird_vcf_name(v), bird_vcf_where(where, r), what, (int)n,
                     id);
}

/* Name the undeclared entry: htslib added a header line for it after n_line. */
static int fail_added(const struct bird_vcf *v, const struct bird_vcf_record *r,
                      int n_line)
{
    const bcf_hdr_t *header = bird_vcf_header(v);
    bcf_hrec_t *line = header->nhrec > n_line ? header->hrec[n_line] : NULL;
    int at = line ? bcf_hrec_find_key(line, "ID") : -1;
    const char *id = at < 0 ? "" : line->vals[at];

    return fail_undeclared(v, r, line ? line->key : "tag", id,
                           (int64_t)strlen(id));
}

int bird_vcf_parse(struct bird_vcf *v, struct bird_vcf_record *r)
{
    char where[BIRD_VCF_WHERE];
    bcf_hdr_t *header = bird_vcf_header(v);
    kstring_t s = {0};
    int n_line = header->nhrec, rc = 0;
    bcf1_t *b;

    if (bird_vcf_is_bcf(v))
        return 0;
    if (!r->hts && !(r->hts = bcf_init()))
        return bird_fail_memory(sizeof(*b));
    b = r->hts;
    if (kputsn(r->line.s, (size_t)r->line.n, &s) < 0) {
        free(s.s);
        return bird_fail_memory((size_t)r->line.n);
    }
    b->errcode = 0;
    if (vcf_parse(&s, header, b) < 0 ||
        (b->errcode & ~(BCF_ERR_CTG_UNDEF | BCF_ERR_TAG_UNDEF)))
        rc = bird_fail(BIRD_EFORMAT,
                       "%s: %s is malformed after its fifth column",
                       bird_vcf_name(v), bird_vcf_where(where, r));
    else if (b->errcode & BCF_ERR_CTG_UNDEF)
        rc = fail_undeclared(v, r, "a contig", r->contig,
                             (int64_t)strlen(r->contig));
    else if (b->errcode)
        rc = fail_added(v, r, n_line);
    free(s.s);
    return rc;
}

/* A FILTER of a line that the header does not have becomes one of it. */
static int declare_filters(struct bird_vcf *v, const char *s, int64_t n)
{
    bcf_hdr_t *header = bird_vcf_header(v);

    for (int64_t i = 0, k; i < n; i += k + 1) {
        char id[256];

        for (k = 0; i + k < n && s[i + k] != ';'; k++)
            ;
        if (!k || k >= (int64_t)sizeof(id))
            continue; /* the record itself says what is wrong */
        memcpy(id, s + i, (size_t)k);
        id[k] = '\0';
        if (!strcmp(id, ".") ||
            bcf_hdr_get_hrec(header, BCF_HL_FLT, "ID", id, NULL))
            continue;
        if (bcf_hdr_printf(header,
                           "##FILTER=<ID=%s,Description=\"not declared in the "
                           "input\">",
                           id) ||
            bcf_hdr_sync(header))
            return bird_fail(BIRD_EFORMAT, "%s: FILTER '%s' cannot be declared",
                             bird_vcf_name(v), id);
    }
    return 0;
}

/* Keys of INFO (KEY=value;KEY) or FORMAT (KEY:KEY). */
static int check_keys(const struct bird_vcf *v, const struct bird_vcf_record *r,
                      int type, int64_t from, int64_t n, const char *ignore)
{
    bcf_hdr_t *header = bird_vcf_header(v);
    const char *s = r->line.s + from, *word;
    char end = type == BCF_HL_INFO ? ';' : ':';
    size_t m = strlen(ignore);

    for (int64_t i = 0, k; i < n; i += k + 1) {
        char id[256];
        int64_t length;

        word = s + i;
        for (k = 0; i + k < n && word[k] != end; k++)
            ;
        for (length = 0; length < k && word[length] != '='; length++)
            ;
        if (!length || length >= (int64_t)sizeof(id) ||
            (length == 1 && *word == '.') ||
            (type == BCF_HL_INFO && length > (int64_t)m && word[m] == '_' &&
             !memcmp(word, ignore, m)))
            continue;
        memcpy(id, word, (size_t)length);
        id[length] = '\0';
        if (!bcf_hdr_get_hrec(header, type, "ID", id, NULL))
            return fail_undeclared(
                v, r, type == BCF_HL_INFO ? "an INFO field" : "a FORMAT field",
                id, length);
    }
    return 0;
}

int bird_vcf_ready_bcf(struct bird_vcf *v, const struct bird_vcf_record *r,
                       const char *ignore)
{
    int64_t at = r->info + r->info_n + 1, n = 0, from = r->info - 1;
    int rc;

    if (bcf_hdr_name2id(bird_vcf_header(v), r->contig) < 0)
        return fail_undeclared(v, r, "a contig", r->contig,
                               (int64_t)strlen(r->contig));
    while (from > 0 && r->line.s[from - 1] != '\t')
        from--;
    rc = declare_filters(v, r->line.s + from, r->info - 1 - from);
    if (!rc)
        rc = check_keys(v, r, BCF_HL_INFO, r->info, r->info_n, ignore);
    while (at + n < r->line.n && r->line.s[at + n] != '\t')
        n++;
    return rc || at >= r->line.n ? rc
                                 : check_keys(v, r, BCF_HL_FMT, at, n, ignore);
}
