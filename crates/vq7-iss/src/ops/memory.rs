//! Loads and stores: what moves how many bytes, and how the address comes about.

use super::{Build, OpError};
use crate::timing::{Bank, EXECUTE};
use crate::work::{Access, Action, Form, ScalarIn};

/// How an address comes about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// Base and number.
    Immediate,
    /// Base; number added to it afterwards.
    ImmediatePost,
    /// Base and register.
    Index,
    /// Base; register added to it afterwards.
    IndexPost,
}

const MODES: [(&str, Mode); 4] =
    [("_I", Mode::Immediate), ("_IP", Mode::ImmediatePost), ("_X", Mode::Index), ("_XP", Mode::IndexPost)];

/// What is moved.
struct Kind {
    stem: &'static str,
    load: bool,
    bank: Bank,
    bytes: u8,
    clear: u8,
    form: Form,
    scalar: bool,
    merges: bool,
}

const fn elements(from: u8, to: u8, signed: bool) -> Form {
    Form::Elements { from, to, signed }
}

const fn vector(stem: &'static str, load: bool, bytes: u8, form: Form) -> Kind {
    let clear = if bytes == 64 { 6 } else { 5 };
    Kind { stem, load, bank: Bank::Vec, bytes, clear, form, scalar: false, merges: !load }
}

const fn scalar(stem: &'static str, load: bool, bytes: u8, form: Form) -> Kind {
    let clear = bytes.trailing_zeros() as u8;
    Kind { stem, load, bank: Bank::Ar, bytes, clear, form, scalar: true, merges: false }
}

/// A carry that is not written down as an operand's place yet.
const UNALIGNED: Form = Form::Unaligned { carry: 0, carry_def: 0 };

const KINDS: [Kind; 19] = [
    vector("LV2NX8", true, 64, Form::Plain),
    vector("SV2NX8", false, 64, Form::Plain),
    vector("LVNX8S", true, 32, elements(8, 16, true)),
    vector("LVNX8U", true, 32, elements(8, 16, false)),
    vector("LVN_2X16S", true, 32, elements(16, 32, true)),
    vector("LVN_2X16U", true, 32, elements(16, 32, false)),
    vector("SVNX8S", false, 32, elements(8, 16, true)),
    vector("SVNX8U", false, 32, elements(8, 16, false)),
    vector("SVN_2X16S", false, 32, elements(16, 32, true)),
    vector("SVN_2X16U", false, 32, elements(16, 32, false)),
    vector("LA2NX8", true, 64, UNALIGNED),
    vector("SA2NX8", false, 64, UNALIGNED),
    Kind {
        stem: "LALIGN",
        load: true,
        bank: Bank::Valign,
        bytes: 64,
        clear: 6,
        form: Form::Plain,
        scalar: false,
        merges: false,
    },
    scalar("L8UI", true, 1, Form::Plain),
    scalar("L16UI", true, 2, Form::Plain),
    scalar("L16SI", true, 2, elements(16, 32, true)),
    scalar("L32I", true, 4, Form::Plain),
    scalar("S16I", false, 2, Form::Plain),
    scalar("S32I", false, 4, Form::Plain),
];

impl Kind {
    fn all(&'static self) -> impl Iterator<Item = (String, &'static Kind, Mode, bool)> {
        let forms = if self.merges && self.form != UNALIGNED { &[false, true][..] } else { &[false] };
        let modes = if self.scalar { &[("", Mode::Immediate)][..] } else { &MODES[..] };
        forms.iter().flat_map(move |merges| {
            modes.iter().map(move |(suffix, mode)| {
                (format!("{}{}{suffix}", self.stem, if *merges { "T" } else { "" }), self, *mode, *merges)
            })
        })
    }
}

/// Ops on alignment registers that move nothing by themselves.
const PRIME: &str = "LA_PP";
const CLEAR: &str = "ZALIGN";
const FLUSH: &str = "SAPOS_FP";

pub(super) fn names() -> impl Iterator<Item = String> {
    let kinds = KINDS.iter().flat_map(|kind| kind.all().map(|(name, ..)| name));
    kinds.chain([PRIME, CLEAR, FLUSH].map(str::to_owned))
}

