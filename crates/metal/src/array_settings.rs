//! The settings of an array that we built: `stripe_cache_size`, `write_mostly` and the like.
//!
//! They are written when the array is in sync, and read back. No journal entry of their own names
//! them: they end with the array, whose entry is older than the array itself.

use stripewise_study::stack::ArraySettings;
use stripewise_study::tunable::{Setting, Unit};
use stripewise_study::world::{WorldError, WorldName};

use crate::array::Md;

/// The word for a member in `dev-MEMBER/state` (`state_show`); it is written as another one
/// (`state_store`).
const WRITE_MOSTLY: &str = "write_mostly";
const WRITE_MOSTLY_COMMAND: &str = "writemostly";

/// Sets everything that a study says of the array `md` with these members, in the array's order.
///
/// # Errors
/// The first setting that this kernel does not have, refuses or changes.
pub(crate) fn apply(
    md: &Md,
    settings: &ArraySettings,
    members: &[String],
) -> Result<(), WorldError> {
    // `write_behind` needs such a member.
    for place in &settings.write_mostly {
        let index = usize::try_from(*place).unwrap_or(usize::MAX);
        let member = members.get(index).ok_or_else(|| {
            WorldError::plain(format!("`{}` has no member {place}", md.name))
                .or_hint("`write_mostly` counts members from 0")
        })?;
        set_write_mostly(md, member)?;
    }
    let mut numbers = settings.numbers().into_iter();
    numbers.try_for_each(|setting| set_number(md, setting))
}

fn set_write_mostly(md: &Md, member: &str) -> Result<(), WorldError> {
    let file = format!("dev-{member}/state");
    let attempted = format!(
        "failed to make `{member}` a write-mostly member of `{}`",
        md.name
    );
    md.set(&file, WRITE_MOSTLY_COMMAND)
        .map_err(|source| WorldError::failed(&*attempted, source).or_hint(SEE_LOG))?;
    let state = md.word(&file).unwrap_or_default();
    match state.split(',').any(|word| word == WRITE_MOSTLY) {
        true => Ok(()),
        false => {
            let why = format!("its state is `{state}`");
            Err(WorldError::failed(attempted, why).or_hint(SEE_LOG))
        }
    }
}

const SEE_LOG: &str = "`dmesg` shows what happened; or remove `write_mostly`";

fn set_number(md: &Md, setting: Setting) -> Result<(), WorldError> {
    let Setting { tunable, .. } = setting;
    let (key, file, name) = (tunable.key, tunable.file, &md.name);
    if md.word(file).is_none() {
        return Err(WorldError::Unsupported {
            world: WorldName::Metal,
            what: format!("set `{key}` to `{setting}`: `{name}` has no `md/{file}`"),
            hint: Some("remove the key, or run a newer kernel".to_owned()),
        });
    }
    if let Err(error) = md.set(file, &setting.in_file()) {
        let why = std::error::Error::source(&error).map_or(error.to_string(), ToString::to_string);
        return Err(failed(md, setting, why));
    }
    check_kept(md, setting, &md.word(file).unwrap_or_default())
}

fn failed(md: &Md, setting: Setting, why: String) -> WorldError {
    let key = setting.tunable.key;
    let attempted = format!("failed to set `{key}` of `{}` to `{setting}`", md.name);
    let hint = match setting.tunable.advice {
        "" => format!("remove `{key}`, or use another value"),
        advice => format!("{advice}; or remove `{key}`"),
    };
    WorldError::failed(attempted, why).or_hint(hint)
}

/// Checks that the kernel has kept the value that was written: `text` is what its file says now.
fn check_kept(md: &Md, setting: Setting, text: &str) -> Result<(), WorldError> {
    let kept = kept(setting, text);
    match kept == setting.in_file() {
        true => Ok(()),
        false => Err(failed(
            md,
            setting,
            format!("the kernel kept it at `{kept}`"),
        )),
    }
}

