//! `vq7.tensor_tensor`: judge once per kind of call, then compute where the arrays lie.

use crate::array::{self, Array, MOST_AXES};
use crate::dtypes;
use crate::errors::{VerdictParts, array_error, failed, run_error, type_error, value_error};
use crate::lossy;
use crate::settings::{ExecutorKind, PyPolicy, engine, fast, policy_of, target};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use rustc_hash::FxHashMap;
use std::mem::MaybeUninit;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use vq7::engine::arrays::{self, ArrayRef, Settings};
use vq7::fast::{Direct, View};
use vq7::isa::legality::Engine;
use vq7::isa::{AluOp, Dtype, Generation};
use vq7::num::Lane;
use vq7::policy::Policy;
use vq7::report::advice::shift_count;
use vq7::report::check::Check;
use vq7::report::judged::JudgedWord;
use vq7::report::problem::Failure;
use vq7::report::tt::default_out;
use vq7::report::{Draw, Look, Setting, TargetSource};

/// Results of fewer bytes are computed with the interpreter attached: to detach and attach again takes as long.
const DETACHED_BYTES: usize = 1 << 15;
/// Kinds of calls that are remembered.
const REMEMBERED: usize = 4096;

/// A kind of call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    pub op: AluOp,
    /// src0, src1, dst.
    pub dtypes: [Dtype; 3],
    pub generation: Generation,
    pub engine: Engine,
    pub policy: Policy,
}

/// What is known of a kind of call.
#[derive(Debug)]
pub(crate) struct Known {
    /// Why its words are refused, with the verdict.
    refused: Option<(Failure, VerdictParts)>,
    /// Its kernels.
    pub direct: Option<Direct>,
    /// The op that is exact where this one may lose bits of 32-bit integers, with its kernels.
    pub twin: Option<(AluOp, Option<Direct>)>,
}

static KNOWN: LazyLock<Mutex<FxHashMap<Key, Arc<Known>>>> = LazyLock::new(Mutex::default);

/// Every name of every op.
static OPS: LazyLock<FxHashMap<&'static str, AluOp>> = LazyLock::new(|| {
    let names = |op: &'static AluOp| std::iter::once(op.name()).chain(op.nki_names().iter().copied());
    AluOp::ALL.iter().flat_map(|op| names(op).map(|name| (name, *op))).collect()
});

/// The op of a name.
///
/// # Errors
/// Says the nearest names.
pub(crate) fn op_of(name: &str) -> PyResult<AluOp> {
    match OPS.get(name) {
        Some(op) => Ok(*op),
        None => AluOp::parse(name).map_err(value_error),
    }
}

impl Known {
    /// What is known, looked up once.
    ///
    /// # Errors
    /// When a dtype is none of an operand, or the environment asks the fast executor for what is not there.
    pub fn of(key: &Key) -> PyResult<Arc<Self>> {
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.get(key) {
            return Ok(Arc::clone(known));
        }
        let made = Arc::new(Self::new(key)?);
        if known.len() >= REMEMBERED {
            known.clear();
        }
        known.insert(*key, Arc::clone(&made));
        Ok(made)
    }

    /// Nothing but the kernels of an exact op.
    pub const fn of_twin(twin: AluOp, direct: Option<Direct>) -> Self {
        Self { refused: None, direct: None, twin: Some((twin, direct)) }
    }

    fn new(key: &Key) -> PyResult<Self> {
        let (judged, parts) = judge(key, TargetSource::Flag)?;
        let fast = fast()?;
        let [a, b, out] = key.dtypes;
        let kernels = |op| Direct::new(fast, Lane::new(op, a, b, out), &key.policy).ok();
        let may_lose = key.dtypes.iter().any(|dtype| dtype.is_32bit_int());
        let twin = arrays::exact_twin(key.op, key.dtypes).filter(|_| may_lose);
        Ok(Self {
            refused: judged.failure().map(|failure| (failure, parts)),
            direct: kernels(key.op),
            twin: twin.map(|twin| (twin, kernels(twin))),
        })
    }
}

