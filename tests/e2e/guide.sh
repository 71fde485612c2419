#!/bin/bash
# The commands of a page run as they stand there; prints TAP.
# SPDX-License-Identifier: MIT
#
#   guide.sh DNABIRD SOURCE_ROOT PAGE FILE...: what it must leave
set -u
dnabird=$(realpath "$1") root=$(realpath "$2") page=$(realpath "$3")
shift 3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
command -v bcftools >/dev/null || { echo "1..0 # SKIP needs bcftools"; exit; }
mkdir -p build/tools data
ln -s "$dnabird" build/tools/dnabird
cp -r "$root/data/genome" "$root/data/variants" "$root/data/models" data
awk '/^```sh$/ {on = 1; next} /^```$/ {on = 0} on' "$page" >commands
n=1 bad=0
if bash -e commands >log 2>&1; then
    echo "ok 1 - the commands run"
else
    bad=1
    echo "not ok 1 - the commands run"
    tail -20 log | sed 's/^/# /'
fi
for f; do
    n=$((n + 1))
    if [ -s "$f" ]; then
        echo "ok $n - $f"
    else
        bad=1
        echo "not ok $n - $f is missing or empty"
    fi
done
echo "1..$n"
exit $bad
