"""How people and machines are reached, and what only looks like it."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backend.app.domain.redaction_contacts import Contact, contacts, network_addresses

_FOUND = {
    Contact.EMAIL: [
        *("write to anna.schmidt@firma.de", "<peter+it@mail.acme.co.uk>", "MAILTO:X_Y@Z.ORG"),
        *("o'neill@acme.org", "user@xn--80ak6aa92e.com", "jürgen@bücher.de", "(a@b.io)"),
        *("anna@firma.de.", "from=anna@firma.de;", "a@b.museum, c@"),
    ],
    Contact.PHONE: [
        *("+49 30 1234567", "+1 (415) 555-0132", "(415) 555-0132", "415-555-0132", "415.555.0132"),
        *("call 030 1234567", "Tel: 089/1234567", "phone 0151 23456789", "+447700 900123"),
        *("my number is 13812345678", "01.84.17.61.18", "01 84 17 61 18", "fax 358 0594"),
        *("Phone:\n60-56-85-91", "+41 (0)44 668 18 00", "mobile: 07911 123456", "1-800-275-2273"),
        *("ring me on 555 0199", "082 490 1693-Office", "WhatsApp +55 11 98456 5666"),
    ],
    Contact.NETWORK: [
        *("from 8.8.8.8", "ping 93.184.216.34:443", "2001:4860:4860::8888", "[2606:4700::1111]:53"),
        *("1.1.1.1/32", "host 185.199.108.153."),
    ],
    Contact.HARDWARE: [
        *("00:1A:2B:3C:4D:5E", "AA-BB-CC-DD-EE-FF", "0012.3456.789a", "mac 01:23:45:67:89:ab!"),
    ],
}
_FALSE_FRIENDS = [
    *("Thunderbird 115.14.0", "Windows 10.0.22631.4037", "version 1.2.3.4", "driver 31.0.15.3623"),
    *("build 20240105183125", "bug 1703166386", "ticket 4155550132", "order 4155550132"),
    *("(2024-05-04)", "2023-06-02 10:30", "30.11.2026", "12-05-2024", "11-22-23 10:15"),
    *("INC0012345", "error 0x80070005", "0x8004010F", "KB5034441", "port 587 and 993"),
    *("192.168.1.10", "10.0.0.5:8080", "172.16.0.1", "127.0.0.1", "::1", "fe80::1", "203.0.113.7"),
    *("std::string", "Time 12:34:56", "Ratio 1:2:3:4", "MyClass::toString", "300.168.1.1"),
    *("00:1A:2B:3C:4D", "ZZ:ZZ:ZZ:ZZ:ZZ:ZZ", "00:00:00:00:00:00", "1.3.6.1.4.1.311.21.20"),
    *("person@example.com", "x@mail.example", "git@github.com:o/r.git", "root@localhost"),
    *("info@presidio.", "hello-world here", "@bob", "npm i @scope/pkg@1.2.3", "a@b", "50 000 000"),
    *("1,234,567", "1 234 567 files", "16 777 216 bytes", "0.123456789", "1e10", "1732968000000"),
    *("5.99 5.99 5.99", "page 1 2 3 4 5 6 7", "3840x2160", "255.255.255.0", "978-3-16-148410-0"),
]


@pytest.mark.parametrize(
    ("kind", "text"), [(kind, text) for kind, texts in _FOUND.items() for text in texts]
)
def test_a_way_to_reach_somebody_is_found(kind: Contact, text: str) -> None:
    assert [one.kind for one in contacts(text)] == [kind]


@pytest.mark.parametrize("text", _FALSE_FRIENDS)
def test_what_only_looks_like_one_is_left(text: str) -> None:
    assert contacts(text) == []


def test_an_address_is_found_as_a_whole() -> None:
    text = "Anna <anna@firma.de>, +49 30 1234567, at 8.8.8.8 (00:1A:2B:3C:4D:5E)"
    assert [text[one.start : one.end] for one in contacts(text)] == [
        "anna@firma.de",
        "+49 30 1234567",
        "8.8.8.8",
        "00:1A:2B:3C:4D:5E",
    ]


def test_every_network_address_is_known_though_few_are_taken_out() -> None:
    text = "10.0.0.1 or fe80::1%eth0 or ::ffff:192.0.2.1 or 8.8.8.8"
    assert len(list(network_addresses(text))) == 4
    assert len(contacts(text)) == 1


_PIECES = st.sampled_from(
    [*"0123456789 .-:@()+", "a@b.de", "+49 30 1234567", "::", "call ", "version ", "\n", "é"]
)


@given(st.lists(_PIECES, max_size=40).map("".join))
@settings(deadline=None)  # the first number loads its country's plan
def test_what_is_found_stands_in_the_text_and_nothing_overlaps(text: str) -> None:
    found = contacts(text)
    assert all(0 <= one.start < one.end <= len(text) for one in found)
    assert all(one.end <= next_.start for one, next_ in pairwise(found))
