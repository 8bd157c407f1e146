"""What a report is about and how many it touches, read from whole words.

Shared by what grades a matter and by what asks about it.
"""

import re
from enum import StrEnum

from backend.app.domain.sessions import Impact


class Kind(StrEnum):
    """What a person wants of the desk."""

    FAILURE = "failure"
    LOSS = "loss"
    REQUEST = "request"
    HOW_TO = "how_to"
    UNCLEAR = "unclear"


def words(*alternatives: str) -> re.Pattern[str]:
    """A pattern for any of ``alternatives`` as whole words, whatever their case."""
    return re.compile(r"(?<!\w)(?:" + "|".join(alternatives) + r")(?!\w)", re.IGNORECASE)


#: Names with "team", "everyone" and the like in them say nothing about who is affected.
_NAMES = words(
    r"(?:microsoft|ms|office) teams?", "teams", "teamviewer", "teamcity", "teamspeak",
    "team ?foundation",
    r"team (?:meetings?|sites?|channels?|calendars?|chats?|drives?|folders?|lead(?:er)?s?|name"
    r"|members? list)",
    r"(?:support|help ?desk|service|it|security|dev|product|development|the) team(?! (?:can|is|are"
    r"|has|have|gets?)\b)",
    r"(?:hi|hello|dear|hey|good morning|thanks|thank you|greetings)(?: there)?(?:,? (?:all"
    r"|everyone|everybody|team|support team))+",
    r"everyone (?:says|said|knows|loves|uses|tells)", r"(?:for|to|from) everyone in the thread",
)  # fmt: skip
_ONLY_ME = words(
    r"(?:only|just) (?:for |to |affects? |affecting )?(?:me|myself)", "only i",
    "it'?s (?:only|just) me",
    r"(?:nobody|no ?one) else",
    r"(?:every(?:one|body)|all|others?|anyone|colleagues|my team|my colleagues?)(?: else)?"
    r"(?: in my \w+)? (?:is|are) (?:fine|ok|okay|unaffected|not affected)",
    r"works? (?:fine |ok )?for (?:every(?:one|body)|all|my colleagues?|others)(?: else)?",
    "single user", "one user",
    "nur (?:bei )?(?:mir|mich|ich)", "nur ein benutzer", "seulement moi", "moi seule?", "que moi",
    "(?:sólo|solo|solamente) (?:a )?(?:yo|mí|mi)",
)  # fmt: skip
_NOT_ONLY_ME = words(
    r"not (?:only|just) (?:for )?(?:me|mine)", "nicht nur (?:bei )?(?:ich|mir|mich)",
    "pas (?:seulement|que) moi",
    r"no (?:sólo|solo) (?:a )?(?:yo|mí)",
    r"me and (?:my|several|some|a few|two|three|other) [\w ]{3,40}",
)  # fmt: skip
_SOME_PEOPLE = (
    r"(?:several|multiple|some|a few|two|three|four|five|ten|other|\d{1,2})(?: other)?"
    r" (?:users|people|persons)"
)
_TEAM = words(
    r"(?!our it |my it )(?:my|our|the (?:whole|entire)|whole|entire|this|a whole|in the|on my"
    r"|all of my) (?:\w+ )?(?:team|department|dept|group|unit|office floor|floor|crew|squad)",
    r"(?:several|multiple|some|many|few|two|three|four|five|other|\d{1,2})(?: of (?:my"
    r"|our))?(?: other)? (?:colleagues|coworkers|co-workers|employees|teammates)",
    r"(?:several|a few|two|three|four|five|ten|\d{1,2}) of us(?! to)",
    rf"{_SOME_PEOPLE} (?:are|were|have|had|get|got|can|see|report|reported|complain|say|in|on|from"
    rf"|at|with the same|affected|cannot|can't|experience|also)(?! (?:read|find))",
    rf"(?:affect(?:s|ing)|impact(?:s|ing)|happens to|and|with|also for) {_SOME_PEOPLE}",
    r"(?:my|our) (?:colleagues|coworkers|co-workers|teammates|team mates)(?! (?:is|are) (?:fine"
    r"|ok))",
    r"we all", "all of us", "both of us",
    r"(?:finance|accounting|sales|marketing|hr|legal|support|security|dev|development) (?:team"
    r"|department) (?:can|is|are|has|have|gets?)(?:not|n'?t)?",
    "(?:mein|unser|das ganze|ganzes) team", "(?:unsere|meine|die ganze) abteilung",
    "(?:meine|unsere|mehrere|einige) (?:kollegen|kolleginnen|benutzer|mitarbeiter)", "wir alle",
    "(?:mon|notre|toute l')[ ]?(?:équipe|service|département)",
    "(?:mes|nos|plusieurs) (?:collègues|utilisateurs)", "nous tous",
    "(?:mi|nuestro|todo el) (?:equipo|departamento)",
    "(?:mis|nuestros|varios) (?:compañeros|colegas|usuarios)", "todos nosotros",
    "team",
)  # fmt: skip
_MANY_PLACES = (
    "(?:users|staff|employees|offices|sites|departments|teams|locations|customers|clients)"
)
_EVERYONE = words(
    r"(?:for|affects|affecting|by|hits|that|happens to|happening to) (?:everyone"
    r"|everybody)(?! else)",
    r"(?:everyone|everybody)(?: else)?(?: (?:in|at|here|from)(?: \w+){1,3})? (?:is|are|has|have"
    r"|gets?|got|can|cannot|can't|sees?|lost|loses|reports?|was)(?:n't)?",
    rf"all (?:the )?{_MANY_PLACES} (?:are|have|get|got|can|cannot|can't|see|lost|report|were|at"
    rf"|in)(?:n't)?",
    rf"(?:for|affects|affecting|hits|impacts|impacting) all (?:the )?{_MANY_PLACES}",
    r"(?:nobody|no ?one)(?: (?:in|at|here|from)(?: \w+){1,3})? (?:can|is able|could|has|gets)",
    r"(?:nobody|no ?one) (?:can|is able to)",
    r"(?:company|organi[sz]ation|enterprise|site|office|campus)[- ]?wide",
    r"(?:the |our )?(?:whole|entire) (?:company|organi[sz]ation|office|site|business|building"
    r"|plant|firm|school|campus|network)",
    "all(?: of)? our (?:users|staff|employees|customers|clients)",
    "alle (?:benutzer|mitarbeiter|kollegen|nutzer|standorte|kunden)",
    "(?:die |das )?(?:ganze|gesamte) (?:firma|unternehmen|organisation|büro|haus)", "niemand kann",
    "alle sind betroffen", "bei allen", "alle",
    "tout le monde", "tous les (?:utilisateurs|employés|collègues|sites)",
    "toute l'(?:entreprise|organisation)", "personne ne peut",
    "todo el mundo", "todos(?: los (?:usuarios|empleados))?",
    "toda la (?:empresa|organización|oficina)", "nadie puede",
)  # fmt: skip
_EVERYONE_OF_TEAM = words(
    r"(?:everyone|everybody|all|nobody|no ?one)(?: else)? (?:in|on|from|of) (?:my|our|the"
    r"|this) (?:\w+ )?(?:team|department|group|unit)",
)


