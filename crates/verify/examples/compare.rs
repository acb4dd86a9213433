//! scratch
#![allow(missing_docs, clippy::print_stdout, clippy::unwrap_used, reason = "scratch")]
use std::collections::BTreeMap;
use stripewise_study::kernel::KernelVersion;
use stripewise_verify::counts::{counts_of, MemberCounts};
use stripewise_verify::Case;
#[derive(serde::Deserialize)]
struct Row { case: Case, counts: Vec<MemberCounts> }
fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let text = std::fs::read_to_string(&args[0]).unwrap();
    let show: usize = args.get(1).map_or(0, |a| a.parse().unwrap());
    let filter = args.get(2).cloned().unwrap_or_default();
    let kernel = KernelVersion::parse(&std::env::var("KERNEL").unwrap_or("6.1.192".into())).unwrap();
    let host = stripewise_sim::profile_file::host_from_toml("x", stripewise_sim::shipped::HOSTS.iter().find(|h| h.name == "default").unwrap().text).unwrap();
    let mut table: BTreeMap<String, [u64; 2]> = BTreeMap::new();
    let mut shown = 0;
    let mut tab = stripewise_verify::Table::default();
    for (number, line) in text.lines().enumerate() {
        let row: Row = serde_json::from_str(line).unwrap();
        let c = &row.case;
        let under = c.under_way_max();
        let key = format!("{} {} {}{}{}", if c.level == stripewise_study::stack::Level::Raid5 {"raid5".into()} else {c.title()}, match (c.reads(), c.writes()) {(true,false)=>"r",(false,true)=>"w",_=>"rw"}, if under > 1 {"deep "} else {"d1 "}, if c.failed.is_empty() {""} else {"fail "}, if c.bitmap_chunk_bytes.is_some() {"bm"} else {""});
        let sample = match stripewise_verify::model::simulate(c, kernel, &host) { Ok(s) => s, Err(e) => { println!("#{number} {e}"); continue; } };
        let ios = c.replay().ios();
        if sample.sample.read.ios + sample.sample.write.ios != ios { println!("#{number} lost: {} of {ios}", sample.sample.read.ios + sample.sample.write.ios); }
        let mut model = counts_of(&sample.sample);
        if let (true, Some(sb)) = (c.writes(), sample.superblock_update) {
            for (i, m) in model.iter_mut().enumerate() {
                if c.failed.iter().any(|f| usize::from(*f) == i) { continue; }
                m.writes += 2 * sb.writes; m.write_sectors += 2 * sb.sectors.get();
            }
        }
        let raw = counts_of(&sample.sample);
        let verdict = stripewise_verify::compare(c, &raw, &row.counts, sample.superblock_update);
        tab.add(c, &verdict);
        let ext = stripewise_verify::determined(c);
        for (what, e, f) in [("r", ext.reads, (|m: &MemberCounts| m.read_sectors) as fn(&MemberCounts) -> u64), ("w", ext.writes, |m| m.write_sectors)] {
            let (a, b): (u64, u64) = (raw.iter().map(f).sum(), row.counts.iter().map(f).sum());
            if e == stripewise_verify::Extent::Roughly && b > 0 { println!("DEV {what} {} {a} {b} {} #{number} {}", a.abs_diff(b) * 100 / b, c.title(), c.disk.latency_ns); }
        }
        let same = verdict.agrees();
        if matches!(verdict, stripewise_verify::Verdict::Agrees{superblock_updates} if superblock_updates != 2 && c.writes() && sample.superblock_update.is_some() && ext.least() >= stripewise_verify::Extent::Blocks) { println!("#{number} updates {verdict:?}"); }
        let cell = table.entry(key.clone()).or_default();
        cell[0] += 1; cell[1] += u64::from(same);
        if !same && shown < show && key.contains(&filter) {
            shown += 1;
            println!("#{number} {ext:?} {key} chunk {:?} bm {:?} n={} {:?} {} d{} j{} failed {:?}", c.chunk_bytes.map(|b| b.as_u64()/1024), c.bitmap_chunk_bytes.map(|b| b.as_u64()/1024), c.members, c.disk, c.engine, c.depth, c.jobs.len(), c.failed);
            println!("   {:.150}", c.jobs[0].to_string());
            for (m, r) in model.iter().zip(&row.counts) {
                println!("   model {:?} real {:?} {}", <[u64;6]>::from(*m), <[u64;6]>::from(*r), if m==r {""} else {"<"});
            }
        }
    }
    let mut all = [0, 0];
    for (k, v) in &table { println!("{k:40} {:4} same {:4} {}", v[0], v[1], if v[0]!=v[1] {"<"} else {""}); all[0]+=v[0]; all[1]+=v[1]; }
    println!("{all:?}");
    for (k, r) in &tab.rows { println!("{k:28} {r:?}"); }
    println!("{:?}", tab.all);
}
