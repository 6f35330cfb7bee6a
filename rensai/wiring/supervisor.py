"""Keeps a few processes alive and ends them together. Knows nothing of what they do.

A child says that it is ready by writing to the pipe it is given. One that ends before it was
ever ready cannot start, and ends everything; one that ends later is started again, a little
later each time. Children watch a second pipe: when it closes, their supervisor is gone.
"""

import os
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
# `make` passes a SIGTERM on that its group had already received: two at once mean one.
SECOND_SIGNAL_AFTER = 1.0
LONGEST_PAUSE = 30.0
SETTLED_AFTER = 60.0


class Say(Protocol):
    """One line for the operator."""

    def __call__(self, level: str, event: str, **details: object) -> None: ...


class StopRequestedError(Exception):
    """A signal asked us to stop before everything was running."""

    def __init__(self, printed: str) -> None:
        super().__init__()
        self.printed = printed


class StepFailedError(Exception):
    """A step ended badly; it has said why."""


@dataclass(frozen=True, slots=True)
class Role:
    """One child to keep: its name, and the arguments for Python.

    One that is to run `once` starts when all others are ready, and its end is no mishap.
    """

    name: str
    arguments: tuple[str, ...]
    descriptors: tuple[int, ...] = ()
    once: bool = False


@dataclass(slots=True)
class _Child:
    role: Role
    process: subprocess.Popen[bytes] | None = None
    readiness: int = -1
    ready: bool = False
    was_ready: bool = False
    started: float = 0.0
    pause: float = 0.5
    again_at: float = field(default=0.0)


