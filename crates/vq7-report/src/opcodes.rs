//! `opcodes`: every opcode of a target.

use crate::look::{Draw, Look, put_table};
use crate::ops::targets;
use crate::setting::Setting;
use serde::Serialize;
use std::fmt;
use vq7_isa::Instruction;
use vq7_isa::Word;
use vq7_isa::inst::{EXTENDED_OPCODE_OFFSET, ExtendedTta, Layout};
use vq7_isa::opcode::{EXTENDED_INST, OPCODES, Opcode};

/// One opcode.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OpcodeRow {
    /// Byte 0.
    pub code: u8,
    /// The header's name.
    pub name: &'static str,
    /// Whether the header marks it as maintained.
    pub maintained: bool,
    /// The wire struct, where a source names it.
    pub wire_struct: Option<&'static str>,
    /// Where it runs.
    pub engine: &'static str,
    /// Whether the host must lower it before a device sees it.
    pub pseudo: bool,
    /// Whether vq7 models its struct, so that it can be judged and run.
    pub modelled: bool,
    /// Whether its fields are known, so that it reads by them.
    pub typed: bool,
    /// Targets whose enum has the value.
    pub targets: Vec<&'static str>,
    /// Whether the setting's target is one of them.
    pub in_target: bool,
}

/// The table of opcodes.
#[derive(Clone, Debug, Serialize)]
pub struct Opcodes {
    /// The target that the text lists.
    #[serde(flatten)]
    pub setting: Setting,
    /// Every opcode of any target, in the order of the codes.
    pub opcodes: Vec<OpcodeRow>,
}

impl Opcodes {
    /// The table.
    pub fn new(setting: Setting) -> Self {
        Self { setting, opcodes: OPCODES.iter().map(|row| OpcodeRow::new(row, &setting)).collect() }
    }
}

impl OpcodeRow {
    fn new(row: &Opcode, setting: &Setting) -> Self {
        let mut word = Word([0; 64]);
        word.0[0] = row.code;
        if row.code == EXTENDED_INST {
            word.0[EXTENDED_OPCODE_OFFSET] = ExtendedTta::EXTENDED_OPCODE;
        }
        Self {
            code: row.code,
            name: row.name,
            maintained: row.maintained,
            wire_struct: row.wire_struct,
            engine: row.engine,
            pseudo: row.is_pseudo(),
            modelled: Instruction::decode(&word).is_modelled(),
            typed: Instruction::decode(&word).is_modelled() || Layout::of(&word).is_some(),
            targets: targets(|generation| row.generations.contains(generation)),
            in_target: Opcode::is_valid(row.code, setting.generation),
        }
    }
}

impl Draw for Opcodes {
    fn draw(&self, look: &Look, out: &mut dyn fmt::Write) -> fmt::Result {
        self.setting.draw(look, out)?;
        let mut table = look.table(&["code", "name", "engine", "struct", "state", "vq7", "targets"]);
        let listed = self.opcodes.iter().filter(|row| row.in_target);
        for row in listed.clone() {
            table.add_row([
                format!("{:#04x}", row.code),
                row.name.to_owned(),
                row.engine.to_owned(),
                row.wire_struct.unwrap_or("").to_owned(),
                if row.maintained { "maintained" } else { "dormant" }.to_owned(),
                match (row.modelled, row.typed) {
                    (true, _) => "judged and run",
                    (false, true) => "read by fields",
                    (false, false) => "shown raw",
                }
                .to_owned(),
                row.targets.join(" "),
            ]);
        }
        put_table(&table, out)?;
        let target = self.setting.generation;
        writeln!(
            out,
            "{} opcodes of {target}; of 0xf0 vq7 judges and runs extended opcode 2, and reads the prefix of the others",
            listed.count()
        )
    }
}
