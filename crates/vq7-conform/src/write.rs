//! A shard as streams of bytes, hashed as they pass.

use crate::build::Built;
use crate::kit::{Shard, hex};
use crate::manifest::{Counts, Hashed, Hashes, Identity, Manifest, Part, TargetCounts, to_json};
use crate::negative::Negative;
use crate::plan::Plan;
use crate::record::NO_COEFFICIENTS;
use crate::shape::SHAPES;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::io::{self, Write};
use vq7_isa::opcode;

/// The files of a shard, in the order in which [`ShardWriter`] takes their streams.
pub const FILES: [&str; 6] =
    ["cases.bin", "words.bin", "inputs.bin", "expected.bin", "coefficients.bin", "negative.bin"];
/// The list beside `negative.bin`.
pub const NEGATIVE_LIST: &str = "negative.json";

/// A negative word as `negative.json` lists it, in the order of the words in `negative.bin`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListedNegative {
    /// Its number, counted over the whole target.
    pub number: u32,
    /// `any`, `pool` or `dve`: whose rules it is held against.
    pub engine: String,
    /// The rule that must fail first.
    pub rule: String,
    /// What the rule saw.
    pub saw: String,
}

impl ListedNegative {
    /// The entry of a word.
    pub fn of(negative: &Negative) -> Self {
        Self {
            number: negative.number,
            engine: negative.engine.name().to_owned(),
            rule: negative.rule.to_owned(),
            saw: negative.saw.clone(),
        }
    }
}

/// A stream that counts and hashes what passes.
#[derive(Debug)]
pub struct HashWriter<W> {
    out: W,
    hash: Sha256,
    bytes: u64,
}

impl<W: Write> HashWriter<W> {
    /// Around a stream.
    pub fn new(out: W) -> Self {
        Self { out, hash: Sha256::new(), bytes: 0 }
    }

    /// What passed.
    ///
    /// # Errors
    /// When the stream does not take what it still holds.
    pub fn finish(mut self) -> io::Result<Hashed> {
        self.out.flush()?;
        Ok(Hashed { bytes: self.bytes, sha256: hex(&self.hash.finalize()) })
    }
}

impl<W: Write> Write for HashWriter<W> {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        let written = self.out.write(buffer)?;
        self.hash.update(buffer.get(..written).unwrap_or(buffer));
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// The size and hash of bytes.
pub fn hashed(bytes: &[u8]) -> Hashed {
    Hashed { bytes: bytes.len() as u64, sha256: hex(&Sha256::digest(bytes)) }
}

/// Takes cases in order and writes them into the files of a shard.
#[derive(Debug)]
pub struct ShardWriter<W> {
    streams: [HashWriter<W>; FILES.len()],
    counts: Counts,
    last_cell: Option<u32>,
    image: u64,
    coefficient_rows: u32,
}

impl<W: Write> ShardWriter<W> {
    /// Onto streams in the order of [`FILES`].
    pub fn new(streams: [W; FILES.len()]) -> Self {
        let streams = streams.map(HashWriter::new);
        Self { streams, counts: Counts::default(), last_cell: None, image: 0, coefficient_rows: 0 }
    }

    /// Writes a case.
    ///
    /// # Errors
    /// When a stream does not take it.
    pub fn push(&mut self, built: &Built) -> io::Result<()> {
        let Built { record, word, input, expected, coefficients } = built;
        let [cases, words, inputs, outputs, rows, _] = &mut self.streams;
        let mut record = *record;
        record.image = self.image;
        if record.coefficients != NO_COEFFICIENTS {
            record.coefficients = self.coefficient_rows;
        }
        cases.write_all(&record.encode())?;
        words.write_all(&word.0)?;
        inputs.write_all(input)?;
        outputs.write_all(expected)?;
        for row in coefficients {
            row.iter().try_for_each(|bits| rows.write_all(&bits.to_le_bytes()))?;
        }
        self.image += input.len() as u64;
        self.coefficient_rows += coefficients.len() as u32;
        self.counts.cells += u64::from(self.last_cell != Some(record.cell));
        self.last_cell = Some(record.cell);
        self.counts.cases += 1;
        self.counts.elements += u64::from(record.elements);
        Ok(())
    }

    /// Writes the negative words and ends the files. Gives the shard's manifest, and the list of negative words, which is a
    /// file of its own.
    ///
    /// # Errors
    /// When a stream does not take it.
    pub fn finish(mut self, plan: &Plan, shard: Shard, negatives: &[Negative]) -> io::Result<(Manifest, Vec<u8>)> {
        let mine: Vec<_> = negatives.iter().filter(|negative| shard.has(negative.number.into())).collect();
        let [.., negative_words] = &mut self.streams;
        mine.iter().try_for_each(|negative| negative_words.write_all(&negative.word.0))?;
        let list = to_json(&mine.iter().map(|negative| ListedNegative::of(negative)).collect::<Vec<_>>());
        self.counts.negatives = mine.len() as u64;
        let mut files = Hashes::new();
        for (name, stream) in FILES.into_iter().zip(self.streams) {
            files.insert(name.to_owned(), stream.finish()?);
        }
        files.insert(NEGATIVE_LIST.to_owned(), hashed(&list));
        let manifest = Manifest {
            identity: Identity::of(&plan.kit),
            shard: Part { index: shard.index, of: shard.of },
            counts: self.counts,
            target_counts: target_counts(plan),
            shapes: SHAPES.iter().map(|shape| shape.name.to_owned()).collect(),
            files,
        };
        Ok((manifest, list))
    }
}

/// What a plan's target has.
pub fn target_counts(plan: &Plan) -> TargetCounts {
    let count =
        |wanted: &dyn Fn(&crate::plan::Cell) -> bool| plan.cells.iter().filter(|cell| wanted(cell)).count() as u64;
    let tensor_tensor = [opcode::TENSOR_TENSOR_ARITH_OP, opcode::TENSOR_TENSOR_BITVEC_OP];
    TargetCounts {
        cells: count(&|_| true),
        tensor_tensor_cells: count(&|cell| tensor_tensor.contains(&cell.opcode)),
        cells_of_an_engine: count(&|cell| cell.engines.pool || cell.engines.dve),
        unspecified_cells: plan.unspecified,
        cells_without_kernel: plan.without_kernel,
    }
}
