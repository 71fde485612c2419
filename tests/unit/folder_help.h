/**
 * Folders for tests: a place of their own, copies of golden cases.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TEST_FOLDER_HELP_H
#define BIRD_TEST_FOLDER_HELP_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "folder/folder.h"
#include "temp.h"

/* A copy of a golden case as folder/name, with this dnabird.json or none. */
static inline const char *copy(const char *from, const char *name,
                               const char *meta)
{
    char file[80];

    shell("rm -rf %s/%s && mkdir %s/%s && cp %s/config.json "
          "%s/model.safetensors %s/%s && chmod -R u+w %s",
          folder, name, folder, name, golden(from), golden(from), folder, name,
          folder);
    snprintf(file, sizeof(file), "%s/dnabird.json", name);
    if (meta)
        WORKS(bird_file_write(path_of(file), meta, strlen(meta)));
    return path_of(name);
}

static inline struct bird_folder *opened(const char *path)
{
    struct bird_folder *f = calloc(1, sizeof(*f));

    WORKS(bird_folder_open(f, path));
    return f;
}

static inline void closed(struct bird_folder *f)
{
    bird_folder_free(f);
    cr_assert_null(f->path);
    bird_folder_free(f); /* twice is safe */
    free(f);
}

static inline void refused(const char *path, int code, const char *word)
{
    struct bird_folder f = {0};

    cr_assert_eq(bird_folder_open(&f, path), code, "%s", bird_last_error());
    cr_assert_null(f.path);
    SAYS(word);
}

#endif
