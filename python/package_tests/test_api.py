"""What the package offers beside the numbers."""

import gc
import multiprocessing
import os
import pickle
import subprocess
import sys
import threading
import time
import types
import warnings
import weakref
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

import vq7

ROOT = Path(__file__).parents[2]
A = np.arange(1, 7, dtype=np.int32).reshape(2, 3)


def test_nothing_is_copied():
    out = np.empty_like(A)
    assert vq7.tensor_tensor(A, A, "add_int", out=out) is out
    assert np.array_equal(out, A + A)
    result = vq7.tensor_tensor(A, A, "add_int")
    assert result.flags.owndata and result.flags.c_contiguous and result.base is None


def test_dtypes_by_every_name():
    x = np.ones(3, np.float32)
    for name in ("bfloat16", "bf16", ml_dtypes.bfloat16, np.dtype(ml_dtypes.bfloat16), vq7.dtype("bfloat16")):
        assert vq7.tensor_tensor(x, x, "add", out_dtype=name).dtype == ml_dtypes.bfloat16
    assert vq7.tensor_tensor(x, x, "add", out_dtype="float32r").dtype == np.float32
    truth = np.array([True, False, True])
    assert vq7.tensor_tensor(truth, truth, "bitwise_and").dtype == np.uint8
    assert vq7.dtype("i8") == vq7.dtype(np.int8) == "int8" and len({vq7.dtype("i8"), vq7.dtype("int8")}) == 1
    assert (vq7.dtype("e4m3").name, vq7.dtype("e4m3").bits, vq7.dtype("u64").itemsize) == ("float8_e4m3", 8, 8)
    assert repr(vq7.dtype("bf16")) == "vq7.dtype('bfloat16')"


def test_lossy_warnings_name_the_caller():
    a = np.array([1, 2**24], np.int32)
    with pytest.warns(vq7.LossyIntegerWarning, match=r"at \[1\], is 16777216 and exactly 16777217.*`add_int`") as caught:
        vq7.tensor_tensor(a, np.ones(1, np.int32), "add")
    assert caught[0].filename == __file__ and len(caught) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(vq7.LossyIntegerWarning):
            vq7.tensor_tensor(a, np.ones(1, np.int32), "add", executor="reference")
        vq7.tensor_tensor(a, np.ones(1, np.int32), "add", policy=vq7.Policy(base_int="native32"))


def test_the_target_of_the_environment(monkeypatch):
    wide = A.astype(np.int64)
    monkeypatch.setenv("NEURON_PLATFORM_TARGET_OVERRIDE", "trn1")
    with pytest.raises(vq7.IllegalInstruction):
        vq7.tensor_tensor(wide, wide, "add_int")
    assert vq7.tensor_tensor(wide, wide, "add_int", target="trn2").dtype == np.int64
    assert vq7.StateBuffer().target == "trn1"
    monkeypatch.setenv("NEURON_PLATFORM_TARGET_OVERRIDE", "trn9")
    with pytest.raises(ValueError, match="NEURON_PLATFORM_TARGET_OVERRIDE"):
        vq7.tensor_tensor(wide, wide, "add_int")


class Bar:
    """As tqdm.tqdm(): a total, and updates by how much more is done."""

    total = None
    done = 0

    def update(self, n):
        self.done += n


