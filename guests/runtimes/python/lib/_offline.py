"""Where pip cannot reach a registry, who asks for a package is told so, and what to do instead."""
import re

# What the gateway said last when it refused to reach an index; None if it did not.
refusal = None
NO_NETWORK = "which has no network"


def unavailable(name, wanted, version):
    """Why a package cannot be fetched. `version` is the one that is installed, None if there is none."""
    import _absent

    if version is not None:
        return f"{wanted}: version {version} is installed, and this sandbox has no network to fetch another from"
    if text := _absent.advice("package", name):
        return f"{wanted}: this sandbox has no network to fetch it from; {text}"
    return (f"{wanted}: not installed, and this sandbox has no network to fetch it from; `pip list` shows what is here, "
            "`pip install FILE.whl` and `pip install DIRECTORY` install what is put into its files")


def refused(error):
    """Why the gateway refused what an error is about, None if it did not."""
    found = re.search(r"\(codepod: (.*)\)", str(error), re.DOTALL)
    return found and found[1]


def retries(module):
    """What is refused is refused the second time as well. pip says why only when it is asked to say much."""
    increment = module.Retry.increment

    def once(self, method=None, url=None, response=None, error=None, _pool=None, _stacktrace=None):
        global refusal
        if error is not None and (reason := refused(error)):
            refusal = reason
            raise module.MaxRetryError(_pool, url, error) from error
        return increment(self, method, url, response, error, _pool, _stacktrace)

    module.Retry.increment = once


def resolver(module):
    """pip's own words are about an index that it has read. It has them where one offers other versions, too."""
    report = module.Factory._report_single_requirement_conflict

    def reported(self, req, parent):
        if self._finder.find_all_candidates(req.project_name) or refusal is None and self._finder.index_urls:
            return report(self, req, parent)
        wanted = str(req) if parent is None else f"{req} (for {parent.name})"
        if refusal is not None and NO_NETWORK not in refusal:
            return module.DistributionNotFound(f"{wanted}: cannot be fetched (codepod: {refusal})")
        from importlib import metadata

        try:
            version = metadata.version(req.project_name)
        except metadata.PackageNotFoundError:
            version = None
        return module.DistributionNotFound(unavailable(req.project_name, wanted, version))

    module.Factory._report_single_requirement_conflict = reported


def hooks(module):
    """A build backend that is not there is no fault of pip's, and needs no traceback."""
    from pip._internal.exceptions import InstallationError

    class BackendUnavailable(InstallationError):
        """Raised if the backend cannot be imported in the hook process."""

        def __init__(self, traceback, message=None, backend_name=None, backend_path=None):
            self.traceback, self.backend_name, self.backend_path = traceback, backend_name, backend_path
            super().__init__(f"{message or backend_name}: this build backend is not installed; "
                             "setuptools, hatchling, flit_core, poetry-core and pdm-backend are")

    module.BackendUnavailable = BackendUnavailable


def builds(module):
    """An environment that is made for a build has the packages that come with Python: what is there is not fetched again."""
    install = module._PipBackend.install_dependencies

    def install_dependencies(self, requirements, constraints, *, _fresh=False):
        install(self, requirements, constraints)

    module._PipBackend.install_dependencies = install_dependencies
