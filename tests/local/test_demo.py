"""A first start that cannot bring the demo project in goes on without it."""

import subprocess

import pytest

from rubricstudio.local import demo
from rubricstudio.local.errors import LocalError


def test_what_the_command_reports_is_said(data, monkeypatch):
    monkeypatch.setattr(demo, "report_of", lambda *arguments, log: {"restored": True})
    assert demo.bring_demo(data) == "the demo project is there"

    monkeypatch.setattr(demo, "report_of", lambda *arguments, log: {"restored": False})
    assert demo.bring_demo(data) == "left as it was"


def test_a_failure_says_where_to_look_and_what_to_try(data, monkeypatch):
    def fail(*arguments, log):
        raise subprocess.CalledProcessError(1, "demo")

    monkeypatch.setattr(demo, "report_of", fail)

    with pytest.raises(LocalError, match=r"its log is .*demo.log\); try: python manage.py demo"):
        demo.bring_demo(data)
