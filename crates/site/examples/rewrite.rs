//! Rewrites standard input, to measure it: `rewrite FROM TO [FROM TO]...`.

use std::error::Error;
use std::io;

use stripewise_site::{Options, Pair, Pairs, Policy, rewrite};

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let pairs = words.chunks_exact(2).map(|pair| Pair {
        from: pair[0].clone().into_bytes(),
        to: pair[1].clone().into_bytes(),
    });
    let pairs = Pairs::new(&pairs.collect::<Vec<_>>(), Policy::default())?;
    rewrite(
        io::stdin().lock(),
        io::stdout().lock(),
        &pairs,
        &Options::default(),
    )?;
    Ok(())
}