def impact_from(text: str) -> tuple[Impact, str] | None:
    """How many ``text`` says are affected, with the words that say so; None when it does not."""
    plain = _NAMES.sub(lambda found: " " * len(found[0]), text)
    for pattern, impact in (
        (_NOT_ONLY_ME, Impact.TEAM),
        (_EVERYONE_OF_TEAM, Impact.TEAM),
        (_ONLY_ME, Impact.PERSON),
        (_EVERYONE, Impact.ORGANISATION),
        (_TEAM, Impact.TEAM),
    ):
        for found in pattern.finditer(plain):
            if found[0].casefold() not in {"team", "alle", "todos"}:
                return impact, text[found.start() : found.end()]
    return None


def impact_of_answer(answer: str) -> Impact | None:
    """How many an answer to "only you or your team?" names; None when it names none."""
    said = impact_from(answer)
    if said is not None:
        return said[0]
    for pattern, impact in (
        (_ANSWER_TEAM, Impact.TEAM),
        (_ANSWER_ALL, Impact.ORGANISATION),
        (_ANSWER_ME, Impact.PERSON),
    ):
        if pattern.search(answer):
            return impact
    return None


_ANSWER_TEAM = words(
    "team", "person & team", "colleagues?", "department", "group", "several", "others", "us", "we",
    "both",
    "abteilung", "kollegen", "mehrere", "wir", "équipe", "collègues", "plusieurs", "nous", "equipo",
    "compañeros", "varios", "nosotros",
)  # fmt: skip
_ANSWER_ALL = words(
    "everyone", "everybody", "all", "company", "organi[sz]ation", "alle", "tous", "todos", "firma",
    "entreprise", "empresa",
)  # fmt: skip
_ANSWER_ME = words(
    "me", "myself", "i", "mine", "person", "ich", "mir", "mich", "moi", "yo", "mí", "solo yo",
    "one", "single",
)  # fmt: skip

