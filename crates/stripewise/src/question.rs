//! A question on the command line: devices, arrays of them and loads, in our words, fio's or mdadm's.
//! `predict`, `run` and `study` read them alike.

use std::path::{Path, PathBuf};

use stripewise_format::question::{
    DIRECT_DEFAULT, LoadQuestion, Question, SIZE_DEFAULT, SIZE_DEFAULT_MEASURED, STATE_DEFAULT,
    StackQuestion,
};
use stripewise_study::stack::Level;
use stripewise_units::Bytes;

use crate::array_word::{ArrayWord, DeviceWord, profiles_of};
use crate::failure::{Failure, Result};
use crate::load_word::{BLOCK_SIZE_DEFAULT, WorkloadWord};
use crate::question_words::{Says, WORDS, Word};

/// Reads a write-intent bitmap from the command line; the study checks the size of its chunk.
pub(crate) fn bitmap_word(text: &str) -> std::result::Result<String, String> {
    match text {
        "internal" | "none" => Ok(text.to_owned()),
        chunk => Bytes::parse(chunk)
            .map(|_| text.to_owned())
            .map_err(|_| "expected `internal`, `none`, or its chunk, such as `64M`".to_owned()),
    }
}

/// What a question is asked of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AskedOf {
    /// The simulation.
    Model,
    /// A guest, whose disks are modelled.
    Guest,
    /// This machine.
    Machine,
}

/// The words of a question that only some commands take.
#[derive(Debug, Clone, Default)]
pub(crate) struct OtherWords {
    /// The kernel whose rules apply.
    pub(crate) kernel: Option<String>,
    /// The length of a sample.
    pub(crate) sample: Option<String>,
}

/// The options of a question, for every command that takes one.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "Words of a question")]
pub(crate) struct QuestionArgs {
    /// The load, instead of a study: `PATTERN:BLOCK[:KEY=VALUE...]` with the keys of a study or fio's, such as `randrw:4K:mix=70/30:depth=32`; or a shipped workload, such as `oltp`
    ///
    /// PATTERN is read, write, randread, randwrite, rw or randrw, as fio names them. docs/study.md lists
    /// the keys, under `[workload]`; `stripewise workloads` lists the shipped ones.
    #[arg(long = "workload", value_name = "LOAD")]
    pub(crate) workloads: Vec<WorkloadWord>,

    /// The device profile of the model or lab, such as `samsung-850-evo-500`; `stripewise profiles` lists them
    ///
    /// One profile stands for all members of the array; `4 x sata-ssd` gives their number, too. If the
    /// option is repeated, it names the members one by one, and their order counts: RAID 1 reads from the
    /// first of equals.
    #[arg(long = "device", alias = "devices", value_name = "PROFILE")]
    pub(crate) devices: Vec<DeviceWord>,

    /// The array of the model or lab: `LEVEL[:LAYOUT][:DEVICES][:CHUNK]`, such as `raid10:n2:4:32K`; `none` is the device alone
    ///
    /// LEVEL is linear, raid0, raid1, raid4, raid5, raid6 or raid10. LAYOUT is one of mdadm's, such as
    /// `f2` or `left-symmetric`. CHUNK defaults to 512K, as in mdadm.
    #[arg(long = "array", value_name = "ARRAY")]
    pub(crate) arrays: Vec<ArrayWord>,

    /// Number of devices, for an array that does not give it
    #[arg(long, aliases = ["raid-devices", "raid-disks", "disks"], value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub(crate) count: Option<u32>,

    /// Chunk, for arrays that do not give it; as with mdadm, a number without unit is in KiB; repeat it to compare several
    #[arg(long = "chunk", aliases = ["chunk-size", "chunksize", "stripe-size", "stripesize"], value_name = "SIZE", value_parser = chunk_word)]
    pub(crate) chunks: Vec<Bytes>,

    /// Write-intent bitmap, for arrays that can have one: `internal`, `none`, or its chunk, such as `64M`
    #[arg(long = "bitmap", value_name = "BITMAP", value_parser = bitmap_word)]
    pub(crate) bitmaps: Vec<String>,

