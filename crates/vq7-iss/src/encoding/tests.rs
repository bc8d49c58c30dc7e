use super::slot_word::{self, Window};
use super::*;
use crate::bundle::Arg;
use crate::format::FORMATS;
use crate::mnemonic;
use crate::timing::Bank;
use std::collections::BTreeSet;

const WITNESSES: &str = include_str!("../../../../vectors/n0_selectors.csv");

/// Mnemonic, bundle and operands of a row of the file.
fn witnesses() -> Vec<(String, u64, Vec<String>)> {
    let row = |line: &str| {
        let (name, _) = line.split_once(',').expect("a name");
        let at = line.rfind(",0x").expect("a bundle");
        let (bundle, operands) = line[at + 3..].split_once(',').expect("operands");
        let operands = operands.trim_matches('"').split([',', ' ']).map(str::to_owned).collect();
        (name.to_owned(), u64::from_str_radix(bundle, 16).expect("hex"), operands)
    };
    WITNESSES.lines().skip(1).map(row).collect()
}

#[test]
fn every_witness_decodes_to_its_text_and_encodes_back() {
    let all = witnesses();
    assert_eq!(all.len(), 42);
    for (name, bundle, operands) in all {
        let decoded = decode(&bundle.to_le_bytes()).expect("a bundle");
        let text = format!("{name} {}", operands.join(", "));
        assert_eq!(decoded.to_string(), format!("N0 {{ s0 nop; s1 nop; s2 nop; s3 {text} }}"));
        let Content::Op { op, trust, .. } = &decoded.slots[3] else { panic!("{name}") };
        assert_eq!(*trust, Trust::Fitted);
        let numbers: Vec<u32> =
            operands.iter().map(|operand| operand.trim_start_matches(['v', 'b']).parse().expect("a number")).collect();
        let upper = name.trim_start_matches("ivp_").to_ascii_uppercase();
        assert_eq!(n0::lone(&upper, &numbers), Some(bundle), "{name}");
        if upper == "CVTF32F16" {
            assert!(op.is_none(), "known by its bundle only");
            continue;
        }
        let op = op.clone().unwrap_or_else(|| panic!("{name} has a row"));
        assert_eq!(op.to_string(), text);
        let again = Bundle::new(Format::named("N0").expect("a format"), vec![(3, op)]).expect("a bundle");
        assert_eq!(encode(&again), Ok(bundle.to_le_bytes().to_vec()), "{name}");
    }
}

/// No word is of two rows, whatever its operands.
#[test]
fn every_op_of_n0_comes_back_with_any_operands() {
    let n0 = Format::named("N0").expect("a format");
    for name in n0::names() {
        let Some(mnemonic) = mnemonic::find(name) else { continue };
        for first in 0..32u8 {
            let args: Vec<Arg> = mnemonic
                .operands
                .iter()
                .zip(0u8..)
                .map(|(operand, index)| match operand.role {
                    mnemonic::Role::Immediate { bits, .. } => Arg::Imm(i64::from(first) & ((1 << bits) - 1)),
                    _ => Arg::Reg(operand.bank.cell((first + 7 * index) % operand.bank.entries()).expect("a register")),
                })
                .collect();
            let op = Op::new(mnemonic, &args).expect("operands");
            let Ok(bundle) = Bundle::new(n0, vec![(3, op.clone())]) else { continue };
            let bytes = encode(&bundle).expect("known");
            let Content::Op { op: Some(back), .. } = &decode(&bytes).expect("a bundle").slots[3] else {
                panic!("{op}")
            };
            assert_eq!(*back, op);
        }
    }
}

#[test]
fn the_printed_compares_and_stores_of_n2_decode() {
    // base | vb0, v1, v2
    let compare = |base: u64| base | 1 << 5 | 1 << 9;
    for (base, text) in [
        (0x029c_58e4_9c04_000f, "ivp_eqnx16 vb0, v1, v2"),
        (0x029c_5a46_9c04_000f, "ivp_ltnx16 vb0, v1, v2"),
        (0x029c_5a84_9c04_000f, "ivp_ltunx16 vb0, v1, v2"),
        (0x029c_5a02_9c04_000f, "ivp_lenx16 vb0, v1, v2"),
        (0x029c_5ac2_9c04_000f, "ivp_neqnx16 vb0, v1, v2"),
    ] {
        let decoded = decode(&compare(base).to_le_bytes()).expect("a bundle");
        assert_eq!(decoded.to_string(), format!("N2 {{ s0 {text}; s1 nop }}"));
    }
    // Offsets 0, 64, 128, -64 and 448 give 0, 1, 2, f and 7 in the upper half of the first byte.
    for (offset, nibble) in [(0i64, 0u64), (64, 1), (128, 2), (-64, 15), (448, 7)] {
        let word = 0x029c_5e94_9c04_000f | nibble << 4 | 4 << 8 | (17 & 15) << 12 | (17 >> 4) << 25;
        let decoded = decode(&u64::to_le_bytes(word)).expect("a bundle");
        assert_eq!(decoded.to_string(), format!("N2 {{ s0 ivp_sv2nx8_ip v17, a4, {offset}; s1 nop }}"));
        let Content::Op { op: Some(op), .. } = &decoded.slots[0] else { panic!("an op") };
        let bundle = Bundle::new(decoded.format, vec![(0, op.clone())]).expect("a bundle");
        assert_eq!(encode(&bundle), Ok(word.to_le_bytes().to_vec()));
    }
}

