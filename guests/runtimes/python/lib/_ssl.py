"""What upstream's `ssl` needs of OpenSSL, without OpenSSL: the sandbox has no network, so nothing is ever encrypted.

Programs and packages import `ssl`, and make contexts, long before they connect. Those work as usual: settings are kept,
certificates are accepted unread. Whatever would speak TLS is refused.
"""
import errno
import os

NO_TLS = "this sandbox has no network, and so no TLS: ssl can be imported and set up, not used"

OPENSSL_VERSION = "OpenSSL 3.0.0 (its names only: this sandbox has no network)"
OPENSSL_VERSION_INFO = _OPENSSL_API_VERSION = (3, 0, 0, 0, 0)
OPENSSL_VERSION_NUMBER = 0x30000000
_DEFAULT_CIPHERS = "@SECLEVEL=2:ECDH+AESGCM:ECDH+CHACHA20:ECDH+AES:DHE+AES:!aNULL:!eNULL:!aDSS:!SHA1:!AESCCM"

# The numbers are those of OpenSSL 3.0 and of the protocol.
CONSTANTS = {
    "PROTOCOL_": "SSLv23=2 TLS=2 TLSv1=3 TLSv1_1=4 TLSv1_2=5 TLS_CLIENT=16 TLS_SERVER=17",
    "PROTO_": "MINIMUM_SUPPORTED=-2 MAXIMUM_SUPPORTED=-1 SSLv3=768 TLSv1=769 TLSv1_1=770 TLSv1_2=771 TLSv1_3=772",
    "OP_": """ALL=2147483728 CIPHER_SERVER_PREFERENCE=4194304 ENABLE_KTLS=8 ENABLE_MIDDLEBOX_COMPAT=1048576 IGNORE_UNEXPECTED_EOF=128
        LEGACY_SERVER_CONNECT=4 NO_COMPRESSION=131072 NO_RENEGOTIATION=1073741824 NO_SSLv2=0 NO_SSLv3=33554432 NO_TICKET=16384
        NO_TLSv1=67108864 NO_TLSv1_1=268435456 NO_TLSv1_2=134217728 NO_TLSv1_3=536870912 SINGLE_DH_USE=0 SINGLE_ECDH_USE=0""",
    "ALERT_DESCRIPTION_": """CLOSE_NOTIFY=0 UNEXPECTED_MESSAGE=10 BAD_RECORD_MAC=20 RECORD_OVERFLOW=22 DECOMPRESSION_FAILURE=30
        HANDSHAKE_FAILURE=40 BAD_CERTIFICATE=42 UNSUPPORTED_CERTIFICATE=43 CERTIFICATE_REVOKED=44 CERTIFICATE_EXPIRED=45
        CERTIFICATE_UNKNOWN=46 ILLEGAL_PARAMETER=47 UNKNOWN_CA=48 ACCESS_DENIED=49 DECODE_ERROR=50 DECRYPT_ERROR=51
        PROTOCOL_VERSION=70 INSUFFICIENT_SECURITY=71 INTERNAL_ERROR=80 USER_CANCELLED=90 NO_RENEGOTIATION=100
        UNSUPPORTED_EXTENSION=110 CERTIFICATE_UNOBTAINABLE=111 UNRECOGNIZED_NAME=112 BAD_CERTIFICATE_STATUS_RESPONSE=113
        BAD_CERTIFICATE_HASH_VALUE=114 UNKNOWN_PSK_IDENTITY=115""",
    "SSL_ERROR_": """SSL=1 WANT_READ=2 WANT_WRITE=3 WANT_X509_LOOKUP=4 SYSCALL=5 ZERO_RETURN=6 WANT_CONNECT=7 EOF=8
        INVALID_ERROR_CODE=10""",
    "VERIFY_": """DEFAULT=0 CRL_CHECK_LEAF=4 CRL_CHECK_CHAIN=12 X509_STRICT=32 ALLOW_PROXY_CERTS=64 X509_TRUSTED_FIRST=32768
        X509_PARTIAL_CHAIN=524288""",
    "CERT_": "NONE=0 OPTIONAL=1 REQUIRED=2",
    "HOSTFLAG_": """ALWAYS_CHECK_SUBJECT=1 NO_WILDCARDS=2 NO_PARTIAL_WILDCARDS=4 MULTI_LABEL_WILDCARDS=8
        SINGLE_LABEL_SUBDOMAINS=16 NEVER_CHECK_SUBJECT=32""",
    "ENCODING_": "PEM=1 DER=2",
    "HAS_": "ALPN=1 ECDH=1 NPN=0 PHA=1 PSK=0 PSK_TLS13=0 SNI=1 SSLv2=0 SSLv3=0 TLS_UNIQUE=1 TLSv1=1 TLSv1_1=1 TLSv1_2=1 TLSv1_3=1",
}
for prefix, pairs in CONSTANTS.items():
    for pair in pairs.split():
        name, _, value = pair.partition("=")
        globals()[prefix + name] = bool(int(value)) if prefix == "HAS_" else int(value)
del prefix, pairs, pair, name, value