    /// The filesystem of the model or lab, such as `ext4`; `none` is the bare block device
    #[arg(long, aliases = ["fs", "fstype", "fs-type"], value_name = "TYPE")]
    pub(crate) filesystem: Option<String>,

    /// A trace of real I/O to replay with its times: fio's iolog, blkparse text, blktrace, perf script, MSR or SNIA CSV
    ///
    /// In a study, `trace` can also take a part of it, another speed, or all I/Os as fast as possible.
    #[arg(long = "trace", value_name = "FILE")]
    pub(crate) traces: Vec<PathBuf>,

    /// I/Os that each job keeps in flight (fio's iodepth), for a workload that does not give it
    #[arg(long, aliases = ["iodepth", "io-depth", "qd", "queue-depth"], value_name = "D", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) depth: Option<u32>,

    /// Number of jobs (fio's numjobs), for a workload that does not give it
    #[arg(long, aliases = ["numjobs", "num-jobs", "threads"], value_name = "J", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) jobs: Option<u32>,

    /// File size of each job, for a workload that does not give it [default: 4G, or 1G on this machine]
    #[arg(long, aliases = ["filesize", "file-size"], value_name = "SIZE")]
    pub(crate) size: Option<String>,

    /// fsync after every N writes, for a workload that does not give it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) fsync: Option<u32>,

    /// Predict `steady` devices, or `fresh` ones: from the first I/O after trim and fill
    #[arg(long, value_name = "STATE")]
    pub(crate) state: Option<String>,

    /// How much the loads write to each stack in a day, such as `50G`: says which state of the devices
    /// applies, and how long they last
    #[arg(long, value_name = "SIZE", value_parser = daily_volume)]
    pub(crate) writes_per_day: Option<Bytes>,

    /// The bytes that may be written to a device in its life (TBW), as its data sheet says, such as
    /// `150T` [default: that of its profile]
    #[arg(long, value_name = "SIZE", value_parser = rated_writes)]
    pub(crate) tbw: Option<Bytes>,

    /// The host profile of the model or lab [default: the one with which the device's profile was fitted, else `default`]
    #[arg(long, value_name = "NAME")]
    pub(crate) host: Option<String>,

    /// The host's cores, if they are not those of its profile
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=65536))]
    pub(crate) cores: Option<u32>,

    /// The CPU frequency governor
    #[arg(long, value_name = "NAME")]
    pub(crate) governor: Option<String>,

    /// fio's name of the pattern of one load, beside `--bs`
    #[arg(
        long,
        hide = true,
        aliases = ["readwrite", "pattern"],
        value_name = "PATTERN",
        conflicts_with = "workloads"
    )]
    pub(crate) rw: Option<String>,

    /// fio's name of its block size
    #[arg(
        long,
        hide = true,
        aliases = ["blocksize", "block-size", "block_size"],
        value_name = "SIZE",
        requires = "rw"
    )]
    pub(crate) bs: Option<String>,
}

/// Reads a daily volume from the command line.
pub(crate) fn daily_volume(text: &str) -> std::result::Result<Bytes, String> {
    let volume = Bytes::parse(text).map_err(|error| error.to_string())?;
    match volume.as_u64() {
        0 => Err("a load that writes nothing leaves the devices as they are".to_owned()),
        _ => Ok(volume),
    }
}

/// Reads the rated writes of a device from the command line.
pub(crate) fn rated_writes(text: &str) -> std::result::Result<Bytes, String> {
    let writes = Bytes::parse(text).map_err(|error| error.to_string())?;
    match writes.as_u64() {
        0 => Err("a device that may never be written stores nothing".to_owned()),
        _ => Ok(writes),
    }
}

/// Reads a chunk as mdadm does: a number without unit is in KiB.
pub(crate) fn chunk_word(text: &str) -> std::result::Result<Bytes, String> {
    let chunk = match text.parse::<u64>() {
        Ok(kib) => kib.checked_mul(1024).map(Bytes::new),
        Err(_) => Bytes::parse(text).ok(),
    };
    chunk.ok_or_else(|| "expected a chunk, such as `32K`, or in KiB, `32`".to_owned())
}

