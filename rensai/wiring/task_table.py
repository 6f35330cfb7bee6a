"""Every task that a worker runs. A room's tasks are added here, or nobody runs them."""

from rensai.kit.tasks import AnyTask

TASKS: tuple[AnyTask, ...] = ()
