"""The settings: one validated object, read from profile, file, environment and flags."""

from towpath.config.load import PREFIX, RENAMED, LoadedSettings, load
from towpath.config.settings import Settings, display_value
from towpath.config.validate import OWN_PREFIX

__all__ = ["OWN_PREFIX", "PREFIX", "RENAMED", "LoadedSettings", "Settings", "display_value", "load"]