impl QuestionArgs {
    /// Returns the options that were given.
    pub(crate) fn given(&self) -> impl Iterator<Item = &'static Word> {
        WORDS.iter().filter(|word| (word.is_given)(self))
    }

    /// Refuses the words of a question beside a study, which says all of it, but allowed ones.
    pub(crate) fn refuse_beside(
        &self,
        study: &Path,
        is_allowed: impl Fn(&Word) -> bool,
    ) -> Result<()> {
        let Some(word) = self.given().find(|word| !is_allowed(word)) else {
            return Ok(());
        };
        let option = word.option;
        let message = format!(
            "`{option}` has no effect beside the study `{}`, which says what is tested",
            study.display()
        );
        Err(Failure::new(message)
            .hint("leave one of them out; `--save FILE` without it writes a study to change"))
    }

    /// Refuses a question without a load.
    pub(crate) fn require_load(&self) -> Result<()> {
        if self.has_load() {
            return Ok(());
        }
        Err(Failure::new("there is no study, and no `--workload`").hint(
            "name a study (`stripewise studies` lists shipped ones), or write `--workload randread:4K`",
        ))
    }

    fn has_load(&self) -> bool {
        !self.workloads.is_empty() || !self.traces.is_empty() || self.rw.is_some()
    }

    /// Returns what the question says of stacks as the text of a study; `None` if it says nothing of them.
    pub(crate) fn stacks(&self, asked_of: AskedOf) -> Option<Result<String>> {
        let is_asked = self.given().any(|word| word.says == Says::Stack);
        is_asked.then(|| self.study(asked_of, OtherWords::default()))
    }

    /// Returns the question as the text of a study.
    ///
    /// # Errors
    /// If an array has no number of devices, or nothing uses an option.
    pub(crate) fn study(&self, asked_of: AskedOf, words: OtherWords) -> Result<String> {
        if asked_of != AskedOf::Machine && self.devices.is_empty() {
            return Err(Failure::new("the question names no device")
                .hint("add `--device sata-ssd`, `nvme-ssd` or `hdd-7200`, which stand for a class; `stripewise profiles` lists all, and `stripewise calibrate` makes one of your own disk"));
        }
        let workloads = match &self.rw {
            None => self.workloads.clone(),
            Some(pattern) => vec![self.one_load(pattern)?],
        };
        let alone = [ArrayWord::none()];
        let given = [
            ("size", self.size.clone()),
            ("depth", self.depth.map(|depth| depth.to_string())),
            ("jobs", self.jobs.map(|jobs| jobs.to_string())),
            ("fsync", self.fsync.map(|fsync| fsync.to_string())),
        ];
        let given = given.into_iter();
        let given = given.filter_map(|(key, value)| Some((key, value?)));
        let (size, state) = match asked_of {
            AskedOf::Model => (SIZE_DEFAULT, Some(STATE_DEFAULT)),
            AskedOf::Guest | AskedOf::Machine => (SIZE_DEFAULT_MEASURED, None),
        };
        let devices = profiles_of(&self.devices);
        let options = Options {
            devices: &devices,
            count: self.count,
            chunks: &self.chunks,
            arrays: match self.arrays.is_empty() {
                true => &alone,
                false => &self.arrays,
            },
            workloads: &workloads,
            traces: self.trace_names()?,
            given: given.collect(),
            defaults: vec![
                ("size", size.to_owned()),
                ("direct", DIRECT_DEFAULT.to_string()),
            ],
            host: self.host.as_deref(),
            cores: self.cores,
            words,
            governor: self.governor.as_deref(),
            state: self.state.as_deref().or(state),
            writes_per_day: self.writes_per_day,
            tbw: self.tbw,
            bitmaps: &self.bitmaps,
            filesystem: self.filesystem.as_deref(),
        };
        Ok(options.question()?.study())
    }

    /// Returns the load of fio's `--rw` and `--bs`.
    fn one_load(&self, pattern: &str) -> Result<WorkloadWord> {
        let block_size = self.bs.as_deref().unwrap_or(BLOCK_SIZE_DEFAULT);
        let word = format!("{pattern}:{block_size}");
        word.parse()
            .map_err(|error: String| Failure::new(format!("--rw {pattern}: {error}")))
    }

    /// Returns the paths of the traces as text, which a study is.
    fn trace_names(&self) -> Result<Vec<String>> {
        let name = |path: &PathBuf| {
            let text = path.to_str().map(str::to_owned);
            text.ok_or_else(|| {
                let shown = path.display();
                let message = format!("`--trace {shown}`: the name is not UTF-8");
                Failure::new(message).hint("rename the file")
            })
        };
        self.traces.iter().map(name).collect()
    }
}

