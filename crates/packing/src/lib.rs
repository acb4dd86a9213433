//! Packed inputs and outputs: gzip and Zstandard. What is packed otherwise is refused by name.

use std::io::{self, BufRead, BufReader, Chain, Cursor, Read, Write};

use flate2::Compression;
use flate2::bufread::MultiGzDecoder;
use flate2::write::GzEncoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use ruzstd::encoding::{CompressionLevel, FrameCompressor};

/// How much of an input is read at once.
const BUFFER_BYTES: usize = 256 << 10;
/// How many bytes identify a packing.
const MAGIC_BYTES: usize = 6;
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
    fn detect(head: &[u8]) -> Result<Self, UnpackError> {
        let refused = |packing, program| Err(UnpackError::Foreign { packing, program });
        match head {
            [0x1f, 0x8b, ..] => Ok(Packing::Gzip),
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Ok(Packing::Zstd),
            [0xfd, b'7', b'z', b'X', b'Z', 0] => refused("xz", "xz -dc"),
            // The size of blocks, and the first of the first block or of the end.
            [b'B', b'Z', b'h', b'1'..=b'9', 0x31 | 0x17, _] => refused("bzip2", "bzip2 -dc"),
            [b'7', b'z', 0xbc, 0xaf, ..] => refused("7-Zip", "7z x -so"),
            [b'P', b'K', 3, 4, ..] => refused("ZIP", "unzip -p"),
            _ => Ok(Packing::Plain),
        }
    }
}

/// An input cannot be unpacked.
#[derive(Debug, thiserror::Error)]
pub enum UnpackError {
    /// Its first bytes cannot be read.
    #[error(transparent)]
    Read(#[from] io::Error),
    /// It is packed in a way that we cannot unpack.
    #[error("it is packed with {packing}")]
    Foreign {
        /// The packing.
        packing: &'static str,
        /// The command that unpacks it.
        program: &'static str,
    },
}

/// Counts the bytes that are read.
struct Counting<R> {
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

/// An input, unpacked if it is packed. Reading fails at bytes that are damaged or cut off.
pub struct Unpacked<R: Read>(Inner<R>);

enum Inner<R: Read> {
    Plain(Whole<R>),
    Gzip(Box<MultiGzDecoder<BufReader<Whole<R>>>>),
    Zstd(Box<Frames<BufReader<Whole<R>>>>),
}

impl<R: Read> Unpacked<R> {
    /// Finds out from the first bytes how an input is packed.
    ///
    /// # Errors
    /// If they cannot be read, or it is packed with another program.
    pub fn new(input: R) -> Result<Self, UnpackError> {
        let mut input = Counting {
            inner: input,
            count: 0,
        };
        let mut magic = Vec::with_capacity(MAGIC_BYTES);
        (&mut input)
            .take(MAGIC_BYTES as u64)
            .read_to_end(&mut magic)?;
        let packing = Packing::detect(&magic)?;
        let whole = Cursor::new(magic).chain(input);
        let buffered = |whole| BufReader::with_capacity(BUFFER_BYTES, whole);
        Ok(Self(match packing {
            Packing::Plain => Inner::Plain(whole),
            Packing::Gzip => Inner::Gzip(Box::new(MultiGzDecoder::new(buffered(whole)))),
            Packing::Zstd => Inner::Zstd(Box::new(Frames {
                input: buffered(whole),
                decoder: FrameDecoder::new(),
                is_open: false,
            })),
        }))
    }

    /// Returns how many bytes of the packed input were read.
    pub fn bytes_read(&self) -> u64 {
        let whole = match &self.0 {
            Inner::Plain(whole) => whole,
            Inner::Gzip(decoder) => decoder.get_ref().get_ref(),
            Inner::Zstd(frames) => frames.input.get_ref(),
        };
        whole.get_ref().1.count
    }

    /// Returns whether the input is packed.
    pub fn is_packed(&self) -> bool {
        !matches!(self.0, Inner::Plain(_))
    }
}

impl<R: Read> Read for Unpacked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match &mut self.0 {
            Inner::Plain(input) => input.read(buffer),
            Inner::Gzip(input) => input.read(buffer),
            Inner::Zstd(input) => input.read(buffer),
        }
    }
}

