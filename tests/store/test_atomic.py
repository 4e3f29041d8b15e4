"""Saving, with everything that can go wrong on the way to the disk."""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from support.artifacts import KINDS, packed

import astgen
from astgen.errors import ArtifactError
from astgen.store import atomic, load_artifact, save_artifact
from astgen.store.atomic import sweep, write_whole
from astgen.store.container import read

PACKAGE = str(Path(astgen.__file__).parents[1])
OLD, NEW = packed("plain"), packed("blobs")

KILLED = """
import os, signal, sys
from astgen.store.container import read, write

source, target, step = sys.argv[1], sys.argv[2], int(sys.argv[3])
found = read(source)
members = dict(found.members)
with open(source, "rb") as file:
    head = file.read(1 << 16)
start = 30 + len("manifest.json")
members["manifest.json"] = head[start : start + int.from_bytes(head[18:22], "little")]


def counted(function):
    def call(*args, **kwargs):
        global step
        step -= 1
        if step == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        if step == 1 and function is real_write:
            real_write(args[0], bytes(args[1])[: len(args[1]) // 2])
            os.kill(os.getpid(), signal.SIGKILL)
        return function(*args, **kwargs)
    return call


real_write = os.write
for name in ("open", "write", "fsync", "close", "replace", "scandir", "unlink"):
    setattr(os, name, counted(getattr(os, name)))
write(target, members)
print("written", step)
"""


def run(program: str, *args: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", program, *map(str, args)],
        capture_output=True,
        text=True,
        timeout=120 + 4 * SECONDS,
        env={**os.environ, "PYTHONPATH": PACKAGE},
    )


def temporaries(folder: Path) -> list[Path]:
    return sorted(folder.glob(".astgen-*.tmp"))


@pytest.mark.parametrize("there", [True, False])
def test_a_kill_at_any_step_leaves_the_old_file_or_the_new(
    tmp_path: Path, there: bool
) -> None:
    source, target = tmp_path / "source", tmp_path / "cache" / "a.astgen"
    source.write_bytes(NEW)
    target.parent.mkdir()
    left = after = 0
    for step in range(1, 200):
        for old in target.parent.iterdir():
            old.unlink()
        if there:
            target.write_bytes(OLD)
        done = run(KILLED, source, target, step)
        if done.returncode == 0:
            break
        assert done.returncode == -signal.SIGKILL, done.stderr
        data = target.read_bytes() if target.exists() else None
        assert data in (OLD if there else None, NEW)
        after += data == NEW
        left += len(temporaries(target.parent))
        # The next one that writes there removes what is left.
        write_whole(target.parent / "other", [b"x"])
        assert temporaries(target.parent) == []
    assert done.returncode == 0 and target.read_bytes() == NEW
    # It was killed before, while and after the bytes were written.
    assert step > 20 and left > 15 and after >= 2


def test_the_name_is_given_when_the_bytes_are_on_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    events: list[str] = []

    def noted(name: str) -> None:
        real: Callable[..., object] = getattr(os, name)

        def call(*args: object, **kwargs: object) -> object:
            events.append(name)
            return real(*args, **kwargs)

        monkeypatch.setattr(os, name, call)

    for name in ("write", "fsync", "replace"):
        noted(name)
    write_whole(tmp_path / "a", [b"one", b"two"])
    assert events == ["write", "write", "fsync", "replace", "fsync"]
    assert (tmp_path / "a").read_bytes() == b"onetwo"


