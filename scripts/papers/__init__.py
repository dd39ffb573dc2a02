"""The facts that five papers state, each beside what the program gives; run by scripts/comparisons.py."""