def test_progress():
    bar, told = Bar(), []
    a = np.ones((128, 40000), np.int32)
    vq7.tensor_tensor(a, a, "add_int", progress=bar)
    vq7.tensor_tensor(a, a, "add_int", progress=lambda done, total: told.append((done, total)))
    assert bar.total == bar.done == a.size
    assert told[-1] == (a.size, a.size) and len(told) > 1 and told == sorted(told)
    bar = Bar()
    vq7.check(bytes.fromhex(vq7.judge("add", "float32", "float32").hex) * 5000, progress=bar)
    assert bar.done == 5000
    with pytest.raises(ZeroDivisionError):
        vq7.tensor_tensor(a, a, "add_int", progress=lambda done, total: 1 // 0)
    with pytest.raises(TypeError, match="tqdm"):
        vq7.tensor_tensor(a, a, "add_int", progress=3)


def test_answers_are_shown_in_one_line_and_in_notebooks():
    verdict = vq7.judge("divide", "float32", "float32")
    word = vq7.Instruction.from_bytes(verdict.hex)
    explained = vq7.explain("add", "int32", 2**24, 1)
    shown = [verdict, word, explained, vq7.explain(word), vq7.check(word), vq7.ops()[0], vq7.Policy(), vq7.StateBuffer()]
    for answer in [*shown, verdict.rules[0], vq7.Program("tensor a: int32[2]"), vq7.dtype("int8")]:
        assert "\n" not in repr(answer) and len(repr(answer)) < 400
    assert "s3s3d3_tt_valid_op" in verdict._repr_html_() and "<table>" in word._repr_html_()
    assert "<script" not in vq7.check(word)._repr_html_()
    assert str(explained).startswith("target trn2") and explained.result["value"] == "16777216"
    assert explained.verdict.is_legal and explained.twin["op"] == "add_int"
    with pytest.raises(AttributeError, match="it has"):
        verdict.colour


def test_pickles():
    verdict = vq7.judge("divide", "float32", "float32")
    word = vq7.Instruction.from_bytes(verdict.hex)
    for value in (verdict, word, vq7.Policy(round="zero"), vq7.dtype("bf16")):
        assert pickle.loads(pickle.dumps(value)) == value


def test_ops():
    rows = {row.name: row for row in vq7.ops("trn2")}
    assert rows["add"].code == 4 and rows["mult"].nki_names == ["multiply"]
    assert not rows["square"].in_target and {r.name: r for r in vq7.ops("mariana_plus")}["square"].in_target


def test_costs():
    cost = vq7.cost("add_int", "int32", (128, 512))
    assert cost.cycles_low <= cost.cycles <= cost.cycles_high and cost.words[0]["engine"] == "gpsimd"
    assert vq7.cost("add_int", "int64", (128, 512)).cycles > cost.cycles
    assert vq7.cost("add_int", "int32", (128, 1024)).cycles > cost.cycles
    program = vq7.Program((ROOT / "examples" / "philox4x32.vq7").read_text())
    assert len(vq7.cost(program).words) == len(program)
    word = vq7.Instruction.from_bytes(vq7.judge("add_int", "int32", "int32").hex)
    assert "\n" not in repr(vq7.cost(word)) and "<table>" in vq7.cost(word)._repr_html_()
    with pytest.raises(ValueError, match="shape"):
        vq7.cost("add_int", "int32", (128, 0))
    with pytest.raises(ValueError, match="2 dtypes"):
        vq7.cost("add_int", ("int32", "int32"))


def test_programs():
    source = "input a: int32[2, 3]\nb = add_int(a, a)\nc = mult_int(b, a)\noutput c\n"
    program = vq7.Program(source, name="mine")
    assert program.inputs == {"a": ("int32", (2, 3))} and program.outputs == {"c": ("int32", (2, 3))}
    state, bar = vq7.StateBuffer(), Bar()
    result = program.run({"a": A}, state=state, progress=bar)
    assert np.array_equal(result["c"], 2 * A * A) and result.executed == bar.done == len(program) == 2
    assert len(vq7.check(program.to_bytes())) == 2 and vq7.assemble(source) == program.to_bytes()
    again = vq7.Program(program.to_bytes())
    assert again.run(state=state, executor="reference").executed == 2
    for name in ("philox4x32.vq7", "lossy_multiply.vq7"):
        text = (ROOT / "examples" / name).read_text()
        assert vq7.Program(text, name=name).run().error is None


def test_the_state_buffer():
    state = vq7.StateBuffer("trn2")
    assert (state.partitions, state.bytes_per_partition, state.target) == (128, 0x38000, "trn2")
    view = state.view(3, "int32", offset=16, count=4)
    assert not view.any() and not view.flags.writeable and not state.is_written(3, offset=16)
    state[3, 16] = np.array([1, -2, 3, 4], np.int32)
    assert view.tolist() == [1, -2, 3, 4], "a view shares the memory"
    assert state.is_written(3, offset=16, count=16) and not state.is_written(3, offset=16, count=17)
    assert state[3][16:20].tolist() == [1, 0, 0, 0]
    state[3, 0:2] = np.array([7, 8], np.uint8)
    assert state[3][:2].tolist() == [7, 8]
    mine = state.view(5, "bfloat16", offset=2, count=3, writable=True)
    mine[:] = 1
    assert state[5][:8].tolist() == [0, 0, 0x80, 0x3F, 0x80, 0x3F, 0x80, 0x3F] and state.is_written(5, offset=2, count=6)
    alive = weakref.ref(mine)
    del state
    gc.collect()
    assert mine.tolist() == [1, 1, 1] and alive() is mine
    state = vq7.StateBuffer()
    for wrong in (lambda: state[128], lambda: state.view(0, offset=0x38000, count=1), lambda: state.view(0, count=2**20)):
        with pytest.raises(IndexError):
            wrong()
    with pytest.raises(IndexError, match="active bytes"):
        state.write(0, A, offset=0x37FFF)
    with pytest.raises(ValueError, match="place"):
        state[0, 0:3] = A
    with pytest.raises(ValueError, match="sbuf or psum"):
        state.view(0, memory="dram")


@pytest.fixture
def torch(monkeypatch):
    """A stand-in with torch's names: the package is not there in tests, and is not needed."""
    module = types.ModuleType("torch")

    class Tensor:
        device = "cpu"
        requires_grad = False

        def __init__(self, array, name=None):
            self.array, self.dtype = array, f"torch.{name or array.dtype.name}"

        @property
        def shape(self):
            return self.array.shape

        def numpy(self):
            if self.array.dtype.name in ("bfloat16", "float8_e4m3fn"):
                raise TypeError("Got unsupported ScalarType")
            return self.array

        def view(self, dtype):
            return Tensor(self.array.view(dtype))

    def from_numpy(array):
        if array.dtype.name in ("bfloat16", "float8_e4m3fn"):
            raise TypeError("can't convert np.ndarray")
        return Tensor(array)

    module.Tensor, module.from_numpy = Tensor, from_numpy
    for dtype in (np.int16, np.uint8, np.int32, np.float32, ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn):
        setattr(module, np.dtype(dtype).name, dtype)
    monkeypatch.setitem(sys.modules, "torch", module)
    return module


def test_tensors_of_torch(torch):
    result = vq7.tensor_tensor(torch.Tensor(A), torch.Tensor(A), "add_int")
    assert isinstance(result, torch.Tensor) and np.array_equal(result.array, A + A)
    assert isinstance(vq7.tensor_tensor(A, torch.Tensor(A), "add_int"), torch.Tensor)
    x = torch.Tensor(np.ones(3, ml_dtypes.bfloat16))
    result = vq7.tensor_tensor(x, x, "add")
    assert isinstance(result, torch.Tensor) and result.array.dtype == ml_dtypes.bfloat16
    out = torch.Tensor(np.empty_like(A))
    assert vq7.tensor_tensor(torch.Tensor(A), A, "add_int", out=out) is out and np.array_equal(out.array, A + A)
    fn = torch.Tensor(np.ones(3, ml_dtypes.float8_e4m3fn))
    with pytest.raises(TypeError, match="e4m3"):
        vq7.tensor_tensor(fn, fn, "add")
    assert vq7.tensor_tensor(fn, fn, "add", policy=vq7.Policy(e4m3="fn")).array[0] == 2
    with pytest.raises(TypeError, match="torch has no dtype float8_e3m4"):
        vq7.tensor_tensor(x, x, "add", out_dtype="float8_e3m4")
    far = torch.Tensor(A)
    far.device = "cuda:0"
    with pytest.raises(TypeError, match="cpu"):
        vq7.tensor_tensor(far, far, "add_int")


def test_subclasses_of_arrays():
    class Mine(np.ndarray):
        pass

    assert np.array_equal(vq7.tensor_tensor(A.view(Mine), A, "add_int"), A + A)
    with pytest.raises(TypeError, match="masked"):
        vq7.tensor_tensor(np.ma.masked_array(A), A, "add_int")


def test_other_threads_run_meanwhile():
    a = np.ones((128, 65536), np.float32)
    out = np.empty_like(a)
    ticks, stop = [], threading.Event()

    def tick():
        while not stop.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0)

    thread = threading.Thread(target=tick)
    thread.start()
    before = time.perf_counter()
    vq7.tensor_tensor(a, a, "power", out=out)
    after = time.perf_counter()
    stop.set()
    thread.join()
    assert sum(before < tick < after for tick in ticks) > 2


def in_child(_):
    a = np.ones((128, 16384), np.int32)
    return int(vq7.tensor_tensor(a, a, "add_int").sum())


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_process_has_threads_of_its_own():
    want = in_child(0)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map_async(in_child, range(4)).get(timeout=60) == [want] * 4


def test_import_takes_little():
    code = "import time, numpy; t = time.perf_counter(); import vq7; print(time.perf_counter() - t)"
    times = [float(subprocess.check_output([sys.executable, "-c", code])) for _ in range(5)]
    assert min(times) < 0.2
    code = "import sys, vq7; print([m for m in ('torch', 'ml_dtypes', 'json', 'html') if m in sys.modules])"
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "[]\n"
