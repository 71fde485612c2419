/* Where a label is not known: a table of labels and contigs.
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "data/peaks.h"
#include "folder/feature.h"

struct masks {
    uint8_t *unknown;
    const bird_features *f;
    const struct bird_reference *ref;
    const char *path;
    long long line;
};

/* A contig that masks something: its index, -1 for all of them. */
static int mask_contig(int32_t *out, const struct masks *m, const char *name)
{
    *out = -1;
    if (!strcmp(name, "*"))
        return 0;
    *out = bird_contigs_find(&m->ref->contigs, name);
    if (*out < 0 || *out >= m->ref->n)
        return bird_fail(BIRD_EINVAL,
                         "%s: line %lld: the reference has no contig '%.80s': "
                         "give one of its names, or * for all",
                         m->path, m->line, name);
    return 0;
}

/* One line: a profile or a choice of them, and a contig. */
static int mask_line(struct masks *m, uint8_t *mark, char *line)
{
    const bird_features *f = m->f;
    char *field[2];
    int32_t contig;
    int rc;

    if (bird_split_tabs(field, 2, line) < 2 || !*field[0] || !*field[1])
        return bird_fail(BIRD_EFORMAT,
                         "%s: line %lld: a profile and a contig, with a tab "
                         "between them",
                         m->path, m->line);
    field[1][strcspn(field[1], "\t")] = '\0';
    if (bird_features_find(f, field[0]) >= 0) {
        memset(mark, 0, (size_t)f->n);
        mark[bird_features_find(f, field[0])] = 1;
    } else if ((rc = bird_features_select(mark, f, field[0])))
        return bird_fail_in(rc, "%s: line %lld", m->path, m->line);
    if ((rc = mask_contig(&contig, m, field[1])))
        return rc;
    for (int64_t c = 0; c < m->ref->n; c++)
        for (int64_t i = 0; i < f->n; i++)
            if (mark[i] && (c == contig || contig < 0))
                m->unknown[c * f->n + i] = 1;
    return 0;
}

static int read_masks(uint8_t *unknown, const bird_features *f,
                      const struct bird_reference *ref, const char *path)
{
    struct masks m = {unknown, f, ref, path, 0};
    struct bird_text t = {0};
    uint8_t *mark;
    char *rest, *line;
    int rc = bird_array_new(&mark, f->n, 1);

    if (rc)
        return rc;
    rc = bird_read_file(&t, path);
    rest = t.s;
    while (!rc && (line = bird_next_line(&rest))) {
        m.line++;
        if (*line && *line != '#')
            rc = mask_line(&m, mark, line);
    }
    bird_text_free(&t);
    free(mark);
    return rc;
}

int bird_label_masks(uint8_t **unknown, const bird_features *f,
                     const struct bird_reference *ref, const char *path,
                     const int64_t *n_peak, int64_t n_profile)
{
    int rc = bird_array_new(unknown, ref->n * f->n, 1);

    if (!rc && path)
        rc = read_masks(*unknown, f, ref, path);
    for (int64_t i = 0; !rc && n_peak && i < n_profile; i++)
        for (int64_t c = 0; c < ref->n; c++)
            if (!n_peak[i * ref->n + c])
                (*unknown)[c * f->n + i] = 1;
    return rc;
}
