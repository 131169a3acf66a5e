"""The production layout: the compose file, the image, and the processes they start.

No container runs here. The file is held against the published schema, and what it names must
exist; tests/e2e/test_production_layout.py runs the same commands as plain processes.
"""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from django.core.management import get_commands

from tests.shared_data import ROOT
from workers.queues import QUEUES

COMPOSE = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
SERVICES = COMPOSE["services"]
OURS = {name: service for name, service in SERVICES.items() if service.get("build") == "."}
DOCKERFILE = (ROOT / "Dockerfile").read_text()
BIN = Path(sys.executable).parent


def probes():
    return {
        name: service["healthcheck"]["test"] for name, service in OURS.items() if name != "migrate"
    }


def test_the_file_keeps_to_the_published_schema():
    subprocess.run(
        [BIN / "check-jsonschema", "--builtin-schema", "vendor.compose-spec", "docker-compose.yml"],
        cwd=ROOT,
        check=True,
    )


def test_every_process_of_the_application_is_a_service():
    assert set(OURS) == {"migrate", "web", "beat", "worker", "worker-generation", "worker-judging"}
    assert SERVICES["vllm"]["profiles"] == ["gpu"]


def test_every_queue_has_a_worker():
    taken = [
        queue
        for service in OURS.values()
        if "--queues" in (command := service["command"])
        for queue in command[command.index("--queues") + 1].split(",")
    ]
    assert sorted(taken) == sorted(QUEUES)


@pytest.mark.parametrize("name", OURS)
def test_no_process_of_ours_has_more_rights_than_it_needs(name):
    service = OURS[name]

    assert service["read_only"]
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert f"USER {service['user']}" in DOCKERFILE


@pytest.mark.parametrize("name", sorted(set(SERVICES) - {"migrate"}))
def test_every_service_is_asked_for_its_health(name):
    assert SERVICES[name]["healthcheck"]["test"][0] in ("CMD", "CMD-SHELL")


@pytest.mark.parametrize("name", OURS)
def test_a_service_starts_behind_the_migrations(name):
    needed = OURS[name]["depends_on"]

    assert needed == (
        {"postgres": {"condition": "service_healthy"}}
        if name == "migrate"
        else {
            "migrate": {"condition": "service_completed_successfully"},
            "rabbitmq": {"condition": "service_healthy"},
        }
    )


@pytest.mark.parametrize("name", OURS)
def test_every_command_is_one_that_the_lock_installs(name):
    program, *arguments = OURS[name]["command"]

    assert (BIN / program).exists()
    if program == "python":
        assert arguments[0] == "manage.py"
        assert arguments[1] in get_commands()


@pytest.mark.parametrize("name", probes())
def test_every_probe_is_code_that_compiles_or_a_command_that_exists(name):
    _cmd, program, flag, *rest = probes()[name]

    assert program == "python"
    if flag == "-c":
        compile(rest[0], "probe", "exec")
    else:
        assert (flag, rest[0] in get_commands()) == ("manage.py", True)


@pytest.mark.parametrize("name", OURS)
def test_every_variable_is_one_that_the_settings_read(name):
    read = "".join(
        path.read_text()
        for folder in ("settings", "local")
        for path in (ROOT / "rubricstudio" / folder).rglob("*.py")
    )
    unknown = {
        variable
        for variable in OURS[name]["environment"]
        if f'"{variable}"' not in read and variable != "DJANGO_SETTINGS_MODULE"
    }
    assert unknown == set()


def test_ports_are_open_on_the_loopback_alone():
    ports = [port for service in SERVICES.values() for port in service.get("ports", ())]

    assert ports
    assert all(port.startswith("127.0.0.1:") for port in ports)


def test_every_named_volume_is_declared_and_used():
    used = {
        volume.split(":")[0]
        for service in SERVICES.values()
        for volume in service.get("volumes", ())
    }
    assert used == set(COMPOSE["volumes"])


def test_the_image_copies_only_what_is_there():
    copied = [
        source
        for line in re.findall(r"^COPY (.+)$", DOCKERFILE, re.M)
        for source in shlex.split(line)[:-1]
    ]
    assert all((ROOT / source).exists() for source in copied)
    assert {"manage.py", "rubricstudio", "apps", "workers", "templates", "static"} <= set(copied)


def test_the_image_runs_as_nobody_in_particular():
    users = re.findall(r"^USER (\S+)$", DOCKERFILE, re.M)

    assert users == ["rubric"]
