//! What float32 lost of integers that an integer-band op keeps.

use crate::array::{self, Array, MOST_AXES};
use crate::dtypes;
use crate::errors::{type_error, value_error};
use crate::settings::{PyPolicy, fast, policy_of, target};
use crate::tensor_tensor::{Key, Known, detached, op_of, result_dtype};
use numpy::PyArrayDescr;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use std::ffi::CString;
use std::mem::MaybeUninit;
use vq7::engine::arrays::{self, Lossy};
use vq7::fast::View;
use vq7::isa::legality::Engine;
use vq7::isa::{AluOp, Dtype};
use vq7::num::Lane;
use vq7::report::tt::LossyAnswer;

/// The first element on which a result differs from the exact one, and how many do.
///
/// # Errors
/// When the fast executor cannot be made.
pub(crate) fn find(
    py: Python<'_>,
    key: &Key,
    known: &Known,
    shape: &[usize],
    views: [View<'_>; 2],
    bytes: &[u8],
) -> PyResult<Option<Lossy>> {
    let Some((twin, _)) = &known.twin else { return Ok(None) };
    let size = key.dtypes[2].bytes() as usize;
    let exact = exact(py, key, known, shape, views, bytes.len())?;
    if exact == bytes {
        return Ok(None);
    }
    let (mut first, mut differing) = (None, 0usize);
    for (index, (one, other)) in bytes.chunks_exact(size).zip(exact.chunks_exact(size)).enumerate() {
        if one != other {
            first.get_or_insert((index, bits(one), bits(other)));
            differing += 1;
        }
    }
    Ok(first.map(|(index, through_float32, exact)| {
        let at = |view: &View<'_>, dtype: Dtype| element(view, shape, index, dtype);
        Lossy {
            twin: *twin,
            index: arrays::unravel(index, shape),
            a: at(&views[0], key.dtypes[0]),
            b: at(&views[1], key.dtypes[1]),
            through_float32,
            exact,
            differing,
        }
    }))
}

/// What the exact op gives.
fn exact(
    py: Python<'_>,
    key: &Key,
    known: &Known,
    shape: &[usize],
    [a, b]: [View<'_>; 2],
    length: usize,
) -> PyResult<Vec<u8>> {
    let Some((twin, direct)) = &known.twin else { return Ok(Vec::new()) };
    if let Some(direct) = direct {
        let mut room: Vec<MaybeUninit<u8>> = vec![MaybeUninit::uninit(); length];
        let fast = fast()?;
        if detached(py, length, || direct.run(fast, shape, a, b, &mut room)).is_ok() {
            // SAFETY: `run` has written every byte.
            return Ok(room.into_iter().map(|byte| unsafe { byte.assume_init() }).collect());
        }
    }
    let [dtype_a, dtype_b, out] = key.dtypes;
    let lane = Lane::new(*twin, dtype_a, dtype_b, out);
    let mut bytes = Vec::with_capacity(length);
    for index in 0..shape.iter().product() {
        let (x, y) = (element(&a, shape, index, dtype_a), element(&b, shape, index, dtype_b));
        let value = lane.evaluate(x, y, &key.policy).map_or(0, |flagged| flagged.value);
        bytes.extend(value.to_le_bytes().iter().take(out.bytes() as usize));
    }
    Ok(bytes)
}

/// The bits of the element of a view that a result's element reads.
fn element(view: &View<'_>, shape: &[usize], index: usize, dtype: Dtype) -> u64 {
    let steps = arrays::unravel(index, shape).into_iter().zip(view.steps).map(|(at, step)| at as isize * step);
    let start = view.start.wrapping_add_signed(steps.sum());
    bits(view.bytes.get(start..start.saturating_add(dtype.bytes() as usize)).unwrap_or(&[]))
}

fn bits(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte))
}

