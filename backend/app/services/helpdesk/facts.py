"""What a text states about a matter, as short spans of its own words."""

import re

from backend.app.services.helpdesk.signs import impact_from, words

MAX_FACT_CHARACTERS = 200

_QUOTED_ERROR = re.compile(
    r"\b(?:errors?|messages?|warning|says?|said|saying|states?|stating|reads?|notification|prompt"
    r"|get|getting|gives?|shows?"
    r"|fehler|fehlermeldung|meldung|erreur|message|mensaje)\b[^\"“„«\n.?!]{0,40}"
    r"[\"“„«]([^\"”“»\n]{4,160})|\berror(?: message)? (?:is|was|says|reads"
    r"|said)[: ]{1,3}([^.\"\n]{8,120})",
    re.IGNORECASE,
)
_ERROR_CODES = (
    re.compile(
        r"\b(?:0x[0-9A-Fa-f]{4,16}|ORA-\d{4,5}|[A-Z]{2,6}_(?:[A-Z0-9]{2,}_?){2,8}|(?:ERR|SEC|NS"
        r"|SSL)_[A-Z0-9_]{3,60}|AADSTS\d{4,7}|(?:TNS|PLS|RMAN|SP2)-\d{4,5})\b"),
    re.compile(
        r"\b(?:ssl|sec|ns|mozilla_pkix|err|x509)_(?:error_)?[a-z0-9_]{4,60}\b", re.IGNORECASE
    ),
    re.compile(
        r"\b(?:HTTP |http )?[45]\d\d(?: errors?\b| \(?(?:Forbidden|Not Found|Unauthori[sz]ed"
        r"|Bad Gateway|Internal Server Error|Service Unavailable)\)?)", re.IGNORECASE),
    re.compile(
        r"\b(?:HTTP |error (?:code |number |no\.? ?)?[:#]? ?|(?:fehler|erreur|(?:stop|exit|return"
        r"|status|error|fehler)[ -]?code"
        r"|código de error):? )[\"'(]?(?=[\w.-]{0,12}\d)[A-Z0-9][\w.-]{0,24}\b", re.IGNORECASE),
    re.compile(
        r"\b(?:[A-Z]{3,5}\d{4,5}[A-Z]|[A-Z]{3,4}[0-9]{4}[EWI]|SQL\d{4,5}[NCW]?"
        r"|SQLCODE[ =:]{1,3}-?\d{2,5}|[A-Z]{3}\d{4,5}(?=:)|\d{3} \d\.\d\.\d{1,3})\b"),
    re.compile(r"\b(?:[a-z]\w{0,30}\.){0,8}[A-Z]\w{2,60}(?:Exception|Error)\b"),
    re.compile(
        r"(?:(?<=\berror: )|(?<=\bError: )|(?<=\bERROR: )|(?<=\bmessage: )"
        r"|(?<=Fehlermeldung: ))[^\n\"]{4,120}"),
    re.compile(
        r"\b(?:access (?:is )?denied|permission denied|connection (?:refused|timed out|reset)"
        r"|login failed|authentication fail(?:ed|ure)|invalid (?:credentials|password|token"
        r"|certificate)|page not found|server not found|out of memory|disk (?:is )?full"
        r"|blue screen|certificate (?:has )?expired|Zugriff verweigert|accès refusé"
        r"|acceso denegado)\b", re.IGNORECASE),
)  # fmt: skip

