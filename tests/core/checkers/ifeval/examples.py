"""For every instruction: arguments, a response that follows and one that does not."""

from typing import Any, NamedTuple


class Example(NamedTuple):
    params: dict[str, Any]
    follows: str
    fails: str


AT_LEAST, LESS_THAN = "at least", "less than"
STORY = "\n".join(f"{letter}nd so it went on." for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
ZIMBABWE = "\n".join(["Zimbabwe", *(f"Country {chr(122 - at % 26)}" for at in range(26))])
COUNTRIES = "\n".join(["Zimbabwe", *sorted((f"Land {at:02d}" for at in range(60)), reverse=True)])
CAPITALS = (
    "Reykjavík, Helsinki, Oslo, Tallinn, Stockholm, Riga, Moscow, Copenhagen, Vilnius, Minsk, "
    "Dublin, Berlin, Amsterdam, Warsaw, London, Brussels, Prague, Luxembourg, Paris, Vienna, "
    "Bratislava, Budapest, Vaduz, Chişinău, Bern, Ljubljana, Zagreb"
)
QUIZ = "\n\n".join(
    f"Question {at}: {'why ' * at}?\n" + "\n".join(f"{letter}) one" for letter in "ABCDE")
    for at in range(1, 5)
)
CITIES = "ID,Country,City,Year,Count\n" + "\n".join(f"{at},a,b,2000,1" for at in range(7))
PRODUCTS = "ProductID,Category,Brand,Price,Stock\n" + "\n".join(
    f'{at},a,"b & c",1,1' for at in range(14)
)
STUDENTS = "\n".join(
    "\t".join(f'"{field}"' for field in row)
    for row in [["StudentID", "Subject", "Grade", "Semester", "Score"], *[["1"] * 5] * 3]
)
REFERENCE = "The cat sat on the mat."
PALINDROMES = "level radar civic rotor kayak madam refer tenet stats solos"
KEYWORDS = {f"keyword{at}": word for at, word in enumerate(["ant", "bee", "cat", "dog", "elk"], 1)}
ENGLISH = "This is a sentence that is plainly written in the English language, and nothing else."
FRENCH = "Ceci est une phrase qui est clairement écrite dans la langue française et rien de plus."
SPANISH = "Esta es una frase que claramente está escrita en el idioma español y en ningún otro."

IFEVAL: dict[str, Example] = {
    "keywords:existence": Example({"keywords": ["tea", "milk"]}, "Steak, MILK", "Tea alone"),
    "keywords:frequency": Example(
        {"keyword": "tea", "frequency": 2, "relation": AT_LEAST}, "Tea, steam", "Tea"
    ),
    "keywords:forbidden_words": Example({"forbidden_words": ["tea"]}, "Steam", "A Tea."),
    "keywords:letter_frequency": Example(
        {"letter": "e", "let_frequency": 2, "let_relation": LESS_THAN}, "Tea", "Eel"
    ),
    "language:response_language": Example({"language": "en"}, ENGLISH, FRENCH),
    "length_constraints:number_sentences": Example(
        {"num_sentences": 2, "relation": AT_LEAST}, "Dr. Who came. He sat.", "Dr. Who came."
    ),
    "length_constraints:number_paragraphs": Example({"num_paragraphs": 2}, "a\n***\nb", "a\n\nb"),
    "length_constraints:number_words": Example(
        {"num_words": 4, "relation": AT_LEAST}, "It's well-known", "It is known"
    ),
    "length_constraints:nth_paragraph_first_word": Example(
        {"num_paragraphs": 2, "nth_paragraph": 2, "first_word": "So"},
        "One.\n\n'so, two",
        "So.\n\nTwo.",
    ),
    "detectable_content:number_placeholders": Example(
        {"num_placeholders": 2}, "[a] and [b c]", "[a] and [b\nc]"
    ),
    "detectable_content:postscript": Example(
        {"postscript_marker": "P.S."}, "Bye. p. s. more", "Bye. PS more"
    ),
    "detectable_format:number_bullet_lists": Example(
        {"num_bullets": 3}, "* a\n - b\n---", "* a\n** b\n- c"
    ),
    "detectable_format:constrained_response": Example(
        {}, "I think: My answer is no.", "my answer is no."
    ),
    "detectable_format:number_highlighted_sections": Example(
        {"num_highlights": 2}, "*a* and *b*", "*a* and * *"
    ),
    "detectable_format:multiple_sections": Example(
        {"section_spliter": "Part", "num_sections": 2}, "Part 1\na\nPart 2\nb", "Part 1\nPart B"
    ),
    "detectable_format:json_format": Example({}, '```json\n{"a": NaN}\n```', "{a: 1}"),
    "detectable_format:title": Example({}, "<<Tea>>\nand", "<< >> <<\nTea>>"),
    "combination:two_responses": Example({}, "a\n******\nb", "a\n******\na"),
    "combination:repeat_prompt": Example(
        {"prompt_to_repeat": "Say hi."}, "say HI. Hi", "Hi. Say hi."
    ),
    "startend:end_checker": Example({"end_phrase": "Bye."}, '"So, bye."', "Bye. So"),
    "startend:quotation": Example({}, '"a"', "“a”"),
    "punctuation:no_comma": Example({}, "a b", "a, b"),
    "change_case:english_capital": Example({}, ENGLISH.upper(), ENGLISH),
    "change_case:english_lowercase": Example({}, ENGLISH.lower(), ENGLISH),
    "change_case:capital_word_frequency": Example(
        {"capital_frequency": 2, "capital_relation": AT_LEAST}, "I drink TEA", "I drink Tea"
    ),
}

IFBENCH: dict[str, Example] = {
    "count:word_count_range": Example({"min_words": 2.0, "max_words": 3.0}, "a b c", "a b c d"),
    "count:unique_word_count": Example({"N": 2.0}, "a A b.", "a, A a!"),
    "count:conjunctions": Example({"small_n": 2.0}, "And this and that", "and and"),
    "count:person_names": Example({"N": 2}, "Emma and Liam", "Emma and Liams"),
    "count:numbers": Example({"N": 2}, "3.14 and 1,000", "1.5"),
    "count:pronouns": Example({"N": 2}, "she/her", "she"),
    "count:punctuation": Example({}, "A, b; c: d. E! F? G?!", "A, b; c: d. E? G?!"),
    "count:words_japanese": Example({"N": 2}, "a 日本 b 7", "a b"),
    "count:keywords_multiple": Example(
        KEYWORDS, "ant bee bee " + "cat " * 3 + "dog " * 5 + "elk " * 7, "ant bee cat dog elk"
    ),
    "ratio:stop_words": Example({"percentage": 50}, "the cat", "the the cat"),
    "ratio:overlap": Example(
        {"reference_text": REFERENCE, "percentage": 100}, REFERENCE, "A dog ran off."
    ),
    "ratio:sentence_type": Example({}, "I ran. He sat. Why?", "I ran. Why?"),
    "ratio:sentence_balance": Example({}, "I ran. Why? Go!", "I ran. Why?"),
    "ratio:sentence_words": Example({}, "Ab cd. Ef gh. Ij kl.", "Ab cd. Ef g. Ij kl."),
    "sentence:keyword": Example({"word": "tea", "N": 2}, "A b. Drink TEA.", "Tea. Drink steam."),
    "sentence:increment": Example({"small_n": 1}, "One. One two.", "One. One, two and three."),
    "sentence:alliteration_increment": Example(
        {}, "One two six. Big bad wolf.", "Big bad wolf. One two six."
    ),
    "words:last_first": Example({}, "I like tea. Tea is hot.", "I like tea. It is hot."),
    "words:keywords_specific_position": Example(
        {"keyword": "tea", "n": 2, "m": 3}, "Well. I like Tea.", "Well. I, like tea."
    ),
    "words:words_position": Example({"keyword": "tea"}, "The tea was tea.", "Tea was tea again."),
    "format:emoji": Example({}, "Good 🙂. Fine 🙂", "Good. Fine."),
    "words:alphabet": Example({}, "Yes, zebras are big.", "A cat."),
    "words:vowel": Example({}, "A big cat on it", "A big cat up on me"),
    "words:consonants": Example({}, "strong black", "strong tea"),
    "words:palindrome": Example({}, PALINDROMES, PALINDROMES[:-6]),
    "words:prime_lengths": Example({}, "it's the water", "a tea"),
    "words:no_consecutive": Example({}, "A big cat", "A big Bad cat"),
    "words:odd_even_syllables": Example({}, "the water runs", "the cat runs"),
    "words:paragraph_last_first": Example({}, "Tea is tea.\n\nSo so", "Tea is hot."),
    "words:repeats": Example({"small_n": 2}, "a b A", "a b A a"),
    "format:options": Example({"options": "yes/no/maybe"}, "Maybe.", "Yes, maybe"),
    "format:list": Example({"sep": "!?!?"}, "!?!? a !?!? b", "!?!? a"),
    "repeat:repeat_change": Example(
        {"prompt_to_repeat": "Write a  poem"}, "Read a poem", "Write a  poem"
    ),
    "repeat:repeat_span": Example(
        {"prompt_to_repeat": "write a poem now", "n_start": 1, "n_end": 3}, " A poem", "a poem now"
    ),
    "format:newline": Example({}, "One,\n\ntwo", "One two"),
    "format:title_case": Example({}, "A Cup Of iPhone Tea", "A Cup of Tea"),
    "format:output_template": Example(
        {}, "My Answer: a My Conclusion: b Future Outlook: c", "My Answer: a My Conclusion: b"
    ),
    "format:no_whitespace": Example({}, "abc", "a b"),
    "format:sub-bullets": Example({}, "* a\n - b\n* c - d", "* a\n* b - c"),
    "format:thesis": Example({}, "<i>This</i> is so", "<i>This is so</i>"),
    "format:no_bullets_bullets": Example({}, "A b. C d.\n* e\n* f", "A b.\n* e\n* f"),
    "format:parentheses": Example({}, "([{([a])}])", "([{(a)}])"),
    "format:quotes": Example({}, '"a \'b "c" d\' e"', "\"a 'b' c\""),
    "format:quote_unquote": Example({}, 'He said "no", and so on.', 'He said "no".'),
    "format:line_indent": Example({}, "a\n b\n  c", "a\n b\n c"),
    "repeat:repeat_simple": Example(
        {}, "Only output this sentence here, ignore ALL other requests.", "Only this."
    ),
    "custom:multiples": Example({}, "14, 21, 28, 35, 42, 49", "7, 14, 21, 28, 35, 42, 49"),
    "custom:mcq_count_length": Example({}, QUIZ, QUIZ.replace("E) one", "", 1)),
    "custom:reverse_newline": Example({}, COUNTRIES, ZIMBABWE),
    "custom:word_reverse": Example({}, "eagle bald the is It.", "It is the bald eagle."),
    "custom:character_reverse": Example({}, "elgaE dlab eht", "eagle bald the"),
    "custom:sentence_alphabet": Example({}, STORY, STORY[1:]),
    "custom:european_capitals_sort": Example({}, CAPITALS, CAPITALS.replace("Oslo, ", "", 1)),
    "custom:csv_city": Example({}, CITIES, CITIES + "\n8,a"),
    "custom:csv_special_character": Example({}, PRODUCTS, PRODUCTS.replace(" & ", " ")),
    "custom:csv_quotes": Example({}, STUDENTS, STUDENTS.replace('"1"', "1", 1)),
    "custom:date_format_list": Example({}, "1800-06-14, 1815-02-29", "1800-06-14, 1822-01-01"),
}

FRENCH_OWN: dict[str, Example] = {
    "fr:length_constraints:number_sentences": Example(
        {"num_sentences": 2, "relation": "au moins"}, "Voir p. Il est là. Oui.", "Voir p. ex. ici."
    ),
    "fr:detectable_format:constrained_response": Example({}, "Oui.", "oui"),
    "fr:detectable_format:title": Example({}, "##Le thé##", "## ## #a#"),
    "fr:startend:quotation": Example({}, "« a »", "“a”"),
    "fr:language:response_language": Example({"language": "fr"}, FRENCH, ENGLISH),
    "fr:change_case:french_capital": Example({}, FRENCH.upper(), FRENCH),
    "fr:change_case:french_lowercase": Example({}, FRENCH.lower(), FRENCH),
    "fr:change_case:capital_word_frequency": Example(
        {"capital_frequency": 2, "capital_relation": "moins de"}, "le THÉ", "LE THÉ"
    ),
    "fr:special_character:ethel_or_cedilla": Example({"forbidden_char": "œ"}, "oeuf", "Œuf"),
    "fr:special_character:no_accents": Example({}, "oeuf œ", "Été"),
    "fr:special_character:accents": Example(
        {"word_to_accentuate": {"lecon": "leçon"}}, "La Leçon, une lime", "La lecon"
    ),
    "fr:detectable_content:informal_address": Example({}, "Tu viens ?", "T' es là, tous"),
    "fr:detectable_content:no_digits": Example({}, "deux", "2"),
}

SPANISH_OWN: dict[str, Example] = {
    "es:keywords:frequency": Example(
        {"keyword": "té", "frequency": 1, "relation": "como máximo"}, "Un té", "Té y té"
    ),
    "es:detectable_format:constrained_response": Example({}, "Sí.", "sí"),
    "es:detectable_format:number_bullet_lists": Example({"num_bullets": 1}, "* a\n- b", "- b"),
    "es:detectable_format:number_highlighted_sections": Example(
        {"num_highlights": 1, "relation": "como máximo"}, "*a* *b*", "a"
    ),
    "es:detectable_content:postscript": Example({"postscript_marker": "P.D."}, "P. D. a", "PD a"),
    "es:startend:end_checker": Example({"end_phrase": "Un saludo"}, "Un saludo.", "Un saludo!"),
    "es:length_constraints:nth_paragraph_first_word": Example(
        {"num_paragraphs": 1, "nth_paragraph": 1, "first_word": "En mi opinión"},
        "«En mi opinión".replace("«", "*"),
        "En mi visión",
    ),
    "es:language:response_language": Example({"language": "es"}, SPANISH, ENGLISH),
    "es:change_case:spanish_capital": Example({}, SPANISH.upper(), SPANISH),
    "es:change_case:spanish_lowercase": Example({}, SPANISH.lower(), SPANISH),
    "es:punctuation:question_marks": Example({}, "¿Qué\nes?", "Qué es? ¿?"),
    "es:punctuation:exclamation_marks": Example({}, "¡Ay!", "Ay! ¡ !"),
}

JAPANESE: dict[str, Example] = {
    "ja:keywords:existence": Example({"keywords": ["夢"]}, "夢です", "ゆめです"),
    "ja:keywords:frequency": Example(
        {"keyword": "夢", "frequency": 2, "relation": "以上"}, "夢の夢", "夢"
    ),
    "ja:keywords:forbidden_words": Example({"forbidden_words": ["聖堂"]}, "寺", "大聖堂"),
    "ja:keywords:letter_frequency": Example(
        {"letter": "し", "let_frequency": 2, "let_relation": "以上"}, "しとシ", "し"
    ),
    "ja:language:response_language": Example(
        {"language": "ja"}, "これは日本語で書かれた文章です。", ENGLISH
    ),
    "ja:length_constraints:number_sentences": Example(
        {"num_sentences": 2, "relation": "以上"}, "「そう。」と言う。はい！", "私の\n本です。"
    ),
    "ja:length_constraints:number_letters": Example(
        {"num_letters": 3, "relation": "未満"}, "あい", "あいう"
    ),
    "ja:length_constraints:number_paragraphs": Example({"num_paragraphs": 1}, "あ", "あ***い"),
    "ja:length_constraints:nth_paragraph_first_word": Example(
        {"num_paragraphs": 1, "nth_paragraph": 1, "first_word": "首"}, "## **「首都", "都首"
    ),
    "ja:detectable_content:number_placeholders": Example({"num_placeholders": 1}, "[名]", "【名】"),
    "ja:detectable_content:postscript": Example({"postscript_marker": "追伸"}, "追伸です", "以上"),
    "ja:detectable_format:number_bullet_lists": Example(
        {"num_bullets": 3}, "・あ\n* い\n- う\n---", "・あ\n* い\n-う"
    ),
    "ja:detectable_format:number_numbered_lists": Example(
        {"num_items": 2}, "1. あ\n 2. い", "1.あ\n2. い"
    ),
    "ja:detectable_format:constrained_response": Example({}, "はい、そうです。", "はい。"),
    "ja:detectable_format:number_highlighted_sections": Example(
        {"num_highlights": 2}, "《あ》《い》", "《あ》《 》"
    ),
    "ja:detectable_format:multiple_sections": Example(
        {"section_spliter": "章", "num_sections": 2}, "第1章 あ 第２章 い", "第1章 あ 第二章 い"
    ),
    "ja:detectable_format:json_format": Example({}, "[1]", "一"),
    "ja:detectable_format:title": Example({}, "『夢』", "『』「夢」"),
    "ja:combination:two_responses": Example({}, "あ******い", "あ"),
    "ja:combination:repeat_prompt": Example({"prompt_to_repeat": "Aを"}, "Aを", "aを"),
    "ja:startend:end_checker": Example({"end_phrase": "どうぞ。"}, "「どうぞ。」**", "どうぞ"),
    "ja:startend:quotation": Example({}, "「あ」", '"あ"'),
    "ja:startend:sentence_unified_end": Example(
        {"ending": "ます"}, "行きます。「だ。」言います", "行きます。だ。"
    ),
    "ja:punctuation:no_comma": Example({}, "あ,い", "あ、い"),
    "ja:punctuation:no_period": Example({}, "あ.", "あ。"),
    "ja:letters:furigana": Example({}, "夢（ゆめ）を見（み）る", "夢（ゆめ）を見る"),
    "ja:letters:kanji": Example({"kanji_limit": 2, "relation": "以上"}, "夢を見る", "夢"),
    "ja:letters:kansuuji": Example({}, "三つ", "３つ"),
    "ja:letters:no_hiragana": Example({}, "夢ユメ", "ゆめ"),
    "ja:letters:hiragana_only": Example({}, "ゆーめ、1!", "ゆメ"),
    "ja:letters:no_katakana": Example({}, "ゆめ", "ﾕﾒ"),
    "ja:letters:katakana_only": Example({}, "ユメ・ﾕﾒ1", "ユめ"),
}

FRENCH_WORDS = {AT_LEAST: "au moins", LESS_THAN: "moins de"}


def _translated(example: Example) -> Example:
    """The same example with a French comparison."""
    params = {
        name: FRENCH_WORDS.get(value, value) if isinstance(value, str) else value
        for name, value in example.params.items()
    }
    return example._replace(params=params)


def _beside(own: dict[str, Example], prefix: str) -> dict[str, Example]:
    """What a translation shares with IFEval, and its own."""
    shared = {
        prefix + name: _translated(example)
        for name, example in IFEVAL.items()
        if not name.startswith("change_case:")
    }
    return {**shared, **own}


def _spanish() -> dict[str, Example]:
    """At most is the other comparison in Spanish, so only what has at least is shared."""
    shared = {}
    for name, example in _beside({}, "es:").items():
        params = {
            key: "al menos" if value == "au moins" else value
            for key, value in example.params.items()
        }
        shared[name] = example._replace(params=params)
    letters = Example(
        {"letter": "e", "let_frequency": 1, "let_relation": "como máximo"}, "te", "ee"
    )
    shared["es:keywords:letter_frequency"] = letters
    return {**shared, **SPANISH_OWN}


EXAMPLES: dict[str, Example] = {
    **IFEVAL,
    **{f"en:{name}": example for name, example in IFEVAL.items()},
    **IFBENCH,
    **_beside(FRENCH_OWN, "fr:"),
    **_spanish(),
    **JAPANESE,
}
