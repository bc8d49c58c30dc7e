//! Statements to words: resolves names, places tensors, builds patterns.

use crate::Options;
use crate::data::{init_bytes, value_bits};
use crate::diagnostic::{Diagnostic, Parsed, Span};
use crate::instruction::{Operation, build_word};
use crate::parser::generation;
use crate::place::Placement;
use crate::program::{Binding, Check, Program, Step, Tensor};
use crate::syntax::*;
use crate::view::{Part, broadcast};
use std::collections::HashMap;
use vq7_isa::Dtype;
use vq7_isa::generation::PARTITIONS;
use vq7_isa::legality::Engine;

/// Words of one program, and rounds of its `repeat` blocks: a short text must not run the host out of memory or time.
const MAX_STEPS: usize = 1 << 20;

/// Turns statements into a program.
pub(crate) struct Lowering {
    program: Program,
    names: HashMap<String, usize>,
    literals: HashMap<(Dtype, u64), usize>,
    placement: Placement,
    /// Rounds of all `repeat` blocks so far: bodies may be empty, so words alone do not bound the work.
    rounds: usize,
    findings: Vec<Diagnostic>,
}

impl Lowering {
    /// Lowers all statements; the caller's choices win over the program's.
    pub fn run(
        statements: &[Spanned<Statement>],
        options: &Options<'_>,
        mut program: Program,
    ) -> Result<Program, Vec<Diagnostic>> {
        let mut findings = Vec::new();
        if let Err(finding) = settings(statements, options, &mut program) {
            findings.push(finding);
        }
        let placement = Placement::new(program.generation.geometry().sbuf_active);
        let mut lowering =
            Self { program, names: HashMap::new(), literals: HashMap::new(), placement, rounds: 0, findings };
        lowering.reserve(statements);
        lowering.statements(statements);
        if lowering.findings.is_empty() { Ok(lowering.program) } else { Err(lowering.findings) }
    }

    /// Takes the places that the program asks for, before anything else is placed.
    fn reserve(&mut self, statements: &[Spanned<Statement>]) {
        for statement in statements {
            match &statement.value {
                Statement::Tensor(TensorDecl { dtype, shape, place: Some(place), .. }) => {
                    let tensor = tensor_of("", *dtype, &shape.value);
                    let bytes = u32::try_from(tensor.row_bytes()).unwrap_or(u32::MAX);
                    self.placement.take(place.offset..place.offset.saturating_add(bytes));
                }
                Statement::Repeat { body, .. } => self.reserve(body),
                _ => {}
            }
        }
    }

    fn statements(&mut self, statements: &[Spanned<Statement>]) {
        for statement in statements {
            if let Err(finding) = self.statement(statement) {
                self.findings.push(finding);
            }
        }
    }

    fn statement(&mut self, statement: &Spanned<Statement>) -> Parsed<()> {
        let span = &statement.span;
        match &statement.value {
            // Read before placement, which depends on them.
            Statement::Target(_) | Statement::Engine(_) | Statement::Policy => Ok(()),
            Statement::Tensor(decl) => self.tensor(decl, span),
            Statement::Const { name, dtype, value } => self.constant(name, *dtype, value),
            Statement::Assign(assign) => self.assign(assign, span),
            Statement::Repeat { count, body } => {
                for _ in 0..count.value {
                    self.rounds += 1;
                    if self.rounds > MAX_STEPS {
                        return Err(Diagnostic::new(
                            count.span.clone(),
                            format!("more than {MAX_STEPS} repetitions in all"),
                        ));
                    }
                    self.statements(body);
                    if !self.findings.is_empty() {
                        break;
                    }
                }
                Ok(())
            }
            Statement::Output { name, path } => {
                let tensor = self.resolve(name)?;
                self.program.outputs.push(Binding { tensor, path: path.clone(), span: span.clone() });
                Ok(())
            }
            Statement::Expect { range, values } => self.check(range, Some(values), span),
            Statement::Show(range) => self.check(range, None, span),
            Statement::Word(word) => self.step(*word, span),
        }
    }

    fn step(&mut self, word: vq7_isa::Word, span: &Span) -> Parsed<()> {
        if self.program.steps.len() == MAX_STEPS {
            return Err(Diagnostic::new(span.clone(), format!("a program has at most {MAX_STEPS} words")));
        }
        self.program.steps.push(Step { word, span: span.clone() });
        Ok(())
    }