/// Printed bundles of formats whose slots are not published: framed, and their slots left alone.
#[test]
fn other_printed_bundles_are_framed() {
    for (hex, format, bytes) in [
        ("029c48309c04020f", "N2", 8),
        ("02a462293814c52f", "N2", 8),
        ("02a56f008800352f", "N1", 8),
        ("0000000000000000004102564142ff4f", "F0", 16),
        ("0009191448c08300950022108504452f", "F0", 16),
        ("0006014220a0850618200410b334252f", "F2", 16),
    ] {
        let mut raw: Vec<u8> =
            (0..hex.len() / 2).map(|at| u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).expect("hex")).collect();
        raw.reverse();
        let decoded = decode(&raw).expect("a bundle");
        assert_eq!((decoded.format.name, decoded.bytes.len()), (format, bytes), "{hex}");
        assert!(decoded.slots.iter().all(|slot| *slot == Content::Unknown(None)), "{hex}");
    }
    let addi = decode(&0x2120_c311_80a0_804fu64.to_le_bytes()).expect("a bundle");
    assert!(addi.to_string().starts_with("N0 { s0 addi a4, a0, 24; s1 nop; s2 nop; s3 ?0x"), "{addi}");
}

#[test]
fn bytes_that_are_no_bundle_say_why() {
    assert_eq!(decode(&[]), Err(DecodeError::Empty));
    let illegal = decode(&[0x0f, 0, 0, 0x07, 0, 0, 0, 0]).unwrap_err();
    assert!(illegal.to_string().contains("0x0f") && illegal.to_string().contains("0x07"), "{illegal}");
    let short = decode(&[0x2f, 0x45]).unwrap_err();
    assert_eq!(short.to_string(), "the first 4 bytes say which format it is, and there are 2");
    let short = decode(&0x3251_8900_20c1_452fu64.to_le_bytes()[..7]).unwrap_err();
    assert_eq!(short.to_string(), "a bundle of N0 has 8 bytes, and there are 7");
    assert_eq!(decode(&[0x00, 0x00]).unwrap_err(), DecodeError::Short { format: Some("x24"), needs: 3, has: 2 });
}

/// Every combination of first and fourth byte has the length of the table, or none.
#[test]
fn every_first_and_fourth_byte_is_framed_by_the_table() {
    for first in 0..=255u8 {
        for fourth in 0..=255u8 {
            let mut bytes = [0u8; 16];
            (bytes[0], bytes[3]) = (first, fourth);
            let decoded = decode(&bytes).map(|decoded| decoded.bytes.len());
            assert_eq!(decoded.ok(), length(first, fourth).map(usize::from), "{first:#x} {fourth:#x}");
        }
    }
}

#[test]
fn what_is_not_published_is_refused() {
    let op = |name: &str, args: &[Arg]| Op::new(mnemonic::find(name).expect("a row"), args).expect("operands");
    let v = |number: u8| Arg::Reg(Bank::Vec.cell(number).expect("a register"));
    let add = op("ADDNX16", &[v(3), v(1), v(2)]);
    let f0 = Bundle::new(Format::named("F0").expect("a format"), vec![(3, add)]).expect("a bundle");
    assert!(encode(&f0).unwrap_err().to_string().contains("F0"));
    let other = op("ADDN_2XF32", &[v(3), v(1), v(2)]);
    let n0 = Bundle::new(Format::named("N0").expect("a format"), vec![(3, other)]).expect("a bundle");
    let refused = encode(&n0).unwrap_err().to_string();
    assert!(refused.contains("ivp_addn_2xf32") && refused.contains("N0.S3"), "{refused}");
}

#[test]
fn slot_words_of_f0_come_back() {
    let mut words = BTreeSet::new();
    let mut count = 0;
    for mnemonic in mnemonic::all().filter(|mnemonic| mnemonic.selector.is_some()) {
        if slot_word::windows(mnemonic).is_none() {
            continue;
        }
        let selector = mnemonic.selector.expect("filtered");
        assert!(words.insert(selector), "{}: a selector twice", mnemonic.name);
        count += 1;
        for first in 0..16u8 {
            let register = |(operand, index): (&mnemonic::Operand, u8)| {
                Arg::Reg(operand.bank.cell((first + 3 * index) % operand.bank.entries()).expect("a register"))
            };
            let args: Vec<Arg> = mnemonic.operands.iter().zip(0..).map(register).collect();
            let op = Op::new(mnemonic, &args).expect("operands");
            let word = slot_word::encode(&op).expect("known");
            assert_eq!(slot_word::decode(word), Some(op.clone()), "{op}: {word:#x}");
        }
    }
    assert!(count >= 80, "{count}");
    // The template with zeros for operands is the printed constant.
    let add = mnemonic::find("ADDNX16").expect("a row");
    let zero = Arg::Reg(Bank::Vec.cell(0).expect("a register"));
    assert_eq!(slot_word::encode(&Op::new(add, &[zero; 3]).expect("operands")), Ok(0x80b5_0000));
}

#[test]
fn windows_hold_what_they_are_given() {
    for window in [Window::A, Window::B, Window::C, Window::ISEL] {
        let bits = window.0.len() as u32;
        for value in 0..1 << bits {
            assert_eq!(window.get(window.put(value).expect("fits")), value);
        }
        assert_eq!(window.put(1 << bits), None);
        assert_eq!(window.mask().count_ones(), bits);
    }
}

/// Formats that can be encoded are those whose bits are known.
#[test]
fn every_bit_of_n0_has_one_place() {
    for bit in 0..64u32 {
        let word = 1u64 << bit;
        let decoded = n0::decode(word);
        let format = FORMATS.iter().find(|format| format.name == "N0").expect("a format");
        let is_format = u64::from(format.mask) >> bit & 1 == 1;
        let none = n0::decode(0);
        assert_eq!(decoded == none, is_format, "bit {bit}");
    }
}
