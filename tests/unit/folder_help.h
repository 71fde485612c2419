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

#include "base/file.h"
#include "check.h"
#include "folder/folder.h"

static char root[] = "/tmp/bird-folder-XXXXXX";

static inline void shell(const char *command)
{
    cr_assert_eq(system(command), 0, "%s", command);
}

static inline void make_root(void)
{
    cr_assert_not_null(mkdtemp(root));
}

static inline void remove_root(void)
{
    char command[sizeof(root) + 16];

    snprintf(command, sizeof(command), "rm -rf %s", root);
    shell(command);
}

static inline const char *in_root(const char *name)
{
    static char path[4][160];
    static int next;

    next = (next + 1) % 4;
    snprintf(path[next], sizeof(path[next]), "%s/%s", root, name);
    return path[next];
}

static inline const char *golden(const char *name)
{
    static char path[4096];

    snprintf(path, sizeof(path), "%s/golden/%s", getenv("BIRD_TEST_DATA"),
             name);
    return path;
}

/* A copy of a golden case as root/name, with this dnabird.json or none. */
static inline const char *copy(const char *from, const char *name,
                               const char *meta)
{
    char command[16384], file[80];

    snprintf(command, sizeof(command),
             "rm -rf %s/%s && mkdir %s/%s && cp %s/config.json "
             "%s/model.safetensors %s/%s && chmod -R u+w %s",
             root, name, root, name, golden(from), golden(from), root, name,
             root);
    shell(command);
    snprintf(file, sizeof(file), "%s/dnabird.json", name);
    if (meta)
        WORKS(bird_file_write(in_root(file), meta, strlen(meta)));
    return in_root(name);
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
