"Package metadata: everything comes from settings.ini."
from configparser import ConfigParser
from pathlib import Path

from setuptools import find_packages, setup
from setuptools.command.build_py import build_py

ini = ConfigParser(delimiters=["="])
ini.read("settings.ini", encoding="utf-8")
cfg = ini["DEFAULT"]
FILES = ["py.typed", "*.pyi", "play.js", "play.zh.js", "house.mplstyle"]
FILES += ["example/*", "example/runs/*", "reporting/templates/*"]
EXTRAS = "widget", "spark", "lessons", "dev", "bench", "parity"



class Modules(build_py):
    "All modules but nbdev's index, which serves the pages alone."

    def find_package_modules(self, package, package_dir):
        return [found for found in super().find_package_modules(package, package_dir) if found[1] != "_modidx"]


setup(
    cmdclass={"build_py": Modules},
    name=cfg["lib_name"],
    version=cfg["version"],
    description=cfg["description"],
    long_description=Path("README.md").read_text(encoding="utf-8"),
    long_description_content_type="text/markdown",
    author=cfg["author"],
    url=cfg["git_url"],
    license="Apache-2.0",
    license_files=["LICENSE"],
    keywords=cfg["keywords"].split(),
    python_requires=f">={cfg['min_python']}",
    packages=find_packages(include=[f"{cfg['lib_name']}*"]),
    package_data={cfg["lib_name"]: FILES},
    install_requires=cfg["requirements"].split(),
    extras_require={extra: cfg[f"{extra}_requirements"].split() for extra in EXTRAS},
    entry_points={"console_scripts": cfg["console_scripts"].split()},
    classifiers=[
        "Development Status :: 4 - Beta",
        "Intended Audience :: Science/Research",
        "Intended Audience :: Developers",
        "Programming Language :: Python :: 3",
        "Topic :: Scientific/Engineering :: Information Analysis",
    ],
)
