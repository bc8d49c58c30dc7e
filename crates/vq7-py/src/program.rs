//! `vq7.Program`: program texts and streams of words, run.

use crate::array::{self, Array, as_array};
use crate::doors::{answer, words_of};
use crate::dtypes;
use crate::errors::{type_error, value_error};
use crate::settings::{ExecutorKind, PyPolicy, engine, setting};
use crate::state::PyStateBuffer;
use crate::tensor_tensor::follower;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString, PyTuple};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use vq7::engine::{Machine, Operand};
use vq7::isa::text::Lines;
use vq7::program::{self, Binding, Diagnostic, Options, Program};
use vq7::report::asm::setting_of;
use vq7::report::run::{RunAnswer, RunOptions, program_of_words};
use vq7::report::{Setting, TargetSource};

/// A program, ready to run.
#[pyclass(frozen, subclass, name = "Program", module = "vq7._core")]
#[derive(Debug)]
pub(crate) struct PyProgram {
    program: Program,
    source: Option<String>,
    name: String,
    setting: Setting,
}

/// Everything that is wrong with a text, a line each.
fn mistakes(name: &str, source: &str, findings: &[Diagnostic]) -> String {
    let mut text = String::new();
    for finding in findings {
        let (line, column) = finding.line_and_column(source);
        let gap = if text.is_empty() { "" } else { "\n" };
        // A string takes everything.
        let _ = write!(text, "{gap}{name}:{line}:{column}: {}", finding.message);
        if let Some(help) = &finding.help {
            let _ = write!(text, " ({help})");
        }
    }
    text
}

#[pymethods]
impl PyProgram {
    #[new]
    #[pyo3(signature = (source, *, name = "program", target = None, policy = None))]
    fn new(
        source: &Bound<'_, PyAny>,
        name: &str,
        target: Option<&str>,
        policy: Option<&Bound<'_, PyPolicy>>,
    ) -> PyResult<Self> {
        let setting = setting(target, "any", policy)?;
        let named = |program, source| Self { program, source, name: name.to_owned(), setting };
        if let Ok(text) = source.cast::<PyString>() {
            let text = text.to_str()?;
            let insisted = policy.map(|policy| policy.get().1.clone()).unwrap_or_default();
            let options = Options {
                target: (setting.target_source == TargetSource::Flag).then_some(setting.generation),
                default_target: setting.generation,
                policy: setting.policy,
                insisted: &insisted,
                lines: Lines::default(),
            };
            let program =
                program::assemble(text, &options).map_err(|findings| value_error(mistakes(name, text, &findings)))?;
            return Ok(named(program, Some(text.to_owned())));
        }
        let bytes: Vec<u8> = source.extract().map_err(|_| {
            type_error("a program is a text, or the bytes of words: give str or bytes, such as Path(..).read_text()")
        })?;
        Ok(named(program_of_words(&words_of(&bytes)?, &setting), None))
    }

    /// The name in messages.
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    /// The target that tensors are placed for.
    #[getter]
    fn target(&self) -> &'static str {
        self.program.generation.target()
    }

    /// The engine whose rules count.
    #[getter]
    fn engine(&self) -> &'static str {
        setting_of(&self.program, self.setting, None).engine.name()
    }

    /// Dtype and shape of every input, by name.
    #[getter]
    fn inputs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.tensors(py, &self.program.inputs)
    }

    /// Dtype and shape of every output, by name.
    #[getter]
    fn outputs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.tensors(py, &self.program.outputs)
    }

    /// The words, 64 bytes each.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.program.words().iter().flat_map(|word| word.0).collect::<Vec<u8>>())
    }

    fn __len__(&self) -> usize {
        self.program.steps.len()
    }

    #[pyo3(signature = (inputs, state, engine, executor, allow_uninit, keep_going, semaphores, registers, progress))]
    #[allow(clippy::too_many_arguments, reason = "these are the keywords of Program.run")]
    fn _run<'py>(
        &self,
        py: Python<'py>,
        inputs: &Bound<'py, PyDict>,
        state: Option<&Bound<'py, PyStateBuffer>>,
        engine: Option<&str>,
        executor: &str,
        allow_uninit: bool,
        keep_going: bool,
        semaphores: &Bound<'py, PyDict>,
        registers: &Bound<'py, PyDict>,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<(String, String, Bound<'py, PyDict>)> {
        let engine = engine.map(self::engine).transpose()?;
        let setting = setting_of(&self.program, self.setting, engine);
        let executor = ExecutorKind::parse(executor)?.build()?;
        let mut machine = Machine::new(setting.generation, setting.engine, setting.policy).with_executor(executor);
        machine.allow_uninit = allow_uninit;
        set_signals(&mut machine, semaphores)?;
        set_registers(&mut machine, registers)?;
        let inputs = self.arrays(inputs)?;
        let follower = progress.map(follower).transpose()?;
        let mut state = state.map(|state| state.try_borrow_mut()).transpose()?;
        if let Some(state) = &mut state {
            if state.memory.generation() != setting.generation {
                return Err(value_error(format_args!(
                    "the state is that of {}, and the program is for {}; give vq7.StateBuffer(\"{}\")",
                    state.memory.generation().target(),
                    setting.generation.target(),
                    setting.generation.target()
                )));
            }
            std::mem::swap(&mut machine.memory, &mut state.memory);
        }
        let options = RunOptions { keep_going, ..RunOptions::default() };
        let (total, mut raised) = (self.program.steps.len(), None);
        let ran = py.detach(|| {
            RunAnswer::new(
                &self.program,
                self.source.as_deref(),
                &mut machine,
                &inputs,
                setting,
                &options,
                &mut |done| {
                    if let (Some(follower), None) = (&follower, &raised) {
                        raised = Python::attach(|py| follower.call1(py, (done, total)).err());
                    }
                },
            )
        });
        if let Some(state) = &mut state {
            std::mem::swap(&mut machine.memory, &mut state.memory);
        }
        if let Some(error) = raised {
            return Err(error);
        }
        let (report, values) = ran.map_err(|error| value_error(format_args!("{}: {error}", self.name)))?;
        let outputs = PyDict::new(py);
        for (name, value) in values {
            let descr = dtypes::descr_of(py, value.dtype, &setting.policy)?;
            outputs.set_item(name, array::filled(py, descr, &value.shape, &value.bytes)?)?;
        }
        let (json, text) = answer(&report)?;
        Ok((json, text, outputs))
    }
}

