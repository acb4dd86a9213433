//! A recording of a load, and the images that a cut of it may leave: drawn, or one state after the
//! other.

use std::collections::VecDeque;
use std::time::Duration;

use stripewise_powercut::crash::Drive;
use stripewise_powercut::disk::{Disk, Logged};
use stripewise_powercut::judge::Acknowledgements;
use stripewise_powercut::promise::{Line, Promises};
use stripewise_powercut::random::Random;
use stripewise_powercut::states::{self, State, States};
use stripewise_study::cut::{CutMoment, CutOptions, CutState, LostWrite, SmallestLoss, Survival};

use crate::durability_load::DurabilityLoad;
use crate::held_disks::Contents;
use crate::wire::Printed;

/// The most images that are read to make a loss smaller.
pub(super) const SMALLER_TRIES_MAX: u64 = 40;

/// What the disks hold after a cut, and what was acknowledged before it.
#[derive(Debug)]
pub(super) struct CrashImage {
    pub(super) recording: u64,
    pub(super) work: DurabilityLoad,
    pub(super) at: Duration,
    pub(super) contents: Contents,
    pub(super) said: Said,
    /// Which of the possible states it is, if they are enumerated.
    pub(super) state: Option<State>,
}

/// What a load said while it was recorded.
#[derive(Debug, Clone, Default)]
pub(super) struct Said {
    /// Of records and transactions.
    pub(super) acknowledged: Acknowledgements,
    /// Of a program.
    pub(super) promises: Promises,
}

impl Said {
    /// Notes lines of a program, whose clock showed `began_ns` when the recording began; returns when the
    /// first promise among them was made.
    pub(super) fn note(&mut self, lines: Vec<Printed>, began_ns: u64) -> Option<Duration> {
        let mut first = None;
        for Printed { clock_ns, line } in lines {
            let at = Duration::from_nanos(clock_ns.saturating_sub(began_ns));
            if line.is_promise() {
                first.get_or_insert(at);
            }
            self.promises.note(at, line);
        }
        first
    }

    /// Returns when a program first printed such a line.
    pub(super) fn first(&self, is_such: fn(&Line) -> bool) -> Option<Duration> {
        let mut lines = self.promises.all().iter();
        lines.find(|(_, line)| is_such(line)).map(|(at, _)| *at)
    }

    /// Returns the moments of all lines of this kind.
    fn times(&self, is_such: fn(&Line) -> bool) -> Vec<Duration> {
        let lines = self.promises.all().iter();
        lines
            .filter(|(_, line)| is_such(line))
            .map(|(at, _)| *at)
            .collect()
    }
}

/// When a load has been recorded for long enough.
#[derive(Debug, Clone, Copy)]
pub(super) struct Until {
    pub(super) moment: CutMoment,
    /// The longest time from the first acknowledgement on.
    pub(super) window: Duration,
}

impl Until {
    /// Returns how long to record for these cuts. If the power goes at random moments of the load, they are
    /// drawn here, since the first acknowledgement, and the recording ends at the last one.
    pub(super) fn of(
        cuts: CutOptions,
        window: Duration,
        random: &mut Random,
    ) -> (Self, Vec<Duration>) {
        let moment = cuts.moment;
        let mut until = Self { moment, window };
        if cuts.survival == Survival::Enumerated || !moment.is_load() {
            return (until, Vec::new());
        }
        let drawn = until.draw(
            (Duration::ZERO, window),
            &Said::default(),
            cuts.images,
            random,
        );
        until.window = drawn.last().copied().unwrap_or_default();
        (until, drawn)
    }

    /// Returns the moments of the cuts of a recording that lasted from the first acknowledgement to its end.
    pub(super) fn moments(
        self,
        drawn: &[Duration],
        (first, end): (Duration, Duration),
        said: &Said,
        images: u32,
        random: &mut Random,
    ) -> Vec<Duration> {
        // A program may have ended before the last moment.
        let is_cut_short = first + self.window > end && !said.promises.all().is_empty();
        match drawn.is_empty() || is_cut_short {
            true => self.draw((first, end), said, images, random),
            false => drawn.iter().map(|at| (first + *at).min(end)).collect(),
        }
    }

