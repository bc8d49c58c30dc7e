//! Opcode rows of the user's own, from a TOML file.

use crate::files::words::read_input;
use crate::outcome::CallError;
use std::path::Path;
use vq7_isa::inst::UserOpcodes;

/// The option of commands that name words.
#[derive(Debug, clap::Args)]
pub struct OpcodesArg {
    /// TOML file with opcode rows of your own: opcode, spec, name, fields
    #[arg(long, value_name = "FILE")]
    opcodes: Option<String>,
}

impl OpcodesArg {
    /// Reads the file; no rows without one.
    ///
    /// # Errors
    /// When it cannot be read, or a row is wrong: with line and column.
    pub fn read(&self) -> Result<UserOpcodes, CallError> {
        let Some(name) = &self.opcodes else { return Ok(UserOpcodes::default()) };
        let path = Path::new(name);
        let text = String::from_utf8(read_input(name)?).map_err(|error| CallError::file(path, error))?;
        vq7_program::read_opcodes(&text).map_err(|finding| {
            let (line, column) = finding.line_and_column(&text);
            let help = finding.help.as_ref().map(|help| format!("; {help}")).unwrap_or_default();
            CallError::file(path, format_args!("line {line}, column {column}: {}{help}", finding.message))
        })
    }
}