_VENDORS = (
    "Oracle|SAP|Microsoft|MS|Adobe|Google|IBM|Apple|Cisco|Atlassian|Citrix|VMware|Dell|HP|Lenovo"
    "|Canon|Epson|Brother|Logitech"
    "|Samsung|Sage|Autodesk|Salesforce|Power|Azure|AWS|Rational|Tivoli|WebSphere|Netcool|Office"
    "|Mozilla|Wix|Lotus|Domino"
)  # fmt: skip
_KNOWN_PRODUCTS = (
    "Outlook|Teams|Excel|Word|PowerPoint|OneDrive|OneNote|SharePoint|Exchange|Thunderbird|Firefox"
    "|Chrome|Edge|Safari|Opera|Gmail|Hotmail"
    "|Zoom|Slack|Webex|Skype|WhatsApp|Signal|Discord|Jira|Confluence|GitHub|GitLab|Bitbucket"
    "|Jenkins|Salesforce|Workday|ServiceNow|Zendesk"
    "|HubSpot|QuickBooks|Xero|Photoshop|Acrobat|Illustrator|InDesign|AutoCAD|Tableau|Citrix"
    "|AnyConnect|GlobalProtect|FortiClient|OpenVPN"
    "|Okta|Dropbox|iCloud|iTunes|Norton|McAfee|Bitdefender|Kaspersky|Avast|TeamViewer|AnyDesk"
    "|Notepad\\+\\+|LibreOffice|OpenOffice|WordPress"
    "|Shopify|Moodle|Docker|Kubernetes|PostgreSQL|MySQL|MongoDB|WebSphere|DataPower|Datacap|FileNet"
    "|Cognos|SPSS|DOORS|ClearCase|ClearQuest"
    "|QRadar|Guardium|BigFix|Netezza|InfoSphere|DataStage|Maximo|Sterling|Tivoli|Db2|DB2|Netcool"
    "|Bitwarden|KeePass|LastPass|Figma|Miro|Notion"
    "|Trello|Asana|VS Code|Visual Studio|Visio|Access|Intune|Entra|Defender|DocuSign|Concur|SAP|Wix"
    "|PayPal|Stripe|Instagram|Facebook|YouTube"
)  # fmt: skip
#: Words that are capitalised in headlines without being part of a name.
_NO_NAME = (
    r"(?:Error|Login|Support|Update|Problem|Not|Issues?|Fails?|Failed|How|On|In|For|With|To|And|Is"
    r"|The"
    r"|After|Team|Fehler|I)\b|Can|Will\b|Does|Won"
)
_WORD = rf"[ -](?!{_NO_NAME})(?:[A-Z][A-Za-z0-9+]{{1,24}})"
_PRODUCTS = (
    re.compile(rf"\b(?:{_VENDORS})(?:{_WORD}){{1,3}}(?: (?:365|20[012]\d))?\b"),
    re.compile(rf"\b(?:{_KNOWN_PRODUCTS})(?: (?:365|20[012]\d))?(?![\w@])"),
    re.compile(
        r"\b(?:outlook|thunderbird|firefox|sharepoint|onedrive|excel|powerpoint|ms teams"
        r"|microsoft teams|gmail|salesforce|jira|confluence|photoshop|quickbooks|webex"
        r"|anyconnect)(?![\w@.])", re.IGNORECASE),
    re.compile(
        r"(?<![\w.@/\\\"])(?:[A-Z][a-z]{2,15}(?:[A-Z][a-z0-9]{1,15}){1,2})\b(?![.@/\\][A-Za-z])"
        r"(?<!JavaScript)(?<!TypeScript)(?<!Exception)(?<!Error)"),
    re.compile(
        r"(?<=\b(?:in|on) )(?:the )?[A-Z][A-Za-z0-9]{2,20}(?: [A-Z][A-Za-z0-9]{2,20}){0,2}(?= "
        r"(?:app|application|software|client|tool|portal|system|website|console|admin)\b)"),
)  # fmt: skip
_DEVICES = words(
    r"(?:(?:hp|canon|epson|brother|xerox|ricoh|kyocera|lexmark|dell|lenovo|logitech|jabra|samsung"
    r"|lg) )(?:[a-z]*\w*\d\w* |[A-Z]\w+ )?(?:printer|monitor|laptop|dock|scanner|headset|mouse"
    r"|keyboard)",
    "docking station", "printer", "vpn(?: client)?", "headset", "webcam", "scanner", "drucker",
    "imprimante", "impresora",
)  # fmt: skip
_SYSTEM = re.compile(
    r"\b(?:Windows(?: Server)?(?:[ -]?(?:11|10|8\.1|8|7|XP|Vista|20[0-2]\d(?: R2)?))?(?:,? ?(?:Pro"
    r"|Home|Enterprise|Education))?(?:,? ?2[0-9]H[12])?"
    r"|(?:windows|win)[ -]?(?:11|10|8\.1|8|7|xp)"
    r"|[Mm]ac ?OS(?: ?X)?(?: (?:Sequoia|Sonoma|Ventura|Monterey|Big Sur|Catalina|Mojave"
    r"|Tahoe))?(?: \d{1,2}(?:\.\d{1,2}){0,2})?|OS ?X(?: \d\d?(?:\.\d{1,2}){0,2})?"
    r"|(?:Mac(?:Book(?: Pro| Air)?)?|iMac)\b|Ubuntu(?: \d\d(?:\.\d\d)?)?|Debian(?: \d\d?)?"
    r"|Fedora(?: \d\d)?|Linux(?: Mint)?(?: \d\d?(?:\.\d)?)?"
    r"|Red Hat(?: Enterprise Linux)?(?: \d(?:\.\d)?)?|RHEL ?\d?|CentOS(?: \d)?|AIX(?: \d(?:\.\d)?)?"
    r"|Solaris(?: \d\d?)?|z/OS|Chrome ?OS|Chromebook"
    r"|Android(?: \d{1,2}(?:\.\d)?)?|iOS(?: \d{1,2}(?:\.\d{1,2})?)?|iPadOS"
    r"|iPhone(?: \d{1,2}(?: Pro(?: Max)?)?)?|iPad(?: Pro| Air| Mini)?)(?![\w-])"
)  # fmt: skip
_SYSTEM_LOWER = words("android(?: \\d{1,2})?", "iphone(?: \\d{1,2})?", "ipad", "macos", "linux",
    "ubuntu", "macbook(?: pro| air)?", "chromebook")  # fmt: skip
