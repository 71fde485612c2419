#!/bin/bash
# The packaging files agree with the build: what is installed, versions, what is
# needed; the bill of materials; prints TAP.
# SPDX-License-Identifier: MIT
#
#   packaging.sh SOURCE_ROOT BUILD_ROOT
# An empty BUILD_ROOT: nothing is installed.
set -u
. "$(dirname "$0")/../support/tap.sh"
root=$(realpath "$1") build=${2:+$(realpath "$2")}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$root" || exit 1
needs=$(bash -c '. tools/setup.sh && printf "%s\n" "$needs_build"')

has() { # WORD...: each is there
    local word
    for word in "$@"; do
        command -v "$word" >/dev/null || return 1
    done
}

version=$(sed -n "s/^  version: '\(.*\)',/\1/p" meson.build)
{
    [ -n "$version" ] || echo "meson.build: no version"
    sed -n '1s/.*(\(.*\)-[^-]*).*/\1/p' debian/changelog | grep -qxF "$version" ||
        echo "debian/changelog: $(head -n 1 debian/changelog)"
    grep -qxF "version: $version" CITATION.cff || echo CITATION.cff
    grep -qxF "{% set version = \"$version\" %}" packaging/conda/meta.yaml ||
        echo packaging/conda/meta.yaml
} | rule "one version"

abi=$(sed -n "s/^abi = '\(.*\)'/\1/p" src/meson.build)
{
    grep -qxF "Package: libdnabird$abi" debian/control || echo debian/control
    [ -f "debian/libdnabird$abi.install" ] || echo "debian/libdnabird$abi.install"
    grep -qF "libdnabird$abi " debian/rules || echo debian/rules
    grep -qF "libdnabird\\.so\\.$abi\\]" debian/tests/library || echo debian/tests/library
} | rule "the package of the library is named by its soname"

# gcc and libc come with build-essential, Ninja with Meson
sed -n '/^Build-Depends:/,/^$/p' debian/control | tr -s ' ,' '\n' >"$work/control"
echo "$needs" | awk '$2 && $2 !~ /^(gcc|libc6-dev|ninja-build)$/ { print $2 }' |
    sort -u | grep -vxF -f "$work/control" |
    rule "what a build needs stands in debian/control"

# The same lines make either container.
sed -n 's/^RUN //p' Dockerfile | grep -v useradd >"$work/docker"
awk '/^(%|Bootstrap:)/ { on = $1 == "%post"; next } on && NF { sub(/^ */, ""); print }' \
    packaging/dnabird.def | diff "$work/docker" - |
    rule "Dockerfile and Apptainer definition run the same lines"

{
    awk '/^Tests:/ { print $2 }' debian/tests/control | while read -r t; do
        [ -x "debian/tests/$t" ] || echo "debian/tests/$t"
    done
    for f in debian/tests/* debian/rules packaging/conda/build.sh; do
        case $f in
        */control) continue ;;
        */rules) ;;
        *) bash -n "$f" 2>&1 ;;
        esac
        [ -x "$f" ] || echo "$f cannot be run"
    done
} | sort -u | rule "scripts are there and are shell"

recipe="the conda recipe is YAML, and names what the build needs"
if has python3 && python3 -c 'import jinja2, yaml' 2>/dev/null; then
    echo "$needs" | sed -n 's/^pc:\([a-z]*\).*/\1/p' |
        python3 -c '
import sys, jinja2, yaml
text = open("packaging/conda/meta.yaml").read()
# what conda-build sets before it reads the file
names = {"compiler": lambda c: c + "_compiler",
    "pin_subpackage": lambda name, **k: name}
recipe = yaml.safe_load(jinja2.Environment(
    undefined=jinja2.StrictUndefined).from_string(text).render(names))
host = [r.split()[0] for r in recipe["requirements"]["host"]]
conda = {"libzstd": "zstd", "libcrypto": "openssl"}
for name in sys.stdin.read().split():
    if conda.get(name, name) not in host:
        print("host has no", conda.get(name, name))
for part in "package", "source", "build", "requirements", "test", "about":
    if not recipe.get(part):
        print("no", part)
if not recipe["test"].get("commands"):
    print("no test commands")
open(recipe["about"]["license_file"])
' 2>&1 | rule "$recipe"
else
    skip "$recipe" "python3 with jinja2 and yaml"
fi

if [ -z "$build" ] || ! has meson; then
    skip "every installed file is in one Debian package" meson
    skip "a bill of materials" meson
    end_rules
    exit
fi

