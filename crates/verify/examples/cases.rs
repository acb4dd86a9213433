//! Prints drawn cases as JSON lines: `cases SEED FIRST COUNT`.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "scratch")]
fn main() {
    let args: Vec<u64> = std::env::args().skip(1).map(|a| a.parse().unwrap()).collect();
    for number in args[1]..args[1] + args[2] {
        println!("{}", serde_json::to_string(&stripewise_verify::draw(args[0], number)).unwrap());
    }
}