    fn tensor(&mut self, decl: &TensorDecl, span: &Span) -> Parsed<()> {
        let TensorDecl { name, dtype, shape, place, init, input } = decl;
        let tensor = tensor_of(&name.value, *dtype, &shape.value);
        check_shape(&tensor, &shape.span)?;
        let elements = tensor.elements();
        let index = self.add(name, tensor, place.as_ref())?;
        if let Some(init) = init {
            self.program.tensors[index].initial = Some(init_bytes(init, *dtype, elements, &self.program.policy)?);
        }
        if let Some(path) = input {
            self.program.inputs.push(Binding { tensor: index, path: path.clone(), span: span.clone() });
        }
        Ok(())
    }

    fn constant(&mut self, name: &Name, dtype: Dtype, value: &Name) -> Parsed<()> {
        let bits = value_bits(value, dtype, &self.program.policy)?;
        self.add(name, constant_of(&name.value, dtype, bits), None).map(|_| ())
    }

    /// Names and places a tensor.
    fn add(&mut self, name: &Name, tensor: Tensor, place: Option<&Place>) -> Parsed<usize> {
        if self.names.contains_key(&name.value) {
            let message = format!("`{}` is named twice", name.value);
            return Err(Diagnostic::new(name.span.clone(), message)
                .help("choose another name, or assign without a dtype to write the tensor again"));
        }
        let index = self.place(tensor, place, &name.span)?;
        self.names.insert(name.value.clone(), index);
        Ok(index)
    }

    fn place(&mut self, mut tensor: Tensor, place: Option<&Place>, span: &Span) -> Parsed<usize> {
        let active = self.program.generation.geometry().sbuf_active;
        let bytes = u32::try_from(tensor.row_bytes()).unwrap_or(u32::MAX);
        (tensor.partition, tensor.offset) = match place {
            Some(place) => {
                let fits = place.offset.checked_add(bytes).is_some_and(|end| end <= active);
                let rows = place.partition as usize + tensor.partitions() <= PARTITIONS as usize;
                if !fits || !rows {
                    let message = format!(
                        "`{}` does not fit there: {bytes} bytes at offset {:#x} of partitions {}..{}, of 128 partitions of {active:#x} bytes",
                        tensor.name,
                        place.offset,
                        place.partition,
                        place.partition as usize + tensor.partitions()
                    );
                    return Err(Diagnostic::new(place.span.clone(), message));
                }
                (place.partition, place.offset)
            }
            None => {
                let offset = self.placement.place(bytes).map_err(|room| {
                    let message = format!(
                        "the State Buffer of {} overflows: `{}` needs {bytes} bytes in each partition, and the largest free piece of {active} has {}",
                        self.program.generation, tensor.name, room.largest_gap
                    );
                    Diagnostic::new(span.clone(), message).help("reuse a tensor that is no longer needed, or make tensors smaller")
                })?;
                (0, offset)
            }
        };
        self.program.tensors.push(tensor);
        Ok(self.program.tensors.len() - 1)
    }

    fn resolve(&self, name: &Name) -> Parsed<usize> {
        self.names.get(&name.value).copied().ok_or_else(|| {
            let message = format!("no tensor is named `{}`", name.value);
            Diagnostic::new(name.span.clone(), message)
                .help(format!("declare it first: tensor {}: int32[128, 512]", name.value))
        })
    }

    /// A number as a constant. Equal numbers of one dtype share a place.
    fn literal(&mut self, value: &Name, dtype: Dtype) -> Parsed<usize> {
        let bits = value_bits(value, dtype, &self.program.policy)?;
        if let Some(&index) = self.literals.get(&(dtype, bits)) {
            return Ok(index);
        }
        let index = self.place(constant_of(&value.value, dtype, bits), None, &value.span)?;
        self.literals.insert((dtype, bits), index);
        Ok(index)
    }

