//! A second, deliberately naive reading of the legality rules.
//!
//! The crate states the rules once, as the product uses them. This module states them a second time,
//! straight from the specification, on the raw bytes of the word, with nothing but `std`. The two are
//! compared over a full cross product of words: where they differ, one of the readings is wrong. It
//! shares no code, no table and no type with the crate, and it must stay that way, or the proof is void.
//!
//! It covers the eight opcodes of `S3S3D3_TT`, extended instruction 0xF0 with byte 12 equal to 2, and, in `scalar`, the
//! scalar forms.

/// A generation of the engine. `MarianaPlus` has the headers, and so the rules, of `Mariana`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gen {
    Sunda,
    Cayman,
    Mariana,
    MarianaPlus,
    Maverick,
}

/// Who is to run the word. `Any` asks for the structural rules alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    Any,
    Pool,
    Dve,
}

/// Leaves the calling function with the name of the rule when the condition does not hold.
macro_rules! rule {
    ($name:literal, $holds:expr) => {
        if !$holds {
            return Some($name);
        }
    };
}

mod scalar;

/// The name of the first rule that fails for one word whose opcode is one of the eight of `S3S3D3_TT`
/// (0x41 0x51 0x72 0x99 0x65 0x8A 0x8B 0x8F), 0xF0 with byte 12 == 2, or one of the nine of `scalar`; None when all pass.
///
/// # Panics
/// On any other word: a verdict there would compare nothing.
pub fn first_failed(word: &[u8; 64], generation: Gen, engine: Engine) -> Option<&'static str> {
    if scalar::OPCODES.contains(&word[0]) {
        return scalar::first_failed(word, generation, engine);
    }
    rule!("has_valid_neuron_header", header_ok(word, generation));
    rule!("has_valid_neuron_events", events_ok(word, generation));
    let failed = match word[0] {
        0x41 | 0x51 => tensor_tensor(word, generation),
        0x72 | 0x99 => predicated(word, generation),
        0x65 => batch_norm(word, generation),
        0x8A | 0x8B | 0x8F => bf16(word, generation),
        _ => extended(word, generation),
    };
    if failed.is_some() {
        return failed;
    }
    match engine {
        Engine::Any => None,
        Engine::Pool => pool_gate(word, generation),
        Engine::Dve => dve_gate(word),
    }
}

// The arms, one per family of opcodes.

fn tensor_tensor(w: &[u8; 64], g: Gen) -> Option<&'static str> {
    let (lo, hi, out, op, n) = (w[12] & 15, w[12] >> 4, w[13], w[14], w[15]);
    let arith = w[0] == 0x41;
    if g == Gen::Sunda {
        rule!("is_valid_dtype", dtype_ok(out, true, false));
        rule!("is_valid_dtype", dtype_ok(lo, false, false));
        rule!("is_valid_dtype", dtype_ok(hi, false, false));
    } else {
        rule!("is_valid_dtype_64", dtype_ok(out, true, true));
        rule!("is_valid_dtype_64", dtype_ok(lo, false, true));
        rule!("is_valid_dtype_64", dtype_ok(hi, false, true));
    }
    rule!("is_valid_enum", op_in_enum(op, g));
    let arith_op = general_arith_op(op, g) || op == 0x1A || int_op(op);
    rule!("s3s3d3_tt_valid_op", if arith { arith_op } else { general_bitvec_op(op) });
    rule!("s3s3d3_tt_dtype", arith || signed(out) || unsigned(out));
    let wide_shift = g != Gen::Sunda && shift_op(op) && int64(lo) && hi == 0x09;
    let same = lo == hi && lo == out;
    rule!("s3s3d3_tt_src_dst_dtype", arith || same || wide_shift);
    let all_signed = signed(lo) && signed(hi) && signed(out);
    let all_unsigned = unsigned(lo) && unsigned(hi) && unsigned(out);
    let sign_ok = (all_signed && signed_op(op)) || (all_unsigned && unsigned_op(op));
    rule!("s3s3d3_tt_valid_int_signness", !int_op(op) || sign_ok);
    rule!("start_addr_active_channels", starts_ok(w, g, n));
    rule!("tensor3d_valid", tensors3d_ok(w, g, lo, hi, out));
    rule!("s3s3d3_tt_src_element_cnt_check", counts3d_equal(w, 16, 32));
    rule!("s3s3d3_tt_dst_element_cnt_check", counts3d_equal(w, 16, 48));
    rule!("check_active_channels", (1..=128).contains(&n));
    rule!("tt_valid_partitions", partitions_ok(w, g));
    None
}

