"""There is no network: whoever looks for it is told so, in the words of the errors that programs expect."""
import errno

NO_NETWORK = "this sandbox has no network; what is needed has to be put into its files from outside"

# Names of Linux that upstream leaves out when there is no network, and that programs use before they connect.
CONSTANTS = {"SOCK_RAW": 3, "SO_REUSEADDR": 2, "SO_ERROR": 4, "SO_BROADCAST": 6, "SO_SNDBUF": 7, "SO_RCVBUF": 8, "SO_KEEPALIVE": 9,
             "SO_LINGER": 13, "SO_REUSEPORT": 15, "MSG_DONTWAIT": 64, "MSG_NOSIGNAL": 16384}


def sockets(module):
    """Addresses of this machine can be asked for, as without a network anywhere; names of others, and sockets other than pairs, cannot."""
    make = module.socket.__init__

    def address(host):
        if host in (None, "", b"", "localhost", b"localhost") or host == module.gethostname():
            return "127.0.0.1"
        try:
            return module.inet_ntoa(module.inet_aton(host if isinstance(host, str) else bytes(host).decode()))
        except (OSError, UnicodeError):
            raise module.gaierror(module.EAI_AGAIN, NO_NETWORK) from None

    def getaddrinfo(host, port, family=0, type=0, proto=0, flags=0):
        if isinstance(port, str) and not port.isdecimal():
            raise module.gaierror(module.EAI_SERVICE, NO_NETWORK)
        found = "0.0.0.0" if host is None and flags & module.AI_PASSIVE else address(host)
        kinds = [(module.SOCK_STREAM, module.IPPROTO_TCP), (module.SOCK_DGRAM, module.IPPROTO_UDP)]
        kinds = [kind for kind in kinds if type in (0, kind[0]) and proto in (0, kind[1])]
        return [(module.AF_INET, kind, protocol, "", (found, int(port or 0))) for kind, protocol in kinds]

    def unknown(*arguments, **options):
        raise module.gaierror(module.EAI_AGAIN, NO_NETWORK)

    def unreachable(*arguments, **options):
        raise OSError(errno.ENETUNREACH, NO_NETWORK)

    def __init__(self, family=-1, type=-1, proto=-1, fileno=None):
        if fileno is None:
            unreachable()
        make(self, family, type, proto, fileno)

    module.socket.__init__ = __init__
    module.getaddrinfo, module.gethostbyname = getaddrinfo, address
    module.gethostbyname_ex = lambda host: (host, [], [address(host)])
    module.gethostbyaddr = module.getnameinfo = module.getservbyname = module.getservbyport = unknown
    for name in ("connect", "connect_ex", "bind", "listen", "accept", "sendto", "recvfrom", "recvfrom_into"):
        if not hasattr(module.socket, name) or name == "accept":
            setattr(module.socket, name, unreachable)
    # A pair has no addresses.
    module.socket.getpeername = module.socket.getsockname = lambda self: ""
    for name, number in CONSTANTS.items():
        if not hasattr(module, name):
            setattr(module, name, number)


def unavailable(name, wanted, version):
    """Why a package cannot be fetched. `version` is the one that is installed, None if there is none."""
    import _absent  # which needs this module

    if version is not None:
        return f"{wanted}: version {version} is installed, and this sandbox has no network to fetch another from"
    if text := _absent.advice("package", name):
        return f"{wanted}: this sandbox has no network to fetch it from; {text}"
    return (f"{wanted}: not installed, and this sandbox has no network to fetch it from; `pip list` shows what is here, "
            "`pip install FILE.whl` and `pip install DIRECTORY` install what is put into its files")


def resolver(module):
    """pip's own words are about an index, which is not there. It has them where files offer other versions."""
    report = module.Factory._report_single_requirement_conflict

    def reported(self, req, parent):
        if self._finder.find_all_candidates(req.project_name):
            return report(self, req, parent)
        from importlib import metadata

        try:
            version = metadata.version(req.project_name)
        except metadata.PackageNotFoundError:
            version = None
        wanted = str(req) if parent is None else f"{req} (for {parent.name})"
        return module.DistributionNotFound(unavailable(req.project_name, wanted, version))

    module.Factory._report_single_requirement_conflict = reported


def hooks(module):
    """A build backend that is not there is no fault of pip's, and needs no traceback."""
    from pip._internal.exceptions import InstallationError

    class BackendUnavailable(InstallationError):
        """Raised if the backend cannot be imported in the hook process."""

        def __init__(self, traceback, message=None, backend_name=None, backend_path=None):
            self.traceback, self.backend_name, self.backend_path = traceback, backend_name, backend_path
            super().__init__(f"{message or backend_name}: this sandbox has no such build backend, and no network to fetch it from; "
                             "it has setuptools, hatchling, flit_core, poetry-core and pdm-backend")

    module.BackendUnavailable = BackendUnavailable


def builds(module):
    """An environment that is made for a build has the packages that come with Python: what is there is not fetched again."""
    install = module._PipBackend.install_dependencies

    def install_dependencies(self, requirements, constraints, *, _fresh=False):
        install(self, requirements, constraints)

    module._PipBackend.install_dependencies = install_dependencies
