//! What a control variable may hold, and how its value crosses to the caller's buffers.

use crate::abi::*;
use crate::engine::context::Context;
use crate::error::{Error, Result};
use crate::mpi_t::enumeration::{BOOLEAN, Enumeration};
use crate::variables::control::{Boolean, Double, Int, Range, Text};
use std::ffi::{c_char, c_int, c_void};

/// The storage of a variable, and what it may hold.
pub(crate) enum Value {
    /// A number between two others.
    Int(&'static Int, i32, i32),
    /// A number for each communicator. The variable holds the value for new ones.
    OfCommunicator(&'static Int, fn(&Context) -> &Int, i32, i32),
    /// Yes or no.
    Boolean(&'static Boolean),
    /// A real number between two others.
    Double(&'static Double, f64, f64),
    /// A text.
    Text(&'static Text),
    /// Two numbers, both between two others.
    Range(&'static Range, i32, i32),
    /// One of the values of an enumeration.
    Enum(&'static Int, &'static Enumeration),
}

fn outside(value: impl std::fmt::Display, what: impl std::fmt::Display) -> Error {
    Error::new(MPI_T_ERR_INVALID, format!("{value} is not {what}"))
}

fn between<T: PartialOrd + std::fmt::Display>(value: T, low: T, high: T) -> Result<T> {
    if value >= low && value <= high {
        Ok(value)
    } else {
        Err(outside(value, format!("in the range {low} to {high}")))
    }
}

impl Value {
    /// The names of its values.
    pub(crate) fn enumeration(&self) -> Option<&'static Enumeration> {
        match self {
            Value::Boolean(_) => Some(&BOOLEAN),
            Value::Enum(_, enumeration) => Some(enumeration),
            _ => None,
        }
    }

    /// The datatype of its elements.
    pub(crate) fn datatype(&self) -> MPI_Datatype {
        match self {
            Value::Double(..) => MPI_DOUBLE,
            Value::Text(_) => MPI_CHAR,
            _ => MPI_INT,
        }
    }

    /// The object it is bound to.
    pub(crate) fn bind(&self) -> c_int {
        if let Value::OfCommunicator(..) = self {
            MPI_T_BIND_MPI_COMM
        } else {
            MPI_T_BIND_NO_OBJECT
        }
    }

    /// Its number of elements.
    pub(crate) fn count(&self) -> c_int {
        match self {
            Value::Text(_) => Text::ROOM as c_int,
            Value::Range(..) => 2,
            _ => 1,
        }
    }

    /// What it holds, and its range, in words.
    pub(crate) fn describe(&self) -> String {
        match self {
            Value::Int(_, low, high) | Value::OfCommunicator(_, _, low, high) => {
                format!("int, {low} to {high}")
            }
            Value::Boolean(_) => "boolean".into(),
            Value::Double(_, low, high) => format!("double, {low} to {high}"),
            Value::Text(_) => format!("string of less than {} bytes", Text::ROOM),
            Value::Range(_, low, high) => format!("range within {low} to {high}"),
            Value::Enum(_, enumeration) => {
                let names: Vec<&str> = enumeration.items.iter().map(|(_, name)| *name).collect();
                names.join(", ")
            }
        }
    }

    /// Copies the value to a buffer that has room for it; `context` is that of the communicator it
    /// is bound to.
    pub(super) fn read(&self, context: Option<&Context>, to: *mut c_void) {
        let ints = to.cast::<c_int>();
        // SAFETY: not null (the caller has looked); MPI's caller passes a buffer for the datatype
        // and the count that this module gives.
        unsafe {
            match self {
                Value::Int(int, ..) | Value::Enum(int, _) => ints.write(int.get()),
                Value::OfCommunicator(default, field, ..) => {
                    ints.write(context.map_or(default.get(), |context| field(context).get()));
                }
                Value::Boolean(boolean) => ints.write(boolean.get().into()),
                Value::Double(double, ..) => to.cast::<f64>().write(double.get()),
                Value::Range(range, ..) => {
                    let (low, high) = range.get();
                    ints.write(low);
                    ints.add(1).write(high);
                }
                Value::Text(text) => {
                    let text = text.get();
                    std::ptr::copy_nonoverlapping(text.as_ptr(), to.cast(), text.len());
                    to.cast::<u8>().add(text.len()).write(0);
                }
            }
        }
    }

    /// Takes the value from a buffer.
    ///
    /// # Errors
    /// `MPI_T_ERR_INVALID` for a value outside the range, or a text without an end.
    pub(super) fn write(&self, context: Option<&Context>, from: *const c_void) -> Result {
        let ints = from.cast::<c_int>();
        // SAFETY: as for `read`.
        unsafe {
            match self {
                Value::Int(int, low, high) => int.set(between(ints.read(), *low, *high)?),
                Value::OfCommunicator(default, field, low, high) => {
                    context.map_or(*default, |context| field(context)).set(between(
                        ints.read(),
                        *low,
                        *high,
                    )?);
                }
                Value::Boolean(boolean) => boolean.set(between(ints.read(), 0, 1)? == 1),
                Value::Double(double, low, high) => {
                    double.set(between(from.cast::<f64>().read(), *low, *high)?);
                }
                Value::Range(range, low, high) => {
                    let (first, second) = (between(ints.read(), *low, *high)?, ints.add(1).read());
                    range.set(first, between(second, first, *high)?);
                }
                Value::Enum(int, enumeration) => {
                    let value = ints.read();
                    if !enumeration.items.iter().any(|(known, _)| *known == value) {
                        return Err(outside(value, format!("a value of {}", enumeration.name)));
                    }
                    int.set(value);
                }
                Value::Text(text) => {
                    let bytes = from.cast::<c_char>();
                    let length = (0..Text::ROOM).find(|&i| bytes.add(i).read() == 0);
                    let length = length.ok_or_else(|| outside("the text", "ended by a zero"))?;
                    let bytes = std::slice::from_raw_parts(from.cast::<u8>(), length);
                    let value =
                        std::str::from_utf8(bytes).map_err(|_| outside("the text", "UTF-8"))?;
                    text.set(value.to_owned());
                }
            }
        }
        Ok(())
    }

    /// Takes the value from a text of the environment.
    ///
    /// # Errors
    /// The text is no value of this variable, which keeps the one it has.
    pub(super) fn parse(&self, text: &str) -> std::result::Result<(), BadText> {
        fn number<T: std::str::FromStr>(text: &str) -> std::result::Result<T, BadText> {
            text.trim().parse().map_err(|_| BadText::NotANumber)
        }
        match self {
            Value::Int(int, low, high) | Value::OfCommunicator(int, _, low, high) => {
                int.set(between(number(text)?, *low, *high)?);
            }
            Value::Boolean(boolean) => {
                let value = match text.trim().to_lowercase().as_str() {
                    "1" | "true" | "yes" | "on" => true,
                    "0" | "false" | "no" | "off" => false,
                    _ => return Err(BadText::NotABoolean),
                };
                boolean.set(value);
            }
            Value::Double(double, low, high) => {
                double.set(between(number(text)?, *low, *high)?);
            }
            Value::Range(range, low, high) => {
                let (first, second) = text.split_once(':').ok_or(BadText::NotARange)?;
                let first = between(number(first)?, *low, *high)?;
                let second = between(number(second)?, first, *high)?;
                range.set(first, second);
            }
            Value::Enum(int, enumeration) => {
                let wanted = text.trim();
                let found =
                    enumeration.items.iter().find(|(_, name)| name.eq_ignore_ascii_case(wanted));
                int.set(found.ok_or_else(|| BadText::NoneOf(self.describe()))?.0);
            }
            Value::Text(variable) => {
                if text.len() >= Text::ROOM {
                    return Err(BadText::TooLong);
                }
                variable.set(text.to_owned());
            }
        }
        Ok(())
    }
}

/// Why a text of the environment is no value of a variable.
#[derive(Debug)]
pub(super) enum BadText {
    NotANumber,
    NotABoolean,
    NotARange,
    /// Has the names that it may be.
    NoneOf(String),
    /// A number that the variable may not have.
    Outside(Error),
    TooLong,
}

impl From<Error> for BadText {
    fn from(error: Error) -> BadText {
        BadText::Outside(error)
    }
}

impl std::fmt::Display for BadText {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            BadText::NotANumber => out.write_str("not a number"),
            BadText::NotABoolean => {
                out.write_str("neither true (1, yes, on) nor false (0, no, off)")
            }
            BadText::NotARange => out.write_str("not low:high"),
            BadText::NoneOf(names) => write!(out, "none of {names}"),
            BadText::Outside(error) => out.write_str(error.message()),
            BadText::TooLong => write!(out, "longer than {} bytes", Text::ROOM - 1),
        }
    }
}
