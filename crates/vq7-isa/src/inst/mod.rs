//! Typed instruction words: one file per wire struct that is judged, and one table of fields ([`LAYOUTS`]) for the text of
//! the scalar forms and of the structs that are only read. Decoding never fails and loses no bit: an illegal word is typed
//! too, and `encode(decode(word)) == word` for every word.

mod extended_tta;
pub mod field;
mod immediate;
mod layouts;
mod s2s2d2_stt;
mod s3d3_ts;
mod s3s3d3_tt;
mod s4d4_tr;
mod user;

pub use extended_tta::ExtendedTta;
pub use immediate::{ImmSrc, Immediate, Reverse};
pub use layouts::{EXIT_EXECUTION, LAYOUTS, Layout, SPEC_OFFSET, spec_name, spec_names, why_not_run};
pub use s2s2d2_stt::S2s2d2Stt;
pub use s3d3_ts::S3d3Ts;
pub use s3s3d3_tt::S3s3d3Tt;
pub use s4d4_tr::{S4d4Tr, Tensor4d};
pub use user::{UserOpcode, UserOpcodeError, UserOpcodes};

use crate::header::{Events, Header};
use crate::opcode;
use crate::word::Word;

/// Where in the word an extended instruction says which one it is.
pub const EXTENDED_OPCODE_OFFSET: usize = SPEC_OFFSET;

/// The extended instructions' names by their number (byte 12).
pub fn extended_name(extended_opcode: u8) -> Option<&'static str> {
    spec_names(opcode::EXTENDED_INST).iter().find(|(code, _)| *code == extended_opcode).map(|(_, name)| *name)
}

/// A word, typed by the struct that its opcode is bound to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instruction {
    /// The eight opcodes of S3S3D3_TT.
    TensorTensor(S3s3d3Tt),
    /// 0xF0 with extended opcode 2.
    ExtendedTensorTensor(ExtendedTta),
    /// The tensor-scalar opcodes of S3D3_TS.
    TensorScalar(S3d3Ts),
    /// Scalar-tensor-tensor and scan, of S2S2D2_STT.
    ScalarTensorTensor(S2s2d2Stt),
    /// Copy and cast, of S4D4_TR.
    CopyCast(S4d4Tr),
    /// A word whose struct is not judged.
    Other(Other),
}

/// A word whose struct has no rules here: header and events are read, the rest is kept. Where the struct's fields are
/// known, [`Layout::of`] names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Other {
    /// Bytes 0..3.
    pub header: Header,
    /// Bytes 4..11.
    pub events: Events,
    /// Bytes 12..63.
    pub payload: [u8; 52],
}

impl Instruction {
    /// Types a word. Never fails.
    pub fn decode(word: &Word) -> Self {
        match word.opcode() {
            code if S3s3d3Tt::OPCODES.contains(&code) => Self::TensorTensor(S3s3d3Tt::decode(word)),
            opcode::EXTENDED_INST if word.0[EXTENDED_OPCODE_OFFSET] == ExtendedTta::EXTENDED_OPCODE => {
                Self::ExtendedTensorTensor(ExtendedTta::decode(word))
            }
            code if S3d3Ts::OPCODES.contains(&code) => Self::TensorScalar(S3d3Ts::decode(word)),
            code if S2s2d2Stt::OPCODES.contains(&code) => Self::ScalarTensorTensor(S2s2d2Stt::decode(word)),
            code if S4d4Tr::OPCODES.contains(&code) => Self::CopyCast(S4d4Tr::decode(word)),
            _ => Self::Other(Other {
                header: Header::decode(word),
                events: Events::decode(word),
                payload: word.take(12),
            }),
        }
    }

    /// The word again, bit for bit.
    pub fn encode(&self) -> Word {
        match self {
            Self::TensorTensor(tt) => tt.encode(),
            Self::ExtendedTensorTensor(tta) => tta.encode(),
            Self::TensorScalar(ts) => ts.encode(),
            Self::ScalarTensorTensor(stt) => stt.encode(),
            Self::CopyCast(tr) => tr.encode(),
            Self::Other(other) => {
                let mut word = Word([0; 64]);
                other.header.encode(&mut word);
                other.events.encode(&mut word);
                word.put(12, &other.payload);
                word
            }
        }
    }

    /// Bytes 0..3.
    pub const fn header(&self) -> &Header {
        match self {
            Self::TensorTensor(tt) => &tt.header,
            Self::ExtendedTensorTensor(tta) => &tta.header,
            Self::TensorScalar(ts) => &ts.header,
            Self::ScalarTensorTensor(stt) => &stt.header,
            Self::CopyCast(tr) => &tr.header,
            Self::Other(other) => &other.header,
        }
    }

    /// Bytes 4..11.
    pub const fn events(&self) -> &Events {
        match self {
            Self::TensorTensor(tt) => &tt.events,
            Self::ExtendedTensorTensor(tta) => &tta.events,
            Self::TensorScalar(ts) => &ts.events,
            Self::ScalarTensorTensor(stt) => &stt.events,
            Self::CopyCast(tr) => &tr.events,
            Self::Other(other) => &other.events,
        }
    }

    /// Whether the rules of the word's struct are modelled, so that it can be judged and run.
    pub const fn is_modelled(&self) -> bool {
        !matches!(self, Self::Other(_))
    }
}
