"""Errors of long motions against the processor time that they cost: table and figure. Used by benches/peers.py.

Every method runs a motion from several starts, whose first joint differs by a microradian: the motion of the chain is
chaotic, and one of its runs meets faster foldings than another. Processor times and energy errors are medians.
"""

import math
import statistics

# Of each motion: title, unit of its energy, curves. A curve of Carom has the order, the tolerance of its residuals and its
# steps in ms; one of MuJoCo its steps; one of Pinocchio its tolerances.
MOTIONS = {
    "chain": {
        "title": "4-link chain, 100 s",
        "unit": "m g L of one link",
        "carom": [
            (2, 1e-10, [4, 2, 1, 0.5, 0.25]),
            (4, 1e-10, [4, 2, 1, 0.5]),
            (6, 1e-11, [5, 4, 2.5, 2, 5 / 3]),
            (6, 1e-12, [4, 2.5, 2]),
            (8, 1e-11, [5, 4, 10 / 3, 2.5]),
            (8, 1e-12, [5, 4, 2.5, 2]),
        ],
        "mujoco": [4, 2, 1, 0.5],
        "pinocchio": [1e-6, 1e-8, 1e-10, 1e-12],
    },
    "hexapod": {
        "title": "weightless six-legged robot, 100 s",
        "unit": "the kinetic energy",
        "carom": [
            (2, 1e-10, [5, 2, 1, 0.5]),
            (4, 1e-10, [20, 10, 5, 2]),
            (6, 1e-12, [20, 10, 5]),
            (8, 1e-12, [20, 10, 5]),
        ],
        "mujoco": [10, 5, 2, 1],
        "pinocchio": [1e-6, 1e-8, 1e-10, 1e-12],
    },
}
# Tolerance of the error-controlled method whose configuration the others are compared with.
REFERENCE = 1e-14
STARTS = 5
OFFSET = 1e-6


def configuration_error(q, reference):
    """The largest difference of a joint angle or of the attitude in rad."""
    if len(q) == 4:
        return max(abs(a - b) for a, b in zip(q, reference))
    attitude, expected = q[3:7], reference[3:7]
    sign = math.copysign(1.0, sum(a * b for a, b in zip(attitude, expected)))
    turned = 2 * math.sqrt(sum((sign * a - b) ** 2 for a, b in zip(attitude, expected)))
    return max(turned, *(abs(a - b) for a, b in zip(q[7:], reference[7:])))


def measure(motion, run, ours, driver, mujoco):
    """Rows of one motion; `run` calls a program and returns the JSON objects that it prints."""
    plan = MOTIONS[motion]
    ours, driver, mujoco = ([*command, "precision", motion] for command in (ours, driver, mujoco))
    (reference,) = run([*driver, 0, REFERENCE])
    curves = []
    for order, tolerance, steps in plan["carom"]:
        method = f"Carom order {order}, residual {tolerance:g}"
        curves += [(method, f"{step:.3g} ms", ours, [order, step / 1e3, tolerance]) for step in steps]
    curves += [("MuJoCo RK4", f"{step:g} ms", mujoco, [step / 1e3]) for step in plan["mujoco"]]
    method = "Dormand-Prince 5(4) on Pinocchio"
    curves += [(method, f"tolerance {tolerance:g}", driver, [tolerance]) for tolerance in plan["pinocchio"]]
    rows = []
    for method, setting, command, numbers in curves:
        runs = [line for k in range(STARTS) for line in run([*command, k * OFFSET, *numbers])]
        largest = [line["largest"] for line in runs]
        rows.append({
            "motion": motion,
            "method": method,
            "setting": setting,
            "processor_s": statistics.median(line["processor_s"] for line in runs),
            "energy_error": statistics.median(largest),
            "worst_energy_error": max(largest),
            "late_mean": statistics.median(abs(line["late_mean"]) for line in runs),
            "configuration_error": configuration_error(runs[0]["configuration"], reference["configuration"]),
        })
    return rows


def print_table(motion, rows):
    plan = MOTIONS[motion]
    print(f"\n{plan['title']}: energy errors as a share of {plan['unit']}, configuration after 2 s\n")
    columns = [
        "method", "step or tolerance", "processor time, s", "largest energy error: median, worst of the starts",
        "mean error of the last 10 s", "configuration error, rad",
    ]
    print(f"| {' | '.join(columns)} |")
    print("|---" * len(columns) + "|")
    for r in rows:
        errors = f"{r['energy_error']:.1e}, {r['worst_energy_error']:.1e} | {r['late_mean']:.1e}"
        print(f"| {r['method']} | {r['setting']} | {r['processor_s']:.3f} | {errors} | {r['configuration_error']:.1e} |")


# Told apart by people with any colour vision, and by shape; what each becomes on a dark page.
STYLES = {
    "Carom order 2, residual 1e-10": ("#56B4E9", "circle", False),
    "Carom order 4, residual 1e-10": ("#0072B2", "square", False),
    "Carom order 6, residual 1e-11": ("#009E73", "triangle", True),
    "Carom order 6, residual 1e-12": ("#009E73", "triangle", False),
    "Carom order 8, residual 1e-11": ("#D55E00", "diamond", True),
    "Carom order 8, residual 1e-12": ("#D55E00", "diamond", False),
    "MuJoCo RK4": ("#000000", "plus", False),
    "Dormand-Prince 5(4) on Pinocchio": ("#CC79A7", "cross", False),
}
ON_DARK = {
    "#FFFFFF": "#13161A", "#000000": "#E9ECEF", "#0072B2": "#56B4E9", "#56B4E9": "#F0E442", "#009E73": "#2BBF93",
    "#D55E00": "#F07B3F", "#CC79A7": "#DE9AC0", "#808080": "#9AA0A6", "#E0E0E0": "#33383D",
}
PANEL = (360, 250)
MARGIN = (70, 96, 24, 56)


