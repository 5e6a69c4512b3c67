"""Masking: what is a secret and what is none, for any JSON value, and how long it may take."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.masking import Masker

MIXED = "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5bC7dE9f"
FAKE = {
    "anthropic-key": f"sk-ant-api03-{MIXED}",
    "openai-key": f"sk-proj-{MIXED}",
    "github-token": f"ghp_{MIXED[:36]}",
    "gitlab-token": f"glpat-{MIXED[:20]}",
    "slack-token": f"xoxb-{'1234567890-' * 2}{MIXED[:24]}",
    "aws-key": "AKIA" + MIXED.upper()[:16],
    "google-key": "AIza" + MIXED[:35],
    "google-token": f"ya29.{MIXED}",
    "stripe-key": "sk_live_" + MIXED[:24],
    "huggingface-token": f"hf_{MIXED[:34]}",
    "groq-key": f"gsk_{MIXED}{MIXED[:9]}",
    "xai-key": f"xai-{MIXED}",
    "npm-token": f"npm_{MIXED[:36]}",
    "pypi-token": f"pypi-{MIXED}{MIXED}",
    "sendgrid-key": f"SG.{MIXED[:22]}.{MIXED}",
    "jwt": f"eyJ{MIXED[:20]}.eyJ{MIXED}.{MIXED}",
}
KEY_BLOCK = "-----BEGIN {0}PRIVATE KEY-----{1}MIIEpAIBAAKCAQEA12345678{1}{2}{1}Ab=={1}-----END {0}PRIVATE KEY-----"


def masked(text: str) -> str:
    return Masker().text(text)


class TestShapes:
    @pytest.mark.parametrize("kind", FAKE)
    @pytest.mark.parametrize("around", ["{}", "use {}.", '"{}"', "curl -u {}:", "k={},", "(\\n{})"])
    def test_keys_of_providers(self, kind: str, around: str) -> None:
        masker = Masker()
        assert masker.text(around.format(FAKE[kind])) == around.format(f"<secret:{kind}>")
        assert masker.secrets == {kind: 1}

    @pytest.mark.parametrize("kind", FAKE)
    def test_a_part_of_a_longer_word_is_none(self, kind: str) -> None:
        assert masked(f"x{FAKE[kind]}") == f"x{FAKE[kind]}"

    @pytest.mark.parametrize("end", ["\n", "\r\n", "\\n", "\\\\n"])
    @pytest.mark.parametrize("algorithm", ["", "RSA ", "OPENSSH ", "ENCRYPTED "])
    def test_key_blocks(self, algorithm: str, end: str) -> None:
        block = KEY_BLOCK.format(algorithm, end, MIXED)
        assert masked(f"a {block} b") == "a <secret:private-key> b"
        assert masked(block[:90]) == "<secret:private-key>"  # cut off

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("Authorization: Bearer abcdefgh", "Authorization: Bearer <secret:bearer-token>"),
            ('"authorization": "Basic dXNlcjpwdw=="', '"authorization": "Basic <secret:bearer-token>"'),
            (f"bearer {MIXED}", "bearer <secret:bearer-token>"),
            ("postgres://me:pass@db/x", "postgres://me:<secret:url-password>@db/x"),
            ("https://x:y@h https://z@h", "https://x:<secret:url-password>@h https://z@h"),
        ],
    )
    def test_headers_and_urls(self, text: str, expected: str) -> None:
        assert masked(text) == expected


class TestNames:
    @pytest.mark.parametrize(
        ("before", "value", "after"),
        [
            ("DB_PASSWORD=", "hunter", ""),
            ("export OPENAI_KEY='", "abcdef", "'"),
            ("MY_TOKEN=", "abc.def==", " x"),
            ("AWS_SECRET_ACCESS_KEY = ", MIXED, ""),
            ('"password": "', "hunter", '"'),
            ('\\"api_key\\": \\"', "abcd1234", '\\"'),
            ("clientSecret: '", "hunter2", "'"),
            ("x-api-key: ", "abcd1234", ""),
            ("?token=", "abcd1234", "&page=2"),
            ("--password=", "hunter2", ""),
            ("password: ", "12345678", ""),
            ("name: token=", "abcd1234", " x"),
        ],
    )
    def test_values_beside_a_name_that_says_secret(self, before: str, value: str, after: str) -> None:
        assert masked(f"{before}{value}{after}") == f"{before}<secret:named-value>{after}"

    @pytest.mark.parametrize(
        "text",
        [
            "const apiKey = process.env.OPENAI_API_KEY;",
            'API_KEY=os.environ["KEY"] TOKEN=$TOKEN SECRET=${SECRET} PASSWORD=<your password>',
            "def login(password: str, token: Token) -> None: ...",
            "max_tokens=4096 tokens: 123456 token_count: 12 token: 123456",
            '{"tokenLedger": {"input": 5}, "key": "name-of-it-1", "token_type": "abcd1234"}',
            "PRIMARY_KEY=customer_id CACHE_KEY=abcd1234 KEY_FILE=/etc/key.pem TOKEN_LIMIT=abcd1",
            'password: "Enter your password", secret: required, password=****',
            '"token": "the" "secret": "yes" password=',
            "keyboard=qwertz1234 monkey: banana123",
        ],
    )
    def test_code_counts_and_placeholders_are_none(self, text: str) -> None:
        assert masked(text) == text

    def test_members_of_an_object_are_named_by_their_key(self) -> None:
        value = {"password": "hunter", "apiKey": "abcd1234", "token": 7, "secret": None, "max_tokens": "4096abcd"}
        assert Masker().mask(value) == {
            "password": "<secret:named-value>", "apiKey": "<secret:named-value>", "token": 7, "secret": None,
            "max_tokens": "4096abcd",
        }  # fmt: skip


class TestEnvironment:
    def test_values_of_secrets_are_masked_wherever_they_stand(self) -> None:
        masker = Masker({"SHOP_TOKEN": "open-sesame-1", "SHOP_NAME": "my-shop-in-1a", "DB_PASSWORD": "open-sesame-12"})
        assert masker.text("x=open-sesame-12/open-sesame-1 my-shop-in-1a") == (
            "x=<secret:environment-value>/<secret:environment-value> my-shop-in-1a"
        )

    @pytest.mark.parametrize("value", ["", "1", "true", "short1", "production", "/run/secrets/a1b2c3", "~/k3y-for-it"])
    def test_words_and_paths_are_no_secrets(self, value: str) -> None:
        assert Masker({"APP_SECRET": value}).text(f"in {value} mode") == f"in {value} mode"


class TestHomes:
    @pytest.mark.parametrize(
        ("path", "expected"),
        [
            ("/home/bob", "~"),
            ("/home/bob.x-y/src/a.py:3", "~/src/a.py:3"),
            ("/Users/bob/x", "~/x"),
            ("/root/.ssh", "~/.ssh"),
            ("file:///home/bob/x", "file://~/x"),
            ("/mnt/c/Users/bob/x", "~/x"),
            ("/c/Users/bob", "~"),
            ("PATH=/bin:/home/bob/bin", "PATH=/bin:~/bin"),
            ("cc -I/home/bob/inc", "cc -I~/inc"),
            ("a\\n/home/bob/x", "a\\n~/x"),
            ("in /home/bob.", "in ~."),
            ("C:\\Users\\bob\\x", "~\\x"),
            ("c:\\\\Users\\\\John Smith\\\\x", "~\\\\x"),
            ("C:/Users/bob/x", "~/x"),
        ],
    )
    def test_home_folders_become_a_tilde(self, path: str, expected: str) -> None:
        masker = Masker()
        assert (masker.text(path), masker.homes) == (expected, 1)

    @pytest.mark.parametrize(
        "path",
        [
            "/var/home/bob", "../home/bob", "~/home/x", "https://x.example/home/bob", "/home", "/home/", "/rooted",
            "/root-cause", "/root.txt", "/home/$USER/x", "/Users/Shared/x", "C:\\Users\\Public", "$(pwd)/home/x",
            "/users/7",
        ],
    )  # fmt: skip
    def test_other_paths_stay(self, path: str) -> None:
        assert masked(path) == path


class TestValues:
    def test_keys_are_masked_and_none_is_lost(self) -> None:
        value = {"/home/a": 1, "/home/b": [2.5, True], "~#2": {"/root": None}}
        assert Masker().mask(value) == {"~": 1, "~#2": [2.5, True], "~#2#2": {"~": None}}

    def test_data_of_images_stays(self) -> None:
        data = f"AKIA{MIXED.upper()[:16]}"
        image = {"type": "image", "data": data, "mimeType": "image/png"}
        assert Masker().mask(["data:image/png;base64," + data, image]) == ["data:image/png;base64," + data, image]
        assert Masker().mask({"type": "image", "data": f"see {data}."})["data"] == "see <secret:aws-key>."
        assert masked(f"data:image/png;base64,{data} {data}") == f"data:image/png;base64,{data} <secret:aws-key>"

    def test_what_was_masked_is_told_by_kind(self) -> None:
        masker = Masker()
        assert masker.told() == ""
        masker.mask([FAKE["jwt"], FAKE["openai-key"] + " " + FAKE["openai-key"], "/home/a"])
        assert masker.told() == "masked 3 secrets (2 openai-key, 1 jwt) and 1 home path"


HEX = st.sampled_from([7, 8, 12, 32, 40, 64]).flatmap(
    lambda length: st.text("0123456789abcdef", min_size=length, max_size=length)
)
HARMLESS = st.sampled_from(
    ["commit", "sha256:", "key", "token", "password", "secret", "the", "id=", "/usr/bin", "max_tokens", "1,234", "\n"]
)
PARTS = st.sampled_from(
    [
        *FAKE.values(),
        *("/home/", "/root", "C:\\Users\\", "bob", "password", "API_KEY", "token", "=", ":", '"', "'", "\\", "\\n"),
        *(" ", "\n", "/", "~", "#2", "<", "<secret:jwt>", "://", "@", "a1b2c3d4", "Bearer ", "data:image/png;base64,"),
        *("-----BEGIN PRIVATE KEY-----", "environment-1", "secret:", "-"),
    ]
)
TEXT = st.lists(PARTS | st.text(max_size=3), max_size=12).map("".join)
ENVIRONMENT = {"THE_SECRET": "environment-1"}


class TestRules:
    @given(
        st.recursive(TEXT | st.none() | st.integers(), lambda v: st.lists(v) | st.dictionaries(TEXT, v), max_leaves=8)
    )
    def test_masking_twice_changes_nothing_more(self, value: Any) -> None:
        once = Masker(ENVIRONMENT).mask(value)
        again = Masker(ENVIRONMENT)
        assert again.mask(once) == once
        assert again.told() == ""

    @given(st.lists(HEX | st.uuids().map(str) | HARMLESS, max_size=8).map(" ".join))
    def test_hashes_digests_and_ids_are_no_secrets(self, text: str) -> None:
        assert masked(text) == text

    @given(st.lists(st.text("abcdefghij -_.\n", max_size=20), max_size=5).map("".join))
    def test_text_without_secrets_stays(self, text: str) -> None:
        assert masked(text) == text

    @given(
        st.sampled_from(sorted(FAKE.values())), st.text(" \n.,;:()[]äß", max_size=5), st.text(" \n,;()[]äß", max_size=5)
    )
    def test_a_secret_never_survives(self, secret: str, before: str, after: str) -> None:
        assert secret not in masked(f"{before.removesuffix('ä').removesuffix('ß')} {secret} {after}")

    @pytest.mark.parametrize(
        "unit",
        [
            "KEY=", "password:", 'password:"', "password:'\\\"", "token=ab ", "a", "sk-", "ghp_", "eyJ.",
            "eyJaaaaaaaa.", "a-", "--a", "://:", "://a:b", "-----BEGIN PRIVATE KEY-----\n",
            "-----BEGIN PRIVATE KEY-----" + "\\" * 50,
            "-----BEGIN ", "authorization: bearer ", "/home/a", "/home/a.", "C:\\Users\\a ", "C:\\Users\\", "\\n",
            "data:x;base64,", " -I/home/", "AKIA", "SG.a", "bearer   ",
        ],
    )  # fmt: skip
    def test_a_megabyte_of_anything_takes_less_than_a_second(self, unit: str) -> None:
        text = (unit * (1_000_000 // len(unit) + 1))[:1_000_000]
        begin = time.process_time()
        masked(text)
        assert time.process_time() - begin < 1
