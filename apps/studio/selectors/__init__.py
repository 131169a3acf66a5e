"""Reads over several steps."""

from apps.studio.selectors.audit import (
    SealState,
    by_actor,
    by_day,
    by_thing,
    changes_of,
    seal_over,
    seal_state,
)
from apps.studio.selectors.contents import (
    Counted,
    arrivals,
    contents_of,
    copies_of,
    projects_there,
)
from apps.studio.selectors.flow import Act, Cell, flow_of, next_act
from apps.studio.selectors.jobs import JUDGE, REPEATED, JobLine, job_lines
from apps.studio.selectors.jumping import Found, numbered, projects_named, prompts_with
from apps.studio.selectors.projects import ProjectLine, project_lines
from apps.studio.selectors.since import Since, changed_since, last_bundle
from apps.studio.selectors.steps import Standing, Step, count_open_jobs, standing, step_label
from apps.studio.selectors.things import Thing, things
from apps.studio.selectors.trail import Happening, events_of, recent_days, told
from apps.studio.selectors.waiting import Waiting, waiting_for

__all__ = [
    "JUDGE",
    "REPEATED",
    "Act",
    "Cell",
    "Counted",
    "Found",
    "Happening",
    "JobLine",
    "ProjectLine",
    "SealState",
    "Since",
    "Standing",
    "Step",
    "Thing",
    "Waiting",
    "arrivals",
    "by_actor",
    "by_day",
    "by_thing",
    "changed_since",
    "changes_of",
    "contents_of",
    "copies_of",
    "count_open_jobs",
    "events_of",
    "flow_of",
    "job_lines",
    "last_bundle",
    "next_act",
    "numbered",
    "project_lines",
    "projects_named",
    "projects_there",
    "prompts_with",
    "recent_days",
    "seal_over",
    "seal_state",
    "standing",
    "step_label",
    "things",
    "told",
    "waiting_for",
]
