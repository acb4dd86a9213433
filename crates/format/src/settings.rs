//! Checks the settings of md and of queues: numbers that the kernel refuses, and settings that the
//! stack does not have.

use crate::locate::Path;
use crate::md::NewArray;
use crate::raw::{ArrayTable, ConditionsTable};
use crate::source::{ProblemText, Source};
use stripewise_study::cell::Cell;
use stripewise_study::stack::{ArraySettings, Bitmap, Level, Metadata};
use stripewise_study::tunable::{self, Setting, Tunable, Unit};
use stripewise_units::{Bytes, Nanos};

/// Returns the settings of the running array in `table`.
pub(crate) fn of_array(
    source: &mut Source,
    path: &Path,
    table: &ArrayTable,
    wanted: NewArray,
    bitmap: Bitmap,
) -> ArraySettings {
    let settings = ArraySettings {
        stripe_cache_size: table.stripe_cache_size,
        group_thread_cnt: table.group_thread_cnt,
        rmw_level: table.rmw_level,
        sync_speed_min_bytes_per_s: table.sync_speed_min.as_ref().map(|speed| speed.0),
        sync_speed_max_bytes_per_s: table.sync_speed_max.as_ref().map(|speed| speed.0),
        safe_mode_delay_ns: table.safe_mode_delay.as_ref().map(|delay| delay.0),
        write_mostly: table.write_mostly.clone(),
        write_behind: table.write_behind,
        consistency_policy: table.consistency_policy,
    };
    let level = wanted.level;
    for setting in settings.numbers() {
        let tunable = setting.tunable;
        let place = path.key(tunable.key);
        if tunable.levels.contains(&level) {
            check_number(source, &place, setting);
        } else {
            let report = ProblemText::new(
                format!("{level} has no `{}`", tunable.key),
                "has no effect here",
            );
            let levels: Vec<&str> = tunable.levels.iter().map(|level| level.as_str()).collect();
            let hint = format!("leave it out: it belongs to {}", levels.join(", "));
            source.problem(&place, report.at_key().hint(hint));
        }
    }
    check_units(source, path, &settings);
    check_write_mostly(source, path, &settings, wanted);
    check_write_behind(source, path, &settings, bitmap);
    check_ppl(source, path, &settings, wanted, bitmap);
    settings
}

/// Refuses a number that the kernel would refuse, or change.
fn check_number(source: &mut Source, path: &Path, setting: Setting) {
    let Setting { tunable, number } = setting;
    let hint = || {
        let default = tunable.default;
        format!(
            "the range is that of {}; without this key it is {default}",
            tunable.checked_by
        )
    };
    if !tunable.range().contains(&number) {
        let (least, most) = (
            tunable.written(tunable.least),
            tunable.written(tunable.most),
        );
        let report = ProblemText::new(
            format!("`{}` must be from {least} to {most}", tunable.key),
            "the kernel does not take it",
        );
        source.problem(path, report.hint(hint()));
    } else if !number.is_multiple_of(tunable.step) {
        let step = tunable.written(tunable.step);
        let report = ProblemText::new(
            format!("`{}` must be a multiple of {step}", tunable.key),
            "the kernel would round it down",
        );
        source.problem(path, report.hint(tunable.advice));
    }
}

/// Refuses sizes and times with a part that the kernel's unit cannot hold.
fn check_units(source: &mut Source, path: &Path, settings: &ArraySettings) {
    let (kib, ms) = (Bytes::KIB.as_u64(), Nanos::from_millis(1).as_u64());
    let raw = [
        (
            &tunable::SYNC_SPEED_MIN,
            settings.sync_speed_min_bytes_per_s.map(Bytes::as_u64),
            kib,
        ),
        (
            &tunable::SYNC_SPEED_MAX,
            settings.sync_speed_max_bytes_per_s.map(Bytes::as_u64),
            kib,
        ),
        (
            &tunable::SAFE_MODE_DELAY,
            settings.safe_mode_delay_ns.map(Nanos::as_u64),
            ms,
        ),
    ];
    for (tunable, number, unit) in raw {
        if number.is_some_and(|number| number >= unit && !number.is_multiple_of(unit)) {
            not_whole(source, &path.key(tunable.key), tunable);
        }
    }
    if let (Some(min), Some(max)) = (
        settings.sync_speed_min_bytes_per_s,
        settings.sync_speed_max_bytes_per_s,
    ) && min > max
    {
        let report = ProblemText::new("`sync_speed_min` is above `sync_speed_max`", "above it");
        let hint = "lower it, or raise `sync_speed_max`";
        source.problem(&path.key("sync_speed_min"), report.hint(hint));
    }
}

fn not_whole(source: &mut Source, path: &Path, tunable: &Tunable) {
    let unit = match tunable.unit {
        Unit::Count => "whole numbers",
        Unit::Kib => "whole KiB",
        Unit::Millis => "whole milliseconds",
    };
    let report = ProblemText::new(
        format!("`{}` is counted in {unit}", tunable.key),
        "not a whole one",
    );
    source.problem(path, report.hint("round it"));
}

