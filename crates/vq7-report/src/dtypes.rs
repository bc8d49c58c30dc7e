//! `dtypes`: the element dtypes and their names.

use crate::look::{Draw, Look, put_table};
use crate::ops::targets;
use crate::setting::Setting;
use serde::Serialize;
use std::fmt;
use vq7_isa::Dtype;
use vq7_isa::dtype::Kind;
use vq7_num::Format;
use vq7_num::format_value;

/// The layout of a floating-point dtype.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Layout {
    /// Bits of the exponent.
    pub exponent_bits: u32,
    /// Bits of the mantissa.
    pub mantissa_bits: u32,
    /// The exponent's bias.
    pub bias: i32,
}

/// One dtype.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DtypeRow {
    /// The dtype code.
    pub code: u8,
    /// The printed name.
    pub name: &'static str,
    /// The header's name.
    pub header_name: &'static str,
    /// Further names that are accepted.
    pub aliases: &'static [&'static str],
    /// Width in bits.
    pub bits: u32,
    /// `signed`, `unsigned`, `float` or `other`.
    pub kind: &'static str,
    /// Layout of a floating-point dtype.
    pub layout: Option<Layout>,
    /// The largest finite value of a floating-point dtype.
    pub largest: Option<String>,
    /// Whether a tensor-tensor operand can hold it.
    pub tensor_tensor: bool,
    /// Targets whose enum has the code.
    pub targets: Vec<&'static str>,
    /// Whether the setting's target is one of them.
    pub in_target: bool,
}

/// The table of dtypes.
#[derive(Clone, Debug, Serialize)]
pub struct Dtypes {
    /// The setting: its policy decides what e4m3 is.
    #[serde(flatten)]
    pub setting: Setting,
    /// Every dtype, in the order of the codes.
    pub dtypes: Vec<DtypeRow>,
}

impl Dtypes {
    /// The table.
    pub fn new(setting: Setting) -> Self {
        Self { setting, dtypes: Dtype::ALL.iter().map(|dtype| DtypeRow::new(*dtype, &setting)).collect() }
    }
}

impl DtypeRow {
    fn new(dtype: Dtype, setting: &Setting) -> Self {
        let format = Format::of(dtype, &setting.policy);
        Self {
            code: dtype.code(),
            name: dtype.name(),
            header_name: dtype.header_name(),
            aliases: dtype.aliases(),
            bits: dtype.bits(),
            kind: match dtype.kind() {
                Kind::Signed => "signed",
                Kind::Unsigned => "unsigned",
                Kind::Float => "float",
                Kind::Other => "other",
            },
            layout: format.map(|format| Layout {
                exponent_bits: format.exponent_bits,
                mantissa_bits: format.mantissa_bits,
                bias: format.bias,
            }),
            largest: format.map(|format| format_value(format.max_finite(), dtype, &setting.policy)),
            tensor_tensor: dtype.is_tensor_tensor(),
            targets: targets(|generation| dtype.in_generation(generation)),
            in_target: dtype.in_generation(setting.generation),
        }
    }
}

impl Draw for Dtypes {
    fn draw(&self, look: &Look, out: &mut dyn fmt::Write) -> fmt::Result {
        self.setting.draw(look, out)?;
        let mut table =
            look.table(&["code", "name", "also", "bits", "kind", "layout", "largest", "operand", "targets"]);
        for row in &self.dtypes {
            let also = std::iter::once(row.header_name).chain(row.aliases.iter().copied());
            let also: Vec<_> = also.filter(|name| !name.eq_ignore_ascii_case(row.name)).collect();
            table.add_row([
                format!("{:#04x}", row.code),
                row.name.to_owned(),
                also.join(" "),
                row.bits.to_string(),
                row.kind.to_owned(),
                row.layout.map_or_else(String::new, |l| format!("1-{}-{}", l.exponent_bits, l.mantissa_bits)),
                row.largest.clone().unwrap_or_default(),
                if row.tensor_tensor { "yes" } else { "no" }.to_owned(),
                row.targets.join(" "),
            ]);
        }
        put_table(&table, out)?;
        writeln!(out, "layout: sign, exponent and mantissa bits; operand: whether a tensor-tensor operand can hold it")
    }
}
