"""What others write through this app: the trail, its seals, jobs, their upkeep, workers, drafts."""

from apps.activity.services.beating import Beating
from apps.activity.services.drafts import drop_draft, save_draft
from apps.activity.services.jobs import (
    beat,
    cancel_job,
    create_job,
    fail_job,
    finish_job,
    pause_job,
    release_job,
    resume_job,
    start_job,
)
from apps.activity.services.seals import seal_trail
from apps.activity.services.steering import continue_job, repeat_job, stop_job
from apps.activity.services.trail import record
from apps.activity.services.upkeep import claim_overdue_jobs, release_lost_jobs
from apps.activity.services.workers import (
    forget_silent_workers,
    note_worker,
    remove_worker,
)

__all__ = [
    "Beating",
    "beat",
    "cancel_job",
    "claim_overdue_jobs",
    "continue_job",
    "create_job",
    "drop_draft",
    "fail_job",
    "finish_job",
    "forget_silent_workers",
    "note_worker",
    "pause_job",
    "record",
    "release_job",
    "release_lost_jobs",
    "remove_worker",
    "repeat_job",
    "resume_job",
    "save_draft",
    "seal_trail",
    "start_job",
    "stop_job",
]
