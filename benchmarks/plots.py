"""Draw the plots of README and docs: `python -m benchmarks.plots FIGURES.json docs/img`.

The same figures are printed as tables for the pages.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks import report
from benchmarks.discipline import NANOSECONDS, Comparison

# Tones between black and white, which stand out on a light page and on a dark one.
INK = "#7d8590"
TONES = {"stock": "#d9534f", "proposal": "#c98a1b", "interned": "#2f9e6e"}
LABELS = {"stock": "stock Orbax", "proposal": "proposal", "interned": "interned"}
# On which side of its line's end a label stands, since lines may end in one place.
SIDES = {"stock": "bottom", "proposal": "top", "interned": "center"}
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


def by_title(comparisons: Sequence[Comparison]) -> dict[str, list[Comparison]]:
    """Sort comparisons into curves, by what their titles say before the comma."""
    found: dict[str, list[Comparison]] = {}
    for comparison in comparisons:
        found.setdefault(comparison.title.partition(",")[0], []).append(comparison)
    return found


def curves(comparisons: Sequence[Comparison]) -> dict[str, list[float]]:
    """Collect the costs of each way that has a tone, in the order of the comparisons."""
    found: dict[str, list[float]] = {name: [] for name in TONES}
    for comparison in comparisons:
        found[comparison.ours].append(comparison.cost)
        for one in comparison.ratios:
            if one.peer in TONES:
                found[one.peer].append(one.peer_cost)
    return found


def main() -> None:
    """Read the figures and write the plots, with nothing in them that changes from run to run."""
    figures, folder = map(Path, sys.argv[1:])
    panels = by_title(report.load(figures)["orbax"])
    folder.mkdir(parents=True, exist_ok=True)
    with mpl.rc_context(STYLE):
        plot = orbax_metadata(panels)
        plot.savefig(folder / "orbax-metadata.svg", transparent=True, metadata={"Date": None})
    for title, comparisons in panels.items():
        print(f"{title}:\n\n{report.curve(comparisons, ['stock', 'proposal'])}\n")


if __name__ == "__main__":
    main()
