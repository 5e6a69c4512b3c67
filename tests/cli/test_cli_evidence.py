"""Keys, signatures and their verification, as a user types them."""

from __future__ import annotations

import json
import stat
import sys

import pytest
from user_project import UserProject

from proctor.evidence import ASSEVRA, load_signing_key, sign


@pytest.fixture
def signed(project: UserProject) -> UserProject:
    """A project with a key, another key, and a signed document."""
    project.write("card.json", '{"decision": "passed", "rows": 20}')
    for name in ("mine", "other"):
        assert project.proctor("keygen", f"{name}.pem").code == 0
    assert project.proctor("sign", "card.json", "--key", "mine.pem").code == 0
    return project


class TestKeygen:
    def test_writes_two_files_and_prints_the_public_key(self, project: UserProject) -> None:
        ended = project.proctor("keygen", "mine.pem")
        private, public, key = ended.out.splitlines()
        assert private == "wrote the private key to mine.pem: keep it secret, and out of git"
        assert public == "wrote the public key to mine.pem.pub: give it to whoever verifies"
        assert len(key) == len("public key: ") + 44
        assert stat.S_IMODE((project.root / "mine.pem").stat().st_mode) == 0o600

    def test_overwrites_nothing(self, project: UserProject) -> None:
        project.proctor("keygen", "mine.pem")
        before = (project.root / "mine.pem").read_bytes()
        ended = project.proctor("keygen", "mine.pem")
        assert (ended.code, ended.out) == (2, "")
        assert ended.err.startswith("error: mine.pem is there already, and a key is never overwritten\n  hint: ")
        assert (project.root / "mine.pem").read_bytes() == before

    def test_gives_json(self, project: UserProject) -> None:
        found = project.proctor("keygen", "mine.pem", "--format", "json").json()
        assert (found["private"], found["public"], len(found["public_key"])) == ("mine.pem", "mine.pem.pub", 44)

    def test_without_the_package_says_what_to_install(
        self, project: UserProject, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.asymmetric.ed25519", None)
        ended = project.proctor("keygen", "mine.pem")
        assert ended.code == 2
        assert ended.err == (
            "error: signatures need the package cryptography\n  hint: pip install 'proctor-evals[evidence]'\n"
        )


class TestSign:
    def test_writes_the_signature_beside_the_file(self, signed: UserProject) -> None:
        block = json.loads((signed.root / "card.sig.json").read_text())
        assert block["proctor_signature_version"] == 1
        assert block["signed_at"].endswith("+00:00")

    def test_writes_it_where_it_is_told_to(self, signed: UserProject) -> None:
        ended = signed.proctor("sign", "card.json", "--key", "mine.pem", "--out", "x/s.json")
        assert (ended.code, ended.err) == (2, "error: x/s.json cannot be written: No such file or directory\n")
        ended = signed.proctor("sign", "card.json", "--key", "mine.pem", "--out", "s.json", "--format", "json")
        (made,) = ended.json()
        assert (ended.code, made["file"], made["signature"]) == (0, "card.json", "s.json")
        assert made["block"] == json.loads((signed.root / "s.json").read_text())
        assert signed.proctor("verify", "card.json", "--signature", "s.json").code == 0

    def test_overwrites_no_key_by_another_name(self, signed: UserProject) -> None:
        (signed.root / "link.json").hardlink_to(signed.root / "mine.pem")
        ended = signed.proctor("sign", "card.json", "--key", "mine.pem", "--out", "link.json")
        assert (ended.code, ended.err.splitlines()[0]) == (2, "error: the signature would overwrite link.json")

    @pytest.mark.parametrize("content", ["{}", "-----BEGIN PRIVATE KEY-----", "[1]"])
    def test_overwrites_nothing_but_signatures(self, signed: UserProject, content: str) -> None:
        signed.write("other", content)
        sign = ("sign", "card.json", "--key", "mine.pem", "--out")
        assert signed.proctor(*sign, "other").err == (
            "error: other is there already, and is no signature\n  hint: name another file with --out\n"
        )
        assert (signed.root / "other").read_text() == content
        assert [signed.proctor(*sign, "s.json").code for _ in range(2)] == [0, 0]

    def test_names_the_file_that_cannot_be_signed(self, signed: UserProject) -> None:
        signed.write("half.json", '["\\ud800"]')
        ended = signed.proctor("sign", "card.json", "half.json", "--key", "mine.pem")
        assert ended.code == 2
        assert ended.err.startswith("error: half.json: the document holds half of a character")

    @pytest.mark.parametrize("arguments", ["keygen .", "sign . --key mine.pem", "verify ."])
    def test_of_a_folder_is_one_error(self, signed: UserProject, arguments: str) -> None:
        ended = signed.proctor(*arguments.split())
        assert ended.code == 2
        assert ended.err.startswith("error: . ")

    @pytest.mark.parametrize("out", ["card.json", "./card.json", "mine.pem"])
    def test_overwrites_neither_the_file_nor_the_key(self, signed: UserProject, out: str) -> None:
        ended = signed.proctor("sign", "card.json", "--key", "mine.pem", "--out", out)
        assert ended.code == 2
        assert "error: the signature would overwrite" in ended.err
        assert load_signing_key(signed.root / "mine.pem")

    @pytest.mark.parametrize(
        ("document", "told"),
        [
            ('{"x": NaN}', "error: bad.json holds NaN, which is no JSON number"),
            ('{"x": "\\ud83d"}', "half of a character (the lone surrogate U+D83D), which cannot be signed"),
            ('{"x": 1', "error: bad.json is no JSON: line 1, column 8"),
            ('{"x": 9007199254740993}', "hint: write integers beyond 9007199254740992 as texts"),
        ],
    )
    def test_what_has_no_canonical_form_is_refused(self, signed: UserProject, document: str, told: str) -> None:
        signed.write("bad.json", document)
        ended = signed.proctor("sign", "bad.json", "--key", "mine.pem")
        assert (ended.code, ended.out) == (2, "")
        assert told in ended.err
        assert not (signed.root / "bad.sig.json").exists()

    def test_for_the_tool_assevra_too(self, signed: UserProject) -> None:
        signed.proctor("sign", "card.json", "--key", "mine.pem", "--scheme", "assevra")
        block = json.loads((signed.root / "card.sig.json").read_text())
        key = load_signing_key(signed.root / "mine.pem")
        document = json.loads((signed.root / "card.json").read_text())
        assert block == sign(document, key, scheme=ASSEVRA, signed_at=block["signed_at"])
        assert signed.proctor("verify", "card.json", "--public-key", "mine.pem.pub").code == 0


class TestVerify:
    def test_without_a_key_says_that_only_integrity_is_shown(self, signed: UserProject) -> None:
        ended = signed.proctor("verify", "card.json")
        assert ended.code == 0
        assert ended.out.startswith(
            "card.json: verified: the document is as it was signed; who signed it is not shown, since anybody can make"
            " a key: name the public key that you expect\nsigned at "
        )

    def test_with_the_key_says_that_it_made_the_signature(self, signed: UserProject) -> None:
        text = signed.proctor("keygen", "third.pem", "--format", "json").json()["public_key"]
        signed.proctor("sign", "card.json", "--key", "third.pem")
        for given in ("third.pem.pub", text):
            ended = signed.proctor("verify", "card.json", "--public-key", given)
            assert ended.code == 0
            assert "verified: the document is as it was signed, and it was signed with the expected key" in ended.out

    def test_layout_does_not_matter(self, signed: UserProject) -> None:
        signed.write("card.json", '{\n  "rows": 2e1,\n  "decision": "passed"\n}\n')
        assert signed.proctor("verify", "card.json").code == 0

    def test_a_changed_file_another_key_and_a_changed_signature_are_found(self, signed: UserProject) -> None:
        ended = signed.proctor("verify", "card.json", "--public-key", "other.pem.pub")
        assert ended.code == 1
        assert "card.json: NOT verified: the document was signed with another key than the expected one" in ended.out
        block = json.loads((signed.root / "card.sig.json").read_text())
        signed.write("note.json", json.dumps({**block, "note": "approved"}))
        ended = signed.proctor("verify", "card.json", "--signature", "note.json")
        assert (ended.code, "has fields that its version does not know" in ended.out) == (1, True)
        signed.write("card.json", '{"decision": "passed", "rows": 21}')
        ended = signed.proctor("verify", "card.json", "--format", "json")
        assert ended.code == 1
        assert ended.json() == [
            {
                "file": "card.json",
                "valid": False,
                "authentic": False,
                "reason": "the document is not the one that was signed: its content is another",
                "scheme": "proctor",
                "public_key": None,
                "signed_at": None,
            }
        ]

    @pytest.mark.parametrize(
        ("arguments", "told"),
        [
            (["card.json", "--signature", "gone.json"], "error: gone.json cannot be read: No such file or directory"),
            (["card.json", "--signature", "card.json"], "error: there is no signature block"),
            (["card.json", "--public-key", "nonsense"], "hint: give the base64 text that proctor keygen printed"),
            (["shop.py", "--signature", "card.sig.json"], "error: shop.py is no JSON"),
        ],
    )
    def test_what_cannot_be_read_ends_with_2(self, signed: UserProject, arguments: list[str], told: str) -> None:
        ended = signed.proctor("verify", *arguments)
        assert (ended.code, ended.out) == (2, "")
        assert told in ended.err

    def test_a_time_that_was_signed_is_safe_to_show(self, signed: UserProject) -> None:
        key = load_signing_key(signed.root / "mine.pem")
        block = sign({"x": 1}, key, signed_at="\x1b[31mnow")
        signed.write("x.json", '{"x": 1}')
        signed.write("x.sig.json", json.dumps(block))
        ended = signed.proctor("verify", "x.json")
        assert 'signed at "<1B>[31mnow" with the public key ' in ended.out


class TestSeveralFiles:
    def test_are_signed_and_verified_one_by_one(self, signed: UserProject) -> None:
        signed.write("two.json", "[]")
        ended = signed.proctor("sign", "card.json", "two.json", "--key", "mine.pem")
        assert ended.out.startswith("signed card.json: card.sig.json\nsigned two.json: two.sig.json\npublic key: ")
        assert signed.proctor("sign", "two.json", "two.json", "--key", "mine.pem", "--format", "json").code == 0
        assert signed.proctor("verify", "card.json", "two.json").code == 0
        signed.write("two.json", "[1]")
        ended = signed.proctor("verify", "card.json", "two.json", "--format", "json")
        assert (ended.code, [each["valid"] for each in ended.json()]) == (1, [True, False])

    @pytest.mark.parametrize(
        "arguments", [["sign", "--key", "mine.pem", "--out", "s.json"], ["verify", "--signature", "card.sig.json"]]
    )
    def test_have_a_signature_each(self, signed: UserProject, arguments: list[str]) -> None:
        ended = signed.proctor(*arguments, "card.json", "card.json")
        assert ended.code == 2
        assert ended.err == f"error: {arguments[-2]} names one file, and 2 documents are named\n  hint: leave it out\n"


class TestReportsOfARun:
    def test_the_scorecard_of_a_run_can_be_signed_and_is_written_again_as_it_was(self, project: UserProject) -> None:
        project.case("one")
        project.suite("report: {formats: [scorecard, agent-card], dir: out}\n")
        assert project.run().code == 0
        project.proctor("keygen", "mine.pem")
        (path,) = (project.root / "evals" / "out").glob("*/*/scorecard.json")
        assert project.proctor("sign", path, "--key", "mine.pem").code == 0
        path.unlink()
        assert "scorecard" in project.proctor("report").out
        assert project.proctor("verify", path, "--public-key", "mine.pem.pub").code == 0
        assert "proctor verify scorecard.json" in path.with_name("agent-card.md").read_text(encoding="utf-8")

    def test_the_schema_of_the_scorecard_can_be_printed(self, project: UserProject) -> None:
        assert project.proctor("schema", "scorecard").json()["title"] == "Proctor scorecard"
