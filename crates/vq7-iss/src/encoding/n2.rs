//! N2, 64 bits: a load-store slot and a load slot. Five compares of slot 0 and one store are printed; each with the nop of the other
//! slot in it (docs/spec/iss-encoding.md, "N2").

use super::bits::{Field, gather, scatter};
use super::slot_word::{argument, number};
use super::{Content, EncodeError, Trust};
use crate::bundle::{Arg, Bundle, Op};
use crate::mnemonic::{self, Mnemonic, Role};

/// The predicate that a compare writes.
const VB: Field = &[14, 15, 25, 36];
/// Its first source.
const VS: Field = &[5, 6, 7, 12, 13];
/// Its second source.
const VR: Field = &[8, 9, 10, 11, 4];
/// Data of a store.
const DATA: Field = &[12, 13, 14, 15, 25];
/// Base register of a store.
const BASE: Field = &[8, 9, 10, 11];
/// Offset of a store, in vectors.
const OFFSET: Field = &[4, 5, 6, 7];

/// A printed bundle without its operands.
struct Row {
    name: &'static str,
    bundle: u64,
    fields: &'static [Field],
    trust: Trust,
}

const COMPARE: &[Field] = &[VB, VS, VR];

/// The stores' offsets are swept over all values, the compares' registers are those of one bundle each.
const ROWS: [Row; 6] = [
    Row { name: "EQNX16", bundle: 0x029c_58e4_9c04_000f, fields: COMPARE, trust: Trust::Fitted },
    Row { name: "LTNX16", bundle: 0x029c_5a46_9c04_000f, fields: COMPARE, trust: Trust::Fitted },
    Row { name: "LTUNX16", bundle: 0x029c_5a84_9c04_000f, fields: COMPARE, trust: Trust::Fitted },
    Row { name: "LENX16", bundle: 0x029c_5a02_9c04_000f, fields: COMPARE, trust: Trust::Fitted },
    Row { name: "NEQNX16", bundle: 0x029c_5ac2_9c04_000f, fields: COMPARE, trust: Trust::Fitted },
    Row { name: "SV2NX8_IP", bundle: 0x029c_5e94_9c04_000f, fields: &[DATA, BASE, OFFSET], trust: Trust::Published },
];

impl Row {
    fn operands(&self) -> u64 {
        self.fields.iter().fold(0, |mask, field| mask | scatter(u32::MAX, field))
    }

    fn mnemonic(&self) -> Option<&'static Mnemonic> {
        mnemonic::find(self.name)
    }
}

/// A constant that counts in steps and may be negative, from the bits of its field.
fn constant(role: Role, bits: u32) -> Option<Arg> {
    match role {
        Role::Immediate { bits: width, signed: true, scale } => {
            let up = 32u32.checked_sub(width.into())?;
            let value = i64::from(((bits << up) as i32) >> up);
            Some(Arg::Imm(value * i64::from(scale)))
        }
        _ => None,
    }
}

/// The bits of a constant.
fn steps(role: Role, arg: &Arg) -> Option<u32> {
    match (role, arg) {
        (Role::Immediate { bits, signed: true, scale }, Arg::Imm(value)) => {
            let steps = i32::try_from(value.checked_div(scale.into())?).ok()?;
            Some(steps as u32 & (1u32 << bits).wrapping_sub(1))
        }
        _ => number(arg),
    }
}

/// The slots of a bundle.
pub(super) fn decode(bundle: u64) -> Vec<Content> {
    let unknown = || vec![Content::Unknown(None), Content::Unknown(None)];
    let Some(row) = ROWS.iter().find(|row| bundle & !row.operands() == row.bundle & !row.operands()) else {
        return unknown();
    };
    let Some(mnemonic) = row.mnemonic() else { return unknown() };
    let args: Option<Vec<Arg>> = mnemonic
        .operands
        .iter()
        .zip(row.fields)
        .map(|(operand, field)| {
            let bits = gather(bundle, field);
            constant(operand.role, bits).or_else(|| argument(operand.bank, operand.role, bits))
        })
        .collect();
    match args.and_then(|args| Op::new(mnemonic, &args).ok()) {
        Some(op) => vec![Content::Op { text: op.to_string(), op: Some(op), trust: row.trust }, Content::Nop],
        None => unknown(),
    }
}

/// The word of a bundle: one printed op in slot 0.
pub(super) fn encode(bundle: &Bundle) -> Result<u64, EncodeError> {
    let mut word = None;
    for (slot, op) in bundle.ops().iter().filter(|(_, op)| op.mnemonic.name != "NOP") {
        let text = op.to_string();
        let unknown = EncodeError::Selector { op: text.clone(), format: "N2", slot: *slot };
        let row = ROWS.iter().find(|row| *slot == 0 && row.name == op.mnemonic.name).ok_or(unknown)?;
        let mut bits = row.bundle & !row.operands();
        for (index, ((operand, arg), field)) in op.mnemonic.operands.iter().zip(op.args()).zip(row.fields).enumerate() {
            let fits = steps(operand.role, arg).filter(|value| u64::from(*value) >> field.len() == 0);
            bits |= scatter(fits.ok_or(EncodeError::Operand { op: text.clone(), index })?, field);
        }
        word = Some(bits);
    }
    word.ok_or_else(|| EncodeError::Selector { op: "nop".to_owned(), format: "N2", slot: 0 })
}
