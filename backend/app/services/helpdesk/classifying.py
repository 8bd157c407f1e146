"""How a matter is graded from what a person wrote, by whole words.

A person's "urgent" does not raise the grade: what counts is what does not work and for how many.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from backend.app.domain.sessions import Category, Classification, Impact, Severity
from backend.app.services.helpdesk.signs import (
    Kind,
    impact_from,
    impact_of_answer,
    kind_of,
    words,
)

_CATEGORY_SIGNS = {
    Category.ACCESS: words(
        "401", "403", "forbidden", "unauthori[sz]ed", "access denied",
        "permission(?:s)?(?: denied)?", "denied", "not authori[sz]ed",
        r"log(?:ging|ged)?[- ]?(?:in|on|into)", r"sign(?:ing|ed)?[- ]?(?:in|on|into)", "login",
        "logon", "passwords?", "passcode", "mfa", "2fa", "authenticat\\w+", "authori[sz]ation",
        "oauth2?", "sso",
        "(?:account )?locked(?: out)?", "lockout", "unlock", "credentials?", "access to",
        "(?:no|lost|need|grant|my|request|give|remove|gain|losing|without) access", "access rights",
        "roles?", "privileges?", "ldap", "active directory", "saml",
        "passwort", "kennwort", "anmelden", "anmeldung", "einloggen", "zugriff", "zugang",
        "berechtigung(?:en)?", "gesperrt",
        "mot de passe", "connexion", "me connecter", "accès", "identifiants", "contraseña",
        "acceso", "iniciar sesión", "permisos?",
    ),
    Category.EMAIL: words(
        "e-?mails?", "mails?", "mailbox(?:es)?", "inbox", "outbox", "outlook", "thunderbird",
        "imap", "pop3?", "smtp", "exchange", "gmail", "hotmail", "spam", "junk", "attachments?",
        "sent (?:folder|items|mail)", "newsletters?",
        "postfach", "posteingang", "anhang", "courriel(?:s)?", "messagerie", "pièce jointe",
        "boîte (?:mail|de réception)", "correo(?:s)?", "bandeja de entrada",
    ),
    Category.NETWORK: words(
        "network", "wi-?fi", "wlan", "vpn", "internet", "ethernet", "dns", "dhcp", "proxy",
        "firewall", "router", "switch port", "bandwidth", "latency", "packet loss", "ping",
        "ip address", "connectivity", "no connection", "remote desktop", "rdp", "hotspot",
        "netzwerk", "verbindung", "réseau", "red", "conexión",
    ),
    Category.HARDWARE: words(
        "monitor", "keyboard", "printer", "printing", "scanner", "headset", "headphones",
        "microphone", "webcam", "dock(?:ing station)?", "battery", "charger", "charging",
        "power supply", "usb", "hdmi", "hard ?drive", "hard disk", "ssd", "projector", "toner",
        "paper jam", "speaker", "touchpad", "bluetooth",
        "drucker", "bildschirm", "tastatur", "maus", "akku", "ladegerät", "imprimante", "écran",
        "clavier", "souris", "batterie", "ordinateur", "impresora", "pantalla", "teclado", "ratón",
        "batería", "ordenador",
    ),
    Category.DATA: words(
        "data", "database", "reports?", "spreadsheets?", "backups?", "restore",
        "export(?:s|ed|ing)?", "import(?:s|ed|ing)?", "csv", "sql", "records?", "migration",
        "files?", "folders?", "lost", "deleted", "corrupt(?:ed)?",
        "missing (?:files?|data|folders?|records?)", "sync(?:ed|ing|hroni[sz]\\w+)?", "dashboards?",
        "tables?",
        "daten(?:bank)?", "dateien?", "ordner", "bericht(?:e)?", "gelöscht", "données", "fichiers?",
        "dossiers?", "rapports?", "datos", "archivos?", "carpetas?", "informes?",
    ),
    Category.SOFTWARE: words(
        "app(?:s|lication|lications)?", "software", "program(?:me)?s?",
        "install(?:s|ed|ing|ation|er)?", "uninstall\\w*", "updat(?:e|es|ed|ing)",
        "upgrad(?:e|es|ed|ing)", "versions?", "crash(?:es|ed|ing)?", "freez(?:e|es|ing)",
        "plug-?ins?", "add-?ons?", "extensions?", "licen[cs]es?", "browser", "excel", "word",
        "powerpoint", "office", "chrome", "firefox", "edge", "windows", "macos", "linux", "teams",
        "zoom", "slack", "sap", "oracle", "jira", "button", "settings?", "config(?:uration|ured?)?",
        "server", "script", "api", "exceptions?", "stack ?trace", "website", "site", "page",
        "editor", "template", "feature", "toolbar", "menu", "font", "theme",
        "programm", "anwendung", "installieren", "aktualisierung", "logiciel", "mise à jour",
        "installer", "aplicación", "programa", "actualización", "instalar",
    ),
}  # fmt: skip
#: A sign of these outweighs several of the others: they name the matter, not its surroundings.
_STRONG = {
    Category.ACCESS: words(
        "401", "403", "forbidden", "access denied", "permission denied", "unauthori[sz]ed",
        "not authori[sz]ed", "locked out",
        "(?:cannot|can'?t|can not|unable to|couldn'?t|not able to) (?:log|sign)[- ]?(?:in|on|into)",
        "(?:reset|forgot|forgotten|wrong|incorrect|change|expired?) (?:my "
        "|the )?(?:\\w+ )?password", "password (?:reset|expired|incorrect|is wrong|not accepted)",
        "mfa", "2fa", "account (?:is |was |got )?(?:locked|disabled|suspended)",
        "zugriff verweigert", "nicht anmelden", "accès refusé", "acceso denegado",
        "kann mich nicht (?:anmelden|einloggen)", "passwort vergessen", "mot de passe oublié",
        "olvidé mi contraseña",
    ),
    Category.NETWORK: words("vpn", "wi-?fi", "wlan", "dns", "no internet",
        "network (?:is )?(?:down|outage|drive|connection)", "firewall"),
    Category.HARDWARE: words("printer", "toner", "paper jam", "monitor", "keyboard",
        "docking station", "battery", "charger", "webcam", "headset", "drucker", "imprimante",
        "impresora", "won'?t (?:turn|power|switch) on", "bildschirm", "écran", "pantalla", "mouse",
        "touchpad"),
    Category.DATA: words("data loss", "lost (?:all )?(?:my |the |our )?(?:data|files?|folders?)",
        "restore (?:\\w+ ){0,3}(?:file|folder|backup|data)s?",
        "(?:deleted|overwritten|corrupted) (?:\\w+ ){0,2}(?:files?|folders?|data|records?"
        "|database)", "database"),
    Category.EMAIL: words("(?:send|receive|sending|receiving) (?:e-?)?mails?", "mailbox", "outlook",
        "inbox", "thunderbird", "smtp", "imap", "postfach", "messagerie"),
}  # fmt: skip
_ORDER = (
    Category.ACCESS,
    Category.NETWORK,
    Category.HARDWARE,
    Category.EMAIL,
    Category.DATA,
    Category.SOFTWARE,
)
_STRONG_WEIGHT = 3
#: What a report opens with says what it is about.
_OPENING_CHARACTERS = 120

_OUTAGE = words(
    r"(?:is|are|was|were|went|gone|goes|has been|been|completely|all|still|server|system|site"
    r"|website|network|service|production|vpn|internet|database|e-?mail) (?:completely |all "
    r"|totally |currently |now )?down(?! (?:the|to|arrow|menu|list|by|from|a|an|my|on|in(?:to)?"
    r"|load|with)\b)",
    "outage", "offline for (?:everyone|all)", "ausgefallen", "ausfall", "liegt lahm",
    "(?:est|sont) en panne", "hors service", "(?:está|están) caíd[oa]s?", "down since",
    "down for (?:everyone|all|us)",
)  # fmt: skip
_PRODUCTION = words(
    r"(?:production|prod|live|productive)(?: (?:system|server|environment|database|line|site"
    r"|cluster|app\w*))?", "produktion(?:ssystem|sserver)?", "producción", "payroll", "checkout",
    "the (?:whole|entire) (?:company|site|network|office)",
)  # fmt: skip
_SECURITY = words(
    "ransomware", "hacked", "been compromised", "(?:was|is|were|got|account) compromised",
    "data breach", "security (?:breach|incident)", "virus (?:found|detected|infection)",
    "(?:found|detected|got|have|has|with) (?:a |some )?(?:malware|virus|trojan|ransomware)",
    "(?:is|are|was|were|got|been|pc|computer|laptop|machine) infected", "phishing (?:link|attack)",
    "clicked (?:on )?(?:a |the )?(?:phishing|suspicious|malicious)[\\w ]{0,30}",
    "(?:laptop|phone|device|computer|badge|tablet)(?: was| got| has been)? stolen",
    "stolen (?:laptop|phone|device|computer)", "lost my (?:work |company )?(?:laptop|phone)",
    "unauthori[sz]ed (?:access to|login|logins|transaction|transactions)", "leaked", "gehackt",
    "verschlüsselungstrojaner", "piraté", "hackeado",
    "someone (?:else )?(?:is using|logged into|has access to|accessed) my",
)  # fmt: skip
#: What a report opens with weighs; what is told far below was often tried or read elsewhere.
_GRADED_CHARACTERS = 600
_GRAVE_SECURITY = words("ransomware", "data breach", "security breach", "verschlüsselungstrojaner",
    "leaked (?:\\w+ ){0,3}data")  # fmt: skip
_DATA_LOSS = words(
    "data loss",
    r"(?:lost|erased|wiped|deleted|destroyed|overwrote|overwritten) (?:all|everything|years|months"
    r"|thousands|the (?:whole|entire))(?: (?:of |my |our |the )?\w+)?",
    r"(?:all|years of|everything)(?: (?:of |my |our |the )?[\w-]+){0,3} (?:is|are|was|were|has"
    r"|have|got)(?: been)? (?:all )?(?:gone|lost|deleted|erased|wiped|disappeared|vanished"
    r"|missing)",
    "datenverlust", "alles weg", "alle (?:daten|dateien|mails) (?:sind )?(?:weg|gelöscht|verloren)",
    "perte de données", "tout (?:a )?disparu", "pérdida de datos", "lost all",
)  # fmt: skip
_CANNOT_WORK = words(
    r"(?:cannot|can'?t|can not|unable to|could ?n'?t) (?:do (?:any|my) work|work(?! (?:out|around"
    r"|with|on|from))|do anything(?! (?:with|about|to|except))|use (?:my|the) (?:computer|laptop"
    r"|pc|machine) at all)", "work has stopped", "completely blocked", "dead in the water",
    "all work",
    r"(?:nobody|no ?one)(?: [\w']+){0,4} (?:can|could|is able to) (?:work|log in|log on|sign in"
    r"|access|connect|print|send|open|use|reach)",
    r"(?:everyone|everybody|we all|the whole [\w]+|the entire [\w]+)(?: [\w']+){0,4} (?:can'?t"
    r"|cannot|is unable to|are unable to) (?:work|log in|log on|sign in|access|connect|print|send"
    r"|open|use|reach)",
    "kann nicht arbeiten", "niemand kann", "ne peux pas travailler", "personne ne peut",
    "no puedo trabajar", "nadie puede",
)  # fmt: skip
_ACCESS_ERROR = words(
    "401", "403", "forbidden", "access (?:is |was )?denied", "permission (?:is )?denied",
    "unauthori[sz]ed", "not authori[sz]ed", "locked out",
    "(?:cannot|can'?t|can not|unable to|not able to|couldn'?t|no longer) (?:log|sign|get"
    "|access)[- ]?(?:in|on|into)?", "zugriff verweigert", "accès refusé", "acceso denegado",
)  # fmt: skip
_COSMETIC = words(
    "cosmetic", "typo", "spelling (?:mistake|error)", "misspell\\w*", "misaligned", "alignment",
    "logo", "font(?: size)?", "colou?rs?", "dark (?:mode|theme)", "wallpaper", "tooltip", "minor",
    "nice to have", "feature request", "would be nice", "suggestion", "enhancement", "tippfehler",
    "schriftart", "schönheitsfehler", "faute de frappe", "couleur", "error tipográfico",
)  # fmt: skip


#: Things that are often only where the matter shows.
_MACHINE = words(
    "laptop", "notebook", "computer", "pc", "desktop", "screen", "display", "mouse", "print",
    "scan", "camera", "ram", "fan", "phone", "tablet", "iphone", "ipad",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Graded:
    """A classification with how sure each grade is, 0 to 1.

    These are not learnt but set: near 1 when the person said it, in the middle when a sign was
    read, low when nothing was found and the most common grade is assumed.
    """

    classification: Classification
    severity_confidence: float
    impact_confidence: float
    category_confidence: float

    @property
    def category(self) -> Category:
        """The category by the rules."""
        return self.classification.category


_SAID = 0.9
_READ = 0.65
_ASSUMED = 0.4


def _category_scores(text: str) -> dict[Category, int]:
    opening = text[:_OPENING_CHARACTERS]
    scores = {}
    for category in _ORDER:
        distinct = {found.casefold() for found in _CATEGORY_SIGNS[category].findall(text)}
        first = {found.casefold() for found in _CATEGORY_SIGNS[category].findall(opening)}
        strong = _STRONG.get(category)
        weight = _STRONG_WEIGHT if strong is not None and strong.search(opening) else 0
        weight += 1 if strong is not None and strong.search(text) else 0
        scores[category] = min(len(distinct), 4) + 2 * min(len(first), 3) + weight
    scores[Category.HARDWARE] += 1 if _MACHINE.search(text) else 0
    return scores


def _category(text: str) -> Category:
    scores = _category_scores(text)
    best = max(_ORDER, key=lambda category: scores[category])
    return best if scores[best] else Category.OTHER


def _impact(text: str, facts: Mapping[str, str]) -> Impact:
    said = impact_of_answer(facts.get("impact", ""))
    if said is not None:
        return said
    read = impact_from(text) if kind_of(text) is not Kind.HOW_TO else None
    return read[0] if read is not None else Impact.PERSON


def _severity(text: str, kind: Kind, impact: Impact, category: Category) -> Severity:
    if kind in {Kind.HOW_TO, Kind.REQUEST}:
        return Severity.LOW
    is_wide = impact is Impact.ORGANISATION
    is_stopped = _OUTAGE.search(text) is not None or _CANNOT_WORK.search(text) is not None
    if _SECURITY.search(text):
        is_grave = is_wide or _GRAVE_SECURITY.search(text) is not None
        return Severity.CRITICAL if is_grave else Severity.HIGH
    if is_stopped and (is_wide or _PRODUCTION.search(text)):
        return Severity.CRITICAL
    if _DATA_LOSS.search(text):
        return Severity.CRITICAL if is_wide else Severity.HIGH
    if (
        _COSMETIC.search(text[:_OPENING_CHARACTERS])
        and not is_stopped
        and not _ACCESS_ERROR.search(text)
    ):
        return Severity.LOW
    if impact is not Impact.PERSON:
        is_blocking = is_stopped or category in {Category.ACCESS, Category.NETWORK} or is_wide
        return Severity.HIGH if is_blocking else Severity.MEDIUM
    if is_stopped and _CANNOT_WORK.search(text):
        return Severity.HIGH
    return Severity.MEDIUM


def classify(text: str, facts: Mapping[str, str]) -> Classification:
    """The grade of the matter that ``text`` and the answers in ``facts`` describe."""
    known = " ".join(facts[key] for key in ("error", "product") if key in facts)
    whole = f"{text}\n{known}"
    graded = f"{text[:_GRADED_CHARACTERS]}\n{known}"
    impact = _impact(text, facts)
    category = _category(whole)
    return Classification(_severity(graded, kind_of(text), impact, category), impact, category)


def grade(text: str, facts: Mapping[str, str]) -> Graded:
    """The same with how sure each of it is."""
    found = classify(text, facts)
    whole = f"{text}\n{' '.join(facts[key] for key in ('error', 'product') if key in facts)}"
    first, second, *_ = sorted(_category_scores(whole).values(), reverse=True)
    category = _ASSUMED if first == 0 else min(_SAID, 0.5 + 0.4 * (first - second) / first)
    if impact_of_answer(facts.get("impact", "")) is not None:
        impact = _SAID
    else:
        impact = _READ if found.impact is not Impact.PERSON else 0.5
    severity = _ASSUMED if found.severity is Severity.MEDIUM else _READ
    return Graded(found, severity, impact, round(category, 3))
