//! NumPy arrays, read and written where they lie.

use crate::dtypes::kind_of;
use crate::errors::{type_error, value_error};
use numpy::npyffi::{self, NpyTypes, PY_ARRAY_API, PyArrayObject};
use numpy::{PyArrayDescr, PyUntypedArray};
use pyo3::ffi::PyObject;
use pyo3::prelude::*;
use std::mem::MaybeUninit;
use vq7::fast::View;
use vq7::isa::Dtype;
use vq7::policy::Policy;

/// Most axes of an array.
pub(crate) const MOST_AXES: usize = 64;

const C_CONTIGUOUS: i32 = 0x0001;
const WRITEABLE: i32 = 0x0400;

/// An array whose fields were read once.
#[derive(Debug)]
pub(crate) struct Array<'a, 'py> {
    /// The array itself.
    pub object: &'a Bound<'py, PyAny>,
    data: *mut u8,
    shape: &'a [isize],
    strides: &'a [isize],
    type_num: i32,
    flags: i32,
}

impl<'a, 'py> Array<'a, 'py> {
    /// The array, if it is one of NumPy's own class.
    pub fn of(object: &'a Bound<'py, PyAny>) -> Option<Self> {
        let py = object.py();
        // SAFETY: the object is alive; the check compares its class.
        if unsafe { npyffi::PyArray_CheckExact(py, object.as_ptr()) } == 0 {
            return None;
        }
        // SAFETY: it is an array, whose fields stay as they are while the interpreter is attached and nobody reshapes it in
        // place; shape and strides have `nd` entries, and neither pointer is used when there are none.
        unsafe {
            let fields = &(*object.as_ptr().cast::<PyArrayObject>()).fields;
            let axes = usize::try_from(fields.nd).unwrap_or(0);
            let list = |first: *mut isize| match axes {
                0 => &[][..],
                _ => std::slice::from_raw_parts(first.cast_const(), axes),
            };
            Some(Self {
                object,
                data: fields.data.cast(),
                shape: list(fields.dimensions),
                strides: list(fields.strides),
                type_num: (*fields.descr).fields.type_num,
                flags: fields.flags,
            })
        }
    }

