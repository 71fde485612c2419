/* Listings of a folder. SPDX-License-Identifier: MIT */
#include "listing.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void die(const char *what)
{
    fprintf(stderr, "fault_run: %s: %s\n", what, strerror(errno));
    exit(2);
}

static uint64_t sum_of(const char *path)
{
    uint64_t h = 1469598103934665603u;
    char part[1 << 14];
    FILE *f = fopen(path, "rb");
    size_t n;

    if (!f)
        return 0;
    while ((n = fread(part, 1, sizeof(part), f)) > 0)
        for (size_t i = 0; i < n; i++)
            h = (h ^ (unsigned char)part[i]) * 1099511628211u;
    fclose(f);
    return h + !h;
}

static void list_into(struct listing *l, const char *folder)
{
    DIR *d = opendir(folder);
    struct dirent *e;

    while (d && (e = readdir(d))) {
        struct file *f = &l->at[l->n];
        struct stat st;

        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
            continue;
        if (l->n == FILES)
            die("too many files");
        if (snprintf(f->path, sizeof(f->path), "%s/%s", folder, e->d_name) >=
            (int)sizeof(f->path))
            die("a long name");
        if (lstat(f->path, &st))
            continue;
        l->n++;
        f->vague = 0;
        f->sum = S_ISREG(st.st_mode) ? sum_of(f->path) : 1;
        if (S_ISDIR(st.st_mode))
            list_into(l, f->path);
    }
    if (d)
        closedir(d);
}

void listing_read(struct listing *l)
{
    l->n = 0;
    list_into(l, ".");
}

const struct file *listing_find(const struct listing *l, const char *path)
{
    for (int i = 0; i < l->n; i++)
        if (!strcmp(l->at[i].path, path))
            return &l->at[i];
    return NULL;
}

/* The first of `a` that `b` has not, or has otherwise; NULL: none. */
const struct file *listing_other(const struct listing *a,
                                 const struct listing *b)
{
    for (int i = 0; i < a->n; i++) {
        const struct file *f = &a->at[i], *g = listing_find(b, f->path);

        if (!g || (f->sum != g->sum && !f->vague && !g->vague))
            return f;
    }
    return NULL;
}

void listing_remove(const char *folder)
{
    DIR *d = opendir(folder);
    struct dirent *e;

    while (d && (e = readdir(d))) {
        char path[512];

        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
            continue;
        snprintf(path, sizeof(path), "%s/%s", folder, e->d_name);
        if (unlink(path)) {
            listing_remove(path);
            rmdir(path);
        }
    }
    if (d)
        closedir(d);
}

/* A file, or a folder of files, of ../in. */
void listing_copy(const char *name)
{
    char from[512], part[1 << 14];
    struct stat st;
    FILE *in, *out;
    size_t n;

    snprintf(from, sizeof(from), "../in/%s", name);
    if (stat(from, &st))
        die(from);
    if (S_ISDIR(st.st_mode)) {
        DIR *d = opendir(from);
        struct dirent *e;

        mkdir(name, 0777);
        while (d && (e = readdir(d)))
            if (e->d_name[0] != '.') {
                snprintf(part, sizeof(part), "%s/%s", name, e->d_name);
                char *deeper = strdup(part);

                listing_copy(deeper);
                free(deeper);
            }
        if (d)
            closedir(d);
        return;
    }
    in = fopen(from, "rb");
    out = fopen(name, "wb");
    if (!in || !out)
        die(name);
    while ((n = fread(part, 1, sizeof(part), in)) > 0)
        if (fwrite(part, 1, n, out) != n)
            die(name);
    fclose(in);
    if (fclose(out))
        die(name);
}
