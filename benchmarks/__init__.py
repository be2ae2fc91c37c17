"""Benchmarks of `interned` against its peers: `python -m benchmarks --help`.

Each figure is a ratio of two things that were measured interleaved in one process; see
`benchmarks.discipline`. A group is a module with a function `comparisons(plan)`.
"""
