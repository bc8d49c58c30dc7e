//! The constants of the cost model, by name: what each is, between which ends it may lie, and how sure it is.

use vq7_iss::timing::{Params, Profile};
use vq7_policy::Confidence;

/// What the cycles of a word are computed with. Every field but the profile is in cycles, lanes or stages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Model {
    /// Cycles of a core from the word's arrival to the first bundle of its loop.
    pub dispatch: u32,
    /// Cycles per row for its pointers and the first loads.
    pub row_setup: u32,
    /// Lanes of one step of the 16-bit division: 32 or 16.
    pub div_lanes: u32,
    /// Cycles of a 32-bit division for 16 elements.
    pub divide_32: u32,
    /// Cycles of a 64-bit division for 16 elements.
    pub divide_64: u32,
    /// Cycles of POW for 16 elements.
    pub pow: u32,
    /// How early results are forwarded.
    pub profile: Profile,
    /// Stages of the pipeline.
    pub params: Params,
}

impl Default for Model {
    fn default() -> Self {
        Self {
            dispatch: 64,
            row_setup: 8,
            div_lanes: 32,
            divide_32: 160,
            divide_64: 640,
            pow: 400,
            profile: Profile::Default,
            params: Params::default(),
        }
    }
}

/// One constant of the model.
#[derive(Clone, Copy, Debug)]
pub struct Constant {
    /// Name.
    pub name: &'static str,
    /// What it is, with its unit.
    pub meaning: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// How sure it is.
    pub confidence: Confidence,
    /// The two ends between which it may lie.
    pub ends: [u32; 2],
    get: fn(&Model) -> u32,
    set: fn(&mut Model, u32),
}

impl Constant {
    /// Its value in a model.
    pub fn value(&self, model: &Model) -> u32 {
        (self.get)(model)
    }

    /// The model with another value of it.
    pub fn with(&self, model: &Model, value: u32) -> Model {
        let mut model = *model;
        (self.set)(&mut model, value);
        model
    }
}

const SUGGESTED: &str = "a suggested model, not a measurement; the ends are ours: none, and twice as much";
const PSEUDO: &str = "assumed: no sequence is known; the ends are ours: half, and twice as much";
const TIMING: &str = "docs/spec/iss-timing.md, Parameters: both readings of the source";

macro_rules! plain {
    ($field:ident, $low:literal..=$high:literal, $meaning:literal, $source:expr) => {
        Constant {
            name: stringify!($field),
            meaning: $meaning,
            source: $source,
            confidence: Confidence::Low,
            ends: [$low, $high],
            get: |model| model.$field,
            set: |model, value| model.$field = value,
        }
    };
}

macro_rules! stage {
    ($field:ident, $low:literal..=$high:literal, $confidence:ident, $meaning:literal) => {
        Constant {
            name: stringify!($field),
            meaning: $meaning,
            source: TIMING,
            confidence: Confidence::$confidence,
            ends: [$low, $high],
            get: |model| model.params.$field.into(),
            set: |model, value| model.params.$field = value.try_into().unwrap_or(u8::MAX),
        }
    };
}

/// Every constant that is not settled.
pub const CONSTANTS: [Constant; 10] = [
    plain!(dispatch, 0..=128, "cycles of a core before the first bundle of the loop", SUGGESTED),
    plain!(row_setup, 0..=16, "cycles per row for pointers and first loads", SUGGESTED),
    plain!(
        div_lanes,
        16..=32,
        "lanes of one step of the 16-bit division",
        "the mnemonic says 32, the printed instruction counts 16"
    ),
    plain!(divide_32, 80..=320, "cycles of a 32-bit division or remainder for 16 elements", PSEUDO),
    plain!(divide_64, 320..=1280, "cycles of a 64-bit division or remainder for 16 elements", PSEUDO),
    plain!(pow, 200..=800, "cycles of POW for 16 elements", PSEUDO),
    Constant {
        name: "tie_strict",
        meaning: "1 if the vector side forwards no cycle early",
        source: "docs/spec/iss-timing.md, The interlock: fitted per file",
        confidence: Confidence::Med,
        ends: [0, 1],
        get: |model| (model.profile == Profile::TieStrict).into(),
        set: |model, value| model.profile = if value == 0 { Profile::Default } else { Profile::TieStrict },
    },
    stage!(fp_def, 11..=13, Med, "stage that defines fp add, sub, mul"),
    stage!(fp_compare_def, 10..=11, Med, "stage that defines the predicate of an fp compare"),
    stage!(movva_use, 1..=10, Low, "stage at which AR is read for a move to a vector register"),
];

/// What no cycle count here contains.
pub const NOT_COUNTED: [&str; 6] = [
    "loading the library of the kernel into the cores",
    "waiting for semaphores and signalling them",
    "moving data between the State Buffer and the local memory of a core beyond the loop's own loads and stores",
    "DMA",
    "bank conflicts and arbitration with the Vector engine",
    "the instruction fetch and the sequencer",
];

#[cfg(test)]
mod tests {
    use super::*;
    use vq7_iss::timing::PARAMS;

    #[test]
    fn values_lie_between_their_ends_and_setting_one_changes_it_alone() {
        let model = Model::default();
        for constant in &CONSTANTS {
            let [low, high] = constant.ends;
            let value = constant.value(&model);
            assert!(low < high && (low..=high).contains(&value), "{}", constant.name);
            let other = if value == low { high } else { low };
            let changed = constant.with(&model, other);
            for one in &CONSTANTS {
                let expected = if one.name == constant.name { other } else { one.value(&model) };
                assert_eq!(one.value(&changed), expected, "{} after {}", one.name, constant.name);
            }
        }
    }

    #[test]
    fn stages_have_the_ends_of_the_timing_parameters() {
        let shared = CONSTANTS.iter().flat_map(|constant| {
            PARAMS.iter().filter(|param| param.name == constant.name).map(move |param| (constant, param))
        });
        for (constant, param) in shared.clone() {
            assert_eq!(constant.ends, [param.range.0, param.range.1], "{}", param.name);
        }
        assert_eq!(shared.count(), 3);
    }
}
