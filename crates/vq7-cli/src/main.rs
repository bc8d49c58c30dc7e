//! The binary `vq7`.

use std::process::ExitCode;

fn main() -> ExitCode {
    vq7_cli::main()
}