/// Warns of what was lost.
///
/// # Errors
/// When the caller made warnings errors.
pub(crate) fn warn(py: Python<'_>, asked: &str, lossy: &Lossy, key: &Key, total: usize) -> PyResult<()> {
    static CATEGORY: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let category = CATEGORY.import(py, "vq7._errors", "LossyIntegerWarning")?;
    let text = LossyAnswer::new(lossy, key.dtypes[2], &key.policy).text(asked, total);
    PyErr::warn(py, category, &CString::new(text).map_err(value_error)?, 1)
}

/// lossy(op, a, b, *, out_dtype=None, target=None, policy=None)
/// --
///
/// A mask of the elements for which the base-band op, which goes through float32, differs from exact integers.
///
/// op: a base-band op with an integer-band twin, such as "add" or "multiply". For any other op nothing is lost.
/// a, b: arrays that broadcast. Returns a bool array of the result's shape. Raises as tensor_tensor does, but judges no word.
#[pyfunction]
#[pyo3(signature = (op, a, b, *, out_dtype=None, target=None, policy=None))]
pub(crate) fn lossy<'py>(
    py: Python<'py>,
    op: &str,
    a: &Bound<'py, PyAny>,
    b: &Bound<'py, PyAny>,
    out_dtype: Option<&Bound<'py, PyAny>>,
    target: Option<&str>,
    policy: Option<&Bound<'py, PyPolicy>>,
) -> PyResult<Bound<'py, PyAny>> {
    let (a, b) = (array::as_array(a)?, array::as_array(b)?);
    let (Some(a), Some(b)) = (Array::of(&a), Array::of(&b)) else { return Err(type_error("a and b must be arrays")) };
    let (op, policy) = (op_of(op)?, policy_of(policy));
    let (dtype_a, dtype_b) = (a.dtype("a", &policy)?, b.dtype("b", &policy)?);
    let named = out_dtype.map(|named| dtypes::named("out_dtype", named, &policy)).transpose()?;
    let out = named.map_or_else(|| result_dtype(op, dtype_a, dtype_b), Ok)?;
    a.check_shape("a")?;
    b.check_shape("b")?;
    let mut room = [0; MOST_AXES];
    let (shape, total) = array::broadcast(&a, &b, &mut room)?;
    let (generation, _) = self::target(target)?;
    let key = Key { op, dtypes: [dtype_a, dtype_b, out], generation, engine: Engine::Any, policy };
    let twin = arrays::exact_twin(op, key.dtypes);
    let mask = match twin {
        None => vec![0; total],
        Some(twin) => mask(py, &key, twin, shape, [&a, &b], total)?,
    };
    array::filled(py, PyArrayDescr::new(py, "bool")?, shape, &mask)
}

fn mask(
    py: Python<'_>,
    key: &Key,
    twin: AluOp,
    shape: &[usize],
    [a, b]: [&Array<'_, '_>; 2],
    total: usize,
) -> PyResult<Vec<u8>> {
    let [size_a, size_b, size] = key.dtypes.map(|dtype| dtype.bytes() as usize);
    let (mut steps_a, mut steps_b) = ([0; MOST_AXES], [0; MOST_AXES]);
    // SAFETY: the caller holds the arrays; that no other thread writes them is asked of the user, as NumPy asks it.
    let views = unsafe { [a.view(shape, size_a, &mut steps_a), b.view(shape, size_b, &mut steps_b)] };
    let result = |op: AluOp| {
        let lane = Lane::new(op, key.dtypes[0], key.dtypes[1], key.dtypes[2]);
        let direct = vq7::fast::Direct::new(fast()?, lane, &key.policy).ok();
        exact(py, key, &Known::of_twin(op, direct), shape, views, total * size)
    };
    let (base, exact) = (result(key.op)?, result(twin)?);
    let pairs = base.chunks_exact(size).zip(exact.chunks_exact(size));
    Ok(pairs.map(|(one, other)| u8::from(one != other)).collect())
}
