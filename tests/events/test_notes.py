"""Notes, checkpoints and proofs are those of C2SP, byte for byte."""

from base64 import b64decode, b64encode

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from events import notes
from events.notes import Checkpoint, NoteWrong, Proof

# The key and the note that implementations of signed notes are checked with.
NAME = "PeterNeumann"
VERIFIER = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
SECRET = b64decode("AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz")[1:]
TEXT = (
    "If you think cryptography is the answer to your problem,\n"
    "then you don't know what your problem is.\n"
)
NOTE = (
    TEXT + "\n\u2014 PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNX"
    "gKvqfqdngotpRZb6KE6RyyBwJnAM=\n"
)
KEY = Ed25519PrivateKey.from_private_bytes(SECRET)
PUBLIC = KEY.public_key().public_bytes_raw()
OTHER = Ed25519PrivateKey.from_private_bytes(b"o" * 32)
ORIGIN = "log.example/plyscribe"
ROOT = bytes(range(32))


def test_the_known_note_is_signed_byte_for_byte() -> None:
    assert notes.signed(TEXT, NAME, [KEY]) == NOTE
    assert notes.verified(NOTE, NAME, PUBLIC) == TEXT


def test_the_known_verifier_key() -> None:
    assert notes.verifier_key(NAME, PUBLIC) == VERIFIER
    assert notes.opened_verifier_key(VERIFIER) == (NAME, PUBLIC)
    assert notes.key_id(NAME, PUBLIC).hex() == "c74f20a3"


@pytest.mark.parametrize("place", range(0, len(VERIFIER), 3))
def test_a_mangled_verifier_key_is_refused(place: int) -> None:
    mangled = VERIFIER[:place] + chr(ord(VERIFIER[place]) ^ 1) + VERIFIER[place + 1 :]
    for wrong in (mangled, VERIFIER[:place], VERIFIER[place + 1 :]):
        with pytest.raises(NoteWrong):
            notes.opened_verifier_key(wrong)


def test_every_flipped_character_of_a_note_is_found() -> None:
    for place in range(len(NOTE)):
        mangled = NOTE[:place] + chr(ord(NOTE[place]) ^ 1) + NOTE[place + 1 :]
        with pytest.raises(NoteWrong):
            notes.verified(mangled, NAME, PUBLIC)


@pytest.mark.parametrize(
    "wrong",
    ["", TEXT, NOTE[:-1], NOTE + "\n", NOTE.replace("\u2014 ", "- "), NOTE + "more\n",
     NOTE.replace("\n\n", "\n"), TEXT + "\n" + NOTE.splitlines()[-1] * 2 + "\n"],
)  # fmt: skip
def test_what_is_no_note_is_refused(wrong: str) -> None:
    with pytest.raises(NoteWrong):
        notes.verified(wrong, NAME, PUBLIC)


def test_signatures_of_others_are_passed_over() -> None:
    both = notes.signed(TEXT, NAME, [OTHER, KEY])
    assert notes.verified(both, NAME, PUBLIC) == TEXT
    with pytest.raises(NoteWrong):
        notes.verified(notes.signed(TEXT, NAME, [OTHER]), NAME, PUBLIC)
    with pytest.raises(NoteWrong):
        notes.verified(notes.signed(TEXT, "Somebody", [KEY]), NAME, PUBLIC)


def test_a_checkpoint_is_three_lines() -> None:
    made = Checkpoint(ORIGIN, 20852163, ROOT)
    assert made.text == f"{ORIGIN}\n20852163\n{b64encode(ROOT).decode()}\n"
    note = notes.signed(made.text, ORIGIN, [KEY])
    assert notes.opened(note, ORIGIN, PUBLIC) == made
    assert notes.checkpoint_in(made.text + "an extension\n") == made


@pytest.mark.parametrize(
    "wrong",
    ["", f"{ORIGIN}\n", f"{ORIGIN}\n1\n", f"\n1\n{b64encode(ROOT).decode()}\n",
     f"{ORIGIN}\n01\n{b64encode(ROOT).decode()}\n", f"{ORIGIN}\n-1\n{b64encode(ROOT).decode()}\n",
     f"{ORIGIN}\n1\n{b64encode(ROOT[:31]).decode()}\n", f"{ORIGIN}\n1\n{ROOT.hex()}\n",
     f"{ORIGIN}\n1\n{b64encode(ROOT).decode()}", f"{ORIGIN}\n٣\n{b64encode(ROOT).decode()}\n"],
)  # fmt: skip
def test_what_is_no_checkpoint_is_refused(wrong: str) -> None:
    with pytest.raises(NoteWrong):
        notes.checkpoint_in(wrong)


def test_the_checkpoint_of_another_log_is_refused() -> None:
    note = notes.signed(Checkpoint("other", 1, ROOT).text, ORIGIN, [KEY])
    with pytest.raises(NoteWrong, match="another log"):
        notes.opened(note, ORIGIN, PUBLIC)


def test_a_proof_is_written_as_specified_and_read_back() -> None:
    note = notes.signed(Checkpoint(ORIGIN, 9, ROOT).text, ORIGIN, [KEY])
    proof = Proof(5, (ROOT, ROOT[::-1]), note)
    one, other = (b64encode(each).decode() for each in proof.path)
    assert notes.proof_text(proof) == (f"c2sp.org/tlog-proof@v1\nindex 5\n{one}\n{other}\n\n{note}")
    for each in (proof, Proof(0, (), note, b"a leaf"), Proof(0, (), note)):
        assert notes.proof_in(notes.proof_text(each)) == each
    assert "\nextra YSBsZWFm\nindex 0\n\n" in notes.proof_text(Proof(0, (), note, b"a leaf"))


@pytest.mark.parametrize(
    "wrong",
    ["", "c2sp.org/tlog-proof@v1\n", "c2sp.org/tlog-proof@v1\nindex 0\n",
     "c2sp.org/tlog-proof@v2\nindex 0\n\nnote\n", "c2sp.org/tlog-proof@v1\n\nnote\n",
     "c2sp.org/tlog-proof@v1\nindex 00\n\nnote\n",
     "c2sp.org/tlog-proof@v1\nindex 0\nAA==\n\nnote\n",
     "c2sp.org/tlog-proof@v1\nextra !\nindex 0\n\nnote\n"],
)  # fmt: skip
def test_what_is_no_proof_is_refused(wrong: str) -> None:
    with pytest.raises(NoteWrong):
        notes.proof_in(wrong)


@pytest.mark.parametrize("name", ["", "a b", "a+b", "a\nb", "a\u00a0b"])
def test_names_no_key_can_have(name: str) -> None:
    assert not notes.is_name(name)
