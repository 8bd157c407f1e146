"""How reports are graded, look-alikes among them."""

from collections.abc import Mapping
from typing import TypeVar

import pytest

from backend.app.domain.sessions import Category, Classification, Impact, Severity
from backend.app.services.helpdesk.classifying import classify

_Grade = TypeVar("_Grade")

_SEVERITIES = {
    Severity.CRITICAL: [
        "Production is down",
        "The production server is down since 9:00",
        "The whole company network is down, nobody can work",
        "The VPN is down for everyone",
        "Email is down company-wide",
        "Ransomware on the file server",
        "We had a data breach in the customer portal",
        "Nobody in the office can log in",
        "Alle Mitarbeiter betroffen: das Netzwerk ist ausgefallen, niemand kann arbeiten",
        "Le serveur de production est en panne, personne ne peut travailler",
    ],
    Severity.HIGH: [
        "My laptop was stolen on the train",
        "I clicked on a phishing link in an email",
        "My account was hacked",
        "I lost all my emails after the update",
        "All of my files are gone",
        "We have data loss in the archive",
        "I cannot work at all, my computer does not start",
        "My team cannot access the shared drive, access denied",
        "Several colleagues cannot log in to the portal",
    ],
    Severity.MEDIUM: [
        "I cannot download the report, it fails",
        "The download fails with an error",
        "Shutdown takes very long and then fails",
        "The dropdown does not open",
        "Markdown is not rendered correctly in the wiki, the table is broken",
        "The countdown timer is stuck",
        "I cannot scroll down in the list",
        "The breakdown report shows the wrong totals",
        "Microsoft Teams crashes when I share my screen",
        "The team meeting invite does not open",
        "The team site does not load for me",
        "TeamViewer cannot connect",
        "Hello team, my printer is not working",
        "Dear support team, Outlook crashes",
        "Urgent!!! ASAP!!! Outlook crashes",
        "The critical path view in Project does not load",
        "The live chat widget does not open",
        "My antivirus does not start",
        "The lost and found form fails",
        "The security settings page does not load",
        "Mein Drucker funktioniert nicht",
        "Mon imprimante ne marche pas",
        "Mi impresora no funciona",
        "Hi everyone, my mouse is broken",
    ],
    Severity.LOW: [
        "How do I download the annual report?",
        "How can I shut down my computer every night?",
        "Where can I find the markdown guide?",
        "How do I add a channel in Microsoft Teams?",
        "How does the team calendar work?",
        "Can I change my default font?",
        "There is a typo on the login page",
        "The logo is misaligned on the start page",
        "Feature request: dark mode",
        "It would be nice to have larger icons",
        "I need access to the SharePoint site of finance",
        "Please install Visio on my laptop",
        "Wie kann ich meine Signatur ändern?",
        "Comment changer ma signature ?",
        "¿Cómo puedo cambiar mi firma?",
        "How do I report a production outage?",
    ],
}
_IMPACTS = {
    Impact.PERSON: [
        "Microsoft Teams does not start",
        "The team meeting invite does not open",
        "It is only me, my team is fine",
        "It works for everyone else",
        "Hello team, I cannot print",
        "Thanks everyone, Outlook crashes",
        "Team Foundation Server rejects my check-in",
        "I use TeamViewer and it fails",
        "Nur bei mir geht es nicht, alle anderen sind nicht betroffen",
        "Everyone says it is easy, but it fails",
    ],
    Impact.TEAM: [
        "My team cannot open the budget",
        "Our department gets the same error",
        "Several colleagues have the same problem",
        "It is not only me, others see the error",
        "Everyone in my team gets a 403 error",
        "Mein Team kann die Datei nicht öffnen",
        "Mon équipe ne peut pas imprimer",
        "Mi equipo no puede entrar",
    ],
    Impact.ORGANISATION: [
        "Everyone is affected, the site fails",
        "Nobody can log in",
        "The whole company gets this error",
        "All users are locked out",
        "Company-wide outage",
        "Niemand kann sich anmelden",
        "Personne ne peut se connecter, erreur",
        "Nadie puede entrar, error",
    ],
}
_CATEGORIES = {
    Category.ACCESS: [
        "Oracle Financials 403 error on budget reports",
        "I cannot log in to the portal",
        "My account is locked",
        "Ich kann mich nicht anmelden",
        "Mot de passe oublié",
    ],
    Category.EMAIL: ["Outlook does not receive messages", "I cannot send mails"],
    Category.NETWORK: ["VPN disconnects every hour", "No internet on the third floor, wifi fails"],
    Category.HARDWARE: [
        "The printer shows a paper jam",
        "My monitor flickers",
        "Drucker druckt nicht",
    ],
    Category.DATA: ["I deleted a folder, please restore the file", "The database is corrupted"],
    Category.SOFTWARE: ["Excel crashes when I open a macro", "The application freezes"],
    Category.OTHER: ["The coffee is cold"],
}


def _flat(table: Mapping[_Grade, list[str]]) -> list[tuple[str, _Grade]]:
    return [(text, grade) for grade, texts in table.items() for text in texts]


@pytest.mark.parametrize(("text", "severity"), _flat(_SEVERITIES))
def test_severity_follows_what_does_not_work(text: str, severity: Severity) -> None:
    assert classify(text, {}).severity is severity


@pytest.mark.parametrize(("text", "impact"), _flat(_IMPACTS))
def test_impact_follows_who_is_named(text: str, impact: Impact) -> None:
    assert classify(text, {}).impact is impact


@pytest.mark.parametrize(("text", "category"), _flat(_CATEGORIES))
def test_category_follows_the_words(text: str, category: Category) -> None:
    assert classify(text, {}).category is category


@pytest.mark.parametrize(
    ("answer", "impact"),
    [
        ("Only me", Impact.PERSON),
        ("just me I think", Impact.PERSON),
        ("My team", Impact.TEAM),
        ("the whole finance team", Impact.TEAM),
        ("me and my colleagues", Impact.TEAM),
        ("Everyone", Impact.ORGANISATION),
        ("Nur ich", Impact.PERSON),
        ("Mein Team", Impact.TEAM),
        ("tout le monde", Impact.ORGANISATION),
        ("solo yo", Impact.PERSON),
    ],
)
def test_an_answer_about_impact_wins(answer: str, impact: Impact) -> None:
    assert classify("All users are locked out", {"impact": answer}).impact is impact


def test_an_answer_that_says_nothing_leaves_it_to_the_text() -> None:
    assert classify("Our department cannot print", {"impact": "not known"}).impact is Impact.TEAM


def test_the_scripted_example_comes_out() -> None:
    grade = classify("Oracle Financials 403 error on budget reports", {"impact": "My team"})
    assert grade == Classification(Severity.HIGH, Impact.TEAM, Category.ACCESS)
