#!/bin/bash
# Build and test the image of the Dockerfile or the Apptainer definition. If a builder
# runs (buildah, as root, without a daemon; apptainer) it builds the image; otherwise this
# script executes each instruction of the file in folders, and reports that. The base is
# this machine's Debian as mmdebstrap makes it: nothing is pulled from an image registry.
# Needs root and apt's sources.
# SPDX-License-Identifier: MIT
#
#   tools/container_test.sh docker|apptainer [chroot]
#
# chroot: use this script even if a builder runs. The last commit is built. The last line
# is "N passed, N failed".
set -u
cd "$(dirname "$0")/.." || exit 1
exec </dev/null
. tools/setup.sh
. tools/root.sh
here=$PWD kind=${1-} how=${2-}
out=$PWD/build-container-$kind
case $kind in
docker | apptainer) ;;
*)
    say "tools/container_test.sh docker|apptainer [chroot]"
    exit 2
    ;;
esac
may_enter_roots || exit 1
rm -rf "$out"
mkdir -p "$out/context"
git archive HEAD | tar -x -C "$out/context" || exit 1
export ROOT_BASE=$here/build-root-base.tar

# The instructions of either file, one on each line: word, then its arguments, with tabs
# between: FROM base name, COPY stage from to, RUN line, USER name.
docker_steps() {
    awk -v OFS='\t' '
    /^(#|$)/ { next }
    $1 == "ARG" { next }
    $1 == "FROM" { print "FROM", $2 == "scratch" ? $2 : "base", NF == 4 ? $4 : "final"; next }
    $1 == "COPY" {
        stage = "."
        if (sub(/--from=/, "", $2)) { stage = $2; $2 = $3; $3 = $4 }
        print "COPY", stage, $2, $3
        next
    }
    $1 == "RUN" { sub(/^RUN /, ""); print "RUN", $0; next }
    $1 ~ /^(USER|WORKDIR|ENTRYPOINT|CMD)$/ { word = $1; sub(/^[A-Z]+ /, ""); print word, $0; next }
    { print "UNKNOWN", $0 }' Dockerfile
}

apptainer_steps() {
    awk -v OFS='\t' '
    /^#/ || /^ *$/ { next }
    /^(Bootstrap|From):/ { part = ""; next }
    /^Stage:/ { print "FROM", "base", $2; next }
    /^%/ { part = $1; from = $2 == "from" ? $3 : "."; next }
    part == "%files" { print "COPY", from, $1, $2; next }
    part == "%post" { sub(/^ */, ""); print "RUN", $0; next }
    part ~ /^%(runscript|test|labels|help)$/ { next }
    { print "UNKNOWN", $0 }' packaging/dnabird.def
}

# by_hand: execute the steps in folders
by_hand() {
    local word a b c stage=
    while IFS=$'\t' read -r word a b c; do
        echo "== $word $a $b $c"
        case $word in
        FROM)
            stage=$b
            if [ "$a" = scratch ]; then
                mkdir -p "$out/root.$stage"
            else
                make_root "$out/root.$stage"
            fi || return 1
            ;;
        COPY)
            mkdir -p "$out/root.$stage$c" || return 1
            if [ "$a" = . ]; then
                cp -a "$out/context/." "$out/root.$stage$c/"
            else
                cp -a "$out/root.$a$b/." "$out/root.$stage$c/"
            fi || return 1
            ;;
        RUN) inside "$out/root.$stage" "$a" || return 1 ;;
        USER | WORKDIR | ENTRYPOINT | CMD) printf '%s\t%s\n' "$word" "$a" >>"$out/config" ;;
        *)
            echo "unknown: $a"
            return 1
            ;;
        esac
    done <"$out/steps"
    image=$out/root.final
}

hah() { buildah --storage-driver vfs --root "$out/storage" --runroot "$out/run" "$@"; }

# Import a root's archive as an image, then build the Dockerfile on it
by_buildah() {
    [ -s "$ROOT_BASE" ] || { make_root "$out/spare" && rm -rf "$out/spare"; } || return 1
    local c
    mkdir "$out/base" && tar -xpf "$ROOT_BASE" -C "$out/base" --numeric-owner \
        --exclude='./dev/*' &&
        c=$(hah from scratch) && hah add -q "$c" "$out/base" / &&
        hah commit -q "$c" localhost/debian-base && hah rm "$c" &&
        rm -rf "$out/base" &&
        hah build --isolation chroot --pull-never --layers=false \
            --build-arg BASE=localhost/debian-base -t localhost/dnabird \
            -f "$out/context/Dockerfile" "$out/context" || return 1
    c=$(hah from --pull-never localhost/dnabird) &&
        echo "$c" >"$out/container" &&
        hah inspect --type image localhost/dnabird >"$out/inspect.json"
}

# in_image COMMAND: as the image's user, without a network
in_image() {
    ROOT_NET=none inside "$image" "exec chroot --userspec=1000:1000 / \
        /bin/bash -c 'cd /tmp && $1'"
}

version() {
    in_image 'dnabird --version' | grep "^dnabird $(sed -n \
        "s/^  version: '\(.*\)',/\1/p" meson.build)"
}
small() { # without what builds
    in_image '! command -v cc gcc meson dpkg-buildpackage' &&
        [ ! -e "$image/src" ] && [ ! -e "$image/packages" ]
}
not_root() { in_image '[ "$(id -u)" = 1000 ] && ! touch /usr/x 2>/dev/null'; }
selftest() { in_image 'dnabird info --selftest /usr/share/dnabird/models/regulatory'; }
works() {
    in_image 'cd /tmp && dnabird promoter -r chr20:2,630,001-2,680,000 \
        /usr/share/dnabird/genome/chr20_demo.fa.gz -o calls.bed &&
        grep -c promoter calls.bed'
}
entry() {
    hah run --isolation chroot "$(cat "$out/container")" -- dnabird --version &&
        jq -e '.OCIv1.config | .User == "1000:1000" and .WorkingDir == "/data" and
            .Entrypoint == ["dnabird"]' "$out/inspect.json"
}

if [ "$kind" = apptainer ] && [ "$how" != chroot ] && command -v apptainer >/dev/null; then
    say "apptainer is here, but this script has not been tried with it: by hand"
fi
if [ "$kind" = docker ] && [ "$how" != chroot ] && command -v buildah >/dev/null; then
    echo "== by $(buildah --version | cut -d ' ' -f 1-3)"
    check build by_buildah || finish
    image=$(hah mount "$(cat "$out/container")")
    check "settings of the image" entry
else
    echo "== no builder: each instruction by this script, in folders"
    "${kind}_steps" >"$out/steps"
    check build by_hand || finish
fi
check version version
check "nothing that builds" small
check "not root" not_root
check "golden answers" selftest
check "promoter" works
echo "size: $(du -s --block-size=1M -x --exclude=./proc "$image" | cut -f 1) MiB of files," \
    "$(($(tar -C "$image" --one-file-system -c . | gzip -6 | wc -c) / 1048576)) MiB as .tar.gz"
echo "largest: $(du -ax --block-size=1M "$image" | sort -rn | sed "s|$image||" |
    grep -E '\.so|/bin/dnabird$|share/dnabird$' | head -6 | tr '\t\n' '  ')"
[ ! -f "$out/container" ] || hah umount "$(cat "$out/container")" >/dev/null
[ "$failed" != 0 ] || [ -n "${KEEP-}" ] || rm -rf "$out"
finish