    /// Returns when the recording may end, as far as that is known by now.
    pub(super) fn end(self, first: Option<Duration>, said: &Said) -> Option<Duration> {
        let ended = said.first(|line| *line == Line::Ended);
        let window = first.map(|first| first + self.window);
        match self.moment {
            // Nothing more is written after the end of a program.
            CutMoment::Load => match (window, ended) {
                (Some(window), Some(ended)) => Some(window.min(ended)),
                (window, ended) => window.or(ended),
            },
            CutMoment::Quiet { after_ns } => said
                .first(|line| *line == Line::Quiet)
                .map(|quiet| quiet + Duration::from(after_ns)),
            CutMoment::End { after_ns } => ended.map(|ended| ended + Duration::from(after_ns)),
            CutMoment::Event { within_ns } => {
                let end = [window, ended].into_iter().flatten().min();
                end.map(|end| end + Duration::from(within_ns))
            }
        }
    }

    /// Returns what the program has not done if the recording is waiting in vain.
    pub(super) fn missing(self, said: &Said) -> Option<&'static str> {
        match self.moment {
            CutMoment::Quiet { .. } if said.first(|line| *line == Line::Quiet).is_none() => {
                Some("the program did not print `quiet`")
            }
            CutMoment::End { .. } if said.first(|line| *line == Line::Ended).is_none() => {
                Some("the program did not end")
            }
            CutMoment::Event { .. }
                if said
                    .first(|line| matches!(line, Line::Event { .. }))
                    .is_none() =>
            {
                Some("the program printed no `event`")
            }
            _ => None,
        }
    }

    /// Draws the moments of cuts, in order.
    fn draw(
        self,
        (first, end): (Duration, Duration),
        said: &Said,
        images: u32,
        random: &mut Random,
    ) -> Vec<Duration> {
        let events = said.times(|line| matches!(line, Line::Event { .. }));
        let mut below = |span: Duration| {
            let span = u64::try_from(span.as_nanos()).unwrap_or(u64::MAX);
            Duration::from_nanos(random.below(span.max(1)))
        };
        let mut moments: Vec<Duration> = (0..images.max(1))
            .map(|_| match self.moment {
                CutMoment::Load => {
                    (first + below(self.window.min(end.saturating_sub(first)))).min(end)
                }
                CutMoment::Quiet { .. } | CutMoment::End { .. } => end,
                CutMoment::Event { within_ns } => {
                    let place = below(Duration::from_nanos(events.len() as u64)).as_nanos();
                    let event = usize::try_from(place)
                        .ok()
                        .and_then(|place| events.get(place));
                    event.copied().unwrap_or(first) + below(within_ns.into())
                }
            })
            .collect();
        moments.sort_unstable();
        moments
    }

    /// Returns between which moments states are enumerated.
    pub(super) fn between(self, first: Duration, end: Duration) -> (Duration, Duration) {
        match self.moment {
            CutMoment::Load | CutMoment::Event { .. } => (first, end),
            CutMoment::Quiet { .. } | CutMoment::End { .. } => (end, end),
        }
    }
}

/// A recording whose states are enumerated.
#[derive(Debug)]
pub(super) struct Enumerated {
    disk: Disk,
    drive: Drive,
    /// Which of the disks it is.
    number: usize,
    /// What all disks hold, of which that one is replaced.
    contents: Contents,
    pub(super) recording: u64,
    work: DurabilityLoad,
    said: Said,
    waiting: VecDeque<State>,
    of: CutState,
    /// Whether a loss was made small already.
    pub(super) has_smallest: bool,
}

impl Enumerated {
    pub(super) fn new(
        (number, disk, drive): (usize, Disk, Drive),
        contents: Contents,
        recording: u64,
        work: DurabilityLoad,
        said: Said,
        between: (Duration, Duration),
    ) -> Self {
        let promises = said.times(Line::is_promise);
        let States {
            ordered,
            distinct,
            combinations_log2,
        } = states::states(&disk, drive, &promises, between);
        Self {
            disk,
            drive,
            number,
            contents,
            recording,
            work,
            said,
            waiting: ordered.into(),
            of: CutState {
                distinct,
                combinations_log2,
            },
            has_smallest: false,
        }
    }

    /// Returns how many states there are.
    pub(super) fn of(&self) -> CutState {
        self.of
    }

    /// Returns the next state that was not tried.
    pub(super) fn next(&mut self) -> Option<CrashImage> {
        let state = self.waiting.pop_front()?;
        Some(self.image(state))
    }

