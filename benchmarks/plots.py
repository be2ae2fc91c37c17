"""Draw the plots of README and docs: `python -m benchmarks.plots FIGURES.json docs/img`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure

from benchmarks import report
from benchmarks.discipline import NANOSECONDS, Comparison

# Tones between black and white, which stand out on a light page and on a dark one.
INK = "#7d8590"
TONES = {"stock": "#d9534f", "proposal": "#c98a1b", "interned": "#2f9e6e"}
LABELS = {"stock": "stock Orbax", "proposal": "proposed change", "interned": "interned"}
STYLE = {
    "axes.facecolor": "none",
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "font.size": 11,
    "grid.alpha": 0.25,
    "grid.color": INK,
    "svg.hashsalt": "interned",
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
}


def orbax_metadata(comparisons: Sequence[Comparison]) -> Figure:
    """Draw the cost of one array's metadata against the size of its mesh."""
    figure = Figure(figsize=(7.2, 4.2), layout="constrained")
    axes = figure.add_subplot()
    sizes = [comparison.at for comparison in comparisons]
    for name, costs in curves(comparisons).items():
        axes.loglog(sizes, [cost / 1e3 for cost in costs], "o-", color=TONES[name], linewidth=2)
        axes.annotate(
            f"{LABELS[name]}\n{report.cost(costs[-1], NANOSECONDS)}",
            (sizes[-1], costs[-1] / 1e3),
            xytext=(10, 0),
            textcoords="offset points",
            va="center",
            color=TONES[name],
        )
    axes.set_xticks(sizes, [f"{size:,}" for size in sizes])
    axes.yaxis.set_major_formatter("{x:,g}")
    axes.set_ylim(bottom=1)
    axes.minorticks_off()
    axes.set_xlabel("devices in the mesh")
    axes.set_ylabel("µs per array saved")
    axes.set_title("Sharding metadata of one array", loc="left")
    axes.grid(visible=True)
    return figure


def curves(comparisons: Sequence[Comparison]) -> dict[str, list[float]]:
    """Collect the costs of each way, in the order of the comparisons."""
    found: dict[str, list[float]] = {}
    for comparison in comparisons:
        found.setdefault(comparison.ours, []).append(comparison.cost)
        for one in comparison.ratios:
            found.setdefault(one.peer, []).append(one.peer_cost)
    return found


def main() -> None:
    """Read the figures and write the plots, with nothing in them that changes from run to run."""
    figures, folder = map(Path, sys.argv[1:])
    groups = report.load(figures)
    folder.mkdir(parents=True, exist_ok=True)
    with mpl.rc_context(STYLE):
        plot = orbax_metadata(groups["orbax"])
        plot.savefig(folder / "orbax-metadata.svg", transparent=True, metadata={"Date": None})


if __name__ == "__main__":
    main()
