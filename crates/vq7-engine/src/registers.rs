//! Registers that operands, waits and updates name. A caller gives their values: words alone do not hold them.
//! Source: docs/spec/words.md, "ADDR4".

use crate::Fault;
use crate::fault::{Operand, Register, User};
use std::collections::BTreeMap;
use vq7_isa::address::{Addr4, Location, Marker};
use vq7_isa::generation::{ADDRESS_REGISTERS, Geometry};
use vq7_isa::pattern::Pattern;

/// Address, shape and value registers.
///
/// How a word with an immediate address and a shape from a register (SHAPE_REG) names that register, no source says:
/// all 29 bits below the marker are address. vq7 keeps one shape register per operand for these, by the operand's name.
/// With address and shape both from registers (ADDR_SHAPE_REG), the one number in the low byte names both. Both are our
/// choice, `LOW INFERRED`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Registers {
    addresses: BTreeMap<u8, u32>,
    shapes: BTreeMap<u8, [u16; 3]>,
    operand_shapes: BTreeMap<Operand, [u16; 3]>,
    values: BTreeMap<u32, u32>,
}

/// Why a register was not set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RegisterError {
    /// No such register.
    #[error("there are {ADDRESS_REGISTERS} registers, counted from 0; {0} is not one of them")]
    Number(u32),
    /// An address with marker bits.
    #[error("a register holds a plain address below 0x20000000; {0:#010x} has marker bits set")]
    Marker(u32),
    /// A count of zero.
    #[error("each count of a shape is at least 1; {0:?} has a zero")]
    Shape([u16; 3]),
}

impl Registers {
    /// No register has a value.
    pub fn new() -> Self {
        Self::default()
    }

    /// Gives address register `number` an immediate address.
    ///
    /// # Errors
    /// When there is no such register, or the address has marker bits.
    pub fn set_address(&mut self, number: u32, address: u32) -> Result<(), RegisterError> {
        if Addr4(address).marker() != Marker::Imm {
            return Err(RegisterError::Marker(address));
        }
        self.addresses.insert(checked(number)?, address);
        Ok(())
    }

    /// Gives register `number` 32 bits, for the words that take an address from it and for those that take a value:
    /// which of the two a word means is known only when it runs. Bits that are no address are refused then.
    ///
    /// # Errors
    /// When there is no such register.
    pub fn set_number(&mut self, number: u32, bits: u32) -> Result<(), RegisterError> {
        self.addresses.insert(checked(number)?, bits);
        self.set_value(number, bits);
        Ok(())
    }

    /// Gives shape register `number` three counts, the innermost first.
    ///
    /// # Errors
    /// When there is no such register, or a count is zero.
    pub fn set_shape(&mut self, number: u32, shape: [u16; 3]) -> Result<(), RegisterError> {
        if shape.contains(&0) {
            return Err(RegisterError::Shape(shape));
        }
        self.shapes.insert(checked(number)?, shape);
        Ok(())
    }

    /// Gives the shape register of an operand with an immediate address three counts, the innermost first.
    ///
    /// # Errors
    /// When a count is zero.
    pub fn set_operand_shape(&mut self, operand: Operand, shape: [u16; 3]) -> Result<(), RegisterError> {
        if shape.contains(&0) {
            return Err(RegisterError::Shape(shape));
        }
        self.operand_shapes.insert(operand, shape);
        Ok(())
    }

    /// Gives a value register, which waits and updates name by `semaphore_value`, a value.
    pub fn set_value(&mut self, number: u32, value: u32) {
        self.values.insert(number, value);
    }

    /// The value of a value register.
    pub(crate) fn value(&self, number: u32, user: User) -> Result<u32, Fault> {
        self.values.get(&number).copied().ok_or(Fault::NeedsRegisters { user, register: Register::Value(number) })
    }

    /// The address of scalars in memory that register `number` holds.
    pub(crate) fn pointer(&self, number: u8, operand: Operand, geometry: &Geometry) -> Result<u32, Fault> {
        let missing = Fault::NeedsRegisters { user: User::Operand(operand), register: Register::Address(number) };
        let address = *self.addresses.get(&number).ok_or(missing)?;
        if Addr4(address).marker() != Marker::Imm || Location::of(address, geometry).is_none() {
            return Err(Fault::InvalidAddress { operand, register: number, address });
        }
        Ok(address)
    }

    /// A pattern with what its registers hold in place of their names. A direct pattern stays as it is, and so does one
    /// that no rule accepts.
    pub(crate) fn resolve<const N: usize>(
        &self,
        pattern: &Pattern<N>,
        operand: Operand,
        geometry: &Geometry,
    ) -> Result<Pattern<N>, Fault> {
        let missing = |register| Fault::NeedsRegisters { user: User::Operand(operand), register };
        let start = pattern.start;
        let address = match start.register() {
            Some(number) if !start.is_indirect() => {
                let register = self.addresses.get(&number);
                let address = *register.ok_or_else(|| missing(Register::Address(number)))?;
                if Addr4(address).marker() != Marker::Imm || Location::of(address, geometry).is_none() {
                    return Err(Fault::InvalidAddress { operand, register: number, address });
                }
                address
            }
            _ => start.payload(),
        };
        let shape = match start.marker() {
            Marker::ShapeReg => {
                let register = self.operand_shapes.get(&operand);
                Some(*register.ok_or_else(|| missing(Register::OperandShape(operand)))?)
            }
            Marker::AddrShapeReg => {
                // The number is checked by tensor3d_valid, which asks the same of it as of an address register.
                let number = start.0 as u8;
                Some(*self.shapes.get(&number).ok_or_else(|| missing(Register::Shape(number)))?)
            }
            Marker::AddrReg => None,
            Marker::Imm | Marker::IndirectImm | Marker::IndirectReg | Marker::Undefined => return Ok(*pattern),
        };
        let mut resolved = Pattern { start: Addr4::immediate(address), ..*pattern };
        if let Some(shape) = shape {
            if shape.iter().skip(N).any(|&count| count != 1) {
                return Err(Fault::unimplemented(format!(
                    "a shape register with the counts {shape:?} for {operand}, which has {N} dimensions"
                )));
            }
            for (num, count) in resolved.num.iter_mut().zip(shape) {
                *num = count;
            }
        }
        Ok(resolved)
    }
}

