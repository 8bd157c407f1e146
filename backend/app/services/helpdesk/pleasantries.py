"""What people write around a question out of politeness; a search and a title do without it."""

import re

_GREETING = re.compile(
    r"^(?:\W{0,3}(?:hi|hello|hey|hallo|dear|greetings|good (?:morning|afternoon|evening|day)"
    r"|guten (?:tag|morgen|abend)"
    r"|moin|servus|grüezi|liebes?|sehr geehrte[rs]?|bonjour|bonsoir|salut|hola|buen[oa]s (?:días"
    r"|tardes|noches)|estimad[oa]s?)\b"
    r"(?:,? (?:all|everyone|everybody|there|team|guys|folks|support|support team|it team"
    r"|it support|helpdesk"
    r"|help desk|service desk|sir|madam|sir or madam|sir/madam|friends?|community|experts?|zusammen"
    r"|liebes|damen und herren|team|alle|leute|à tous|à toutes|tout le monde|madame|monsieur"
    r"|madame, monsieur|a todos|equipo|señores|again|mozilla|colleagues|kollegen"
    r"|kolleginnen und kollegen)\b)*[ \t]*[,.!:;–—-]*\s*)",
    re.IGNORECASE,
)
_OPENERS = re.compile(
    r"^(?:(?:i )?hope (?:you(?:'re| are| all are)?|this (?:email|message|note)|all is"
    r"|everyone is)[^.,!?\n]{0,40}[.,!?\n]+\s*"
    r"|(?:sorry|apologies|excuse me)(?: (?:to bother|for (?:the )?(?:bother|disturb|long"
    r"|trouble))[^.,!?\n]{0,40})?[.,!]\s*"
    r"|(?:i|we) (?:was|were|am|'m|are) (?:just )?(?:wondering|curious)(?: (?:if"
    r"|whether)(?: (?:someone|anyone|somebody|anybody|you) (?:could|can|would"
    r"|might)(?: please)?)?)?[,: ]\s*"
    r"|(?:if |whether )?(?:someone|anyone|anybody|somebody) (?:can|could|would"
    r"|knows?)(?: please)? (?:help|assist|tell me|explain)(?: me)?(?: with| out)?[,: ]\s*"
    r"|help (?:me )?with\s+|(?:i )?just (?:wanted|want) to (?:ask|check|know|inquire)(?: (?:if"
    r"|whether|about))?[,: ]\s*"
    r"|(?:i )?(?:would|'d) like to (?:ask|inquire|know)(?: (?:if|whether|about))?[,: ]\s*"
    r"|(?:can|could|would) (?:someone|anyone|somebody|anybody|you)(?: please"
    r"| kindly)? (?:help(?: me)?(?: (?:with|out|to))?|tell me|explain|advise(?: me)?(?: on)?"
    r"|assist(?: me)?(?: with)?|let me know)[,:? ]\s*"
    r"|(?:please|kindly)(?: (?:can|could) you)?(?: (?:help(?: me)?(?: with)?|advise(?: on)?"
    r"|assist(?: me)?(?: with)?))?[,:! ]\s*"
    r"|(?:i )?(?:have|got|had|'ve got) (?:a|one|the following) (?:quick |simple |small "
    r"|short )?question(?: (?:about|regarding|on|for you))?[,:. ]\s*"
    r"|(?:quick |short )?question[:,] ?\s*"
    r"|thanks(?: in advance)?(?: for (?:your|the|any) [^.,!?\n]{0,30})?[.,!]\s*"
    r"|thank you(?: in advance)?(?: for [^.,!?\n]{0,40})?[.,!]\s*"
    r"|(?:ich )?(?:hoffe,? (?:es geht|ihr|sie)[^.!?\n]{0,40}[.!?]+\s*)|(?:könnt|können"
    r"|könnte) (?:ihr|sie|jemand|mir jemand)(?: mir)?(?: bitte)?(?: helfen)?[,:? ]\s*"
    r"|(?:ich )?(?:habe|hätte) (?:eine|mal eine) (?:kurze )?frage(?: zu)?[,:. ]\s*"
    r"|(?:ich )?wollte (?:mal )?fragen,? ob\s*"
    r"|(?:j'espère que vous[^.,!?\n]{0,30}[.,!?]+\s*)|(?:pouvez"
    r"|pourriez)[- ]vous(?: m'aider)?(?: à)?[,:? ]\s*|je (?:voudrais|souhaite) savoir (?:si"
    r"|comment)\s*"
    r"|(?:espero que estén?[^.,!?\n]{0,30}[.,!?]+\s*)|(?:podrían?|pueden?) (?:ayudarme(?: con)?"
    r"|decirme)[,:? ]\s*|quería (?:saber|preguntar) si\s*)",
    re.IGNORECASE,
)
_CLOSING = re.compile(
    r"(?:^|(?<=[\n.!?,]))[ \t]*(?:(?:thanks|thank you|thx|many thanks|ta"
    r"|cheers)(?:,? [A-Z][a-z]{1,15}(?=[.!]?\s*\Z)| (?:so much|very much|a lot|in advance|again"
    r"|everyone|all|guys|you|and (?:best|kind) regards|for (?:your|any|the|all)[^.\n]{0,40}))*"
    r"|(?:with )?(?:best|kind|warm|kindest|warmest)(?: regards| wishes)?|regards|sincerely"
    r"|yours(?: (?:sincerely|truly|faithfully))?|best"
    r"|(?:any|your) (?:help|advice|assistance|suggestions?)(?: (?:is|would be|will be))?(?: (?:much"
    r"|greatly|very|really|highly))? (?:appreciated|welcome)[^.\n]{0,20}"
    r"|please (?:help|advise|assist)(?: me)?|(?:i )?(?:look|looking) forward to[^.\n]{0,40}"
    r"|hope (?:you can|someone can) help[^.\n]{0,20}"
    r"|(?:vielen |besten |herzlichen )?dank(?: im voraus| für[^.\n]{0,40})?|danke(?: im voraus"
    r"| schön| sehr)?|(?:mit )?(?:freundlichen|besten|lieben|vielen) grü(?:ß|ss)en?|(?:viele|liebe"
    r"|beste) grü(?:ß|ss)e|mfg|vg|lg"
    r"|merci(?: (?:d'avance|beaucoup|par avance|bien))?(?: (?:de|pour)[^.\n]{0,40})?"
    r"|(?:bien )?cordialement|bonne journée"
    r"|(?:muchas )?gracias(?: (?:de antemano|por[^.\n]{0,40}))?"
    r"|(?:un )?saludos?(?: cordial(?:es)?)?|atentamente)[ \t]*[.,!…]*[ \t]*(?=\n|$)",
    re.IGNORECASE | re.MULTILINE,
)
_SENT_FROM = re.compile(
    r"^(?:--\s*$|sent from my|von meinem|envoyé de mon|enviado desde|get outlook for)",
    re.IGNORECASE | re.MULTILINE,
)
#: A name and a post below the closing words are at most this much.
_MAX_SIGNATURE_CHARACTERS = 200
_MAX_OPENERS = 8