meson install -C "$build" --no-rebuild --quiet --destdir "$work/tree" \
    >"$work/log" 2>&1 || { sed 's/^/# /' "$work/log"; exit 1; }
prefix=$(meson introspect "$build" --buildoptions |
    sed 's/}, */}\n/g' | sed -n 's/.*"name": "prefix", "value": "\([^"]*\)".*/\1/p')
libdir=$(cd "$work/tree$prefix" && find . -name 'libdnabird.so' -printf '%h\n' | sed 's/^\.\///')

# As a Debian build lays them out; static libraries are left out there.
(cd "$work/tree$prefix" && find . ! -type d -printf '%P\n' | sort) |
    sed "s|^$libdir/|lib/ARCH/|; s|^|usr/|" | grep -v '\.a$' >"$work/installed"
for f in debian/*.install; do
    while read -r pattern _; do
        printf '%s\t%s\n' "$pattern" "${f##*/}"
    done <"$f"
done >"$work/patterns"
{
    [ "$(wc -l <"$work/installed")" -gt 80 ] || echo "too few installed files"
    while read -r f; do
        in=0
        while IFS=$'\t' read -r pattern _; do
            # shellcheck disable=SC2053 # a pattern
            [[ $f == $pattern || $f == $pattern/* ]] && in=$((in + 1))
        done <"$work/patterns"
        [ "$in" = 1 ] || echo "$f: in $in packages"
    done <"$work/installed"
    while IFS=$'\t' read -r pattern list; do
        hit=0
        while read -r f; do
            # shellcheck disable=SC2053
            [[ $f == $pattern || $f == $pattern/* ]] && hit=1 && break
        done <"$work/installed"
        [ "$hit" = 1 ] || echo "$list: $pattern is not installed"
    done <"$work/patterns"
} | rule "every installed file is in one Debian package"

if ! has jq objdump; then
    skip "a bill of materials" "jq and objdump"
    end_rules
    exit
fi
tools/sbom.sh "$build" >"$work/sbom.json" 2>"$work/log" || cat "$work/log"
{
    jq -e . "$work/sbom.json" >/dev/null || echo "no JSON"
    jq -r '
    (.packages + .files | map(.SPDXID)) as $ids |
    (if .spdxVersion == "SPDX-2.3" then empty else "version" end),
    ($ids | group_by(.)[] | select(length > 1) | "twice: \(.[0])"),
    (.relationships[].relatedSpdxElement | select(IN($ids[]) | not) | "names \(.)"),
    (.packages[] | select((.licenseDeclared // "") == "") | "no licence: \(.name)"),
    (if [.packages[].name] | contains(["htslib", "jansson", "libzip"]) then empty
     else "libraries are missing" end),
    (.files[] | select(.fileName | test("jaspar.*gz$")) |
     select(.licenseConcluded != "CC-BY-4.0") | .fileName)' "$work/sbom.json"
    (cd "$work/tree" && find . -type f | sort) >"$work/tree_files"
    jq -r '.files[].fileName' "$work/sbom.json" | sort | diff "$work/tree_files" -
} | rule "the bill of materials names what is installed and linked"

f=$(jq -r '.files[].fileName | select(test("/bin/dnabird$"))' "$work/sbom.json")
jq -r --arg f "$f" '.files[] | select(.fileName == $f) | .checksums[] |
    select(.algorithm == "SHA256") | .checksumValue' "$work/sbom.json" |
    diff - <(sha256sum <"$work/tree/$f" | cut -d ' ' -f 1) |
    rule "its digests are those of the installed files"

valid="it is valid SPDX"
if has pyspdxtools; then
    cp "$work/sbom.json" "$work/sbom.spdx.json"
    pyspdxtools -i "$work/sbom.spdx.json" 2>&1 | rule "$valid"
else
    skip "$valid" "pyspdxtools (of pip's spdx-tools)"
fi

# Without a row for a library it is refused.
mkdir -p "$work/copy/tools" "$work/copy/packaging"
cp tools/sbom.sh "$work/copy/tools/"
cp LICENSE CITATION.cff "$work/copy/"
grep -v '^htslib' packaging/dependencies.tsv >"$work/copy/packaging/dependencies.tsv"
{
    "$work/copy/tools/sbom.sh" "$build" >"$work/none" 2>"$work/log" && echo "status 0"
    grep -q 'no row for libhts' "$work/log" || cat "$work/log"
    [ ! -s "$work/none" ] || echo "something was printed"
} | rule "a library without a licence is refused"

end_rules