/// Unpacks one frame of Zstandard after the other.
struct Frames<R> {
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

/// Unpacks bytes that are packed in a known way, as a part of a file is.
///
/// # Errors
/// If they are damaged or cut off, or would be more than `bytes_max`.
pub fn unpack(bytes: &[u8], packing: Packing, bytes_max: usize) -> io::Result<Vec<u8>> {
    let most = u64::try_from(bytes_max).unwrap_or(u64::MAX);
    let most = most.saturating_add(1);
    let mut all = Vec::new();
    match packing {
        Packing::Plain => bytes.take(most).read_to_end(&mut all)?,
        Packing::Gzip => MultiGzDecoder::new(bytes)
            .take(most)
            .read_to_end(&mut all)?,
        Packing::Zstd => {
            let frames = Frames {
                input: bytes,
                decoder: FrameDecoder::new(),
                is_open: false,
            };
            frames.take(most).read_to_end(&mut all)?
        }
    };
    if all.len() > bytes_max {
        let text = format!("it unpacks to more than {bytes_max} bytes");
        return Err(io::Error::new(io::ErrorKind::InvalidData, text));
    }
    Ok(all)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> io::Result<String> {
        let mut all = String::new();
        let mut input = Unpacked::new(bytes).map_err(io::Error::other)?;
        input.read_to_string(&mut all)?;
        assert_eq!(input.bytes_read(), bytes.len() as u64);
        Ok(all)
    }

    #[test]
    fn packed_bytes_are_unpacked_and_damaged_ones_fail() {
        let text = "/* c */ INSERT INTO `t` VALUES (1,'it''s \\' x');\n".repeat(2000);
        for packing in [Packing::Plain, Packing::Gzip, Packing::Zstd] {
            let mut packer = Packer::new(Vec::new(), packing);
            packer.write_all(text.as_bytes()).unwrap();
            let packed = packer.finish().unwrap();
            assert_eq!(read(&packed).unwrap(), text, "{packing:?}");
            let unpacked = unpack(&packed, packing, text.len()).unwrap();
            assert_eq!(unpacked, text.as_bytes(), "{packing:?}");
            assert!(unpack(&packed, packing, text.len() - 1).is_err());
            // Two archives in one file are one.
            assert_eq!(read(&packed.repeat(2)).unwrap(), text.repeat(2));
            if packing == Packing::Plain {
                continue;
            }
            for length in [packed.len() / 2, packed.len() - 1] {
                let kind = read(&packed[..length]).unwrap_err().kind();
                assert_eq!(kind, io::ErrorKind::UnexpectedEof, "{packing:?}");
            }
            let mut damaged = packed.clone();
            let place = packed.len() - 3;
            damaged[place] ^= 1;
            assert!(read(&damaged).is_err(), "{packing:?}");
        }
    }

    /// Gives a byte at a time, as a slow pipe may.
    struct Slow<'a>(&'a [u8]);

    impl Read for Slow<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let length = buffer.len().min(1);
            self.0.read(&mut buffer[..length])
        }
    }

    #[test]
    fn a_slow_pipe_is_unpacked_too() {
        let mut packer = Packer::new(Vec::new(), Packing::Zstd);
        packer.write_all(b"text").unwrap();
        let packed = packer.finish().unwrap();
        let mut all = String::new();
        let mut input = Unpacked::new(Slow(&packed)).unwrap();
        input.read_to_string(&mut all).unwrap();
        assert_eq!(all, "text");
    }

    #[test]
    fn text_is_no_packing() {
        for text in ["BZh is a text", "BZh1", "7zip", "PK", ""] {
            assert_eq!(read(text.as_bytes()).unwrap(), text);
        }
    }

    #[test]
    fn other_packings_are_refused_with_their_program() {
        let heads: [(&[u8], &str); 4] = [
            (b"\xfd7zXZ\0more", "xz -dc"),
            (b"BZh91AY", "bzip2 -dc"),
            (b"7z\xbc\xaf\x27\x1c", "7z x -so"),
            (b"PK\x03\x04", "unzip -p"),
        ];
        for (head, expected) in heads {
            let error = Unpacked::new(head).err();
            assert!(
                matches!(error, Some(UnpackError::Foreign { program, .. }) if program == expected),
                "{error:?}"
            );
        }
    }
}
