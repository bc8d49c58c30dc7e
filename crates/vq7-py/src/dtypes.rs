//! NumPy's and ml_dtypes' dtypes, and the engine's.

use crate::errors::{type_error, value_error};
use crate::settings::PyPolicy;
use numpy::npyffi::PY_ARRAY_API;
use numpy::{PyArrayDescr, PyArrayDescrMethods};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyString;
use std::hash::{Hash, Hasher};
use std::sync::{Mutex, PoisonError};
use vq7::isa::Dtype;
use vq7::policy::{E4m3, Policy};

/// What an array's dtype is to the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// One of its dtypes.
    Is(Dtype),
    /// OCP e4m3fn, which dtype code 0x0E is only under a policy.
    E4m3Fn,
    /// Nothing.
    None,
}

impl Kind {
    /// The dtype under a policy.
    ///
    /// # Errors
    /// Says what to convert to, or which policy to ask for.
    pub fn under<'py>(
        self,
        policy: &Policy,
        what: &str,
        descr: impl FnOnce() -> PyResult<Bound<'py, PyArrayDescr>>,
    ) -> PyResult<Dtype> {
        match (self, policy.e4m3) {
            (Self::Is(Dtype::Fp8Exp4), E4m3::Fn) => Err(type_error(format_args!(
                "{what} is float8_e4m3, but the policy says that dtype code FP8_EXP4 is e4m3fn: give float8_e4m3fn, or \
                 leave e4m3=\"fn\" out of the policy"
            ))),
            (Self::Is(dtype), _) => Ok(dtype),
            (Self::E4m3Fn, E4m3::Fn) => Ok(Dtype::Fp8Exp4),
            (Self::E4m3Fn, E4m3::Ieee) => Err(type_error(format_args!(
                "{what} is float8_e4m3fn, and dtype code FP8_EXP4 is IEEE-like e4m3 here (largest finite 240): give \
                 policy=vq7.Policy(e4m3=\"fn\"), or convert to ml_dtypes.float8_e4m3"
            ))),
            (Self::None, _) => Err(refused(what, &descr()?)),
        }
    }
}

/// Why the engine does not take a dtype, with what to do.
fn refused(what: &str, descr: &Bound<'_, PyArrayDescr>) -> PyErr {
    let name = descr.str().map_or_else(|_| "?".to_owned(), |name| name.to_string());
    let remedy = match descr.kind() {
        b'f' => "convert it with .astype(np.float32), which rounds",
        b'c' => "split it into .real and .imag, each as float32",
        b'O' => "convert it to a dtype of numbers, such as .astype(np.int32)",
        b'S' | b'U' | b'T' => "strings are no numbers: convert them, such as .astype(np.int32)",
        b'm' | b'M' => "view the ticks as integers: .view(np.int64)",
        b'V' => {
            "raw bytes and records have no dtype of the engine: view them as what they are, such as .view(ml_dtypes.bfloat16)"
        }
        _ => "convert it to an integer dtype, float32, float16, or a dtype of ml_dtypes",
    };
    type_error(format_args!("the engine has no dtype {name}, which {what} is; {remedy}"))
}

/// What NumPy's own type numbers are, on this platform.
fn built_in(num: i32) -> Option<Kind> {
    let int = |signed: bool, bytes: usize| {
        Kind::Is(match (signed, bytes) {
            (true, 1) => Dtype::Int8,
            (true, 2) => Dtype::Int16,
            (true, 4) => Dtype::Int32,
            (true, _) => Dtype::Int64,
            (false, 1) => Dtype::Uint8,
            (false, 2) => Dtype::Uint16,
            (false, 4) => Dtype::Uint32,
            (false, _) => Dtype::Uint64,
        })
    };
    Some(match num {
        // bool is uint8.
        0 | 2 => int(false, 1),
        1 => int(true, 1),
        3 => int(true, 2),
        4 => int(false, 2),
        5 => int(true, 4),
        6 => int(false, 4),
        7 => int(true, size_of::<std::ffi::c_long>()),
        8 => int(false, size_of::<std::ffi::c_long>()),
        9 => int(true, 8),
        10 => int(false, 8),
        11 => Kind::Is(Dtype::Fp32),
        23 => Kind::Is(Dtype::Fp16),
        12..256 => Kind::None,
        _ => return None,
    })
}

