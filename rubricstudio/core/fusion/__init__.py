"""Fusion rules on matrices of scores: the papers' methods and the baselines beside them.

``RULES`` names them all; :func:`fuse_rows` reads rows of JSON and gives one result for each.
"""

from rubricstudio.core.fusion.baselines import (
    Focal,
    Gated,
    Gdpo,
    Points,
    Rule,
    Uniform,
    WeightedSum,
    ZScore,
)
from rubricstudio.core.fusion.bucketed import Bucketed, length_penalty
from rubricstudio.core.fusion.gear import Gear, GearMode, tree_score
from rubricstudio.core.fusion.hybrid import MatrixHybrid
from rubricstudio.core.fusion.matrix import (
    Critical,
    Edge,
    Fused,
    PairScore,
    ScoreMatrix,
)
from rubricstudio.core.fusion.ordinal import FusionKind, Ordinal, PoolKind, gate
from rubricstudio.core.fusion.pairwise import (
    Judged,
    PairRule,
    Pairwise,
    RewardKind,
    both_orders,
    one_against_many,
    pair_score,
    subset_mean,
)
from rubricstudio.core.fusion.reading import RULES, fuse_rows, read_group, read_row, read_rule

__all__ = [
    "RULES",
    "Bucketed",
    "Critical",
    "Edge",
    "Focal",
    "Fused",
    "FusionKind",
    "Gated",
    "Gdpo",
    "Gear",
    "GearMode",
    "Judged",
    "MatrixHybrid",
    "Ordinal",
    "PairRule",
    "PairScore",
    "Pairwise",
    "Points",
    "PoolKind",
    "RewardKind",
    "Rule",
    "ScoreMatrix",
    "Uniform",
    "WeightedSum",
    "ZScore",
    "both_orders",
    "fuse_rows",
    "gate",
    "length_penalty",
    "one_against_many",
    "pair_score",
    "read_group",
    "read_row",
    "read_rule",
    "subset_mean",
    "tree_score",
]
