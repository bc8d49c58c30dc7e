//! `vq7.StateBuffer`: the memories of a generation, with views that share their bytes.

use crate::array::{Array, as_array};
use crate::dtypes;
use crate::errors::{type_error, value_error};
use crate::settings::target;
use numpy::npyffi::{self, NpyTypes, PY_ARRAY_API};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{PySlice, PyTuple};
use vq7::engine::StateBuffer;
use vq7::isa::Dtype;
use vq7::isa::address::Memory;
use vq7::isa::generation::PARTITIONS;
use vq7::policy::Policy;

/// SBUF and PSUM of one generation.
#[pyclass(name = "StateBuffer", module = "vq7")]
#[derive(Debug)]
pub(crate) struct PyStateBuffer {
    /// Its rows stay where they are for as long as it lives: views lead into them. Nothing here clears it.
    pub memory: StateBuffer,
}

fn memory_of(name: &str) -> PyResult<Memory> {
    match name {
        "sbuf" => Ok(Memory::Sbuf),
        "psum" => Ok(Memory::Psum),
        _ => Err(value_error(format_args!("memory=`{name}`: use sbuf or psum"))),
    }
}

#[pymethods]
impl PyStateBuffer {
    #[new]
    #[pyo3(signature = (target = None))]
    fn new(target: Option<&str>) -> PyResult<Self> {
        let (generation, _) = self::target(target)?;
        Ok(Self { memory: StateBuffer::new(generation) })
    }

    /// The target whose memories these are.
    #[getter]
    fn target(&self) -> &'static str {
        self.memory.generation().target()
    }

    /// Partitions of a memory: 128.
    #[getter]
    const fn partitions(&self) -> u32 {
        PARTITIONS
    }

    /// Active bytes of a partition of SBUF.
    #[getter]
    fn bytes_per_partition(&self) -> u32 {
        self.memory.active_bytes(Memory::Sbuf)
    }

    /// A view of one partition's bytes as elements of a dtype, from byte `offset` on.
    ///
    /// It shares the memory: what words write is seen. A view that is `writable` counts as written as a whole; `write`
    /// is for single pieces.
    #[pyo3(signature = (partition, dtype = None, *, offset = 0, count = None, memory = "sbuf", writable = false))]
    fn view<'py>(
        slf: &Bound<'py, Self>,
        partition: u32,
        dtype: Option<&Bound<'py, PyAny>>,
        offset: u32,
        count: Option<usize>,
        memory: &str,
        writable: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let (memory, policy) = (memory_of(memory)?, Policy::default());
        let dtype = dtype.map_or(Ok(Dtype::Uint8), |dtype| dtypes::named("dtype", dtype, &policy))?;
        let size = dtype.bytes() as usize;
        let mut this = slf.try_borrow_mut()?;
        let active = this.memory.active_bytes(memory);
        let room = (active as usize).saturating_sub(offset as usize) / size;
        let count = count.unwrap_or(room);
        // Says which partition or byte is wrong.
        this.memory
            .read_into(memory, partition, offset, &mut vec![0; if count > room { active as usize + 1 } else { 0 }])
            .map_err(|error| PyIndexError::new_err(error.to_string()))?;
        let descr = dtypes::descr_of(py, dtype, &policy)?;
        let row = this.memory.row_mut(memory, partition).ok_or_else(|| PyIndexError::new_err("no such partition"))?;
        if writable {
            row.written.insert(offset, offset + (count * size) as u32);
        }
        let data = row.bytes_mut().get_mut(offset as usize..).map(|bytes| bytes.as_mut_ptr());
        let data = data.ok_or_else(|| PyIndexError::new_err("offset past the end of the partition"))?;
        let aligned = (data as usize).is_multiple_of(size);
        let flags = 0x0001 | if aligned { 0x0100 } else { 0 } | if writable { 0x0400 } else { 0 };
        let mut extent = [count as isize];
        // SAFETY: `count` elements from `data` on lie within the row, whose bytes stay where they are while the State Buffer
        // lives, and the view holds a reference to it. The descriptor's reference and that of the base are handed over.
        unsafe {
            let array = PY_ARRAY_API.PyArray_NewFromDescr(
                py,
                npyffi::get_type_object(py, NpyTypes::PyArray_Type),
                descr.into_ptr().cast(),
                1,
                extent.as_mut_ptr(),
                std::ptr::null_mut(),
                data.cast(),
                flags,
                std::ptr::null_mut(),
            );
            let array = Bound::from_owned_ptr_or_err(py, array)?;
            if PY_ARRAY_API.PyArray_SetBaseObject(py, array.as_ptr().cast(), slf.clone().into_ptr()) != 0 {
                return Err(PyErr::fetch(py));
            }
            Ok(array)
        }
    }

    /// Writes an array's elements, in C order, into one partition from byte `offset` on.
    #[pyo3(signature = (partition, data, *, offset = 0, memory = "sbuf"))]
    fn write(&mut self, partition: u32, data: &Bound<'_, PyAny>, offset: u32, memory: &str) -> PyResult<()> {
        let data = as_array(data)?;
        let fields = Array::of(&data).ok_or_else(|| type_error("data is no array"))?;
        fields.dtype("data", &Policy::default())?;
        let packed = fields.packed()?;
        let bytes: Vec<u8> = packed.call_method0("tobytes")?.extract()?;
        let written = self.memory.write(memory_of(memory)?, partition, offset, &bytes);
        written.map_err(|error| PyIndexError::new_err(error.to_string()))
    }

    /// Whether every one of `count` bytes from `offset` on was written.
    #[pyo3(signature = (partition, *, offset = 0, count = 1, memory = "sbuf"))]
    fn is_written(&self, partition: u32, offset: u32, count: u32, memory: &str) -> PyResult<bool> {
        Ok(self.memory.is_written(memory_of(memory)?, partition, offset, count))
    }

    /// The bytes of a partition of SBUF, to be read.
    fn __getitem__<'py>(slf: &Bound<'py, Self>, partition: u32) -> PyResult<Bound<'py, PyAny>> {
        Self::view(slf, partition, None, 0, None, "sbuf", false)
    }

    /// Writes into a partition of SBUF: `state[3] = array` from its start on, `state[3, 0x100] = array` from a byte on.
    fn __setitem__(&mut self, place: &Bound<'_, PyAny>, data: &Bound<'_, PyAny>) -> PyResult<()> {
        let Ok(pair) = place.cast::<PyTuple>() else { return self.write(place.extract()?, data, 0, "sbuf") };
        let (partition, from): (u32, Bound<'_, PyAny>) = pair.extract()?;
        let Ok(slice) = from.cast::<PySlice>() else { return self.write(partition, data, from.extract()?, "sbuf") };
        let range = slice.indices(self.bytes_per_partition() as isize)?;
        let length: isize = as_array(data)?.getattr("nbytes")?.extract()?;
        if range.step != 1 || range.slicelength as isize != length {
            return Err(value_error(format_args!(
                "the data has {length} bytes, and the place {}: write state[partition, first_byte] = data",
                range.slicelength
            )));
        }
        self.write(partition, data, range.start as u32, "sbuf")
    }

    fn __len__(&self) -> usize {
        PARTITIONS as usize
    }

    fn __repr__(&self) -> String {
        let touched = |memory| (0..PARTITIONS).filter(|&row| self.memory.row(memory, row).is_some()).count();
        format!(
            "<StateBuffer {}: 128 partitions of {:#x} bytes, {} touched>",
            self.memory.generation().target(),
            self.bytes_per_partition(),
            touched(Memory::Sbuf)
        )
    }
}
