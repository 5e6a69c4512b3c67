"""A slug names one spec of a project: a suite, or a bare spec file that no suite is named like."""

from __future__ import annotations

import pytest
from user_project import UserProject

from proctor.config import load_project
from proctor.errors import UsageError
from proctor_flows.lookup import spec_named


class TestASlug:
    def test_names_a_suite_or_a_bare_file(self, project: UserProject) -> None:
        suite, bare = project.suite(), project.case("one")
        settings = load_project(project.root)
        assert (spec_named("shop", settings), spec_named("one", settings)) == (suite, bare)

    def test_means_the_suite_where_a_bare_file_has_it_too(self, project: UserProject) -> None:
        suite = project.suite()
        project.case("shop")
        assert spec_named("shop", load_project(project.root)) == suite

    def test_of_two_suites_is_refused_with_both(self, project: UserProject) -> None:
        project.suite()
        project.write("evals/more/shop.suite.yaml", "specs: ['*.yaml']\n")
        with pytest.raises(UsageError, match=r"two specs have the slug 'shop': .*/shop.suite.yaml and "):
            spec_named("shop", load_project(project.root))
