//! A server of the network block device protocol for one client, which QEMU is.
//!
//! The part of the protocol that a single connection to one export needs: fixed newstyle negotiation
//! and simple replies (NBD's doc/proto.md, "Newstyle negotiation" and "Transmission phase"). Requests
//! are served one after the other, so what one completes is in the log before the next begins.

use std::io::{self, Read, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::disk::Disk;

const MAGIC: u64 = 0x4e42_444d_4147_4943;
const OPTION_MAGIC: u64 = 0x4948_4156_454f_5054;
const REPLY_MAGIC: u64 = 0x0003_e889_0455_65a9;
const REQUEST_MAGIC: u32 = 0x2560_9513;
const SIMPLE_REPLY_MAGIC: u32 = 0x6744_6698;

/// Fixed newstyle, and no zeroes behind the answer to [`EXPORT_NAME`].
const HANDSHAKE_FLAGS: u16 = 0b11;
/// Has flags, sends flushes, FUA, trims and zeroes.
const EXPORT_FLAGS: u16 = 1 | 1 << 2 | 1 << 3 | 1 << 5 | 1 << 6;
/// The command flag FUA.
const FUA: u16 = 1;

const EXPORT_NAME: u32 = 1;
const ABORT: u32 = 2;
const INFO: u32 = 6;
const GO: u32 = 7;

const REPLY_ACK: u32 = 1;
const REPLY_INFO: u32 = 3;
const REPLY_UNSUPPORTED: u32 = 1 << 31 | 1;
const INFO_EXPORT: u16 = 0;

const READ: u16 = 0;
const WRITE: u16 = 1;
const DISCONNECT: u16 = 2;
const FLUSH: u16 = 3;
const TRIM: u16 = 4;
const WRITE_ZEROES: u16 = 6;

const INVALID: u32 = 22;
const OUT_OF_SPACE: u32 = 28;

/// The longest option data and the longest request: the protocol's limit for clients that were told
/// none.
const OPTION_BYTES_MAX: u32 = 64 << 10;
const REQUEST_BYTES_MAX: u32 = 32 << 20;

/// Serves `disk` until the client disconnects or its socket closes.
///
/// # Errors
/// If the client violates the protocol, or the connection breaks within a message.
pub fn serve(mut connection: impl Read + Write, disk: &Mutex<Disk>) -> io::Result<()> {
    let size_bytes = locked(disk).size_bytes();
    if negotiate(&mut connection, size_bytes)? {
        while let Some(request) = Request::read(&mut connection)? {
            if request.command == DISCONNECT {
                break;
            }
            request.serve(&mut connection, disk)?;
        }
    }
    Ok(())
}

fn locked(disk: &Mutex<Disk>) -> MutexGuard<'_, Disk> {
    disk.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Agrees with the client on the export; returns whether requests follow.
fn negotiate(connection: &mut (impl Read + Write), size_bytes: u64) -> io::Result<bool> {
    let mut greeting = Vec::new();
    greeting.extend(MAGIC.to_be_bytes());
    greeting.extend(OPTION_MAGIC.to_be_bytes());
    greeting.extend(HANDSHAKE_FLAGS.to_be_bytes());
    connection.write_all(&greeting)?;
    let flags = u32::from_be_bytes(take(connection)?);
    loop {
        if u64::from_be_bytes(take(connection)?) != OPTION_MAGIC {
            return Err(violated("an option without its magic number"));
        }
        let option = u32::from_be_bytes(take(connection)?);
        let length = u32::from_be_bytes(take(connection)?);
        if length > OPTION_BYTES_MAX {
            return Err(violated("an option that is too long"));
        }
        take_data(connection, length)?;
        let mut export = size_bytes.to_be_bytes().to_vec();
        export.extend(EXPORT_FLAGS.to_be_bytes());
        match option {
            EXPORT_NAME => {
                // A client without the second handshake flag expects zeroes.
                export.resize(if flags & 2 == 0 { 134 } else { 10 }, 0);
                connection.write_all(&export)?;
                return Ok(true);
            }
            INFO | GO => {
                let info = [&INFO_EXPORT.to_be_bytes()[..], &export].concat();
                reply(connection, option, REPLY_INFO, &info)?;
                reply(connection, option, REPLY_ACK, &[])?;
                if option == GO {
                    return Ok(true);
                }
            }
            ABORT => {
                reply(connection, option, REPLY_ACK, &[])?;
                return Ok(false);
            }
            _ => reply(connection, option, REPLY_UNSUPPORTED, &[])?,
        }
    }
}

fn reply(connection: &mut impl Write, option: u32, kind: u32, data: &[u8]) -> io::Result<()> {
    let length = u32::try_from(data.len()).unwrap_or(u32::MAX);
    let mut message = REPLY_MAGIC.to_be_bytes().to_vec();
    for number in [option, kind, length] {
        message.extend(number.to_be_bytes());
    }
    message.extend(data);
    connection.write_all(&message)
}

/// A request of the transmission phase.
struct Request {
    flags: u16,
    command: u16,
    cookie: [u8; 8],
    offset: u64,
    length: u32,
}

impl Request {
    /// Reads the next one; `None` if the client has closed the connection.
    fn read(connection: &mut impl Read) -> io::Result<Option<Self>> {
        let mut first = [0; 1];
        match connection.read(&mut first) {
            Ok(0) => return Ok(None),
            // A killed client.
            Err(error) if error.kind() == io::ErrorKind::ConnectionReset => return Ok(None),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {
                return Self::read(connection);
            }
            Err(error) => return Err(error),
            Ok(_) => {}
        }
        let [second, third, fourth] = take(connection)?;
        if u32::from_be_bytes([first[0], second, third, fourth]) != REQUEST_MAGIC {
            return Err(violated("a request without its magic number"));
        }
        Ok(Some(Self {
            flags: u16::from_be_bytes(take(connection)?),
            command: u16::from_be_bytes(take(connection)?),
            cookie: take(connection)?,
            offset: u64::from_be_bytes(take(connection)?),
            length: u32::from_be_bytes(take(connection)?),
        }))
    }

    fn serve(&self, connection: &mut (impl Read + Write), disk: &Mutex<Disk>) -> io::Result<()> {
        let carries = matches!(self.command, READ | WRITE);
        if carries && self.length > REQUEST_BYTES_MAX {
            return Err(violated("a request that is too long"));
        }
        let data = match self.command {
            WRITE => take_data(connection, self.length)?,
            _ => Vec::new(),
        };
        let (error, answer) = self.act(data, &mut locked(disk));
        let mut message = SIMPLE_REPLY_MAGIC.to_be_bytes().to_vec();
        message.extend(error.to_be_bytes());
        message.extend(self.cookie);
        message.extend(answer);
        connection.write_all(&message)
    }

    /// Does what the request asks; returns its error number, 0 for none, and the data read.
    fn act(&self, data: Vec<u8>, disk: &mut Disk) -> (u32, Vec<u8>) {
        let length = u64::from(self.length);
        let fua = self.flags & FUA != 0;
        if self.command != FLUSH && !disk.has(self.offset, length) {
            let error = if self.command == WRITE {
                OUT_OF_SPACE
            } else {
                INVALID
            };
            return (error, Vec::new());
        }
        match self.command {
            READ => {
                let mut read = vec![0; usize::try_from(length).unwrap_or_default()];
                disk.read(self.offset, &mut read);
                return (0, read);
            }
            WRITE => disk.write(self.offset, data.into(), fua),
            TRIM | WRITE_ZEROES => disk.clear(self.offset, length, fua),
            FLUSH => disk.flush(),
            _ => return (INVALID, Vec::new()),
        }
        (0, Vec::new())
    }
}

fn take<const LENGTH: usize>(connection: &mut impl Read) -> io::Result<[u8; LENGTH]> {
    let mut bytes = [0; LENGTH];
    connection.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn take_data(connection: &mut impl Read, length: u32) -> io::Result<Vec<u8>> {
    let mut data = vec![0; usize::try_from(length).unwrap_or_default()];
    connection.read_exact(&mut data)?;
    Ok(data)
}

fn violated(what: &str) -> io::Error {
    io::Error::other(format!("the client violates the NBD protocol: {what}"))
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixStream;
    use std::thread;

    use proptest::prelude::*;

    use super::*;
    use crate::disk::Logged;

    fn option(option: u32, data: &[u8]) -> Vec<u8> {
        let length = u32::try_from(data.len()).unwrap();
        let mut message = OPTION_MAGIC.to_be_bytes().to_vec();
        message.extend(option.to_be_bytes());
        message.extend(length.to_be_bytes());
        message.extend(data);
        message
    }

    fn request(flags: u16, command: u16, offset: u64, length: u32, data: &[u8]) -> Vec<u8> {
        let mut message = REQUEST_MAGIC.to_be_bytes().to_vec();
        message.extend(flags.to_be_bytes());
        message.extend(command.to_be_bytes());
        message.extend(7_u64.to_be_bytes());
        message.extend(offset.to_be_bytes());
        message.extend(length.to_be_bytes());
        message.extend(data);
        message
    }

    /// Sends everything, closes, and returns the answers and the disk.
    fn served(sent: &[Vec<u8>]) -> (io::Result<()>, Vec<u8>, Disk) {
        let disk = Mutex::new(Disk::new(1 << 20));
        let (mut client, server) = UnixStream::pair().unwrap();
        let answers = thread::scope(|scope| {
            let serving = scope.spawn(|| serve(server, &disk));
            // The server may have hung up already.
            let _sent = client.write_all(&sent.concat());
            client.shutdown(std::net::Shutdown::Write).unwrap();
            let mut answers = Vec::new();
            let _read = client.read_to_end(&mut answers);
            (serving.join().unwrap(), answers)
        });
        (answers.0, answers.1, disk.into_inner().unwrap())
    }

    #[test]
    fn a_client_writes_reads_flushes_and_trims() {
        let flags = 3_u32.to_be_bytes().to_vec();
        let sent = [
            flags,
            option(8, &[]),
            option(GO, &[0; 6]),
            request(FUA, WRITE, 512, 512, &[5; 512]),
            request(0, FLUSH, 0, 0, &[]),
            request(0, READ, 0, 1024, &[]),
            request(0, TRIM, 0, 1024, &[]),
            request(0, WRITE_ZEROES, 4096, 64 << 10, &[]),
            request(0, WRITE, 1 << 20, 1, &[9]),
            request(0, 99, 0, 0, &[]),
            request(0, DISCONNECT, 0, 0, &[]),
        ];
        let (result, answers, disk) = served(&sent);
        result.unwrap();
        let log: Vec<String> = disk
            .log()
            .iter()
            .map(|entry| match &entry.what {
                Logged::Write { offset, data, fua } => {
                    format!("write {offset}+{} {fua}", data.len())
                }
                Logged::Clear {
                    offset,
                    length,
                    fua,
                } => format!("clear {offset}+{length} {fua}"),
                Logged::Flush => "flush".to_owned(),
            })
            .collect();
        let expected = [
            "write 512+512 true",
            "flush",
            "clear 0+1024 false",
            "clear 4096+65536 false",
        ];
        assert_eq!(log, expected);
        // Greeting 18; refusal 20; information 20 + 12; its end 20; then the replies.
        let replies = &answers[18 + 20 + 32 + 20..];
        let error = |at: usize| u32::from_be_bytes(replies[at..at + 4].try_into().unwrap());
        assert_eq!([4, 20, 36].map(error), [0, 0, 0]);
        let read = &replies[32 + 16..32 + 16 + 1024];
        assert!(
            read[..512].iter().all(|byte| *byte == 0) && read[512..].iter().all(|byte| *byte == 5)
        );
        let rest = 32 + 16 + 1024;
        assert_eq!(
            [4, 20, 36, 52].map(|at| error(rest + at)),
            [0, 0, OUT_OF_SPACE, INVALID]
        );
        assert_eq!(replies.len(), rest + 64);
    }

    #[test]
    fn an_old_client_names_its_export_and_a_stranger_is_refused() {
        let (result, answers, _) =
            served(&[0_u32.to_be_bytes().to_vec(), option(EXPORT_NAME, b"x")]);
        result.unwrap();
        assert_eq!(answers.len(), 18 + 134);
        assert_eq!(answers[18..26], (1_u64 << 20).to_be_bytes());
        let (result, _, _) = served(&[b"GET / HTTP/1.1\r\n\r\n".to_vec()]);
        assert!(result.unwrap_err().to_string().contains("magic"));
        let long = request(0, READ, 0, u32::MAX, &[]);
        let (result, _, _) = served(&[3_u32.to_be_bytes().to_vec(), option(GO, &[0; 6]), long]);
        assert!(result.unwrap_err().to_string().contains("too long"));
    }

    proptest! {
        #[test]
        fn any_bytes_end_the_connection_without_a_panic(
            bytes in proptest::collection::vec(any::<u8>(), 0..200),
            is_greeted: bool,
        ) {
            let greeting = match is_greeted {
                true => [3_u32.to_be_bytes().to_vec(), option(GO, &[0; 6])].concat(),
                false => Vec::new(),
            };
            let (_, _, disk) = served(&[greeting, bytes]);
            prop_assert!(disk.log().len() < 20);
        }
    }
}