fn checked(number: u32) -> Result<u8, RegisterError> {
    let narrow = u8::try_from(number).ok().filter(|&n| n < ADDRESS_REGISTERS);
    narrow.ok_or(RegisterError::Number(number))
}

#[cfg(test)]
mod tests {
    use super::*;
    use vq7_isa::pattern::Tensor3d;

    fn geometry() -> &'static Geometry {
        vq7_isa::Generation::Cayman.geometry()
    }

    fn pattern(start: u32) -> Tensor3d {
        Tensor3d { start: Addr4(start), step: [1, 1, 1], num: [4, 3, 2] }
    }

    #[test]
    fn registers_stand_in_for_address_and_shape() {
        let mut registers = Registers::new();
        registers.set_address(5, 0x1000).unwrap();
        registers.set_shape(5, [8, 1, 1]).unwrap();
        registers.set_operand_shape(Operand::Src1, [2, 2, 2]).unwrap();
        let resolved = |start, operand| registers.resolve(&pattern(start), operand, geometry()).unwrap();
        assert_eq!(resolved(0x2000, Operand::Src0), pattern(0x2000));
        assert_eq!(resolved(0x8000_0005, Operand::Src0), pattern(0x1000));
        let both = resolved(0xC000_0005, Operand::Src0);
        assert_eq!((both.start, both.num), (Addr4(0x1000), [8, 1, 1]));
        let shape = resolved(0x4000_3000, Operand::Src1);
        assert_eq!((shape.start, shape.num), (Addr4(0x3000), [2, 2, 2]));
        assert_eq!(resolved(0xA000_0005, Operand::Src1), pattern(0xA000_0005), "indirect stays");
    }

    #[test]
    fn what_is_missing_is_named() {
        let mut registers = Registers::new();
        let text = |registers: &Registers, start| {
            registers.resolve(&pattern(start), Operand::Dst, geometry()).unwrap_err().to_string()
        };
        assert!(text(&registers, 0x8000_0007).contains("dst needs address register 7"));
        assert!(text(&registers, 0x4000_0007).contains("the shape register of dst"));
        registers.set_address(7, 0).unwrap();
        assert!(text(&registers, 0xC000_0007).contains("dst needs shape register 7"));
        let fault = registers.value(9, User::Wait).unwrap_err();
        assert_eq!(
            (fault.kind(), fault.to_string().contains("the wait needs value register 9")),
            ("needs_registers", true)
        );
        registers.set_value(9, 3);
        assert_eq!(registers.value(9, User::Wait), Ok(3));
    }

    #[test]
    fn wrong_settings_are_refused() {
        let mut registers = Registers::new();
        assert_eq!(registers.set_address(64, 0), Err(RegisterError::Number(64)));
        assert_eq!(registers.set_address(0, 0x8000_0000), Err(RegisterError::Marker(0x8000_0000)));
        assert_eq!(registers.set_shape(0, [1, 0, 1]), Err(RegisterError::Shape([1, 0, 1])));
        assert_eq!(registers.set_shape(256, [1, 1, 1]), Err(RegisterError::Number(256)));
        assert!(registers.set_operand_shape(Operand::Src0, [0, 1, 1]).is_err());
        assert_eq!(registers, Registers::new());
    }

    #[test]
    fn an_invalid_address_in_a_register_is_not_called_missing() {
        let mut registers = Registers::new();
        for (address, why) in [
            (0x2000_0000, "below 0x20000000"),
            (0xFFFF_FFFF, "below 0x20000000"),
            (0x1FFF_FFF0, "no memory"),
            (0x0240_0000, "no memory"),
        ] {
            registers.set_number(5, address).unwrap();
            let fault = registers.resolve(&pattern(0x8000_0005), Operand::Src1, geometry()).unwrap_err();
            assert_eq!((fault.kind(), fault.to_string().contains("address register 5")), ("invalid_address", true));
            assert!(fault.why().contains(why), "{fault}");
            assert_eq!(registers.value(5, User::Wait), Ok(address), "as a value it is fine");
        }
        assert_eq!(registers.set_number(64, 1), Err(RegisterError::Number(64)));
        assert!(registers.value(64, User::Wait).is_err(), "nothing was set");
    }

    #[test]
    fn a_two_dimensional_operand_takes_two_counts() {
        let mut registers = Registers::new();
        let flat = Pattern::<2> { start: Addr4(0x4000_0000), step: [1, 1], num: [1, 1] };
        registers.set_operand_shape(Operand::Src0, [4, 2, 1]).unwrap();
        assert_eq!(registers.resolve(&flat, Operand::Src0, geometry()).unwrap().num, [4, 2]);
        registers.set_operand_shape(Operand::Src0, [4, 2, 3]).unwrap();
        assert_eq!(registers.resolve(&flat, Operand::Src0, geometry()).unwrap_err().kind(), "unimplemented");
    }
}