impl PyProgram {
    fn tensors<'py>(&self, py: Python<'py>, bindings: &[Binding]) -> PyResult<Bound<'py, PyDict>> {
        let tensors = PyDict::new(py);
        for binding in bindings {
            let tensor = self.program.bound(binding);
            tensors.set_item(&tensor.name, (tensor.dtype.name(), PyTuple::new(py, &tensor.shape)?))?;
        }
        Ok(tensors)
    }

    /// The data of inputs. An array of float32 is one of float32r, where the program says so.
    fn arrays(&self, inputs: &Bound<'_, PyDict>) -> PyResult<BTreeMap<String, program::Array>> {
        let mut arrays = BTreeMap::new();
        for (name, value) in inputs {
            let name: String = name.extract()?;
            let value = as_array(&value)?;
            let fields = Array::of(&value).ok_or_else(|| type_error(format_args!("input `{name}` is no array")))?;
            let mut dtype = fields.dtype(&format!("input `{name}`"), &self.program.policy)?;
            let wanted = self.program.tensor(&name).map(|tensor| tensor.dtype);
            if (dtype, wanted) == (vq7::isa::Dtype::Fp32, Some(vq7::isa::Dtype::Fp32r)) {
                dtype = vq7::isa::Dtype::Fp32r;
            }
            let bytes: Vec<u8> = value.call_method0("tobytes")?.extract()?;
            arrays.insert(name, program::Array { dtype, shape: fields.shape(), bytes });
        }
        Ok(arrays)
    }
}

/// A key that is a number, or a text with a letter in front of one.
fn index(key: &Bound<'_, PyAny>, letter: char) -> Option<(bool, u32)> {
    if let Ok(number) = key.extract() {
        return Some((false, number));
    }
    let text: String = key.extract().ok()?;
    text.strip_prefix(letter).and_then(|number| number.parse().ok()).map(|number| (true, number))
}

fn set_signals(machine: &mut Machine, signals: &Bound<'_, PyDict>) -> PyResult<()> {
    for (key, value) in signals {
        let place = index(&key, 'e').and_then(|(event, number)| Some((event, u8::try_from(number).ok()?)));
        match (place, value.extract::<u32>()) {
            (Some((false, semaphore)), Ok(value)) => machine.semaphores.set(semaphore, value),
            (Some((true, event)), Ok(value @ (0 | 1))) => machine.semaphores.set_event(event, value == 1),
            _ => {
                return Err(value_error(format_args!(
                    "semaphores[{}]: a key is 0 to 255, or \"e3\" for event 3; a semaphore has 32 bits, an event is 0 or 1",
                    key.repr()?
                )));
            }
        }
    }
    Ok(())
}

fn set_registers(machine: &mut Machine, registers: &Bound<'_, PyDict>) -> PyResult<()> {
    for (key, value) in registers {
        let name: Option<String> = key.extract().ok();
        let operands = [Operand::Src0, Operand::Src1, Operand::Dst];
        let operand = operands.into_iter().find(|operand| name.as_deref() == Some(operand.name()));
        let (number, shape) = (value.extract::<u32>(), value.extract::<[u16; 3]>());
        let wrong = || {
            value_error(
                "registers: a key is a number, \"v3\" for value register 3, or \"src0\"; a value is a number, or a shape of \
                 three counts, innermost first",
            )
        };
        let set = match (operand, index(&key, 'v'), number, shape) {
            (Some(operand), _, _, Ok(shape)) => {
                machine.registers.set_operand_shape(operand, shape).map_err(value_error)
            }
            (None, Some((true, register)), Ok(value), _) => {
                machine.registers.set_value(register, value);
                Ok(())
            }
            (None, Some((false, register)), Ok(value), _) => {
                machine.registers.set_number(register, value).map_err(value_error)
            }
            (None, Some((false, register)), _, Ok(shape)) => {
                machine.registers.set_shape(register, shape).map_err(value_error)
            }
            _ => Err(wrong()),
        };
        set?;
    }
    Ok(())
}