    fn assign(&mut self, assign: &Assign, span: &Span) -> Parsed<()> {
        let operation = Operation::parse(&assign.op)?;
        operation.check_arity(assign.args.len(), &assign.op.span)?;
        let [(src0, part0), (src1, part1)] = self.sources(assign, operation)?;
        let shape = broadcast(&part0.free_shape(), &part1.free_shape()).ok_or_else(|| {
            let message = format!(
                "shapes {:?} and {:?} within a partition do not broadcast",
                part0.free_shape(),
                part1.free_shape()
            );
            Diagnostic::new(assign.op.span.clone(), message)
        })?;
        let partitions = match (part0.partitions, part1.partitions) {
            (Some(a), Some(b)) if a != b => {
                let message = format!("the operands span {a} and {b} partitions");
                let help = "a row cannot be read by other partitions: lay it out once in each of them";
                return Err(Diagnostic::new(assign.op.span.clone(), message).help(help));
            }
            (a, b) => a.or(b),
        };
        let (dst, dst_part) = self.destination(assign, operation, [src0, src1], (partitions, &shape))?;
        let home = part0.partition.or(part1.partition).or(dst_part.partition).unwrap_or(0);
        let operands = [(src0, &part0), (src1, &part1), (dst, &dst_part)]
            .map(|(index, part)| (self.program.tensors[index].dtype, part));
        let channels = dst_part.partitions.unwrap_or(PARTITIONS as usize);
        let word =
            build_word(operation, operands, &shape, home, channels, assign.events, self.program.generation.geometry())?;
        self.step(word, span)
    }

    /// Both sources; a unary op reads its one argument twice.
    fn sources(&mut self, assign: &Assign, operation: Operation) -> Parsed<[(usize, Part); 2]> {
        let args = [&assign.args[0], assign.args.get(1).unwrap_or(&assign.args[0])];
        let mut dtypes = [None; 2];
        for (dtype, arg) in dtypes.iter_mut().zip(args) {
            if let Arg::View(view) = arg {
                *dtype = Some(self.program.tensors[self.resolve(&view.name)?].dtype);
            }
        }
        let mut source = |index: usize| match args[index] {
            Arg::View(view) => {
                let tensor = self.resolve(&view.name)?;
                Ok((tensor, Part::of(&self.program.tensors[tensor], view)?))
            }
            Arg::Literal(value) => {
                let other = dtypes[1 - index].ok_or_else(|| {
                    Diagnostic::new(value.span.clone(), "two numbers make no tensor; name one of the operands")
                })?;
                let dtype = if index == 1 { operation.literal_dtype(other) } else { other };
                let tensor = self.literal(value, dtype)?;
                Ok((
                    tensor,
                    Part::of(&self.program.tensors[tensor], &View { name: value.clone(), slices: Vec::new() })?,
                ))
            }
        };
        Ok([source(0)?, source(1)?])
    }

    /// The tensor that is written: known, or new with the shape of the result.
    fn destination(
        &mut self,
        assign: &Assign,
        operation: Operation,
        sources: [usize; 2],
        (partitions, free): (Option<usize>, &[usize]),
    ) -> Parsed<(usize, Part)> {
        let name = &assign.dst.name;
        let index = match self.names.get(&name.value) {
            Some(&index) => {
                let known = &self.program.tensors[index];
                if assign.dtype.is_some_and(|dtype| dtype != known.dtype) {
                    let message = format!("`{}` is {} already", name.value, known.dtype);
                    return Err(Diagnostic::new(name.span.clone(), message).help("write the result to another name"));
                }
                if known.is_constant {
                    return Err(Diagnostic::new(name.span.clone(), format!("`{}` is a constant", name.value)));
                }
                index
            }
            None => {
                if let Some(slice) = assign.dst.slices.first() {
                    let message = format!("no tensor is named `{}`, so a part of it cannot be written", name.value);
                    return Err(Diagnostic::new(slice.span.clone(), message).help("declare the tensor first"));
                }
                let [src0, src1] = sources.map(|source| self.program.tensors[source].dtype);
                let dtype = assign.dtype.or_else(|| operation.out_dtype(src0, src1)).ok_or_else(|| {
                    let message = format!("the dtype of `{}` is open: the operands are {src0} and {src1}", name.value);
                    Diagnostic::new(name.span.clone(), message).help(format!("write `{}: {src0} = ..`", name.value))
                })?;
                let mut shape = vec![partitions.unwrap_or(PARTITIONS as usize)];
                shape.extend(free);
                if free.is_empty() {
                    shape.push(1);
                }
                let tensor = tensor_of(&name.value, dtype, &shape);
                check_shape(&tensor, &name.span)?;
                self.add(name, tensor, None)?
            }
        };
        let part = Part::of(&self.program.tensors[index], &assign.dst)?;
        let own_shape = part.free_shape();
        if broadcast(&own_shape, free).as_deref() != Some(&own_shape[..])
            || own_shape.iter().product::<usize>() != free.iter().product::<usize>().max(1)
        {
            let message =
                format!("the result has shape {free:?} within a partition, and `{}` has {own_shape:?}", name.value);
            return Err(Diagnostic::new(name.span.clone(), message));
        }
        if let (Some(own), Some(partitions)) = (part.partitions, partitions)
            && own != partitions
        {
            let message = format!("the operands span {partitions} partitions, and `{}` spans {own}", name.value);
            return Err(Diagnostic::new(name.span.clone(), message));
        }
        Ok((index, part))
    }

