"""A campaign on a local Dask cluster of two worker processes, one of which is killed half way."""

import importlib.util
import json
import os
import signal
import threading
import time
from pathlib import Path

from dask.distributed import Client, LocalCluster

DRIVER = Path(__file__).parents[2] / "examples" / "cluster" / "dask_campaign.py"
QUESTIONS = ["--targets", "trn2", "--ops", "add,mult,max,is_lt,add_int,mult_int", "--types", "e4m3,f16,bf16,f32,i32,i64"]


def driver():
    spec = importlib.util.spec_from_file_location("dask_campaign", DRIVER)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def plan(vq7, folder, shards):
    vq7.run("campaign", "plan", *QUESTIONS, "--shards", shards, "-o", folder)
    return str(folder)


def test_a_worker_killed_half_way_costs_no_result(vq7, tmp_path):
    alone = plan(vq7, tmp_path / "alone", 1)
    vq7.run("campaign", "run", alone)
    vq7.run("campaign", "merge", alone, "-o", tmp_path / "alone.json")

    shards, killed, lines = 40, [], []
    folder = plan(vq7, tmp_path / "cluster", shards)
    dask = driver()
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with LocalCluster(**options, local_directory=str(tmp_path)) as cluster, Client(cluster) as client:
        before = dict(client.run(os.getpid))

        def kill_one():
            while len(list((tmp_path / "cluster").glob("shard-*.json"))) < shards // 4:
                time.sleep(0.01)
            victim = next(iter(before.values()))
            killed.append(len(list((tmp_path / "cluster").glob("shard-*.json"))))
            os.kill(victim, signal.SIGKILL)

        killer = threading.Thread(target=kill_one)
        killer.start()
        end = dask.drive(client, vq7.path, folder, lines.append)
        killer.join(60)
    assert shards // 4 <= killed[0] < shards, "the worker died while there was work left"
    assert (end["done"], end["broken"], end["mismatches"]) == (shards, [], 0)
    assert lines[-1].startswith(f"{shards} of {shards} shards done") and "a second" in lines[-1]
    vq7.run("campaign", "merge", folder, "-o", tmp_path / "cluster.json")
    assert (tmp_path / "cluster.json").read_bytes() == (tmp_path / "alone.json").read_bytes()
    manifest = json.loads((tmp_path / "alone.json").read_text())
    assert len(manifest["questions"]) > 20 and all(question["mismatch"] is None for question in manifest["questions"])