def _without_opening(text: str) -> str:
    for _ in range(_MAX_OPENERS):
        shorter = _OPENERS.sub("", _GREETING.sub("", text, count=1), count=1).lstrip(
            " \t\n,;:!.-–—"
        )
        if shorter == text or not shorter:
            return text
        text = shorter
    return text


def _without_closing(text: str) -> str:
    if (mark := _SENT_FROM.search(text)) and mark.start() > 0:
        text = text[: mark.start()]
    for found in _CLOSING.finditer(text):
        rest = text[found.end() :].strip()
        is_signature = (
            len(rest) <= _MAX_SIGNATURE_CHARACTERS and rest.count("\n") <= 5 and "?" not in rest
        )
        is_signature = is_signature and not re.search(r"\d{3}|\b(?:error|is|are|not)\b", rest)
        if is_signature and text[: found.start()].strip():
            return text[: found.start()].rstrip()
    return text


_BEFORE_A_CALL = (
    r"¿?(?:(?:ok|okay|hi|hello|please|yes|hallo|bitte|ja|bonjour|oui|hola|por favor|si|sí)"
    r"[\s,!.]+){0,4}"
)
_CALLS = (
    r"(?:(?:can|could|would) (?:you|someone|somebody|anyone) (?:please )?"
    r"|(?:i|we) (?:still )?(?:need|want)(?: some| more)? |get(?: me)?(?: some)? "
    r"|give me (?:some )?)?"
    r"help(?: (?:me|us))?"
    r"(?: (?:with (?:this|that|it)|out|troubleshoot(?: this)?|fix (?:it|this)))?",
    r"troubleshoot (?:this|it)(?: with me)?",
    r"(?:kannst du|können sie|könnt ihr) (?:mir |uns )?(?:bitte )?(?:dabei |damit )?"
    r"(?:weiter)?helfen",
    r"(?:ich|wir) (?:brauchen?|benötigen?) (?:bitte )?hilfe|hilfe(?: holen)?",
    r"(?:pouvez[- ]vous|peux[- ]tu) m'aider|j'ai besoin d'aide|aidez[- ]moi",
    r"(?:obtenir de l')?aide",
    r"(?:puede|puedes|pueden) ayudarme|necesito ayuda|ayúdame|ayuda",
)
_AFTER_A_CALL = (
    r"(?:[\s,]+(?:please|now|thanks|thank you|bitte|jetzt|danke|s'il (?:vous|te) plaît|merci"
    r"|por favor|ahora|gracias)){0,4}[\s.!?…]*"
)
_ONLY_HELP = re.compile(f"{_BEFORE_A_CALL}(?:{'|'.join(_CALLS)}){_AFTER_A_CALL}", re.IGNORECASE)
_MAX_CALL = 80


def only_asks_for_help(text: str) -> bool:
    """Whether ``text`` calls for help and says nothing of what with."""
    stripped = text.strip()
    return len(stripped) <= _MAX_CALL and _ONLY_HELP.fullmatch(stripped) is not None


def without_pleasantries(text: str) -> str:
    """``text`` without greeting, thanks and signature; a text that is nothing else stays."""
    stripped = text.strip()
    return _without_closing(_without_opening(stripped)).strip() or stripped
