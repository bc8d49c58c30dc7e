//! The second reading of the scalar forms: 0x43 0x53 0x44 0x54, 0x9D 0x9E 0xE5, 0x46 0x47.

use super::*;

/// The opcodes that this file covers.
pub const OPCODES: [u8; 9] = [0x43, 0x53, 0x44, 0x54, 0x9D, 0x9E, 0xE5, 0x46, 0x47];

/// As `super::first_failed`.
pub fn first_failed(w: &[u8; 64], g: Gen, engine: Engine) -> Option<&'static str> {
    rule!("has_valid_neuron_header", w[1] == 0x10);
    rule!("has_valid_neuron_events", events_ok(w, g));
    let failed = match w[0] {
        0x43 | 0x53 | 0x44 | 0x54 => tensor_scalar(w, g),
        0x9D | 0x9E | 0xE5 => scalar_tensor_tensor(w, g),
        0x46 | 0x47 => copy_cast(w, g),
        other => panic!("opcode 0x{other:02X} is not covered"),
    };
    if failed.is_some() || engine != Engine::Pool {
        return failed;
    }
    let row = match w[0] {
        0x43 | 0x44 => g == Gen::Sunda,
        0x46 | 0x47 => true,
        _ => false,
    };
    rule!("kernel_info_table", row);
    let (src, dst) = if w[0] & 0xFE == 0x46 { (12, 44) } else { (16, 48) };
    rule!("pool_tensors_in_sbuf", in_sbuf_or_unknown(w, g, src) && in_sbuf_or_unknown(w, g, dst));
    None
}

fn tensor_scalar(w: &[u8; 64], g: Gen) -> Option<&'static str> {
    let bits = w[0] & 0x10 != 0;
    let (op0, op1, input, out) = (w[36], w[37], w[32], w[33]);
    let imm = |at: usize| u32::from_le_bytes([w[at], w[at + 1], w[at + 2], w[at + 3]]);
    let both = |class: fn(u8, Gen) -> bool| class(op0, g) && class(op1, g);
    let lone_rsqrt = op0 == 0x1D && op1 == 0 && w[40..48] == [0; 8] && w[35] == 0 && w[39] == 0;
    let arith = both(general_arith_op) || lone_rsqrt || (g == Gen::Maverick && dve_int(op0) && dve_int(op1));
    let class = if bits { bitvec_op(op0) && bitvec_op(op1) } else { arith };
    let enums = op_in_enum(op0, g) && op_in_enum(op1, g);
    rule!("tensor_scalar_valid_ops", enums && class && (op0 != 0 || op1 == 0));
    rule!("tensor_scalar_valid_types", !bits || (input == out && int_to_32(input)));
    // What a scalar in memory is aligned to.
    let align = if bits { width(input) } else { 4 };
    let pointer = |at: usize| suits_channels(imm(at), g, w[34]) && imm(at) % align == 0;
    if w[0] & 0x07 == 0x04 {
        rule!("tensor_scalar_ptr_immediates", pointer(40) && pointer(44));
        rule!("tensor_scalar_ptr_imm_src", w[35] == 0 && w[39] == 0);
    } else {
        let one = |src: u8, at: usize| match src {
            0 if !bits || width(input) == 4 => true,
            0 if width(input) == 2 => imm(at) & 0xFFFF_0000 == 0,
            0 => imm(at) & 0xFFFF_FF00 == 0,
            1 => pointer(at),
            2 => imm(at) < 64,
            _ => false,
        };
        rule!("tensor_scalar_immediates_check", one(w[35], 40) && one(w[39], 44));
    }
    let left_right = matches!(op0, 0x02 | 0x10) && matches!(op1, 0x03 | 0x11);
    let arithmetic_right = op0 == 0x03 || op1 == 0x03;
    rule!("tensor_scalar_shift_chk", width(input) == 4 || !(left_right || arithmetic_right));
    rule!("tensor_scalar_tensor_chk", counts_equal(w, 16, 48, 3));
    rule!("tensor_scalar_reverse_chk", w[38] <= 3);
    rule!("s3d3_ts_reserved_zero", w[13..16] == [0; 3]);
    rule!("is_valid_dtype", dtype_ok(input, false, false) && dtype_ok(out, true, false));
    rule!("has_zero_accum_cmd_field", w[12] == 0);
    rule!("has_valid_active_channel_range", (1..=128).contains(&w[34]));
    let starts = start_ok(w, g, w[34], 16) && start_ok(w, g, w[34], 48);
    let tensors = tensor_nd_ok(w, g, 16, 3, input, false) && tensor_nd_ok(w, g, 48, 3, out, true);
    if matches!(g, Gen::Sunda | Gen::Cayman) {
        rule!("start_addr_active_channels", starts);
        rule!("tensor3d_valid", tensors);
    } else {
        rule!("check_m3d_active_channels", starts);
        rule!("mem3d_valid", tensors);
    }
    None
}

