"""What a person's reply to a proposed fix means.

Ending a session on a misread reply costs the person their ticket, so only a plain statement that
it works now counts as solved: any doubt about it (a question, a condition, the past, a "but", a
remaining complaint) leaves the reply a piece of information.
"""

import re
import unicodedata
from enum import StrEnum

THAT_FIXED_IT = "That fixed it"
STILL_BROKEN = "Still broken"
FILE_A_TICKET = "File a ticket"
PROPOSAL_CHOICES = [THAT_FIXED_IT, STILL_BROKEN, FILE_A_TICKET]


class Reading(StrEnum):
    """What a reply to a proposed fix amounts to."""

    SOLVED = "solved"
    NOT_SOLVED = "not_solved"
    WANTS_TICKET = "wants_ticket"
    WANTS_TO_STOP = "wants_to_stop"
    INFORMATION = "information"


_BY_CHOICE = {
    THAT_FIXED_IT.casefold(): Reading.SOLVED,
    STILL_BROKEN.casefold(): Reading.NOT_SOLVED,
    FILE_A_TICKET.casefold(): Reading.WANTS_TICKET,
}
#: More of a reply is not read; whoever writes this much tells something.
_MAX_CHARACTERS = 1000
#: A statement that begins the clause may still be turned around behind it.
_CLAUSE_END = re.compile(r"[.!?;,:\n()]+|(?<=\w)\s+[-–—]+\s+")
_SPACES = re.compile(r"\s+")

# All patterns below read folded text: lower case, no accents, straight apostrophes.

_STOP = re.compile(
    r"(?:(?:ok|okay|please|no|na|ach|bon|bitte|por favor|just|lets)[, ]+)*"
    r"(?:never ?mind|cancel(?: (?:this|that|it|everything))?|stop(?: (?:this|that|it|here|now))?"
    r"|forget (?:it|about it)|abort|quit|leave it|drop it|i give up|not needed any ?more"
    r"|(?:i )?(?:don't|dont|do not) need (?:help|this|it|a ticket) any ?more"
    r"|vergiss es|vergessen sie es|abbrechen|abbruch|lass(?:en sie)? (?:es )?(?:gut sein|stecken)"
    r"|hat sich erledigt|laissez? tomber|annulez?(?: tout)?|annuler|arretez?|on arrete"
    r"|olvid[ae](?:lo|telo)|cancel(?:a|ar|alo)|dejalo|detener)\b"
)
_TICKET_NOUN = r"(?:ticket|case|issue|incident|support request|bug report|vorgang|tique|tiquete)\b"
_TICKET_ADJECTIVES = r"(?:\w+ ){0,3}"
_WANTS_TICKET = re.compile(
    r"^(?:(?:ok|okay|yes|no|ja|nein|oui|non|si|please|bitte|then|just|well|so|and|but|dann|alors"
    r"|entonces|go ahead and|por favor|i think (?:you|we|i) should)[ ]+)*(?:"
    r"(?:(?:can|could|would|will) (?:you|we|i) (?:please |just )?|i(?:'d| would) (?:rather "
    r"|like to "
    r"|like you to |prefer to )|i want (?:you )?to |i need (?:you )?to |let's |lets |let us "
    r"|we should )?(?:file|open|create|raise|log|submit|make|write|send|get)(?: me| us)? "
    rf"(?:a |an |the |that |this |my ){_TICKET_ADJECTIVES}{_TICKET_NOUN}"
    r"|(?:file|submit|escalate) (?:it|this|that)\b|escalate\b"
    r"|(?:a |the )?ticket(?: now)?(?: please| bitte)?$"
    r"|(?:i want|i need|i'd like|i would like|give me) (?:a |an )?(?:ticket|human|real person)\b"
    r"|(?:(?:can|could|may) i |i(?:'d| would) like to |i want to |i need to |let me )"
    r"(?:talk|speak) (?:to|with) (?:a |an |some)?(?:human|person|one|someone|somebody|agent"
    r"|technician|real person)\b"
    r"|(?:(?:ich )?(?:mochte|will|brauche|hatte gern) )?(?:ein |das |gern ein |bitte ein )?ticket "
    r"(?:bitte |fur mich )?(?:erstellen|aufmachen|anlegen|eroffnen|offnen|schreiben|bitte)"
    r"|(?:erstelle|erstellen sie|offne|offnen sie|mach|machen sie|lege"
    r"|legen sie)(?: bitte)?(?: mir)? (?:ein|das) ticket"
    r"|(?:je (?:veux|voudrais|souhaite) )?(?:creez?|creer|ouvrez?|ouvrir|faites|faire) (?:moi )?"
    r"(?:un|le) ticket"
    r"|(?:quiero )?(?:crea|crear|cree|abre|abrir|abra|haz|hacer) (?:un|el) (?:ticket|tique|caso))"
)

