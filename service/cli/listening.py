"""The socket a server listens on, bound before anything else is started."""

import errno
import socket

from service.cli.terminal import CannotDo

UNSENT_BYTES = 64 * 1024  # in the kernel for one connection
STALLED_MS = 60_000  # a peer that takes nothing of what waits for it so long is given up


def bound(host: str, port: int) -> socket.socket:
    """A bound socket that worker processes may share. Raises: CannotDo."""
    try:
        family, kind, protocol, _, place = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except socket.gaierror:
        raise CannotDo(f"there is no host {host}") from None
    listening = socket.socket(family, kind, protocol)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    _bound_buffers(listening)
    try:
        listening.bind(place)
    except OSError as error:
        listening.close()
        raise CannotDo(reason_of_binding(error, host, port, "--port")) from None
    # Whoever reads our address may call at once and is answered when we are ready.
    listening.listen(2048)
    listening.set_inheritable(True)
    return listening


def address(host: str, port: int) -> str:
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def usable(host: str) -> str:
    """The host to call for one to listen on: "every address" is none that can be called."""
    return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - nothing is bound


def _bound_buffers(listening: socket.socket) -> None:
    """What accepted sockets inherit: a reader that stalls costs little, and not for ever."""
    for name, value in (("TCP_NOTSENT_LOWAT", UNSENT_BYTES), ("TCP_USER_TIMEOUT", STALLED_MS)):
        option = getattr(socket, name, None)
        if option is not None:
            listening.setsockopt(socket.IPPROTO_TCP, option, value)


def reason_of_binding(error: OSError, host: str, port: int, option: str) -> str:
    """Why a port can't be listened on; `option` is how another one is chosen."""
    match error.errno:
        case errno.EADDRINUSE:
            return f"port {port} of {host} is in use: choose another with {option}"
        case errno.EACCES:
            return (
                f"port {port} of {host} is not allowed to us: choose one above 1023 with {option}"
            )
        case errno.EADDRNOTAVAIL:
            return f"{host} is no address of this machine: choose another with --host"
        case _:
            return f"cannot listen on {host}, port {port}: {error.strerror}"