fn predicated(w: &[u8; 64], g: Gen) -> Option<&'static str> {
    let (lo, hi, out, op, n) = (w[12] & 15, w[12] >> 4, w[13], w[14], w[15]);
    rule!("is_valid_dtype", dtype_ok(out, false, false));
    rule!("is_valid_dtype", dtype_ok(lo, false, false));
    rule!("is_valid_dtype", dtype_ok(hi, false, false));
    let predicate = matches!(lo, 0x02 | 0x03 | 0x04 | 0x05 | 0x08 | 0x09);
    rule!("s3s3d3_copy_pred_src0_dtype", predicate);
    rule!("s3s3d3_copy_cast_pred_src1_dst_dtype", w[0] == 0x99 || hi == out);
    rule!("s3s3d3_tt_is_zero_op", op == 0x00);
    rule!("check_active_channels", (1..=128).contains(&n));
    rule!("start_addr_active_channels", starts_ok(w, g, n));
    rule!("tensor3d_valid", tensors3d_ok(w, g, lo, hi, out));
    rule!("s3s3d3_tt_src_element_cnt_check", counts3d_equal(w, 16, 32));
    rule!("s3s3d3_tt_dst_element_cnt_check", counts3d_equal(w, 16, 48));
    rule!("tt_valid_partitions", partitions_ok(w, g));
    None
}

fn batch_norm(w: &[u8; 64], g: Gen) -> Option<&'static str> {
    let (lo, hi, out, op, n) = (w[12] & 15, w[12] >> 4, w[13], w[14], w[15]);
    rule!("is_valid_dtype", dtype_ok(lo, false, false));
    rule!("is_valid_dtype", dtype_ok(hi, false, false));
    rule!("is_valid_dtype", dtype_ok(out, true, false));
    rule!("s3s3d3_tt_is_zero_op", op == 0x00);
    rule!("start_addr_active_channels", starts_ok(w, g, n));
    rule!("tensor3d_valid", tensors3d_ok(w, g, lo, hi, out));
    rule!("s3s3d3_tt_src_element_cnt_check", counts3d_equal(w, 16, 32));
    rule!("s3s3d3_tt_dst_element_cnt_check", counts3d_equal(w, 16, 48));
    rule!("check_active_channels", (1..=128).contains(&n));
    rule!("tt_valid_partitions", partitions_ok(w, g));
    None
}

fn bf16(w: &[u8; 64], g: Gen) -> Option<&'static str> {
    let (lo, hi, out, op, n) = (w[12] & 15, w[12] >> 4, w[13], w[14], w[15]);
    rule!("tensor_tensor_bf16_op", matches!((w[0], op), (0x8A, 0x04) | (0x8B, 0x06) | (0x8F, 0x05)));
    rule!("tensor_tensor_bf16_dtype", lo == 0x06 && hi == 0x06);
    rule!("is_valid_dtype", dtype_ok(out, true, false));
    rule!("tensor_tensor_bf16_packing", bf16_packed(w, 16) && bf16_packed(w, 32));
    rule!("start_addr_active_channels", starts_ok(w, g, n));
    rule!("tensor3d_valid", tensors3d_ok(w, g, 0x09, 0x09, out));
    rule!("s3s3d3_tt_src_element_cnt_check", counts3d_equal(w, 16, 32));
    rule!("s3s3d3_tt_dst_element_cnt_check", counts3d_equal(w, 16, 48));
    rule!("check_active_channels", (1..=128).contains(&n));
    rule!("tt_valid_partitions", partitions_ok(w, g));
    None
}

