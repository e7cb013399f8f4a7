"""Plots of compare.py's rows as SVG, without packages: logarithmic both ways, one line for each engine and kind of cluster."""
import math

WIDTH, HEIGHT, MARGIN = 640, 360, 60
INK = {"tamp": "#1a7f37", "karpenter": "#9a6700"}
DASH = {"plain": "", "mixed": "6 3", "spot": "2 3", "tight": "9 3 2 3"}


def series(rows, engine, key):
    lines = {}
    for row in rows:
        if row["catalogue"] == "KWOK" and row[engine].get(key):
            lines.setdefault(row["kind"], []).append((row["nodes"], row[engine][key]))
    return {kind: sorted(points) for kind, points in lines.items()}


def chart(rows, key, title, unit):
    lines = {engine: series(rows, engine, key) for engine in INK}
    points = [p for by_kind in lines.values() for line in by_kind.values() for p in line]
    if not points:
        return None
    xs, ys = [math.log10(x) for x, _ in points], [math.log10(y) for _, y in points]
    left, right = min(xs), max(max(xs), min(xs) + 1)
    low, high = math.floor(min(ys)), math.ceil(max(ys)) or 1

    def at(x, y):
        return (MARGIN + (math.log10(x) - left) / (right - left) * (WIDTH - 2 * MARGIN - 60),
                HEIGHT - MARGIN - (math.log10(y) - low) / max(1, high - low) * (HEIGHT - 2 * MARGIN))
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" font-family="sans-serif" font-size="12">',
           f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>', f'<text x="{MARGIN}" y="28" font-size="15">{title}</text>']
    for power in range(low, high + 1):
        y = at(10 ** left, 10 ** power)[1]
        out.append(f'<line x1="{MARGIN}" x2="{WIDTH - MARGIN - 60}" y1="{y:.1f}" y2="{y:.1f}" stroke="#d0d7de"/>')
        out.append(f'<text x="{MARGIN - 6}" y="{y + 4:.1f}" text-anchor="end">{10.0 ** power:g} {unit}</text>')
    for nodes in sorted({n for n, _ in points}):
        x = at(nodes, 10 ** low)[0]
        out.append(f'<text x="{x:.1f}" y="{HEIGHT - MARGIN + 18}" text-anchor="middle">{nodes:,}</text>')
    out.append(f'<text x="{(WIDTH - 60) / 2}" y="{HEIGHT - 16}" text-anchor="middle">nodes</text>')
    for engine, by_kind in lines.items():
        for kind, line in by_kind.items():
            path = " ".join(f"{x:.1f},{y:.1f}" for x, y in (at(*p) for p in line))
            out.append(f'<polyline points="{path}" fill="none" stroke="{INK[engine]}" stroke-width="2" stroke-dasharray="{DASH[kind]}"/>')
            x, y = at(*line[-1])
            out.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" fill="{INK[engine]}"/>')
            out.append(f'<text x="{x + 5:.1f}" y="{y + 4:.1f}" fill="{INK[engine]}">{engine} {kind}</text>')
    return "\n".join(out + ["</svg>"]) + "\n"


def write(rows, directory):
    for name, key, title in (("verdict", "verdictMs", "One verdict on one node"), ("multi", "multiMs", "One search over several nodes")):
        if text := chart(rows, key, title, "ms"):
            (directory / f"{name}.svg").write_text(text)
