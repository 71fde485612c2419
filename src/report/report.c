/* The page of a run: what is there, in order. SPDX-License-Identifier: MIT */
#include "report/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/guard.h"
#include "base/json.h"
#include "dnabird/dnabird.h"
#include "model/folder.h"
#include "track/html.h"
#include "train/run.h"

struct page {
    const bird_report_options *o;
    struct bird_log log;
    json_t *config, *meta;
    char *name;    /* of the folder */
    int has_model; /* a model's weights are there */
};

void bird_report_options_default(bird_report_options *o)
{
    *o = (bird_report_options){.output = "-"};
}

static int check_folder(const char *path)
{
    struct stat st;

    if (!path)
        return bird_fail(BIRD_EINVAL, "report: no folder is named");
    if (stat(path, &st))
        return bird_fail(BIRD_EIO, "%s: %s: no folder of a run", path,
                         strerror(errno));
    if (!S_ISDIR(st.st_mode))
        return bird_fail(BIRD_EIO,
                         "%s: not a folder: a report is made of the folder "
                         "that holds training.tsv",
                         path);
    return 0;
}

static int has_file(const char *folder, const char *name)
{
    char *path = NULL;
    int found = !bird_path_join(&path, folder, name) && bird_file_exists(path);

    free(path);
    return found;
}

static int read_json(json_t **out, const char *folder, const char *name)
{
    char *path = NULL;
    int rc;

    if (!has_file(folder, name))
        return 0;
    rc = bird_path_join(&path, folder, name);
    if (!rc)
        rc = bird_json_open(out, path);
    free(path);
    return rc;
}

static int read_log(struct page *p)
{
    char *path = NULL;
    int rc;

    if (p->o->training)
        return bird_log_read(&p->log, p->o->training);
    if (!has_file(p->o->run, "training.tsv"))
        return 0;
    rc = bird_path_join(&path, p->o->run, "training.tsv");
    if (!rc)
        rc = bird_log_read(&p->log, path);
    free(path);
    return rc;
}

/* The last name of a path, without slashes at its end. */
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

/* What a run keeps beside its model is no place for the page either. */
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

static int read_all(struct page *p)
{
    const char *run = p->o->run;
    int rc = check_folder(run);

    if (!rc)
        rc = bird_folder_guard(run);
    if (!rc)
        rc = guard_run(run);
    if (!rc)
        rc = name_of(&p->name, run);
    if (!rc)
        rc = read_json(&p->config, run, "config.json");
    if (!rc)
        rc = read_json(&p->meta, run, "dnabird.json");
    if (!rc)
        rc = read_log(p);
    if (rc)
        return rc;
    p->has_model = has_file(run, "model.safetensors") ||
                   has_file(run, "model.safetensors.zst");
    if (!p->config && !p->meta && !p->o->training &&
        !has_file(run, "training.tsv"))
        return bird_fail(BIRD_EINVAL,
                         "%s: neither training.tsv nor config.json nor "
                         "dnabird.json is there: not the folder of a run or "
                         "a model",
                         run);
    return 0;
}

static int put_page(struct bird_markup *m, struct page *p)
{
    const char *note = json_string_value(json_object_get(p->meta, "note"));
    int rc = 0;

    bird_html_begin(m, p->name, note);
    bird_html_paragraph(m, p->has_model
                               ? "The folder holds a model."
                               : "No model yet: the run goes on, or stopped "
                                 "and can be resumed.");
    if (p->log.n_column) {
        bird_report_tiles(m, &p->log, p->meta);
        rc = bird_report_curves(m, &p->log);
    } else {
        bird_html_section(m, "Training",
                          "No training.tsv here, so there are no curves.");
        bird_html_section_end(m);
    }
    bird_report_measured(m, json_object_get(p->meta, "measured"));
    for (int64_t i = 0; !rc && i < p->o->n_evaluation; i++)
        rc = bird_report_evaluation(m, p->o->evaluation[i]);
    bird_report_settings(m, p->config, p->meta);
    bird_markup_put(m, "<footer>dnabird %s</footer>\n", bird_version());
    bird_html_end(m);
    return rc ? rc : m->rc;
}

int bird_report(const bird_report_options *o)
{
    struct page p = {.o = o};
    struct bird_markup m = {0};
    int rc = read_all(&p);

    if (!rc)
        rc = put_page(&m, &p);
    if (!rc)
        rc = bird_file_write(o->output, m.text.s, (size_t)m.text.n);
    bird_text_free(&m.text);
    bird_log_free(&p.log);
    json_decref(p.config);
    json_decref(p.meta);
    free(p.name);
    return rc;
}