/// The number by which NumPy knows a dtype of the engine; `None` for those of ml_dtypes.
fn built_in_number(dtype: Dtype) -> Option<i32> {
    Some(match dtype {
        Dtype::Int8 => 1,
        Dtype::Uint8 => 2,
        Dtype::Int16 => 3,
        Dtype::Uint16 => 4,
        Dtype::Int32 => 5,
        Dtype::Uint32 => 6,
        Dtype::Int64 if size_of::<std::ffi::c_long>() == 8 => 7,
        Dtype::Uint64 if size_of::<std::ffi::c_long>() == 8 => 8,
        Dtype::Int64 => 9,
        Dtype::Uint64 => 10,
        Dtype::Fp16 => 23,
        Dtype::Fp32 | Dtype::Fp32r => 11,
        _ => return None,
    })
}

/// Numbers that other packages' dtypes were registered under, with what they are.
static REGISTERED: Mutex<Vec<(i32, Kind)>> = Mutex::new(Vec::new());

/// What a dtype is, by its number.
pub(crate) fn kind_of<'py>(num: i32, descr: impl FnOnce() -> PyResult<Bound<'py, PyArrayDescr>>) -> PyResult<Kind> {
    if let Some(kind) = built_in(num) {
        return Ok(kind);
    }
    let mut known = REGISTERED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, kind)) = known.iter().find(|(known, _)| *known == num) {
        return Ok(*kind);
    }
    let name = descr()?.getattr("name").and_then(|name| name.extract::<String>());
    let kind = match name.as_deref() {
        Ok("bfloat16") => Kind::Is(Dtype::Bfloat16),
        Ok("float8_e3m4") => Kind::Is(Dtype::Fp8Exp3),
        Ok("float8_e4m3") => Kind::Is(Dtype::Fp8Exp4),
        Ok("float8_e4m3fn") => Kind::E4m3Fn,
        Ok("float8_e5m2") => Kind::Is(Dtype::Fp8Exp5),
        _ => Kind::None,
    };
    known.push((num, kind));
    Ok(kind)
}

/// NumPy's dtype for a dtype of the engine.
///
/// # Errors
/// When it is one of ml_dtypes, which is not there.
pub(crate) fn descr_of<'py>(py: Python<'py>, dtype: Dtype, policy: &Policy) -> PyResult<Bound<'py, PyArrayDescr>> {
    if let Some(num) = built_in_number(dtype) {
        // SAFETY: the number is one of NumPy's own; the answer is a new reference, or null with an exception set.
        let descr = unsafe {
            let descr = PY_ARRAY_API.PyArray_DescrFromType(py, num);
            Bound::from_owned_ptr_or_err(py, descr.cast())?
        };
        return Ok(descr.cast_into::<PyArrayDescr>()?);
    }
    static MADE: [PyOnceLock<Py<PyArrayDescr>>; 5] = [const { PyOnceLock::new() }; 5];
    let (slot, name) = match (dtype, policy.e4m3) {
        (Dtype::Bfloat16, _) => (0, "bfloat16"),
        (Dtype::Fp8Exp3, _) => (1, "float8_e3m4"),
        (Dtype::Fp8Exp4, E4m3::Ieee) => (2, "float8_e4m3"),
        (Dtype::Fp8Exp4, E4m3::Fn) => (3, "float8_e4m3fn"),
        (Dtype::Fp8Exp5, _) => (4, "float8_e5m2"),
        _ => return Err(type_error(format_args!("{dtype} is no dtype of an array"))),
    };
    let make = || {
        let module = py.import("ml_dtypes").map_err(|_| {
            type_error(format_args!("arrays of {name} need the package ml_dtypes: pip install ml_dtypes"))
        })?;
        let class = module
            .getattr(name)
            .map_err(|_| type_error(format_args!("this ml_dtypes has no {name}: pip install --upgrade ml_dtypes")))?;
        PyArrayDescr::new(py, class).map(Bound::unbind)
    };
    MADE[slot].get_or_try_init(py, make).map(|descr| descr.bind(py).clone())
}

