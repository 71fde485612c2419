/*
 * Write one track of every format into a folder, for the tests that show them to
 * tabix and bedtools. SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "dnabird/dnabird.h"

static int put_rows(bird_track *t, const char *contig, int64_t shift)
{
    for (int64_t i = 0; i < 2000; i++) {
        bird_track_row r = {.contig = contig,
                            .start = shift + i * 500,
                            .end = shift + i * 500 + 300,
                            .strand = i % 3 ? '+' : '-',
                            .value = (double)(i % 101) / 100,
                            .n_window = 2};

        r.summit = r.start + 150;
        if (bird_track_put(t, &r))
            return -1;
    }
    return 0;
}

static int write_track(const char *folder, const char *name, const char *format,
                       int64_t shift)
{
    char path[4096];
    bird_track_options o;
    bird_track *t = NULL;

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    bird_track_options_default(&o);
    o.path = path;
    o.format = format;
    o.index = name[0] == 'i';
    o.command = "dnabird promoter ref.fa";
    o.model = "toy";
    o.reference = "ref.fa";
    if (bird_track_open(&t, &o))
        return -1;
    if (put_rows(t, "chrB", shift) || put_rows(t, "chrA", 0)) {
        bird_track_free(t);
        return -1;
    }
    return bird_track_close(t);
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    if (write_track(argv[1], "x.bed", "bed", 0) ||
        write_track(argv[1], "x.bedgraph", "bedgraph", 0) ||
        write_track(argv[1], "x.tsv", "tsv", 0) ||
        write_track(argv[1], "x.gff3", NULL, 0) ||
        write_track(argv[1], "i.gff3.gz", NULL, 0) ||
        write_track(argv[1], "i.bed.gz", "bed", 0) ||
        write_track(argv[1], "i.bedgraph.gz", "bedgraph", 0) ||
        write_track(argv[1], "i.tsv.gz", "windows", 0) ||
        write_track(argv[1], "ilong.bed.gz", "bed", 700000000)) {
        fprintf(stderr, "%s\n", bird_last_error());
        return 1;
    }
    return 0;
}