/// Only raid1 tells write-mostly members from others (`read_balance`), and firmware's metadata has
/// no place for the flag.
fn check_write_mostly(
    source: &mut Source,
    path: &Path,
    settings: &ArraySettings,
    wanted: NewArray,
) {
    let members = &settings.write_mostly;
    if members.is_empty() {
        return;
    }
    let place = path.key("write_mostly");
    let level = wanted.level;
    if level != stripewise_study::stack::Level::Raid1 {
        let report = ProblemText::new(
            format!("{level} has no write-mostly members"),
            "has no effect here",
        );
        source.problem(
            &place,
            report.at_key().hint("leave it out: it belongs to raid1"),
        );
    } else if wanted.metadata.is_firmware() {
        let report = ProblemText::new(
            format!("metadata `{}` has no write-mostly members", wanted.metadata),
            "has no effect here",
        );
        source.problem(&place, report.at_key().hint("use metadata `1.2`"));
    }
    for (index, member) in members.iter().enumerate() {
        let at = place.element(Some(index));
        if u64::from(*member) >= wanted.device_count {
            let report = ProblemText::new(
                format!("the array has no member {member}"),
                format!("it has {}, counted from 0", wanted.device_count),
            );
            source.problem(&at, report.hint("name one that `devices` has"));
        } else if members[..index].contains(member) {
            let report = ProblemText::new(format!("member {member} is listed twice"), "again");
            source.problem(&at, report.hint("list it once"));
        }
    }
}

/// Writes are behind only in an array with a bitmap (`raid1_write_request`) and with a write-mostly
/// member (`backlog_store`).
fn check_write_behind(source: &mut Source, path: &Path, settings: &ArraySettings, bitmap: Bitmap) {
    if settings.write_behind.is_none() {
        return;
    }
    let missing = [
        (
            bitmap == Bitmap::None,
            "a bitmap",
            "add `bitmap = \"internal\"`",
        ),
        (
            settings.write_mostly.is_empty(),
            "a write-mostly member",
            "name the slow member: `write_mostly = [1]`",
        ),
    ];
    for (_, what, hint) in missing.into_iter().filter(|(is_missing, ..)| *is_missing) {
        let report = ProblemText::new(format!("`write_behind` needs {what}"), "has no effect");
        source.problem(&path.key("write_behind"), report.at_key().hint(hint));
    }
}

/// A partial parity log belongs to raid5, replaces a bitmap, and has no room beside a superblock of
/// format 0.90 (mdadm(8), `--consistency-policy`).
fn check_ppl(
    source: &mut Source,
    path: &Path,
    settings: &ArraySettings,
    wanted: NewArray,
    bitmap: Bitmap,
) {
    if settings.consistency_policy.is_none() {
        return;
    }
    let obstacles = [
        (
            wanted.level != Level::Raid5,
            "only raid5 has a partial parity log",
        ),
        (
            bitmap != Bitmap::None,
            "a partial parity log replaces a bitmap",
        ),
        (
            wanted.metadata == Metadata::V0_90,
            "a superblock of format 0.90 has no room for it",
        ),
    ];
    for (_, why) in obstacles
        .into_iter()
        .filter(|(is_obstacle, _)| *is_obstacle)
    {
        let report = ProblemText::new(
            format!("`consistency_policy = \"ppl\"`: {why}"),
            "impossible",
        );
        let hint = "leave it out: a resync, or the bitmap, makes the members agree";
        source.problem(&path.key("consistency_policy"), report.at_key().hint(hint));
    }
}

/// Checks the settings of queues in `[conditions]`.
pub(crate) fn check_queues(source: &mut Source, table: &ConditionsTable, cells: &[Cell]) {
    let all = Path::default().key("conditions");
    let windows = table.read_ahead.iter().flat_map(|list| {
        let is_list = list.is_list;
        let values = list.values.iter().enumerate();
        values.map(move |(index, size)| (is_list.then_some(index), size.0.0))
    });
    for (index, size) in windows.collect::<Vec<_>>() {
        let place = all.key(tunable::READ_AHEAD.key).element(index);
        match size.as_u64().is_multiple_of(Bytes::KIB.as_u64()) {
            true => check_number(source, &place, Setting::size(&tunable::READ_AHEAD, size)),
            false => not_whole(source, &place, &tunable::READ_AHEAD),
        }
    }
    let counts = [
        (&tunable::NR_REQUESTS, &table.nr_requests),
        (&tunable::MAX_SECTORS_KB, &table.max_sectors_kb),
        (&tunable::WBT_LAT_USEC, &table.wbt_lat_usec),
    ];
    for (tunable, list) in counts {
        let Some(list) = list else {
            continue;
        };
        for (index, number) in list.values.iter().enumerate() {
            let place = all.key(tunable.key).element(list.is_list.then_some(index));
            check_number(source, &place, Setting::count(tunable, *number));
        }
    }
    let mut loads = cells.iter().flat_map(|cell| cell.workload.loads());
    if table.read_ahead.is_some() && !cells.is_empty() && loads.all(|load| load.direct) {
        let report = ProblemText::new("`read_ahead` has no effect", "all I/O is direct");
        let hint = "set `direct = false` in a workload, or leave `read_ahead` out";
        source.problem(&all.key("read_ahead"), report.at_key().hint(hint));
    }
}
