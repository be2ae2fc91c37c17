"""Profiles of Hypothesis, and which tests an environment without an extra leaves out."""

import os
from importlib.util import find_spec

# Tests that need a library which some environments do without, by file or folder.
NEEDS = {
    "laws": "hypothesis",
    "adapters/orbax": "orbax",
    "test_benchmarks.py": "rich",
    "test_guard.py": "rich",
    "test_testing.py": "hypothesis",
}

missing = {path: library for path, library in NEEDS.items() if find_spec(library) is None}
collect_ignore = list(missing)


def pytest_report_header():
    return [f"left out: {path} ({library} is not installed)" for path, library in missing.items()]


if "hypothesis" not in missing.values():
    from hypothesis import HealthCheck, settings

    slow = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
    settings.register_profile("dev", deadline=None)
    settings.register_profile("ci", derandomize=True, database=None, print_blob=True, **slow)
    settings.register_profile("long", max_examples=5_000, **slow)
    settings.load_profile(
        os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if "CI" in os.environ else "dev")
    )
