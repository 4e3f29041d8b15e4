"""The collector is out of the way while trees are made, and comes back as it was."""

from __future__ import annotations

import contextlib
import gc
import os
import sys
import threading
from collections.abc import Callable, Iterator
from types import CodeType, FrameType
from typing import Any

import pytest
import torch
from torch import fx

import astgen
from astgen import garbage
from astgen.codegen import compile_execution_fn, generate_execution_code
from astgen.errors import InvalidProgramError, UnsupportedGraphError
from astgen.garbage import paused


@pytest.fixture(autouse=True)
def restored() -> Iterator[None]:
    was_on = gc.isenabled()
    yield
    (gc.enable if was_on else gc.disable)()


@pytest.fixture(params=[True, False], ids=["on", "off"])
def setting(request: pytest.FixtureRequest) -> bool:
    (gc.enable if request.param else gc.disable)()
    return bool(request.param)


def graph() -> fx.GraphModule:
    made = fx.Graph()
    made.output(made.call_function(torch.neg, (made.placeholder("x"),)))
    return fx.GraphModule({}, made)


class Scaled(torch.nn.Module):
    scale = 2


def test_it_is_off_inside_and_back_afterwards(setting: bool) -> None:
    with paused():
        assert not gc.isenabled()
        with paused():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled() is setting


def test_it_is_back_after_an_error(setting: bool) -> None:
    with pytest.raises(ZeroDivisionError), paused():
        1 / 0
    assert gc.isenabled() is setting


def test_generating_and_compiling_leave_the_setting(setting: bool) -> None:
    program = astgen.generate(graph())
    assert gc.isenabled() is setting
    assert program.compile()(torch.tensor(2)) == -2
    assert gc.isenabled() is setting
    compile_execution_fn(*generate_execution_code(graph())[:1], {}, [], [])
    assert gc.isenabled() is setting


def test_refusals_leave_the_setting(setting: bool) -> None:
    broken = fx.Graph()
    broken.output(broken.call_function(torch.neg, (fx.Graph().placeholder("x"),)))
    with pytest.raises(UnsupportedGraphError):
        astgen.generate(fx.GraphModule({}, broken))
    assert gc.isenabled() is setting
    with pytest.raises(InvalidProgramError):
        compile_execution_fn("import os\n", {}, [], [])
    assert gc.isenabled() is setting


def test_it_is_off_while_a_graph_is_read() -> None:
    gc.enable()
    seen: list[bool] = []

    def read(module: fx.GraphModule) -> int:
        seen.append(gc.isenabled())
        return 2

    made = fx.Graph()
    attribute = made.create_node("get_attr", "scale")
    made.output(made.call_function(torch.mul, (made.placeholder("x"), attribute)))
    module = fx.GraphModule(Scaled(), made)
    type(module).scale = property(read)
    program = astgen.generate(module)
    assert program.compile()(torch.tensor(3)) == 6
    assert seen and not any(seen)


def test_the_last_thread_brings_it_back(setting: bool) -> None:
    inside, leave = threading.Event(), threading.Event()

    def other() -> None:
        with paused():
            inside.set()
            leave.wait(30)

    thread = threading.Thread(target=other)
    thread.start()
    assert inside.wait(30)
    with paused():
        pass
    assert not gc.isenabled()
    leave.set()
    thread.join()
    assert gc.isenabled() is setting


class Interrupted(BaseException):
    pass


def interrupt() -> None:
    raise Interrupted


def pause() -> None:
    """What a signal handler does that generates."""
    with paused():
        assert not gc.isenabled()


def is_free(lock: threading._RLock) -> bool:
    """Whether another thread gets a lock."""
    answers: list[bool] = []

    def attempt() -> None:
        answers.append(lock.acquire(blocking=False))
        if answers[-1]:
            lock.release()

    thread = threading.Thread(target=attempt)
    thread.start()
    thread.join()
    return answers[0]


@pytest.mark.parametrize("happens", [interrupt, pause])
def test_what_happens_at_any_line_leaves_the_setting(
    setting: bool, happens: Callable[[], None]
) -> None:
    def lines(stop: int) -> int:
        """Let it happen at the line of that number; how many lines there were."""
        seen = 0
        lines_of: dict[CodeType, set[int]] = {}

        def trace(frame: FrameType, event: str, arg: object) -> Any:
            nonlocal seen
            callers = {
                frame.f_code.co_name,
                frame.f_back and frame.f_back.f_code.co_name,
            }
            # What ends a pause at last cannot be interrupted by Python itself.
            if frame.f_code.co_filename != garbage.__file__ or "__del__" in callers:
                return None
            if event == "call":
                lines_of[frame.f_code] = set()
            visited = lines_of[frame.f_code]
            # The end of a `with` is told as its line again. Only a tracer can raise
            # there, and keep the lock from being released: signals come elsewhere.
            if event == "line" and frame.f_lineno not in visited:
                visited.add(frame.f_lineno)
                seen += 1
                if seen == stop:
                    happens()
            return trace

        sys.settrace(trace)
        try:
            with paused():
                pass
        finally:
            sys.settrace(None)
        return seen

    total = lines(stop=0)
    assert total > 10
    for stop in range(1, total + 1):
        with contextlib.suppress(Interrupted):
            lines(stop)
        with paused():
            assert not gc.isenabled()
        assert gc.isenabled() is setting, stop
        assert is_free(garbage._pause.lock), stop


def test_a_handler_that_comes_in_between_may_pause(setting: bool) -> None:
    with garbage._pause.lock, paused():
        assert not gc.isenabled()
    assert gc.isenabled() is setting


def in_child(check: Callable[[], bool]) -> bool:
    """Whether something holds in a child that is forked here."""
    child = os.fork()
    if not child:
        os._exit(0 if check() else 1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def pauses_still() -> bool:
    with paused():
        inside = gc.isenabled()
    return gc.isenabled() and not inside


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_a_child_that_was_forked_meanwhile_pauses_as_before() -> None:
    gc.enable()

    def leave_and_pause() -> bool:
        pause.__exit__(None, None, None)
        return gc.isenabled() and pauses_still()

    pause = paused()
    with pause:
        assert in_child(leave_and_pause)
    assert pauses_still()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_a_child_that_was_forked_meanwhile_collects() -> None:
    gc.enable()
    with paused():
        child = os.fork()
        if not child:
            os._exit(0 if gc.isenabled() else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