fn scalar_tensor_tensor(w: &[u8; 64], g: Gen) -> Option<&'static str> {
    let (op0, op1, n) = (w[36], w[37], w[42]);
    let (lo, hi, out, scalar) = (w[40] & 15, w[40] >> 4, w[41], w[43]);
    let bits = w[0] == 0x9E;
    rule!("is_valid_dtype", dtype_ok(lo, false, false) && dtype_ok(hi, false, false));
    rule!("is_valid_dtype", dtype_ok(scalar, false, false) && dtype_ok(out, true, false));
    rule!("s2s2d2_stt_imm0_dtype", bits || w[39] == 1 || w[39] == 2 || scalar == 0x0A);
    rule!("is_valid_enum", op_in_enum(op0, g) && op_in_enum(op1, g));
    let arith = general_arith_op(op0, g) && general_arith_op(op1, g);
    if w[0] == 0xE5 {
        rule!("has_valid_tensor_tensor_scan_op", arith);
    } else {
        let bitvec = general_bitvec_op(op0) && general_bitvec_op(op1);
        rule!("has_valid_scalar_tensor_tensor_op", if bits { bitvec } else { arith });
        let ints = [lo, hi, out, scalar].into_iter().all(int_to_32);
        rule!("has_valid_scalar_tensor_tensor_dtypes", !bits || ints);
        rule!("s2s2d2_stt_src_dst_dtype", !bits || (lo == out && hi == out && scalar == out));
    }
    let value = u32::from_le_bytes([w[60], w[61], w[62], w[63]]);
    let immediate = match w[39] {
        0 => true,
        1 => suits_channels(value, g, n) && value.is_multiple_of(width(scalar)),
        2 => value < 64,
        _ => false,
    };
    rule!("has_valid_s2s2d2_stt_immediate", immediate);
    let starts = start_ok(w, g, n, 12) && start_ok(w, g, n, 24) && start_ok(w, g, n, 48);
    rule!("start_addr_active_channels", starts);
    let sources = tensor_nd_ok(w, g, 12, 2, lo, false) && tensor_nd_ok(w, g, 24, 2, hi, false);
    rule!("tensor2d_valid", sources && tensor_nd_ok(w, g, 48, 2, out, true));
    rule!("check_active_channels", (1..=128).contains(&n));
    rule!("s2s2d2_stt_src_element_cnt_check", counts_equal(w, 12, 24, 2));
    rule!("s2s2d2_stt_dst_element_cnt_check", counts_equal(w, 12, 48, 2));
    rule!("tt_valid_partitions", partitions_ok_at(w, g, 12, 24));
    if w[0] == 0xE5 {
        rule!("has_zero_accum_cmd", w[44] == 0);
    } else {
        rule!("has_valid_s2s2d2_stt_accum_cmd", w[44] == 0 || (!bits && (w[44] == 2 || w[44] == 3)));
    }
    rule!("is_valid_enum", w[38] <= 3);
    rule!("has_s2s2d2_stt_reserved_zero", w[45..48] == [0; 3]);
    None
}

fn copy_cast(w: &[u8; 64], g: Gen) -> Option<&'static str> {
    let (input, out, n) = (w[32], w[33], w[34]);
    rule!("s4d4_tr_reserved_zero", w[39..44] == [0; 5]);
    rule!("mask_enable_zero", w[38] == 0);
    rule!("is_valid_dtype", dtype_ok(input, false, false) && dtype_ok(out, true, false));
    rule!("is_valid_enum", op_in_enum(w[36], g));
    rule!("is_zero_subdim", w[37] == 0 || w[37] == 2);
    rule!("has_valid_active_channel_range", (1..=128).contains(&n));
    rule!("start_addr_active_channels", start_ok(w, g, n, 12) && start_ok(w, g, n, 44));
    let tensors = tensor_nd_ok(w, g, 12, 4, input, false) && tensor_nd_ok(w, g, 44, 4, out, true);
    rule!("tensor4d_valid", tensors);
    rule!("s4d4_tr_same_src_dst_count", counts_equal(w, 12, 44, 4));
    rule!("s4d4_tr_op_bypass", w[36] == 0);
    rule!("s4d4_tr_same_src_dst_type", w[0] == 0x47 || input == out);
    rule!("has_zero_negated_field", w[35] == 0);
    None
}

fn bitvec_op(op: u8) -> bool {
    matches!(op, 0x00..=0x03 | 0x0A..=0x0C | 0x10 | 0x11 | 0x1C)
}

fn dve_int(op: u8) -> bool {
    matches!(op, 0x00 | 0xC4..=0xC6 | 0xC9..=0xCD | 0xCF..=0xD4)
}

fn int_to_32(dtype: u8) -> bool {
    matches!(dtype, 0x02..=0x05 | 0x08 | 0x09)
}

/// Bytes of an element; 1 for what is no dtype, whose rule has failed by then.
fn width(dtype: u8) -> u32 {
    match dtype {
        0x04..=0x07 => 2,
        0x08..=0x0B => 4,
        0x01 | 0x0C => 8,
        _ => 1,
    }
}

fn suits_channels(address: u32, g: Gen, n: u8) -> bool {
    // The same table as for a tensor, on an address that has no marker.
    let mut pattern = [0; 64];
    pattern[..4].copy_from_slice(&address.to_le_bytes());
    address >= 0x2000_0000 || start_ok(&pattern, g, n, 0)
}

fn partitions_ok_at(w: &[u8; 64], g: Gen, src0: usize, src1: usize) -> bool {
    // `partitions_ok` looks at the places of S3S3D3_TT.
    let mut moved = [0; 64];
    moved[16..20].copy_from_slice(&w[src0..src0 + 4]);
    moved[32..36].copy_from_slice(&w[src1..src1 + 4]);
    partitions_ok(&moved, g)
}

fn counts_equal(w: &[u8; 64], a: usize, b: usize, dims: usize) -> bool {
    let product = |at: usize| (0..dims).map(|d| u128::from(half(w, at + 4 + 2 * dims + 2 * d))).product::<u128>();
    !counts_known(w, a) || !counts_known(w, b) || product(a) == product(b)
}

fn tensor_nd_ok(w: &[u8; 64], g: Gen, at: usize, dims: usize, dtype: u8, write: bool) -> bool {
    let counts = (0..dims).all(|d| half(w, at + 4 + 2 * dims + 2 * d) != 0);
    let psum_ok = !write || (0x08..=0x0B).contains(&dtype);
    tensor_ok(w, g, at, dtype, psum_ok, counts)
}