_NEGATION = re.compile(
    r"\b(?:not|no|never|nothing|neither|nor|cannot|nobody|none|hardly|barely|without|nope"
    r"|dont|doesnt|didnt|isnt|wasnt|cant|couldnt|wont|havent|hasnt|wouldnt|unable|unfortunately"
    r"|nicht|kein|keine|keinen|keinem|nie|nichts|niemals|weder|kaum|leider|nix"
    r"|ne|pas|jamais|rien|aucun|aucune|sans|malheureusement|helas"
    r"|nunca|nada|tampoco|sin|ningun|ninguna|jamas|lamentablemente)\b|n't\b|\bn'"
)
_WORKING = (
    r"(?:fix(?:es|ed|ing)?|solv(?:e|es|ed)|resolv(?:e|es|ed)|works?|worked|working|sorted|help(?:s"
    r"|ed)?|success\w*|gone|better|run(?:s|ning)|good|difference|changed?|trick|luck|done|able"
    r"|behoben|gelost|geht|ging|geh|funktionier(?:t|te|en)|klappt|klappte|geklappt|geholfen|hilft"
    r"|lauft|lief|weg|erledigt|repariert|besser|geandert"
    r"|resolue?|reglee?|reparee?|marche|marchait|fonctionne|fonctionnait|corrigee?|aide|change"
    r"|mieux"
    r"|resuelto|solucionado|funciona|funciono|arreglado|ayudo|sirvio|sirve|cambio|mejor|anda|va)\b"
)
_STILL = re.compile(
    r"\b(?:still|same (?:error|problem|issue|thing|result|message|behaviou?r|as before)"
    r"|as before|the same|no (?:luck|change|difference|improvement|effect|joy|dice|success)"
    r"|no longer (?:work|open|start|load|respond|connect)\w*|(?:is|it's|error|problem|issue) back"
    r"|not yet"
    r"|immer noch|noch immer|weiterhin|nach wie vor|genauso|dasselbe|der gleiche|derselbe|gleicher?"
    r"|noch nicht|toujours|encore|pareil|meme (?:erreur|probleme|message|resultat|chose)|idem"
    r"|todavia|aun|sigue|siguen|sigo|igual|(?:el )?mismo (?:error|problema)|lo mismo)\b"
)
_WORSE = re.compile(
    r"\b(?:worse|worst|useless|thanks for nothing|waste of time|broke|broken|stopped working"
    r"|crash(?:es|ed|ing)?|fail(?:s|ed|ing)?|freez(?:es|ing)|frozen|hangs|stuck|keeps|denied"
    r"|rejected|yeah,? right|as if|very funny|fails again|even slower"
    r"|schlimmer|kaputt|sturzt|absturz|abgesturzt|hangt|fehlgeschlagen|scheitert|na toll|von wegen"
    r"|pire|plante|planter|echoue|bloque|casse|n'importe quoi"
    r"|peor|falla|fallo|fallando|roto|bloqueado|se cuelga)\b"
)
_NO = re.compile(
    r"(?:no|nope|nah|negative|nein|nee|non|nop|ne)(?: (?:sorry|thanks|thank you|leider))?"
)

