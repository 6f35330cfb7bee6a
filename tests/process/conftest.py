"""Data folders for process trees: a new one, or a copy of one that is migrated."""

import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.process.site import Site, public_folder

Make = Callable[..., Site]


@pytest.fixture(scope="session")
def migrated_folder() -> Iterator[Path]:
    """A data folder whose database is made and migrated, stopped again."""
    folder = public_folder() / "data"
    site = Site(folder)
    done = site.run("migrate")
    assert done.returncode == 0, done.stderr
    assert site.leftovers() == []
    site.log.unlink()
    yield folder
    shutil.rmtree(folder.parent)


@pytest.fixture
def new_site() -> Iterator[Make]:
    """Makes sites, each on an empty data folder unless told otherwise, and ends them."""
    sites: list[Site] = []
    folders: list[Path] = []

    def make(data_dir: Path | None = None, **settings: str) -> Site:
        if data_dir is None:
            folders.append(public_folder())
            data_dir = folders[-1] / "data"
        sites.append(Site(data_dir, **settings))
        return sites[-1]

    yield make
    for site in sites:
        site.clean_up()
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def site(new_site: Make, migrated_folder: Path) -> Site:
    """A site on a migrated data folder of its own."""
    made = new_site()
    subprocess.run(["cp", "-a", str(migrated_folder), str(made.data_dir)], check=True)
    return made


@pytest.fixture
def other_python(tmp_path: Path) -> Path:
    """A virtual environment that borrows our packages."""
    folder = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    python = folder / "bin" / "python"
    asked = [str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    packages = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()
    root = Path(__file__).parents[2]
    paths = f"{root}\n{sysconfig.get_path('purelib')}\n{sysconfig.get_path('platlib')}\n"
    (Path(packages) / "ours.pth").write_text(paths)
    return python


@pytest.fixture
def demo(new_site: Make, other_python: Path) -> Site:
    """A site that is started with the other Python."""
    return new_site().with_python(other_python)