class Supervisor:
    """Runs steps one after another, then keeps children until told to stop."""

    def __init__(
        self, *, grace: float, environment: Mapping[str, str], say: Say, tick: Callable[[], None]
    ) -> None:
        """`tick` is called about every second while children are kept."""
        self._grace = grace
        self._environment = environment
        self._say = say
        self._tick = tick
        self._children: list[_Child] = []
        self._stop_at: float | None = None
        self._at_once: int | None = None
        self._selector = selectors.DefaultSelector()
        self._alive, self._alive_writer = os.pipe()
        self._wake, wake_writer = os.pipe()
        for descriptor in (self._wake, wake_writer):
            os.set_blocking(descriptor, False)
        self._selector.register(self._wake, selectors.EVENT_READ)
        signal.set_wakeup_fd(wake_writer, warn_on_full_buffer=False)
        for number in (*STOP_SIGNALS, signal.SIGCHLD):
            signal.signal(number, _nothing)

    def step(self, *arguments: str) -> str:
        """Run one command to its end and give what it printed."""
        with tempfile.TemporaryFile() as printed:
            process = self._popen(arguments, (), stdout=printed.fileno())
            while process.poll() is None:
                self._wait(1.0)
                if self._stop_at is not None:
                    self._end([process])
            printed.seek(0)
            text = printed.read().decode()
            if self._stop_at is not None:
                raise StopRequestedError(text)
            if process.returncode:
                raise StepFailedError
            return text

    def keep(
        self, roles: Sequence[Role], *, on_ready: Callable[[], None], on_stop: Callable[[], None]
    ) -> int:
        """Keep the children; the exit code says how it ended."""
        self._children = [_Child(role) for role in roles if not role.once]
        announced = False
        failed = False
        last_tick = time.monotonic()
        while self._stop_at is None and not failed:
            failed = not self._start_and_reap()
            if not announced and all(child.was_ready for child in self._children):
                announced = True
                on_ready()
                self._children += [_Child(role) for role in roles if role.once]
            self._wait(0.25 if any(not child.ready for child in self._children) else 1.0)
            if time.monotonic() - last_tick >= 1.0:
                last_tick = time.monotonic()
                self._tick()
        if not failed:
            on_stop()
        self._end([child.process for child in self._children if child.process is not None])
        if self._at_once is not None:
            return 128 + self._at_once
        return 1 if failed else 0

    def stop_listening(self) -> None:
        """When all is done: a late second signal must not spoil the exit code."""
        for number in STOP_SIGNALS:
            signal.signal(number, signal.SIG_IGN)

    def _start_and_reap(self) -> bool:
        """Start who should run; False when somebody cannot start at all."""
        now = time.monotonic()
        for child in tuple(self._children):
            if child.process is None:
                if now >= child.again_at:
                    self._start(child)
            elif (code := child.process.poll()) is not None:
                self._forget(child)
                if child.role.once:
                    self._children.remove(child)
                    if code:
                        self._say("warning", f"{child.role.name} ended early", ended=_how(code))
                    continue
                if not child.was_ready:
                    return False
                if now - child.started > SETTLED_AFTER:
                    child.pause = 0.5
                child.again_at = now + child.pause
                self._say(
                    "error",
                    f"The {child.role.name} process ended; it is started again",
                    ended=_how(code),
                    in_seconds=child.pause,
                )
                child.pause = min(child.pause * 2, LONGEST_PAUSE)
        return True

    def _start(self, child: _Child) -> None:
        readiness, writer = os.pipe()
        child.process = self._popen(
            (*child.role.arguments, str(writer), str(self._alive)),
            (writer, self._alive, *child.role.descriptors),
        )
        os.close(writer)
        child.readiness = readiness
        child.started = time.monotonic()
        self._selector.register(readiness, selectors.EVENT_READ, child)

    def _popen(
        self, arguments: Sequence[str], descriptors: tuple[int, ...], stdout: int | None = None
    ) -> subprocess.Popen[bytes]:
        return subprocess.Popen(  # noqa: S603 - our own module and arguments
            [sys.executable, "-P", "-m", *arguments],
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            env=self._environment,
            pass_fds=descriptors,
            process_group=0,  # Ctrl-C reaches the supervisor alone, which then ends the others
        )

    def _forget(self, child: _Child) -> None:
        if child.readiness >= 0:
            self._selector.unregister(child.readiness)
            os.close(child.readiness)
        child.process, child.readiness, child.ready = None, -1, False

    def _wait(self, seconds: float) -> None:
        """Sleep until a signal, a word from a child, or the time."""
        for key, _ in self._selector.select(seconds):
            if key.data is None:
                for number in os.read(self._wake, 1024):
                    self._heard(number)
            else:
                self._hear_child(key.data)

    def _hear_child(self, child: _Child) -> None:
        if os.read(child.readiness, 64):
            child.ready = child.was_ready = True
        else:  # it closed the pipe; its end is noticed by SIGCHLD
            self._selector.unregister(child.readiness)
            os.close(child.readiness)
            child.readiness = -1

    def _heard(self, number: int) -> None:
        if number not in STOP_SIGNALS:
            return
        now = time.monotonic()
        if self._stop_at is None:
            self._stop_at = now
        elif now - self._stop_at > SECOND_SIGNAL_AFTER:
            self._at_once = number

    def _end(self, processes: list[subprocess.Popen[bytes]]) -> None:
        """Ask everyone to stop, wait a while, then insist."""
        self._stop_at = self._stop_at or time.monotonic()
        _send(processes, signal.SIGTERM)
        until = time.monotonic() + self._grace
        while any(process.poll() is None for process in processes):
            if self._at_once is not None or time.monotonic() > until:
                _send(processes, signal.SIGKILL)
                for process in processes:
                    process.wait()
            else:
                self._wait(0.25)


def _send(processes: list[subprocess.Popen[bytes]], number: int) -> None:
    for process in processes:
        if process.poll() is None:
            process.send_signal(number)


def _how(code: int) -> str:
    if code < 0:
        return f"by {signal.Signals(-code).name}"
    return f"with exit code {code}"


def _nothing(number: int, frame: object) -> None:
    """The number arrives through the pipe."""
