/* A report: one HTML page with a section for the folder of a run or model
 * and for each file that a command wrote. The picture along the sequence
 * comes first. The numbers of all sections can also be written as a table
 * for other programs.
 * SPDX-License-Identifier: MIT */
#include "dnabird/report.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/guard.h"
#include "base/json.h"
#include "base/mem.h"
#include "dnabird/dnabird.h"
#include "folder/folder.h"
#include "report/report_page.h"
#include "report/report_tables.h"
#include "report/report_training.h"
#include "track/output.h"
#include "train/run.h"

void bird_report_options_default(bird_report_options *o)
{
    *o = (bird_report_options){.output = "-"};
}

/* --- facts --------------------------------------------------------------- */

void bird_report_fact(struct bird_report_page *p, const char *source,
                      const char *key, const char *what, double value)
{
    struct bird_fact f = {.value = value};

    if (p->m.rc || !isfinite(value))
        return;
    p->m.rc = bird_array_grow(&p->fact, &p->cap_fact, p->n_fact + 1,
                              sizeof(*p->fact));
    if (p->m.rc)
        return;
    f.source = strdup(source);
    f.key = strdup(key);
    f.what = strdup(what);
    p->fact[p->n_fact++] = f;
    if (!f.source || !f.key || !f.what)
        p->m.rc = bird_fail_memory(0);
}

void bird_report_tile(struct bird_report_page *p, const char *source,
                      const char *key, const char *what, double value)
{
    char number[BIRD_NUMBER_SIZE];

    if (!isfinite(value))
        return;
    bird_report_fact(p, source, key, what, value);
    bird_html_tile(&p->m, bird_number(number, value, 4), what);
}

const char *bird_report_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash && slash[1] ? slash + 1 : path;
}

/* 1: path ends in the last parts of another path */
static int ends_in_parts(const char *path, const char *parts)
{
    size_t n = strlen(path), k = strlen(parts);

    return n >= k && !strcmp(path + n - k, parts) &&
           (n == k || path[n - k - 1] == '/');
}

const char *bird_report_source(const bird_report_options *o, const char *path)
{
    const char *at = bird_report_name(path);

    for (int64_t i = 0; i < o->n_file;) {
        if (at == path || o->file[i] == path || !strcmp(o->file[i], path) ||
            !ends_in_parts(o->file[i], at)) {
            i++;
            continue;
        }
        for (at--; at > path && at[-1] != '/';)
            at--;
    }
    return at;
}

void bird_report_about(struct bird_report_page *p,
                       const struct bird_text *about)
{
    struct bird_text copy = {0};
    char *rest, *line;
    int any = 0;

    if (p->m.rc || !about->n)
        return;
    p->m.rc = bird_text_put(&copy, about->s, about->n);
    rest = copy.s;
    while (!p->m.rc && (line = bird_next_line(&rest))) {
        const char *value = NULL;
        char *colon = strstr(line, ": ");

        if (colon) {
            *colon = '\0';
            value = colon + 2;
        } else if (!strncmp(line, "dnabird ", 8)) {
            line[7] = '\0';
            value = line + 8;
        }
        if (!any)
            bird_html_table(&p->m, "Command and inputs");
        any = 1;
        bird_html_pair(&p->m, value ? line : "note", value ? value : line);
    }
    if (any)
        bird_html_table_end(&p->m);
    bird_text_free(&copy);
}

void bird_report_section(struct bird_report_page *p, const char *path,
                         const char *what)
{
    int alone = !p->o->run && p->o->n_file == 1 && !p->o->n_evaluation;

    bird_html_section(&p->m, alone ? what : bird_report_source(p->o, path),
                      alone ? NULL : what);
}

/* --- the folder of a run or model ----------------------------------------- */

/* The files of a folder. Start with {0}. */
struct folder {
    struct bird_training_log log;
    json_t *config, *meta;
    char *name;
    int has_model; /* a model's weights are there */
};

static void folder_free(struct folder *f)
{
    bird_training_log_free(&f->log);
    json_decref(f->config);
    json_decref(f->meta);
    free(f->name);
}

static int check_folder(const char *path)
{
    struct stat st;

    if (stat(path, &st))
        return bird_fail(BIRD_EIO, "%s: %s", path, strerror(errno));
    if (!S_ISDIR(st.st_mode))
        return bird_fail(BIRD_EIO,
                         "%s: not a folder: a run or model is the folder that "
                         "holds training.tsv",
                         path);
    return 0;
}

static int read_json(json_t **out, const char *folder, const char *name)
{
    char *path = NULL;
    int rc;

    if (!bird_file_is_in(folder, name))
        return 0;
    rc = bird_path_join(&path, folder, name);
    if (!rc)
        rc = bird_json_open(out, path);
    free(path);
    return rc;
}

static int read_log(struct folder *f, const bird_report_options *o)
{
    char *path = NULL;
    int rc;

    if (o->training)
        return bird_training_log_read(&f->log, o->training);
    if (!bird_file_is_in(o->run, "training.tsv"))
        return 0;
    rc = bird_path_join(&path, o->run, "training.tsv");
    if (!rc)
        rc = bird_training_log_read(&f->log, path);
    free(path);
    return rc;
}