    /// The dtype, by NumPy.
    pub fn descr(&self) -> PyResult<Bound<'py, PyArrayDescr>> {
        Ok(self.object.getattr("dtype")?.cast_into::<PyArrayDescr>()?)
    }

    /// Extents, the outermost first.
    pub fn shape(&self) -> Vec<usize> {
        self.shape.iter().map(|&extent| extent.unsigned_abs()).collect()
    }

    /// The dtype, for the engine.
    ///
    /// # Errors
    /// When the engine has no such dtype, or the bytes are swapped.
    pub fn dtype(&self, what: &str, policy: &Policy) -> PyResult<Dtype> {
        // SAFETY: the object is an array, alive, with a descriptor.
        let byteorder = unsafe { (*(*self.object.as_ptr().cast::<PyArrayObject>()).fields.descr).fields.byteorder };
        if byteorder as u8 == b'>' {
            return Err(type_error(format_args!(
                "{what} is big-endian ({}); convert it with {what}.astype({what}.dtype.newbyteorder(\"=\"))",
                self.descr()?.str()?
            )));
        }
        kind_of(self.type_num, || self.descr())?.under(policy, what, || self.descr())
    }

    /// Refuses what no word holds: nothing, and a single element without axes.
    ///
    /// # Errors
    /// Says what to do.
    pub fn check_shape(&self, what: &str) -> PyResult<()> {
        if self.shape.is_empty() {
            return Err(value_error(format_args!(
                "{what} is 0-d: words have axes; reshape it with {what}.reshape(1), which broadcasts"
            )));
        }
        if self.shape.contains(&0) {
            return Err(value_error(format_args!(
                "{what} of shape {:?} has no elements, and a word's counts are at least 1; leave the call out",
                self.shape
            )));
        }
        Ok(())
    }

    /// The memory that the elements lie in, and the byte offset of the first one in it.
    fn span(&self, size: usize) -> (*const u8, usize, usize) {
        let (mut low, mut high) = (0isize, size as isize);
        for (&extent, &stride) in self.shape.iter().zip(self.strides) {
            let reach = extent.saturating_sub(1).saturating_mul(stride);
            if reach < 0 { low += reach } else { high += reach }
        }
        (self.data.wrapping_offset(low), low.unsigned_abs(), (high - low).unsigned_abs())
    }

    /// The array as a source of a result with these axes; `steps` holds room for them.
    ///
    /// # Safety
    /// The array outlives the view, and nobody writes its elements while the view is used.
    pub unsafe fn view<'v>(&self, shape: &[usize], size: usize, steps: &'v mut [isize; MOST_AXES]) -> View<'v> {
        let missing = shape.len().saturating_sub(self.shape.len());
        for (axis, step) in steps.iter_mut().take(shape.len()).enumerate() {
            let own = axis.checked_sub(missing);
            let extent = own.and_then(|own| self.shape.get(own)).copied().unwrap_or(1);
            let stride = own.and_then(|own| self.strides.get(own)).copied().unwrap_or(0);
            *step = if extent == 1 { 0 } else { stride };
        }
        let (first, start, length) = self.span(size);
        // SAFETY: NumPy keeps all elements of an array within one allocation, from the lowest to the end of the highest.
        let bytes = unsafe { std::slice::from_raw_parts(first, length) };
        View { bytes, start, steps: steps.get(..shape.len()).unwrap_or(&[]) }
    }

    /// Whether the arrays may share bytes.
    pub fn may_share(&self, size: usize, other: &Array<'_, '_>, other_size: usize) -> bool {
        let ((first, _, length), (other_first, _, other_length)) = (self.span(size), other.span(other_size));
        let (first, other_first) = (first as usize, other_first as usize);
        first < other_first.saturating_add(other_length) && other_first < first.saturating_add(length)
    }

    /// Refuses an `out` that cannot be written as it is.
    ///
    /// # Errors
    /// Says what to do.
    pub fn check_out(&self, shape: &[usize]) -> PyResult<()> {
        let same = self.shape.len() == shape.len()
            && self.shape.iter().zip(shape).all(|(&extent, &wanted)| extent.unsigned_abs() == wanted);
        if !same {
            return Err(value_error(format_args!(
                "out has shape {:?}, and the result has {shape:?}; give an array of that shape, or leave out away",
                self.shape
            )));
        }
        if self.flags & WRITEABLE == 0 {
            return Err(value_error("out is read-only; give an array that can be written, or leave out away"));
        }
        if self.flags & C_CONTIGUOUS == 0 {
            return Err(value_error(
                "out is not C-contiguous; give np.empty(shape, dtype), and copy from it: view[...] = out",
            ));
        }
        Ok(())
    }

    /// The bytes of an array that [`Array::check_out`] took, to be written.
    ///
    /// # Safety
    /// `length` is the size of its elements, the array outlives the slice, and nobody else touches them meanwhile.
    pub unsafe fn bytes_mut<'v>(&self, length: usize) -> &'v mut [MaybeUninit<u8>] {
        // SAFETY: a C-contiguous array has its elements one after the other from `data` on.
        unsafe { std::slice::from_raw_parts_mut(self.data.cast(), length) }
    }

    /// The elements in C order, copied where they do not lie so.
    pub fn packed(&self) -> PyResult<Bound<'py, PyAny>> {
        let numpy = self.object.py().import("numpy")?;
        numpy.getattr("ascontiguousarray")?.call1((self.object,))
    }

    /// The bytes of an array in C order.
    ///
    /// # Safety
    /// As [`Array::view`]; the array is C-contiguous.
    pub unsafe fn bytes<'v>(&self, length: usize) -> &'v [u8] {
        // SAFETY: a C-contiguous array has its elements one after the other from `data` on.
        unsafe { std::slice::from_raw_parts(self.data.cast_const(), length) }
    }
}

