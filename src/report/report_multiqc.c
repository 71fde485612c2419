/* The numbers of a report as MultiQC's custom content: a table with one row
 * for each source. Format: docs.seqera.io/multiqc/custom_content, "Data from
 * a JSON file".
 * SPDX-License-Identifier: MIT */
#include <errno.h>
#include <jansson.h>
#include <string.h>

#include "base/fail.h"
#include "report/report_page.h"

/* Whole numbers are counts, written without decimals. */
static json_t *header(const struct bird_fact *f)
{
    return json_pack("{s:s, s:s}", "title", f->what, "description", f->what);
}

static int fill(json_t *headers, json_t *data, const struct bird_report_page *p)
{
    int bad = 0;

    for (int64_t i = 0; i < p->n_fact && !bad; i++) {
        const struct bird_fact *f = &p->fact[i];
        json_t *row = json_object_get(data, f->source);
        double v = f->value;

        if (!row) {
            row = json_object();
            bad = json_object_set_new(data, f->source, row);
        }
        if (!bad && !json_object_get(headers, f->key))
            bad = json_object_set_new(headers, f->key, header(f));
        if (!bad)
            bad = json_object_set_new(row, f->key,
                                      v == (double)(json_int_t)v
                                          ? json_integer((json_int_t)v)
                                          : json_real(v));
    }
    return bad;
}

int bird_report_multiqc(const struct bird_report_page *p, FILE *f)
{
    json_t *headers = json_object(), *data = json_object();
    json_t *root = NULL;
    int rc = 0;

    if (!headers || !data || fill(headers, data, p))
        rc = bird_fail(BIRD_EINVAL,
                       "%s: cannot write JSON: a name is not "
                       "valid UTF-8, or out of memory",
                       p->o->multiqc);
    if (!rc && !json_object_size(data))
        rc = bird_fail(BIRD_EINVAL,
                       "%s: these files have no numbers for MultiQC: name "
                       "outputs with their headers",
                       p->o->multiqc);
    if (!rc)
        root = json_pack("{s:s, s:s, s:s, s:s, s:{s:s, s:s, s:b}, s:O, s:O}",
                         "id", "dnabird", "section_name", "dnabird",
                         "description", "Numbers of dnabird's report.",
                         "plot_type", "table", "pconfig", "id", "dnabird_table",
                         "title", "dnabird: runs", "scale", 0, "headers",
                         headers, "data", data);
    if (!rc &&
        (!root || json_dumpf(root, f, JSON_INDENT(1)) || fputc('\n', f) == EOF))
        rc = bird_fail(BIRD_EIO, "%s: %s", p->o->multiqc, strerror(errno));
    json_decref(root);
    json_decref(headers);
    json_decref(data);
    return rc;
}
