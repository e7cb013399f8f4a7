#!/usr/bin/env python3
"""draw_pressure.py CALM.jsonl SQUEEZED.jsonl > PICTURE.svg: two runs beside each other, as pressure_test.py recorded them. Above, the pressure of
the protected pods of the survivors; below, memcached's p99 second by second, on a logarithmic scale; phases as stripes.
"""

import json
import math
import sys

WIDTH, LEFT, TOP, HIGH, GAP = 420, 52, 54, 130, 34
PHASES = {"Validating": "#eef2f7", "Protecting": "#e3eaf3", "Cordoning": "#e3eaf3", "Draining": "#cfe0f5", "Settling": "#e3f0e3",
          "AwaitingReap": "#f1f6ea", "Succeeded": "#f7f7f7", "Aborting": "#f8dcd6", "RolledBack": "#fbeeea"}
LOW, TOP_MS = 0.1, 1000  # of the logarithmic scale, ms


def text(x, y, words, size=11, anchor="start", colour="#333", more=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" fill="{colour}"{more}>{words}</text>'


def line(points, colour):
    return f'<polyline fill="none" stroke="{colour}" stroke-width="1.5" points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in points)}"/>'


def panel(lines, title, x0):
    end = max(one["seconds"] for one in lines)
    at = lambda seconds: x0 + max(0, seconds) / end * WIDTH  # noqa: E731
    share = lambda value: TOP + HIGH - min(1, value) * HIGH  # noqa: E731
    bottom = TOP + HIGH + GAP

    def slow(ms):
        part = (math.log10(max(ms, LOW)) - math.log10(LOW)) / (math.log10(TOP_MS) - math.log10(LOW))
        return bottom + HIGH - min(1, part) * HIGH
    out = [text(x0, 20, title, 13, more=' font-weight="600"')]
    steps = [one for one in lines if "phase" in one]
    for step, following in zip(steps, steps[1:] + [{"seconds": end}]):
        colour, wide = PHASES.get(step["phase"], "#fff"), at(following["seconds"]) - at(step["seconds"])
        for top in (TOP, bottom):
            out.append(f'<rect x="{at(step["seconds"]):.1f}" y="{top}" width="{max(wide, 0.5):.1f}" height="{HIGH}" fill="{colour}"/>')
    known = None
    for step in steps:
        if step["phase"] != known and step["phase"] in ("Draining", "Settling", "AwaitingReap", "Aborting", "RolledBack", "Succeeded"):
            known = step["phase"]
            out.append(text(at(step["seconds"]) + 2, TOP - 4, known, 8, colour="#567", more=f' transform="rotate(-18 {at(step["seconds"]) + 2:.1f} {TOP - 4})"'))
    for value in (0, 0.2, 0.5, 1):
        out.append(f'<line x1="{x0}" x2="{x0 + WIDTH}" y1="{share(value):.1f}" y2="{share(value):.1f}" stroke="#ccc" stroke-width="0.5"/>')
        out.append(text(x0 - 6, share(value) + 4, f"{value:g}", 10, "end", "#666"))
    for value in (0.1, 1, 10, 100, 1000):
        out.append(f'<line x1="{x0}" x2="{x0 + WIDTH}" y1="{slow(value):.1f}" y2="{slow(value):.1f}" stroke="#ccc" stroke-width="0.5"/>')
        out.append(text(x0 - 6, slow(value) + 4, f"{value:g}", 10, "end", "#666"))
    for name, colour in (("cpu60", "#8fb3dd"), ("cpu10", "#1f5fa8")):
        points = [(at(step["seconds"]), share(max(p[name] for p in step["survivors"].values() if name in p)))
                  for step in steps if any(name in p for p in step["survivors"].values())]
        if points:
            out.append(line(points, colour))
    out.append(line([(at(one["seconds"]), slow(one["memcached"]["p99ms"])) for one in lines if "memcached" in one], "#a3471f"))
    for one in lines:
        if "mark" in one:
            out.append(f'<line x1="{at(one["seconds"]):.1f}" x2="{at(one["seconds"]):.1f}" y1="{TOP}" y2="{bottom + HIGH}" stroke="#c00" stroke-dasharray="3 2"/>')
            out.append(text(at(one["seconds"]) + 3, bottom - 6 - (11 if "trips" in one["mark"] else 0), f'{one["mark"]} ({one["seconds"]:.0f} s)', 10, colour="#c00"))
    for seconds in range(0, int(end) + 1, 20 if end < 200 else 60):
        out.append(text(at(seconds), bottom + HIGH + 14, f"{seconds} s", 10, "middle", "#666"))
    return out


def main():
    runs = [[json.loads(one) for one in open(path)] for path in sys.argv[1:3]]
    wide, high = LEFT * 3 + WIDTH * 2, TOP + HIGH * 2 + GAP + 46
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" font-family="system-ui, sans-serif">',
           f'<rect width="{wide}" height="{high}" fill="#fff"/>']
    for i, title in enumerate(("A calm run", "A hog in the middle of the drain")):
        out += panel(runs[i], title, LEFT + i * (WIDTH + LEFT + 20))
    out.append(text(8, high - 8, "above: CPU pressure of the survivors' protected pods, share of time, over 10 s (dark) and 60 s (light); below: memcached's p99, ms", 11))
    print("\n".join(out + ["</svg>"]))


if __name__ == "__main__":
    main()
