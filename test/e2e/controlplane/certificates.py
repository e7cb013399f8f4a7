"""Keys, certificates and tokens of a test control plane, made with the openssl program: the standard library cannot sign."""

import base64
import json
import subprocess
import time


def openssl(*args, data=None):
    return subprocess.run(["openssl", *args], input=data, check=True, capture_output=True).stdout


class Authority:
    """A certificate authority in a directory: ca.crt, ca.key, and a pair of files for each name that it certifies."""

    def __init__(self, directory):
        self.directory = directory
        self.certificate = directory / "ca.crt"
        self.key = directory / "ca.key"
        directory.mkdir(parents=True, exist_ok=True)
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30",
                "-subj", "/CN=tamp-e2e-ca", "-addext", "keyUsage=critical,keyCertSign,digitalSignature",
                "-keyout", self.key, "-out", self.certificate)

    def issue(self, name, subject, names=()):
        """A certificate for `subject` ("/O=…/CN=…"): of a server if it has names, of a client otherwise."""
        key, certificate, config = (self.directory / f"{name}.{end}" for end in ("key", "crt", "cnf"))
        extensions = ["keyUsage=critical,digitalSignature", f"extendedKeyUsage={'serverAuth' if names else 'clientAuth'}"]
        if names:
            extensions.append("subjectAltName=" + ",".join(names))
        # A file of its own, because the machine's would make every certificate an authority.
        config.write_text("\n".join(["[req]", "distinguished_name=dn", "x509_extensions=ext", "[dn]", "[ext]", *extensions]) + "\n")
        openssl("req", "-x509", "-config", config, "-CA", self.certificate, "-CAkey", self.key, "-newkey", "ec",
                "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30", "-subj", subject, "-keyout", key, "-out", certificate)
        return certificate, key


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def sign_token(key, issuer, namespace, account, uid, lifetime, identity):
    """A service-account token as the API server would issue it, but with any lifetime: its own must be at least 10 minutes."""
    now = int(time.time())
    claims = {
        "iss": issuer, "aud": [issuer], "sub": f"system:serviceaccount:{namespace}:{account}",
        "iat": now - 120, "nbf": now - 120, "exp": now + int(lifetime), "jti": identity,
        "kubernetes.io": {"namespace": namespace, "serviceaccount": {"name": account, "uid": uid}},
    }
    body = ".".join(base64url(json.dumps(part).encode()) for part in ({"alg": "RS256", "typ": "JWT"}, claims))
    return body + "." + base64url(openssl("dgst", "-sha256", "-sign", key, data=body.encode()))