fn extended(w: &[u8; 64], g: Gen) -> Option<&'static str> {
    let (lo, hi, out, op) = (w[14] & 15, w[14] >> 4, w[15], w[16]);
    let (src0, src1, dst) = (20, 32, 44);
    rule!("extended_completion_info", w[13] & 0xC7 == 0x05);
    rule!("extended_reserved_zero", w[17..20] == [0; 3] && w[56..64] == [0; 8]);
    rule!("is_valid_enum", op_in_enum(op, g));
    rule!("extended_tta_valid_op", op == 0x04 || op == 0x06);
    rule!("is_valid_dtype", dtype_ok(out, true, false));
    rule!("is_valid_dtype", dtype_ok(lo, false, false));
    rule!("is_valid_dtype", dtype_ok(hi, false, false));
    rule!("extended_tensors_in_sbuf", in_sbuf_or_unknown(w, g, src0));
    rule!("extended_tensors_in_sbuf", in_sbuf_or_unknown(w, g, src1));
    rule!("extended_tensors_in_sbuf", in_sbuf_or_unknown(w, g, dst));
    rule!("extended_start_partition", sbuf_partition_zero(w, g, src0));
    rule!("extended_start_partition", sbuf_partition_zero(w, g, src1));
    rule!("extended_start_partition", sbuf_partition_zero(w, g, dst));
    rule!("tensor2d_valid", tensor2d_ok(w, g, src0, lo));
    rule!("tensor2d_valid", tensor2d_ok(w, g, src1, hi));
    rule!("tensor2d_valid", tensor2d_ok(w, g, dst, out));
    rule!("extended_src_element_cnt_check", counts2d_equal(w, src0, src1));
    rule!("extended_dst_element_cnt_check", counts2d_equal(w, src0, dst));
    None
}

// The engine gates.

fn pool_gate(w: &[u8; 64], g: Gen) -> Option<&'static str> {
    match w[0] {
        0x41 => {
            rule!("is_s3s3d3_tt_tensors_in_sbuf", tensors_in_sbuf(w, g));
            let (lo, hi, out, op) = (w[12] & 15, w[12] >> 4, w[13], w[14]);
            let all32 = int32(lo) && int32(hi) && int32(out);
            let all64 = int64(lo) && int64(hi) && int64(out);
            let base = matches!(op, 0x1A | 0x04 | 0x05 | 0x06);
            rule!("is_valid_tensor_tensor_arith_pool", base || (int_op(op) && (all32 || all64)));
        }
        0x51 => {
            rule!("kernel_info_table", g != Gen::Sunda);
            rule!("is_s3s3d3_tt_tensors_in_sbuf", tensors_in_sbuf(w, g));
        }
        0xF0 => rule!("kernel_info_table", g != Gen::Sunda),
        _ => return Some("kernel_info_table"),
    }
    None
}

fn dve_gate(w: &[u8; 64]) -> Option<&'static str> {
    let any64 = int64(w[12] & 15) || int64(w[12] >> 4) || int64(w[13]);
    match w[0] {
        0x41 => {
            let ok = w[14] != 0x1A && !any64 && !int_op(w[14]);
            rule!("is_valid_tensor_tensor_arith_dve", ok);
        }
        0x51 => rule!("is_valid_tensor_tensor_bitvec_dve", !any64),
        0xF0 => return Some("extended_inst_pool_only"),
        _ => {}
    }
    None
}

// Header and events.

fn header_ok(w: &[u8; 64], g: Gen) -> bool {
    let known = match w[0] {
        0x41 | 0x51 | 0x72 | 0x99 | 0x65 => true,
        0x8A | 0x8B | 0x8F => g == Gen::Sunda,
        0xF0 if w[12] == 2 => true,
        other => panic!("opcode 0x{other:02X} with byte 12 {} is not covered", w[12]),
    };
    known && w[1] == 0x10
}

fn events_ok(w: &[u8; 64], g: Gen) -> bool {
    let wait = match w[4] {
        0x00..=0x05 | 0x81..=0x85 => true,
        0x06 | 0x07 | 0x0E | 0x0F => g != Gen::Maverick,
        0x91..=0x95 | 0xFE => g == Gen::Maverick,
        _ => false,
    };
    let update = match w[6] {
        0x00 => true,
        0x01 | 0x02 | 0x11 | 0x12 => g != Gen::Maverick,
        0x03 | 0x04 | 0x05 | 0x07 | 0x09 => true,
        0x13 | 0x14 | 0x15 | 0x17 | 0x19 => true,
        0x85 | 0x87 | 0x89 | 0x95 | 0x97 | 0x99 => true,
        _ => false,
    };
    wait && update
}

// ALU operations.

fn op_in_enum(op: u8, g: Gen) -> bool {
    match op {
        0x00..=0x1D => true,
        0x20..=0x23 => matches!(g, Gen::Mariana | Gen::MarianaPlus | Gen::Maverick),
        0x24 => g == Gen::Maverick,
        0xC4..=0xC6 => true,
        0xC7..=0xE1 => g != Gen::Sunda,
        _ => false,
    }
}

