"""Which keys and tokens leave a text. They are put together here, so that no scanner takes them
for real ones.
"""

import random
import string

import pytest

from backend.app.domain.redaction import redact

_LOWER, _HEX = string.ascii_lowercase + string.digits, "0123456789abcdef"
_MIXED = string.ascii_letters + string.digits


def _drawn(alphabet: str, length: int, seed: int) -> str:
    """A word drawn by lot, the same in every run."""
    return "".join(random.Random(seed).choices(alphabet, k=length))


def _upper(length: int, seed: int) -> str:
    return _drawn(string.ascii_uppercase + string.digits, length, seed)


_FORMS = {
    "GitHub": "gh" + "p_" + _drawn(_MIXED, 36, 1),
    "GitHub, fine-grained": "github" + "_pat_" + _drawn(_MIXED, 82, 2),
    "GitLab": "gl" + "pat-" + _drawn(_MIXED, 20, 3),
    "GitLab runner": "gl" + "rt-" + _drawn(_MIXED, 20, 4),
    "Slack bot": "xo" + "xb-" + "123456789012-123456789012-" + _drawn(_MIXED, 24, 5),
    "Slack app": "xa" + "pp-1-" + _upper(11, 6) + "-1234567890-" + _drawn(_HEX, 40, 6),
    "AWS": "AK" + "IA" + _upper(16, 7),
    "Google": "AI" + "za" + _drawn(_MIXED, 35, 8),
    "Google client": "GOC" + "SPX-" + _drawn(_MIXED, 28, 9),
    "OpenAI": "s" + "k-proj-" + _drawn(_MIXED, 48, 10),
    "Anthropic": "s" + "k-ant-api03-" + _drawn(_MIXED, 60, 11),
    "Stripe": "s" + "k_live_" + _drawn(_MIXED, 24, 12),
    "Stripe hook": "wh" + "sec_" + _drawn(_MIXED, 32, 13),
    "SendGrid": "S" + "G." + _drawn(_MIXED, 22, 14) + "." + _drawn(_MIXED, 43, 15),
    "npm": "np" + "m_" + _drawn(_MIXED, 36, 16),
    "PyPI": "py" + "pi-" + _drawn(_MIXED, 60, 17),
    "Hugging Face": "h" + "f_" + _drawn(string.ascii_letters, 34, 18),
    "DigitalOcean": "do" + "p_v1_" + _drawn(_HEX, 64, 19),
    "Shopify": "shp" + "at_" + _drawn(_HEX, 32, 20),
    "Docker": "dckr" + "_pat_" + _drawn(_MIXED, 27, 21),
    "Databricks": "da" + "pi" + _drawn(_HEX, 32, 22),
    "Doppler": "d" + "p.pt." + _drawn(_MIXED, 43, 23),
    "EasyPost": "EZ" + "AK" + _drawn(_MIXED, 54, 24),
    "Postman": "PM" + "AK-" + _drawn(_HEX, 24, 25) + "-" + _drawn(_HEX, 34, 26),
    "Pulumi": "pu" + "l-" + _drawn(_HEX, 40, 27),
    "RubyGems": "ruby" + "gems_" + _drawn(_HEX, 48, 28),
    "Vault": "hv" + "s." + _drawn(_MIXED, 90, 29),
    "Grafana": "gl" + "sa_" + _drawn(_MIXED, 32, 30) + "_" + _drawn(_HEX, 8, 31),
    "Linear": "lin" + "_api_" + _drawn(_MIXED, 40, 32),
    "Figma": "fi" + "gd_" + _drawn(_MIXED, 40, 33),
    "New Relic": "NR" + "AK-" + _upper(27, 34),
    "Octopus": "AP" + "I-" + _upper(26, 35),
    "Twilio": "S" + "K" + _drawn(_HEX, 32, 36),
    "Mailchimp": _drawn(_HEX, 32, 37) + "-us" + "12",
    "Mailgun": "ke" + "y-" + _drawn(_HEX, 32, 38),
    "Telegram": "123456789" + ":A" + _drawn(_MIXED, 34, 39),
    "Airtable": "pa" + "t" + _drawn(_MIXED, 14, 40) + "." + _drawn(_HEX, 64, 41),
    "Square": "sq0" + "atp-" + _drawn(_MIXED, 22, 42),
    "Azure": _drawn(_MIXED, 3, 43) + "8" + "Q~" + _drawn(_MIXED, 34, 44),
    "MaxMind": _drawn(_MIXED, 6, 45) + "_" + _drawn(_MIXED, 29, 46) + "_m" + "mk",
    "JSON web token": "ey"
    + "J"
    + _drawn(_MIXED, 30, 47)
    + ".ey"
    + "J"
    + _drawn(_MIXED, 50, 48)
    + ".x",
    "of mixed case": _drawn(_HEX, 20, 49) + _drawn("ABCDEF0123456789", 20, 50),
}
_ASSIGNED = {
    "CLOUDFLARE_API_TOKEN={}": _drawn(_LOWER, 40, 60),
    'datadog key = "{}"': _drawn(_LOWER, 40, 61),
    "my algolia key: {}": _drawn(_LOWER, 32, 62),
    "the etsy one => {}": _drawn(_LOWER, 24, 63),
    "heroku: {}": "01234567-89ab-4cde-8f01-23456789abcd",
    "bitbucket secret > {}": _drawn(_LOWER, 32, 64),
    "X-Api-Key: {}": _drawn(_HEX, 32, 65),
    "export JIRA_TOKEN={}": _drawn(_MIXED, 24, 66),
    "Authorization: Token {}": _drawn(_HEX, 40, 67),
    "curl -H 'Authorization: {}'": _drawn(_MIXED, 40, 68),
    "https://api.example.org/v1?api_key={}&page=2": _drawn(_LOWER, 24, 69),
    '{{"client_secret": "{}"}}': _drawn(_MIXED, 32, 70),
    "snyk token={}": "89abcdef-0123-4567-89ab-cdef01234567",
    "here it is {} thanks": _drawn(_MIXED, 48, 71),
    "_gitlab_session={}": _drawn(_LOWER, 32, 72),
    "curl -u bob:'{}' https://x": "pRf7vG2h" + "1L8nQkW9",
    'curl -u ":{}" https://x': "d2LkV78zLx",
}
_FALSE_FRIENDS = [
    "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
    "Fixed in github commit: 9fceb02d0ae598e95dc970b74767f19372d61af8",
    "sha256: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "md5 d41d8cd98f00b204e9800998ecf8427e",
    "github: https://github.com/o/r/commit/9fceb02d0ae598e95dc970b74767f19372d61af8",
    "https://support.example.org/en-US/kb/cannot-send-messages-2024-update-128",
    "crash id: bp-0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9",
    "request id: 6ba7b810-9dad-11d1-80b4-00c04fd430c8",
    "X-Account-Key: account1",
    "X-UIDL: 20f65f2a00a0d46722ec0c007678198f",
    "Options -> password -> Allow, then restart",
    "Windows 11 Pro 10.0.22631.4037",
    "Thunderbird 115.14.0 (64-bit)",
    "error 0x80070005 and 0xC0000005",
    "KB5034441 fails with 0x80070643",
    "INC0012345 and REQ0098765",
    "serial: PF3ABC12",
    "the build is 20240105183125",
    "the password is correct",
    "the password is exactly the same",
    "Password is correctly entered",
    "my password is definitely right",
    "gh" + "p_" + "x" * 36,
    "AK" + "IA" + "X" * 16,
    "s" + "k-" + "x" * 48,
    "xo" + "xb-" + "x" * 9 + "-" + "x" * 10,
    "curl -u $USER:$PASS https://x",
    'curl --user "$1:$2" "$3"',
    "curl -u <user:password> https://x",
    "token: none",
    "the secret is in the details",
    "slack: #general at 10:30",
    "jira: PROJ-1234 and PROJ-99",
    "docker: image nginx:1.25.3-alpine3.18",
    "azure: eastus2, Standard_D4s_v5",
    "twitter.com/mozilla/status/1234567890123456789",
    "file C:\\Users\\user\\AppData\\Roaming\\Thunderbird\\Profiles\\abcd1234.default-release",
    "mailbox://nobody@Local%20Folders/Inbox",
    "github: version 2.45.1.windows.1",
    "zoom: 125% on a 1920x1080 screen",
    "linear: y = 3x + 12345",
    "square: 12x12x12x12x12",
    "notion: page about onboarding-2024-q1-v2",
]


