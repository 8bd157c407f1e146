"""Print the API's OpenAPI schema, from which the page's types are generated."""

import json
import sys

from backend.app.core.settings import Settings
from backend.app.main import create_app


def main() -> None:
    """The command."""
    json.dump(create_app(Settings()).openapi(), sys.stdout, indent=2, sort_keys=True)
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
