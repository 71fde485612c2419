/* The promoters of a FASTA file as BED, through the library. Build it with
 *
 *     cc example.c $(pkg-config --cflags --libs dnabird) -o example
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include <dnabird/dnabird.h>

static int fail(const char *what)
{
    fprintf(stderr, "%s: %s\n", what, bird_last_error());
    return EXIT_FAILURE;
}

/* What lies in a FASTA file, read piece by piece. */
static int count_bases(int64_t *n, const char *path)
{
    bird_fastx *reader = NULL;
    bird_piece piece;
    int more, rc = bird_fastx_open(&reader, path, 0);

    if (rc)
        return rc;
    *n = 0;
    while ((more = bird_fastx_next(reader, &piece)) > 0)
        *n += piece.n;
    bird_fastx_free(reader);
    return more; /* 0, or the status of what went wrong */
}

int main(int argc, char **argv)
{
    bird_promoter_scan_options options;
    bird_promoter_summary summary;
    char *words = NULL;
    int64_t n_bp = 0;

    if (argc != 3) {
        fprintf(stderr, "usage: %s MODEL genome.fa >out.bed\n", argv[0]);
        return 2;
    }
    if (bird_model_describe(&words, argv[1]))
        return fail("the model");
    fputs(words, stderr);
    free(words);
    if (count_bases(&n_bp, argv[2]))
        return fail("the sequence");

    bird_promoter_scan_options_default(&options);
    options.model = argv[1];
    options.fasta = argv[2];
    options.threshold = 0.5;
    options.track.format = "bed"; /* path NULL: standard output */
    if (bird_promoter_scan(&summary, &options))
        return fail("the scan");
    fprintf(stderr, "%lld of %lld bp, %lld windows, %lld promoters\n",
            (long long)summary.n_bp, (long long)n_bp,
            (long long)summary.n_window, (long long)summary.n_row);
    return EXIT_SUCCESS;
}
