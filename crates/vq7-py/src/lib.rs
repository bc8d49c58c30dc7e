//! The compiled part of the Python package `vq7`: NumPy arrays in and out, and the answers of `vq7-report` as JSON.
//!
//! | module | owns |
//! |---|---|
//! | `tensor_tensor` | the op on whole arrays; what is known of each kind of call |
//! | `array` | arrays where they lie: the only `unsafe` beside memory views and the executor's door |
//! | `dtypes` | NumPy's and ml_dtypes' dtypes, and the engine's |
//! | `lossy` | what float32 lost |
//! | `settings` | target, engine, executor, policy |
//! | `doors` | questions about words: JSON and text |
//! | `program`, `state` | programs; the State Buffer |
//! | `errors` | what Python raises |
//!
//! **Invariants:** nothing here says what a result is. No panic crosses into Python: what is wrong is an exception. The
//! stubs are `python/vq7/_core.pyi`.

mod array;
mod doors;
mod dtypes;
mod errors;
mod lossy;
mod program;
mod settings;
mod state;
mod tensor_tensor;

use pyo3::prelude::*;

/// The module `vq7._core`.
#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<dtypes::PyDtype>()?;
    module.add_class::<settings::PyPolicy>()?;
    module.add_class::<state::PyStateBuffer>()?;
    module.add_class::<program::PyProgram>()?;
    module.add_function(wrap_pyfunction!(tensor_tensor::tensor_tensor, module)?)?;
    module.add_function(wrap_pyfunction!(lossy::lossy, module)?)?;
    module.add_function(wrap_pyfunction!(settings::after_fork, module)?)?;
    doors::add(module)
}