def marker(shape, x, y, colour, hollow):
    fill = "#FFFFFF" if hollow else colour
    paint = f'fill="{fill}" stroke="{colour}" stroke-width="1.5"'
    if shape == "circle":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" {paint}/>'
    if shape == "square":
        return f'<rect x="{x - 3.5:.1f}" y="{y - 3.5:.1f}" width="7" height="7" {paint}/>'
    if shape in ("triangle", "diamond"):
        corners = [(0, -5), (4.5, 4), (-4.5, 4)] if shape == "triangle" else [(0, -5), (5, 0), (0, 5), (-5, 0)]
        points = " ".join(f"{x + dx:.1f},{y + dy:.1f}" for dx, dy in corners)
        return f'<polygon points="{points}" {paint}/>'
    ends = [(4.5, 0), (0, 4.5)] if shape == "plus" else [(3.5, 3.5), (3.5, -3.5)]
    lines = "".join(f"M{x - dx:.1f} {y - dy:.1f}L{x + dx:.1f} {y + dy:.1f}" for dx, dy in ends)
    return f'<path d="{lines}" fill="none" stroke="{colour}" stroke-width="2"/>'


def decades(values):
    """Powers of ten around positive values."""
    return math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))


def text(x, y, words, anchor="middle", size=12, more=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" fill="#000000"{more}>{words}</text>'


def panel(left, top, title, label, rows, key):
    """One plot of an error against processor time, both logarithmic."""
    width, height = PANEL
    (x0, x1), (y0, y1) = decades([r["processor_s"] for r in rows]), decades([r[key] for r in rows])
    place_x = lambda x: left + (math.log10(x) - x0) / (x1 - x0) * width
    place_y = lambda y: top + height - (math.log10(y) - y0) / (y1 - y0) * height
    parts = [text(left + width / 2, top - 10, title, size=13, more=' font-weight="bold"')]
    for k in range(x0, x1 + 1):
        x = place_x(10.0**k)
        parts.append(f'<path d="M{x:.1f} {top}V{top + height}" stroke="#E0E0E0"/>')
        parts.append(text(x, top + height + 16, f"{10.0**k:g}"))
    for k in range(y0, y1 + 1):
        y = place_y(10.0**k)
        parts.append(f'<path d="M{left} {y:.1f}H{left + width}" stroke="#E0E0E0"/>')
        if k % 2 == 0:
            parts.append(text(left - 6, y + 4, f"1e{k}", "end"))
    parts.append(f'<rect x="{left}" y="{top}" width="{width}" height="{height}" fill="none" stroke="#808080"/>')
    parts.append(text(left + width / 2, top + height + 34, "processor time, s"))
    middle = top + height / 2
    parts.append(text(left - 48, middle, label, more=f' transform="rotate(-90 {left - 48} {middle})"'))
    for method, (colour, shape, hollow) in STYLES.items():
        points = [(place_x(r["processor_s"]), place_y(r[key])) for r in rows if r["method"] == method]
        line = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
        dashes = ' stroke-dasharray="5 3"' if hollow else ""
        if points:
            parts.append(f'<path d="M{line}" fill="none" stroke="{colour}" stroke-width="1.5"{dashes}/>')
        parts.extend(marker(shape, x, y, colour, hollow) for x, y in points)
    return parts


def draw(rows, path):
    """Work-precision curves of all motions as an SVG picture."""
    left, top, right, between = MARGIN
    (width, height), motions = PANEL, list(MOTIONS)
    whole = (2 * (left + width) + right, top + len(motions) * (height + between + 12))
    parts = []
    for i, (method, (colour, shape, hollow)) in enumerate(STYLES.items()):
        x, y = left + 10 + (i % 3) * 270, 16 + (i // 3) * 20
        parts.append(f'<path d="M{x - 14} {y}H{x + 14}" stroke="{colour}" stroke-width="1.5"/>')
        parts += [marker(shape, x, y, colour, hollow), text(x + 20, y + 4, method, "start")]
    for i, motion in enumerate(motions):
        plan, own = MOTIONS[motion], [r for r in rows if r["motion"] == motion]
        y = top + i * (height + between + 12)
        parts += panel(left, y, plan["title"], "largest energy error", own, "energy_error")
        parts += panel(2 * left + width, y, "after 2 s of it", "configuration error, rad", own, "configuration_error")
    rules = "".join(
        f'[{what}="{light}"]{{{what}:{dark}}}\n' for light, dark in ON_DARK.items() for what in ("fill", "stroke")
    )
    path.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {whole[0]} {whole[1]}" font-family="sans-serif">\n'
        f"<title>Errors of long motions against processor time</title>\n"
        f"<style>\n@media (prefers-color-scheme: dark) {{\n{rules}}}\n</style>\n"
        f'<rect width="100%" height="100%" fill="#FFFFFF"/>\n' + "\n".join(parts) + "\n</svg>\n"
    )
