from __future__ import annotations
from user_project import UserProject

class TestX:
    def test_a(self, project: UserProject) -> None:
        project.case("one", "  expect: {reply_contains_any: [hello]}\n")
        project.suite()
        ended = project.run()
        print(ended.out, ended.err, ended.code)
        print(project.calls)
        import json
        print(json.dumps(project.results(), indent=1))
        ended = project.run()
        print(ended.out, ended.err, ended.code)
        assert 0
