//! `vq7 explain`.

use crate::files::words::read_words;
use crate::invocation::{EngineArg, Invocation};
use crate::outcome::{CallError, Failed, Outcome};
use vq7_isa::{AluOp, Dtype};
use vq7_num::parse_value;
use vq7_report::explain_op::{OpExplained, OpQuestion};
use vq7_report::explain_word::WordExplained;
use vq7_report::template::Types;

/// Arguments of `explain`.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "vq7 explain [OPTIONS] <WORD>\n       vq7 explain [OPTIONS] --op <OP> --types <A,B,OUT> --a <V> --b <V>",
    after_help = "Example: vq7 explain 4110..00\n\
                  Example: vq7 explain --op add --types int32,int32,int32 --a 16777216 --b 1"
)]
pub struct Args {
    /// One word: 128 hex digits, a file, or - for standard input
    #[arg(value_name = "WORD", required_unless_present = "op", conflicts_with_all = ["op", "types", "a", "b"])]
    word: Option<String>,
    /// ALU op by any name: add_int, multiply, bitwise_and
    #[arg(long, value_name = "OP", requires_all = ["types", "a"])]
    op: Option<String>,
    /// Dtypes of src0, src1 and the result, or one for all three
    #[arg(long, value_name = "A,B,OUT", requires = "op")]
    types: Option<String>,
    /// src0: a number, or a bit pattern 0x..
    #[arg(long, value_name = "V", requires = "op", allow_hyphen_values = true)]
    a: Option<String>,
    /// src1: a number, or a bit pattern 0x..; may be left out for an op of one operand
    #[arg(long, value_name = "V", requires = "op", allow_hyphen_values = true)]
    b: Option<String>,
    #[command(flatten)]
    engine: EngineArg,
}

/// Explains a word or an op.
pub fn run(args: &Args, invocation: &Invocation) -> Result<Outcome, CallError> {
    match (&args.word, &args.op) {
        (Some(word), _) => explain_word(word, args, invocation),
        (None, Some(op)) => explain_op(op, args, invocation),
        (None, None) => Err(CallError::new("give a word, or --op with --types, --a and --b")),
    }
}

fn explain_word(argument: &String, args: &Args, invocation: &Invocation) -> Result<Outcome, CallError> {
    let words = read_words(std::slice::from_ref(argument))?;
    let [word] = words[..] else {
        let found = words.len();
        return Err(CallError::at(
            argument,
            format_args!("{found} words; explain takes one, `vq7 check -v` takes many"),
        ));
    };
    let answer = WordExplained::new(&word, invocation.setting(args.engine.engine));
    invocation.answer(&answer)?;
    Ok(match answer.error {
        None => Outcome::Done,
        Some(error) => Outcome::Failed(Failed::new(error.kind, error.message)),
    })
}

fn explain_op(asked: &str, args: &Args, invocation: &Invocation) -> Result<Outcome, CallError> {
    let policy = invocation.policy();
    let op = AluOp::parse(asked).map_err(|error| CallError::at("--op", error))?;
    let types = parse_types(args.types.as_deref().unwrap_or_default(), invocation)?;
    let a = args.a.as_deref().unwrap_or_default();
    let b = match &args.b {
        Some(b) => b,
        None if op.arity() == vq7_isa::alu_op::Arity::Unary => "0x0",
        None => return Err(CallError::new(format_args!("{op} takes two operands; add --b V"))),
    };
    for (flag, text, dtype) in [("--a", a, types.src0), ("--b", b, types.src1)] {
        parse_value(text, dtype, policy).map_err(|error| CallError::at(flag, error))?;
    }
    let question = OpQuestion { op, asked, types, a, b };
    let answer = OpExplained::new(&question, invocation.setting(args.engine.engine)).map_err(CallError::new)?;
    invocation.answer(&answer)?;
    Ok(match answer.error {
        None => Outcome::Done,
        Some(error) => {
            // Numbers that no word on this target and engine can ask for are those of the library alone.
            let note = answer.result.is_some().then_some("the numbers shown are those of the lane library");
            Outcome::Failed(Failed { note, ..Failed::new(error.kind, error.message) })
        }
    })
}

/// Three dtypes, or one for all three.
pub(super) fn parse_types(text: &str, invocation: &Invocation) -> Result<Types, CallError> {
    let dtype = |name: &str| {
        let dtype = Dtype::parse(name, invocation.policy()).map_err(|error| CallError::at("--types", error))?;
        match dtype.is_tensor_tensor() {
            true => Ok(dtype),
            false => Err(CallError::at("--types", format_args!("no tensor-tensor operand can hold {dtype}"))),
        }
    };
    match text.split(',').collect::<Vec<_>>()[..] {
        [one] => Ok(Types::same(dtype(one)?)),
        [src0, src1, out] => Ok(Types { src0: dtype(src0)?, src1: dtype(src1)?, out: dtype(out)? }),
        _ => Err(CallError::at("--types", "write three dtypes such as int32,int32,int32, or one for all three")),
    }
}