_VERSION = re.compile(
    r"\b(?:version|ver\.?|release|build|fix ?pack"
    r"|v)[ :]{0,2}\d{1,6}(?:\.\d{1,6}){0,4}(?:[a-z]{1,3}\d?)?(?![\w.]*@)\b"
    r"|(?<=[A-Za-z] )\d{1,4}(?:\.\d{1,6}){1,3}(?![\w%])(?! ?(?:GB|MB|TB|KB|hours|minutes|seconds"
    r"|inch|km|ms|s|million|€|\$)\b)",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}")
_CHANGE = (
    r"(?:update|upgrade|upgrading|updating|migration|migrating|reboot|restart|password change"
    r"|changing (?:my|the) password|install\w*|reinstall\w*|reset|power (?:cut|outage|failure)|move"
    r"|switch(?:ing)? to [\w ]{2,20}"
    r"|aktualisierung|neustart|umstellung|mise à jour|redémarrage|actualización|reinicio)"
)
_SINCE = (
    re.compile(
        rf"\b(?:since|after|following|ever since|seit|nach|depuis|après|desde|después de"
        rf"|tras) (?:\w+ ){{0,4}}?{_CHANGE}\b(?: (?:to|of|on|from|last|this) [\w.]+(?: [\w.]+)?)?",
        re.IGNORECASE,
    ),
    re.compile(
        r"\b(?:(?:ever )?since (?:yesterday|today|this morning|last (?:week|night|month|year"
        r"|\w+day)|(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:about "
        r"|around )?(?:the )?(?:\d{1,2}(?:st|nd|rd|th)?|january|february|march|april|may|june|july"
        r"|august|september|october|november|december|a (?:few )?\w+(?: ago)?|\d+ (?:days|weeks"
        r"|months)(?: ago)?)(?: (?:of )?\w+)?)"
               r"|for (?:the )?(?:past|last) (?:\w+ )?(?:minutes?|hours?|days?|weeks?|months?"
               r"|years?)|for (?:\d+|two|three|four|five|six|a few|several|some|many"
               r"|a couple of) (?:hours|days|weeks|months|years)(?: now)?"
               r"|(?:\d+|two|three|a few|several|a couple of) (?:hours|days|weeks|months) ago"
               r"|as of (?:today|yesterday|this morning|last \w+)|started (?:today|yesterday"
               r"|this (?:morning|week)|last \w+|on \w+)|this morning|as of late"
               r"|seit (?:gestern|heute(?: morgen| früh)?|(?:\w+ ){1,2}(?:tagen|wochen|monaten"
               r"|stunden|woche|montag|dienstag|mittwoch|donnerstag|freitag))"
               r"|depuis (?:hier|ce matin|aujourd'hui|(?:\w+ ){1,3}(?:jours|semaines|mois|heures))"
               r"|desde (?:ayer|hoy|esta mañana|hace (?:\w+ ){1,2}(?:días|semanas|meses"
               r"|horas)))(?!\w)", re.IGNORECASE),
    re.compile(
        r"\b(?:(?:i |just |recently |automatically |has |was |got )+(?:updated|upgraded|migrated"
        r"|switched)(?: (?:to|from) (?:the )?[\w.]+(?: (?:release|version|build|[\d.]+))?)?|today"
        r"|yesterday|heute|gestern|aujourd'hui|hier(?= matin| soir)|ayer)\b", re.IGNORECASE),
)  # fmt: skip
_TRIED = re.compile(
    r"(?:\b(?:i|we)(?:'ve| have| had|’ve)?(?: also| already| both| even| then| just)? (?:tried"
    r"|restarted|rebooted|reinstalled|uninstalled|re-?installed|cleared|disabled|removed and"
    r"|deleted and|power.cycled|logged out|signed out|unplugged)\b|\b(?:i|we)(?:'ve| have"
    r"|’ve) (?:also |already |both |even )?(?:updated|checked|followed|run|reset)\b"
    r"|\b(?:(?:have|already) )?tried (?:to |\w+ing\b|everything\b|a |the |all |both )"
    r"|\b(?:restarting|rebooting|reinstalling|resetting)(?= [^.\n]{0,60}\b(?:did ?n[o']?t"
    r"|does ?n[o']?t|no)\b)"
    r"|\b(?:habe|haben)(?= [^.\n]{0,60}\b(?:neu gestartet|neugestartet|neu installiert|versucht"
    r"|probiert|gelöscht)\b)|\b(?:neu gestartet|neugestartet|neu installiert)"
    r"|\b(?:j'ai|nous avons)(?: déjà)? (?:essayé|redémarré|réinstallé|vidé|vérifié)|\b(?:he"
    r"|hemos)(?: ya)? (?:intentado|reiniciado|reinstalado|probado|borrado)|\bya (?:reinicié"
    r"|reinstalé|probé|intenté))"
    r"[^.;!?\n]{0,160}",
    re.IGNORECASE,
)  # fmt: skip
_RESULT = re.compile(r",? (?:but|and (?:it|nothing|none|still)|aber|mais|pero) ", re.IGNORECASE)


