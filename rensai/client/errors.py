"""What can go wrong between a crawler and a server."""

from datetime import timedelta


class PushError(Exception):
    """A request did not succeed."""


class RefusedError(PushError):
    """The server will not take this request, however often it is sent."""

    def __init__(self, status: int, code: str, message: str, details: object = None) -> None:
        self.status = status
        self.code = code
        self.message = message
        self.details = details
        super().__init__(f"{status} {code}: {message}")


class ClockSkewError(RefusedError):
    """The clock of this machine and that of the server are too far apart."""

    def __init__(self, status: int, code: str, message: str, ahead: timedelta | None) -> None:
        super().__init__(status, code, message)
        self.ahead = ahead
        """How far this machine's clock is ahead; None where the server does not tell its time."""

    def __str__(self) -> str:
        if self.ahead is None:
            return f"{super().__str__()} Set the clock of this machine, best by NTP."
        seconds = round(self.ahead.total_seconds())
        way = "ahead of" if seconds >= 0 else "behind"
        return (
            f"{super().__str__()} The clock of this machine is {abs(seconds)} seconds {way} "
            "the server's; set it, best by NTP."
        )


class ExhaustedError(PushError):
    """Every attempt failed in a way that might have passed; keep the batch and send it later."""

    def __init__(self, attempts: int, last: Exception) -> None:
        self.attempts = attempts
        self.last = last
        super().__init__(f"given up after {attempts} attempts: {last}")


class TroubleError(PushError):
    """An attempt failed in a way that may pass: the line broke, or the server has trouble."""

    def __init__(self, message: str, status: int | None = None) -> None:
        self.status = status
        super().__init__(message)


class StillWorkingError(PushError):
    """A request was not worked off in the time that one was ready to wait."""