/// The options of a question with their defaults.
#[derive(Debug)]
struct Options<'a> {
    /// None: the filesystem of a directory.
    devices: &'a [String],
    count: Option<u32>,
    /// The chunks of each array that has chunks and does not give one.
    chunks: &'a [Bytes],
    arrays: &'a [ArrayWord],
    workloads: &'a [WorkloadWord],
    /// The traces to replay, which take only the depth from the options.
    traces: Vec<String>,
    /// Keys that options set, for all workloads that do not set them.
    given: Vec<(&'static str, String)>,
    /// Keys that neither a workload nor an option sets.
    defaults: Vec<(&'static str, String)>,
    host: Option<&'a str>,
    cores: Option<u32>,
    words: OtherWords,
    governor: Option<&'a str>,
    state: Option<&'a str>,
    writes_per_day: Option<Bytes>,
    tbw: Option<Bytes>,
    /// The bitmaps of each array that can keep one.
    bitmaps: &'a [String],
    filesystem: Option<&'a str>,
}

impl Options<'_> {
    /// Returns the question.
    ///
    /// # Errors
    /// If an array has no number of devices, or nothing uses an option.
    fn question(&self) -> Result<Question> {
        self.refuse_unused_keys()?;
        self.refuse_unused_count()?;
        self.refuse_unused_chunk()?;
        self.refuse_unused_bitmap()?;
        let arrays = match self.devices.is_empty() {
            true => &[],
            false => self.arrays,
        };
        let stacks = arrays.iter().flat_map(|array| self.stacks(array));
        let loads = self.workloads.iter().map(|workload| self.load(workload));
        let loads = loads.chain(self.traces.iter().map(|trace| self.replay(trace)));
        Ok(Question {
            question: None,
            kernel: self.words.kernel.clone(),
            host: self.host.map(str::to_owned),
            cores: self.cores,
            stacks: stacks.collect::<Result<_>>()?,
            loads: loads.collect(),
            sample: self.words.sample.clone(),
            governor: self.governor.map(str::to_owned),
            state: self.state.map(str::to_owned),
            writes_per_day: self.writes_per_day.map(|volume| volume.to_string()),
            tbw: self.tbw.map(|writes| writes.to_string()),
        })
    }

    /// Refuses an option whose key every workload sets itself.
    fn refuse_unused_keys(&self) -> Result<()> {
        for (key, value) in &self.given {
            let mut own = self.workloads.iter();
            if let Some(first) = self.workloads.first()
                && own.all(|workload| workload.has(key))
            {
                let word = stripewise_units::visible::shell_word(&first.text);
                let message = format!("`--{key} {value}` and `--workload {word}` both set `{key}`");
                return Err(Failure::new(message).hint("leave one of them out"));
            }
        }
        Ok(())
    }

    /// Refuses `--count` if every array has its own number of devices.
    fn refuse_unused_count(&self) -> Result<()> {
        let Some(count) = self.count else {
            return Ok(());
        };
        let is_open = |array: &ArrayWord| array.level.is_some() && array.devices.is_none();
        if self.arrays.iter().any(is_open) {
            return Ok(());
        }
        let numbered = self.arrays.iter().find(|array| array.devices.is_some());
        Err(match numbered {
            Some(array) => Failure::new(format!(
                "`--count {count}` and `--array {}` both set the number of devices",
                array.text
            ))
            .hint("leave one of them out"),
            None => Failure::new(format!(
                "`--count {count}` has no effect: `--array none` is one device"
            ))
            .hint("name an array, such as `--array raid5`"),
        })
    }

    /// Refuses `--chunk` if no array has chunks, or each gives its own.
    fn refuse_unused_chunk(&self) -> Result<()> {
        let has_chunk = |array: &&ArrayWord| array.level.is_some_and(Level::has_chunk);
        let is_open = |array: &ArrayWord| array.chunk.is_none();
        let mut chunked = self.arrays.iter().filter(has_chunk);
        let Some(chunk) = self.chunks.first() else {
            return Ok(());
        };
        if chunked.clone().any(is_open) {
            return Ok(());
        }
        Err(match chunked.next() {
            Some(array) => Failure::new(format!(
                "`--chunk {chunk}` and `--array {}` both set the chunk",
                array.text
            ))
            .hint("leave one of them out"),
            None => Failure::new(format!(
                "`--chunk {chunk}` has no effect: no array has chunks"
            ))
            .hint("raid0, raid4, raid5, raid6 and raid10 have them"),
        })
    }

    /// Refuses a bitmap if no array can keep one.
    fn refuse_unused_bitmap(&self) -> Result<()> {
        let keeps_one = |array: &ArrayWord| array.level.is_some_and(Level::has_bitmap);
        let mut bitmaps = self.bitmaps.iter();
        match bitmaps.find(|bitmap| *bitmap != "none") {
            None => Ok(()),
            Some(_) if self.arrays.iter().any(keeps_one) => Ok(()),
            Some(bitmap) => {
                let named = |array: &ArrayWord| match array.text.as_str() {
                    "" => "none".to_owned(),
                    text => text.to_owned(),
                };
                let arrays: Vec<String> = self.arrays.iter().map(named).collect();
                let message = format!(
                    "`--bitmap {bitmap}` has no effect: `--array {}` keeps no bitmap",
                    arrays.join("`, `--array ")
                );
                Err(Failure::new(message).hint("raid1, raid4, raid5, raid6 and raid10 keep one"))
            }
        }
    }

    /// Returns the stacks of an array: one with each chunk and bitmap.
    fn stacks(&self, array: &ArrayWord) -> Vec<Result<StackQuestion>> {
        let has_chunk = array.level.is_some_and(Level::has_chunk) && array.chunk.is_none();
        let chunks: Vec<Option<Bytes>> = match self.chunks {
            chunks if has_chunk && !chunks.is_empty() => chunks.iter().copied().map(Some).collect(),
            _ => vec![None],
        };
        let bitmaps: Vec<Option<&String>> = match self.bitmaps {
            [] => vec![None],
            _ if !array.level.is_some_and(Level::has_bitmap) => vec![None],
            bitmaps => bitmaps.iter().map(Some).collect(),
        };
        let with = |chunk: Option<Bytes>, bitmap: Option<&String>| {
            Ok(StackQuestion {
                filesystem: self.filesystem.map(str::to_owned),
                ..array.stack(self.devices, self.count, chunk, bitmap)?
            })
        };
        let combined = chunks
            .into_iter()
            .flat_map(|chunk| bitmaps.iter().map(move |bitmap| (chunk, *bitmap)));
        combined
            .map(|(chunk, bitmap)| with(chunk, bitmap))
            .collect()
    }

    fn replay(&self, trace: &str) -> LoadQuestion {
        let mut keys = vec![("trace".to_owned(), trace.to_owned())];
        let given = self.given.iter();
        keys.extend(given.map(|(key, value)| ((*key).to_owned(), value.clone())));
        LoadQuestion { keys }
    }

    fn load(&self, workload: &WorkloadWord) -> LoadQuestion {
        let is_written = |key: &str| ["from", "pattern", "block_size"].contains(&key);
        let (mut keys, own): (Vec<_>, Vec<_>) = workload
            .keys
            .iter()
            .cloned()
            .partition(|(key, _)| is_written(key));
        let is_given = |wanted: &str| self.given.iter().any(|(key, _)| *key == wanted);
        // A shipped workload has its own.
        let defaults = self.defaults.iter().filter(|_| !workload.has("from"));
        let defaults = defaults.filter(|(key, _)| !is_given(key));
        let others = defaults.chain(&self.given);
        let others = others.filter(|(key, _)| !workload.has(key));
        keys.extend(others.map(|(key, value)| ((*key).to_owned(), value.clone())));
        keys.extend(own);
        LoadQuestion { keys }
    }
}

#[cfg(test)]
#[path = "question_tests.rs"]
mod tests;
