//! Changes of width: extend, clamp, move.

use super::alu::{clamped, low, signed};
use super::row::leaves;
use super::shape::{F32, I8, I16, I24, I32, I48, Port, int};

const B1: Port = int(1);
const B2: Port = int(2);
const B4: Port = int(4);
/// The whole 32-bit argument, of which the leaf reads the low half.
const LOW16_OF_32: Port = I32.named("low16");

leaves! {
    "Changes of width";
    Exact Printed "the sign filled in above" {
        sext_16_8 [I16; I8] lane(|a| low(signed(a, 8), 16));
        sext_32_8 [I32; I8] lane(|a| low(signed(a, 8), 32));
        sext_32_16 [I32; I16] lane(|a| low(signed(a, 16), 32));
        sext_2_1 [B2; B1] lane(|a| low(signed(a, 1), 2));
        sext_4_1 [B4; B1] lane(|a| low(signed(a, 1), 4));
        cvt32s_32_24 [I32; I24] lane(|a| low(signed(a, 24), 32));
        cvt24s_24_16 [I24; LOW16_OF_32] lane(|a| low(signed(a, 16), 24));
        cvt48s_48_32 [I48; I32] lane(|a| low(signed(a, 32), 48));
    }
    Exact Printed "zeros filled in above" {
        zeroext_16_8 [I16; I8] lane(|a| a & 0xFF);
        zeroext_32_16 [I32; I16] lane(|a| a & 0xFFFF);
        zeroext_48_32 [I48; I32] lane(|a| a & 0xFFFF_FFFF);
        cvt24u_24_16 [I24; LOW16_OF_32] lane(|a| a & 0xFFFF);
    }
    Exact Printed "clamped to the signed lane" {
        sats_8_16 [I8; I16] lane(|a| clamped(signed(a, 16), 8));
        sats_16_24 [I16; I24] lane(|a| clamped(signed(a, 24), 16));
        sats_16_32 [I16; I32] lane(|a| clamped(signed(a, 32), 16));
        sats_32_48 [I32; I48] lane(|a| clamped(signed(a, 48), 32));
    }
    Exact Printed "the low bits" {
        mov_16_32 [I16; I32] lane(|a| a & 0xFFFF);
    }
    Exact Printed "the bits as they are" {
        mov_32f_32f [F32; F32] lane(|a| a & 0xFFFF_FFFF);
    }
}
