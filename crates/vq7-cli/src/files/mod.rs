//! Words, arrays and outputs on disk.

pub mod words;
