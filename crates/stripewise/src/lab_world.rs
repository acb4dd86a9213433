//! The lab world on the command line: guest, disks and clock source.

use std::path::PathBuf;

use clap::ValueEnum;
use stripewise_catalogue::Message;
use stripewise_lab::Cache;
use stripewise_profiles::Profiles;
use stripewise_profiles::lookup::Texts;
use stripewise_report::plan::LabTime;
use stripewise_results::world::LabSpec;
use stripewise_study::guest_clock::Clock;
use stripewise_study::plan::Study;
use stripewise_units::Bytes;
use stripewise_units::visible::shell_word;
use stripewise_worlds::lab::{AskedGuest, GuestTime, Purpose};

use crate::failure::Result;
use crate::model::AskedKernel;
use crate::printer::Printer;

/// Where prepared guests are kept.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct CacheArgs {
    /// The cache of prepared guests [default: $STRIPEWISE_LAB_CACHE, else $XDG_CACHE_HOME/stripewise/lab, usually ~/.cache/stripewise/lab]
    #[arg(long, value_name = "DIR", help_heading = "Lab")]
    pub(crate) cache: Option<PathBuf>,
}

impl CacheArgs {
    pub(crate) fn locate(&self) -> Result<Cache> {
        Ok(Cache::locate(self.cache.as_deref())?)
    }

    /// Returns the `--cache` option for another command: empty if it was not given.
    pub(crate) fn again(&self) -> String {
        self.cache.as_ref().map_or_else(String::new, |path| {
            format!(" --cache {}", shell_word(&path.display().to_string()))
        })
    }
}

/// How to run a guest.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct LabArgs {
    #[command(flatten)]
    pub(crate) cache: CacheArgs,

    /// The guest's clock source [default: `virtual` to measure; `lab shell`: `kvm`, else `wall`]
    #[arg(long, value_enum, help_heading = "Lab")]
    pub(crate) clock: Option<ClockName>,

    /// Run the guest with KVM, or refuse if it does not work here; never to measure
    #[arg(long, conflicts_with = "clock", help_heading = "Lab")]
    pub(crate) fast: bool,

    /// The guest's memory, such as `2G`; it also holds the data on the disks [default: what the study needs]
    #[arg(long, value_name = "SIZE", value_parser = parse_size, help_heading = "Lab")]
    pub(crate) memory: Option<Bytes>,

    /// The size of each modelled disk, instead of its profile's; smaller arrays rebuild sooner
    #[arg(long, value_name = "SIZE", value_parser = parse_size, help_heading = "Lab")]
    pub(crate) disk_size: Option<Bytes>,
}

/// A guest's clock on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ClockName {
    /// Each instruction takes 1 ns, idle time is skipped: independent of this machine's load
    Virtual,
    /// This machine's clock and processor; never to measure
    Kvm,
    /// This machine's clock, emulated processor: works everywhere, but its timings mean nothing
    Wall,
}

impl From<ClockName> for Clock {
    fn from(name: ClockName) -> Self {
        match name {
            ClockName::Virtual => Clock::Virtual,
            ClockName::Kvm => Clock::Kvm,
            ClockName::Wall => Clock::Wall,
        }
    }
}

impl LabArgs {
    /// Returns the options, each with whether it was given.
    pub(crate) fn given(&self) -> [(&'static str, bool); 5] {
        [
            ("--cache", self.cache.cache.is_some()),
            ("--clock", self.clock.is_some()),
            ("--fast", self.fast),
            ("--memory", self.memory.is_some()),
            ("--disk-size", self.disk_size.is_some()),
        ]
    }

    /// Returns the guest that the options ask for.
    pub(crate) fn asked<'a>(
        &self,
        kernel: Option<&'a AskedKernel>,
        purpose: Purpose,
    ) -> Result<AskedGuest<'a>> {
        Ok(AskedGuest {
            cache: self.cache.locate()?,
            kernel: kernel.map(|kernel| kernel.text.as_str()),
            clock: self.clock.map(Into::into),
            is_fast: self.fast,
            memory: self.memory,
            disk_size: self.disk_size,
            purpose,
        })
    }

    /// Finds the guest and the profiles that `study` needs, and prints its choices.
    pub(crate) fn find(
        &self,
        study: &Study,
        texts: Texts,
        kernel: Option<&AskedKernel>,
        purpose: Purpose,
        printer: &mut Printer,
    ) -> Result<LabSpec> {
        let found = self.find_with(study, &texts.parse()?, kernel, purpose, printer)?;
        Ok(LabSpec {
            profiles: texts,
            ..found
        })
    }

    /// Finds the guest that `study` needs, with profiles that are in no file, and prints its
    /// choices.
    pub(crate) fn find_with(
        &self,
        study: &Study,
        profiles: &Profiles,
        kernel: Option<&AskedKernel>,
        purpose: Purpose,
        printer: &mut Printer,
    ) -> Result<LabSpec> {
        let (lab, remarks) = self.asked(kernel, purpose)?.find(study, profiles)?;
        remarks.iter().for_each(|remark| printer.remark(remark));
        Ok(lab)
    }
}

/// Returns the real time of a study as a plan shows it.
pub(crate) fn shown_time(time: &GuestTime) -> LabTime {
    LabTime {
        time_s_min: time.least.as_secs_f64(),
        time_s_max: time.most.as_secs_f64(),
        real_s_per_s: time.pace.seconds,
        samples: time.pace.samples,
    }
}

/// Remarks on how long a study takes in a guest with virtual time.
pub(crate) fn real_time_remark(time: &GuestTime, budget: std::time::Duration) -> Message {
    Message::new("lab-real-time").with("time", shown_time(time).in_words(budget))
}

/// Reads a size such as `2G` from the command line.
fn parse_size(text: &str) -> std::result::Result<Bytes, String> {
    match Bytes::parse(text) {
        Ok(size) if size.as_u64() >= 64 << 20 => Ok(size),
        Ok(_) => Err("at least `64M` is required".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}
