"""What replies to a proposed fix mean."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.app.services.helpdesk.replies import (
    FILE_A_TICKET,
    PROPOSAL_CHOICES,
    STILL_BROKEN,
    THAT_FIXED_IT,
    Reading,
    read_verdict,
)

_SOLVED = [
    "That fixed it",
    "that fixed it, thanks!",
    "It works now",
    "Works now, thank you so much",
    "Yes, it is fixed",
    "fixed!",
    "Solved, thanks",
    "Great, that did the trick",
    "The problem is gone",
    "The error no longer appears",
    "I no longer get the error",
    "It doesn't crash any more, it works",
    "No more errors, all good",
    "At first it didn't work, but after a restart it works now",
    "Everything is working again",
    "I can log in again",
    "no problem, it works now",
    "never mind, it works now",
    "Es funktioniert jetzt, danke",
    "Das hat geholfen, danke!",
    "Problem gelöst",
    "Jetzt geht es wieder",
    "Der Fehler ist weg",
    "Ça marche maintenant, merci",
    "C'est résolu, merci beaucoup",
    "Le problème est réglé",
    "Ya funciona, gracias",
    "El problema está resuelto",
]
_NOT_SOLVED = [
    "It is not fixed",
    "still not solved",
    "no longer works",
    "great, now it's worse",
    "It isn't working",
    "It doesnt work",
    "It did not help",
    "Nope",
    "no",
    "Still the same error",
    "Same problem as before",
    "No luck",
    "no change",
    "Sadly that hasn't resolved it",
    "I wouldn't say it is fixed",
    "I don't think the problem is gone",
    "It works for a minute, then it crashes again",
    "Tried it, the issue is back",
    "The problem is not gone",
    "Nothing changed",
    "It never worked",
    "Oh great, now nothing works",
    "Thanks for nothing",
    "Yeah, right",
    "Not working yet",
    "Geht immer noch nicht",
    "Funktioniert leider nicht",
    "Nein",
    "Das hat nicht geholfen",
    "Na toll, jetzt ist es noch schlimmer",
    "Ça ne marche toujours pas",
    "Non, ça n'a rien changé",
    "Toujours la même erreur",
    "Ça ne marche plus",
    "No funciona",
    "Sigue igual",
    "No, todavía no",
    "Ya no funciona",
    "El problema no está resuelto",
    "it doesn't stop crashing",
    "The cancel button does not work",
]
_INFORMATION = [
    "it's fixed? no, it fails again",
    "yesterday it worked",
    "did that fix it?",
    "Is it fixed?",
    "would be nice if it worked",
    "If it works I will tell you",
    "I hope it works now",
    "It used to work",
    "It works on my phone but the laptop gives the error",
    "My colleague says it works for her",
    "It should be fixed now",
    'Sure, "fixed"',
    "I'll try that",
    "thanks",
    "ok",
    "The fix you describe needs admin rights",
    "I use Windows 11",
    "The workaround works sometimes",
    "Wie funktioniert das?",
    "Gestern ging es noch",
    "Wenn es funktioniert, melde ich mich",
    "Hier ça marchait",
    "Si ça marche, je vous dirai",
    "Ayer funcionaba",
    "Ojalá funcione",
    "I worked through the steps",
    "The working hours are 9 to 5",
    "Solved it by buying a Mac lol",
    "what does it mean, solved?",
    "Everything is fine except that it works only once",
    "I filed a ticket last week",
    "don't file a ticket",
    "I cannot open a ticket in Jira",
    "Is there already a ticket?",
    "The service won't stop",
    "Stop the service first? It hangs",
]
_WANTS_TICKET = [
    "Please file a ticket",
    "open a ticket please",
    "Can you create a support ticket for me",
    "I want to talk to a human",
    "escalate this",
    "just file it",
    "Ticket please",
    "Bitte ein Ticket erstellen",
    "Créez un ticket s'il vous plaît",
    "Quiero abrir un ticket",
    "No, still broken, please open a ticket",
]
_WANTS_TO_STOP = [
    "never mind",
    "Cancel",
    "stop",
    "forget it",
    "Vergiss es",
    "Laisse tomber",
    "olvídalo",
    "I don't need help any more",
]
#: Speak of fixing and working without saying that it works now.
_FALSE_FRIENDS = [
    "Fixed. Now the printer is offline",
    "It worked before the update",
    "it works everywhere else",
    "It works, just kidding",
    "works as badly as ever",
    "Perfect, another useless article",
    "I wish this worked",
    "Who says it works?",
    "Funny how it works for you",
    "It works only after five reboots",
    "The link works but the report does not",
    "Problem solved? Hardly",
    "resolved to nothing",
    "it is far from fixed",
    "hardly fixed",
    "It's anything but fixed",
    "I would be happy if it was fixed",
    "The status page says it's resolved",
    "Outlook says working offline",
    "The problem is solved on one machine, not on the rest",
    "Yes",
    "Yes please",
    "Ja",
    "oui",
    "sí",
    "Works on Tuesday?",
    "worked until noon",
    "That works for me, let's do 3pm",
    "Klappt nicht",
    "geht so",
    "Läuft bei dir",
    "Es geht um den Drucker",
    "Es geht nicht",
    "Ça marche, je vais essayer",
    "ça ne va pas mieux",
    "no me funciona",
    "funciona a medias",
    "Funciona, pero lento",
    "I fixed the typo and still get 403",
    "everything is broken",
    "All fixed... said nobody ever",
]


@pytest.mark.parametrize(
    ("reply", "reading"),
    [
        *((reply, Reading.SOLVED) for reply in _SOLVED),
        *((reply, Reading.NOT_SOLVED) for reply in _NOT_SOLVED),
        *((reply, Reading.INFORMATION) for reply in _INFORMATION),
        *((reply, Reading.WANTS_TICKET) for reply in _WANTS_TICKET),
        *((reply, Reading.WANTS_TO_STOP) for reply in _WANTS_TO_STOP),
    ],
)
def test_a_reply_means_what_a_person_would_take_it_for(reply: str, reading: Reading) -> None:
    assert read_verdict(reply) is reading


@pytest.mark.parametrize("reply", _FALSE_FRIENDS)
def test_talk_about_fixing_is_no_success(reply: str) -> None:
    assert read_verdict(reply) is not Reading.SOLVED


@pytest.mark.parametrize(
    ("choice", "reading"),
    [
        (THAT_FIXED_IT, Reading.SOLVED),
        (STILL_BROKEN, Reading.NOT_SOLVED),
        (FILE_A_TICKET, Reading.WANTS_TICKET),
    ],
)
@pytest.mark.parametrize("reply", ["", "It works now", "no", "open a ticket", "cancel"])
def test_a_choice_decides_before_the_words(choice: str, reading: Reading, reply: str) -> None:
    assert read_verdict(reply, choice) is reading
    assert choice in PROPOSAL_CHOICES


def test_a_choice_that_is_none_of_ours_is_not_believed() -> None:
    assert read_verdict("It is not fixed", "Fixed!") is Reading.NOT_SOLVED


@pytest.mark.parametrize("denial", ["It is not true that", "I doubt whether", "Who would say that"])
@pytest.mark.parametrize("reply", ["it works now", "it is fixed", "the problem is gone"])
def test_no_denial_in_front_leaves_a_success(denial: str, reply: str) -> None:
    assert read_verdict(f"{denial} {reply}") is not Reading.SOLVED


def test_a_long_story_is_information() -> None:
    assert read_verdict("It works now. " * 200) is Reading.INFORMATION


@given(st.text(max_size=300))
def test_every_text_is_read(reply: str) -> None:
    assert isinstance(read_verdict(reply), Reading)
