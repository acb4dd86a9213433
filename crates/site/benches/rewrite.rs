//! How fast a dump is rewritten: MB per second of CPU, beside a copy. `cargo bench -p stripewise-site`.
//!
//! With STRIPEWISE_DUMP=FILE it takes that dump, else rows like those of WordPress.

use std::error::Error;
use std::io::{self, Write as _};

use rustix::time::{ClockId, clock_gettime};
use stripewise_site::{Options, Pair, Pairs, Policy, rewrite};

/// Bytes of the drawn dump.
const BYTES: usize = 64 << 20;
const ROUNDS: usize = 5;

fn drawn() -> Vec<u8> {
    let mut dump = Vec::with_capacity(BYTES + (1 << 20));
    let mut row = 0_usize;
    while dump.len() < BYTES {
        dump.extend(b"INSERT INTO `wp_posts` VALUES ");
        for index in 0..500 {
            row += 1;
            let comma = if index == 0 { "" } else { "," };
            let words = "the server of the garden \\\"quoted\\\" it\\'s a\\nline ".repeat(row % 40);
            let text = format!(
                "{comma}({row},'<p>{words}</p> http://old.example.com/?p={row}','a:1:{{s:3:\\\"url\\\";s:22:\\\"http://old.example.com\\\";}}')"
            );
            dump.extend(text.as_bytes());
        }
        dump.extend(b";\n");
    }
    dump
}

/// Returns the CPU time of this process in seconds.
fn cpu() -> f64 {
    let now = clock_gettime(ClockId::ProcessCPUTime);
    std::time::Duration::try_from(now)
        .unwrap_or_default()
        .as_secs_f64()
}

fn main() -> Result<(), Box<dyn Error>> {
    let dump = match std::env::var_os("STRIPEWISE_DUMP") {
        Some(path) => std::fs::read(path)?,
        None => drawn(),
    };
    let megabytes = u32::try_from(dump.len() / 1_000_000).map(f64::from)?;
    let pair = Pair {
        from: b"http://old.example.com".to_vec(),
        to: b"https://www.new-site.example.org".to_vec(),
    };
    let pairs = Pairs::new(&[pair], Policy::default())?;
    let mut out = io::stdout().lock();
    for _ in 0..ROUNDS {
        let before = cpu();
        let report = rewrite(dump.as_slice(), io::sink(), &pairs, &Options::default())?;
        let took = cpu() - before;
        writeln!(
            out,
            "{megabytes} MB, {} addresses: {:.0} MB per second of CPU",
            report.replaced(),
            megabytes / took
        )?;
    }
    Ok(())
}
