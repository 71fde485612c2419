/* Options of `variant`: defaults and checks. SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "track/output.h"
#include "variant/context.h"
#include "variant/variant_motif.h"
#include "variant/variant_out.h"

int bird_variant_format(const struct bird_format **out,
                        const bird_variant_options *o)
{
    return bird_format_choose(out, BIRD_TRACK_VARIANT, o->format, o->output);
}

void bird_variant_options_default(bird_variant_options *o)
{
    *o = (bird_variant_options){.top = 3};
    o->params.max_unknown = 0.05;
    o->params.span_bp = -1;
}

/* Does a row of -O bed have every score of the list: motif, and the largest
 * difference or log-likelihood ratio? */
static int are_of_largest(const char *list)
{
    while (*list) {
        size_t n = strcspn(list, ",");
        int score = bird_score_find(list, n);

        if (score != BIRD_SCORE_DIFF && score != BIRD_SCORE_LLR &&
            !bird_motif_is_name(list, n))
            return 0;
        list += n + (list[n] == ',');
    }
    return 1;
}

/* Standard input can be read once: a second input would find it empty, or be
 * given what another one is to read. A run that is resumed compares its files
 * with those of the interrupted run, which it cannot do with a stream. */
static int check_streams(const bird_variant_options *o)
{
    const struct {
        const char *name, *path;
        int compared; /* as a file; the others by what is read */
    } in[] = {
        {"the VCF", o->variants, 0},       {"--reference", o->params.fasta, 0},
        {"--regions-file", o->regions, 1}, {"--genes", o->genes, 1},
        {"--motifs", o->motifs, 1},        {"--contig-map", o->contig_map, 1}};
    const char *first = NULL;

    for (size_t i = 0; i < sizeof(in) / sizeof(*in); i++) {
        if (!in[i].path || !bird_file_is_stream(in[i].path))
            continue;
        if (in[i].compared && o->resume)
            return bird_fail(BIRD_EINVAL,
                             "%s %s is a stream, and --resume cannot tell "
                             "whether it is that of the interrupted run: name "
                             "a file",
                             in[i].name, in[i].path);
        if (strcmp(in[i].path, "-") != 0)
            continue;
        if (first)
            return bird_fail(BIRD_EINVAL,
                             "%s and %s are both '-', standard input: give one "
                             "of them a file",
                             first, in[i].name);
        first = in[i].name;
    }
    return 0;
}

int bird_variant_check(const bird_variant_options *o)
{
    const struct bird_format *f;
    int rc = bird_params_check(&o->params);

    if (rc)
        return rc;
    if (!o->variants)
        return bird_fail(BIRD_EINVAL, "no VCF");
    if ((rc = check_streams(o)))
        return rc;
    if (o->check_ref > BIRD_REF_SWAP)
        return bird_fail(BIRD_EINVAL, "no policy %d for a REF that differs",
                         (int)o->check_ref);
    if ((rc = bird_variant_format(&f, o)) ||
        (o->prefix && (rc = bird_vcf_prefix_check(o->prefix))))
        return rc;
    if (o->top < 0)
        return bird_fail(BIRD_EINVAL, "a negative number of features");
    if ((rc = bird_motif_check(o, f->content)))
        return rc;
    if (o->genes && f->content != BIRD_CONTENT_FIELDS &&
        f->content != BIRD_CONTENT_ALLELES)
        return bird_fail(BIRD_EINVAL,
                         "--genes adds fields to VCF and columns to -O tsv, "
                         "not to -O %s",
                         f->name);
    if (o->long_rows && f->content != BIRD_CONTENT_ALLELES)
        return bird_fail(BIRD_EINVAL, "--long is for tables: add -O tsv");
    if (o->scores && f->content == BIRD_CONTENT_LARGEST &&
        (!bird_motif_is_wanted(o) || !are_of_largest(o->scores)))
        return bird_fail(BIRD_EINVAL,
                         "-O %s has the largest difference of every allele, "
                         "and motifs: leave out --scores, or choose -O tsv",
                         f->name);
    if (o->prefix && f->content != BIRD_CONTENT_FIELDS)
        return bird_fail(BIRD_EINVAL,
                         "--prefix %s is for the fields of VCF and BCF, and "
                         "-O %s has none: leave it out",
                         o->prefix, f->name);
    if (o->label && f->content != BIRD_CONTENT_SCORES)
        return bird_fail(BIRD_EINVAL,
                         "prefix '%.60s' of column names: -O %s has no such "
                         "columns",
                         o->label, f->name);
    if ((rc = bird_format_check_shard(f, o->shard)))
        return rc;
    if ((rc = bird_output_check_resume(o->output, o->resume, o->force)))
        return rc;
    return bird_format_check(f, o->output, o->index);
}
