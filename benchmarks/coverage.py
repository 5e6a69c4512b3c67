"""How often intervals hold the true value, by simulation: those of pass rates with repeated cases, and of kappa.

A 95 % interval should hold it in 95 % of the rounds. Prints Markdown tables.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Callable, Iterator

from proctor.statistics.cluster import cluster_interval
from proctor.statistics.kappa import cohen_kappa, kappa_interval
from proctor.statistics.wilson import wilson

Cases = list[tuple[int, int]]
Interval = tuple[float, float]

SETUPS = ((20, 5, 0.5), (20, 10, 0.8), (10, 10, 0.6), (50, 3, 0.5), (20, 5, 0.0), (200, 3, 0.5))
"""Cases, trials of a case, and the correlation of its trials."""

RATES = (0.5, 0.7, 0.8, 0.9, 0.95, 0.99)

JUDGES = tuple(
    (rows, prevalence, right) for rows in (20, 50, 200) for prevalence in (0.5, 0.8) for right in (0.8, 0.9, 0.97)
)
"""Rows, the share of them that people pass, and the share of each class that the judge gets right."""


def drawn_cases(source: random.Random, cases: int, trials: int, correlation: float, rate: float) -> Cases:
    """Beta-binomial cases."""
    spread = (1 - correlation) / correlation if correlation else 0.0
    chances = [source.betavariate(rate * spread, (1 - rate) * spread) if spread else rate for _ in range(cases)]
    return [(sum(source.random() < chance for _ in range(trials)), trials) for chance in chances]


def pooled(cases: Cases) -> Interval:
    """Wilson's interval of the rows, as if they were independent."""
    return wilson(sum(passes for passes, _ in cases), sum(rows for _, rows in cases))


def coverage(samples: list[Cases], rate: float, interval: Callable[[Cases], Interval]) -> tuple[float, float]:
    """The share of intervals that hold the rate, and their mean width."""
    ends = [interval(sample) for sample in samples]
    held = sum(low <= rate <= high for low, high in ends)
    return held / len(ends), sum(high - low for low, high in ends) / len(ends)


def cluster_rows(source: random.Random, rounds: int) -> Iterator[str]:
    yield "| cases × trials | correlation | rate | Wilson holds | width | cluster-aware holds | width |"
    yield "|---|---|---|---|---|---|---|"
    for cases, trials, correlation in SETUPS:
        for rate in RATES:
            samples = [drawn_cases(source, cases, trials, correlation, rate) for _ in range(rounds)]
            plain, plain_width = coverage(samples, rate, pooled)
            aware, aware_width = coverage(samples, rate, cluster_interval)
            yield (
                f"| {cases} × {trials} | {correlation} | {rate} | {plain:.1%} | {plain_width:.3f}"
                f" | {aware:.1%} | {aware_width:.3f} |"
            )


def kappa_rows(source: random.Random, rounds: int) -> Iterator[str]:
    yield "| rows | passed by people | judge is right | kappa | undefined | holds | width |"
    yield "|---|---|---|---|---|---|---|"
    for rows, prevalence, right in JUDGES:
        shares = (
            prevalence * right,
            (1 - prevalence) * (1 - right),
            (1 - prevalence) * right,
            prevalence * (1 - right),
        )
        true = cohen_kappa(*(round(share * 10**9) for share in shares))
        assert true is not None
        tables = (Counter(source.choices(range(4), shares, k=rows)) for _ in range(rounds))
        found = [kappa_interval(table[0], table[1], table[2], table[3]) for table in tables]
        ends = [interval for interval in found if interval is not None]
        held = sum(low <= true <= high for low, high in ends) / len(ends)
        width = sum(high - low for low, high in ends) / len(ends)
        undefined = 1 - len(ends) / rounds
        yield f"| {rows} | {prevalence} | {right} | {true:.2f} | {undefined:.1%} | {held:.1%} | {width:.2f} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=4_000, help="simulated data sets for each row of a table")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    source = random.Random(options.seed)
    print(*cluster_rows(source, options.rounds), sep="\n", end="\n\n")
    print(*kappa_rows(source, options.rounds), sep="\n")


if __name__ == "__main__":
    main()
