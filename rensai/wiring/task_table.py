"""Every task that a worker runs. A room's tasks are added here, or nobody runs them."""

from rensai.kit.tasks import AnyTask
from rensai.kit.tasks.upkeep import upkeep

TASKS: tuple[AnyTask, ...] = (upkeep(lambda: TASKS),)
