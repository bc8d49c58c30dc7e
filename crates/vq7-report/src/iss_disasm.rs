//! `iss disasm`: bundles as text, as far as their encoding is known.

use crate::look::{Draw, Look};
use crate::problem::Failure;
use serde::Serialize;
use std::fmt;
use vq7_iss::bitmap;
use vq7_iss::encoding::{self, Content, Decoded, Trust};

/// A slot of a bundle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SlotRow {
    /// Its number.
    pub slot: usize,
    /// `op`, `nop` or `unknown`.
    pub kind: &'static str,
    /// The op's text; nothing where it is unknown.
    pub text: Option<String>,
    /// The slot's word, where its bits are known and its op is not.
    pub word: Option<String>,
    /// `published` or `fitted`.
    pub trust: Option<&'static str>,
    /// The decode bit that is lit while the op is in a stage: byte of the state block, mask, and how it is known.
    pub decode_bit: Option<DecodeBit>,
}

/// A bit of the decode bitmap.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DecodeBit {
    /// Byte of the state block.
    pub byte: String,
    /// Mask in it.
    pub mask: String,
    /// `printed`, `layout` or `synthetic`.
    pub origin: &'static str,
}

/// A bundle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BundleRow {
    /// Its byte offset.
    pub offset: usize,
    /// Its bytes in the order of addresses.
    pub hex: String,
    /// Its format.
    pub format: &'static str,
    /// `N0 { s0 nop; s3 ivp_addnx16 v3, v1, v2 }`
    pub text: String,
    /// Its slots.
    pub slots: Vec<SlotRow>,
}

impl BundleRow {
    fn new(offset: usize, decoded: &Decoded) -> Self {
        let slot = |(slot, content): (usize, &Content)| {
            let mut row = SlotRow { slot, kind: "nop", text: None, word: None, trust: None, decode_bit: None };
            match content {
                Content::Op { text, op, trust } => {
                    row.kind = "op";
                    row.text = Some(text.clone());
                    row.trust = Some(trust.name());
                    row.decode_bit = op.as_ref().and_then(|op| {
                        let bit = bitmap::bit(op.mnemonic, decoded.format, slot as u8)?;
                        Some(DecodeBit {
                            byte: format!("{:#x}", bit.byte),
                            mask: format!("{:#04x}", bit.mask),
                            origin: bit.origin.name(),
                        })
                    });
                }
                Content::Nop => row.text = Some("nop".to_owned()),
                Content::Unknown(word) => {
                    row.kind = "unknown";
                    row.word = word.map(|word| format!("{word:#010x}"));
                }
            }
            row
        };
        Self {
            offset,
            hex: decoded.bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
            format: decoded.format.name,
            text: decoded.to_string(),
            slots: decoded.slots.iter().enumerate().map(slot).collect(),
        }
    }

    fn has(&self, kind: &str) -> bool {
        self.slots.iter().any(|slot| slot.kind == kind)
    }
}

/// Bundles, one after the other.
#[derive(Clone, Debug, Serialize)]
pub struct IssDisasm {
    /// The bundles up to the first byte that begins none.
    pub bundles: Vec<BundleRow>,
    /// Why the rest is no bundle.
    pub error: Option<Failure>,
}

impl IssDisasm {
    /// Reads bytes from the first to the last.
    #[must_use]
    pub fn new(bytes: &[u8]) -> Self {
        let (mut bundles, mut offset) = (Vec::new(), 0);
        let error = loop {
            let rest = bytes.get(offset..).unwrap_or_default();
            // No byte at all is a bundle cut short; no byte after a bundle is the end.
            if rest.is_empty() && offset > 0 {
                break None;
            }
            match encoding::decode(rest) {
                Ok(decoded) => {
                    bundles.push(BundleRow::new(offset, &decoded));
                    offset += decoded.bytes.len();
                }
                Err(error) => {
                    break Some(Failure { kind: "not_a_bundle", message: format!("at byte {offset:#x}: {error}") });
                }
            }
        };
        Self { bundles, error }
    }
}

impl Draw for IssDisasm {
    fn draw(&self, look: &Look, out: &mut dyn fmt::Write) -> fmt::Result {
        for bundle in &self.bundles {
            writeln!(out, "{:#06x}  {:<32}  {}", bundle.offset, bundle.hex, bundle.text)?;
        }
        if self.bundles.iter().any(|bundle| bundle.has("unknown")) {
            writeln!(out, "{}", look.dim("?: bits that no source explains (docs/spec/iss-encoding.md)"))?;
        }
        let fitted = |slot: &SlotRow| slot.trust == Some(Trust::Fitted.name());
        if self.bundles.iter().any(|bundle| bundle.slots.iter().any(fitted)) {
            writeln!(
                out,
                "{}",
                look.dim("the opcode bits of N0 and N2 are fitted to printed bundles (confidence MED)")
            )?;
        }
        Ok(())
    }
}
