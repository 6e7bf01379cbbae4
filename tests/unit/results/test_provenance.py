"""Where a result comes from is recorded in full, and found out once."""

from dalembert.results import provenance as module

METHOD = dict(model="", formulation="recursive", integrator="dopri5")


def test_versions_are_looked_up_once(monkeypatch):
    """Each look-up searches the installation and reads a file, longer than a short run integrates."""
    asked = []
    monkeypatch.setattr(module, "version", lambda package: asked.append(package) or "1.2")
    module._version.cache_clear()
    try:
        first, second = module.provenance(**METHOD), module.provenance(**METHOD)
    finally:
        module._version.cache_clear()
    assert first["numpy"] == second["numba"] == "1.2"
    assert sorted(asked) == ["numba", "numpy"]
