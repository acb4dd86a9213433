//! Cells that the lab measures and the model must predict. `ci/cells.sh` calls it.
//!
//! ```text
//! cells draw SEED COUNT DIR    writes the studies of the first cells of a seed: DIR/NUMBER.toml
//! cells keep COMMAND DIR       prints a file of cells, from DIR/NUMBER.json of `stripewise show --json`
//! cells compare FILE           simulates the cells of such a file and prints the table
//! ```

use std::error::Error;
use std::io::Write;
use std::path::Path;

use serde::Deserialize;
use stripewise_profiles::Profiles;
use stripewise_profiles::profile_file::device_from_toml;
use stripewise_units::kernel::KernelVersion;
use stripewise_verify::cells::{Header, MeasuredCell, MeasuredCells, compare_cell, study, table};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The share of cells, in percent, that must be within 10 %.
const WITHIN_PERCENT_MIN: usize = 50;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["draw", seed, count, folder] => draw(seed.parse()?, count.parse()?, Path::new(folder)),
        ["keep", command, folder] => keep(command, Path::new(folder)),
        ["compare", file] => compare(Path::new(file)),
        _ => Err("cells draw SEED COUNT DIR | keep COMMAND DIR | compare FILE".into()),
    }
}

fn draw(seed: u64, count: u64, folder: &Path) -> Result<()> {
    for number in 0..count {
        std::fs::write(folder.join(format!("{number}.toml")), study(seed, number))?;
    }
    Ok(())
}

/// What is read of `stripewise show --json`.
#[derive(Deserialize)]
struct Document {
    facts: Facts,
    cells: Vec<Shown>,
}

#[derive(Deserialize)]
struct Facts {
    kernel_source: String,
    tools: std::collections::BTreeMap<String, String>,
}

#[derive(Deserialize)]
struct Shown {
    estimates: Estimates,
    samples: Vec<ShownSample>,
}

#[derive(Deserialize)]
struct Estimates {
    iops: Estimate,
    latency_ns_mean: Estimate,
    latency_ns_p50: Estimate,
    latency_ns_p99: Estimate,
}

#[derive(Deserialize)]
struct Estimate {
    value: f64,
}

#[derive(Deserialize)]
struct ShownSample {
    warnings: Vec<serde_json::Value>,
}

fn keep(command: &str, folder: &Path) -> Result<()> {
    let mut out = std::io::stdout().lock();
    let mut kept: Option<Header> = None;
    for number in 0.. {
        let file = |suffix: &str| folder.join(format!("{number}.{suffix}"));
        let Ok(study) = std::fs::read_to_string(file("toml")) else {
            break;
        };
        // A cell whose run failed is missing.
        let Ok(shown) = std::fs::read_to_string(file("json")) else {
            writeln!(std::io::stderr(), "cell {number} was not measured")?;
            continue;
        };
        let shown: Document = serde_json::from_str(&shown)?;
        let [cell] = &shown.cells[..] else {
            return Err(format!("run {number} has not one cell").into());
        };
        let header = Header {
            command: command.to_owned(),
            kernel: shown.facts.kernel_source,
            fio: shown.facts.tools.get("fio").cloned().unwrap_or_default(),
        };
        if kept.is_none() {
            writeln!(out, "{}", serde_json::to_string(&header)?)?;
            kept = Some(header);
        }
        let mut warnings = cell.samples.iter().flat_map(|sample| &sample.warnings);
        let measured = MeasuredCell {
            number,
            study,
            iops: cell.estimates.iops.value.round(),
            mean_ns: cell.estimates.latency_ns_mean.value.round(),
            p50_ns: cell.estimates.latency_ns_p50.value.round(),
            p99_ns: cell.estimates.latency_ns_p99.value.round(),
            core_is_full: warnings.any(|warning| warning.to_string().contains("guest_core_full")),
        };
        writeln!(out, "{}", serde_json::to_string(&measured)?)?;
    }
    Ok(())
}

fn compare(file: &Path) -> Result<()> {
    let measured = MeasuredCells::parse(&std::fs::read_to_string(file)?)?;
    let kernel = KernelVersion::parse(&measured.header.kernel).ok_or("no version of a kernel")?;
    let mut profiles = Profiles::shipped();
    for entry in std::fs::read_dir("studies/devices")? {
        let path = entry?.path();
        let text = std::fs::read_to_string(&path)?;
        let profile = device_from_toml(&path.display().to_string(), &text)?;
        profiles.devices.insert(profile.name.clone(), profile);
    }
    let cells = measured.cells.iter();
    let compared = cells.map(|cell| compare_cell(cell, &profiles, kernel));
    let compared: Vec<_> = compared.collect::<std::result::Result<_, _>>()?;
    write!(std::io::stdout(), "{}", table(&compared))?;
    let within = compared.iter().filter(|cell| cell.is_within(10.0)).count();
    match within * 100 >= compared.len() * WITHIN_PERCENT_MIN {
        true => Ok(()),
        false => {
            Err(format!("fewer than {WITHIN_PERCENT_MIN} % of the cells are within 10 %").into())
        }
    }
}
