/* Every file of a folder once through a fuzz target. SPDX-License-Identifier:
 * MIT */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A copy of exactly this size, so that a byte too far is noticed. */
static int replay(const struct bird_text *t)
{
    uint8_t *p = malloc(t->n ? (size_t)t->n : 1);

    if (!p)
        return 1;
    for (int64_t i = 0; i < t->n; i++)
        p[i] = (uint8_t)t->s[i];
    LLVMFuzzerTestOneInput(p, (size_t)t->n);
    free(p);
    return 0;
}

int main(int argc, char **argv)
{
    DIR *d = argc == 2 ? opendir(argv[1]) : NULL;
    struct bird_text t = {0};
    const struct dirent *e;
    int n = 0, bad = !d;

    while (!bad && (e = readdir(d))) {
        char *path = NULL;

        if (e->d_name[0] == '.')
            continue;
        bad = bird_path_join(&path, argv[1], e->d_name) ||
              bird_file_read(&t, path) || replay(&t);
        free(path);
        n++;
    }
    if (d)
        closedir(d);
    bird_text_free(&t);
    printf("%d inputs\n", n);
    return bad || !n;
}
