//! Leaves on whole registers: select, shuffle, expand, align, reduce, predicate banks.

use super::alu::{clamped, low, signed};
use super::bits::Bits;
use super::row::leaves;
use super::shape::{I16, I32, I64, Port, VEC, int};

/// Bits of a vector register.
const REGISTER: u32 = 512;
const LANES_OF_8: usize = 64;
const BANKS: usize = 8;

/// Each lane from a pool of twice the lanes, `vs` below `vr`, by the index in the lane of `control` of `index_width` bits.
fn select(vs: &Bits, vr: &Bits, control: &Bits, width: u32, index_width: u32, first: usize) -> Bits {
    let lanes = (REGISTER / width) as usize;
    Bits::from_lanes(
        width,
        (0..lanes).map(|lane| {
            let index = control.lane(first + lane, index_width) as usize & (2 * lanes - 1);
            if index < lanes { vs.lane(index, width) } else { vr.lane(index - lanes, width) }
        }),
    )
}

/// Each lane from one register, by the index in the control's lane.
fn shuffle(vs: &Bits, control: &Bits, width: u32) -> Bits {
    let lanes = (REGISTER / width) as usize;
    let index = |lane| control.lane(lane, width) as usize & (lanes - 1);
    Bits::from_lanes(width, (0..lanes).map(|lane| vs.lane(index(lane), width)))
}

/// Two selections of one pool; the control has twice the lanes at half the width, those of the first output first.
fn select_twice(inputs: &[Bits], out: &mut [Bits], width: u32) {
    let lanes = (REGISTER / width) as usize;
    let [vs, vr, control] = [inputs[0], inputs[1], inputs[2]];
    out[0] = select(&vs, &vr, &control, width, width / 2, 0);
    out[1] = select(&vs, &vr, &control, width, width / 2, lanes);
}

/// Bytes spread to the lanes of a predicate in order; lane 63 of the source elsewhere.
fn expand(source: &Bits, predicate: u64) -> Bits {
    let mut taken = 0;
    Bits::from_lanes(
        8,
        (0..LANES_OF_8).map(|lane| {
            let kept = predicate >> lane & 1 == 1;
            let from = if kept { taken } else { LANES_OF_8 - 1 };
            taken += usize::from(kept);
            source.lane(from, 8)
        }),
    )
}

/// 64 bytes of the 128 of low and high, from byte `by` on.
fn align(from: &Bits, then: &Bits, by: u64) -> Bits {
    let byte = |at: usize| {
        if at < LANES_OF_8 { from.lane(at, 8) } else { then.lane(at - LANES_OF_8, 8) }
    };
    Bits::from_lanes(8, (0..LANES_OF_8).map(|at| byte(at + (by & 63) as usize)))
}

/// The signed 16-bit lanes of a register.
fn lanes_of_16(register: &Bits) -> impl Iterator<Item = i64> {
    (0..32).map(|lane| signed(register.lane(lane, 16), 16))
}

/// All banks in one.
fn any_bank(inputs: &[Bits]) -> u64 {
    inputs.iter().fold(0, |all, bank| all | bank.low_u64())
}

const VS: Port = VEC.named("vs");
const VR: Port = VEC.named("vr");
const CONTROL: Port = VEC.named("control");
const VB: Port = I64.named("vb");
const VT: Port = VEC.named("vt");
const VU: Port = VEC.named("vu");
const BY: Port = int(6).named("amount");