_FAILURE = words(
    r"(?:does|do|did|is|are|was|has|have|had|can|could|will|would|wo|ca)(?: ?n[o']?t|n’t"
    r"|nt)(?! (?:know|see how|understand|want|need|be able to figure|find (?:the|any|a) (?:setting"
    r"|option|way)))",
    "cannot", "can not", "unable to", "not able to", "never", "no longer", "stopped", "stops",
    "fails?", "failed", "failing", "failure",
    "errors?", "crash(?:es|ed|ing)?", "freez(?:e|es|ing)", "frozen", "hangs?", "hung", "stuck",
    "broken", "broke", "problems?", "issues?", "trouble",
    "wrong(?:ly)?", "incorrect(?:ly)?", "slow(?:ly)?", "down", "outage", "timed? ?out", "time-?out",
    "refused", "denied", "rejected", "blocked", "locked",
    "unavailable", "unreachable", "disconnect(?:s|ed|ing)?", "corrupt(?:ed)?", "bug", "exceptions?",
    "fault(?:y)?", "warning",
    "not (?:working|loading|showing|receiving|sending|opening|responding|connecting|found"
    "|available|possible|visible|syncing|printing|recogni[sz]ed|valid)",
    "keeps? (?:on )?\\w+ing", "invalid", "expired", "duplicates", "blank", "flicker(?:s|ing)?",
    "overheat(?:s|ing)?", "unexpectedly",
    "geht nicht", "funktioniert nicht", "fehler(?:meldung)?", "nicht mehr",
    "kann (?:ich )?(?:mich )?nicht", "problem[e]?", "abgestürzt", "stürzt", "kaputt", "langsam",
    "gesperrt", "verweigert", "hängt", "nicht",
    "erreur", "ne (?:marche|fonctionne|peux|peut|s'ouvre|démarre)(?: pas| plus)?", "problème",
    "plante", "bloqué", "refusé", "lent", "panne", "impossible de", "ne \\w+ (?:pas|plus)",
    "no (?:funciona|puedo|puede|abre|carga|se|arranca|me deja)", "problema", "falla", "fallo",
    "fallado", "no (?:me|se|he) \\w+",
    "bloqueado", "lento", "denegado", "no consigo",
)  # fmt: skip
_ERROR_CODE_AS_FAILURE = re.compile(
    r"\b(?:4\d\d|5\d\d) (?:error|forbidden|unauthori[sz]ed)|\berror \d", re.IGNORECASE
)
_LOSS = words(
    r"(?:disappeared|vanished|went missing|gone missing|data loss|overwritten|(?:is|are|was|were"
    r"|all|have|has|suddenly|now) (?:all |now |also |been |just )?(?:gone|missing|lost|deleted"
    r"|erased|wiped))",
    r"(?:i |we |have |has |just )lost (?!access|connection|the ability|password|patience|time"
    r"|my password|connectivity)(?:\w+ )?\w+",
    r"(?:accidentally|mistakenly|inadvertently|by mistake|stupidly) (?:\w+ )?(?:deleted|erased"
    r"|removed|overwrote|wiped)",
    r"lost (?:all|emails?|e-mails?|mails?|messages?|files?|folders?|contacts?|data)",
    r"(?:deleted|erased|wiped) (?:all|everything|by (?:mistake|accident))", "can'?t find my",
    r"(?:where (?:did|have|are|is) my [\w ]{2,40}(?:go|gone))", "verschwunden", "gelöscht",
    "verloren", "perdu(?:e?s?)", "disparu(?:e?s?)", "supprimée?s?",
    "perdido", "desaparecid[oa]s?", "borrad[oa]s?", "perdí",
)  # fmt: skip
_HOW_TO = words(
    r"how (?:do|can|could|should|would|does|to|might)(?: (?:i|you|we|one|it))?", "how-to",
    "what is the (?:best|right|correct|proper|easiest) way",
    r"is (?:it|there)(?: (?:any|a|some))? (?:possible|way|option|setting|method)",
    r"(?:can|could|may|should) (?:i|we|one|you)(?! (?:not|please))",
    "where (?:can|do|is|are|does|would|should) (?:i|we|the|you|it)?",
    "what (?:is|are|does|do) (?:the |a )?", "which", "does (?:\\w+ ){1,4}support",
    "wondering (?:how|if|whether|what)",
    "want(?:ed)? to (?:know|understand|learn)", "would like to (?:know|understand|learn)",
    "trying to (?:figure out|find out|understand)", "instructions", "guide", "explain",
    "questions?", "inquir(?:e|ing|y)", "steps to", "do i need", "advice",
    "recommend(?:ed|ation)?s?", "what (?:to|should (?:i|we)|can (?:i|we)) do",
    "need (?:some )?(?:help|guidance|assistance)(?: (?:with|on|in|to))?",
    r"(?:want|like|trying|attempting|looking|wish|need|able) to(?! be\\b)",
    "(?:trouble|difficult(?:y|ies)) (?:finding|understanding|figuring)",
    "wie (?:kann|kriege|bekomme|mache|stelle|richte|ändere|finde|geht|lässt)",
    "wo (?:kann|finde|ist)", "gibt es", "ist es möglich", "comment", "où", "est-ce (?:que|qu'il)",
    "y a-t-il", "cómo", "como (?:puedo|se puede|hago|hacer)", "dónde", "donde (?:puedo|está|se)",
    "alguien (?:me )?(?:puede|sabe)", "je (?:voudrais|souhaite|cherche)",
    "ich (?:möchte|würde gerne?|suche)", "quiero", "me gustaría", "es posible",
    "hay (?:alguna|una) (?:manera|forma)",
)  # fmt: skip
_REQUEST = words(
    r"(?:i |we )?(?:need|require|request(?:ing)?|would like|want)(?: to (?:get|have|request"
    r"|order))? (?:\w+ ){0,3}(?:access|account|licen[cs]e|permissions?|laptop|phone|monitor"
    r"|keyboard|mouse|mailbox|role|install(?:ed|ation)?|seat)",
    "(?:please|kindly|can you|could you) (?:add|grant|give|create|install|set up|provide|order"
    "|remove|enable|activate|reset|unlock|assign|delete|change)",
    "(?:new (?:starter|joiner|hire|employee|user|laptop|account))", "onboarding", "feature request",
    "(?:ich )?(?:brauche|benötige) (?:einen|eine|ein)", "(?:j'ai|nous avons) besoin",
    "(?:necesito|necesitamos) (?:un|una|acceso)",
)  # fmt: skip
_QUESTION_START = re.compile(
    r"^\W*(?:how|what|where|which|when|who|can(?! ?not|['’]t)|could(?!n)|is|are|does|do|should|may"
    r"|wie|wo|was|welche|kann|gibt|comment|où|quel|est-ce|cómo|dónde|qué|cuál)\b",
    re.IGNORECASE,
)


#: What a report is about stands in its beginning; what was done to it, behind.
_OPENING_CHARACTERS = 400


def kind_of(text: str) -> Kind:
    """What ``text`` wants: to have mended, brought back or given something, or to know."""
    has_loss = _LOSS.search(text) is not None
    has_failure = _FAILURE.search(text) is not None or bool(_ERROR_CODE_AS_FAILURE.search(text))
    has_how_to = _HOW_TO.search(text) is not None
    if has_how_to and not has_failure and not has_loss:
        return Kind.REQUEST if _REQUEST.search(text) and "?" not in text else Kind.HOW_TO
    if _REQUEST.search(text) and not has_failure:
        return Kind.REQUEST
    if (
        _QUESTION_START.match(text)
        and has_how_to
        and len({sign.casefold() for sign in _FAILURE.findall(text)}) <= 1
        and not has_loss
    ):
        return Kind.HOW_TO
    if has_loss and _LOSS.search(text[:_OPENING_CHARACTERS]):
        return Kind.LOSS
    return Kind.FAILURE if has_failure else Kind.UNCLEAR
