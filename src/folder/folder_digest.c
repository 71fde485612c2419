/* The digest that identifies a model folder, made of digests of its files.
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/text.h"
#include "base/timer.h"
#include "folder/folder.h"

int64_t bird_folder_files(const struct bird_folder *f)
{
    return 4 + f->n_shard;
}

const char *bird_folder_file(const struct bird_folder *f, int64_t i)
{
    if (i < 2)
        return i ? f->weights : "config.json";
    i -= 2;
    if (i < f->n_shard)
        return f->shard[i];
    return i == f->n_shard ? "tokenizer.json" : "tokenizer_config.json";
}

/* config.json may be edited by hand; `info --verify` reports that. */
static void compare_sum(struct bird_folder *f, const char *name,
                        const char *hex)
{
    const char *want = json_string_value(
        json_object_get(json_object_get(f->meta, "checksums"), name));

    if (!f->changed[0] && want && strcmp(want, hex) != 0 &&
        strcmp(name, "config.json") != 0)
        snprintf(f->changed, sizeof(f->changed), "%s", name);
}

/* Golden answers are not part of the digest: one model may have different
 * ones. */
static int digest_golden(struct bird_folder *f)
{
    char hex[65], *path = NULL;
    int rc = bird_path_join(&path, f->path, BIRD_SELFTEST_NAME);

    if (!rc && bird_file_exists(path) && !(rc = bird_file_sha256(hex, path)))
        snprintf(f->golden, sizeof(f->golden), "%.16s", hex);
    free(path);
    return rc;
}

int bird_folder_digest(struct bird_folder *f)
{
    struct bird_text lines = {0};
    int rc = 0;

    if (f->digest[0])
        return 0;
    for (int64_t i = 0; !rc && i < bird_folder_files(f); i++) {
        const char *name = bird_folder_file(f, i);
        char hex[65], *path = NULL;

        rc = bird_path_join(&path, f->path, name);
        if (!rc && bird_file_exists(path)) {
            rc = bird_file_sha256(hex, path);
            if (!rc)
                rc = bird_text_printf(&lines, "%s  %s\n", hex, name);
            if (!rc)
                compare_sum(f, name, hex);
        }
        free(path);
    }
    if (!rc)
        rc = digest_golden(f);
    if (!rc)
        bird_sha256(f->digest, lines.s, (size_t)lines.n);
    bird_text_free(&lines);
    return rc;
}

void bird_folder_title(char out[BIRD_FOLDER_TITLE], const struct bird_folder *f)
{
    char name[80];

    bird_path_base(name, sizeof(name), f->path);
    snprintf(out, BIRD_FOLDER_TITLE, "%s %s%s%s", name, f->digest,
             *f->golden ? ", golden answers " : "", f->golden);
}

int bird_folder_identify(struct bird_folder *f)
{
    enum bird_phase before = bird_timer_enter(BIRD_PHASE_OPEN);
    int is_new = !f->digest[0], rc = bird_folder_digest(f);

    bird_timer_leave(before);
    if (!rc && is_new) /* later the run itself may have written to it */
        rc = bird_folder_check_stamp(f);
    if (!rc && f->changed[0])
        rc = bird_fail(BIRD_EFORMAT,
                       "%s/%s: differs from its checksum in dnabird.json: the "
                       "file was changed or is damaged; fetch it anew "
                       "(`dnabird info --verify` compares all files)",
                       f->path, f->changed);
    return rc;
}

int bird_folder_open_intact(struct bird_folder *out, const char *path)
{
    int rc = bird_folder_open(out, path);

    if (!rc && (rc = bird_folder_identify(out)))
        bird_folder_free(out);
    return rc;
}
