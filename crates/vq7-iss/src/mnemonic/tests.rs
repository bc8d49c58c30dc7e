use super::*;
use crate::format::SlotSet;
use crate::timing::Bank;
use vq7_num::leaf::Grounds;

#[test]
fn every_name_finds_its_row() {
    let mut names: Vec<_> = all().map(|row| row.name).collect();
    for row in all() {
        assert_eq!(find(row.name), Some(row), "{}", row.name);
        assert_eq!(find(&row.text()), Some(row), "{}", row.text());
    }
    names.sort_unstable();
    assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "a name twice");
    assert_eq!(find("ivp_addnx17"), None);
}

/// The grammar takes every name apart and puts it together again, and what it says of the lanes is what the row does.
#[test]
fn every_name_parses_and_prints() {
    for row in all() {
        let name = name::Name::parse(row.name);
        assert_eq!(name.to_string(), row.name);
        assert_eq!(find(&name.to_string()), Some(row));
        let merges = row.operands.first().is_some_and(|operand| operand.role == Role::Update)
            && row.operands.last().is_some_and(|operand| operand.bank == Bank::Vbool)
            || row.is_store() && row.operands.last().is_some_and(|operand| operand.bank == Bank::Vbool);
        let is_accumulator = row.operands.first().is_some_and(|operand| operand.bank == Bank::Wvec);
        assert!(is_accumulator || name.is_merging() == merges, "{}: {name:?}", row.name);
    }
    let parts = |text| {
        let name = name::Name::parse(text);
        (name.stem.to_owned(), name.shape.map(|shape| (shape.lanes, shape.bits, shape.float)), name.tail.to_owned())
    };
    assert_eq!(parts("ADDSNX16T"), ("ADDS".into(), Some((32, 16, false)), "T".into()));
    assert_eq!(parts("MINUN_2X32"), ("MINU".into(), Some((16, 32, false)), String::new()));
    assert_eq!(parts("CVTF32NXF16_0"), ("CVTF32".into(), Some((32, 16, true)), "_0".into()));
    assert_eq!(parts("LV2NX8_IP"), ("LV".into(), Some((64, 8, false)), "_IP".into()));
    assert_eq!(parts("ADDI"), ("ADDI".into(), None, String::new()));
}

#[test]
fn the_reconstruction_has_the_printed_number() {
    assert_eq!(census::names().count(), 89);
    let missing: Vec<_> = census::names().filter(|name| find(name).is_none()).collect();
    assert_eq!(missing, Vec::<String>::new());
    assert_eq!(census::alu_arithmetic().count(), 89);
}

/// A row without a rule says so, and only those do.
#[test]
fn every_leaf_is_in_the_library() {
    for row in all() {
        assert_eq!(row.body == Body::Unknown, row.grounds == Grounds::Unknown, "{}", row.name);
    }
}

fn places(names: &[&str]) -> u32 {
    names.iter().map(|name| find(name).unwrap_or_else(|| panic!("{name}")).slots.count()).sum()
}

fn family<'a>(stems: &'a [&str], lanes: &'a [&str]) -> Vec<String> {
    stems.iter().flat_map(|stem| lanes.iter().map(move |suffix| format!("{stem}{suffix}"))).collect()
}

fn places_of(stems: &[&str], lanes: &[&str]) -> u32 {
    family(stems, lanes).iter().map(|name| places(&[name])).sum()
}

/// The totals that the source prints.
#[test]
fn the_placements_add_up_to_the_sources_totals() {
    let all_lanes = ["2NX8", "NX16", "N_2X32"];
    let totals = [
        places_of(&["ADD"], &all_lanes) + places(&["ADDSNX16"]),
        places_of(&["SUB"], &all_lanes) + places(&["SUBSNX16"]),
        places_of(&["ABS"], &all_lanes) + places(&["ABSSNX16"]),
        places_of(&["NEG"], &all_lanes) + places(&["NEGSNX16"]),
        places_of(&["MIN", "MINU"], &all_lanes),
        places_of(&["MAX", "MAXU"], &all_lanes),
        places_of(&["EQ", "NEQ"], &all_lanes),
        places_of(&["LT", "LTU"], &all_lanes),
        places_of(&["LE", "LEU"], &all_lanes),
        places(&["AND2NX8", "OR2NX8", "XOR2NX8"]),
        places(&["NOT2NX8"]),
    ];
    assert_eq!(totals, [60, 60, 76, 76, 90, 90, 126, 126, 126, 45, 19]);
    // The source's own grand total of this list counts the compares otherwise: eq and neq, lt and le are printed as above.
    let b_forms: u32 = all()
        .filter(|row| row.name.starts_with('B') && row.is_vector() && row.name != "BXORABSSUBU2NX8")
        .map(|row| row.slots.count())
        .sum();
    assert_eq!(b_forms, 321);
    let merging = all().filter(|row| row.name.ends_with('T') && row.placement_is_integer_merge());
    assert_eq!(merging.map(|row| row.slots.count()).sum::<u32>(), 190);
    let shifts = all().filter(|row| ["SLL", "SRL", "SRA", "ROTR", "NSA"].iter().any(|stem| row.name.starts_with(stem)));
    let shifts: Vec<_> = shifts.filter(|row| row.is_vector()).collect();
    assert_eq!((shifts.len(), shifts.iter().map(|row| row.slots.count()).sum::<u32>()), (24, 266));
}

impl Mnemonic {
    fn placement_is_integer_merge(&self) -> bool {
        use crate::placement::Placement::{Alu13, Alu17};
        matches!(self.placement, Alu13 | Alu17)
            && !self.name.contains("XF")
            && self.name != "MOV2NX8T"
            && self.operands.first().is_some_and(|operand| operand.role == Role::Update)
    }
}

/// Every register operand has the stages of its file.
#[test]
fn stages_fit_the_files() {
    for row in all() {
        for operand in &row.operands {
            match (operand.bank, operand.role) {
                (Bank::Vec | Bank::Vbool, Role::Use | Role::Update) => {
                    assert_eq!(operand.use_stage, 10, "{}", row.name)
                }
                (Bank::Vec, Role::Def) => assert!((10..=13).contains(&operand.def_stage), "{}", row.name),
                (Bank::Wvec, Role::Def | Role::Update) => assert_eq!(operand.def_stage, 12, "{}", row.name),
                _ => {}
            }
        }
        assert_ne!(row.slots, SlotSet::NONE, "{}", row.name);
    }
}
