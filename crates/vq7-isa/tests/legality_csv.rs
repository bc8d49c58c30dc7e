//! Every row of `vectors/legality.csv`, which says verdicts in words: each row has a case here, and each case a row.

#![allow(clippy::unwrap_used, reason = "a test stops where it fails")]

use std::collections::BTreeSet;
use vq7_isa::address::{Addr4, Location, Memory};
use vq7_isa::dtype::UnknownDtype;
use vq7_isa::header::{Events, Header};
use vq7_isa::inst::S3s3d3Tt;
use vq7_isa::legality::{Bench, Engine, Status, explain, judge};
use vq7_isa::pattern::Tensor3d;
use vq7_isa::text::parse_operand;
use vq7_isa::{AluOp, Dtype, Generation, Instruction};
use vq7_policy::Policy;

const PSUM: u32 = 0x200_0000;

/// Op, src0, src1, out on 128 channels of 16 elements; the opcode follows from the op.
fn word(op: AluOp, dtypes: [Dtype; 3]) -> S3s3d3Tt {
    let tensor = |address| Tensor3d { start: Addr4::immediate(address), step: [1; 3], num: [16, 1, 1] };
    let [src0_dtype, src1_dtype, out_dtype] = dtypes.map(Dtype::code);
    let header = Header::new(op.tensor_tensor_opcode());
    let (src0, src1, dst) = (tensor(0), tensor(0x1000), tensor(0x2000));
    let op = op.code();
    S3s3d3Tt {
        header,
        events: Events::default(),
        src0_dtype,
        src1_dtype,
        out_dtype,
        op,
        num_active_channels: 128,
        src0,
        src1,
        dst,
    }
}

fn at(target: &str, engine: Engine, tt: S3s3d3Tt) -> (Status, Option<&'static str>) {
    let policy = Policy::default();
    let bench = Bench { generation: Generation::parse(target).unwrap(), engine, policy: &policy };
    let judgement = judge(&Instruction::TensorTensor(tt), &bench);
    (judgement.status, judgement.first_failed)
}

/// Status under the rules of structure, on trn2.
fn structural(tt: S3s3d3Tt) -> (Status, Option<&'static str>) {
    at("trn2", Engine::Any, tt)
}

const LEGAL: (Status, Option<&str>) = (Status::Legal, None);

const fn illegal(rule: &'static str) -> (Status, Option<&'static str>) {
    (Status::Illegal, Some(rule))
}

const POOL_GATE: (Status, Option<&str>) = illegal("is_valid_tensor_tensor_arith_pool");
const DVE_GATE: (Status, Option<&str>) = illegal("is_valid_tensor_tensor_arith_dve");

#[test]
fn every_row_of_legality_csv_has_its_case() {
    let text = include_str!("../../../vectors/legality.csv");
    let rows: BTreeSet<&str> = text.lines().skip(1).map(|line| line.split(',').next().unwrap()).collect();
    let cases: BTreeSet<&str> = CASES.iter().map(|(id, _)| *id).collect();
    assert_eq!(rows, cases);
    CASES.iter().for_each(|(_, case)| case());
}

