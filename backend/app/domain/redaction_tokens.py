"""Keys and tokens of programs, known by their makers' forms, by what they are called, or by being
drawn by lot.

Three signs, each for what the other two miss: a form that only one maker's keys have; a random word
behind the name of a service or of a key and a sign of assignment; a long random word by itself.
What is random and no secret is told apart by its neighbours: digests and commits are named so,
addresses of pages begin with slashes, placeholders repeat themselves.
"""

import re
from collections.abc import Iterator
from itertools import pairwise

#: Tokens by their makers' forms. A form has a length, so that a word beginning alike is none.
TOKEN_FORMS = re.compile(
    r"(?<![A-Za-z0-9])(?:hda_[A-Za-z0-9_-]{16,}"  # our own access tokens
    r"|gh[pousr]_[A-Za-z0-9]{20,255}|github_pat_[A-Za-z0-9_]{20,255}"
    r"|gl(?:pat|ptt|dt|rt|rtr|cbt|soat|oas|ffct|ft|imt|agent|wt)-[A-Za-z0-9_.-]{20,}"
    r"|xox[ors]-(?=[A-Za-z0-9-]{0,60}\d)[A-Za-z0-9-]{16,}|xox[abep](?:\.xox[bp])?-(?=[A-Za-z0-9-]{0,60}\d\d)"
    r"[A-Za-z0-9-]{16,}|xapp-\d-[A-Za-z0-9-]{10,}"
    r"|(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])"
    r"|AIza[A-Za-z0-9_-]{35}|ya29\.[A-Za-z0-9_-]{20,}|GOCSPX-[A-Za-z0-9_-]{20,}"
    r"|(?:sk|pk)-(?:[A-Za-z]{2,10}-)*[A-Za-z0-9_-]{20,}"
    r"|[rsp]k_(?:live|test|prod)_[A-Za-z0-9]{10,}"
    r"|whsec_[A-Za-z0-9+/=]{20,}|SG\.[A-Za-z0-9_=.-]{32,}"
    r"|npm_[A-Za-z0-9]{36}|pypi-[A-Za-z0-9_-]{40,}|(?:hf|api_org)_[A-Za-z]{30,}"
    r"|do[opr]_v1_[a-f0-9]{64}|shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}|dckr_(?:pat|oat)_[A-Za-z0-9_-]{20,}"
    r"|A3-[A-Z0-9]{6}(?:-[A-Z0-9]{5,11}){4,5}"
    r"|AGE-SECRET-KEY-1[A-Z0-9]{50,}|LTAI[A-Za-z0-9]{20}|CLOJARS_[a-z0-9]{60}"
    r"|dapi[a-h0-9]{32}(?:-\d)?|dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9._-]{40,}"
    r"|duffel_(?:test|live)_[A-Za-z0-9_=-]{43}|dt0c01\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{64}"
    r"|EZ[AT]K[A-Za-z0-9]{54}|EAA[A-Za-z][A-Za-z0-9_+/=-]{40,}"
    r"|FLW(?:PUB|SEC)K_TEST-[A-Za-z0-9-]{12,}|fio-u-[A-Za-z0-9_=-]{64}"
    r"|pscale_[a-z]{2,6}_[A-Za-z0-9_.=-]{32,}|pnu_[A-Za-z0-9]{36}|rdme_[a-z0-9]{70}"
    r"|PMAK-[a-f0-9]{24}-[a-f0-9]{34}|pul-[a-f0-9]{40}|rubygems_[a-f0-9]{48}"
    r"|xkeysib-[a-f0-9]{64}-[A-Za-z0-9]{16}|sntry[su]_[A-Za-z0-9+/=_-]{40,}"
    r"|sm_[ps]at_[A-Za-z0-9]{16,}|sgp_[A-Za-z0-9_]{32,}|sha256~[A-Za-z0-9_-]{43}"
    r"|ABSK[A-Za-z0-9+/=]{100,}|bedrock-api-key-[A-Za-z0-9+/=]{20,}"
    r"|[ps]at\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9.]{30,}|pat[A-Za-z0-9]{14}\.[a-f0-9]{64}"
    r"|hv[sb]\.[A-Za-z0-9_-]{24,}|[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9=_-]{60,}"
    r"|gl(?:c|sa)_[A-Za-z0-9+/_]{32,}|lin_api_[A-Za-z0-9]{40}|secret_[A-Za-z0-9]{43}"
    r"|ntn_[A-Za-z0-9]{40,}|figd_[A-Za-z0-9_-]{36,}|tfp_[A-Za-z0-9_.=-]{40,}"
    r"|shippo_(?:live|test)_[a-f0-9]{40}|sq0[a-z]{3}-[A-Za-z0-9_-]{22,}"
    r"|NR(?:AK|II|RA|AA|JS)-[A-Za-z0-9_-]{10,}|API-[A-Z0-9]{26}(?![A-Z0-9])|tk-us-[A-Za-z0-9_-]{40,}"
    r"|[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk|4b1d[A-Za-z0-9]{38}(?![A-Za-z0-9])"
    r"|AQVN[A-Za-z0-9_-]{35,}|t1\.[A-Z0-9a-z_-]+={0,2}\.[A-Z0-9a-z_-]{86}={0,2}"
    r"|\d{8,10}:A[A-Za-z0-9_-]{33,35}(?![A-Za-z0-9_-])"
    r"|\d{13,17}[|%][A-Za-z0-9_-]{25,42}(?![A-Za-z0-9_-])"
    r"|(?:key|pubkey)-[a-f0-9]{32}|s-s4t2(?:ud|af)-[a-f0-9]{64}|SK[a-f0-9]{32}|AC[a-f0-9]{32}"
    r"|[a-f0-9]{32}-us\d{1,2}(?!\w)"
    r"|(?:sc|ext|scauth|authress)_[A-Za-z0-9]{5,30}\.[A-Za-z0-9]{4,6}\.acc[_-][A-Za-z0-9+/_=.-]{20,}"
    r"|ops_eyJ[A-Za-z0-9+/=]{100,}|eyJ(?=[^.\s]{0,4000}\d)[A-Za-z0-9+/_-]{80,}={0,3}"
    r"|ZXlK[A-Za-z0-9+/_\\=-]{40,}"
    r"|eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*){1,3})"
    # Of mixed case, which no digest is written in.
    r"|(?<![A-Za-z0-9])(?=[a-f0-9]{0,40}[A-F])(?=[A-F0-9]{0,40}[a-f])[A-Fa-f0-9]{40}(?![A-Za-z0-9])"
    # A marker in the middle of a client's secret.
    r"|(?<![A-Za-z0-9_~.-])[A-Za-z0-9_~.-]{3,4}\dQ~[A-Za-z0-9_~.-]{30,36}"
    # Whoever has a hook's address may post with it.
    r"|(?<=hooks\.slack\.com/services/)[A-Za-z0-9/_-]{20,}"
    r"|(?<=hooks\.slack\.com/workflows/)[A-Za-z0-9/_-]{20,}"
    r"|(?<=webhook\.office\.com/webhookb2/)[A-Za-z0-9/@_-]{30,}"
    r"|(?<=/api/webhooks/)\d{15,20}/[A-Za-z0-9_-]{40,}"
)

