"""Runs the shards of a campaign on a Dask cluster.

    vq7 campaign plan --ops add,mult --types f16 --exhaustive --shards 4096 -o /shared/f16
    python dask_campaign.py /shared/f16 -o manifest.json --scheduler tcp://head:8786

Every worker calls the same `vq7` and sees the folder of the campaign. A shard may run twice or on a worker that dies: its
result is a file that appears whole or not at all, and one that is there is not computed again.
Needs: pip install dask distributed
"""

import argparse
import json
import subprocess
import sys

from dask.distributed import Client, LocalCluster, as_completed


def run_shard(vq7, folder, number):
    """One shard, on a worker."""
    ran = subprocess.run([vq7, "campaign", "run-shard", folder, str(number)], capture_output=True, text=True)
    if ran.returncode != 0:
        raise RuntimeError(f"shard {number}: {ran.stderr.strip()}")
    return number


def status(vq7, folder):
    """How far the campaign is, as `vq7 campaign status --json` says."""
    return json.loads(subprocess.run([vq7, "campaign", "status", folder, "--json"], capture_output=True, text=True, check=True).stdout)


def drive(client, vq7, folder, say=print):
    """Runs every shard that is not done; gives the final status."""
    shards = status(vq7, folder)["shards"]
    # A worker that dies costs its shard a try.
    futures = client.map(run_shard, [vq7] * shards, [folder] * shards, range(shards), pure=False, retries=5)
    for count, future in enumerate(as_completed(futures), 1):
        future.result()
        if count % max(1, shards // 20) == 0 or count == shards:
            now = status(vq7, folder)
            left = "" if now["seconds_left"] is None else f", {now['rate']:.2f} a second, {now['seconds_left']:.0f} s left"
            say(f"{now['done']} of {now['shards']} shards done{left}")
    return status(vq7, folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", help="folder of the campaign, seen by every worker")
    parser.add_argument("-o", "--output", required=True, help="file for the manifest")
    parser.add_argument("--vq7", default="vq7", help="the program, as every worker finds it")
    parser.add_argument("--scheduler", help="address of a running scheduler; without it, a cluster on this machine")
    parser.add_argument("--workers", type=int, default=2, help="worker processes of a cluster on this machine")
    arguments = parser.parse_args()
    cluster = arguments.scheduler or LocalCluster(n_workers=arguments.workers, threads_per_worker=1, dashboard_address=None)
    with Client(cluster) as client:
        drive(client, arguments.vq7, arguments.folder)
    merge = [arguments.vq7, "campaign", "merge", arguments.folder, "-o", arguments.output]
    return subprocess.run(merge).returncode


if __name__ == "__main__":
    sys.exit(main())
