//! Which format a trace has, from its first bytes.

use super::columns::{Actions, action};
use super::numbers::{Words, decimal, number};
use super::tracepoints::Tracepoints;
use super::{FormatName, blkparse, blktrace, iolog, table};
use crate::reader::ReadError;

/// How many lines are looked at; a trace may begin with comments, and with damage.
const LINES_MAX: usize = 256;
/// How much of the first line an error shows.
const SHOWN_BYTES: usize = 80;

/// Returns the format of a trace that begins with these bytes.
pub(crate) fn detect(head: &[u8]) -> Result<FormatName, ReadError> {
    if head.is_empty() {
        return Err(ReadError::Empty);
    }
    if blktrace::looks_like(head) {
        return Ok(FormatName::Blktrace);
    }
    refuse_others(head)?;
    let events = Tracepoints::new();
    let lines = head.split_inclusive(|byte| *byte == b'\n');
    for (index, line) in lines.take(LINES_MAX).enumerate() {
        let line = line.trim_ascii_end();
        if index == 0 {
            if line.starts_with(b"# tracer:") {
                return Ok(FormatName::Ftrace);
            }
            if iolog::version(line).is_some() {
                return Ok(FormatName::FioIolog);
            }
            if table::columns(line).is_some() {
                return Ok(FormatName::Csv);
            }
        }
        if blkparse::looks_like(line) {
            return Ok(FormatName::Blkparse);
        }
        match events.looks_like(line) {
            Some(true) => return Ok(FormatName::PerfScript),
            Some(false) => return Ok(FormatName::Ftrace),
            None => {}
        }
        if let Some(format) = of_cells(line) {
            return Ok(format);
        }
    }
    let first = head.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let first = String::from_utf8_lossy(&first[..first.len().min(SHOWN_BYTES)]);
    Err(ReadError::UnknownFormat {
        first: first.trim_end().to_owned(),
    })
}

/// Refuses files that another program must convert first.
fn refuse_others(head: &[u8]) -> Result<(), ReadError> {
    let refused = |what, command| Err(ReadError::NotATrace { what, command });
    if head.starts_with(b"PERFILE2") || head.starts_with(b"2ELIFREP") {
        return refused("a recording of perf", "perf script -i FILE");
    }
    if head.starts_with(b"\x17\x08\x44tracing") {
        return refused("a recording of trace-cmd", "trace-cmd report -i FILE");
    }
    if head.get(257..262) == Some(b"ustar") {
        return refused("an archive of tar", "tar -xO -f FILE");
    }
    Ok(())
}

/// Returns the format of a line of cells.
fn of_cells(line: &[u8]) -> Option<FormatName> {
    if !line.contains(&b',') {
        return is_fiu(line).then_some(FormatName::Fiu);
    }
    let mut cells = [&b""[..]; 8];
    let mut count = 0;
    for (cell, place) in line.split(|byte| *byte == b',').zip(&mut cells) {
        *place = cell.trim_ascii();
        count += 1;
    }
    let whole = |index: usize| number(cells[index]).is_some();
    let part = |index: usize| decimal(cells[index], 1).is_some();
    let word = |index: usize| action(cells[index], Actions::Words).is_ok();
    let digit = |index: usize| action(cells[index], Actions::Digits).is_ok();
    let all = |indexes: &[usize]| indexes.iter().all(|index| whole(*index));
    match count {
        7.. if all(&[0, 2, 4, 5, 6]) && word(3) => Some(FormatName::Msr),
        6 if part(0) && part(1) && word(2) && all(&[4, 5]) => Some(FormatName::Systor),
        5.. if all(&[0, 1, 2]) && word(3) && part(4) => Some(FormatName::Spc),
        5 if all(&[0, 2, 3, 4]) && word(1) => Some(FormatName::Alibaba),
        5 if all(&[0, 1, 2, 4]) && digit(3) => Some(FormatName::Tencent),
        _ => None,
    }
}

/// Returns whether a line is like those of the traces of FIU.
fn is_fiu(line: &[u8]) -> bool {
    let mut words = Words(line);
    let mut next_is = |is: fn(&[u8]) -> bool| words.next().is_some_and(is);
    let whole = |word: &[u8]| number(word).is_some();
    next_is(whole)
        && next_is(whole)
        && next_is(|_| true)
        && next_is(whole)
        && next_is(whole)
        && next_is(|word| action(word, Actions::Words).is_ok())
        && next_is(whole)
        && next_is(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_format_by_a_line_of_its_documentation() {
        let lines = [
            (
                "128166372003061629,hm,0,Write,7014912,4096,26",
                FormatName::Msr,
            ),
            (
                "1456095145.133076000,0.000806000,R,0,899056122368,131072",
                FormatName::Systor,
            ),
            (
                "Timestamp,Response,IOType,LUN,Offset,Size\n1.5,0.1,W,2,0,512",
                FormatName::Systor,
            ),
            ("0,21741712,24576,R,0.000774", FormatName::Spc),
            (
                "0,R,126703644672,4096,1577808000000626",
                FormatName::Alibaba,
            ),
            ("1538323200,12910952,8,1,1063", FormatName::Tencent),
            (
                "89968195792462 20782 gzip 283193184 8 R 6 0 56f11b711d91a065a2b6458eca924523",
                FormatName::Fiu,
            ),
            ("fio version 3 iolog\n", FormatName::FioIolog),
            ("time_s,action,offset_bytes,length_bytes\n", FormatName::Csv),
            (
                "  8,0    3        1     0.000000000   697  G   W 223490 + 8 [kjournald]",
                FormatName::Blkparse,
            ),
            (
                "garbage\n fio-7701 [001] ..... 1.665398: block_plug: [fio]",
                FormatName::Ftrace,
            ),
            (
                "fio  8256 [000] 1.109606: block:block_plug: [fio]",
                FormatName::PerfScript,
            ),
        ];
        for (line, format) in lines {
            let found = detect(line.as_bytes());
            assert!(
                matches!(found, Ok(name) if name == format),
                "{line}: {found:?}"
            );
        }
        assert!(matches!(detect(b""), Err(ReadError::Empty)));
        assert!(matches!(
            detect(b"a,b\n1,2\n"),
            Err(ReadError::UnknownFormat { .. })
        ));
        let refused = detect(b"PERFILE2....");
        assert!(matches!(refused, Err(ReadError::NotATrace { .. })));
    }
}
