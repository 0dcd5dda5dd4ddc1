"""The address of a scheduler to a cluster whose workers all have this dsgec."""

import asyncio
import importlib.util
import logging
import warnings
from typing import Any

from dsgec.errors import DsgecError, reason
from dsgec.study.workers.cluster import Cluster

_SECONDS = 5.0


def connect(address: str) -> Cluster:
    """The cluster; a DsgecError if nobody answers there, or a worker has not this dsgec."""
    if importlib.util.find_spec("distributed") is None:
        raise DsgecError(
            "a cluster needs dask.distributed", "`pip install 'dsgec[cluster]'` brings it."
        )
    import distributed

    _silence()
    kind = asyncio.run(_kind(address))
    if kind != "Scheduler":
        raise DsgecError(
            f"what answers at {address} is not the scheduler of a cluster, but a {kind}",
            "Give the address that `dask scheduler` prints.",
        )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # other versions of dask's parts, which may well do
        try:
            client = distributed.Client(address, timeout=_SECONDS, set_as_default=False)
        except Exception as error:
            raise _unreachable(address, error) from error
    cluster = Cluster(client, address)
    try:
        cluster.check_workers()
    except BaseException:
        cluster.close()
        raise
    return cluster


def _silence() -> None:
    """Keep dask's own messages back: we report lost connections ourselves, where it matters."""
    for name in list(logging.root.manager.loggerDict):
        if name.partition(".")[0] == "distributed":  # several have a level of their own
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)


async def _kind(address: str) -> str:
    """What answers at an address: a client that finds nobody takes much longer to give up."""
    from distributed.core import rpc
    from distributed.security import Security

    async def ask() -> Any:
        arguments = Security().get_connection_args("client")
        async with rpc(address, timeout=_SECONDS, connection_args=arguments) as remote:
            return await remote.identity()

    try:
        answer = await asyncio.wait_for(ask(), _SECONDS)
        return str(answer["type"])[:40]
    except Exception as error:
        raise _unreachable(address, error) from error


def _unreachable(address: str, error: Exception) -> DsgecError:
    cause = "" if isinstance(error, TimeoutError) else f": {reason(error)}"
    return DsgecError(
        f"no scheduler of a dask cluster answers at `{address[:200]}`{cause[:300]}",
        "`dask scheduler` starts one and prints its address, tcp://HOST:PORT, and"
        " `dask worker ADDRESS` a worker; tls:// needs dask's settings for TLS.",
    )
