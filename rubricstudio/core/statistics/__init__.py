"""Statistics that say what they stand on: agreement, preferences, ranks, intervals.

Pure functions. A figure that is undefined carries its reason and is never 0, 1 or not a number.
"""

from rubricstudio.core.statistics.agreement import (
    Weighting,
    cohen_kappa,
    fleiss_kappa,
    gwet_ac1,
    half_credit_agreement,
    percent_agreement,
    weighted_kappa,
)
from rubricstudio.core.statistics.best_of import RankedGroup, best_of_n, best_of_n_curve
from rubricstudio.core.statistics.consistency import self_consistency, sign_flips
from rubricstudio.core.statistics.figures import Figure, undefined
from rubricstudio.core.statistics.intervals import (
    Interval,
    benjamini_hochberg,
    cluster_bootstrap,
    ratio_bootstrap,
    sign_test,
    wilson,
)
from rubricstudio.core.statistics.krippendorff import ScaleLevel, krippendorff_alpha
from rubricstudio.core.statistics.preferences import (
    OrderRule,
    PositionBias,
    Preference,
    PreferenceCounts,
    count_preferences,
    majority,
    position_bias,
    preference_of,
)
from rubricstudio.core.statistics.ranks import (
    average_ranks,
    kendall_tau,
    spearman_rho,
    within_groups,
)

__all__ = [
    "Figure",
    "Interval",
    "OrderRule",
    "PositionBias",
    "Preference",
    "PreferenceCounts",
    "RankedGroup",
    "ScaleLevel",
    "Weighting",
    "average_ranks",
    "benjamini_hochberg",
    "best_of_n",
    "best_of_n_curve",
    "cluster_bootstrap",
    "cohen_kappa",
    "count_preferences",
    "fleiss_kappa",
    "gwet_ac1",
    "half_credit_agreement",
    "kendall_tau",
    "krippendorff_alpha",
    "majority",
    "percent_agreement",
    "position_bias",
    "preference_of",
    "ratio_bootstrap",
    "self_consistency",
    "sign_flips",
    "sign_test",
    "spearman_rho",
    "undefined",
    "weighted_kappa",
    "wilson",
    "within_groups",
]