    fn check(&mut self, range: &ElementRange, values: Option<&Vec<Name>>, span: &Span) -> Parsed<()> {
        let index = self.resolve(&range.name)?;
        let tensor = &self.program.tensors[index];
        let elements = range.range.clone().unwrap_or(0..tensor.elements());
        if elements.end > tensor.elements() {
            let message = format!("`{}` has {} elements", tensor.name, tensor.elements());
            return Err(Diagnostic::new(range.name.span.clone(), message));
        }
        let bits = |value| value_bits(value, tensor.dtype, &self.program.policy);
        let expected = values.map(|values| values.iter().map(bits).collect::<Parsed<Vec<_>>>()).transpose()?;
        if let Some(expected) = &expected
            && expected.len() != elements.len()
        {
            let message = format!("{} values for {} elements", expected.len(), elements.len());
            return Err(Diagnostic::new(span.clone(), message));
        }
        self.program.checks.push(Check {
            before_step: self.program.steps.len(),
            tensor: index,
            elements,
            expected,
            span: span.clone(),
        });
        Ok(())
    }
}

/// Reads target and engine, wherever they stand; the parser has read the policy.
fn settings(statements: &[Spanned<Statement>], options: &Options<'_>, program: &mut Program) -> Parsed<()> {
    let mut has_target = false;
    for statement in statements {
        match &statement.value {
            Statement::Target(name) => {
                if std::mem::replace(&mut has_target, true) {
                    return Err(Diagnostic::new(name.span.clone(), "a program has one target").help("remove this line"));
                }
                let named = generation(name)?;
                program.generation = options.target.unwrap_or(named);
                program.names_target = options.target.is_none();
            }
            Statement::Engine(name) => {
                let engine = Engine::parse(&name.value);
                let unknown = || {
                    Diagnostic::new(name.span.clone(), format!("no engine is named `{}`", name.value))
                        .help("use any, pool or dve")
                };
                program.engine = Some(engine.ok_or_else(unknown)?);
            }
            _ => {}
        }
    }
    Ok(())
}

fn tensor_of(name: &str, dtype: Dtype, shape: &[usize]) -> Tensor {
    Tensor {
        name: name.to_owned(),
        dtype,
        shape: shape.to_vec(),
        partition: 0,
        offset: 0,
        initial: None,
        is_constant: false,
    }
}

/// One element in every partition.
fn constant_of(name: &str, dtype: Dtype, bits: u64) -> Tensor {
    let element = &bits.to_le_bytes()[..dtype.bytes() as usize];
    let initial = Some(element.repeat(PARTITIONS as usize));
    Tensor { initial, is_constant: true, ..tensor_of(name, dtype, &[PARTITIONS as usize, 1]) }
}

/// At most 128 partitions, no empty axis, no more bytes than a State Buffer could hold.
fn check_shape(tensor: &Tensor, span: &Span) -> Parsed<()> {
    if tensor.shape.is_empty() || tensor.shape.contains(&0) {
        let message = format!("`{}` has no elements", tensor.name);
        return Err(
            Diagnostic::new(span.clone(), message).help("give sizes of at least 1, partitions first: [128, 512]")
        );
    }
    if tensor.partitions() > PARTITIONS as usize {
        let message = format!("`{}` spans {} partitions, and there are {PARTITIONS}", tensor.name, tensor.partitions());
        return Err(Diagnostic::new(span.clone(), message).help("the first size is the number of partitions"));
    }
    Ok(())
}
