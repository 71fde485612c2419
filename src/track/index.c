/* Indices through htslib. SPDX-License-Identifier: MIT */
#include "track/index.h"

#include <errno.h>
#include <htslib/hts.h>
#include <htslib/tbx.h>
#include <htslib/vcf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/leftover.h"

enum { CSI_SHIFT = 14 };
static const int64_t tbi_limit_bp = (int64_t)1 << 29;

const char *bird_hts_index_kind(enum bird_index_form form, int64_t largest_bp)
{
    return form == BIRD_INDEX_BCF || largest_bp > tbi_limit_bp ? "csi" : "tbi";
}

const char *bird_hts_index_sort(enum bird_index_form form)
{
    static const char *const how[] = {
        [BIRD_INDEX_BED] = "bedtools sort -header, or sort -k1,1 -k2,2n, then "
                           "bgzip and tabix -p bed",
        [BIRD_INDEX_TABLE] = "the line that begins with # first, the others "
                             "by sort -k1,1 -k2,2n, then bgzip and tabix -s1 "
                             "-b2 -e2",
        [BIRD_INDEX_VCF] = "bcftools sort, then bcftools index -t",
        [BIRD_INDEX_BCF] = "bcftools sort, then bcftools index"};

    return how[form];
}

/* htslib does not tell a refusal by the system from lines out of order. */
static int is_system(int code)
{
    return code == ENOSPC || code == EIO || code == EDQUOT || code == EFBIG ||
           code == EACCES || code == EROFS || code == ENOMEM || code == ENOENT;
}

static int build(const char *file, const char *index, enum bird_index_form form,
                 int shift)
{
    static const tbx_conf_t table = {TBX_GENERIC, 1, 2, 2, '#', 0};

    if (form == BIRD_INDEX_BCF)
        return bcf_index_build3(file, index, CSI_SHIFT, 0);
    return tbx_index_build3(file, index, shift, 0,
                            form == BIRD_INDEX_BED   ? &tbx_conf_bed
                            : form == BIRD_INDEX_VCF ? &tbx_conf_vcf
                                                     : &table);
}

int bird_hts_index_build(char **out, const char *file, const char *name,
                         enum bird_index_form form, int64_t largest_bp)
{
    const char *kind = bird_hts_index_kind(form, largest_bp);
    enum htsLogLevel level = hts_get_log_level();
    char *index;
    int got, rc = 0;

    if (asprintf(&index, "%s.%s", file, kind) < 0)
        return bird_fail_memory(strlen(name));
    hts_set_log_level(HTS_LOG_OFF); /* we say it ourselves */
    bird_leftover_file(index);
    errno = 0;
    got = build(file, index, form, !strcmp(kind, "csi") ? CSI_SHIFT : 0);
    hts_set_log_level(level);
    if (got && is_system(errno))
        rc = bird_fail(BIRD_EIO, "%s.%s: %s", name, kind, strerror(errno));
    else if (got)
        rc = bird_fail(BIRD_EFORMAT,
                       "%s: cannot be indexed, its rows are out of order; "
                       "does a contig come twice in the input? Sort it (%s)",
                       name, bird_hts_index_sort(form));
    if (rc) {
        unlink(index);
        bird_leftover_keep(index);
        free(index);
    } else {
        *out = index;
    }
    return rc;
}

int bird_hts_index_name(const char *index, const char *name, const char *kind)
{
    const char *other = strcmp(kind, "csi") ? "csi" : "tbi";
    char *to = NULL, *old = NULL;
    int rc = 0;

    if (asprintf(&to, "%s.%s", name, kind) < 0 ||
        asprintf(&old, "%s.%s", name, other) < 0)
        rc = bird_fail_memory(strlen(name));
    else if (rename(index, to))
        rc = bird_fail(BIRD_EIO, "%s: %s", to, strerror(errno));
    else
        unlink(old);
    if (!rc)
        bird_leftover_keep(index);
    free(to);
    free(old);
    return rc;
}

int bird_hts_index_lost(const char *name, int rc)
{
    static const char *const kinds[] = {"tbi", "csi"};

    for (int i = 0; i < 2; i++) {
        char *old = NULL;

        if (asprintf(&old, "%s.%s", name, kinds[i]) >= 0)
            unlink(old);
        free(old);
    }
    return bird_fail_in(rc, "%s is whole, but has no index", name);
}
