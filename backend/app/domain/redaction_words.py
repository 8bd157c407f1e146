"""Which words behind "the password is" tell about a password and which are one."""

import re

_WORDS = """
    a an the not no yes only also too so very really always never still now then there here
    already again it this that mine ours theirs his hers my your our their as if in on at by for
    from of to with and or but because when where what which who how why something anything
    nothing somewhere correct incorrect right wrong valid invalid ok okay fine good bad safe
    unsafe secure insecure weak strong long short complex simple easy hard old new same
    different unknown known secret hidden visible empty blank missing lost gone stolen public
    private temporary permanent default sensitive case-sensitive required needed necessary
    mandatory optional available unavailable active inactive ready due none null nil true false
    n/a na tbd xxx xxxx **** managed synced enough perfect current longer shorter older newer up
    out off back unique broken accepted enter below above please see correctly twice both either
    neither between minimum maximum at-least case about just ist nicht falsch richtig korrekt
    ungültig gültig abgelaufen vergessen bekannt unbekannt zu sehr gut schlecht neu alt gleich
    immer noch schon weg leer nötig notwendig erforderlich sicher unsicher kurz lang und oder
    aber ein eine der die das mein dein sein ihr kein keine geheim mir uns gesperrt pas
    incorrecte correcte faux fausse bon bonne mauvais mauvaise invalide valide inconnu oublié
    expiré trop court courte longue nouveau nouvelle ancien ancienne le la les un une mon ma
    toujours bien obligatoire requis requise vide et ou mais perdu bloqué refusé incorrecta
    correcta correcto mala malo inválida válida vieja nueva nuevo corta larga olvidada caducada
    y o pero el los una mi siempre obligatoria requerida vacía perdida password passwords pin
    errónea erróneo erronea
"""
_ORDINARY = frozenset(_WORDS.split())
_ORDINARY_END = re.compile(
    r"(?:ed|ing|able|ible|ly|ous|ful|less|tion|ment|iert|lich|bar|ung|ées?|ido|ida|ado|ada)$"
)
_ONLY_MASK = re.compile(r"[*•x.…_#-]+|<[^>]*>|\{[^}]*\}|\$\{?\w+\}?|%\w+%", re.IGNORECASE)
_NUMBER_OF_THINGS = re.compile(
    r"\d{1,3}(?:-\d+)?\+?(?:st|nd|rd|th|%|x|-?(?:char|digit|day|month)\w*)?"
)


def is_ordinary(value: str) -> bool:
    """Whether ``value`` is a word that one says about a password, a mask or a placeholder."""
    word = value.casefold().strip(".,;:!?'\"()")
    if _ONLY_MASK.fullmatch(word) or _NUMBER_OF_THINGS.fullmatch(word):
        return True
    return word in _ORDINARY or (word.isalpha() and _ORDINARY_END.search(word) is not None)


def looks_secret(value: str) -> bool:
    """Whether ``value`` looks made up: letters with digits or signs in one word."""
    if len(value) < 5 or is_ordinary(value) or "://" in value:
        return False
    has_letter = any(map(str.isalpha, value))
    has_digit = any(map(str.isdigit, value))
    has_sign = any(character in "!@#$%^&*+=?~|<>{}[]" for character in value)
    return (has_digit and (has_letter or len(value) >= 6)) or (has_letter and has_sign)