/// Returns the value in the text of a file: `50000` of `50000 (local)`, which speeds have
/// (`sync_min_show`).
fn kept(setting: Setting, text: &str) -> String {
    match setting.tunable.unit {
        Unit::Kib => text.split(' ').next().unwrap_or_default().to_owned(),
        Unit::Count | Unit::Millis => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use stripewise_machine::Root;
    use stripewise_study::tunable;
    use stripewise_units::{Bytes, Nanos};

    use super::*;

    const FILES: [(&str, &str); 7] = [
        ("stripe_cache_size", "256\n"),
        ("group_thread_cnt", "0\n"),
        ("rmw_level", "1\n"),
        ("sync_speed_min", "1000 (system)\n"),
        ("sync_speed_max", "200000 (system)\n"),
        ("safe_mode_delay", "0.204\n"),
        ("dev-sda/state", "in_sync\n"),
    ];

    /// An array `md100` in a fake `/sys`, without these files.
    fn array(without: &[&str]) -> (tempfile::TempDir, Md) {
        let folder = tempfile::tempdir().unwrap();
        let md = folder.path().join("sys/block/md100/md");
        fs::create_dir_all(md.join("dev-sda")).unwrap();
        for (file, text) in FILES.iter().filter(|(file, _)| !without.contains(file)) {
            fs::write(md.join(file), text).unwrap();
        }
        let root = Root(folder.path().to_owned());
        (folder, Md::new(&root, "md100"))
    }

    fn all() -> ArraySettings {
        ArraySettings {
            stripe_cache_size: Some(4096),
            group_thread_cnt: Some(2),
            rmw_level: Some(0),
            sync_speed_min_bytes_per_s: Some(Bytes::new(10 << 20)),
            sync_speed_max_bytes_per_s: Some(Bytes::new(50 << 20)),
            safe_mode_delay_ns: Some(Nanos::from_millis(40)),
            ..ArraySettings::default()
        }
    }

    fn in_words(error: &WorldError) -> String {
        let source = std::error::Error::source(error).map_or(String::new(), ToString::to_string);
        format!("{error}: {source}; {}", error.hint().unwrap())
    }

    #[test]
    fn every_number_is_written_in_the_unit_of_its_file() {
        let (_folder, md) = array(&[]);
        apply(&md, &all(), &[]).unwrap();
        let now = FILES[..6].iter().map(|(file, _)| md.word(file).unwrap());
        let now: Vec<String> = now.collect();
        assert_eq!(now, ["4096", "2", "0", "10240", "51200", "0.040"]);
    }

    #[test]
    fn a_setting_that_the_kernel_lacks_is_refused_by_name() {
        let (_folder, md) = array(&["rmw_level"]);
        let text = in_words(&apply(&md, &all(), &[]).unwrap_err());
        assert!(
            text.contains("`rmw_level` to `0`: `md100` has no `md/rmw_level`"),
            "{text}"
        );
        assert!(text.contains("newer kernel"), "{text}");
    }

    #[test]
    fn a_value_that_the_kernel_changes_is_an_error_with_advice() {
        let (_folder, md) = array(&[]);
        let delay = Setting::time(&tunable::SAFE_MODE_DELAY, Nanos::from_millis(10));
        // 10 ms are 2.5 ticks of a clock of 250.
        let text = in_words(&check_kept(&md, delay, "0.008").unwrap_err());
        assert!(
            text.contains("`safe_mode_delay` of `md100` to `10ms`"),
            "{text}"
        );
        assert!(text.contains("kept it at `0.008`"), "{text}");
        assert!(text.contains("multiple of 20ms"), "{text}");
        let speed = Setting::size(&tunable::SYNC_SPEED_MAX, Bytes::new(50 << 20));
        check_kept(&md, speed, "51200 (local)").unwrap();
        assert!(check_kept(&md, speed, "200000 (system)").is_err());
    }

    #[test]
    fn a_member_that_does_not_become_write_mostly_is_an_error() {
        let (_folder, md) = array(&[]);
        let of = |place| ArraySettings {
            write_mostly: vec![place],
            ..ArraySettings::default()
        };
        let members = ["sda".to_owned()];
        // A plain file keeps the command; the kernel would say `in_sync,write_mostly`.
        let text = in_words(&apply(&md, &of(0), &members).unwrap_err());
        assert!(text.contains("its state is `writemostly`"), "{text}");
        let text = in_words(&apply(&md, &of(1), &members).unwrap_err());
        assert!(text.contains("`md100` has no member 1"), "{text}");
    }
}
