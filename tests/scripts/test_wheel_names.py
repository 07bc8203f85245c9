"""A wheel's name tells whether it has the GPU engine."""

import pathlib

import pytest
from scikit_build_core.settings.skbuild_read_settings import SettingsReader

PYPROJECT = pathlib.Path(__file__).parents[2] / "pyproject.toml"


@pytest.mark.parametrize("given, tag, engine", [({}, "1gpu", None), ({"cornerturn.gpu": "true"}, "1gpu", None),
                                                ({"cornerturn.gpu": "false"}, "0cpu", "OFF")])
def test_the_build_tag_follows_the_engine(given, tag, engine):
    settings = SettingsReader.from_file(PYPROJECT, given, state="wheel").settings
    assert settings.wheel.build_tag == tag
    assert settings.cmake.define.get("CORNERTURN_GPU") == engine
    assert ("CORNERTURN_CPU_WHEEL" in settings.cmake.define) == (tag == "0cpu")
