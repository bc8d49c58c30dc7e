//! What `neff extract` and `neff replace` wrote.

use crate::look::{Draw, Look};
use serde::Serialize;
use std::fmt;

/// A file that was written for a member of a package.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WrittenFile {
    /// The member.
    pub member: String,
    /// Where the file went.
    pub path: String,
    /// Its bytes.
    pub bytes: usize,
}

impl WrittenFile {
    /// A file for a member.
    pub fn new(member: &str, path: &str, bytes: usize) -> Self {
        Self { member: member.to_owned(), path: path.to_owned(), bytes }
    }
}

impl Draw for WrittenFile {
    fn draw(&self, _: &Look, out: &mut dyn fmt::Write) -> fmt::Result {
        writeln!(out, "{}: wrote {} bytes to {}", self.member, self.bytes, self.path)
    }
}