#: Services that give out keys. Their names make a random word behind them one.
_SERVICES = """
    adafruit adobe airtable algolia alibaba aliyun anthropic artifactory asana atlassian auth0
    azure beamer bintray bitbucket bitly bittrex braintree brevo buildkite bundle_enterprise
    bundle_gems circleci clickhouse clickup cloudflare cloudinary codecov codeclimate cohere
    coinbase confluent confluence contentful contribsys databricks datadog deepl deepseek
    digitalocean discord dnkey docker doppler drone dropbox duffel dynatrace easypost elastic
    etherscan etsy facebook fastly figma finicity finnhub firebase flickr flutterwave frame.io
    freshbooks freshdesk gemini gitea github gitlab gitter gocardless grafana groq hashicorp
    heroku hubspot huggingface infracost instagram intercom intra42 jenkins jfrog jira
    jumpcloud kraken kucoin launchdarkly linear linkedin lob looker mailchimp mailgun mailjet
    mandrill mapbox maxmind mattermost meraki message-bird messagebird mistral mixpanel mongodb
    netlify new-relic new_relic newrelic notion npm nuget nvidia nytimes new-york-times okta
    octopus openai openshift openweather opsgenie pagerduty paypal perplexity pinecone plaid
    planetscale postman prefect pulumi pusher rapidapi readme replicate rubygems salesforce
    scalingo segment sendbird sendgrid sendinblue sentry shippo shodan shopify sidekiq slack
    snowflake snyk sonar sourcegraph splunk spotify square squarespace stabilityai stripe
    sumo supabase telegr terraform travis trello twilio twitch twitter typeform vault vercel
    virustotal vonage xray yandex zapier zendesk zoho zoom
"""
_SERVICE = re.compile("|".join(re.escape(name) for name in _SERVICES.split()), re.IGNORECASE)
_KEY_WORD = re.compile(
    r"secret|token|passw|passphrase|credential|api[ _.-]?key|access[ _.-]?key|auth(?:orization|_)"
    r"|private[ _.-]?key|signing[ _.-]?key|license[ _.-]?key|session(?:[ _-]?id)?="
    r"|cookie:|client[ _-]?id",
    re.IGNORECASE,
)
#: What is random and meant to be known, named right before it.
_KNOWN_TO_ALL = re.compile(
    r"(?:commit|sha-?\d*|hash|checksum|digest|md5|revision|fingerprint|build(?: ?id)?|uidl"
    r"|message-id|etag|boundary|crash(?: ?id)?|report(?: ?id)?|trace(?: ?id)?|request(?: ?id)?"
    r"|guid|uuid|correlation(?: ?id)?)\W{0,8}\Z",
    re.IGNORECASE,
)
_RUN = re.compile(r"[A-Za-z0-9_=/+.~:@-]{16,}")
_IS_ASSIGNED = re.compile(r"[=:>,|][\"'`\s\\]{0,6}\Z")
_CONTEXT_CHARACTERS = 90
_LONGEST = 512
_PART = re.compile(r"[A-Za-z0-9]+")
_HEX_PAIR = re.compile(r"[a-f0-9]{8}:[a-f0-9]{8}", re.IGNORECASE)
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_LONELY_LENGTH = 30


