"""A user's project for the tests here."""

from user_project import project

__all__ = ["project"]