@pytest.mark.parametrize("maker", _FORMS)
@pytest.mark.parametrize("around", ["{}", "It says {}.", "key={}", '"{}"', "> `{}`\n"])
def test_a_token_of_a_known_form_is_gone(maker: str, around: str) -> None:
    assert _FORMS[maker] not in redact(around.format(_FORMS[maker])).text


@pytest.mark.parametrize("maker", _FORMS)
@pytest.mark.parametrize("hidden", ["\u200b", "\u00ad", "\u2060", "\ufeff"])
def test_characters_that_nobody_sees_hide_no_token(maker: str, hidden: str) -> None:
    token = _FORMS[maker]
    left = redact(f"it is {hidden.join([token[:3], token[3:12], token[12:]])} I think").text
    assert token[12:] not in left


def test_what_nobody_sees_stays_where_it_hides_nothing() -> None:
    text = "a\u200bword and \U0001f469\u200d\U0001f4bb"
    assert redact(text).text == text


@pytest.mark.parametrize("written", _ASSIGNED)
def test_a_random_word_that_is_called_a_key_is_gone(written: str) -> None:
    left = redact(written.format(_ASSIGNED[written]))
    assert _ASSIGNED[written] not in left.text
    assert sum(left.counts.values()) == 1


@pytest.mark.parametrize("text", _FALSE_FRIENDS)
def test_what_is_random_and_no_secret_stays(text: str) -> None:
    assert redact(text).text == text


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("card4111111111111111", "card[redacted: payment card]"),
        ("Visa4111 1111 1111 1111exp", "Visa[redacted: payment card]exp"),
        ("4111 1111\n1111 1111", "[redacted: payment card]"),
        ("> 4111 1111 1111\n> 1111 ok", "> [redacted: payment card] ok"),
        ("41111111\n11111111", "[redacted: payment card]"),
        ("my card is 180045984582343", "my card is [redacted: payment card]"),
        ("his number is 078.05.1120", "his number is [redacted: social security number]"),
    ],
)
def test_a_number_is_found_however_it_is_glued_or_broken(text: str, left: str) -> None:
    assert redact(text).text == left


@pytest.mark.parametrize(
    "text",
    ["a4111111111111111", "ORD-4111111111111111", "beef4111111111111111cafe", "1078.05.1120"],
)
def test_part_of_an_identifier_is_no_number_of_a_card(text: str) -> None:
    assert redact(text).text == text


@pytest.mark.parametrize(
    "token",
    ["ghp_" + "a1B2" * 9, "AKIA" + "A1B2" * 4, "npm_" + "ab12" * 9, "sk-" + "a1" * 12],
)
def test_a_token_of_a_known_form_is_one_though_it_repeats_itself(token: str) -> None:
    assert token not in redact(f"it says {token} there").text


@pytest.mark.parametrize("blank", ["ghp_" + "x" * 36, "AKIA" + "XXXX" * 4, "npm_" + "0" * 36])
def test_what_shows_where_a_token_goes_is_none(blank: str) -> None:
    assert blank in redact(f"it says {blank} there").text
