#!/bin/bash
# Is a build reproducible? Builds the same sources twice, in folders with names of
# different lengths, with another time zone, language, umask and number of jobs; the
# installed trees must have the same bytes.
# SPDX-License-Identifier: MIT
#
#   tools/reproducible.sh [MESON-OPTION...]
#
# The last commit is built. No ccache: it would give the second build the objects of the
# first. The last line: "N files, N differences"; status 0: none. If there are
# differences the trees remain in build-reproducible.
set -u
cd "$(dirname "$0")/.." || exit 1
exec </dev/null
. tools/setup.sh
here=$PWD top=$PWD/build-reproducible
# `git archive` dates its files by the commit
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct) || exit 1
export SOURCE_DATE_EPOCH CCACHE_DISABLE=1 LC_ALL
setup_packages build || exit 1

# once NAME FOLDER JOBS OPTION...
once() {
    local name=$1 folder=$top/$2 jobs=$3
    shift 3
    mkdir -p "$folder" && git -C "$here" archive HEAD | tar -x -C "$folder" &&
        cd "$folder" &&
        CFLAGS="-g -O2 -ffile-prefix-map=$folder=." meson setup build \
            --buildtype=release --prefix=/usr -Dsource_data=false \
            -Dtests=disabled "$@" &&
        ninja -C build -j "$jobs" &&
        DESTDIR=$top/$name meson install -C build --no-rebuild
}

# listing TREE: kind, mode, name, and the digest or the target of a link
listing() {
    (cd "$1" && find . ! -type d -printf '%y %m %P %l\n' | LC_ALL=C sort &&
        find . -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum)
}

rm -rf "$top"
mkdir -p "$top"
start=$SECONDS
(umask 022 && LC_ALL=C TZ=UTC once first a 2 "$@") >"$top/first.log" 2>&1 &&
    (umask 002 && LC_ALL=C.UTF-8 TZ=Asia/Kolkata once second \
        another/folder/with/a/longer/name 1 "$@") >"$top/second.log" 2>&1 || {
    tail -n 30 "$top"/*.log >&2
    say "A build failed."
    exit 1
}
listing "$top/first" >"$top/first.txt"
listing "$top/second" >"$top/second.txt"
n=$(find "$top/first" -type f | wc -l)
differ=$(diff "$top/first.txt" "$top/second.txt" | grep -c '^[<>]')
diff "$top/first.txt" "$top/second.txt"
say "two builds in $((SECONDS - start)) s"
echo "$n files, $differ differences"
[ "$differ" = 0 ] && [ "$n" -gt 50 ] && rm -rf "$top"
