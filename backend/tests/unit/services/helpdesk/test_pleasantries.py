"""Calls for help that say nothing of what with, and questions that only look like one."""

import pytest

from backend.app.services.helpdesk.pleasantries import only_asks_for_help


@pytest.mark.parametrize(
    "text",
    [
        "get help",
        "Help!",
        "help me",
        "Please help",
        "help me troubleshoot",
        "I need help",
        "can you help me please?",
        "could someone please help me out",
        "Get me help now",
        "troubleshoot this with me",
        "hi, I still need some help",
        "Hilfe!",
        "Ich brauche Hilfe",
        "Können Sie mir bitte helfen?",
        "j'ai besoin d'aide",
        "Pouvez-vous m'aider s'il vous plaît ?",
        "Aide",
        "ayuda",
        "necesito ayuda por favor",
        "¿puedes ayudarme?",
    ],
)
def test_a_bare_call_for_help(text: str) -> None:
    assert only_asks_for_help(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "help me with my printer",
        "Help > About shows the wrong version",
        "the help page is blank",
        "I need help with VPN",
        "can you help me reset my password",
        "Hilfe beim Drucker",
        "Ich brauche Hilfe mit Outlook",
        "j'ai besoin d'aide avec Excel",
        "necesito ayuda con la impresora",
        "helpdesk is down",
        "this does not help",
        "help " * 40,
    ],
)
def test_what_says_more_is_a_matter(text: str) -> None:
    assert not only_asks_for_help(text)
