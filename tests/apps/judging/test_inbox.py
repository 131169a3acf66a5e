"""Answers on their way from the event loop to the thread that stores them."""

import asyncio
import threading
from concurrent.futures import Future

import pytest

from apps.judging.services.inbox import Inbox, let_go
from apps.judging.services.loop import submit, the_loop
from rubricstudio.core.parsing import Judgement
from rubricstudio.core.types import UnscoredReason
from rubricstudio.llm.client import Asked, JudgeItem

ANSWER: Asked[Judgement] = Asked(unscored=UnscoredReason.EMPTY)


@pytest.fixture
def inbox():
    return Inbox(questions_at_once=8)


@pytest.fixture
def put(inbox):
    """Leaves so many answers; their questions stay open until they are let go."""
    questions: list[Future[None]] = []

    def leave(number=1):
        items = (JudgeItem(place, (), (), None) for place in range(number))
        questions.extend(submit(inbox.put(item, ANSWER)) for item in items)
        submit(asyncio.sleep(0)).result(60)  # the loop has come past them
        return questions

    yield leave
    for question in questions:
        question.cancel()


def test_a_question_stays_open_until_its_answer_is_stored(inbox, put):
    (question,) = put()
    answers = inbox.take(seconds=60)
    assert not question.done()

    let_go(answers)

    assert question.result(timeout=60) is None


def test_a_quarter_of_the_questions_is_enough_to_store(inbox, put, monkeypatch):
    monkeypatch.setattr("apps.judging.services.inbox.OLDEST", 3600)
    put(2)

    assert len(inbox.take(seconds=3600)) == 2


def test_a_single_answer_is_stored_soon_as_well(inbox, put):
    put()

    assert len(inbox.take(seconds=3600)) == 1


def test_without_answers_the_thread_gets_back_to_beat(inbox):
    assert inbox.take(seconds=0.01) == []


def test_a_closed_inbox_gives_what_it_has_and_then_says_that_it_is_over(inbox, put):
    put()
    inbox.close()

    assert len(inbox.take(seconds=60)) == 1
    assert inbox.take(seconds=60) is None


def test_closing_wakes_the_thread_that_waits(inbox):
    taken = []
    waiting = threading.Thread(target=lambda: taken.append(inbox.take(seconds=60)))
    waiting.start()

    inbox.close()
    waiting.join(60)

    assert taken == [None]


def test_one_loop_serves_the_whole_process():
    async def the_running_one():
        return asyncio.get_running_loop()

    assert submit(the_running_one()).result(60) is the_loop() is the_loop()
