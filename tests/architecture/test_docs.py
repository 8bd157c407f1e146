"""The documents are true of the tree: paths exist, names exist, ADRs have their form."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ADRS = sorted((ROOT / "docs/adr").glob("ADR-*.md"))
GLOSSARY = ROOT / "docs/GLOSSARY.md"
MAPS = ["README.md", "docs/ARCHITECTURE.md", "docs/GLOSSARY.md", "docs/CONTRIBUTING.md"]
PAGES = sorted(
    str(page.relative_to(ROOT)) for page in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
)

FOLDERS = {"backend", "docs", "frontend-vue", "migrations", "scripts", "tests"}
ENDINGS = {".md", ".toml", ".ini", ".yml", ".lock", ".py", ".example"}
#: What a path in backticks may consist of; patterns, placeholders and addresses have more.
PATH = re.compile(r"(?:\./)?[\w.-]+(?:/[\w.-]+)*/?")
LINK = re.compile(r"\[[^\]]+\]\(([^)#\s]+)(?:#[^)]*)?\)")


def prose(page: str) -> str:
    """A page without its code blocks."""
    return re.sub(
        r"^```.*?^```", "", (ROOT / page).read_text("utf-8"), flags=re.MULTILINE | re.DOTALL
    )


def named_paths(page: str) -> Iterator[str]:
    for span in re.findall(r"`([^`\n]+)`", prose(page)):
        name = span.split(" ")[0].removeprefix("./")  # a command begins with its path
        if not PATH.fullmatch(name) or "NNN" in name:  # a number yet to come
            continue
        if name.partition("/")[0] in FOLDERS or ("/" not in name and Path(name).suffix in ENDINGS):
            yield name


@pytest.mark.parametrize("page", MAPS)
def test_every_path_it_names_exists(page: str) -> None:
    named = list(named_paths(page))
    assert named
    assert [name for name in named if not (ROOT / name).exists()] == []


#: Pages that name tests and modules by abbreviated folders, which they explain themselves.
ABBREVIATING = ["docs/helpdesk/index.md", "docs/helpdesk/cases.md"]
ABBREVIATION = re.compile(r"`([\w-]+/)`\s+is\s+`([\w/-]+/)`")


@pytest.mark.parametrize("page", ABBREVIATING)
def test_every_test_and_module_it_names_exists(page: str) -> None:
    stands_for = dict(ABBREVIATION.findall(prose(page)))
    named = [name for name in re.findall(r"`([^`\n]+)`", prose(page)) if "." in name]
    missing, found = [], 0
    for name in named:
        path, _, test = name.partition("::")
        first, _, rest = path.partition("/")
        whole = ROOT / (stands_for[f"{first}/"] + rest if f"{first}/" in stands_for else path)
        if f"{first}/" not in stands_for and first not in FOLDERS:
            continue
        found += 1
        if not whole.exists() or (test and f"def {test}(" not in whole.read_text("utf-8")):
            missing.append(name)
    assert found > 40
    assert missing == []


@pytest.mark.parametrize("page", PAGES)
def test_its_links_lead_somewhere(page: str) -> None:
    targets = [link for link in LINK.findall(prose(page)) if "://" not in link]
    assert [link for link in targets if not (ROOT / page).parent.joinpath(link).exists()] == []


def test_the_map_shows_every_layer() -> None:
    layers = {
        path.name + ("/" if path.is_dir() else "")
        for path in (ROOT / "backend/app").iterdir()
        if not path.name.startswith("_")
    }
    named = set(named_paths("docs/ARCHITECTURE.md"))
    assert {f"backend/app/{layer}" for layer in layers} - named == set()


def test_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) < 120


def test_changelog_has_unreleased() -> None:
    assert "\n## [Unreleased]\n" in (ROOT / "docs/CHANGELOG.md").read_text("utf-8")


def test_adr_numbers_are_unique() -> None:
    numbers = [adr.name[:7] for adr in ADRS]
    assert numbers
    assert len(set(numbers)) == len(numbers)


@pytest.mark.parametrize("adr", ADRS, ids=lambda adr: adr.name[:7])
def test_adr_has_its_form(adr: Path) -> None:
    lines = adr.read_text("utf-8").splitlines()
    assert re.fullmatch(r"ADR-\d{3}-[a-z0-9-]+\.md", adr.name)
    assert lines[0].startswith(f"# {adr.name[:7]}: ")
    assert re.match(r"- Status: (proposed|accepted|superseded by ADR-\d{3})", lines[2])
    assert re.fullmatch(r"- Area: .+", lines[3])
    assert re.fullmatch(r"- Date: \d{4}-\d{2}-\d{2}", lines[4])
    headings = [line for line in lines if line.startswith("## ")]
    parts = ("Context", "Decision", "Consequences", "Alternatives", "Enforced by")
    assert headings == [f"## {part}" for part in parts]
    assert len(lines) <= 60, "longer than a page"


def rows(*, planned: bool) -> list[list[str]]:
    """The glossary's rows: term, meaning, Python, table, wire, never."""
    built, _, later = GLOSSARY.read_text("utf-8").partition("\n## Planned\n")
    cells = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in (later if planned else built).splitlines()
        if line.startswith("| ")
    ]
    return [row for row in cells if row[0] != "Term"]


def ticked(cell: str) -> set[str]:
    return set(re.findall(r"`([^`]+)`", cell))


def words(cell: str) -> set[str]:
    return {word.strip() for word in cell.split(",")} - {"–"}


def source(folder: str) -> str:
    return "\n".join(path.read_text("utf-8") for path in sorted((ROOT / folder).rglob("*.py")))


def test_glossary_rows_are_whole() -> None:
    every = rows(planned=False) + rows(planned=True)
    assert every
    assert [row[0] for row in every if len(row) != 6] == []


def test_glossary_names_what_is_in_the_code() -> None:
    code = source("backend/app")
    names = set().union(*(ticked(row[2]) for row in rows(planned=False)))
    assert {name for name in names if not re.search(rf"\b{name}\b", code)} == set()
    tables = set().union(*(ticked(row[3]) for row in rows(planned=False)))
    assert tables == set(re.findall(r'__tablename__ = "(\w+)"', source("backend/app/db/models")))


def test_no_domain_class_has_a_never_word_as_its_name() -> None:
    every = rows(planned=False) + rows(planned=True)
    own = {word.lower() for row in every for word in words(row[0]) | ticked(row[2])}
    never = {word.lower() for row in every for word in words(row[5])} - own
    classes = re.findall(r"^class (\w+)", source("backend/app/domain"), flags=re.MULTILINE)
    spoken = {re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower() for name in classes}
    assert never
    assert spoken & never == set()
