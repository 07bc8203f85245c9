"""A wheel's name tells whether it has the GPU engine."""

import pathlib
import re

import pytest
from scikit_build_core.settings.skbuild_read_settings import SettingsReader

ROOT = pathlib.Path(__file__).parents[2]
PYPROJECT = ROOT / "pyproject.toml"
DOCUMENTS = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]


@pytest.mark.parametrize("given, tag, engine", [({}, "1gpu", None), ({"cornerturn.gpu": "true"}, "1gpu", None),
                                                ({"cornerturn.gpu": "false"}, "0cpu", "OFF")])
def test_the_build_tag_follows_the_engine(given, tag, engine):
    settings = SettingsReader.from_file(PYPROJECT, given, state="wheel").settings
    assert settings.wheel.build_tag == tag
    assert settings.cmake.define.get("CORNERTURN_GPU") == engine
    assert ("CORNERTURN_CPU_WHEEL" in settings.cmake.define) == (tag == "0cpu")


def test_the_documents_settings_of_pip_are_accepted():
    """CMakeLists.txt refuses the GPU engine's option from pip without the setting that names the wheel."""
    given = {setting for document in DOCUMENTS for setting in re.findall(r"-C (\w[\w.]*=\w+)", document.read_text())}
    assert given == {"cornerturn.gpu=false"}
    for setting in given:
        reader = SettingsReader.from_file(PYPROJECT, dict([setting.split("=")]), state="wheel")
        reader.validate_may_exit()
        define = reader.settings.cmake.define
        assert "CORNERTURN_GPU" not in define or "CORNERTURN_CPU_WHEEL" in define
