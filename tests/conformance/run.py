"""Independent checks of the service: `make conformance`.

The real server is started on a new store; the packages are those of package-lock.json, fetched by `npm ci` if they are
not there. Where node or npm is absent it says so and ends with 3, so that nobody takes silence for success.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.support.server import running

HERE = Path(__file__).parent
ABSENT = 3


def main() -> int:
    """Run all checks; return the exit code."""
    missing = [name for name in ("node", "npm") if shutil.which(name) is None]
    if missing:
        print(f"conformance was not checked: {' and '.join(missing)} not found (node 20 or newer)", file=sys.stderr)
        return ABSENT
    if not (HERE / "node_modules").is_dir():
        fetched = subprocess.run(["npm", "ci", "--no-audit", "--no-fund", "--silent"], cwd=HERE, check=False)
        if fetched.returncode:
            print("conformance was not checked: npm could not fetch its packages", file=sys.stderr)
            return ABSENT
    with tempfile.TemporaryDirectory() as folder, running(Path(folder) / "store", "--project", "conformance") as server:
        return subprocess.run(["node", "audit.mjs", f"{server.url}/graphql"], cwd=HERE, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