fn general_arith_op(op: u8, g: Gen) -> bool {
    match op {
        0x00 | 0x04 | 0x05 | 0x06 | 0x08 | 0x09 | 0x0D | 0x0E | 0x0F => true,
        0x12..=0x19 => true,
        0x20..=0x23 => matches!(g, Gen::Mariana | Gen::MarianaPlus | Gen::Maverick),
        _ => false,
    }
}

fn general_bitvec_op(op: u8) -> bool {
    matches!(op, 0x00 | 0x01 | 0x0A | 0x0B | 0x0C) || shift_op(op)
}

fn shift_op(op: u8) -> bool {
    matches!(op, 0x02 | 0x03 | 0x10 | 0x11)
}

fn int_op(op: u8) -> bool {
    matches!(op, 0x1B | 0xC4..=0xCD | 0xCF..=0xDD)
}

fn signed_op(op: u8) -> bool {
    matches!(op, 0x1B | 0xC4..=0xCD | 0xCF..=0xD4)
}

fn unsigned_op(op: u8) -> bool {
    matches!(op, 0x1B | 0xC4..=0xCA | 0xD5..=0xDD)
}

// Data types.

fn dtype_ok(dtype: u8, fp32r_ok: bool, int64_ok: bool) -> bool {
    match dtype {
        0x01 | 0x0C => int64_ok,
        0x0B => fp32r_ok,
        0x02..=0x0A | 0x0D..=0x0F => true,
        _ => false,
    }
}

fn signed(dtype: u8) -> bool {
    matches!(dtype, 0x02 | 0x04 | 0x08 | 0x0C)
}

fn unsigned(dtype: u8) -> bool {
    matches!(dtype, 0x01 | 0x03 | 0x05 | 0x09)
}

fn int32(dtype: u8) -> bool {
    dtype == 0x08 || dtype == 0x09
}

fn int64(dtype: u8) -> bool {
    dtype == 0x01 || dtype == 0x0C
}

// Addresses. `at` is the byte of the word where the tensor begins; an address is its first four bytes.

fn marker(w: &[u8; 64], at: usize) -> u8 {
    w[at + 3] & 0xE0
}

fn address(w: &[u8; 64], at: usize) -> u32 {
    u32::from_le_bytes([w[at], w[at + 1], w[at + 2], w[at + 3] & 0x1F])
}

/// Markers whose address field is not an address the word tells: register (bit 31) or indirect.
fn address_unknown(w: &[u8; 64], at: usize) -> bool {
    matches!(marker(w, at), 0x80 | 0xC0 | 0xE0 | 0x20 | 0xA0)
}

fn sbuf_stride(g: Gen) -> u32 {
    if g == Gen::Maverick { 0x10_0000 } else { 0x40000 }
}

fn sbuf_active(g: Gen) -> u32 {
    match g {
        Gen::Sunda => 0x30000,
        Gen::Cayman => 0x38000,
        Gen::Mariana | Gen::MarianaPlus => 0x40000,
        Gen::Maverick => 0x80000,
    }
}

fn in_sbuf(addr: u32, g: Gen) -> bool {
    addr < if g == Gen::Maverick { 0x800_0000 } else { 0x200_0000 }
}

fn in_psum(addr: u32, g: Gen) -> bool {
    g != Gen::Maverick && (0x200_0000..0x240_0000).contains(&addr)
}

fn in_sbuf_or_unknown(w: &[u8; 64], g: Gen, at: usize) -> bool {
    address_unknown(w, at) || in_sbuf(address(w, at), g)
}

fn tensors_in_sbuf(w: &[u8; 64], g: Gen) -> bool {
    in_sbuf_or_unknown(w, g, 16) && in_sbuf_or_unknown(w, g, 32) && in_sbuf_or_unknown(w, g, 48)
}

fn sbuf_partition_zero(w: &[u8; 64], g: Gen, at: usize) -> bool {
    let addr = address(w, at);
    address_unknown(w, at) || !in_sbuf(addr, g) || addr < sbuf_stride(g)
}

fn starts_ok(w: &[u8; 64], g: Gen, n: u8) -> bool {
    start_ok(w, g, n, 16) && start_ok(w, g, n, 32) && start_ok(w, g, n, 48)
}

fn start_ok(w: &[u8; 64], g: Gen, n: u8, at: usize) -> bool {
    if address_unknown(w, at) {
        return true;
    }
    let addr = address(w, at);
    let partition = if in_sbuf(addr, g) {
        addr / sbuf_stride(g)
    } else if in_psum(addr, g) {
        (addr - 0x200_0000) / 0x8000
    } else {
        return true;
    };
    match n {
        1..=32 => matches!(partition, 0 | 32 | 64 | 96),
        33..=64 => matches!(partition, 0 | 64),
        65..=128 => partition == 0,
        _ => true,
    }
}

