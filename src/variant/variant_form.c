/* Forms of the output of `variant`, and what of the options goes together.
 * SPDX-License-Identifier: MIT */
#include "variant/variant_form.h"

#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "track/output.h"
#include "track/vcf_out.h"
#include "variant/scene.h"

static int ends(const char *s, const char *end)
{
    size_t n = strlen(s), m = strlen(end);

    return n >= m && !strcmp(s + n - m, end);
}

/* The form that a name tells, or -1. */
static int named_form(const char *path)
{
    static const struct {
        const char *end;
        int format;
    } known[] = {{".vcf", BIRD_VARIANT_VCF},     {".bcf", BIRD_VARIANT_BCF},
                 {".tsv", BIRD_VARIANT_TSV},     {".tsv.gz", BIRD_VARIANT_TSV},
                 {".tsv.bgz", BIRD_VARIANT_TSV}, {".bed", BIRD_VARIANT_BED},
                 {".bed.gz", BIRD_VARIANT_BED},  {".bed.bgz", BIRD_VARIANT_BED},
                 {".gz", BIRD_VARIANT_VCFGZ},    {".bgz", BIRD_VARIANT_VCFGZ}};

    for (size_t i = 0; path && i < sizeof(known) / sizeof(*known); i++)
        if (ends(path, known[i].end))
            return known[i].format;
    return -1;
}

int bird_variant_format_guess(const char *path)
{
    int form = named_form(path);

    return form < 0 ? BIRD_VARIANT_VCF : form;
}

int bird_variant_format_of(const bird_variant_options *o)
{
    return o->format >= 0
               ? o->format
               : bird_variant_format_guess(
                     bird_out_is_stdout(o->output) ? NULL : o->output);
}

/* A name with an ending that is none of ours, as o.csv: what is wanted? */
static int check_ending(const bird_variant_options *o)
{
    const char *name = o->output, *dot = name ? strrchr(name, '.') : NULL;

    if (o->format >= 0 || !dot || strchr(dot, '/') || dot == name ||
        dot[-1] == '/' || named_form(name) >= 0)
        return 0;
    return bird_fail(BIRD_EINVAL,
                     "%s: '%s' tells no form of the output: give one with -O",
                     o->output, dot);
}

enum bird_container bird_variant_kind_of(const bird_variant_options *o)
{
    switch (bird_variant_format_of(o)) {
    case BIRD_VARIANT_VCF:
        return BIRD_PLAIN;
    case BIRD_VARIANT_VCFGZ:
        return BIRD_BGZIP;
    case BIRD_VARIANT_UBCF:
        return BIRD_BCF_PLAIN;
    case BIRD_VARIANT_BCF:
        return BIRD_BCF;
    default:
        return !bird_out_is_stdout(o->output) && bird_path_is_gz(o->output)
                   ? BIRD_BGZIP
                   : BIRD_PLAIN;
    }
}

int bird_variant_check(const bird_variant_options *o)
{
    enum bird_container kind = bird_variant_kind_of(o);
    int rc = bird_way_check(&o->way);

    if (rc)
        return rc;
    if (!o->variants)
        return bird_fail(BIRD_EINVAL, "no VCF");
    if (o->format >= BIRD_VARIANT_FORMATS)
        return bird_fail(BIRD_EINVAL, "there is no form %d", o->format);
    if (o->prefix && (rc = bird_vcf_prefix_check(o->prefix)))
        return rc;
    if ((rc = check_ending(o)))
        return rc;
    if (o->top < 0)
        return bird_fail(BIRD_EINVAL, "a negative number of features");
    if (o->long_rows && bird_variant_format_of(o) != BIRD_VARIANT_TSV)
        return bird_fail(BIRD_EINVAL, "rows a feature are for tables: -O tsv");
    if (o->index && (bird_out_is_stdout(o->output) || kind == BIRD_PLAIN ||
                     kind == BIRD_BCF_PLAIN))
        return bird_fail(BIRD_EINVAL,
                         "%s: only a compressed file takes an index: give a "
                         "name that ends in .gz, or -O z or b",
                         bird_out_is_stdout(o->output) ? "standard output"
                                                       : o->output);
    if (o->resume && bird_out_is_stdout(o->output))
        return bird_fail(BIRD_EINVAL, "only a file can be resumed: give one "
                                      "with -o");
    return 0;
}