/// The verdict on the words of a kind of call, which does not depend on shapes: the tests hold it against those of others.
///
/// # Errors
/// When a dtype is none of an operand.
pub(crate) fn judge(key: &Key, target_source: TargetSource) -> PyResult<(JudgedWord, VerdictParts)> {
    let [a, b, out] = key.dtypes;
    let plan =
        arrays::plan(key.op, (a, &[1, 2]), (b, &[1, 2]), out, key.generation).map_err(|error| array_error(&error))?;
    let Some(word) = plan.words().next() else { return Err(value_error("a plan without words")) };
    let setting = Setting { generation: key.generation, target_source, engine: key.engine, policy: key.policy };
    let judged = JudgedWord::new(0, &word, &setting.bench());
    let json = serde_json::to_string(&judged).map_err(value_error)?;
    let text = Check::new(vec![word], setting, |_| {}).text(&Look::PLAIN);
    Ok((judged, (json, text)))
}

/// The dtype of a result where the caller names none.
///
/// # Errors
/// When the sources leave it open.
pub(crate) fn result_dtype(op: AluOp, a: Dtype, b: Dtype) -> PyResult<Dtype> {
    default_out(op, a, b).ok_or_else(|| match shift_count(op, a, b) {
        Some(count) => type_error(count),
        None => type_error(format_args!("a is {a} and b is {b}, so the dtype of the result is open; give out_dtype")),
    })
}

/// tensor_tensor(a, b, op, *, out_dtype=None, out=None, target=None, engine="any", executor="fast", policy=None, progress=None)
/// --
///
/// One op on two arrays, element by element, with the bits of the engine.
///
/// a, b: arrays of NumPy, with dtypes of NumPy or ml_dtypes, or tensors of torch. Any shapes that broadcast; as many words
///     as it takes. float64, complex, objects and strings are refused, and nothing is converted silently.
/// op: an ALU op by any name (vq7.ops lists them). A name of the kernel language, such as "multiply", is the base-band op.
/// out_dtype: dtype of the result. Default: that of the inputs, when they agree.
/// out: a C-contiguous array for the result that shares no memory with the inputs.
/// target: trn1, trn2, trn3, mariana_plus, gen5. Default: NEURON_PLATFORM_TARGET_OVERRIDE, else trn2.
/// engine: "any" (the structure's rules), "pool" (gpsimd) or "dve" (vector).
/// executor: "fast", "reference" or "iss"; the bits are the same.
/// policy: answers to the open questions (vq7.Policy).
/// progress: a bar such as tqdm.tqdm(), or a function of (done, total) elements.
///
/// Returns the result, of the kind of the inputs. Raises IllegalInstruction with the rule that refuses the words,
/// UnspecifiedResult where no source says what the device computes, TypeError for dtypes and ValueError for shapes and
/// names. Warns with LossyIntegerWarning where float32 loses bits of 32-bit integers.
#[pyfunction]
#[pyo3(signature = (a, b, op, *, out_dtype=None, out=None, target=None, engine="any", executor="fast", policy=None, progress=None))]
#[allow(clippy::too_many_arguments, reason = "these are the keywords of the Python function")]
pub(crate) fn tensor_tensor<'py>(
    py: Python<'py>,
    a: &Bound<'py, PyAny>,
    b: &Bound<'py, PyAny>,
    op: &Bound<'py, PyString>,
    out_dtype: Option<&Bound<'py, PyAny>>,
    out: Option<&Bound<'py, PyAny>>,
    target: Option<&str>,
    engine: &str,
    executor: &str,
    policy: Option<&Bound<'py, PyPolicy>>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let out_array = out.map(Array::of);
    let (Some(first), Some(second), None | Some(Some(_))) = (Array::of(a), Array::of(b), &out_array) else {
        let names = PyDict::new(py);
        for (name, value) in [("out_dtype", out_dtype), ("out", out), ("progress", progress)] {
            names.set_item(name, value)?;
        }
        for (name, value) in [("target", target), ("engine", Some(engine)), ("executor", Some(executor))] {
            names.set_item(name, value)?;
        }
        names.set_item("policy", policy)?;
        return py.import("vq7._foreign")?.getattr("tensor_tensor")?.call((a, b, op), Some(&names));
    };
    let executor = ExecutorKind::parse(executor)?;
    let call = Call::new(&first, &second, op.to_str()?, out_dtype, out_array.flatten(), target, engine, policy)?;
    call.check()?;
    match (executor, progress, &call.known.direct) {
        (ExecutorKind::Fast, None, Some(direct)) => match call.compute(py, direct)? {
            Some(result) => Ok(result),
            None => call.by_words(py, executor, None),
        },
        _ => call.by_words(py, executor, progress),
    }
}

