"""Words for what the code calls by keys: acts of the trail, kinds of jobs, causes, forms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from apps.studio.links import CONSTRAINT_DRAFT

# Shares nearer to 0 or 1 than this would be rounded to them.
LEAST_SHOWN = 0.0005

# What was done, with the thing in its place.
ACTS = {
    "bundle.frozen": gettext_lazy("froze {thing}"),
    "bundle.retracted": gettext_lazy("retracted {thing}"),
    "checker.quarantined": gettext_lazy("put into quarantine: {thing}"),
    "checker.released": gettext_lazy("let out of quarantine: {thing}"),
    "checks.started": gettext_lazy("ran the checkers: {thing}"),
    "demo.restored": gettext_lazy("restored the demo {thing}"),
    "endpoint.changed": gettext_lazy("changed the model endpoint {thing}"),
    "endpoint.created": gettext_lazy("entered the model endpoint {thing}"),
    "endpoint.switched_off": gettext_lazy("switched off the model endpoint {thing}"),
    "endpoint.switched_on": gettext_lazy("switched on the model endpoint {thing}"),
    "invitation.accepted": gettext_lazy("joined by an invitation"),
    "invitation.created": gettext_lazy("made an invitation"),
    "invitation.restored": gettext_lazy("took back revoking an invitation"),
    "invitation.revoked": gettext_lazy("revoked an invitation"),
    "job.cancelled": gettext_lazy("cancelled {thing}"),
    "job.repeated": gettext_lazy("asked again: {thing}"),
    "job.resumed": gettext_lazy("resumed {thing}"),
    "member.removed": gettext_lazy("removed {thing} from the members"),
    "member.role_granted": gettext_lazy("gave {thing} a role"),
    "member.role_revoked": gettext_lazy("took a role from {thing}"),
    "model_role.reset": gettext_lazy("let another model play a role again: {thing}"),
    "model_role.set": gettext_lazy("set who plays a role: {thing}"),
    "project.archived": gettext_lazy("archived {thing}"),
    "project.call_texts_dropped": gettext_lazy("dropped the texts of the calls of {thing}"),
    "project.changed": gettext_lazy("changed the texts of {thing}"),
    "project.copied": gettext_lazy("made {thing} as a copy"),
    "project.copied_to": gettext_lazy("copied {thing}"),
    "project.created": gettext_lazy("created {thing}"),
    "project.exported": gettext_lazy("exported {thing}"),
    "project.imported": gettext_lazy("brought in {thing}"),
    "project.purged": gettext_lazy("deleted a project for good"),
    "project.settings_changed": gettext_lazy("changed the settings of {thing}"),
    "project.unarchived": gettext_lazy("took {thing} out of the archive"),
    "prompts.imported": gettext_lazy("imported prompts from {thing}"),
    "reward_config.saved": gettext_lazy("saved the configuration {thing}"),
    "rewards.computed": gettext_lazy("computed {thing}"),
    "rollouts.imported": gettext_lazy("imported rollouts from {thing}"),
    "run.cancelled": gettext_lazy("cancelled {thing}"),
    "run.paused": gettext_lazy("paused {thing}"),
    "run.resumed": gettext_lazy("resumed {thing}"),
    "run.started": gettext_lazy("started {thing}"),
    "sign_in_link.created": gettext_lazy("made a sign-in link for {thing}"),
    "sign_in_link.revoked": gettext_lazy("ended older sign-in links of {thing}"),
    "sign_in_link.used": gettext_lazy("signed in by a link"),
    "spec.approval_withdrawn": gettext_lazy("took back the approval of {thing}"),
    "spec.approved": gettext_lazy("approved {thing}"),
    "spec.review_requested": gettext_lazy("asked for a review of {thing}"),
    "spec.review_withdrawn": gettext_lazy("took back the question for a review of {thing}"),
    "spec.saved": gettext_lazy("saved {thing}"),
    "spec.sent_back": gettext_lazy("sent back {thing}"),
    "specs.approved": gettext_lazy("approved specs of {thing}"),
    "specs.made": gettext_lazy("made specs: {thing}"),
    "token.created": gettext_lazy("made the token {thing}"),
    "token.revoked": gettext_lazy("revoked the token {thing}"),
    "user.changed": gettext_lazy("changed their own account"),
    "user.created": gettext_lazy("created the account {thing}"),
    "user.deactivated": gettext_lazy("switched off the account {thing}"),
    "user.password_changed": gettext_lazy("changed their password"),
    "user.reactivated": gettext_lazy("switched on the account {thing}"),
    "user.sessions_ended": gettext_lazy("ended their other sessions"),
    "user.site_admin_granted": gettext_lazy("made {thing} an administrator of the installation"),
    "user.site_admin_revoked": gettext_lazy("ended {thing}'s administration of the installation"),
}
JOBS = {
    "check_prompts": gettext_lazy("Check a file of prompts"),
    "check_rollouts": gettext_lazy("Check a file of rollouts"),
    "copy_project": gettext_lazy("Copy a project"),
    "delete_project": gettext_lazy("Delete a project"),
    "freeze": gettext_lazy("Freeze a bundle"),
    "import_project": gettext_lazy("Bring in a project"),
    "import_prompts": gettext_lazy("Import prompts"),
    "import_rollouts": gettext_lazy("Import rollouts"),
    "judge": gettext_lazy("Judge rollouts"),
    "make_specs": gettext_lazy("Make specs"),
    "probe": gettext_lazy("Probe a model server"),
    "rewards": gettext_lazy("Compute rewards"),
    "run_checks": gettext_lazy("Run checkers"),
}


def thousands(number: int) -> str:
    """1248 -> 1,248, as the language writes it."""
    return number_format(number, force_grouping=True)


def percent(share: float | None) -> str:
    """0.643 -> 64.3 %; nothing known -> a dash; never 0 or 100 for what only comes near."""
    if share is None:
        return "–"
    if 0 < share < LEAST_SHOWN:
        return "< 0.1 %"
    if 1 - LEAST_SHOWN < share < 1:
        return "> 99.9 %"
    return f"{100 * share:.1f} %"


def act(verb: str) -> str:
    """The pattern of a sentence, with {thing} where the thing stands if it is named."""
    return str(ACTS[verb]) if verb in ACTS else f"{plain(verb)} {{thing}}"


def acts() -> list[tuple[str, str]]:
    """Every act that has words, for a menu."""
    told = ((verb, str(words).replace("{thing}", "…")) for verb, words in ACTS.items())
    return sorted(told, key=lambda choice: choice[1])


def numbers(verb: str, detail: dict[str, Any]) -> str:
    """What the detail of an act counts, in short; empty where it counts nothing."""
    counted = COUNTED.get(verb)
    return counted(detail) if counted else ""


def _imported(detail: dict[str, Any]) -> str:
    counts = [
        _("%(n)d new") % {"n": detail.get("new", 0)},
        _("%(n)d changed") % {"n": detail.get("changed", 0)} if detail.get("changed") else "",
        _("%(n)d rejected") % {"n": detail.get("rejected", 0)} if detail.get("rejected") else "",
    ]
    return ", ".join(filter(None, counts))


def _made(detail: dict[str, Any]) -> str:
    made = ngettext("%(n)d spec", "%(n)d specs", detail.get("specs", 0))
    told = made % {"n": detail.get("specs", 0)}
    failed = detail.get("failed", 0)
    return f"{told}, {_('%(n)d failed') % {'n': failed}}" if failed else told


def _approved(detail: dict[str, Any]) -> str:
    count = len(detail.get("specs", ()))
    return ngettext("%(n)d spec", "%(n)d specs", count) % {"n": count}


def _frozen(detail: dict[str, Any]) -> str:
    count = len(detail.get("waivers", ()))
    return ngettext("%(n)d waiver", "%(n)d waivers", count) % {"n": count} if count else ""


def _computed(detail: dict[str, Any]) -> str:
    unscored = detail.get("unscored", 0)
    told = _("%(n)d with a reward") % {"n": detail.get("rewards", 0)}
    return f"{told}, {_('%(n)d unscored') % {'n': unscored}}" if unscored else told


def _started(detail: dict[str, Any]) -> str:
    return _("%(n)d cells") % {"n": detail["expected"]} if "expected" in detail else ""


def _role(detail: dict[str, Any]) -> str:
    return str(detail.get("role", ""))


COUNTED: dict[str, Callable[[dict[str, Any]], str]] = {
    "prompts.imported": _imported,
    "rollouts.imported": _imported,
    "specs.made": _made,
    "specs.approved": _approved,
    "bundle.frozen": _frozen,
    "rewards.computed": _computed,
    "run.started": _started,
    "member.role_granted": _role,
    "member.role_revoked": _role,
}


def job_result(result: dict[str, Any]) -> str:
    """What a job reports, in short: its numbers with what they count."""
    counts = ((key, value) for key, value in result.items() if type(value) is int)
    return ", ".join(f"{value} {plain(key)}" for key, value in counts)


def job_kind(kind: str) -> str:
    return str(JOBS[kind]) if kind in JOBS else plain(kind).capitalize()


def cause(key: str) -> str:
    """A cause class of a failure, as people read it."""
    return plain(key) or _("it did not say why")


def form_of_draft(key: str) -> str:
    """The form that a draft belongs to, by the draft's key."""
    if match := CONSTRAINT_DRAFT.match(key):
        return _("a constraint of spec %(number)s") % {"number": match["number"]}
    return {"settings": _("the settings")}.get(key, plain(key))


def plain(key: str) -> str:
    return key.replace(".", " ").replace("_", " ").replace("-", " ")
