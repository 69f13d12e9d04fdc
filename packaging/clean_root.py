# SPDX-License-Identifier: Apache-2.0
"""A Debian system with nothing installed, in a folder, to try packages in. Needs root.

Commands run in mount and process namespaces of their own (unshare): what is mounted for them and what they start is
gone when they end, however they end. A minimal system is made once by debootstrap (build-package/base-SUITE); each root
is a copy of it.
How packages are reached is taken from this machine's settings of apt and pip, and is written into the root alone.
"""
import contextlib
import os
import pathlib
import re
import shutil
from typing import Iterable, Iterator

from common import WORK, Failed, fresh_folder, run, say

# What a command sees besides the files of its root; the namespace takes it all away again.
ENTER = """set -e
mount -t proc proc "$1/proc"
mount --rbind /dev "$1/dev"
root=$1
shift
exec chroot "$root" "$@"
"""
PASSED_ON = re.compile(r"(https?|no|all|ftp)_proxy|PIP_\w+|SSL_CERT_\w+|REQUESTS_CA_BUNDLE", re.IGNORECASE)
HOST_FILES = ("/etc/resolv.conf", "/etc/hosts", "/etc/pip.conf", "/etc/ssl/certs/ca-certificates.crt")


INSIDE = "/try"  # where a root has what is tried in it


class CleanRoot:
    def __init__(self, folder: pathlib.Path):
        self.folder = folder
        (folder / INSIDE.lstrip("/")).mkdir()

    def run(self, *command, **variables: str) -> str:
        """Runs a command in the root, with no more of this machine's environment than what leads to packages."""
        environment = {name: value for name, value in os.environ.items() if PASSED_ON.fullmatch(name)}
        environment |= {"PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "HOME": INSIDE, "LC_ALL": "C.UTF-8",
                        "DEBIAN_FRONTEND": "noninteractive", **variables}
        try:
            return run("unshare", "--mount", "--pid", "--fork", "--kill-child", "/bin/sh", "-c", ENTER, "enter",
                       self.folder, *command, env=environment)
        except Failed as failure:
            raise Failed(f"'{' '.join(map(str, command))[:200]}' failed in the root", failure.details) from None

    def copy_in(self, *files: pathlib.Path) -> None:
        """Copies files and folders into INSIDE. Commands must name them in full: they start in /."""
        for file in files:
            to = self.folder / INSIDE.lstrip("/") / file.name
            if file.is_dir():
                shutil.copytree(file, to)
            else:
                shutil.copy(file, to)

    def install(self, *packages: str) -> None:
        self.run("apt-get", "install", "-y", "-qq", "--no-install-recommends", *packages)
        copy_host_files(self)  # a package may have put its own certificates in their place

    def read(self, path: str) -> str:
        return (self.folder / path.lstrip("/")).read_text()


def check_rights() -> None:
    if os.geteuid() != 0:
        raise Failed("packages are tried in a root of their own, which needs root: run it as root or with sudo")
    try:
        run("unshare", "--mount", "--pid", "--fork", "true")
    except Failed:
        raise Failed("this machine gives no namespaces (unshare failed), as in a container without privileges: "
                     "packages cannot be tried here") from None


@contextlib.contextmanager
def debian_root(name: str, packages: Iterable[str] = ()) -> Iterator[CleanRoot]:
    """A fresh minimal Debian, with these packages installed, that is gone afterwards."""
    base = minimal_system()
    with folder_for(name) as folder:
        run("cp", "-a", "--reflink=auto", f"{base}/.", folder)
        root = CleanRoot(folder)
        connect(root)
        root.run("apt-get", "update", "-qq")
        if packages:
            root.install(*packages)
        yield root


@contextlib.contextmanager
def folder_for(name: str) -> Iterator[pathlib.Path]:
    folder = fresh_folder(WORK / "roots" / name)
    try:
        yield folder
    finally:
        mounted = [line.split()[4] for line in pathlib.Path("/proc/self/mountinfo").read_text().splitlines()
                   if line.split()[4].startswith(f"{folder}/")]
        if mounted:  # removing the folder would remove what is mounted there
            raise Failed(f"{mounted[0]} is still mounted: unmount it, then remove {folder}")
        shutil.rmtree(folder)


def minimal_system() -> pathlib.Path:
    """The folder of a system with required packages and apt alone, made by debootstrap the first time."""
    suite = host_suite()
    base = WORK / f"base-{suite}"
    if base.exists():
        return base
    say(f"making a minimal system (debootstrap, {base.relative_to(WORK.parent)})")
    unfinished = fresh_folder(WORK / "base-unfinished")
    proxy = re.search(r'"(.+)"', run("apt-config", "dump", "Acquire::http::Proxy"))
    run("debootstrap", "--variant=minbase", suite, unfinished, mirror_of(suite),
        env={**os.environ, **({"http_proxy": proxy.group(1)} if proxy else {})})
    shutil.rmtree(unfinished / "var/cache/apt/archives", ignore_errors=True)
    unfinished.rename(base)
    return base


def host_suite() -> str:
    found = re.search(r"^VERSION_CODENAME=(\w+)", pathlib.Path("/etc/os-release").read_text(), re.MULTILINE)
    if not found:
        raise Failed("/etc/os-release names no VERSION_CODENAME; expected that of a Debian release, such as bookworm")
    return found.group(1)


def mirror_of(suite: str) -> str:
    """Where this machine's apt has the suite from."""
    listed = run("apt-get", "indextargets", "--format", "$(REPO_URI) $(RELEASE)", "Created-By: Packages")
    for line in listed.splitlines():
        address, release = line.split()
        if release == suite:
            return address
    raise Failed(f"apt knows no source of '{suite}': run `apt-get update` first")


def connect(root: CleanRoot) -> None:
    """Gives the root this machine's ways to packages: sources, keys, proxies and certificates, and no other setting."""
    apt = root.folder / "etc/apt"
    for pattern in ("sources.list", "sources.list.d/*.list", "sources.list.d/*.sources", "trusted.gpg",
                    "trusted.gpg.d/*", "keyrings/*"):
        for path in pathlib.Path("/etc/apt").glob(pattern):
            to = apt / path.relative_to("/etc/apt")
            to.parent.mkdir(exist_ok=True)
            shutil.copy(path, to)
    wanted = re.compile(r"Acquire::(\w+::(Proxy|CaInfo|Verify-Peer)|Check-Valid-Until|Retries)\b", re.IGNORECASE)
    lines = [line for line in run("apt-config", "dump", "Acquire").splitlines() if wanted.match(line)]
    (apt / "apt.conf.d/90host").write_text("\n".join(lines) + "\n")
    copy_host_files(root)


def copy_host_files(root: CleanRoot) -> None:
    for file in map(pathlib.Path, HOST_FILES):
        if file.exists():
            to = root.folder / str(file).lstrip("/")
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, to)