/* The last component of a path, without trailing slashes. */
static int name_of(char **out, const char *path)
{
    size_t n = strlen(path), start;

    while (n > 1 && path[n - 1] == '/')
        n--;
    for (start = n; start > 0 && path[start - 1] != '/';)
        start--;
    *out = strndup(path + start, n - start);
    return *out ? 0 : bird_fail_memory(n);
}

/* The page must not replace a file of the run's folder either. */
static int guard_run(const char *run)
{
    static const char *const names[] = {BIRD_RUN_CHECKPOINT, "best.safetensors",
                                        "training.tsv"};
    int rc = 0;

    for (size_t i = 0; !rc && i < sizeof(names) / sizeof(*names); i++) {
        char *path = NULL;

        rc = bird_path_join(&path, run, names[i]);
        if (!rc)
            rc = bird_guard_part(path);
        free(path);
    }
    return rc;
}

static int folder_read(struct folder *f, const bird_report_options *o)
{
    const char *run = o->run;
    int rc = check_folder(run);

    if (!rc)
        rc = bird_folder_guard(run);
    if (!rc)
        rc = guard_run(run);
    if (!rc)
        rc = name_of(&f->name, run);
    if (!rc)
        rc = read_json(&f->config, run, "config.json");
    if (!rc)
        rc = read_json(&f->meta, run, "dnabird.json");
    if (!rc)
        rc = read_log(f, o);
    if (rc)
        return rc;
    f->has_model = bird_file_is_in(run, "model.safetensors") ||
                   bird_file_is_in(run, "model.safetensors.zst");
    if (!f->config && !f->meta && !o->training &&
        !bird_file_is_in(run, "training.tsv"))
        return bird_fail(BIRD_EINVAL,
                         "%s: neither training.tsv nor config.json nor "
                         "dnabird.json is there: not the folder of a run or "
                         "a model",
                         run);
    return 0;
}

static int put_folder(struct bird_report_page *p, const struct folder *f)
{
    const json_t *measured = json_object_get(f->meta, "measured");
    const json_t *steps =
        json_object_get(json_object_get(f->meta, "provenance"), "steps");
    int rc = 0;

    bird_html_paragraph(&p->m, f->has_model
                                   ? "Finished model."
                                   : "No model yet: the run is not finished, "
                                     "and can be resumed if it stopped.");
    if (f->log.n_column) {
        bird_training_tiles(p, f->name, &f->log, json_integer_value(steps));
        rc = bird_training_curves(&p->m, &f->log);
    } else {
        bird_html_section(
            &p->m, "Training",
            "The folder has no training.tsv: no curves are shown.");
        bird_html_close(&p->m, "section");
    }
    bird_report_measured(p, f->name, measured);
    return rc;
}

/* --- files --------------------------------------------------------------- */

static int put_file(struct bird_report_page *p, const char *path)
{
    int (*const put[])(struct bird_report_page *, const char *) = {
        [BIRD_REPORT_TABLE] = bird_report_evaluation,
        [BIRD_REPORT_TRAINING] = bird_report_training,
        [BIRD_REPORT_ANSWERS] = bird_report_answers,
        [BIRD_REPORT_CALLS] = bird_report_scan,
        [BIRD_REPORT_VALUES] = bird_report_scan,
        [BIRD_REPORT_WINDOWS] = bird_report_scan,
        [BIRD_REPORT_BINS] = bird_report_scan,
        [BIRD_REPORT_ALLELES] = bird_report_alleles,
    };
    struct bird_report_rows r = {0};
    enum bird_report_kind kind;
    int rc = bird_report_rows_open(&r, path);

    if (rc)
        return rc;
    kind = r.kind;
    bird_report_rows_close(&r);
    rc = put[kind](p, path);
    return rc ? rc : p->m.rc;
}

/* Of several files, one of values gives the ends of the picture: calls cover
 * a part of the scanned sequence only. */
static int find_region(struct bird_report_page *p)
{
    int rc = 0;

    for (int64_t i = 0; !rc && !p->view.contig.n && i < p->o->n_file; i++) {
        struct bird_report_rows r = {0};
        enum bird_report_kind kind;

        rc = bird_report_rows_open(&r, p->o->file[i]);
        kind = r.kind;
        bird_report_rows_close(&r);
        if (!rc && (kind == BIRD_REPORT_VALUES || kind == BIRD_REPORT_WINDOWS ||
                    kind == BIRD_REPORT_BINS))
            rc = bird_report_scan_region(p, p->o->file[i]);
    }
    return rc;
}

/* --- the page ------------------------------------------------------------ */

static void put_title(struct bird_markup *m, const bird_report_options *o,
                      const struct folder *f)
{
    char title[400];

    if (o->run) {
        bird_html_begin(m, f->name,
                        json_string_value(json_object_get(f->meta, "note")));
        return;
    }
    snprintf(title, sizeof(title), "%.300s", bird_report_name(o->file[0]));
    if (o->n_file > 1)
        snprintf(title + strlen(title), sizeof(title) - strlen(title),
                 " and %lld more", (long long)o->n_file - 1);
    bird_html_begin(m, title, NULL);
}

