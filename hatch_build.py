"""Prepare the README for a package index, where links must lead to the repository."""

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

LINK = re.compile(r"(?P<image>!?)(?P<text>\[[^\]]*\])\((?!https?:|#)(?P<path>[^)]+)\)")


class ReadmeHook(MetadataHookInterface):
    """The README, whose links to files become links to those files in the release's tag."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the project's readme."""
        repository, tag = metadata["urls"]["Repository"], f"v{metadata['version']}"

        def lead_to_the_repository(link: re.Match[str]) -> str:
            view = "raw" if link["image"] else "blob"
            return f"{link['image']}{link['text']}({repository}/{view}/{tag}/{link['path']})"

        text = Path(self.root, "README.md").read_text(encoding="utf-8")
        text = LINK.sub(lead_to_the_repository, text)
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