def _span(text: str) -> str:
    """A span in one line, at most as long as a fact may be, cut at a word."""
    line = " ".join(text.split()).strip(" ,;:-")
    if len(line) <= MAX_FACT_CHARACTERS:
        return line
    return line[: line.rfind(" ", MAX_FACT_CHARACTERS // 2, MAX_FACT_CHARACTERS + 1)].rstrip()


def _first(patterns: tuple[re.Pattern[str], ...], text: str) -> str | None:
    for pattern in patterns:
        if found := pattern.search(text):
            return _span(found[0])
    return None


def _error(text: str) -> str | None:
    code = _first(_ERROR_CODES[:5], text)
    if code is not None:
        return code
    for quoted in _QUOTED_ERROR.finditer(text):
        said = (quoted[1] or quoted[2]).strip()
        if " " in said and "@" not in said:
            return _span(said)
    return _first(_ERROR_CODES[5:], text)


def _product(text: str) -> str | None:
    found = [match for pattern in _PRODUCTS if (match := pattern.search(text))]
    if found:
        return _span(min(found, key=lambda match: match.start())[0])
    device = _DEVICES.search(text)
    return _span(device[0]) if device else None


def _version(text: str) -> str | None:
    for found in _VERSION.finditer(text):
        system = _SYSTEM.search(text, max(0, found.start() - 12), found.end())
        is_of_system = system is not None and system.end() >= found.end()
        if not is_of_system and not _ADDRESS.match(text, found.start()):
            return _span(found[0])
    return None


def _system(text: str) -> str | None:
    found = _SYSTEM.search(text) or _SYSTEM_LOWER.search(text)
    return _span(found[0]) if found else None


def _impact(text: str) -> str | None:
    said = impact_from(text)
    return _span(said[1]) if said else None


def facts_from(text: str) -> dict[str, str]:
    """What ``text`` states: error, product, system, version, impact, since and tried, each in its
    own words and only where it is stated.
    """
    tried = _TRIED.search(text)
    stated = {
        "error": _error(text),
        "product": _product(text),
        "system": _system(text),
        "version": _version(text),
        "impact": _impact(text),
        "since": _first(_SINCE, text),
        "tried": _span(_RESULT.split(tried[0], maxsplit=1)[0]) if tried else None,
    }
    return {key: value for key, value in stated.items() if value}
