"""
A slow and obvious model of quota admission: the judge of the fast engine.

Every question is answered from two plain lists, who runs and who waits, straight
from Kueue's rules (spec 3 to 7). Nothing is indexed, grouped or counted ahead.
One module per layer, each reads only those before it: `world` (the lists), `tree`
(quota, spec 5), `shares` (7.6), `candidates`, `classical` and `fair` (7), `flavors`
(6), `nomination` (6.7), `cycle` (4), `settle` (3 and the end of all cycles).

Where upstream leaves a tie open, this model decides: entries of one cycle by
submission (`Workload.sequence`), sibling cohorts with equal shares by name.

Two rules of the product on top of Kueue's are switches of the `World`, off by
default: `keeps_capacity` and `ends_circles`.
"""
