//! Words, arrays and outputs on disk.
//!
//! | module | owns |
//! |---|---|
//! | [`words`] | words from the command line, files, standard input |
//! | [`npy`], `npy_header` | the `.npy` format; no I/O |
//! | [`dtype`] | which dtype of the engine a file's elements are |
//! | [`mod@array`] | arrays by path and member |
//! | [`coefficients`] | batch-norm coefficients |
//! | [`output`] | files that are written whole or not at all |

pub mod array;
pub mod coefficients;
pub mod dtype;
pub mod npy;
mod npy_header;
pub mod output;
pub mod words;
