use super::*;
use crate::mnemonic;
use crate::timing::Bank;

fn v(reg: u8) -> Arg {
    Arg::Reg(Bank::Vec.cell(reg).unwrap())
}

fn a(reg: u8) -> Arg {
    Arg::Reg(Bank::Ar.cell(reg).unwrap())
}

fn op(name: &str, args: &[Arg]) -> Op {
    Op::new(mnemonic::find(name).unwrap(), args).unwrap()
}

#[test]
fn a_copy_fits_one_bundle() {
    let load = op("LV2NX8_IP", &[v(0), a(2), Arg::Imm(64)]);
    let store = op("SV2NX8_IP", &[v(0), a(4), Arg::Imm(64)]);
    let bundle = Bundle::place(vec![load, store]).unwrap();
    assert_eq!(bundle.to_string(), "F0 { s0 ivp_sv2nx8_ip v0, a4, 64; s1 ivp_lv2nx8_ip v0, a2, 64 }");
}

#[test]
fn what_cannot_share_a_bundle_is_named() {
    let load = |reg, base| op("LV2NX8_IP", &[v(reg), a(base), Arg::Imm(64)]);
    let error = |ops| Bundle::place(ops).unwrap_err().to_string();
    assert!(error(vec![load(0, 2), load(1, 3), load(2, 4)]).contains("a third memory op"));
    assert!(error(vec![load(0, 2), load(0, 3)]).contains("two ops write v0"));
    let store = |reg| op("SV2NX8_I", &[v(reg), a(4), Arg::Imm(0)]);
    assert!(error(vec![store(0), store(1)]).contains("a second store"));
    let mul = |wv: u8| op("MULNX16", &[Arg::Reg(Bank::Wvec.cell(wv).unwrap()), v(1), v(2)]);
    assert!(error(vec![mul(0), mul(1)]).contains("no format has slots for ivp_mulnx16, ivp_mulnx16"));
    let f0 = Format::named("F0").unwrap();
    let error = Bundle::new(f0, vec![(3, mul(0))]).unwrap_err().to_string();
    assert!(error.starts_with("F0.S3 cannot host ivp_mulnx16; these can: F0.S2"), "{error}");
}

#[test]
fn operands_that_do_not_fit_are_named() {
    let new = |name: &str, args: &[Arg]| Op::new(mnemonic::find(name).unwrap(), args).unwrap_err().to_string();
    assert_eq!(new("ADDNX16", &[v(0)]), "ivp_addnx16 has 3 operands, not 1");
    assert_eq!(new("ADDNX16", &[v(0), a(1), v(2)]), "operand 2 of ivp_addnx16 is a register v0 to v31, not a1");
    let range = new("LV2NX8_IP", &[v(0), a(2), Arg::Imm(65)]);
    assert_eq!(range, "operand 3 of ivp_lv2nx8_ip is a constant from -512 to 448, a multiple of 64; 65 is not");
}
