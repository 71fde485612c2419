/* What a run finds and leaves in its folder. SPDX-License-Identifier: MIT */
#include "train/run_folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/guard.h"
#include "model/folder.h"

int bird_run_check(const char *folder, int resume)
{
    int run = bird_folder_has(folder, BIRD_RUN_CHECKPOINT);

    if (run && !resume)
        return bird_fail(BIRD_EINVAL,
                         "%s: a run is there: add --resume to go on, or use "
                         "another folder",
                         folder);
    if (!run && bird_folder_holds_model(folder))
        return bird_fail(BIRD_EINVAL,
                         "%s: holds a model already, and no run to resume: "
                         "use another folder",
                         folder);
    return 0;
}

int bird_run_begin(const char *folder)
{
    int rc = bird_folder_make(folder);

    if (!rc)
        bird_guard_own(folder);
    return rc;
}

void bird_run_sweep(const char *folder)
{
    static const char *const ours[] = {
        "best.safetensors.tmp",  BIRD_RUN_CHECKPOINT ".tmp",
        BIRD_RUN_LOG ".tmp",     "validation.tsv.tmp",
        "model.safetensors.tmp", "baseline.safetensors.tmp",
        "config.json.tmp",       "tokenizer.json.tmp",
        "dnabird.json.tmp"};
    DIR *d = opendir(folder);
    struct dirent *e;

    while (d && (e = readdir(d)))
        for (size_t i = 0; i < sizeof(ours) / sizeof(*ours); i++) {
            size_t n = strlen(ours[i]);

            if (!strncmp(e->d_name, ours[i], n) &&
                e->d_name[n + strspn(e->d_name + n, "0123456789")] == '\0')
                unlinkat(dirfd(d), e->d_name, 0);
        }
    if (d)
        closedir(d);
}

/* The lines of a log up to a step; a last line cut short is dropped. */
static int cut_log(struct bird_text *out, const char *header, const char *s,
                   int64_t step)
{
    int rc = bird_text_put(out, header, (int64_t)strlen(header));
    const char *line = strchr(s, '\n'), *end;

    while (!rc && line && (end = strchr(line + 1, '\n'))) {
        if (strtoll(line + 1, NULL, 10) <= step)
            rc = bird_text_put(out, line + 1, end - line);
        line = end;
    }
    return rc;
}

int bird_run_log_start(const char *folder, const char *header, int64_t step)
{
    struct bird_text old = {0}, kept = {0};
    char *path;
    int rc = bird_path_join(&path, folder, BIRD_RUN_LOG);

    if (rc)
        return rc;
    if (step > 0 && bird_file_exists(path))
        rc = bird_file_read(&old, path);
    if (!rc)
        rc = cut_log(&kept, header, old.s ? old.s : "", step);
    if (!rc)
        rc = bird_file_write(path, kept.s, (size_t)kept.n);
    bird_text_free(&old);
    bird_text_free(&kept);
    free(path);
    return rc;
}

int bird_run_log_add(const char *folder, const char *line)
{
    FILE *out;
    char *path;
    int rc = bird_path_join(&path, folder, BIRD_RUN_LOG);

    if (rc)
        return rc;
    out = fopen(path, "ae");
    if (!out || fputs(line, out) < 0)
        rc = bird_fail(BIRD_EIO, "%s: %s", path, strerror(errno));
    if (out && fclose(out) && !rc)
        rc = bird_fail(BIRD_EIO, "%s: %s", path, strerror(errno));
    free(path);
    return rc;
}

json_t *bird_run_base_name(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;

    return path ? json_string(slash ? slash + 1 : path) : json_null();
}

double bird_run_clock(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
