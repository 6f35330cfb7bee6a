"""Ask whether a known vulnerability concerns a locked dependency.

A finding fails. A service that cannot be asked does not, or nobody could work behind a closed
network; but then the audit did not take place, and that is said in so many words.
"""

import json
import subprocess
import sys
from pathlib import Path


def main() -> int:
    """Audit each lock file given; 1 when anything was found."""
    return max(_audit(lock) for lock in sys.argv[1:])


def _audit(lock: str) -> int:
    program = Path(sys.executable).with_name("pip-audit")
    options = ["--require-hashes", "--disable-pip", "--progress-spinner", "off", "-f", "json"]
    done = subprocess.run(  # noqa: S603 - our own tool on our own file
        [program, "-r", lock, *options], capture_output=True, text=True, check=False
    )
    try:
        answers = json.loads(done.stdout)["dependencies"]
    except (json.JSONDecodeError, KeyError):
        reason = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
        sys.stdout.write(f"WARNING: the audit of {lock} did NOT run: {reason[:300]}\n")
        return 0
    skipped = [answer["name"] for answer in answers if "skip_reason" in answer]
    found = [answer for answer in answers if answer.get("vulns")]
    if skipped:
        sys.stdout.write(
            f"WARNING: the audit of {lock} did NOT cover {len(skipped)} of {len(answers)} "
            f"packages: the service that knows vulnerabilities did not know them or could not "
            f"be reached\n"
        )
    for answer in found:
        for vulnerability in answer["vulns"]:
            mended = ", ".join(vulnerability["fix_versions"]) or "no release yet"
            package = f"{answer['name']} {answer['version']}"
            sys.stdout.write(f"{package}: {vulnerability['id']} (mended in {mended})\n")
    if not found and len(skipped) < len(answers):
        sys.stdout.write(f"{lock}: nothing found in {len(answers) - len(skipped)} packages\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
