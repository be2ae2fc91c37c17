"""Draw the plots of README and docs: `python -m benchmarks.plots FIGURES.json docs/img`.

The same figures are printed as tables for the pages.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks import report
from benchmarks.discipline import NANOSECONDS, Comparison

# Tones between black and white, which stand out on a light page and on a dark one.
INK = "#7d8590"
OURS = "#2f9e6e"
TONES = {"stock": "#d9534f", "proposal": "#c98a1b", "interned": OURS}
WAYS = {
    "interned": OURS,
    "WeakValueDictionary": "#4a8fd9",
    "JAX's weak_value_interner": "#a371d6",
    "hashcons": "#c98a1b",
    "plain class": INK,
}
# The bar charts: which case of which group, and what the chart calls it.
BARS = (
    ("hits", "two fields", "Class of two fields"),
    ("callables", "hit", "Function of two arguments"),
)
LABELS = {"stock": "stock Orbax", "proposal": "proposal", "interned": "interned"}
# On which side of its line's end a label stands, since lines may end in one place.
SIDES = {"stock": "bottom", "proposal": "top", "interned": "center"}
SCALE = ("a living one, found", "a new one, kept", "a new one, dropped", "instance and entry")
STYLE = {
    "axes.facecolor": "none",
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "font.size": 11,
    "grid.alpha": 0.25,
    "grid.color": INK,
    "lines.linewidth": 2,
    "svg.hashsalt": "interned",
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
}


def orbax_metadata(panels: Mapping[str, Sequence[Comparison]]) -> Figure:
    """Draw what the metadata of one array costs against the size of its mesh."""
    figure = Figure(figsize=(9.6, 4.4), layout="constrained")
    every_axes = figure.subplots(1, len(panels), sharey=True)
    for axes, (title, comparisons) in zip(every_axes, panels.items(), strict=True):
        draw(axes, comparisons)
        axes.set_title(title.capitalize(), loc="left")
    every_axes[0].set_ylabel("µs for its sharding metadata")
    every_axes[0].set_ylim(1, 200_000)
    return figure


def draw(axes: Axes, comparisons: Sequence[Comparison]) -> None:
    """Draw the curves of one panel, each with its name and last cost at its end."""
    sizes = [comparison.at for comparison in comparisons]
    for name, costs in curves(comparisons).items():
        line = "--" if name == "proposal" else "-"
        axes.loglog(sizes, [cost / 1e3 for cost in costs], f"o{line}", color=TONES[name])
        axes.annotate(
            f"{LABELS[name]}\n{report.cost(costs[-1], NANOSECONDS)}",
            (sizes[-1], costs[-1] / 1e3),
            xytext=(9, 0),
            textcoords="offset points",
            va=SIDES[name],
            color=TONES[name],
        )
    axes.set_xticks(sizes, [f"{size:,}" for size in sizes])
    axes.yaxis.set_major_formatter("{x:,g}")
    axes.minorticks_off()
    axes.set_xlabel("devices in the mesh")
    axes.grid(visible=True)


def scale(panels: Mapping[str, Sequence[Comparison]]) -> Figure:
    """Draw what one operation, or one instance, costs among many."""
    figure = Figure(figsize=(9.6, 6.4), layout="constrained")
    every_axes = figure.subplots(2, 2, sharex=True).flat
    for axes, (title, comparisons) in zip(every_axes, panels.items(), strict=False):
        sizes = [comparison.at for comparison in comparisons]
        unit = comparisons[0].unit
        for name, costs in curves(comparisons, WAYS).items():
            shown = [cost / 1e3 if unit == NANOSECONDS else cost for cost in costs]
            axes.semilogx(sizes, shown, "o-", color=WAYS[name], label=name)
        axes.set_title(title.capitalize(), loc="left")
        axes.set_ylabel("µs" if unit == NANOSECONDS else "bytes")
        axes.set_ylim(bottom=0)
        axes.xaxis.set_major_formatter("{x:,.0f}")
        axes.minorticks_off()
        axes.grid(visible=True)
    every = figure.axes[0].get_legend_handles_labels()
    figure.legend(
        *every, loc="outside lower center", ncols=5, frameon=False, labelcolor="linecolor"
    )
    return figure


def hits(groups: Mapping[str, Sequence[Comparison]]) -> Figure:
    """Draw what a hit costs, for each way that was measured."""
    figure = Figure(figsize=(9.6, 3.6), layout="constrained")
    for axes, (group, case, title) in zip(figure.subplots(1, len(BARS)), BARS, strict=True):
        (comparison,) = (one for one in groups[group] if one.title == case)
        costs = {one.peer: one.peer_cost for one in comparison.ratios}
        costs[comparison.ours] = comparison.cost
        names = sorted(costs, key=costs.__getitem__, reverse=True)
        tones = [OURS if name == comparison.ours else INK for name in names]
        bars = axes.barh(names, [costs[name] for name in names], color=tones)
        labels = [report.cost(costs[name], NANOSECONDS) for name in names]
        axes.bar_label(bars, labels, padding=4, color=INK)
        axes.set_title(title, loc="left")
        axes.set_xticks([])
        axes.spines["bottom"].set_visible(False)
        axes.margins(x=0.2)
    return figure


def by_title(comparisons: Sequence[Comparison], end: str) -> dict[str, list[Comparison]]:
    """Sort comparisons into curves, by what their titles say before `end`."""
    found: dict[str, list[Comparison]] = {}
    for comparison in comparisons:
        if comparison.at is not None:
            found.setdefault(comparison.title.partition(end)[0], []).append(comparison)
    return found


def curves(
    comparisons: Sequence[Comparison], tones: Mapping[str, str] = TONES
) -> dict[str, list[float]]:
    """Collect the costs of each way that has a tone, in the order of the comparisons."""
    found: dict[str, list[float]] = {}
    for comparison in comparisons:
        costs = {comparison.ours: comparison.cost}
        costs |= {one.peer: one.peer_cost for one in comparison.ratios}
        for name in tones:
            if name in costs:
                found.setdefault(name, []).append(costs[name])
    return found


def main() -> None:
    """Read the figures and write the plots that can be drawn of them.

    Nothing in a plot changes from run to run but the figures.
    """
    figures, folder = map(Path, sys.argv[1:])
    groups = report.load(figures)
    folder.mkdir(parents=True, exist_ok=True)
    with mpl.rc_context(STYLE):
        for name, plot in plots(groups):
            path = folder / f"{name}.svg"
            plot.savefig(path, transparent=True, metadata={"Date": None})
    for title, comparisons in by_title(groups.get("orbax", ()), ",").items():
        print(f"{title}:\n\n{report.curve(comparisons, ['stock', 'proposal'])}\n")


def plots(groups: Mapping[str, Sequence[Comparison]]) -> Iterator[tuple[str, Figure]]:
    """Yield the plots for which there are figures, by name."""
    if "orbax" in groups:
        yield "orbax-metadata", orbax_metadata(by_title(groups["orbax"], ","))
    if "scale" in groups:
        panels = by_title(groups["scale"], ":")
        yield "scale", scale({title: panels[title] for title in SCALE})
    if {group for group, _, _ in BARS} <= groups.keys():
        yield "hits", hits(groups)


if __name__ == "__main__":
    main()
