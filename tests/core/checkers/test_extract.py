"""Constraints read out of a prompt by rules: what is found, on which words, and what is not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubricstudio.core.checkers.extract import compare, extract
from rubricstudio.core.checkers.extract.comparing import disagree
from rubricstudio.core.checkers.registry import normalised
from rubricstudio.core.types import Constraint

WORDS, SENTENCES, PARAGRAPHS = "word_count", "sentence_count", "paragraph_count"

ENGLISH = [
    ("Answer in at most 300 words.", WORDS, {"op": "le", "value": 300}),
    ("Write no more than two hundred words.", WORDS, {"op": "le", "value": 200}),
    ("Use 1,500 words or more.", WORDS, {"op": "ge", "value": 1500}),
    ("It needs between 50 and 80 words.", WORDS, {"op": "between", "value": 50, "high": 80}),
    ("Aim for about 400 words.", WORDS, {"op": "approx", "value": 400}),
    ("The number of words should be less than 90.", WORDS, {"op": "lt", "value": 90}),
    ("Reply with exactly three paragraphs.", PARAGRAPHS, {"op": "eq", "value": 3}),
    ("Write a two paragraph story.", PARAGRAPHS, {"op": "eq", "value": 2}),
    ("Explain it in 5 sentences.", SENTENCES, {"op": "eq", "value": 5}),
    ("Use fewer than 280 characters.", "char_count", {"op": "lt", "value": 280}),
    (
        "At most 280 characters without spaces.",
        "char_count",
        {"op": "le", "value": 280, "spaces": False},
    ),
    (
        "Include exactly 4 bullet points.",
        "list_item_count",
        {"op": "eq", "value": 4, "style": "bullets"},
    ),
    ("Add at least 3 placeholders.", "placeholder_count", {"op": "ge", "value": 3}),
    ("Highlight at least 2 sections.", "highlight_count", {"op": "ge", "value": 2}),
    (
        "Write 4 sections, each marked with SECTION X.",
        "section_count",
        {"op": "eq", "value": 4, "marker": "SECTION"},
    ),
    (
        "Words in all capital letters should appear at least 3 times.",
        "capital_word_count",
        {"op": "ge", "value": 3},
    ),
    ('Do not use the word "tea".', "not_contain", {"phrases": ["tea"]}),
    ("Avoid the following words: tea, milk and sugar.", "not_contain", ["tea", "milk", "sugar"]),
    ("The words tea and milk cannot appear.", "not_contain", {"phrases": ["tea", "milk"]}),
    ("Include the keywords “tea” and “milk”.", "contain", {"phrases": ["tea", "milk"]}),
    (
        "Mention the word tea at least twice.",
        "contain",
        {"phrases": ["tea"], "min_count": 2},
    ),
    (
        "The letter q should appear at most once.",
        "contain",
        {"phrases": ["q"], "min_count": 0, "max_count": 1, "match": "substring"},
    ),
    ('Start your reply with "Dear friend".', "begin_with", {"text": "Dear friend"}),
    ('End with the exact phrase "That is all."', "end_with", {"text": "That is all."}),
    (
        "The second paragraph must start with the word However.",
        "nth_paragraph_begin_with",
        {"n": 2, "text": "However"},
    ),
    ("Answer in all lowercase letters.", "letter_case", {"form": "lower"}),
    ("Your entire response should be in all capital letters.", "letter_case", {"form": "upper"}),
    ("Your whole answer should be in French.", "language", {"language": "fr"}),
    ("Return the answer as a JSON object.", "json_only", {}),
    ("Wrap your entire response in double quotation marks.", "quotation", {}),
    ("Refrain from using any commas.", "no_punctuation", {"marks": [","]}),
    (
        "Give it a title wrapped in double angular brackets.",
        "title",
        {"form": "angle_brackets"},
    ),
    ("Add a postscript starting with P.P.S", "postscript", {"marker": "P.P.S"}),
    (
        "Give two different responses, separated by 6 asterisks: ******",
        "divided_parts",
        {"divider": "******"},
    ),
    (
        'Answer with "My answer is yes." or "My answer is no."',
        "choice_among",
        {"options": ["My answer is yes.", "My answer is no."]},
    ),
    (
        "Why is tea green?\nFirst repeat the question word for word, then answer.",
        "repeat_prompt",
        {"text": "Why is tea green?"},
    ),
]

CHINESE = [
    ("请用不超过200字介绍杭州。", WORDS, {"op": "le", "value": 200}),
    ("写一篇800字以内的短文。", WORDS, {"op": "le", "value": 800}),
    ("字数不少于一千字。", WORDS, {"op": "ge", "value": 1000}),
    ("请写500字左右的说明。", WORDS, {"op": "approx", "value": 500}),
    ("总字数控制在1500-2000字。", WORDS, {"op": "between", "value": 1500, "high": 2000}),
    ("字数要求至少300。", WORDS, {"op": "ge", "value": 300}),
    ("最多五句话。", SENTENCES, {"op": "le", "value": 5}),
    ("请分三段回答。", PARAGRAPHS, {"op": "eq", "value": 3}),
    ("至少两个自然段。", PARAGRAPHS, {"op": "ge", "value": 2}),
    ("不要使用“但是”这个词。", "not_contain", {"phrases": ["但是"]}),
    ("文中不得出现“成功”和“失败”。", "not_contain", {"phrases": ["成功", "失败"]}),
    ("“创新”等词语不要出现。", "not_contain", {"phrases": ["创新"]}),
    ("必须包含关键词“春天”、“希望”。", "contain", {"phrases": ["春天", "希望"]}),
    ("请以“亲爱的朋友”开头。", "begin_with", {"text": "亲爱的朋友"}),
    ("以「谢谢阅读」结尾。", "end_with", {"text": "谢谢阅读"}),
    ("第二段要以“然而”开头。", "nth_paragraph_begin_with", {"n": 2, "text": "然而"}),
    ("最后一段以“再见”结束。", "nth_paragraph_end_with", {"n": -1, "text": "再见"}),
    ("请用英文回答。", "language", {"language": "en"}),
    ("以JSON格式输出。", "json_only", {}),
    ("不要使用感叹号。", "no_punctuation", {"marks": ["!"]}),
    ("以表格形式呈现。", "table", {}),
]

SILENT = [
    "Write a 500-word essay about tea.",  # how exactly is not said
    "Each paragraph should have at least 3 sentences.",
    "The title should have fewer than 10 words.",
    "In the first paragraph, use at most 40 words.",
    "Who used the word quark first?",
    "Do not worry about the number of words.",
    "Tell me about Chinese history in Spanish literature.",
    "Find the intersection of two lines.",
    "Explain JSON to a child.",
    "Use a few words in all caps.",
    "Name rivers that end with 'a'.",
    'Let\'s start with the question: "What is tea?"',
    'Shorten this: "' + "He said that a summary has at most 100 words. " * 4 + '"',
    "```\nUse at most 10 words.\n```",
    "每段不超过100字。",
    "标题不超过20字。",
    "请写一段评语。",
    "总价不超过1500万元。",
    "他用中文写了三本书吗？",
    "这首诗以什么开头？",
]


@pytest.mark.parametrize(("prompt", "kind", "params"), [*ENGLISH, *CHINESE])
def test_a_plain_phrasing_becomes_a_constraint(prompt, kind, params):
    if isinstance(params, list):
        params = {"phrases": params}

    found = extract(prompt)

    assert [one.type for one in found] == [kind]
    assert found[0].content_hash() == normalised(Constraint(kind, params)).content_hash()
    assert found[0].evidence
    assert found[0].evidence in prompt


@pytest.mark.parametrize("prompt", SILENT)
def test_what_is_not_plain_is_left_alone(prompt):
    assert extract(prompt) == ()


def test_several_constraints_come_in_the_order_of_the_prompt():
    prompt = (
        'Write at least 300 words in exactly 3 paragraphs. Do not use commas. End with "Bye."\n'
        "请用中文回答。"
    )

    assert [one.type for one in extract(prompt)] == [
        "word_count",
        "paragraph_count",
        "no_punctuation",
        "end_with",
        "language",
    ]


def test_what_is_asked_twice_is_found_once():
    assert len(extract("At most 50 words. I repeat: at most 50 words.")) == 1


def test_a_named_divider_is_part_of_the_paragraphs():
    (found,) = extract("Write exactly 3 paragraphs. Separate them with ***")

    assert found.params["divider"] == "***"


@pytest.mark.parametrize(
    "prompt", ["", " ", "at least 99999999999999999999 words", "at most 0 words", "\x00" * 99, "🙂"]
)
def test_odd_prompts_are_read_without_an_error(prompt):
    assert all(normalised(one) == one for one in extract(prompt))


@pytest.mark.slow
@pytest.mark.parametrize(
    "piece",
    ["at least ", 'the word "', "one two three ", "separated by *** ", "a, ", "以“", "[ '", "no "],
)
def test_long_prompts_are_read_in_linear_time(piece):
    extract(piece * (20_000 // len(piece)))


@given(st.text(st.sampled_from("at least most 3 words in \"'，。不超过字段以“”开头用.\n")))
def test_evidence_always_comes_from_the_prompt(prompt):
    for one in extract(prompt):
        assert one.evidence in prompt
        assert normalised(one) == one


def test_what_rules_and_model_both_found_is_kept_once():
    rules = extract("Use at most 50 words and the word “tea”.")
    same = Constraint("word_count", {"op": "le", "value": 50}, evidence="at most 50 words")
    other = Constraint("begin_with", {"text": "Hello"}, evidence="Hello")

    compared = compare(rules, [same, other])

    assert compared.rules == rules
    assert compared.model == (other,)


@pytest.mark.parametrize(
    ("kind", "params", "evidence", "expected"),
    [
        ("word_count", {"op": "ge", "value": 50}, "at most 50 words", True),
        ("word_count", {"op": "ge", "value": 50}, "Use at most 50 words.", True),
        ("word_count", {"op": "le", "value": 50}, "at most 50 words", False),
        ("word_count", {"op": "le", "value": 9}, "nine words", False),
        ("sentence_count", {"op": "le", "value": 50}, "at most 50 words", False),
    ],
)
def test_rules_and_model_disagree_about_the_same_words(kind, params, evidence, expected):
    rule = Constraint("word_count", {"op": "le", "value": 50}, evidence="at most 50 words")

    assert disagree(rule, Constraint(kind, params, evidence=evidence)) is expected