/// The dtype that an argument names: a name, a `vq7.dtype`, or anything that NumPy takes for a dtype.
///
/// # Errors
/// When it is none of the engine's under the policy.
pub(crate) fn named(what: &str, argument: &Bound<'_, PyAny>, policy: &Policy) -> PyResult<Dtype> {
    if let Ok(dtype) = argument.cast::<PyDtype>() {
        return Ok(dtype.get().0);
    }
    if let Ok(name) = argument.cast::<PyString>() {
        let name = name.to_str()?;
        // The host dtypes among the names are refused as TypeError, like arrays of them.
        return match Dtype::parse(name, policy) {
            Ok(dtype) => Ok(dtype),
            Err(_) if name == "bool" => Ok(Dtype::Uint8),
            Err(error @ vq7::isa::dtype::UnknownDtype::Name(_)) => Err(value_error(format_args!("{what}: {error}"))),
            Err(vq7::isa::dtype::UnknownDtype::E4m3fn) => {
                Kind::E4m3Fn.under(policy, what, || PyArrayDescr::new(argument.py(), "uint8"))
            }
            Err(error) => Err(type_error(format_args!("{what}: {error}"))),
        };
    }
    let descr = PyArrayDescr::new(argument.py(), argument.clone())
        .map_err(|_| type_error(format_args!("{what} is no dtype: give a name, a NumPy dtype, or a vq7.dtype")))?;
    kind_of(descr.num(), || Ok(descr.clone()))?.under(policy, what, || Ok(descr.clone()))
}

/// A dtype of the engine.
#[pyclass(frozen, name = "dtype", module = "vq7")]
#[derive(Clone, Debug)]
pub(crate) struct PyDtype(pub Dtype, Policy);

#[pymethods]
impl PyDtype {
    #[new]
    #[pyo3(signature = (name, *, policy = None))]
    fn new(name: &Bound<'_, PyAny>, policy: Option<&Bound<'_, PyPolicy>>) -> PyResult<Self> {
        let policy = policy.map(|policy| policy.get().0).unwrap_or_default();
        named("dtype", name, &policy).map(|dtype| Self(dtype, policy))
    }

    /// The canonical name.
    #[getter]
    fn name(&self) -> &'static str {
        self.0.name()
    }

    /// The code in an instruction word.
    #[getter]
    fn code(&self) -> u8 {
        self.0.code()
    }

    /// Bits of an element.
    #[getter]
    fn bits(&self) -> u32 {
        self.0.bits()
    }

    /// Bytes of an element.
    #[getter]
    fn itemsize(&self) -> u32 {
        self.0.bytes()
    }

    /// The NumPy dtype of arrays of it; float32r lies in float32.
    #[getter]
    fn numpy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDescr>> {
        descr_of(py, self.0, &self.1)
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        match other.cast::<Self>() {
            Ok(other) => other.get().0 == self.0,
            Err(_) => named("dtype", other, &self.1).is_ok_and(|dtype| dtype == self.0),
        }
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = std::hash::DefaultHasher::new();
        self.0.code().hash(&mut hasher);
        hasher.finish()
    }

    fn __str__(&self) -> &'static str {
        self.0.name()
    }

    fn __repr__(&self) -> String {
        format!("vq7.dtype('{}')", self.0.name())
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyAny>, (&'static str,)) {
        (slf.get_type().into_any(), (slf.get().0.name(),))
    }
}