leaves! {
    "Whole registers";
    Exact Printed "lane = pool[control], the pool vs below vr, the index masked to it" {
        sel_nx16 [VEC; VS, VR, CONTROL] whole(|i, o| o[0] = select(&i[0], &i[1], &i[2], 16, 16, 0));
    }
    Exact ByAnalogy "lane = pool[control], the pool vs below vr, the index masked to it" {
        sel_2nx8 [VEC; VS, VR, CONTROL] whole(|i, o| o[0] = select(&i[0], &i[1], &i[2], 8, 8, 0));
        sel_n_2x32 [VEC; VS, VR, CONTROL] whole(|i, o| o[0] = select(&i[0], &i[1], &i[2], 32, 32, 0));
    }
    Exact Printed "lane = vs[control], the index masked to the lanes" {
        shfl_nx16 [VEC; VS, CONTROL] whole(|i, o| o[0] = shuffle(&i[0], &i[1], 16));
    }
    Exact ByAnalogy "lane = vs[control], the index masked to the lanes" {
        shfl_2nx8 [VEC; VS, CONTROL] whole(|i, o| o[0] = shuffle(&i[0], &i[1], 8));
        shfl_n_2x32 [VEC; VS, CONTROL] whole(|i, o| o[0] = shuffle(&i[0], &i[1], 32));
    }
    Assumed Printed "two selections of one pool; the control is read as half-width lanes: those of vt, then those of vu" {
        dsel_nx16 [VT, VU; VS, VR, CONTROL] whole(|i, o| select_twice(i, o, 16));
    }
    Assumed ByAnalogy "two selections of one pool; the control is read as half-width lanes: those of vt, then those of vu" {
        dsel_n_2x32 [VT, VU; VS, VR, CONTROL] whole(|i, o| select_twice(i, o, 32));
    }
    Exact Printed "byte k = vb[k] ? src[how many of vb are set below k] : src[63]" {
        dcmprs_2nx8 [VEC; VEC.named("src"), VB] whole(|i, o| o[0] = expand(&i[0], i[1].low_u64()));
    }
    Exact Printed "64 bytes of a then b, from byte amount on" {
        lashift_512_512_6 [VEC; VEC.named("a"), VEC.named("b"), BY]
            whole(|i, o| o[0] = align(&i[0], &i[1], i[2].low_u64()));
    }
    Exact Printed "the sum of 32 signed lanes" {
        radd_nx16_32_512 [I32; VEC] whole(|i, o| o[0] = low(lanes_of_16(&i[0]).sum(), 32).into());
    }
    Assumed Printed "the sum of 32 signed lanes, clamped once, at the end" {
        radds_nx16_16_512 [I16; VEC] whole(|i, o| o[0] = clamped(lanes_of_16(&i[0]).sum(), 16).into());
    }
    Reconciled ByAnalogy "the smallest of 32 signed lanes" {
        rmin_nx16_16_512 [I16; VEC] whole(|i, o| o[0] = low(lanes_of_16(&i[0]).min().unwrap_or(0), 16).into());
    }
    Reconciled ByAnalogy "the largest of 32 signed lanes" {
        rmax_nx16_16_512 [I16; VEC] whole(|i, o| o[0] = low(lanes_of_16(&i[0]).max().unwrap_or(0), 16).into());
    }
    Exact Printed "the eight predicate banks, ORed" {
        borfs_2n [I64; I64, I64, I64, I64, I64, I64, I64, I64] whole(|i, o| o[0] = any_bank(i).into());
    }
    Exact Printed "the eight predicate banks, ORed, then complemented" {
        bnorfs_2n [I64; I64, I64, I64, I64, I64, I64, I64, I64] whole(|i, o| o[0] = (!any_bank(i)).into());
    }
    Reconciled Printed "bank b, bit k = bit b of byte k" {
        movfsv [I64, I64, I64, I64, I64, I64, I64, I64; VEC] whole(|i, o| {
            for (bank, out) in o.iter_mut().enumerate() {
                *out = Bits::from_lanes(1, (0..LANES_OF_8).map(|byte| i[0].lane(byte * BANKS + bank, 1)));
            }
        });
    }
    Reconciled Printed "bit b of byte k = bank b, bit k" {
        movvfs [VEC; I64, I64, I64, I64, I64, I64, I64, I64] whole(|i, o| {
            o[0] = Bits::from_lanes(1, (0..512).map(|bit| i[bit % BANKS].lane(bit / BANKS, 1)));
        });
    }
}
