//! Packed inputs: gzip and Zstandard are unpacked, other packings are refused by name.

use std::io::{self, BufRead, BufReader, Chain, Cursor, Read};

use flate2::bufread::MultiGzDecoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use crate::reader::ReadError;

/// How much of a packed input is read at once.
const BUFFER_BYTES: usize = 256 << 10;
/// How many bytes tell a packing.
const MAGIC_BYTES: usize = 6;

/// Counts the bytes that are read.
pub(crate) struct Counting<R> {
    inner: R,
    count: u64,
}

impl<R: Read> Read for Counting<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.count = self.count.saturating_add(count as u64);
        Ok(count)
    }
}

/// An input whose first bytes were looked at.
type Whole<R> = Chain<Cursor<Vec<u8>>, Counting<R>>;

/// An input, unpacked if it is packed.
pub(crate) enum Unpacked<R: Read> {
    /// It is not packed.
    Plain(Whole<R>),
    /// gzip.
    Gzip(Box<MultiGzDecoder<BufReader<Whole<R>>>>),
    /// Zstandard.
    Zstd(Box<Frames<BufReader<Whole<R>>>>),
}

impl<R: Read> Unpacked<R> {
    /// Finds out how an input is packed.
    pub(crate) fn new(input: R) -> Result<Self, ReadError> {
        let mut input = Counting {
            inner: input,
            count: 0,
        };
        let mut magic = Vec::with_capacity(MAGIC_BYTES);
        (&mut input)
            .take(MAGIC_BYTES as u64)
            .read_to_end(&mut magic)?;
        let refused = |packing, program| Err(ReadError::Packing { packing, program });
        match magic.as_slice() {
            [0xfd, b'7', b'z', b'X', b'Z', 0] => return refused("xz", "xz -dc"),
            [b'B', b'Z', b'h', ..] => return refused("bzip2", "bzip2 -dc"),
            [b'7', b'z', 0xbc, 0xaf, ..] => return refused("7-Zip", "7z x -so"),
            [b'P', b'K', 3, 4, ..] => return refused("ZIP", "unzip -p"),
            _ => {}
        }
        let is_gzip = magic.starts_with(&[0x1f, 0x8b]);
        let is_zstd = magic.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]);
        let whole = Cursor::new(magic).chain(input);
        let buffered = |whole| BufReader::with_capacity(BUFFER_BYTES, whole);
        Ok(if is_gzip {
            Unpacked::Gzip(Box::new(MultiGzDecoder::new(buffered(whole))))
        } else if is_zstd {
            Unpacked::Zstd(Box::new(Frames {
                input: buffered(whole),
                decoder: FrameDecoder::new(),
                is_open: false,
            }))
        } else {
            Unpacked::Plain(whole)
        })
    }

    /// Returns how many bytes of the packed input were read.
    pub(crate) fn bytes_read(&self) -> u64 {
        let whole = match self {
            Unpacked::Plain(whole) => whole,
            Unpacked::Gzip(decoder) => decoder.get_ref().get_ref(),
            Unpacked::Zstd(frames) => frames.input.get_ref(),
        };
        whole.get_ref().1.count
    }

    /// Returns whether the input is packed.
    pub(crate) fn is_packed(&self) -> bool {
        !matches!(self, Unpacked::Plain(_))
    }
}

impl<R: Read> Read for Unpacked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Unpacked::Plain(input) => input.read(buffer),
            Unpacked::Gzip(input) => input.read(buffer),
            Unpacked::Zstd(input) => input.read(buffer),
        }
    }
}

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

/// Unpacks one frame of Zstandard after the other.
pub(crate) struct Frames<R> {
    input: R,
    decoder: FrameDecoder,
    is_open: bool,
}

/// Returns an error about packed bytes. A cut-off input stays one, however deep the decoder hid it.
fn invalid(error: impl std::error::Error + Send + Sync + 'static) -> io::Error {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(&error);
    while let Some(inner) = cause {
        if let Some(inner) = inner.downcast_ref::<io::Error>()
            && inner.kind() == io::ErrorKind::UnexpectedEof
        {
            return io::ErrorKind::UnexpectedEof.into();
        }
        cause = inner.source();
    }
    io::Error::new(io::ErrorKind::InvalidData, error)
}

impl<R: BufRead> Frames<R> {
    /// Begins the next frame; returns whether there is one.
    fn open(&mut self) -> io::Result<bool> {
        while !self.input.fill_buf()?.is_empty() {
            match self.decoder.reset(&mut self.input) {
                Ok(()) => {
                    self.is_open = true;
                    return Ok(true);
                }
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => {
                    let mut skipped = (&mut self.input).take(length.into());
                    io::copy(&mut skipped, &mut io::sink())?;
                }
                Err(error) => return Err(invalid(error)),
            }
        }
        Ok(false)
    }

    /// Ends a frame, whose checksum must be right.
    fn close(&mut self) -> io::Result<()> {
        self.is_open = false;
        let stated = self.decoder.get_checksum_from_data();
        if stated.is_some() && stated != self.decoder.get_calculated_checksum() {
            let text = "the checksum of a Zstandard frame is wrong";
            return Err(io::Error::new(io::ErrorKind::InvalidData, text));
        }
        Ok(())
    }
}

impl<R: BufRead> Read for Frames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            if !self.is_open && !self.open()? {
                return Ok(0);
            }
            while self.decoder.can_collect() < buffer.len() && !self.decoder.is_finished() {
                let wanted = BlockDecodingStrategy::UptoBytes(buffer.len());
                self.decoder
                    .decode_blocks(&mut self.input, wanted)
                    .map_err(invalid)?;
            }
            let count = self.decoder.read(buffer)?;
            if count > 0 {
                return Ok(count);
            }
            self.close()?;
        }
    }
}