/// A call with its arguments understood.
struct Call<'a, 'py> {
    a: &'a Array<'a, 'py>,
    b: &'a Array<'a, 'py>,
    out: Option<Array<'a, 'py>>,
    key: Key,
    asked: String,
    known: Arc<Known>,
}

impl<'a, 'py> Call<'a, 'py> {
    #[allow(clippy::too_many_arguments, reason = "these are the keywords of the Python function")]
    fn new(
        a: &'a Array<'a, 'py>,
        b: &'a Array<'a, 'py>,
        op_name: &str,
        out_dtype: Option<&Bound<'py, PyAny>>,
        out: Option<Array<'a, 'py>>,
        target_name: Option<&str>,
        engine_name: &str,
        policy: Option<&Bound<'py, PyPolicy>>,
    ) -> PyResult<Self> {
        let policy = policy_of(policy);
        let op = op_of(op_name)?;
        let dtypes = [a.dtype("a", &policy)?, b.dtype("b", &policy)?];
        let out_is = out.as_ref().map(|out| out.dtype("out", &policy)).transpose()?;
        let named = out_dtype.map(|named| dtypes::named("out_dtype", named, &policy)).transpose()?;
        let result = match (named, out_is) {
            (Some(named), Some(is)) if named != is && !(named == Dtype::Fp32r && is == Dtype::Fp32) => {
                return Err(type_error(format_args!("out is {is}, and out_dtype says {named}; give one of them")));
            }
            (Some(named), _) => named,
            (None, Some(is)) => is,
            (None, None) => result_dtype(op, dtypes[0], dtypes[1])?,
        };
        let (generation, _) = target(target_name)?;
        let key = Key { op, dtypes: [dtypes[0], dtypes[1], result], generation, engine: engine(engine_name)?, policy };
        let known = Known::of(&key)?;
        Ok(Self { a, b, out, key, asked: op_name.to_owned(), known })
    }

    /// Refuses what the rules refuse, and shapes that no word holds.
    fn check(&self) -> PyResult<()> {
        self.a.check_shape("a")?;
        self.b.check_shape("b")?;
        match &self.known.refused {
            None => Ok(()),
            Some((failure, verdict)) => Err(failed(self.a.object.py(), failure, Some(verdict))),
        }
    }

    fn sizes(&self) -> [usize; 3] {
        self.key.dtypes.map(|dtype| dtype.bytes() as usize)
    }

