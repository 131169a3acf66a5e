"""The matrix of a group: its rollouts by reward, its items by what hangs on them."""

from apps.studio.matrix.basis import Basis, choose_basis
from apps.studio.matrix.building import build_matrix
from apps.studio.matrix.flow import Flow, flow_without
from apps.studio.matrix.scene import Scene, scene_of
from apps.studio.matrix.table import Cell, Column, Matrix, Row

__all__ = [
    "Basis",
    "Cell",
    "Column",
    "Flow",
    "Matrix",
    "Row",
    "Scene",
    "build_matrix",
    "choose_basis",
    "flow_without",
    "scene_of",
]