def test_writes_that_take_a_part_only_are_continued(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.write
    monkeypatch.setattr(os, "write", lambda file, data: real(file, data[:7]))
    write_whole(tmp_path / "a", [NEW])
    assert (tmp_path / "a").read_bytes() == NEW


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("write", errno.ENOSPC),
        ("write", errno.EDQUOT),
        ("write", errno.EIO),
        ("fsync", errno.EIO),
        ("replace", errno.EACCES),
        ("open", errno.EMFILE),
        ("open", errno.EROFS),
    ],
)
def test_what_fails_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, number: int
) -> None:
    path = tmp_path / "a.astgen"
    path.write_bytes(OLD)

    def fail(*args: object, **kwargs: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(atomic.os, name, fail)
    with pytest.raises(ArtifactError, match=os.strerror(number)) as caught:
        save_artifact(path, KINDS["blobs"])
    monkeypatch.undo()
    assert caught.value.path == str(path)
    assert ("make room" in str(caught.value)) == (
        number in (errno.ENOSPC, errno.EDQUOT)
    )
    assert path.read_bytes() == OLD
    assert os.listdir(tmp_path) == ["a.astgen"]


FULL = """
import os, resource, signal, sys
from astgen.errors import ArtifactError
from astgen.store.atomic import write_whole

resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    write_whole(sys.argv[1], [b"x" * 600, b"x" * 600])
except ArtifactError as error:
    print(error)
"""


def test_a_disk_that_takes_no_more_is_told_of(tmp_path: Path) -> None:
    pytest.importorskip("resource")
    path = tmp_path / "a.astgen"
    path.write_bytes(OLD)
    done = run(FULL, path)
    assert done.stdout.startswith(f"{path}: it cannot be written: File too large; make")
    assert path.read_bytes() == OLD and os.listdir(tmp_path) == ["a.astgen"]


READ_ONLY = """
import os, sys
from astgen.errors import ArtifactError
from astgen.store.atomic import write_whole

if os.geteuid() == 0:
    os.seteuid(65534)  # The modes of folders do not count for root.
try:
    write_whole(sys.argv[1], [b"x"])
except ArtifactError as error:
    print(error)
"""


@contextlib.contextmanager
def open_to_all(folder: Path) -> Iterator[None]:
    """Let others than root reach a folder of pytest's; how deep it is may vary."""
    closed = {
        place: mode
        for place in (folder, *folder.parents)
        if (mode := place.stat().st_mode) & 0o055 != 0o055 and os.geteuid() == 0
    }
    try:
        for place, mode in closed.items():
            place.chmod(mode | 0o055)
        yield
    finally:
        for place, mode in closed.items():
            place.chmod(mode)


def test_a_folder_that_may_not_be_written_to_is_told_of(tmp_path: Path) -> None:
    folder = tmp_path / "read-only"
    folder.mkdir()
    path = folder / "a.astgen"
    path.write_bytes(OLD)
    folder.chmod(0o555)
    with open_to_all(tmp_path):
        done = run(READ_ONLY, path)
    folder.chmod(0o755)
    assert "it cannot be written: Permission denied; make it writable" in done.stdout
    assert path.read_bytes() == OLD and os.listdir(folder) == ["a.astgen"]


def test_a_folder_that_nobody_may_list_is_written_to(tmp_path: Path) -> None:
    folder = tmp_path / "drop"
    folder.mkdir()
    folder.chmod(0o333)
    with open_to_all(tmp_path):
        done = run(READ_ONLY, folder / "a")
    folder.chmod(0o755)
    assert (done.stdout, done.returncode) == ("", 0), done.stderr
    assert (folder / "a").read_bytes() == b"x" and os.listdir(folder) == ["a"]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("missing/a", "No such file or directory; make the folder first"),
        ("file/a", "Not a directory"),
        (".", "it is a folder; name a file in it"),
        ("a\0b", "null"),
        ("x" * 300, "File name too long"),
    ],
)
def test_a_place_that_is_none_is_refused(
    tmp_path: Path, name: str, reason: str
) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(ArtifactError, match=reason):
        write_whole(f"{tmp_path}/{name}", [b"x"])
    assert os.listdir(tmp_path) == ["file"]


def test_a_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real" / "a")
    write_whole(tmp_path / "link", [b"x"])
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real" / "a").read_bytes() == b"x"