/// The shape that two arrays broadcast to, in `room`.
///
/// # Errors
/// When they do not, or the result is too large.
pub(crate) fn broadcast<'v>(
    a: &Array<'_, '_>,
    b: &Array<'_, '_>,
    room: &'v mut [usize; MOST_AXES],
) -> PyResult<(&'v [usize], usize)> {
    let rank = a.shape.len().max(b.shape.len());
    let extent = |array: &Array<'_, '_>, axis: usize| {
        let missing = rank - array.shape.len();
        axis.checked_sub(missing).and_then(|axis| array.shape.get(axis)).map_or(1, |extent| extent.unsigned_abs())
    };
    let shape = room.get_mut(..rank).ok_or_else(|| value_error("an array of so many axes"))?;
    let mut total = Some(1usize);
    for (axis, slot) in shape.iter_mut().enumerate() {
        *slot = match (extent(a, axis), extent(b, axis)) {
            (x, y) if x == y || y == 1 => x,
            (1, y) => y,
            _ => {
                return Err(value_error(format_args!(
                    "shapes {:?} and {:?} do not broadcast: counted from the last axis, extents must be equal, or one of \
                     them 1; reshape one of the arrays",
                    a.shape, b.shape
                )));
            }
        };
        total = total.and_then(|total| total.checked_mul(*slot));
    }
    let fits = |total: &usize| total.checked_mul(8).is_some_and(|bytes| isize::try_from(bytes).is_ok());
    match total.filter(fits) {
        Some(total) => Ok((shape, total)),
        None => Err(value_error(format_args!("the result of shape {shape:?} is larger than memory can be"))),
    }
}

/// A new array, in C order, whose elements nobody has written.
///
/// # Errors
/// When there is no memory.
pub(crate) fn empty<'py>(
    py: Python<'py>,
    descr: Bound<'py, PyArrayDescr>,
    shape: &[usize],
) -> PyResult<Bound<'py, PyAny>> {
    let mut extents = [0isize; MOST_AXES];
    for (extent, &wanted) in extents.iter_mut().zip(shape) {
        *extent = isize::try_from(wanted).map_err(value_error)?;
    }
    // SAFETY: the descriptor's reference is handed over; the extents outlive the call, and there are at most as many as
    // axes; the answer is a new array, or null with an exception set.
    unsafe {
        let array = PY_ARRAY_API.PyArray_NewFromDescr(
            py,
            npyffi::get_type_object(py, NpyTypes::PyArray_Type),
            descr.into_ptr().cast(),
            shape.len() as i32,
            extents.as_mut_ptr(),
            std::ptr::null_mut(),
            std::ptr::null_mut(),
            0,
            std::ptr::null_mut::<PyObject>(),
        );
        Bound::from_owned_ptr_or_err(py, array)
    }
}

/// A new array with these bytes.
///
/// # Errors
/// When there is no memory, or they are not as many as the elements have.
pub(crate) fn filled<'py>(
    py: Python<'py>,
    descr: Bound<'py, PyArrayDescr>,
    shape: &[usize],
    bytes: &[u8],
) -> PyResult<Bound<'py, PyAny>> {
    let array = empty(py, descr, shape)?;
    put(&array, bytes)?;
    Ok(array)
}

/// Writes bytes over a C-contiguous array's.
///
/// # Errors
/// When they are not as many as the array has.
pub(crate) fn put(array: &Bound<'_, PyAny>, bytes: &[u8]) -> PyResult<()> {
    let fields = Array::of(array).ok_or_else(|| type_error("no array of NumPy"))?;
    if array.getattr("nbytes")?.extract::<usize>()? != bytes.len() {
        return Err(value_error("an array with another number of bytes"));
    }
    // SAFETY: the array has so many bytes in C order, nobody else has it or writes it while the interpreter is attached.
    let slots = unsafe { fields.bytes_mut(bytes.len()) };
    for (slot, &byte) in slots.iter_mut().zip(bytes) {
        slot.write(byte);
    }
    Ok(())
}

/// Any array of NumPy's, or what NumPy makes of the argument.
pub(crate) fn as_array<'py>(argument: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    if argument.is_exact_instance_of::<PyUntypedArray>() {
        return Ok(argument.clone());
    }
    argument.py().import("vq7._foreign")?.getattr("as_array")?.call1((argument,))
}
