#!/bin/bash
# Print a bill of materials (SPDX 2.3, JSON) of a build: the installed files with
# digests, and the libraries that it is linked with.
# SPDX-License-Identifier: MIT
#
#   tools/sbom.sh BUILD
#
# The build's libraries and program name their dependencies; Meson and pkg-config give
# the versions, packaging/dependencies.tsv the licences. The same build gives the same
# bytes: the time is SOURCE_DATE_EPOCH's, else the last commit's, else the licence
# file's.
set -euo pipefail
build=$(realpath "${1:?tools/sbom.sh BUILD}")
cd "$(dirname "$0")/.."
LC_ALL=C
export LC_ALL
for tool in jq meson objdump; do
    command -v $tool >/dev/null || { echo "tools/sbom.sh needs $tool" >&2; exit 1; }
done
[ -f "$build/build.ninja" ] || { echo "$1 is no build folder" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

time=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || stat -c %Y LICENSE)}
created=$(date -u -d "@$time" +%Y-%m-%dT%H:%M:%SZ)
version=$(meson introspect "$build" --projectinfo | jq -r .version)
licence=$(sed -n 's/^license: *//p' CITATION.cff)
supplier=$(awk '/^authors:/ { on = 1 } on && sub(/.*name: */, "") { print; exit }' CITATION.cff)

# Installed files: path, digests. Installing changes bytes (search paths).
meson install -C "$build" --no-rebuild --quiet --destdir "$work/tree" \
    >"$work/log" 2>&1 || { tail -n 5 "$work/log" >&2; exit 1; }
(
    cd "$work/tree"
    find . -type f | sed 's|^\.||' | sort >"$work/paths"
    sed 's|^|.|' "$work/paths" | tr '\n' '\0' >"$work/names"
    paste "$work/paths" <(xargs -0 sha1sum <"$work/names" | cut -d ' ' -f 1) \
        <(xargs -0 sha256sum <"$work/names" | cut -d ' ' -f 1)
) >"$work/files"

# Dependencies: sonames of the program and the shared libraries
while IFS= read -r -d '' f; do
    case $f in
    */bin/dnabird | *.so.*) objdump -p "$work/tree/$f" ;;
    esac
done <"$work/names" | awk '$1 == "NEEDED" { print $2 }' | sort -u |
    grep -vE '^(ld-|libdnabird)' >"$work/needed"
meson introspect "$build" --dependencies |
    jq -r '.[] | [.name, .version] | @tsv' >"$work/known"

# name, soname, version or -, licence, home
while read -r soname; do
    row=$(awk -F '\t' -v s="${soname%%.so*}" '!/^#/ && $2 == s' packaging/dependencies.tsv)
    if [ -z "$row" ]; then
        echo "packaging/dependencies.tsv has no row for $soname" >&2
        exit 1
    fi
    IFS=$'\t' read -r name _ pc terms home _ <<<"$row"
    v=$(awk -F '\t' -v n="$name" '$1 == n && $2 != "unknown" { print $2 }' "$work/known")
    # OpenMP's number is the standard's, not the library's
    [ "$name" != openmp ] || v=
    [ -n "$v" ] || [ "$pc" = . ] || v=$(pkg-config --modversion "$pc" 2>/dev/null || :)
    printf '%s\t%s\t%s\t%s\t%s\n' "$name" "$soname" "${v:--}" "$terms" "$home"
done <"$work/needed" >"$work/rows"

# The sum of the files' sums, as SPDX counts it
code=$(cut -f 2 "$work/files" | sort | tr -d '\n' | sha1sum | cut -d ' ' -f 1)

jq -n --rawfile files "$work/files" --rawfile rows "$work/rows" \
    --arg version "$version" --arg created "$created" --arg licence "$licence" \
    --arg supplier "$supplier" --arg code "$code" '
def table: split("\n") | map(select(. != "") | split("\t"));
def id: gsub("[^A-Za-z0-9.-]"; "-");
def terms: if test("/share/dnabird/motifs/.*\\.gz$") then "CC-BY-4.0" else $licence end;
($files | table) as $f | ($rows | table) as $d |
{
  spdxVersion: "SPDX-2.3", dataLicense: "CC0-1.0", SPDXID: "SPDXRef-DOCUMENT",
  name: "dnabird-\($version)",
  documentNamespace: "urn:dnabird:sbom:\($version):\($code)",
  creationInfo: {created: $created,
    creators: ["Organization: \($supplier)", "Tool: dnabird-tools-sbom-\($version)"]},
  packages: ([{
      name: "dnabird", SPDXID: "SPDXRef-Package-dnabird", versionInfo: $version,
      supplier: "Organization: \($supplier)", downloadLocation: "NOASSERTION",
      filesAnalyzed: true,
      packageVerificationCode: {packageVerificationCodeValue: $code},
      licenseConcluded: "\($licence) AND CC-BY-4.0", licenseDeclared: $licence,
      licenseInfoFromFiles: ([$f[] | .[0] | terms] | unique),
      copyrightText: "Copyright (c) 2026 \($supplier)",
      primaryPackagePurpose: "APPLICATION"}] +
    [$d[] | {
      name: .[0], SPDXID: "SPDXRef-Package-\(.[1] | id)",
      downloadLocation: "NOASSERTION", filesAnalyzed: false,
      licenseConcluded: "NOASSERTION", licenseDeclared: .[3], homepage: .[4],
      copyrightText: "NOASSERTION", comment: "linked as \(.[1])",
      primaryPackagePurpose: "LIBRARY"} +
      (if .[2] == "-" then {} else {versionInfo: .[2]} end)]),
  files: [$f[] | {
      fileName: ".\(.[0])", SPDXID: "SPDXRef-File\(.[0] | id)",
      checksums: [{algorithm: "SHA1", checksumValue: .[1]},
        {algorithm: "SHA256", checksumValue: .[2]}],
      licenseConcluded: (.[0] | terms), licenseInfoInFiles: ["NOASSERTION"],
      copyrightText: "NOASSERTION"}],
  relationships: ([{spdxElementId: "SPDXRef-DOCUMENT", relationshipType: "DESCRIBES",
      relatedSpdxElement: "SPDXRef-Package-dnabird"}] +
    [$d[] | {spdxElementId: "SPDXRef-Package-dnabird", relationshipType: "DYNAMIC_LINK",
      relatedSpdxElement: "SPDXRef-Package-\(.[1] | id)"}] +
    [$f[] | {spdxElementId: "SPDXRef-Package-dnabird", relationshipType: "CONTAINS",
      relatedSpdxElement: "SPDXRef-File\(.[0] | id)"}])
}'
