"""What a text may name, and what it made up."""

import pytest

from backend.app.services.helpdesk.grounding import cited, invented, leads_elsewhere

MATERIAL = (
    "Open C:\\Tools\\vpn.exe, version 4.2.1, on port 8443. See https://help.example.org/vpn and"
    " write to desk@example.org. Error 403 or AADSTS50126. Set /etc/vpn/client.conf."
)


@pytest.mark.parametrize(
    "text",
    [
        "1. Open the program.\n2. Wait.",
        "Version 4.2.1 answers 403 [1].",
        "See <https://help.example.org/vpn>.",
        "Ask desk@example.org!",
        "Start `C:\\Tools\\vpn.exe`, port 8443.",
        "aadsts50126 stands for a wrong password",
        "Edit /etc/vpn/client.conf, please",
        "",
    ],
)
def test_what_the_material_holds_may_be_said(text: str) -> None:
    assert invented(text, MATERIAL) == []


@pytest.mark.parametrize(
    ("text", "made_up"),
    [
        ("Version 4.2 is old", "4.2"),
        ("Version 4.2.10 is new", "4.2.10"),
        ("Error 40", "40"),
        ("Go to https://help.example.org/vpn/evil", "https://help.example.org/vpn/evil"),
        ("Go to http://evil.example", "http://evil.example"),
        ("Go to www.evil.example", "www.evil.example"),
        ("Write to desk@evil.example", "desk@evil.example"),
        ("Run evil.exe", "evil.exe"),
        ("Delete \\\\server\\share", "\\\\server\\share"),
        ("Call 0800 123", "0800"),
    ],
)
def test_what_is_made_up_is_found(text: str, made_up: str) -> None:
    assert made_up in invented(text, MATERIAL)


@pytest.mark.parametrize(
    ("text", "sources", "shown"),
    [
        ("Do it. [1]", 1, "Do it. [1]"),
        ("Do it. [7]", 2, "Do it. [1]"),
        ("Do it.", 1, "Do it. [1]"),
        ("Do it. [2]", 2, "Do it. [2]"),
        ("Do it.", 0, "Do it."),
    ],
)
def test_only_sources_that_exist_are_cited(text: str, sources: int, shown: str) -> None:
    assert cited(text, sources) == shown


@pytest.mark.parametrize(
    ("text", "does"),
    [
        ("Do you use Windows 10 or 11?", False),
        ("What does https say?", False),
        ("See HTTPS://evil.example", True),
        ("see ｗｗｗ.evil.example", True),
        ("write to a@b.c", True),
        ("[click](x)", True),
        ("javascript:alert(1)", True),
    ],
)
def test_a_question_leads_nowhere_else(text: str, does: bool) -> None:
    assert leads_elsewhere(text) == does