def is_blank(value: str) -> bool:
    """Whether ``value`` shows where a token of a known form would stand: crosses, or one character
    over and over.
    """
    return len(set(value[-12:])) == 1 or "xxxx" in value.lower()


def is_placeholder(value: str) -> bool:
    """Whether ``value`` stands for a secret without being one: it is blank, or repeats itself."""
    pairs = {value[at : at + 2] for at in range(len(value) - 1)}
    return len(pairs) < 0.45 * (len(value) - 1) or is_blank(value)


def _changes(value: str) -> int:
    """How often letters and digits take turns."""
    kinds = [character.isdigit() for character in value if character.isalnum()]
    return sum(one is not next_ for one, next_ in pairwise(kinds))


def _is_random(value: str, *, at_least: int) -> bool:
    """Whether letters and digits take turns as they do where each was drawn by lot."""
    alphanumeric = sum(map(str.isalnum, value))
    if alphanumeric < at_least or len(value) > _LONGEST or is_placeholder(value):
        return False
    changes = _changes(value)
    return changes >= 3 and changes / alphanumeric >= 0.12


def _is_lonely_secret(value: str) -> bool:
    """Whether a word is random enough to be a secret without being called one: capitals, small
    letters and digits in one long piece.
    """
    longest = max(_PART.findall(value), key=len, default="")
    return (
        len(longest) >= _LONELY_LENGTH
        and any(map(str.isupper, longest))
        and any(map(str.islower, longest))
        and _is_random(longest, at_least=_LONELY_LENGTH)
    )


def _split(run: str) -> tuple[str, str]:
    """A run's name and value, where it is an assignment; else no name."""
    at = max(run.find("="), 0)
    if at and run[at:].strip("="):
        rest = run[at:].lstrip("=:>")
        return run[: len(run) - len(rest)], rest
    if ":" in run and (colon := run.find(":")) and not run[:colon].isdigit():
        rest = run[colon:].lstrip("=:>")
        if not _HEX_PAIR.match(run) and not rest.startswith("//"):
            return run[: len(run) - len(rest)], rest
    return "", run


def random_secrets(text: str) -> Iterator[tuple[int, int]]:
    """Where words stand that were drawn by lot and are no digest, address or placeholder."""
    for found in _RUN.finditer(text):
        name, value = _split(found[0])
        start = found.start() + len(name)
        value = value.rstrip(".:@=") + "=" * min(2, len(value) - len(value.rstrip("=")))
        stripped = value.lstrip("=:")
        start, value = start + len(value) - len(stripped), stripped
        before = text[max(0, start - _CONTEXT_CHARACTERS) : start].rsplit("\n", 1)[-1]
        if not value or "//" in value or "@" in value or _KNOWN_TO_ALL.search(before):
            continue
        is_lonely = not name and text[start - 1 : start] not in {"/", "\\"}
        if (_IS_ASSIGNED.search(before) and _is_called(before, value)) or (
            is_lonely and _is_lonely_secret(value)
        ):
            yield start, start + len(value)


def _is_called(before: str, value: str) -> bool:
    is_whole = _UUID.fullmatch(value) is not None or _HEX_PAIR.fullmatch(value) is not None
    if not is_whole and not _is_random(value, at_least=15):
        return False
    return _SERVICE.search(before) is not None or _KEY_WORD.search(before) is not None