fn partitions_ok(w: &[u8; 64], g: Gen) -> bool {
    if address_unknown(w, 16) || address_unknown(w, 32) {
        return true;
    }
    let (a, b) = (address(w, 16), address(w, 32));
    if (in_psum(a, g) && in_sbuf(b, g)) || (in_sbuf(a, g) && in_psum(b, g)) {
        return true;
    }
    let quadrant = 32 * sbuf_stride(g);
    let a_in_window = in_sbuf(a, g) && a % quadrant < sbuf_active(g);
    let b_in_window = in_sbuf(b, g) && b % quadrant < sbuf_active(g);
    a_in_window && b_in_window && a / quadrant == b / quadrant
}

// Tensors: address, then the steps, then the counts, all 16 bits wide.

fn half(w: &[u8; 64], at: usize) -> u16 {
    u16::from_le_bytes([w[at], w[at + 1]])
}

fn tensors3d_ok(w: &[u8; 64], g: Gen, lo: u8, hi: u8, out: u8) -> bool {
    let sources = tensor3d_ok(w, g, 16, lo, false) && tensor3d_ok(w, g, 32, hi, false);
    sources && tensor3d_ok(w, g, 48, out, true)
}

fn tensor3d_ok(w: &[u8; 64], g: Gen, at: usize, dtype: u8, write: bool) -> bool {
    let counts = half(w, at + 10) != 0 && half(w, at + 12) != 0 && half(w, at + 14) != 0;
    // A write into PSUM needs a type of four bytes.
    let psum_ok = !write || (0x08..=0x0B).contains(&dtype);
    tensor_ok(w, g, at, dtype, psum_ok, counts)
}

fn tensor2d_ok(w: &[u8; 64], g: Gen, at: usize, dtype: u8) -> bool {
    let counts = half(w, at + 8) != 0 && half(w, at + 10) != 0;
    tensor_ok(w, g, at, dtype, false, counts)
}

fn tensor_ok(w: &[u8; 64], g: Gen, at: usize, dtype: u8, psum_ok: bool, counts: bool) -> bool {
    let register = w[at] < 64 && w[at + 1] == 0 && w[at + 2] == 0;
    let addr = address(w, at);
    let memory = in_sbuf(addr, g) || (psum_ok && in_psum(addr, g));
    let immediate = aligned(addr, dtype) && memory;
    match marker(w, at) {
        0x00 => immediate && counts,
        0x40 => immediate,
        0x80 => register && counts,
        0xC0 => register,
        0x20 | 0xA0 => true,
        _ => false,
    }
}

fn aligned(addr: u32, dtype: u8) -> bool {
    match dtype {
        0x02 | 0x03 | 0x0D | 0x0E | 0x0F => true,
        0x04..=0x07 => addr.is_multiple_of(2),
        0x08..=0x0B => addr.is_multiple_of(4),
        0x01 | 0x0C => addr.is_multiple_of(8),
        _ => false,
    }
}

/// Whether the counts in the word are the counts that will be used: no shape register, not indirect.
fn counts_known(w: &[u8; 64], at: usize) -> bool {
    !matches!(marker(w, at), 0x40 | 0xC0 | 0x20 | 0xA0)
}

fn counts3d_equal(w: &[u8; 64], a: usize, b: usize) -> bool {
    let of = |at| u64::from(half(w, at + 10)) * u64::from(half(w, at + 12)) * u64::from(half(w, at + 14));
    !counts_known(w, a) || !counts_known(w, b) || of(a) == of(b)
}

fn counts2d_equal(w: &[u8; 64], a: usize, b: usize) -> bool {
    let of = |at| u64::from(half(w, at + 8)) * u64::from(half(w, at + 10));
    !counts_known(w, a) || !counts_known(w, b) || of(a) == of(b)
}

fn bf16_packed(w: &[u8; 64], at: usize) -> bool {
    let steps = half(w, at + 4) == 1 && half(w, at + 6) & 1 == 0 && half(w, at + 8) & 1 == 0;
    match marker(w, at) {
        0x20 | 0xA0 => true,
        0x40 | 0xC0 => steps,
        _ => steps && half(w, at + 10) & 1 == 0,
    }
}