@pytest.mark.parametrize("linked", [False, True])
@pytest.mark.parametrize("kind", ["pipe", "socket"])
def test_what_is_no_file_is_not_replaced(
    tmp_path: Path, kind: str, linked: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    if kind == "pipe":
        os.mkfifo("special")
    else:
        with socket.socket(socket.AF_UNIX) as bound:
            bound.bind("special")
    before = os.stat("special")
    (tmp_path / "link").symlink_to("special")
    with pytest.raises(ArtifactError, match="pipe or a socket; name a file") as caught:
        write_whole("link" if linked else "special", [b"x"])
    assert caught.value.rule == "AG004"
    assert os.stat("special") == before and (tmp_path / "link").is_symlink()
    assert sorted(os.listdir()) == ["link", "special"]


def test_a_device_is_not_replaced() -> None:
    # A terminal of our own: if it went wrong, nobody else's would be gone.
    ends = os.openpty()
    try:
        path = os.ttyname(ends[1])
        with pytest.raises(ArtifactError, match="it is a device"):
            write_whole(path, [b"x"])
        assert os.stat(path).st_rdev == os.fstat(ends[1]).st_rdev
    finally:
        for end in ends:
            os.close(end)


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o444])
def test_permissions_stay_those_of_the_file(
    tmp_path: Path, mode: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, seen = tmp_path / "a", []
    path.write_bytes(b"old")
    path.chmod(mode)
    real = os.write

    def write(file: int, data: bytes) -> int:
        seen.append(os.fstat(file).st_mode & 0o777)
        return real(file, data)

    monkeypatch.setattr(os, "write", write)
    write_whole(path, [b"new"])
    assert path.read_bytes() == b"new" and path.stat().st_mode & 0o777 == mode
    assert seen == [0o600]


def test_a_new_file_has_the_permissions_of_any(tmp_path: Path) -> None:
    (tmp_path / "any").write_bytes(b"x")
    write_whole(tmp_path / "a", [b"x"])
    assert (tmp_path / "a").stat().st_mode == (tmp_path / "any").stat().st_mode


def test_a_path_of_bytes_is_one(tmp_path: Path) -> None:
    path: Any = os.fsencode(tmp_path / "a\udce9")
    write_whole(path, [b"x"])
    with open(path, "rb") as file:
        assert file.read() == b"x"
    missing: Any = os.fsencode(tmp_path / "missing" / "a")
    with pytest.raises(ArtifactError, match="make the folder first") as caught:
        write_whole(missing, [b"x"])
    assert caught.value.path == str(tmp_path / "missing" / "a")


def test_another_start_of_a_host_of_the_same_name_is_another_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = atomic._machine()
    (tmp_path / "boot").write_text("0e9f\n")
    monkeypatch.setattr(atomic, "_BOOT", str(tmp_path / "boot"))
    other = atomic._machine()
    assert other != here
    monkeypatch.setattr(atomic, "_BOOT", str(tmp_path / "none"))
    assert atomic._machine() not in (here, other)


def test_what_is_left_is_swept_by_age_and_process(tmp_path: Path) -> None:
    here = atomic._machine()
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    token = "0" * 16
    names = {
        "gone": f".astgen-{here}-{gone.pid}-{token}.tmp",
        "ours": f".astgen-{here}-{os.getpid()}-{token}.tmp",
        "elsewhere": f".astgen-00000000-{gone.pid}-{token}.tmp",
        "old": f".astgen-00000001-{gone.pid}-{token}.tmp",
        "absurd": f".astgen-{here}-{'9' * 30}-{token}.tmp",
        "other": ".astgen-notes.tmp",
    }
    for name in names.values():
        (tmp_path / name).write_bytes(b"x")
    yesterday = time.time() - 25 * 60 * 60
    for kind in ("old", "other"):
        os.utime(tmp_path / names[kind], (yesterday, yesterday))
    sweep(str(tmp_path))
    kept = {names[kind] for kind in ("ours", "elsewhere", "other")}
    assert set(os.listdir(tmp_path)) == kept
    sweep(str(tmp_path / "missing"))


SECONDS = float(os.environ.get("ASTGEN_RACE_SECONDS", "5"))
MANY = """
import os, sys, time, random
from astgen.errors import ArtifactError
from astgen.store import load_artifact
from astgen.store.artifact import save_artifact

folder, seconds = sys.argv[1], float(sys.argv[2])
path = os.path.join(folder, "same.astgen")
sources = sorted(
    os.path.join(folder, name) for name in os.listdir(folder) if name[0] == "k"
)
artifacts = [load_artifact(source, trust=True) for source in sources]
wanted = [(one.code, repr(one.consts), dict(one.blobs)) for one in artifacts]
children = []
for number in range(16):
    child = os.fork()
    if not child:
        code, loads, draw = 1, 0, random.Random(number)
        try:
            end = time.monotonic() + seconds
            while time.monotonic() < end:
                save_artifact(path, draw.choice(artifacts))
                for _ in range(3):
                    one = load_artifact(path, trust=True)
                    assert (one.code, repr(one.consts), dict(one.blobs)) in wanted
                    loads += 1
            code = 0 if loads > 3 else 2
        finally:
            os._exit(code)
    children.append(child)
print([os.waitpid(child, 0)[1] for child in children])
"""


def test_sixteen_processes_save_and_load_the_same_file(tmp_path: Path) -> None:
    for number, kind in enumerate(KINDS):
        (tmp_path / f"kind{number}").write_bytes(packed(kind))
    done = run(MANY, tmp_path, SECONDS)
    assert done.stdout == f"{[0] * 16}\n", done.stderr[-3000:]
    assert read(tmp_path / "same.astgen").manifest
    assert load_artifact(tmp_path / "same.astgen").consts
    assert temporaries(tmp_path) == []