class SSLError(OSError):
    """An error in TLS. `reason` and `library` are OpenSSL's words for it."""

    reason = library = None


class SSLZeroReturnError(SSLError):
    pass


class SSLWantReadError(SSLError):
    pass


class SSLWantWriteError(SSLError):
    pass


class SSLSyscallError(SSLError):
    pass


class SSLEOFError(SSLError):
    pass


class SSLCertVerificationError(SSLError, ValueError):
    pass


for error in (SSLError, SSLZeroReturnError, SSLWantReadError, SSLWantWriteError, SSLSyscallError, SSLEOFError, SSLCertVerificationError):
    error.__module__ = "ssl"
del error


def refuse(*arguments, **options):
    raise OSError(errno.ENETUNREACH, NO_TLS)


class MemoryBIO:
    """Bytes on their way to or from TLS."""

    def __init__(self):
        self._bytes, self.eof = bytearray(), False

    @property
    def pending(self):
        return len(self._bytes)

    def read(self, size=-1):
        size = len(self._bytes) if size < 0 else size
        taken = bytes(self._bytes[:size])
        del self._bytes[:size]
        return taken

    def write(self, data):
        self._bytes += data
        return len(data)

    def write_eof(self):
        self.eof = True


class SSLSession:
    pass


class Certificate:
    pass


class _SSLSocket:
    pass


class _SSLContext:
    """The settings of a context; slots, because upstream's class sets them through the descriptors of this one."""

    __slots__ = ("protocol", "options", "verify_flags", "_verify_mode", "_check_hostname", "minimum_version", "maximum_version", "_host_flags",
                 "_msg_callback", "num_tickets", "post_handshake_auth", "keylog_filename", "sni_callback", "security_level")

    def __new__(cls, protocol=PROTOCOL_TLS, *arguments):
        self = super().__new__(cls)
        is_client = protocol == PROTOCOL_TLS_CLIENT
        settings = {
            "protocol": protocol, "options": OP_ALL | OP_NO_SSLv3, "verify_flags": VERIFY_X509_TRUSTED_FIRST, "security_level": 2, "num_tickets": 2,
            "_verify_mode": CERT_REQUIRED if is_client else CERT_NONE, "_check_hostname": is_client, "_host_flags": HOSTFLAG_NO_PARTIAL_WILDCARDS,
            "minimum_version": PROTO_TLSv1_2, "maximum_version": PROTO_MAXIMUM_SUPPORTED, "post_handshake_auth": False,
        }
        # Not through the properties that upstream's class has for some of them.
        for name in _SSLContext.__slots__:
            getattr(_SSLContext, name).__set__(self, settings.get(name))
        return self

    @property
    def verify_mode(self):
        return self._verify_mode

    @verify_mode.setter
    def verify_mode(self, mode):
        if mode == CERT_NONE and self._check_hostname:
            raise ValueError("Cannot set verify_mode to CERT_NONE when check_hostname is enabled.")
        self._verify_mode = mode

    @property
    def check_hostname(self):
        return self._check_hostname

    @check_hostname.setter
    def check_hostname(self, is_checked):
        self._check_hostname = bool(is_checked)
        if is_checked and self._verify_mode == CERT_NONE:
            self._verify_mode = CERT_REQUIRED

    def accept(self, *arguments, **options):
        pass

    load_cert_chain = load_dh_params = set_ciphers = set_default_verify_paths = set_ecdh_curve = accept
    _set_alpn_protocols = set_psk_client_callback = set_psk_server_callback = accept
    del accept

    def load_verify_locations(self, cafile=None, capath=None, cadata=None):
        if cafile is None and capath is None and cadata is None:
            raise TypeError("cafile, capath and cadata cannot be all omitted")
        if cafile is not None:
            os.stat(cafile)

    def cert_store_stats(self):
        return {"x509": 0, "crl": 0, "x509_ca": 0}

    def get_ca_certs(self, binary_form=False):
        return []

    def get_ciphers(self):
        return []

    def session_stats(self):
        return {}

    _wrap_socket = _wrap_bio = refuse


# The objects that `ssl` itself asks for when it is imported.
OBJECTS = (
    (129, "serverAuth", "TLS Web Server Authentication", "1.3.6.1.5.5.7.3.1"),
    (130, "clientAuth", "TLS Web Client Authentication", "1.3.6.1.5.5.7.3.2"),
)


def txt2obj(txt, name=False):
    for found in OBJECTS:
        if txt == found[3] or name and txt in found[1:3]:
            return found
    raise ValueError(f"unknown object '{txt:.100}'")


def nid2obj(nid):
    for found in OBJECTS:
        if nid == found[0]:
            return found
    raise ValueError(f"unknown NID {nid}")


def get_default_verify_paths():
    return "SSL_CERT_FILE", "/usr/lib/ssl/cert.pem", "SSL_CERT_DIR", "/usr/lib/ssl/certs"


def RAND_bytes(n):
    return os.urandom(n)


def RAND_add(string, entropy):
    pass


def RAND_status():
    return True


_test_decode_cert = refuse