/* Sections are made first: the tracks along the sequence are complete when
 * all files were read, and are shown above the sections. */
static int put_all(struct bird_markup *out, struct bird_report_page *p,
                   const struct folder *f)
{
    const bird_report_options *o = p->o;
    int rc = o->run ? put_folder(p, f) : 0;

    for (int64_t i = 0; !rc && i < o->n_evaluation; i++)
        rc = bird_report_evaluation(p, o->evaluation[i]);
    for (int64_t i = 0; !rc && i < o->n_file; i++)
        rc = put_file(p, o->file[i]);
    for (int64_t i = 0; !rc && i < o->n_annotation; i++)
        rc = bird_region_annotate(&p->view, o->annotation[i]);
    if (o->run)
        bird_report_settings(&p->m, f->config, f->meta);
    bird_markup_put(&p->m, "<footer>dnabird %s</footer>\n", bird_version());
    put_title(out, o, f);
    bird_region_put(out, &p->view);
    if (!rc)
        rc = p->m.rc ? p->m.rc : out->rc;
    if (!rc)
        rc = bird_text_put(&out->text, p->m.text.s, p->m.text.n);
    bird_html_end(out);
    return rc ? rc : out->rc;
}

static int write_all(const struct bird_report_page *p,
                     const struct bird_markup *m)
{
    const char *output = p->o->output ? p->o->output : "-";
    const char *const path[] = {p->o->multiqc, output};
    struct bird_outputs out = {0};
    FILE *f;
    int rc = bird_outputs_open(&out, path, 2);

    f = rc ? NULL : bird_outputs_stream(&out, 0);
    if (f)
        rc = bird_report_multiqc(p, f);
    f = rc ? NULL : bird_outputs_stream(&out, 1);
    if (f && fwrite(m->text.s, 1, (size_t)m->text.n, f) != (size_t)m->text.n)
        rc = bird_fail(BIRD_EIO, "%s: %s", bird_out_name(output),
                       strerror(errno));
    if (!rc)
        rc = bird_outputs_commit(&out);
    bird_outputs_abort(&out);
    return rc;
}

static void page_free(struct bird_report_page *p)
{
    for (int64_t i = 0; i < p->n_fact; i++) {
        free(p->fact[i].source);
        free(p->fact[i].key);
        free(p->fact[i].what);
    }
    free(p->fact);
    bird_region_free(&p->view);
    bird_text_free(&p->m.text);
}

static int check(const bird_report_options *o)
{
    static const char suffix[] = "_mqc.json";
    size_t n = o->multiqc ? strlen(o->multiqc) : 0;

    if (!o->run && !o->n_file)
        return bird_fail(BIRD_EINVAL, "report: name the folder of a run or "
                                      "model, or a file that a command wrote");
    for (int64_t i = 0; i < o->n_file; i++)
        if (bird_file_is_stream(o->file[i]))
            return bird_fail(BIRD_EINVAL,
                             "%s: a report reads its files several times: "
                             "name a file, not a pipe",
                             o->file[i]);
    if (o->multiqc &&
        (n < sizeof(suffix) ||
         strcmp(o->multiqc + n - sizeof(suffix) + 1, suffix) != 0))
        return bird_fail(BIRD_EINVAL,
                         "%s: MultiQC finds files whose names end in %s: give "
                         "it such a name",
                         o->multiqc, suffix);
    if (o->training && !o->run)
        return bird_fail(BIRD_EINVAL,
                         "%s: curves go with the folder of a run; "
                         "alone they are a file like others",
                         o->training);
    return 0;
}

/* A region and annotation are drawn beside rows that have positions. */
static int check_region(const bird_report_options *o)
{
    int rc = 0, drawn = !o->region && !o->n_annotation;

    for (int64_t i = 0; !rc && !drawn && i < o->n_file; i++) {
        struct bird_report_rows r = {0};

        rc = bird_report_rows_open(&r, o->file[i]);
        drawn = r.kind >= BIRD_REPORT_CALLS;
        bird_report_rows_close(&r);
    }
    return rc || drawn ? rc
                       : bird_fail(BIRD_EINVAL,
                                   "report: a region and annotation go with "
                                   "files of calls, values or alleles");
}

int bird_report(const bird_report_options *o)
{
    struct bird_report_page p = {.o = o};
    struct bird_markup out = {0};
    struct folder f = {0};
    int rc = check(o);

    if (!rc)
        rc = check_region(o);
    if (!rc && o->region)
        rc = bird_region_ask(&p.view, o->region);
    if (!rc && o->n_file > 1)
        rc = find_region(&p);
    if (!rc && o->run)
        rc = folder_read(&f, o);
    if (!rc)
        rc = put_all(&out, &p, &f);
    if (!rc)
        rc = write_all(&p, &out);
    folder_free(&f);
    page_free(&p);
    bird_text_free(&out.text);
    return rc;
}
