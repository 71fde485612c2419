/* Looks at a page from within, at the width of its frame, and tells its parent
 * what is wrong: texts that overlap, are cut or hardly to be read, a page that
 * is wider than the screen, what a screen reader would miss, tables that do
 * not sort. SPDX-License-Identifier: MIT */
'use strict';
addEventListener('load', function () {
    var bad = [], boxes = [], walk, buttons = 0;

    function all(what) { return Array.from(document.querySelectorAll(what)); }
    function say(what, of) {
        bad.push(what + ': ' + String(of).trim().slice(0, 90));
    }

    /* What of a box is to be seen: elements that scroll cut it. */
    function visible(b, node) {
        var r = {left: b.left, right: b.right, top: b.top, bottom: b.bottom};
        for (var e = node; e; e = e.parentElement) {
            var o = getComputedStyle(e).overflowX, c;
            if (o !== 'auto' && o !== 'hidden') continue;
            c = e.getBoundingClientRect();
            r.left = Math.max(r.left, c.left);
            r.right = Math.min(r.right, c.right);
            r.top = Math.max(r.top, c.top);
            r.bottom = Math.min(r.bottom, c.bottom);
        }
        return r.right - r.left > 0.5 && r.bottom - r.top > 0.5 ? r : null;
    }

    function rgb(s) {
        var m = s.match(/[\d.]+/g);
        return m ? m.map(Number) : null;
    }
    function light(c) {
        var l = c.slice(0, 3).map(function (v) {
            v /= 255;
            return v <= 0.03928 ? v / 12.92 : Math.pow((v + 0.055) / 1.055, 2.4);
        });
        return 0.2126 * l[0] + 0.7152 * l[1] + 0.0722 * l[2];
    }
    function ground(e) {
        for (; e; e = e.parentElement) {
            var c = rgb(getComputedStyle(e).backgroundColor);
            if (c && (c.length < 4 || c[3] > 0.9)) return c;
        }
        return [255, 255, 255];
    }
    /* WCAG 2.1, 1.4.3: contrast of 4.5 to 1 */
    function contrast(e) {
        var style = getComputedStyle(e), svg = e.closest('svg');
        var a = light(rgb(svg ? style.fill : style.color)), b = light(ground(e));
        return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    }

    all('details').forEach(function (d) { d.open = true; });
    walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) {
        var node = walk.currentNode, within = node.parentElement, range;
        if (!node.data.trim() || within.closest('title,script,style')) continue;
        range = document.createRange();
        range.selectNodeContents(node);
        Array.from(range.getClientRects()).forEach(function (b) {
            var seen = visible(b, within), svg = within.closest('svg'), s;
            if (svg) {
                s = svg.getBoundingClientRect();
                if (b.left < s.left - 3 || b.right > s.right + 3 ||
                    b.top < s.top - 3 || b.bottom > s.bottom + 3)
                    say('outside its picture', node.data);
            }
            if (seen && b.height > 0)
                boxes.push({r: seen, node: node});
        });
        if (contrast(within) < 4.5) say('contrast', node.data);
    }
    boxes.sort(function (x, y) { return x.r.top - y.r.top; });
    boxes.forEach(function (x, i) {
        for (var k = i + 1; k < boxes.length; k++) {
            var y = boxes[k];
            if (y.r.top > x.r.bottom - 3) break;
            if (x.node !== y.node &&
                Math.min(x.r.right, y.r.right) -
                        Math.max(x.r.left, y.r.left) > 1 &&
                Math.min(x.r.bottom, y.r.bottom) - y.r.top > 3)
                say('overlap', x.node.data + ' | ' + y.node.data);
        }
    });
    if (document.documentElement.scrollWidth > innerWidth)
        say('wider than the screen', document.documentElement.scrollWidth);

    if (all('h1').length !== 1) say('h1', all('h1').length);
    if (all('main').length !== 1) say('main', all('main').length);
    if (!document.documentElement.lang) say('no language', '');
    all('svg').forEach(function (s) {
        if (!s.getAttribute('aria-label') || s.getAttribute('role') !== 'img')
            say('a picture without a name', s.textContent);
    });
    all('th').forEach(function (t) {
        if (!t.scope) say('a head without scope', t.textContent);
    });
    all('[tabindex]').forEach(function (e) {
        if (!e.getAttribute('aria-label')) say('a stop without a name', e.className);
    });

    all('thead').forEach(function (h) {
        var body = h.parentNode.tBodies[0], heads = Array.from(h.rows[0].cells);
        if (!body) return;
        heads.forEach(function (th, i) {
            var b = th.querySelector('button'), last = Infinity, rows;
            buttons += !!b;
            if (!b) { say('a column that does not sort', th.textContent); return; }
            if (th.className !== 'n') return;
            rows = body.rows.length;
            b.click();
            if (th.getAttribute('aria-sort') !== 'descending' ||
                body.rows.length !== rows)
                say('not sorted', th.textContent);
            Array.from(body.rows).forEach(function (r) {
                var v = parseFloat(r.cells[i].textContent.replace(/,/g, ''));
                if (isNaN(v)) v = -Infinity;
                if (v > last) say('not in order', th.textContent + ' ' + v);
                last = v;
            });
        });
    });
    window.parent.postMessage({width: innerWidth, texts: boxes.length, buttons: buttons,
                        pictures: all('svg').length, bad: bad}, '*');
});
