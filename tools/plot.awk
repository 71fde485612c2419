# Functions for pictures as SVG, of tools/plot_*.sh, which put them before their program.
# SPDX-License-Identifier: MIT
#
# x and y are pixels from the upper left corner, as numbers or formatted.

# The head of a picture; END prints "</svg>".
function picture(width, height, title) {
    print "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" width "\" height=\"" height "\" font-family=\"sans-serif\" font-size=\"12\">"
    print "<title>" title "</title>"
    print "<rect width=\"" width "\" height=\"" height "\" fill=\"white\"/>"
}

# One decimal, as points of a path have.
function px(v) { return sprintf("%.1f", v) }

# A path with one more point.
function further(path, x, y) { return path (path == "" ? "M" : "L") px(x) " " px(y) }

# A text of which x is the `start`, `middle` or `end`.
function words(x, y, anchor, s) {
    print "<text x=\"" x "\" y=\"" y "\" text-anchor=\"" anchor "\">" s "</text>"
}

# A text that is read upwards, for the vertical axis.
function upwards(x, y, s) {
    print "<text x=\"" x "\" y=\"" y "\" text-anchor=\"middle\" transform=\"rotate(-90 " x " " y ")\">" s "</text>"
}

# A text in the colour of its line.
function label(x, y, color, s) {
    print "<text x=\"" x "\" y=\"" y "\" fill=\"" color "\">" s "</text>"
}

function grid(path) { print "<path d=\"" path "\" stroke=\"#ddd\"/>" }

# A line of data; MORE are attributes, with a space before each.
function curve(path, color, more) {
    print "<path d=\"" path "\" fill=\"none\" stroke=\"" color "\"" more "/>"
}

function dot(x, y, color) {
    print "<circle cx=\"" px(x) "\" cy=\"" px(y) "\" r=\"3\" fill=\"" color "\"/>"
}
