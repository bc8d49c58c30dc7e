//! Leaves that no source gives a rule for. They are named, so that asking for one says what is missing.

use super::row::{Body, Grounds, Leaf, Origin};

const fn unknown(name: &'static str, origin: Origin, reason: &'static str) -> Leaf {
    Leaf {
        name,
        inputs: &[],
        outputs: &[],
        rule: "not modelled",
        section: "Not modelled",
        grounds: Grounds::Unknown,
        origin,
        body: Body::NotModelled(reason),
    }
}

const PACKING: &str = "no source says how the two results are packed into one register";
const MINUS: &str = "no source gives the value of the minus variant";
const NEGATED: &str = "no source says which of product and accumulator is negated, and what `one` adds";
const ROM: &str = "a seed from a table whose contents are not public";
const STEP: &str = "one step of the divide chain: the layout of residue and quotient between steps is not public";
const SUMS: &str = "no source says which lanes and which coefficients are multiplied";
const HALVES: &str = "no source says which halves are multiplied";
const DIFFERENCE: &str = "no source says which product is subtracted from which";
const COPIES: &str = "a copy of packvr_16_48_32; no source says how it differs";
const HALF: &str = "no source says what the two halves are and whether they clamp";
const CLAMP: &str = "no source says whether the leaf clamps or cuts";
const INDEX: &str = "no source says what an index beyond the register does";
const SHAPE: &str = "no source gives inputs, outputs and rule";
const FIELDS: &str = "the fields of the word are known, the leaf's inputs and outputs are not";
const PATTERNS: &str = "the patterns behind the immediates are not public";
const MODE: &str =
    "only the head of the name is public; float16_rm_1_16f_16_32_2 is the conversion that the hardware does";

use Origin::{ByAnalogy, Printed};

pub(super) static ROWS: &[Leaf] = &[
    unknown("minormax_8_8_8", ByAnalogy, PACKING),
    unknown("minormaxu_8_8_8", ByAnalogy, PACKING),
    unknown("addexpm_16f_16f_16f", ByAnalogy, MINUS),
    unknown("addexpm_32f_32f_32f", ByAnalogy, MINUS),
    unknown("mulann", Printed, NEGATED),
    unknown("mulsone", Printed, NEGATED),
    unknown("recip0", Printed, ROM),
    unknown("rsqrt0", Printed, ROM),
    unknown("sqrt0", Printed, ROM),
    unknown("div0", Printed, ROM),
    unknown("nexp0", Printed, ROM),
    unknown("recipqli", Printed, ROM),
    unknown("divn", Printed, STEP),
    unknown("mulpd", Printed, DIFFERENCE),
    unknown("mula2n8xr16_24_24_8_64", Printed, SUMS),
    unknown("mul4tan16xr16_1536_1536_512_512_64", Printed, SUMS),
    unknown("mul4ta2n8xr8_1536_1536_512_512_64", Printed, SUMS),
    unknown("dmulq2n8dxr8", Printed, SUMS),
    unknown("mul_96_64c_64c_c_0", Printed, HALVES),
    unknown("mul_96_64c_64c_c_1", Printed, HALVES),
    unknown("mula_96_64c_64c_c_0", Printed, HALVES),
    unknown("mula_96_64c_64c_c_1", Printed, HALVES),
    unknown("packvr_16_48_32__0", Printed, COPIES),
    unknown("packvr_16_48_32__1", Printed, COPIES),
    unknown("cvt16s_16_24l", Printed, HALF),
    unknown("cvt16s_16_24h", Printed, HALF),
    unknown("cvtg48_48_32_16_l", Printed, HALF),
    unknown("cvtg48_48_32_16_h", Printed, HALF),
    unknown("cvt24u_24_32", Printed, CLAMP),
    unknown("extbi_1_8_32", Printed, INDEX),
    unknown("extbi_2_16_32", Printed, INDEX),
    unknown("extbi_4_32_32", Printed, INDEX),
    unknown("injbi_8_8_1_32", Printed, INDEX),
    unknown("rep_16_8", Printed, SHAPE),
    unknown("const_n", Printed, SHAPE),
    unknown("const_nx16f", Printed, SHAPE),
    unknown("shiftamtsat_16", Printed, SHAPE),
    unknown("shiftamtsat_32", Printed, SHAPE),
    unknown("tzc", Printed, SHAPE),
    unknown("bitrev", Printed, SHAPE),
    unknown("wideldshift", Printed, SHAPE),
    unknown("sav", Printed, SHAPE),
    unknown("rbmin", Printed, SHAPE),
    unknown("rbmax", Printed, SHAPE),
    unknown("rbminu", Printed, SHAPE),
    unknown("rbmaxu", Printed, SHAPE),
    unknown("rband", Printed, SHAPE),
    unknown("rbor", Printed, SHAPE),
    unknown("dcmprs_clamp", Printed, SHAPE),
    unknown("movscfv", Printed, FIELDS),
    unknown("sel_2nx8i", ByAnalogy, PATTERNS),
    unknown("shfl_2nx8i", ByAnalogy, PATTERNS),
    unknown("dsel_2nx8i", ByAnalogy, PATTERNS),
    unknown("dsel_2nx8i_h", ByAnalogy, PATTERNS),
    unknown("float16_1_16f_16_32_2", ByAnalogy, MODE),
    unknown("ufloat16_1_16f_16_32_2", ByAnalogy, MODE),
];
