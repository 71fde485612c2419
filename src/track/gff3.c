/* GFF3, version 1.26 of its specification (Stein, 2020): calls as features of
 * type promoter, 1-based with both ends in, attributes percent-encoded.
 * SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "track/writer.h"

static int begin(struct bird_track *t)
{
    int rc = bird_text_printf(&t->line, "##gff-version 3\n");

    return rc ? rc
              : bird_track_header(t, "seqid\tsource\ttype\tstart\tend\tscore\t"
                                     "strand\tphase\tattributes");
}

/* Characters other than a-z, A-Z, digits and those in `plain` become %XX. */
static int put_encoded(struct bird_text *line, const char *s, const char *plain)
{
    int rc = 0;

    for (; *s && !rc; s++)
        rc = isalnum((unsigned char)*s) || strchr(plain, *s)
                 ? bird_text_put(line, s, 1)
                 : bird_text_printf(line, "%%%02X", (unsigned char)*s);
    return rc;
}

static int put(struct bird_track *t, const bird_track_row *r,
               const struct bird_cell *cell)
{
    int rc = bird_track_check_call(r);

    (void)cell;
    if (rc || (rc = put_encoded(&t->line, r->contig, ".:^*$@!+_?-|")) ||
        (rc = bird_text_printf(&t->line,
                               "\tdnabird\tpromoter\t%" PRId64 "\t%" PRId64
                               "\t%.6f\t%c\t.\tID=promoter_%" PRId64 ";Name=",
                               r->start + 1, r->end, r->value, r->strand,
                               t->n_row + 1)) ||
        (rc = put_encoded(&t->line, r->name ? r->name : "promoter",
                          " .:^*$@!+_?-|/()[]{}<>~'\"#")))
        return rc;
    return bird_text_printf(&t->line,
                            ";summit=%" PRId64 ";n_windows=%" PRId64 "\n",
                            r->summit + 1, r->n_window);
}

const struct bird_format bird_format_gff3 = {
    .name = "gff3",
    .suffixes = ".gff3 .gff",
    .about = "calls as features of type promoter (1-based)",
    .commands = BIRD_WRITES(BIRD_TRACK_PROMOTER),
    .content = BIRD_CONTENT_CALLS,
    .index = BIRD_INDEX_GFF,
    .join = BIRD_JOIN_NONE, /* its IDs are numbers */
    .begin = begin,
    .put = put,
};
