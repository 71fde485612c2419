/**
 * A model folder in memory, and what is done to it.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TEST_MODELS_H
#define BIRD_TEST_MODELS_H

#include <stddef.h>
#include <stdint.h>

enum { MODEL_FILES = 12, MODEL_NAME = 64 };

/** What stands in a file's place. */
enum file_form {
    FORM_FILE,
    FORM_FOLDER,
    FORM_FIFO,
    FORM_LINK, /* to the name in its bytes */
};

struct model_file {
    char name[MODEL_NAME];
    uint8_t *s;
    size_t n;
    enum file_form form;
};

struct model_folder {
    struct model_file at[MODEL_FILES];
    int n;
};

/** Numbers by seed. */
struct draw {
    uint64_t state;
};
uint64_t draw_next(struct draw *d);
int64_t draw_below(struct draw *d, int64_t n);

/** A copy of n bytes; ends the program where memory is out. */
uint8_t *copy_bytes(const void *s, size_t n);
void folder_copy(struct model_folder *out, const struct model_folder *in);
void folder_free(struct model_folder *f);
/** The file of this name, or whose name ends so; NULL: none. */
struct model_file *folder_find(struct model_folder *f, const char *end);

struct mutation {
    const char *name;
    /* 0: it does not apply to this folder */
    int (*apply)(struct model_folder *f, struct draw *d);
    int harmless; /* 1: the answers stay what they are */
};

enum { MUTATIONS = 26 };
extern const struct mutation mutations[MUTATIONS];

#endif
