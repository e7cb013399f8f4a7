#!/usr/bin/env python3
"""Draws text with ANSI colours as an SVG picture of a terminal: ansi2svg.py [--title TEXT] < text > picture.svg

Texts with a form feed between them become one picture that moves, --seconds each, again and again."""
import argparse
import html
import re
import sys

COLORS = {31: "#ff7b72", 32: "#56d364", 33: "#e3b341", 36: "#79c0ff"}
INK, DIM, PAPER, BAR = "#e6edf3", "#7d8590", "#0d1117", "#161b22"
CELL, LINE, MARGIN, TITLE = 8.4, 19, 18, 38  # pixels; the font is 14px
FONT = "DejaVu Sans Mono, ui-monospace, SFMono-Regular, Menlo, Consolas, monospace"


def runs(line):
    """(column, text, colour, bold) for each stretch of one look."""
    column, color, bold = 0, INK, False
    for part in re.split(r"(\x1b\[[0-9;]*m)", line):
        if part.startswith("\x1b"):
            for code in (int(c or 0) for c in part[2:-1].split(";")):
                if code == 0:
                    color, bold = INK, False
                elif code == 1:
                    bold = True
                elif code == 2:
                    color = DIM
                elif code in COLORS:
                    color = COLORS[code]
        elif part:
            yield column, part, color, bold
            column += len(part)


def width_of(line):
    return len(re.sub(r"\x1b\[[0-9;]*m", "", line))


def draw(lines, out):
    for row, line in enumerate(lines):
        y = TITLE + MARGIN + row * LINE + 13
        for column, text, color, bold in runs(line):
            weight = ' font-weight="bold"' if bold else ""
            # Each stretch between wide gaps stands at its own place, so that columns align in any font.
            for part in re.finditer(r"\S+(?: \S+)*", text):
                x, length = MARGIN + (column + part.start()) * CELL, len(part[0]) * CELL
                out.append(f'<text x="{x:.1f}" y="{y}" textLength="{length:.1f}" lengthAdjust="spacingAndGlyphs" '
                           f'fill="{color}"{weight}>{html.escape(part[0])}</text>')


def movement(frames, seconds):
    """Each frame is seen in its turn; who wants no movement sees the last one."""
    share = 100 / frames
    rules = [f"@keyframes f{{0%,{share:.3f}%{{visibility:visible}}{share + 0.001:.3f}%,100%{{visibility:hidden}}}}",
             f".f{{visibility:hidden;animation:f {frames * seconds:g}s step-end infinite}}"]
    rules += [f".f{i}{{animation-delay:{i * seconds:g}s}}" for i in range(frames)]
    rules.append(f"@media (prefers-reduced-motion){{.f{{animation:none}}.f{frames - 1}{{visibility:visible}}}}")
    return "<style>" + "".join(rules) + "</style>"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--title", default="")
    parser.add_argument("--seconds", type=float, default=1.5)
    args = parser.parse_args()
    title = args.title
    frames = [text.rstrip("\n").split("\n") for text in sys.stdin.read().split("\f")]
    columns = max(width_of(line) for lines in frames for line in lines)
    width, height = round(columns * CELL + 2 * MARGIN), max(map(len, frames)) * LINE + TITLE + 2 * MARGIN
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img">',
           f"<title>{html.escape(title)}</title>",
           f'<rect width="{width}" height="{height}" rx="10" fill="{PAPER}"/>',
           f'<path d="M0 {TITLE}V10A10 10 0 0 1 10 0H{width - 10}A10 10 0 0 1 {width} 10V{TITLE}Z" fill="{BAR}"/>']
    for i, color in enumerate(("#ff5f57", "#febc2e", "#28c840")):
        out.append(f'<circle cx="{20 + 20 * i}" cy="{TITLE // 2}" r="6" fill="{color}"/>')
    if len(frames) > 1:
        out.append(movement(len(frames), args.seconds))
    out.append(f'<g font-family="{FONT}" font-size="14">')
    out.append(f'<text x="{width // 2}" y="{TITLE // 2 + 5}" fill="{DIM}" text-anchor="middle">{html.escape(title)}</text>')
    for i, lines in enumerate(frames):
        if len(frames) > 1:
            out.append(f'<g class="f f{i}">')
        draw(lines, out)
        if len(frames) > 1:
            out.append("</g>")
    out.append("</g>\n</svg>")
    print("\n".join(out))


if __name__ == "__main__":
    main()
