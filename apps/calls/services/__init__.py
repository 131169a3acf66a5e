"""What others use to ask a model: configuration, limits, records of every call."""

from apps.calls.services.adopting import (
    adopt_endpoint,
    adopt_template_version,
    adopt_texts,
)
from apps.calls.services.clients import UNKNOWN, RoleClient, client_for
from apps.calls.services.configuring import (
    change_endpoint,
    create_endpoint,
    reset_role,
    set_role,
    switch_endpoint,
)
from apps.calls.services.endpoints import seed_endpoint, seed_roles
from apps.calls.services.explaining import ExplainedCall, explain_call
from apps.calls.services.leases import lease_slots, release_slots
from apps.calls.services.limiter import LeasedLimit
from apps.calls.services.partitions import ensure_partitions
from apps.calls.services.probes import NO_MODEL, blocked_sentence, only_model, probe_endpoint
from apps.calls.services.probing import carry_probe, start_probe
from apps.calls.services.records import Asker, rebuild_request, store_calls
from apps.calls.services.seeding import seed_models
from apps.calls.services.templates import seed_templates, templates_for
from apps.calls.services.texts import (
    TextUse,
    drop_expired_texts,
    drop_payloads,
    read_texts,
    store_texts,
    text_hash,
)

__all__ = [
    "NO_MODEL",
    "UNKNOWN",
    "Asker",
    "ExplainedCall",
    "LeasedLimit",
    "RoleClient",
    "TextUse",
    "adopt_endpoint",
    "adopt_template_version",
    "adopt_texts",
    "blocked_sentence",
    "carry_probe",
    "change_endpoint",
    "client_for",
    "create_endpoint",
    "drop_expired_texts",
    "drop_payloads",
    "ensure_partitions",
    "explain_call",
    "lease_slots",
    "only_model",
    "probe_endpoint",
    "read_texts",
    "rebuild_request",
    "release_slots",
    "reset_role",
    "seed_endpoint",
    "seed_models",
    "seed_roles",
    "seed_templates",
    "set_role",
    "start_probe",
    "store_calls",
    "store_texts",
    "switch_endpoint",
    "templates_for",
    "text_hash",
]
