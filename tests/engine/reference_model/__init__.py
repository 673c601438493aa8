"""
Reference model of quota admission: a slow, simple implementation to test the engine against.

The model answers every question directly from two lists, running and pending workloads, by
Kueue's rules (spec 3 to 7). It has no indexes, groups or running totals. Each module
implements one layer and imports only earlier ones: `world` (the lists), `tree` (quota, spec 5),
`shares` (7.6), `candidates`, `classical` and `fair` (7), `flavors` (6), `nomination` (6.7),
`cycle` (4), `settle` (3 and the end of all cycles).

Where Kueue leaves a tie open, the model decides: entries of one cycle by submission
(`Workload.sequence`), sibling cohorts with equal shares by name.

Two rules that the product adds to Kueue's are fields of `World`, off by default:
`reserves_victim_quota` and `ends_loops`.
"""