_DOUBT = re.compile(
    r"\b(?:if|would|could|should|might|may|maybe|perhaps|hope|hopefully|wish|wonder|wondering"
    r"|unless"
    r"|until|before|else|once|when|whether|assume|guess|supposed|supposedly|apparently|claims?|says"
    r"|said|told|try"
    r"|trying|will|going to|i'll|but|however|although|though|except|only|partly|partially|partial"
    r"|almost"
    r"|nearly|sometimes|sort of|kind of|kinda|half|some of|for a (?:while|moment|minute|second|day)"
    r"|temporarily|yesterday|last (?:week|time|month|year|night)|previously|formerly|used to"
    r"|earlier|ago|back then|in the past|others?|elsewhere|another|different|colleague'?s?|instead"
    r"|workaround|then|works for me|again and again|so called|think|seems?|not sure|similar"
    r"|wenn|falls|ob|wurde|wurden|konnte|sollte|hatte|ware|vielleicht|hoffentlich|hoffe|aber"
    r"|allerdings"
    r"|jedoch|nur|teilweise|fast|manchmal|kurz|gestern|vorher|fruher|damals|letzte|bis|angeblich"
    r"|eigentlich|scheint|glaube|werde|bevor|kollegen?|andere\w*"
    r"|quand|serait|pourrait|devrait|voudrais|peut-etre|espere|esperons|mais|cependant|pourtant"
    r"|seulement|presque|parfois|partiellement|hier|avant|auparavant|semble|crois|essayer|essaie"
    r"|autre|faudrait|avait|etait"
    r"|cuando|seria|podria|deberia|quisiera|quizas?|tal vez|ojala|espero|pero|aunque|solo|casi"
    r"|a veces|parcialmente|ayer|antes|parece|creo|voy a|intentare|otros?|otra|funcionaba)\b"
)
_CONDITION_FR_ES = re.compile(r"\bsi (?!(?:ya|ahora|funciona|esta|se)\b)\w|\bs'il\b")
_IRONIC_QUOTES = re.compile(
    r"[\"“”„«»]|(?<!\w)'[^']{1,40}'(?!\w)|\b(?:lol|haha\w*|hehe\w*|sigh|/s)\b|🙄|😂|🤣"
)
_COMPLAINT_NOUN = re.compile(
    r"\b(?:errors?|fehler|erreurs?|errores|message|meldung|403|404|500)\b(?! (?:was|were|war"
    r"|etait))"
)

