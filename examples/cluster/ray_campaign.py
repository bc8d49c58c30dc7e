"""Runs the shards of a campaign on a Ray cluster: as dask_campaign.py, which says the rest.

    vq7 campaign plan --ops add,mult --types f16 --exhaustive --shards 4096 -o /shared/f16
    python ray_campaign.py /shared/f16 -o manifest.json --address auto

Needs: pip install ray
"""

import argparse
import json
import subprocess
import sys

import ray


@ray.remote(max_retries=5, retry_exceptions=True)
def run_shard(vq7, folder, number):
    """One shard, on a worker."""
    ran = subprocess.run([vq7, "campaign", "run-shard", folder, str(number)], capture_output=True, text=True)
    if ran.returncode != 0:
        raise RuntimeError(f"shard {number}: {ran.stderr.strip()}")
    return number


def status(vq7, folder):
    """How far the campaign is, as `vq7 campaign status --json` says."""
    return json.loads(subprocess.run([vq7, "campaign", "status", folder, "--json"], capture_output=True, text=True, check=True).stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", help="folder of the campaign, seen by every worker")
    parser.add_argument("-o", "--output", required=True, help="file for the manifest")
    parser.add_argument("--vq7", default="vq7", help="the program, as every worker finds it")
    parser.add_argument("--address", help="address of a running cluster; without it, one on this machine")
    arguments = parser.parse_args()
    ray.init(address=arguments.address)
    shards = status(arguments.vq7, arguments.folder)["shards"]
    left = [run_shard.remote(arguments.vq7, arguments.folder, number) for number in range(shards)]
    while left:
        done, left = ray.wait(left, num_returns=min(len(left), max(1, shards // 20)))
        ray.get(done)
        now = status(arguments.vq7, arguments.folder)
        time_left = "" if now["seconds_left"] is None else f", {now['rate']:.2f} a second, {now['seconds_left']:.0f} s left"
        print(f"{now['done']} of {now['shards']} shards done{time_left}")
    merge = [arguments.vq7, "campaign", "merge", arguments.folder, "-o", arguments.output]
    return subprocess.run(merge).returncode


if __name__ == "__main__":
    sys.exit(main())
