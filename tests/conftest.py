"What every test stands on: no window for plots, and the same random examples in every run."
import os

import hypothesis

os.environ["MPLBACKEND"] = "agg"
hypothesis.settings.register_profile("project", deadline=None, derandomize=True, print_blob=True)
hypothesis.settings.load_profile("project")