    fn image(&self, state: State) -> CrashImage {
        let mut contents = self.contents.clone();
        contents[self.number] = states::image(&self.disk, &state);
        CrashImage {
            recording: self.recording,
            work: self.work.clone(),
            at: state.at,
            contents,
            said: self.said.clone(),
            state: Some(state),
        }
    }

    /// Makes a loss small: fewer missing writes and a shorter history that still lose. `loses` reads an
    /// image, and returns when the first promise was given that it breaks.
    pub(super) fn smallest<E>(
        &self,
        state: &State,
        oldest: Option<Duration>,
        loses: &mut dyn FnMut(&CrashImage) -> Result<Option<Duration>, E>,
    ) -> Result<SmallestLoss, E> {
        let mut search = Search {
            of: self,
            loses,
            tried: 0,
        };
        let mut state = state.clone();
        // A cut right after the first promise that was broken has less before it.
        if let Some(at) = oldest.filter(|at| *at < state.at) {
            let earlier = states::earlier(&self.disk, self.drive, &state, at);
            if search.loses(&earlier)? {
                state = earlier;
            }
        }
        let is_smallest = search.shrink(&mut state)?;
        let volatile = states::volatile(&self.disk, self.drive, state.length);
        let kept = volatile
            .iter()
            .filter(|index| !state.lost.contains_key(index));
        let last_kept = kept.clone().next_back().copied();
        let tried = search.tried;
        Ok(SmallestLoss {
            kept: kept.count() as u64,
            history: state.length as u64,
            tried,
            is_smallest,
            lost: state
                .lost
                .iter()
                .map(|(index, kept)| self.lost_write(*index, *kept, last_kept))
                .collect(),
        })
    }

    fn lost_write(&self, index: usize, kept_bytes: u64, last_kept: Option<usize>) -> LostWrite {
        let (offset_bytes, length_bytes) = match &self.disk.log()[index].what {
            Logged::Write { offset, data, .. } => (*offset, data.len() as u64),
            Logged::Clear { offset, length, .. } => (*offset, *length),
            Logged::Flush => (0, 0),
        };
        LostWrite {
            disk: 0,
            number: index as u64 + 1,
            offset_bytes,
            length_bytes,
            kept_bytes,
            is_overtaken: last_kept.is_some_and(|kept| kept > index),
        }
    }
}

/// The search for a smaller loss.
struct Search<'a, E> {
    of: &'a Enumerated,
    loses: &'a mut dyn FnMut(&CrashImage) -> Result<Option<Duration>, E>,
    tried: u64,
}

impl<E> Search<'_, E> {
    fn loses(&mut self, state: &State) -> Result<bool, E> {
        self.tried += 1;
        let image = self.of.image(state.clone());
        Ok((self.loses)(&image)?.is_some())
    }

    /// Lets ever smaller parts of the missing writes survive, as long as data is lost (delta debugging,
    /// Zeller and Hildebrandt 2002, complements only). Returns whether no write is left that could
    /// survive.
    fn shrink(&mut self, state: &mut State) -> Result<bool, E> {
        let mut parts = 2;
        while state.lost.len() > 1 {
            let lost: Vec<(usize, u64)> = state.lost.iter().map(|one| (*one.0, *one.1)).collect();
            let length = lost.len().div_ceil(parts.min(lost.len()));
            let mut smaller = None;
            for start in (0..lost.len()).step_by(length) {
                if self.tried >= SMALLER_TRIES_MAX {
                    return Ok(false);
                }
                let end = (start + length).min(lost.len());
                let rest = [&lost[..start], &lost[end..]].concat();
                let candidate = State {
                    lost: rest.into_iter().collect(),
                    ..state.clone()
                };
                if self.loses(&candidate)? {
                    smaller = Some(candidate);
                    break;
                }
            }
            match smaller {
                Some(smaller) => {
                    *state = smaller;
                    parts = (parts - 1).max(2);
                }
                None if length == 1 => return Ok(true),
                None => parts *= 2,
            }
        }
        if state.lost.is_empty() {
            return Ok(true);
        }
        // Does it lose without any missing write, too?
        let whole = State {
            lost: std::collections::BTreeMap::new(),
            ..state.clone()
        };
        if self.loses(&whole)? {
            *state = whole;
        }
        Ok(true)
    }
}
