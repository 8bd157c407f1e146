"""No text, however contrived, makes a building block take more than its length's time."""

import time
from collections.abc import Callable

import pytest

from backend.app.domain.placeholders import Placeholders, by_rules
from backend.app.domain.redaction import redact
from backend.app.domain.redaction_contacts import contacts
from backend.app.services.helpdesk.clarifying import facts_from, next_question
from backend.app.services.helpdesk.classifying import classify
from backend.app.services.helpdesk.pleasantries import only_asks_for_help, without_pleasantries
from backend.app.services.helpdesk.querying import search_query
from backend.app.services.helpdesk.quoting import quote
from backend.app.services.helpdesk.replies import read_verdict
from backend.app.services.helpdesk.sanitising import sanitise
from backend.app.services.helpdesk.titling import title_of

_WORK: dict[str, Callable[[str], object]] = {
    "redact": redact,
    "contacts": contacts,
    "by_rules": lambda text: by_rules(text, Placeholders()),
    "sanitise": sanitise,
    "quote": quote,
    "facts_from": facts_from,
    "classify": lambda text: classify(text, {}),
    "next_question": lambda text: next_question(text, {}, []),
    "pleasantries": without_pleasantries,
    "calls for help": only_asks_for_help,
    "title": lambda text: title_of(text, {}),
    "query": lambda text: search_query(text, {}, [text]),
    "verdict": read_verdict,
}
_UNITS = [
    *(
        "a",
        "A",
        "1",
        " ",
        "\n",
        "`",
        "``",
        "```\n",
        "~~~\n",
        "@",
        "#1",
        "<",
        "<!--",
        "&",
        "](",
        "![",
        "\\",
    ),
    *(
        "password ",
        "password is ",
        "pwd=",
        "token: ",
        "a:b@",
        "http://a:",
        "-----BEGIN PRIVATE KEY-----",
    ),
    *(
        "eyJabcdefgh.",
        "sk-a-",
        "1 ",
        "4111",
        "DE89",
        "DE89 ",
        "Bearer ",
        "curl -u a ",
        '"',
        "'",
        "“",
    ),
    *(
        'error "',
        "error ",
        "I tried ",
        "after the ",
        "since ",
        "Oracle ",
        "Windows ",
        "1.2",
        "team ",
        "my ",
    ),
    *(
        "hi ",
        "hello all, ",
        "thanks ",
        "please, ",
        "can you help ",
        "i have a question ",
        "a b ",
        "ab-cd_",
    ),
    *(
        "not ",
        "it works ",
        "it is ",
        "after a ",
        "the problem is ",
        "open a ",
        "i can ",
        "no, ",
        "everyone ",
    ),
    *(
        "> ",
        "- ",
        "1. ",
        "030 1234567 ",
        "+49 ",
        "a.b.",
        "a@",
        "::",
        "1.2.3.",
        "api_key=",
        "github: a1b2",
        "a1B2",
        "=a1",
        "card 4",
        "aB3dEf9hIj2kLm5n",
        "authorization: ",
        "github.com/",
        "github.com/a/",
        "x.",
        "Xy",
        "[redacted: ",
        "a@b.",
        "nobody in ",
    ),
]


@pytest.mark.parametrize("name", _WORK)
def test_no_text_of_8000_characters_takes_long(name: str) -> None:
    slow = []
    for unit in _UNITS:
        text = (unit * 8000)[:8000]
        began = time.process_time()
        _WORK[name](text)
        took = time.process_time() - began
        if took > 0.25:
            slow.append((unit, round(took, 2)))
    assert slow == []


@pytest.mark.parametrize(
    "name", ["redact", "contacts", "by_rules", "sanitise", "quote", "pleasantries", "verdict"]
)
def test_four_times_the_text_takes_about_four_times_the_time(name: str) -> None:
    """Measured where it is long enough to be measured; the clock of a busy machine is forgiven."""
    worse = []
    for unit in _UNITS:
        times = []
        for length in (16_000, 64_000):
            text = (unit * length)[:length]
            began = time.process_time()
            _WORK[name](text)
            times.append(time.process_time() - began)
        if times[1] > 0.4 and times[1] / max(times[0], 0.001) > 10:
            worse.append((unit, [round(took, 2) for took in times]))
    assert worse == []