#: What went away is told with a "no" that is none.
_GONE = re.compile(
    r"\b(?:(?:the|der|das|die|el) )?(?:no (?:more|further|longer any) (?:errors?|problems?|issues?"
    r"|crashes)|(?:errors?|problems?|issues?|message|warning|crash(?:es)?)(?: message)?"
    r" (?:is|are|has|have|was) (?:now |all |completely )?(?:gone|disappeared|vanished|fixed|solved"
    r"|resolved|sorted)(?: away)?"
    r"|(?:errors?|problems?|issues?|message) (?:no longer|doesn't|does not) (?:appears?|occurs?"
    r"|happens?|shows?(?: up)?|come up|exists?)(?: any ?more)?"
    r"|(?:i )?(?:no longer|don't|do not) (?:get|see|have) (?:the|that|this|any) (?:error|problem"
    r"|issue|message)s?(?: any ?more)?"
    r"|(?:doesn't|does not|no longer) (?:crash(?:es)?|freezes?|hangs?|fails?)(?: any ?more)?"
    r"|(?:no|without) (?:problems?|issues?|worries|errors?)(?: (?:now|at all|any ?more))?"
    r"|kein(?:e|en)? (?:fehler|probleme?|fehlermeldung) mehr|ohne (?:fehler|probleme?)"
    r"|(?:fehler|problem|meldung) (?:ist|sind) (?:jetzt |nun )?(?:weg|behoben|gelost|verschwunden)"
    r"|(?:plus d'erreurs?|plus de problemes?|sans erreurs?|sans problemes?)"
    r"|(?:l'erreur|le probleme|le message) (?:a disparu|est (?:resolu|regle|corrige)e?)"
    r"|(?:ya no (?:hay|sale|aparece|da|tengo) (?:el |ningun |ese |mas )?(?:error(?:es)?|problemas?)"
    r"|sin (?:errores|problemas)|(?:el )?(?:error|problema) (?:ha desaparecido|desaparecio"
    r"|(?:esta|quedo) (?:resuelto|solucionado))))\b"
)
#: What failed before the fix is no complaint about it.
_AT_FIRST = re.compile(
    r"\b(?:at first|initially|first time|the first attempt|zuerst|erst|anfangs|au debut|d'abord"
    r"|al principio|primero)\b"
)
_TURN = re.compile(r"^(?:but|aber|mais|pero|then|and|dann) ")
_YEAH_RIGHT = re.compile(r"\b(?:yeah|ja)[, ]+(?:right|klar)\b")
#: What comes behind "it works" and begins the next matter.
_GOES_ON = re.compile(
    r"\b(?:now|next|also|please|how|what|why|where|another|offline|slow|missing|lost|empty|blank"
    r"|wrong|weird|strange|different|problem|issue|kidding|joking|jetzt|nun|auch|bitte|warum"
    r"|maintenant|aussi|pourquoi|ahora|tambien)\b"
)
_LEAD = (
    r"^(?:(?:yes|yep|yeah|yay|ok|okay|great|perfect|excellent|awesome|super|wow|cool|brilliant|hey"
    r"|hi|thanks|thank you|thx|so|and|well|oh|ah|ja|jo|toll|danke|prima|oui|merci|parfait|genial|si"
    r"|gracias"
    r"|perfecto|vale|bien|after (?:a |the |my )?\w+|now|finally|indeed|i can confirm(?: that)?"
    r"|confirmed|jetzt|nun|endlich|maintenant|ca y est|ahora|ya|por fin|it seems)[ ]+)*"
)
_SUBJECT = (
    r"(?:it|this|that|it's|that's|everything|all|(?:the|my|our) (?:\w+ ){1,3}|(?:the )?(?:problem"
    r"|issue|error))"
)
_FIXED = re.compile(
    _LEAD + r"(?:"
    rf"{_SUBJECT} ?(?:is |has |has been |is all |has now |now |all |just |finally |totally "
    rf"|actually )*"
    r"(?:fixed|solved|resolved|sorted|works|worked|working|did the trick|did it|helped"
    r"|back to normal"
    r"|up and running|running again|back online|gone)(?: (?:it|the (?:problem|issue|error)"
    r"|my (?:problem|issue)|perfectly|fine|great|again|now|for me|out|like a charm))*"
    r"|(?:is |all )?(?:fixed|solved|resolved|sorted|works|worked|working (?:now|again"
    r"|fine))(?: (?:it|now|again|perfectly|fine"
    r"|great|for me|like a charm|out|thanks|thank you|(?:the|my) (?:problem|issue)))*"
    r"|problem (?:is )?(?:solved|fixed|gone|resolved)|did the trick|all good(?: now)?|success"
    r"|(?:i(?:'m| am)|we(?:'re| are)) (?:back )?in(?: (?:now|again))?|i can (?:\w+ ){1,6}(?:again"
    r"|now)|(?:it|that|yes it) did|i(?:'ve| have)? (?:fixed|solved|resolved) (?:it|the problem"
    r"|the issue)(?: myself)?"
    r"|(?:es |das |alles |das problem |der fehler |problem |fehler )?(?:ist |hat |wurde )?(?:jetzt "
    r"|nun |wieder |damit )*(?:behoben|gelost|geht|funktioniert|klappt|lauft|geklappt|geholfen"
    r"|funktionierts"
    r"|gehts|klappts|erledigt|repariert)(?: (?:es|wieder|jetzt|nun|alles|das|einwandfrei|danke"
    r"|super|prima|bestens))*"
    r"|(?:ca|cela|tout|c'est|le probleme|probleme|l'erreur)? ?(?:est |a |re)?(?:bien |enfin "
    r"|maintenant )?"
    r"(?:marche|fonctionne|resolue?|reglee?|reparee?|corrigee?)(?: (?:bien|maintenant|de nouveau"
    r"|a nouveau|parfaitement|merci|le probleme))*"
    r"|(?:eso |esto |todo |el problema |problema |el error )?(?:ya |ahora |esta |ha sido |se ha "
    r"|quedo )*"
    r"(?:funciona|funciono|resuelto|solucionado|arreglado|soluciono)(?: (?:bien|ahora|todo|ya"
    r"|de nuevo|perfectamente|el problema|gracias))*"
    r")(?: (?:now|again|thanks|thank you|thx|danke|merci|gracias|so much|very much|a lot|jetzt"
    r"|wieder|cheers|great|after (?:\w+ ){0,5}\w+|since (?:\w+ ){0,5}\w+|nach (?:\w+ ){0,5}\w+"
    r"|depuis (?:\w+ ){0,5}\w+|despues (?:\w+ ){0,5}\w+))*$"
)