    /// The array for the result: the caller's, or a new one.
    fn result(&self, py: Python<'py>, shape: &[usize]) -> PyResult<Bound<'py, PyAny>> {
        let Some(out) = &self.out else {
            let [.., dtype] = self.key.dtypes;
            return array::empty(py, dtypes::descr_of(py, dtype, &self.key.policy)?, shape);
        };
        out.check_out(shape)?;
        let [size_a, size_b, size] = self.sizes();
        for (name, source, source_size) in [("a", self.a, size_a), ("b", self.b, size_b)] {
            if out.may_share(size, source, source_size) {
                return Err(value_error(format_args!(
                    "out shares memory with {name}: give an array of its own, or leave out away, and copy: {name}[...] = \
                     vq7.tensor_tensor(..)"
                )));
            }
        }
        Ok(out.object.clone())
    }

    /// Computes where the arrays lie. `None` when the host's floats are not as they should be.
    fn compute(&self, py: Python<'py>, direct: &Direct) -> PyResult<Option<Bound<'py, PyAny>>> {
        let mut room = [0; MOST_AXES];
        let (shape, total) = array::broadcast(self.a, self.b, &mut room)?;
        let result = self.result(py, shape)?;
        let fast = fast()?;
        let [size_a, size_b, size] = self.sizes();
        let (mut steps_a, mut steps_b) = ([0; MOST_AXES], [0; MOST_AXES]);
        let Some(written) = Array::of(&result) else { return Err(type_error("out is no array of NumPy")) };
        // SAFETY: the call holds the arrays; the result is new or shares no memory with the sources, and is C-contiguous with
        // `total` elements. That no other thread writes them meanwhile is asked of the caller, as NumPy asks it.
        let (view_a, view_b, bytes) = unsafe {
            (
                self.a.view(shape, size_a, &mut steps_a),
                self.b.view(shape, size_b, &mut steps_b),
                written.bytes_mut(total * size),
            )
        };
        let done = detached(py, bytes.len(), || direct.run(fast, shape, view_a, view_b, bytes));
        if done.is_err() {
            return Ok(None);
        }
        if self.known.twin.is_some() {
            // SAFETY: `run` has written every byte.
            let bytes = unsafe { &*(std::ptr::from_ref::<[MaybeUninit<u8>]>(bytes) as *const [u8]) };
            self.warn(py, shape, [view_a, view_b], bytes)?;
        }
        Ok(Some(result))
    }

    /// Warns where float32 lost bits.
    fn warn(&self, py: Python<'py>, shape: &[usize], views: [View<'_>; 2], bytes: &[u8]) -> PyResult<()> {
        match lossy::find(py, &self.key, &self.known, shape, views, bytes)? {
            Some(found) => lossy::warn(py, &self.asked, &found, &self.key, bytes.len() / self.sizes()[2]),
            None => Ok(()),
        }
    }

    /// Computes word by word on a machine.
    fn by_words(
        &self,
        py: Python<'py>,
        executor: ExecutorKind,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let mut room = [0; MOST_AXES];
        let (shape, total) = array::broadcast(self.a, self.b, &mut room)?;
        let result = self.result(py, shape)?;
        let follower = progress.map(follower).transpose()?;
        let (packed_a, packed_b) = (self.a.packed()?, self.b.packed()?);
        let (Some(a), Some(b)) = (Array::of(&packed_a), Array::of(&packed_b)) else {
            return Err(type_error("a and b must be arrays of NumPy"));
        };
        let ([dtype_a, dtype_b, out], [size_a, size_b, size]) = (self.key.dtypes, self.sizes());
        let (shape_a, shape_b) = (a.shape(), b.shape());
        let elements = |shape: &[usize]| shape.iter().product::<usize>();
        // SAFETY: both are C-contiguous and held here; that no other thread writes them is asked of the caller.
        let (bytes_a, bytes_b) =
            unsafe { (a.bytes(elements(&shape_a) * size_a), b.bytes(elements(&shape_b) * size_b)) };
        let a = ArrayRef { dtype: dtype_a, shape: &shape_a, bytes: bytes_a };
        let b = ArrayRef { dtype: dtype_b, shape: &shape_b, bytes: bytes_b };
        let plan = arrays::plan(self.key.op, (dtype_a, a.shape), (dtype_b, b.shape), out, self.key.generation)
            .map_err(|error| array_error(&error))?;
        let settings = Settings { engine: self.key.engine, policy: self.key.policy, executor: executor.build()? };
        let mut raised = None;
        let mut tell = |done: usize, total: usize| {
            if let (Some(follower), None) = (&follower, &raised) {
                raised = Python::attach(|py| follower.call1(py, (done, total)).err());
            }
        };
        let ran = detached(py, usize::MAX, || arrays::run(&plan, &a, &b, &settings, &mut tell));
        if let Some(error) = raised {
            return Err(error);
        }
        let (bytes, _) = ran.map_err(|error| run_error(py, &error))?;
        array::put(&result, &bytes)?;
        if self.known.twin.is_some() {
            let (mut steps_a, mut steps_b) = ([0; MOST_AXES], [0; MOST_AXES]);
            // SAFETY: as above.
            let views = unsafe { [self.a.view(shape, size_a, &mut steps_a), self.b.view(shape, size_b, &mut steps_b)] };
            debug_assert_eq!(bytes.len(), total * size);
            self.warn(py, shape, views, &bytes)?;
        }
        Ok(result)
    }
}

/// What to call with (done, total).
pub(crate) fn follower(progress: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
    let make = progress.py().import("vq7._progress")?.getattr("follower")?;
    make.call1((progress,)).map(Bound::unbind)
}

/// Runs with other threads of Python let on, where that pays.
pub(crate) fn detached<T: Send>(py: Python<'_>, bytes: usize, work: impl FnOnce() -> T + Send) -> T {
    if bytes < DETACHED_BYTES { work() } else { py.detach(work) }
}
