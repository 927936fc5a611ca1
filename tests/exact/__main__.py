"make vectors: writes conformance/ anew."

from pathlib import Path

from exact.files import write

write(Path(__file__).parents[2] / "conformance")
