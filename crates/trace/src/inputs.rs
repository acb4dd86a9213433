//! The inputs of a trace.

use std::io::{self, Read};

use stripewise_packing::{UnpackError, Unpacked};

use crate::reader::ReadError;

/// The inputs of a trace, whatever their type.
///
/// What is generic is compiled in the crate that uses it, which need not be optimised for millions of
/// records. All behind this is compiled here.
pub(crate) trait Inputs {
    /// Reads from the input of a number.
    fn read(&mut self, number: usize, buffer: &mut [u8]) -> io::Result<usize>;
    /// Returns whether the input of a number is packed.
    fn is_packed(&self, number: usize) -> bool;
}

impl<R: Read> Inputs for Vec<Unpacked<R>> {
    fn read(&mut self, number: usize, buffer: &mut [u8]) -> io::Result<usize> {
        self[number].read(buffer)
    }

    fn is_packed(&self, number: usize) -> bool {
        self[number].is_packed()
    }
}

impl From<UnpackError> for ReadError {
    fn from(error: UnpackError) -> Self {
        match error {
            UnpackError::Read(error) => ReadError::Read(error),
            UnpackError::Foreign { packing, program } => ReadError::Packing { packing, program },
        }
    }
}