const CASES: [(&str, fn()); 23] = [
    ("L01", || assert_eq!(structural(word(AluOp::Divide, [Dtype::Fp32; 3])), illegal("s3s3d3_tt_valid_op"))),
    ("L02", || assert_eq!(structural(word(AluOp::Rsqrt, [Dtype::Fp32; 3])), illegal("s3s3d3_tt_valid_op"))),
    ("L03", || {
        let tt = word(AluOp::Mod, [Dtype::Fp32; 3]);
        assert_eq!(structural(tt), illegal("s3s3d3_tt_valid_int_signness"));
        // On integers MOD is an integer-band op: POOL takes it, DVE does not.
        let tt = word(AluOp::Mod, [Dtype::Int32; 3]);
        assert_eq!([at("trn2", Engine::Pool, tt), at("trn2", Engine::Dve, tt)], [LEGAL, DVE_GATE]);
    }),
    ("L04", || {
        let tt = word(AluOp::Pow, [Dtype::Fp32; 3]);
        assert_eq!([at("trn2", Engine::Pool, tt), at("trn2", Engine::Dve, tt)], [LEGAL, DVE_GATE]);
    }),
    ("L06", || {
        let tt = word(AluOp::Add, [Dtype::Int32; 3]);
        assert_eq!([at("trn2", Engine::Pool, tt), at("trn2", Engine::Dve, tt)], [LEGAL, LEGAL]);
        assert_eq!(AluOp::Add.exact_integer_twin(true), Some(AluOp::AddInt), "lossy: the exact op is another one");
    }),
    ("L07", || {
        let tt = word(AluOp::Pow, [Dtype::Int64; 3]);
        assert_eq!(at("trn2", Engine::Pool, tt), (Status::Unspecified, None));
        let policy = Policy::default();
        let bench = Bench { generation: Generation::Cayman, engine: Engine::Pool, policy: &policy };
        let note = explain(&Instruction::TensorTensor(tt), &bench).note.unwrap();
        assert!(note.contains("P%i: Error, Unimplemented tensor-tensor ALU op."), "{note}");
    }),
    ("L08", || {
        let tt = word(AluOp::AddInt, [Dtype::Int32, Dtype::Uint32, Dtype::Int32]);
        assert_eq!(structural(tt), illegal("s3s3d3_tt_valid_int_signness"));
    }),
    ("L09", || {
        let types = [Dtype::Int32, Dtype::Int32, Dtype::Uint8];
        assert_eq!(structural(word(AluOp::IsEqualInt, types)), illegal("s3s3d3_tt_valid_int_signness"));
        let generic = word(AluOp::IsEq, types);
        assert_eq!([at("trn2", Engine::Pool, generic), at("trn2", Engine::Dve, generic)], [POOL_GATE, LEGAL]);
    }),
    ("L10", || assert_eq!(at("trn2", Engine::Pool, word(AluOp::Add, [Dtype::Int64; 3])), (Status::Unspecified, None))),
    ("L12", || assert_eq!(structural(word(AluOp::BitwiseAnd, [Dtype::Fp32; 3])), illegal("s3s3d3_tt_dtype"))),
    ("L13", || {
        let refused = illegal("is_s3s3d3_tt_tensors_in_sbuf");
        for place in [0, 1, 2] {
            let mut tt = word(AluOp::Add, [Dtype::Fp32; 3]);
            *[&mut tt.src0, &mut tt.src1, &mut tt.dst][place] = Tensor3d { start: Addr4::immediate(PSUM), ..tt.src0 };
            assert_eq!([structural(tt), at("trn2", Engine::Pool, tt)], [LEGAL, refused], "operand {place}");
        }
    }),
    ("L14", || {
        let mut tt = word(AluOp::Add, [Dtype::Fp32; 3]);
        (tt.src0.start, tt.src1.start) = (Addr4::immediate(PSUM), Addr4::immediate(PSUM + 0x1000));
        assert_eq!(structural(tt), illegal("tt_valid_partitions"));
    }),
    ("L15", || {
        let mut tt = word(AluOp::Add, [Dtype::Fp32; 3]);
        (tt.src0.num, tt.src1.num, tt.dst.num) = ([1, 64, 1], [1, 1, 1], [64, 1, 1]);
        assert_eq!(structural(tt), illegal("s3s3d3_tt_src_element_cnt_check"));
        (tt.src1.num, tt.src1.step) = ([64, 1, 1], [0, 1, 1]);
        assert_eq!(structural(tt), LEGAL, "a step of 0 repeats the element 64 times");
    }),
    ("L16", || {
        for op in [AluOp::AbsMax, AluOp::AbsMin, AluOp::ReLu, AluOp::Square] {
            let verdicts =
                ["trn1", "trn2", "trn3", "gen5"].map(|target| at(target, Engine::Any, word(op, [Dtype::Fp32; 3])));
            assert_eq!(verdicts, [illegal("is_valid_enum"), illegal("is_valid_enum"), LEGAL, LEGAL], "{op}");
        }
    }),
    ("L18", start_partitions),
    ("L19", || {
        let tt = word(AluOp::LogicalShiftRight, [Dtype::Int64, Dtype::Uint32, Dtype::Int64]);
        assert_eq!(["trn2", "trn3", "gen5"].map(|target| at(target, Engine::Any, tt)), [LEGAL; 3]);
        assert_eq!(at("trn1", Engine::Any, tt), illegal("is_valid_dtype"));
        let counted = word(AluOp::LogicalShiftRight, [Dtype::Int64, Dtype::Int32, Dtype::Int64]);
        assert_eq!(structural(counted), illegal("s3s3d3_tt_src_dst_dtype"));
    }),
    ("L20", || assert_eq!(structural(word(AluOp::Crc32, [Dtype::Uint32; 3])), illegal("s3s3d3_tt_valid_op"))),
    ("L23", || {
        assert_eq!(
            structural(word(AluOp::Add, [Dtype::Fp32r, Dtype::Fp32, Dtype::Fp32])),
            illegal("is_valid_dtype_64")
        );
        assert_eq!(structural(word(AluOp::Add, [Dtype::Fp32, Dtype::Fp32, Dtype::Fp32r])), LEGAL);
    }),
    ("L24", || {
        for op in [AluOp::AmaxInt, AluOp::AminInt, AluOp::AmaxUint, AluOp::AminUint] {
            assert_eq!(structural(word(op, [Dtype::Int32; 3])), illegal("s3s3d3_tt_valid_op"), "{op}");
        }
    }),
    ("L26", || assert_eq!(structural(word(AluOp::ArithShiftRight, [Dtype::Int32; 3])), LEGAL)),
    ("L27", || {
        let policy = Policy::default();
        let (_, most) = parse_operand::<3>("fp32@0[1,1,1][65535,1,1]", &policy).unwrap();
        assert_eq!(most.num[0], 65535);
        assert!(parse_operand::<3>("fp32@0[1,1,1][65536,1,1]", &policy).unwrap_err().message.contains("in range"));
    }),
    ("L29", || assert_eq!(at("trn2", Engine::Pool, word(AluOp::AddInt, [Dtype::Uint32; 3])), LEGAL)),
    ("L30", || {
        let refused = Dtype::parse("float64", &Policy::default());
        assert_eq!(refused, Err(UnknownDtype::HostOnly("float64".into())));
    }),
];

/// Every number of channels at every start partition, against the rule's own words.
fn start_partitions() {
    for channels in 0..=255u8 {
        for partition in 0..128 {
            let mut tt = word(AluOp::Add, [Dtype::Fp32; 3]);
            tt.num_active_channels = channels;
            let start = |offset| {
                let location = Location { memory: Memory::Sbuf, partition, offset };
                Addr4::immediate(location.address(Generation::Cayman.geometry()))
            };
            (tt.src0.start, tt.src1.start, tt.dst.start) = (start(0), start(0x1000), start(0x2000));
            let allowed = match channels {
                1..=32 => partition % 32 == 0,
                33..=64 => partition == 0 || partition == 64,
                65..=128 => partition == 0,
                _ => false,
            };
            assert_eq!(structural(tt) == LEGAL, allowed, "{channels} channels at partition {partition}");
        }
    }
}
