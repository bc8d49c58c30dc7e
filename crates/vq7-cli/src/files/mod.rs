//! Words, arrays and outputs on disk.
//!
//! | module | owns |
//! |---|---|
//! | [`words`] | words from the command line, files, standard input |
//! | [`npy`], `npy_header` | the `.npy` format; no I/O |
//! | [`dtype`] | which dtype of the engine a file's elements are |
//! | [`mod@array`] | arrays by path and member |
//! | [`coefficients`] | batch-norm coefficients |
//! | [`package`] | NEFF packages, and words from one |
//! | [`opcodes`] | opcode rows of the user's own |
//! | [`output`] | files that are written whole or not at all |

pub mod array;
pub mod coefficients;
pub mod dtype;
pub mod npy;
mod npy_header;
pub mod opcodes;
pub mod output;
pub mod package;
pub mod words;
