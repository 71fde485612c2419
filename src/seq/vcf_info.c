/* INFO fields by name: of VCF out of the line of text, of BCF through
 * htslib. SPDX-License-Identifier: MIT */
#include "seq/vcf_info.h"

#include <htslib/kstring.h>
#include <htslib/vcf.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

static const char *value_of(bcf_hrec_t *line, const char *key)
{
    int i = bcf_hrec_find_key(line, key);

    return i < 0 ? "" : line->vals[i];
}

int bird_vcf_info_find(const struct bird_vcf *v, const char *id,
                       enum bird_info_number *number)
{
    bcf_hdr_t *h = bird_vcf_header(v);
    bcf_hrec_t *line = bcf_hdr_get_hrec(h, BCF_HL_INFO, "ID", id, NULL);
    const char *n;

    if (!line)
        return 0;
    n = value_of(line, "Number");
    *number = !strcmp(value_of(line, "Type"), "Flag") ? BIRD_INFO_FLAG
              : !strcmp(n, "A")                       ? BIRD_INFO_ALT
              : !strcmp(n, "R")                       ? BIRD_INFO_ALLELE
                                                      : BIRD_INFO_ANY;
    return 1;
}

const char *bird_vcf_info_name(const struct bird_vcf *v, int64_t i)
{
    bcf_hdr_t *h = bird_vcf_header(v);

    for (int k = 0; k < h->nhrec; k++)
        if (h->hrec[k]->type == BCF_HL_INFO && i-- == 0)
            return value_of(h->hrec[k], "ID");
    return NULL;
}

static int of_line(struct bird_text *out, const struct bird_vcf_record *r,
                   const char *id)
{
    const char *s = r->line.s + r->info, *end = s + r->info_n;
    size_t n = strlen(id);
    int rc;

    while (s < end) {
        const char *semicolon = memchr(s, ';', (size_t)(end - s));
        const char *stop = semicolon ? semicolon : end;

        if ((size_t)(stop - s) >= n && !memcmp(s, id, n)) {
            s += n;
            rc = s == stop   ? bird_text_put(out, "1", 1)
                 : *s == '=' ? bird_text_put(out, s + 1, stop - s - 1)
                             : 1;
            if (rc <= 0)
                return rc ? rc : 1;
        }
        s = stop + 1;
    }
    return 0;
}

static int of_bcf(struct bird_text *out, const struct bird_vcf *v,
                  const struct bird_vcf_record *r, const char *id)
{
    char where[BIRD_VCF_WHERE];
    bcf1_t *b = r->hts;
    kstring_t text = {0};
    bcf_info_t *f;
    int rc;

    if (bcf_unpack(b, BCF_UN_INFO) < 0)
        return bird_fail(BIRD_EFORMAT, "%s: %s: its INFO cannot be read",
                         bird_vcf_name(v), bird_vcf_where(where, r));
    f = bcf_get_info(bird_vcf_header(v), b, id);
    if (!f)
        return 0;
    if (f->len <= 0) {
        rc = bird_text_put(out, "1", 1);
    } else if (bcf_fmt_array(&text, f->len, f->type, f->vptr) < 0) {
        rc = bird_fail_memory(0);
    } else {
        rc = bird_text_put(out, text.s, (int64_t)text.l);
    }
    free(text.s);
    return rc ? rc : 1;
}

int bird_vcf_info_value(struct bird_text *out, const struct bird_vcf *v,
                        const struct bird_vcf_record *r, const char *id)
{
    bird_text_clear(out);
    return bird_vcf_is_bcf(v) ? of_bcf(out, v, r, id) : of_line(out, r, id);
}