def fold(text: str) -> str:
    """``text`` in lower case, without accents, with straight apostrophes and single spaces."""
    plain = unicodedata.normalize("NFKD", text.replace("’", "'").replace("‘", "'").casefold())
    bare = "".join(character for character in plain if not unicodedata.combining(character))
    return _SPACES.sub(" ", bare).strip()


def _clauses(folded: str) -> list[str]:
    return [clause.strip() for clause in _CLAUSE_END.split(folded) if clause and clause.strip()]


def _denies(clause: str) -> bool:
    """Whether the clause says that it does not work."""
    has_negation = _NEGATION.search(clause) is not None
    return (has_negation and re.search(r"\b" + _WORKING, clause) is not None) or _NO.fullmatch(
        clause
    ) is not None


def _complains(clause: str) -> bool:
    return _STILL.search(clause) is not None or _WORSE.search(clause) is not None


def _read_prose(folded: str) -> Reading:
    plain = _GONE.sub("it is fixed", folded)
    every = _clauses(plain)
    clauses = [clause for clause in every if not _AT_FIRST.search(clause)]
    if len(clauses) < len(every):
        clauses = [_TURN.sub("", clause) for clause in clauses]
    if _YEAH_RIGHT.search(folded):
        return Reading.NOT_SOLVED
    if any(_denies(clause) or _complains(clause) for clause in clauses):
        return Reading.NOT_SOLVED if "?" not in folded else Reading.INFORMATION
    if "?" in folded or _IRONIC_QUOTES.search(folded) or _CONDITION_FR_ES.search(plain):
        return Reading.INFORMATION
    told = " . ".join(clauses)
    if _DOUBT.search(told) or _COMPLAINT_NOUN.search(told) or _NEGATION.search(told):
        return Reading.INFORMATION
    said = next((place for place, clause in enumerate(clauses) if _FIXED.search(clause)), None)
    if said is None or any(
        _GOES_ON.search(clause) and not _FIXED.search(clause) for clause in clauses[said + 1 :]
    ):
        return Reading.INFORMATION
    return Reading.SOLVED


def read_verdict(reply: str, choice: str | None = None) -> Reading:
    """What ``reply`` means; a ``choice`` of ours decides before any words do."""
    for said in (choice or "", reply):
        known = _BY_CHOICE.get(" ".join(said.casefold().split()).rstrip(".! "))
        if known is not None:
            return known
    if len(reply) > _MAX_CHARACTERS:
        return Reading.INFORMATION
    folded = fold(reply)
    if stop := _STOP.match(folded):
        rest = folded[stop.end() :].strip(" .,;!-")
        meant = _read_prose(rest)
        if meant is not Reading.INFORMATION:
            return meant
        return Reading.WANTS_TO_STOP if len(rest.split()) <= 4 else Reading.INFORMATION
    if "?" not in folded and any(_WANTS_TICKET.search(clause) for clause in _clauses(folded)):
        return Reading.WANTS_TICKET
    if _WANTS_TICKET.search(folded):
        return Reading.WANTS_TICKET
    return _read_prose(folded)