pub(super) fn build(name: &str, build: &mut Build<'_>) -> Option<Result<(), OpError>> {
    match name {
        PRIME => return Some(prime(build)),
        CLEAR => return Some(align(build, false)),
        FLUSH => return Some(align(build, true)),
        _ => {}
    }
    let (_, kind, mode, merges) = KINDS.iter().flat_map(Kind::all).find(|(known, ..)| known == name)?;
    Some(access(build, kind, mode, merges))
}

fn valign_def(build: &Build<'_>, usual: u8) -> u8 {
    if build.params.valign_def == 0 { usual } else { build.params.valign_def }
}

/// The row that an address lies in, to an alignment register: `la_pp u, a`.
fn prime(build: &mut Build<'_>) -> Result<(), OpError> {
    let stage = valign_def(build, 9);
    let data = build.defines(Bank::Valign, stage)?;
    let base = build.uses(Bank::Ar, 1)?;
    build.spec.stage = 9;
    build.spec.action = Action::Load(Access {
        base,
        offset: ScalarIn::Constant(0),
        post: false,
        base_def: None,
        bytes: 64,
        clear: 6,
        form: Form::Plain,
        data,
        guard: None,
    });
    Ok(())
}

/// `zalign u` and `sapos_fp u, a`: nothing is in flight between rows, so a flush has nothing left to write.
fn align(build: &mut Build<'_>, flush: bool) -> Result<(), OpError> {
    let stage = valign_def(build, 10);
    let cell = build.cell(Bank::Valign)?;
    if flush {
        build.also_uses(cell, 10);
        build.uses(Bank::Ar, 1)?;
        build.spec.egress = 11;
    }
    build.also_defines(cell, stage);
    Ok(())
}

fn access(build: &mut Build<'_>, kind: &Kind, mode: Mode, merges: bool) -> Result<(), OpError> {
    let data_stage = if kind.scalar { 5 } else { EXECUTE };
    let valign = kind.bank == Bank::Valign;
    let def_stage = if valign { valign_def(build, 9) } else { data_stage };
    let data = if kind.load { build.defines(kind.bank, def_stage)? } else { build.uses(kind.bank, data_stage)? };
    let mut form = kind.form;
    if form == UNALIGNED {
        let usual = if kind.load { 9 } else { 10 };
        let cell = build.cell(Bank::Valign)?;
        let carry = build.also_uses(cell, usual);
        let stage = valign_def(build, usual);
        form = Form::Unaligned { carry, carry_def: build.also_defines(cell, stage) };
    }
    let base_cell = build.cell(Bank::Ar)?;
    let base = build.also_uses(base_cell, 1);
    let post = matches!(mode, Mode::ImmediatePost | Mode::IndexPost);
    let offset = match mode {
        Mode::Immediate | Mode::ImmediatePost => {
            let step = i64::from(kind.bytes);
            let number =
                if kind.scalar { build.number(0, 255 * step)? } else { build.number(-128 * step, 127 * step)? };
            if number % step != 0 {
                build.next -= 1;
                return Err(build.wrong(format!("a multiple of {step}")));
            }
            ScalarIn::Constant(number as u32)
        }
        Mode::Index | Mode::IndexPost => ScalarIn::Use(build.uses(Bank::Ar, 1)?),
    };
    let guard = if merges { Some(build.uses(Bank::Vbool, EXECUTE)?) } else { None };
    let base_def = post.then(|| build.also_defines(base_cell, 1));
    let access = Access { base, offset, post, base_def, bytes: kind.bytes, clear: kind.clear, form, data, guard };
    build.spec.stage = match (kind.scalar, kind.load) {
        (true, _) => 5,
        (false, true) => 9,
        (false, false) => EXECUTE,
    };
    if !kind.load {
        build.spec.egress = if kind.scalar { 5 } else { 11 };
    }
    // An unaligned row keeps its address; only the row that is read next is aligned.
    let access =
        if matches!(form, Form::Unaligned { .. }) && !kind.load { Access { clear: 0, ..access } } else { access };
    build.spec.action = if kind.load { Action::Load(access) } else { Action::Store(access) };
    Ok(())
}
