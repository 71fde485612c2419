# Data of the cases on `dataset rows`, sourced in their folders: a reference of
# 3,000 bp whose bases 1,000 to 2,000 are held out, and rows of 40 bp, some from
# it. SPDX-License-Identifier: MIT shellcheck shell=bash
awk 'BEGIN { srand(3); while (n++ < 3400)
    s = s substr("ACGT", 1 + int(rand() * 4), 1)
    print s }' >line
{
    echo '>chrZ'
    cut -c 1-3000 line | fold -w 61
} >r.fa
printf 'Z\t1000\t2000\n' >held.bed

# piece FROM LENGTH: bases of the reference, from 0
piece() {
    cut -c "$(($1 + 1))-$(($1 + $2))" line
}
turned() {
    piece "$@" | tr ACGT TGCA | rev
}
other() { # bases of no reference
    piece "$((3000 + $1))" "$2"
}
{
    echo sequence,label
    echo "$(other 0 40),1"               # stays
    echo "$(piece 100 40),0"             # stays: further away
    echo "$(other 40 5)$(piece 1500 35),0"   # 35 bp, not at the beginning
    echo "$(turned 1700 32)$(other 45 8),1"  # on the other strand
    echo "$(other 60 9)$(piece 1200 31),1"   # 31 bp: stays
    echo "$(piece 970 40),1"             # within the margin of 50
    echo "$(other 100 40),1"             # of the elements
    echo "$(other 200 40),1"             # different labels
} >a.csv
{
    echo sequence,label
    echo "$(other 0 40 | tr ACGT TGCA | rev),1" # there before, turned
    echo "$(other 200 40),0"             # different labels
    echo "$(other 160 40),0"             # stays
} >b.csv
printf '>e1 chr1\n%s\n' "$(other 90 60)" >e.fa
rows() {
    dnabird dataset rows --margin 50 -f r.fa --apart held=held.bed \
        --apart elements=e.fa --summary sum -o out.csv "$@"
}
