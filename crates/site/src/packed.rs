//! Compressed inputs and outputs: gzip and Zstandard.

use std::io::{self, BufRead, BufReader, Read, Write};

use flate2::Compression;
use flate2::bufread::MultiGzDecoder;
use flate2::write::GzEncoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use ruzstd::encoding::{CompressionLevel, FrameCompressor};

/// How much is read at once.
const BUFFER_BYTES: usize = 128 << 10;
/// How much of the output is one frame of Zstandard: what the encoder holds in memory.
const FRAME_BYTES: usize = 4 << 20;

/// How bytes are packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Packing {
    /// Not at all.
    Plain,
    /// gzip.
    Gzip,
    /// Zstandard.
    Zstd,
}

impl Packing {
    /// Returns the packing that the end of a file's name stands for.
    pub fn of_name(name: &str) -> Self {
        match name.rsplit('.').next() {
            Some("gz" | "gzip") => Packing::Gzip,
            Some("zst" | "zstd") => Packing::Zstd,
            _ => Packing::Plain,
        }
    }

    /// Returns the packing of bytes that begin like this.
    pub fn detect(head: &[u8]) -> Self {
        match head {
            [0x1f, 0x8b, ..] => Packing::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Packing::Zstd,
            _ => Packing::Plain,
        }
    }
}

/// Unpacks an input, whose first bytes tell how it is packed.
///
/// # Errors
/// If its first bytes cannot be read. The reader fails at bytes that are damaged or cut off.
pub fn unpacked<'a>(input: impl Read + 'a) -> io::Result<Box<dyn Read + 'a>> {
    let mut input = BufReader::with_capacity(BUFFER_BYTES, input);
    let packing = Packing::detect(input.fill_buf()?);
    Ok(match packing {
        Packing::Plain => Box::new(input),
        Packing::Gzip => Box::new(MultiGzDecoder::new(input)),
        Packing::Zstd => Box::new(Frames {
            input,
            decoder: FrameDecoder::new(),
            is_open: false,
        }),
    })
}

/// Unpacks one frame of Zstandard after the other.
struct Frames<R> {
    input: R,
    decoder: FrameDecoder,
    is_open: bool,
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
                Err(error) => return Err(io::Error::new(io::ErrorKind::InvalidData, error)),
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
        loop {
            if !self.is_open && !self.open()? {
                return Ok(0);
            }
            while self.decoder.can_collect() < buffer.len() && !self.decoder.is_finished() {
                let wanted = BlockDecodingStrategy::UptoBytes(buffer.len());
                let decoded = self.decoder.decode_blocks(&mut self.input, wanted);
                decoded.map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
            }
            let count = self.decoder.read(buffer)?;
            if count > 0 {
                return Ok(count);
            }
            self.close()?;
        }
    }
}

/// Packs an output.
pub enum Packer<W: Write> {
    /// As it is.
    Plain(W),
    /// gzip.
    Gzip(GzEncoder<W>),
    /// Frames of Zstandard.
    Zstd {
        /// Where frames go.
        out: W,
        /// The bytes of the next frame.
        part: Vec<u8>,
    },
}

impl<W: Write> Packer<W> {
    /// Returns an output that packs what is written to it.
    pub fn new(out: W, packing: Packing) -> Self {
        match packing {
            Packing::Plain => Packer::Plain(out),
            Packing::Gzip => Packer::Gzip(GzEncoder::new(out, Compression::fast())),
            Packing::Zstd => Packer::Zstd {
                out,
                part: Vec::new(),
            },
        }
    }

    /// Ends the output, and returns where it went.
    ///
    /// # Errors
    /// If the rest cannot be written.
    pub fn finish(self) -> io::Result<W> {
        match self {
            Packer::Plain(mut out) => out.flush().map(|()| out),
            Packer::Gzip(encoder) => encoder.finish(),
            Packer::Zstd { mut out, part } => {
                frame(&part, &mut out)?;
                out.flush()?;
                Ok(out)
            }
        }
    }
}

/// Writes one frame.
fn frame(part: &[u8], out: &mut impl Write) -> io::Result<()> {
    let mut packed = Vec::new();
    let mut encoder = FrameCompressor::new(CompressionLevel::Fastest);
    encoder.set_source(part);
    encoder.set_drain(&mut packed);
    encoder.compress();
    out.write_all(&packed)
}

impl<W: Write> Write for Packer<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Packer::Plain(out) => out.write(bytes),
            Packer::Gzip(encoder) => encoder.write(bytes),
            Packer::Zstd { out, part } => {
                part.extend_from_slice(bytes);
                if part.len() >= FRAME_BYTES {
                    frame(part, out)?;
                    part.clear();
                }
                Ok(bytes.len())
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Packer::Plain(out) | Packer::Zstd { out, .. } => out.flush(),
            Packer::Gzip(encoder) => encoder.flush(),
        }
    }
}
