"""A Spark cluster on this machine: a master, two workers and the Thrift server, out of pyspark.

Needs a Java on ``PATH`` or in ``$JAVA_HOME``, and the extra ``spark``.
"""

from __future__ import annotations

import collections.abc as cabc
import contextlib
import dataclasses
import json
import os
import shlex
import signal
import socket
import subprocess
import time
import typing as t
import urllib.request
from pathlib import Path

WORKERS = 2
START_SECONDS = 240
"""As long as a start may take on a busy machine; on an idle one it is a quarter of a minute."""

_SERVER = "org.apache.spark.sql.hive.thriftserver.HiveThriftServer2"

# Everything runs in one process group. When the pipe to it is closed, in whichever way the tests
# end, it ends itself.
_SUPERVISOR = """
{programs}
read -r _
trap '' TERM
kill -TERM 0
sleep 5
kill -KILL 0
"""


@dataclasses.dataclass(frozen=True)
class Cluster:
    """Where a running cluster answers.

    Attributes:
        url: of the Thrift server, for SQLAlchemy.
        rest: the address of the server's own account of what ran where.
        folder: has the log of every program.
    """

    url: str
    rest: str
    folder: Path

    def executors(self) -> list[dict[str, t.Any]]:
        """The executors and how many tasks each has completed."""
        application = _read(f"{self.rest}/applications")[0]["id"]
        found = _read(f"{self.rest}/applications/{application}/executors")
        return [each for each in found if each["id"] != "driver"]


CONNECTING: dict[str, t.Any] = {
    "auth": "NOSASL",
    "configuration": {"spark.sql.session.timeZone": "UTC"},
}
"""What PyHive is told besides the URL."""


@contextlib.contextmanager
def cluster(folder: Path) -> cabc.Iterator[Cluster]:
    """Starts a cluster whose files are all in a folder, and ends it for certain."""
    import pyspark

    home = Path(pyspark.__file__).parent
    master, master_ui, thrift, ui = (_free_port() for _ in range(4))
    class_of = f"{shlex.quote(str(home / 'bin' / 'spark-class'))} org.apache.spark.deploy"
    here = "--host 127.0.0.1"
    programs = {
        "master": f"{class_of}.master.Master {here} --port {master} --webui-port {master_ui}",
        **{
            f"worker-{at}": f"{class_of}.worker.Worker {here} --cores 1 --memory 1g --webui-port 0 "
            f"--work-dir worker-{at} spark://127.0.0.1:{master}"
            for at in range(1, WORKERS + 1)
        },
        "server": shlex.join(
            [
                str(home / "bin" / "spark-submit"),
                *("--class", _SERVER, "--master", f"spark://127.0.0.1:{master}"),
                *("--executor-memory", "600m", "--executor-cores", "1"),
                *("--conf", f"spark.ui.port={ui}"),
                *("--conf", "spark.driver.host=127.0.0.1"),
                *("--conf", "spark.sql.shuffle.partitions=2"),
                *("--conf", f"spark.sql.warehouse.dir={folder / 'warehouse'}"),
                "spark-internal",
                *("--hiveconf", f"hive.server2.thrift.port={thrift}"),
                *("--hiveconf", "hive.server2.thrift.bind.host=127.0.0.1"),
                *("--hiveconf", "hive.server2.authentication=NOSASL"),
            ]
        ),
    }
    lines = "\n".join(
        f"{{ {command} >{name}.log 2>&1; touch {name}.ended; }} &"
        for name, command in programs.items()
    )
    environment = {
        **os.environ,
        "SPARK_HOME": str(home),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_LOCAL_DIRS": str(folder / "local"),
        "SPARK_NO_DAEMONIZE": "1",
        # For the server, which counts as a daemon, more than a driver's own setting says.
        "SPARK_DAEMON_MEMORY": "1g",
        "SPARK_MASTER_OPTS": "-Dspark.master.rest.enabled=false",
        "TZ": "UTC",
    }
    group = subprocess.Popen(
        ["bash", "-c", _SUPERVISOR.format(programs=lines)],
        stdin=subprocess.PIPE,
        cwd=folder,
        env=environment,
        start_new_session=True,
    )
    found = Cluster(
        url=f"hive://tests@127.0.0.1:{thrift}/default",
        rest=f"http://127.0.0.1:{ui}/api/v1",
        folder=folder,
    )
    try:
        _await(lambda: _answers(thrift) and len(found.executors()) == WORKERS, folder)
        yield found
    finally:
        assert group.stdin is not None
        group.stdin.close()
        try:
            group.wait(30)
        except subprocess.TimeoutExpired:
            os.killpg(group.pid, signal.SIGKILL)
            group.wait()


def _await(holds: cabc.Callable[[], bool], folder: Path) -> None:
    last = time.monotonic() + START_SECONDS
    while time.monotonic() < last:
        with contextlib.suppress(OSError, LookupError):
            if holds():
                return
        if any(folder.glob("*.ended")):
            break
        time.sleep(0.2)
    logs = {path.name: path.read_text(errors="replace")[-2000:] for path in folder.glob("*.log")}
    raise RuntimeError(f"Spark did not start: {json.dumps(logs)}")


def _answers(port: int) -> bool:
    with socket.create_connection(("127.0.0.1", port), timeout=1):
        return True


def _read(address: str) -> t.Any:
    with urllib.request.urlopen(address, timeout=5) as response:
        return json.load(response)


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])
