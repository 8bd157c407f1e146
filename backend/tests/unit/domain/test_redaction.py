"""Which secrets leave a text, and what stays in it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.app.domain.redaction import redact
from backend.app.services.identity.secrets import ACCESS_TOKEN_PREFIX

#: A text and the part that must not be left; tokens are put together here so that no scanner takes
#: them for real ones.
_TOKEN = "".join(["Ab3dEf9h", "Ij2kLm5n", "Op8qRs1t", "Uv4wXy7z"])
_SECRETS = [
    ("my password is hunter2", "hunter2"),
    ("my password is Hunter2!", "Hunter2!"),
    ("Passwort: Sommer*2024?!", "Sommer*2024?!"),
    ("My password is: Sunny-Day-7", "Sunny-Day-7"),
    ("the password is correcthorse", "correcthorse"),
    ("password: swordfish", "swordfish"),
    ("Password = abc123", "abc123"),
    ("pwd=Pa55word", "Pa55word"),
    ("pw: geheim99", "geheim99"),
    ("Passwort: geheim1!", "geheim1"),
    ("Mein Passwort lautet Sommer2024", "Sommer2024"),
    ("Kennwort ist Winter#1", "Winter#1"),
    ("mot de passe : soleil99", "soleil99"),
    ("mon mot de passe est Soleil2024", "Soleil2024"),
    ("mdp: azerty12", "azerty12"),
    ("mi contraseña es Verano2024", "Verano2024"),
    ("contraseña: verano99", "verano99"),
    ("la clave es Abc12345", "Abc12345"),
    ('"password": "p@ss word"', "p@ss word"),
    ("DB_PASSWORD=s3cr3t", "s3cr3t"),
    ("the password for the VPN is Tr0ub4dor", "Tr0ub4dor"),
    ("I changed my password to Winter2025!", "Winter2025"),
    ("I logged in with password Summer99", "Summer99"),
    ("mysql --password=s3cretX", "s3cretX"),
    ("passphrase: blue-horse-42", "blue-horse-42"),
    ("user/pass: admin/admin123", "admin/admin123"),
    ("my PIN is 4711", "4711"),
    (f"ghp_{_TOKEN}1234", f"ghp_{_TOKEN}1234"),
    (f"github_pat_{_TOKEN}", f"github_pat_{_TOKEN}"),
    (
        "".join(["xoxb-123", "45678901", "2-abcdef", "ABCDEF"]),
        "".join(["xoxb-123", "45678901", "2-abcdef", "ABCDEF"]),
    ),
    ("".join(["AKIAABCD", "EFGH1234", "5678"]), "".join(["AKIAABCD", "EFGH1234", "5678"])),
    (
        "".join(
            [
                "aws_secr",
                "et_acces",
                "s_key = ",
                "wJalrXUt",
                "nFEMIK7M",
                "DENGbPxR",
                "fiCYEXAM",
                "PLEKEYab",
            ]
        ),
        "".join(["wJalrXUt", "nFEMIK7M", "DENGbPxR", "fiCYEXAM", "PLEKEYab"]),
    ),
    (f"AIza{_TOKEN}abc", f"AIza{_TOKEN}abc"),
    (f"sk-{_TOKEN}", f"sk-{_TOKEN}"),
    (f"sk-proj-{_TOKEN}", f"sk-proj-{_TOKEN}"),
    (
        "".join(
            [
                "eyJhbGci",
                "OiJIUzI1",
                "NiJ9.eyJ",
                "zdWIiOiI",
                "xMjM0NTY",
                "3ODkwIn0",
                ".dozjgNr",
                "yP4J3jVm",
                "NHl0w5N",
            ]
        ),
        "".join(
            [
                "eyJhbGci",
                "OiJIUzI1",
                "NiJ9.eyJ",
                "zdWIiOiI",
                "xMjM0NTY",
                "3ODkwIn0",
                ".dozjgNr",
                "yP4J3jVm",
                "NHl0w5N",
            ]
        ),
    ),
    (f"Authorization: Bearer {_TOKEN}", f"{_TOKEN}"),
    ("https://bob:hunter2@example.com/x", "hunter2"),
    ("postgresql://app:s3cret@db:5432/x", "s3cret"),
    ("Server=db;User Id=sa;Password=Str0ng;", "Str0ng"),
    (f"hda_{_TOKEN}", f"hda_{_TOKEN}"),
    (f"api_key: {_TOKEN}", f"{_TOKEN}"),
    (
        "".join(
            [
                "-----BEG",
                "IN RSA P",
                "RIVATE K",
                "EY-----\n",
                "MIIEpAIB",
                "AAKCAQEA",
                "75\nabcd\n",
                "-----END",
                " RSA PRI",
                "VATE KEY",
                "-----",
            ]
        ),
        "".join(
            [
                "-----BEG",
                "IN RSA P",
                "RIVATE K",
                "EY-----\n",
                "MIIEpAIB",
                "AAKCAQEA",
                "75\nabcd\n",
                "-----END",
                " RSA PRI",
                "VATE KEY",
                "-----",
            ]
        ),
    ),
    ("4111 1111 1111 1111", "4111 1111 1111 1111"),
    ("5500-0000-0000-0004", "5500-0000-0000-0004"),
    ("378282246310005", "378282246310005"),
    ("DE89 3704 0044 0532 0130 00", "DE89 3704 0044 0532 0130 00"),
    ("GB82WEST12345698765432", "GB82WEST12345698765432"),
    ("SSN 123-45-6789", "123-45-6789"),
    ("078-05-1120", "078-05-1120"),
    ("token=abc123def456", "abc123def456"),
    ("client_secret: x9Y8z7W6v5U4", "x9Y8z7W6v5U4"),
    ("curl -u bob:hunter2 https://x", "hunter2"),
    ("Das Passwort für den Server ist Herbst2023", "Herbst2023"),
    (
        "".join(["Authoriz", "ation: B", "asic dXN", "lcjpwYXN", "zd29yZA=", "="]),
        "".join(["dXNlcjpw", "YXNzd29y", "ZA=="]),
    ),
    ("my password is hunter2.", "hunter2"),
    ("(password: swordfish)", "swordfish"),
    ("Password:\nhunter22", "hunter22"),
    ("The new password is “Blue Sky 9”", "Blue Sky 9"),
    ("password is 12345678", "12345678"),
    ('{\\"password\\":\\"hunter22\\"}', "hunter22"),
    ("https://example.com/in?user=bob&password%3Dhunter22", "hunter22"),
    ("passwords: hunter22", "hunter22"),
    ("password => hunter22", "hunter22"),
    ("Mein Passwort ist jetzt Sommer24", "Sommer24"),
    ("https://bob:hun[ter2@example.com/x", "hun[ter2"),
    ("curl -u bob:hun[ter2 https://x", "hun[ter2"),
]
_HARMLESS = [
    "Passwords: Thunderbird forgets them",
    "keyboard",
    "password reset",
    "forgot my password",
    "I forgot passwords often",
    "my password is not accepted",
    "The password is wrong",
    "password is incorrect",
    "the password is correct but",
    "Password: required",
    "my password is expired",
    "the password field is empty",
    "password manager",
    "Change password",
    "password must be at least 8 characters",
    "the password has to be changed",
    "Enter your password:",
    "Passwort vergessen",
    "Mein Passwort ist abgelaufen",
    "Das Passwort ist falsch",
    "Kennwort ändern",
    "mot de passe oublié",
    "mon mot de passe est incorrect",
    "mi contraseña no funciona",
    "La contraseña es incorrecta",
    "the key is under the mat",
    "keyboard: Logitech K120",
    "ticket 4111",
    "order 1234567890123456",
    "INC0012345",
    "call me at 555-123-4567",
    "+49 30 1234567",
    "6ba7b810-9dad-11d1-80b4-00c04fd430c8",
    "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
    "sha256 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "bob@example.com",
    "192.168.1.10:8080",
    "https://example.com/reset?x=1",
    "ssh://git@example.com/x",
    "version 115.12.2",
    "part number 123-45-6789",
    "the token is invalid",
    "access token expired",
    "secret: none",
    "Bearer token missing",
    "password=********",
    "Password: <your password>",
    "password: ${DB_PASSWORD}",
    "the password for this account is being rejected",
    "password incorrect message",
    "my password is the same on both",
    "PIN pad broken",
    "pin 12 of the connector",
    "DE89 3704 0044 0532 0130 01",
    "4111 1111 1111 1112",
    "the password is saved in Thunderbird",
    "password works using browser mode",
    "with password protection",
    "tried the password twice",
    "use password authentication",
    "OAuth2 instead of password",
    "password OK?",
    "sk-learn",
    "Normal password: Password, transmitted insecurely",
    "Authentication method: normal password",
    "The password is case sensitive",
    "my password is ok",
    "password: see below",
]


@pytest.mark.parametrize(("text", "secret"), _SECRETS)
def test_a_secret_leaves_the_text_and_is_counted(text: str, secret: str) -> None:
    redacted = redact(text)
    assert secret not in redacted.text
    assert "[redacted: " in redacted.text
    assert sum(redacted.counts.values()) == 1


@pytest.mark.parametrize("text", _HARMLESS)
def test_what_is_no_secret_stays(text: str) -> None:
    redacted = redact(text)
    assert redacted.text == text
    assert redacted.counts == {}


@pytest.mark.parametrize(("text", "secret"), _SECRETS)
@pytest.mark.parametrize("before", ["", "Hello,\n", "It fails. ", "> ", "- "])
@pytest.mark.parametrize("after", ["", "\nThanks", ". Please help", "\n\n> quoted"])
def test_a_secret_is_found_wherever_it_stands(
    text: str, secret: str, before: str, after: str
) -> None:
    assert secret not in redact(f"{before}{text}{after}").text


@pytest.mark.parametrize(("text", "_"), _SECRETS)
def test_redacting_twice_changes_nothing_more(text: str, _: str) -> None:
    once = redact(text).text
    assert redact(once).text == once
    assert redact(once).counts == {}


def test_our_own_access_tokens_are_known() -> None:
    assert _TOKEN not in redact(f"curl -H 'X: {ACCESS_TOKEN_PREFIX}{_TOKEN}'").text


def test_two_secrets_of_a_kind_are_counted_as_two() -> None:
    counts = redact("password: first11 and later pwd=second22").counts
    assert counts == {"password": 2}


@pytest.mark.parametrize(
    "statement",
    [
        "password: hunter2",
        "pwd=hunter2",
        "my password is hunter2",
        "password is hunter2",
        "Passwort: hunter2",
        "api_key: hunter2hunter2",
        "--password hunter2",
        "curl -u bob:hunter2",
        "https://bob:hunter2@",
        "PIN is 47112",
        "SSN 078051120",
    ],
)
@pytest.mark.parametrize("between", ["", " ", "\n", ", ", ";"])
@pytest.mark.parametrize("times", [2, 3])
def test_statements_glued_together_are_each_redacted(
    statement: str, between: str, times: int
) -> None:
    left = redact(between.join([statement] * times)).text
    assert not any(secret in left for secret in ["hunter2", "47112", "078051120"])


@pytest.mark.parametrize(
    "text",
    [
        "--token =>swordfish",
        "--token $4111 1111 1111 1111$ticket",
        "password ist jetzt Sommer2024",
        "password: x[redacted: payment card]",
        "password: hunter2[redacted: password]]",
        'password: "[redacted: token] and hunter2"',
    ],
)
def test_what_once_changed_when_redacted_again_no_longer_does(text: str) -> None:
    once = redact(text).text
    assert redact(once).text == once
    assert redact(once).counts == {}


_PIECES = st.sampled_from(
    [
        "password",
        " is ",
        ": ",
        "=",
        "hunter2",
        "[redacted: password]",
        "token",
        '"',
        " ",
        "\n",
        "-",
        "ghp_",
        "4111 1111 1111 1111",
        "DE89 3704 0044 0532 0130 00",
        "://",
        "a:b@c",
        "Bearer ",
        _TOKEN,
        "1",
    ]
)


_FRAGMENTS = st.sampled_from(
    [
        *(
            "password",
            "passwords",
            "pwd",
            "mot de passe",
            " for ",
            " is ",
            " ist ",
            "now ",
            "jetzt ",
        ),
        *(
            ": ",
            ":",
            "=",
            "=>",
            "%3D",
            "with ",
            "the ",
            "to ",
            "--password=",
            "--token ",
            "api_key",
        ),
        *(
            "secret",
            "curl -u ",
            "bob:",
            "https://",
            "@",
            "Bearer ",
            "Authorization: Basic ",
            "PIN is ",
        ),
        *("hunter2", "swordfish", "4711", "SSN ", "078-05-1120", "12/27", "cvv 123", "4111.1111."),
        *("1111.1111", "378282246310005", "-----BEGIN PRIVATE KEY-----", "MIIEpAIBAAKC", "ticket "),
        *(
            "[redacted: ",
            "[redacted: payment card]",
            "<",
            ">",
            "[",
            "]",
            "“",
            "”",
            "'",
            "`",
            "$",
            ".",
        ),
    ]
)


@given(st.text())
def test_no_text_at_all_is_changed_by_redacting_again(text: str) -> None:
    once = redact(text).text
    assert redact(once).text == once


@given(
    st.lists(_FRAGMENTS | _PIECES | st.sampled_from(_SECRETS).map(lambda row: row[0])).map("".join)
)
def test_no_text_of_secrets_is_changed_by_redacting_again(text: str) -> None:
    once = redact(text)
    assert redact(once.text).text == once.text
    assert redact(once.text).counts == {}


@given(st.lists(_PIECES | st.text(max_size=4), max_size=12).map("".join))
def test_no_text_is_changed_by_redacting_again(text: str) -> None:
    once = redact(text).text
    assert redact(once).text == once
