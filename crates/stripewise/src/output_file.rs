//! Files that commands write: complete or not at all, and never over a file that is not ours.
//!
//! A file gets its name once it is complete, so no reader ever sees half of it. Until then it has
//! none (`O_TMPFILE`, open(2)), and a full disk, a limit or a signal leaves nothing behind. On
//! filesystems without `O_TMPFILE` it has a temporary name, which a signal removes; it stays only if the
//! program is killed.
//!
//! The files of one command are a set: all of them are complete before the first one gets its name
//! ([`name_all`]). If one cannot get it, the others lose theirs, and each old file is back.
//!
//! A rename replaces an old file. The new file is a new inode, so it gets the old one's owner,
//! group, permissions, access control list, SELinux label and user attributes (`user.*`). If one of
//! them cannot be kept, the old file stays. This holds for a file of another user, unless we are
//! root. Other hard links to the old file keep the old content.
//!
//! Another user may own the directory and rename everything in it at any time. We open it once, and
//! look up all names in it. A temporary name is created (`O_EXCL`), never opened. We never write to
//! the existing file, so a hard link to another file does no harm. We follow a symbolic link, also
//! one in place of a directory, only if it belongs to us, to root, or to the owner of its target.
//! Where no file was, the rename refuses to replace (`renameat2(2)`, `RENAME_NOREPLACE`).

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use rustix::fs::{
    AtFlags, FileType, Gid, Mode, OFlags, PROC_SUPER_MAGIC, RenameFlags, Stat, Uid, XattrFlags,
};
use rustix::io::Errno;

use crate::failure::{Failure, Result};
use crate::inputs;
use crate::stop::{Removing, Stop};

/// How much of a file we read to recognise it. The header line of a table is the longest mark.
const HEAD_BYTES: u64 = 1 << 16;

/// The permission bits of a mode, without those that make a program run as another user.
const PERMISSION_BITS: u32 = 0o777;

/// The permissions of a file that only its owner may read.
const PRIVATE_MODE: u32 = 0o600;

/// The most symbolic links in one path, as in Linux (path_resolution(7)).
const LINKS_MAX: usize = 40;
/// How many names are tried for a temporary file.
const NAMES_MAX: u32 = 100;
/// The most bytes of a file's list of attributes, or of one attribute (`XATTR_SIZE_MAX`).
const ATTRIBUTE_BYTES_MAX: usize = 1 << 16;
/// The attribute that holds the access control list.
const ACL: &str = "system.posix_acl_access";

/// Whether an existing file says that the same command wrote it.
///
/// The mark is all that stands between another program's file and its loss, so it is a whole line, or
/// a whole field, that no other program writes.
type Mark<'a> = &'a dyn Fn(&Existing<'_>) -> bool;

/// What a mark is looked for in.
pub(crate) struct Existing<'a> {
    /// The first bytes of the file.
    pub(crate) head: Vec<u8>,
    /// The file.
    pub(crate) file: &'a File,
}

/// Which existing file an output may replace: never an input of the same command, and only a regular
/// file.
#[derive(Clone, Copy)]
pub(crate) struct Replaces<'a> {
    /// `None` if files of this kind bear no mark.
    mark: Option<Mark<'a>>,
    /// Whether `--replace` was given; `None` if the command has no such option.
    option: Option<bool>,
}

impl<'a> Replaces<'a> {
    const fn of(mark: Option<Mark<'a>>, option: Option<bool>) -> Self {
        Self { mark, option }
    }

    /// Replaces a file that bears the command's mark, and no other one.
    pub(crate) const fn marked(mark: Mark<'a>) -> Self {
        Self::of(Some(mark), None)
    }

    /// Replaces a file that bears the command's mark; with `--replace`, any other, too.
    pub(crate) const fn marked_or(mark: Mark<'a>, replace: bool) -> Self {
        Self::of(Some(mark), Some(replace))
    }

    /// Replaces no file, and has no option that would.
    pub(crate) const fn never() -> Self {
        Self::of(None, None)
    }

    /// Replaces a file only with `--replace`: files of this kind bear no mark.
    pub(crate) const fn only_with(replace: bool) -> Self {
        Self::of(None, Some(replace))
    }

    /// Refuses an existing file that may not be replaced.
    fn check(self, path: &Path, old: &Old) -> Result<()> {
        check_is_no_input(path, old)?;
        if self.option == Some(true) {
            return Ok(());
        }
        let shown = path.display();
        let message = match self.mark {
            Some(mark) if mark(&old.existing(path)?) => return Ok(()),
            Some(_) => format!("`{shown}` already exists and is not a file of this kind"),
            None => format!("`{shown}` already exists"),
        };
        Err(Failure::new(message).hint(match self.option {
            Some(_) => "choose another name, or replace it with `--replace`",
            None => "choose another name, or remove it first",
        }))
    }
}

/// Refuses to replace a file that this command reads.
fn check_is_no_input(path: &Path, old: &Old) -> Result<()> {
    match inputs::contains(&old.file) {
        false => Ok(()),
        true => Err(
            Failure::new(format!("`{}` is an input of this command", path.display()))
                .hint("choose another name"),
        ),
    }
}

/// A file that a command writes.
#[derive(Clone, Copy)]
pub(crate) struct OutputFile<'a> {
    path: &'a Path,
    replaces: Replaces<'a>,
    /// The permissions of a new file, which the umask limits.
    mode: u32,
}

impl<'a> OutputFile<'a> {
    /// Returns an output that other users may read as far as the umask lets them.
    pub(crate) fn new(path: &'a Path, replaces: Replaces<'a>) -> Self {
        let mode = 0o666;
        Self {
            path,
            replaces,
            mode,
        }
    }

    /// Returns an output that only we may read, also if it replaces a file that others may read.
    pub(crate) fn private(path: &'a Path, replaces: Replaces<'a>) -> Self {
        Self {
            mode: PRIVATE_MODE,
            ..Self::new(path, replaces)
        }
    }

    /// Returns its name as the user gave it.
    pub(crate) fn path(&self) -> &'a Path {
        self.path
    }

    /// Refuses, before a long step, what could not be written after it.
    ///
    /// # Errors
    /// If the file may not be replaced, or its directory cannot be written to.
    pub(crate) fn check(&self) -> Result<()> {
        self.find_writable().map(drop)
    }

    /// Refuses outputs of one command as [`check`](Self::check) does, and two with the same name.
    ///
    /// # Errors
    /// As there, or if two are the same file.
    pub(crate) fn check_all(outputs: &[OutputFile]) -> Result<()> {
        let mut places = BTreeSet::new();
        for output in outputs {
            let destination = output.find_writable()?;
            let folder = rustix::fs::fstat(&destination.directory)
                .map_err(|error| failed("inspect", output.path, &error.into()))?;
            if !places.insert((folder.st_dev, folder.st_ino, destination.name)) {
                let message = format!("`{}` is named for two outputs", output.path.display());
                return Err(Failure::new(message).hint("name a file for each"));
            }
        }
        Ok(())
    }

    fn find_writable(&self) -> Result<Destination> {
        let destination = self.find()?;
        let access = rustix::fs::Access::WRITE_OK;
        rustix::fs::accessat(&destination.directory, ".", access, AtFlags::empty())
            .map_err(|error| failed("write", self.path, &error.into()))?;
        Ok(destination)
    }

    fn find(&self) -> Result<Destination> {
        let destination = Destination::find(self.path)?;
        if let Some(old) = &destination.old {
            self.replaces.check(self.path, old)?;
        }
        Ok(destination)
    }

    /// Writes these bytes.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub(crate) fn write_bytes(&self, bytes: &[u8]) -> Result<()> {
        self.write(|mut file| file.write_all(bytes))
    }

    /// Writes what `content` writes, which may be more than the memory holds, through a temporary
    /// file and a rename. A replaced file's owner and permissions are kept. A symbolic link stays;
    /// its target is written.
    ///
    /// # Errors
    /// If a file exists that may not be replaced, if the file cannot be written, or if `content`
    /// fails; an existing file is then unchanged.
    pub(crate) fn write(&self, content: impl FnOnce(&File) -> io::Result<()>) -> Result<()> {
        name_all(vec![self.complete(content)?])
    }

    /// Writes a file of a set, which gets its name from [`name_all`], and is gone without it.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub(crate) fn complete(
        &self,
        content: impl FnOnce(&File) -> io::Result<()>,
    ) -> Result<Complete> {
        let Destination {
            directory,
            name,
            old,
        } = self.find()?;
        let is_private = self.mode == PRIVATE_MODE;
        let mode = match old {
            // Private until complete: the old permissions may be narrower than the umask.
            Some(_) => PRIVATE_MODE,
            None => self.mode,
        };
        let error = |error: io::Error| failed("write", self.path, &error);
        let temporary = Temporary::create(directory, mode).map_err(error)?;
        let written = match &old {
            Some(old) => temporary.fill_as(self.path, old, is_private, content)?,
            None => content(&temporary.file).and_then(|()| temporary.file.sync_all()),
        };
        written.map_err(error)?;
        Ok(Complete {
            path: self.path.to_owned(),
            name,
            replaces: old.is_some(),
            temporary,
        })
    }

    /// Completes a file of these bytes.
    ///
    /// # Errors
    /// As [`complete`](Self::complete).
    pub(crate) fn complete_bytes(&self, bytes: &[u8]) -> Result<Complete> {
        self.complete(|mut file| file.write_all(bytes))
    }
}

/// A complete file that does not have its name yet.
pub(crate) struct Complete {
    /// Its name as the user gave it.
    path: PathBuf,
    /// Its name in its directory.
    name: OsString,
    /// Whether a file has that name.
    replaces: bool,
    temporary: Temporary,
}

/// Gives all files of a set their names, or none of them.
///
/// New names first: they can be taken back on every filesystem. An old file is exchanged with the new
/// one, and exchanged back if a later file fails. A filesystem without that exchange (NFS) keeps the
/// new file then.
///
/// # Errors
/// If one of them cannot get its name.
pub(crate) fn name_all(mut files: Vec<Complete>) -> Result<()> {
    // A signal would leave the names of a part.
    let _deferred = Stop::listen()?;
    files.sort_by_key(|file| file.replaces);
    let mut named: Vec<Complete> = Vec::new();
    let mut files = files.into_iter().peekable();
    while let Some(mut file) = files.next() {
        let is_last = files.peek().is_none();
        if let Err(error) = file.give_name(is_last) {
            named.into_iter().rev().for_each(Complete::take_back);
            let failure = failed("write", &file.path, &error);
            return Err(match error.kind() {
                ErrorKind::AlreadyExists => {
                    failure.hint("another program created it just now: check it, then try again")
                }
                _ => failure,
            });
        }
        named.push(file);
    }
    Ok(())
}

impl Complete {
    /// Gives the file its name. Unless it is the last one of its set, an old file stays under the
    /// temporary name until the set is complete.
    fn give_name(&mut self, is_last: bool) -> io::Result<()> {
        match (self.replaces, is_last) {
            (false, _) => self.temporary.rename_to_free(&self.name),
            (true, true) => self.temporary.rename_over(&self.name),
            (true, false) => self.temporary.exchange(&self.name),
        }
    }

    /// Takes the name back, as far as the filesystem can. What fails here stays as it is.
    fn take_back(self) {
        let directory = &self.temporary.directory;
        match (&self.temporary.name, self.replaces) {
            // The temporary name is the old file's now; dropping `self` removes the new one.
            (Some(temporary), true) => {
                let exchange = RenameFlags::EXCHANGE;
                let from = &*self.name;
                if rustix::fs::renameat_with(directory, from, directory, temporary, exchange)
                    .is_err()
                {
                    self.temporary.keep();
                }
            }
            (None, true) => {}
            (_, false) => {
                let _ = rustix::fs::unlinkat(directory, &*self.name, AtFlags::empty());
            }
        }
    }
}

fn failed(verb: &str, path: &Path, error: &io::Error) -> Failure {
    Failure::new(error).context(format!("failed to {verb} `{}`", path.display()))
}

/// A name in an open directory, and the regular file that has it.
struct Destination {
    directory: OwnedFd,
    name: OsString,
    old: Option<Old>,
}

/// An existing regular file.
struct Old {
    file: File,
    stat: Stat,
}

impl Old {
    fn existing(&self, path: &Path) -> Result<Existing<'_>> {
        let mut head = Vec::new();
        let mut start = (&self.file).take(HEAD_BYTES);
        let read = start.read_to_end(&mut head);
        read.map_err(|error| failed("read", path, &error))?;
        let file = &self.file;
        Ok(Existing { head, file })
    }
}

/// Returns the directory of a path, and the name in it.
fn split(path: &Path) -> Option<(&Path, &OsStr)> {
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    Some((folder, path.file_name()?))
}

impl Destination {
    /// Follows a path to an existing file, or to a free name.
    ///
    /// Opens only regular files: opening a pipe blocks, and opening a device may have side effects.
    fn find(path: &Path) -> Result<Self> {
        let (folder, name) = split(path).ok_or_else(|| not_regular(path))?;
        let mut directory = open_trusted(folder).map_err(|error| failed("write", path, &error))?;
        let mut name = name.to_owned();
        let mut owners = Vec::new();
        loop {
            let (stat, seen) = match open_itself(&directory, &name) {
                Ok(seen) => seen,
                Err(Errno::NOENT) if owners.is_empty() => {
                    return Ok(Self {
                        directory,
                        name,
                        old: None,
                    });
                }
                Err(Errno::NOENT) => return Err(dangling(path)),
                Err(error) => return Err(failed("inspect", path, &error.into())),
            };
            match FileType::from_raw_mode(stat.st_mode) {
                FileType::Symlink if owners.len() < LINKS_MAX => owners.push(stat.st_uid),
                FileType::RegularFile => {
                    check_links(&owners, stat.st_uid)
                        .map_err(|error| failed("write", path, &error))?;
                    let old = open_regular(&directory, &name, &stat);
                    return Ok(Self {
                        old: Some(old.map_err(|error| failed("open", path, &error))?),
                        directory,
                        name,
                    });
                }
                _ => return Err(not_regular(path)),
            }
            let target = rustix::fs::readlinkat(&seen, "", Vec::new())
                .map_err(|error| failed("inspect", path, &error.into()))?;
            // A link in `/proc` is not a path: `/dev/stdout` points there.
            let filesystem = rustix::fs::fstatfs(&directory).map(|filesystem| filesystem.f_type);
            if filesystem == Ok(PROC_SUPER_MAGIC) {
                return Err(not_regular(path));
            }
            let target = PathBuf::from(OsString::from_vec(target.into_bytes()));
            let (folder, last) = split(&target).ok_or_else(|| not_regular(path))?;
            directory = walk(directory, folder).map_err(|error| match error.kind() {
                ErrorKind::NotFound => dangling(path),
                _ => failed("inspect", path, &error),
            })?;
            name = last.to_owned();
        }
    }
}

/// Opens what has a name, also a link: another user may give the name to something else at any time.
fn open_itself(at: &OwnedFd, name: impl rustix::path::Arg) -> rustix::io::Result<(Stat, OwnedFd)> {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let seen = rustix::fs::openat(at, name, flags, Mode::empty())?;
    Ok((rustix::fs::fstat(&seen)?, seen))
}

fn open_directory(at: impl std::os::fd::AsFd, path: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(rustix::fs::openat(at, path, flags, Mode::empty())?)
}

/// Opens a directory, and refuses links of other users on the way as [`check_links`] does.
fn open_trusted(folder: &Path) -> io::Result<OwnedFd> {
    // The current directory may be closed to us, so an absolute path does not begin there.
    let start = if folder.is_absolute() { "/" } else { "." };
    walk(open_directory(rustix::fs::CWD, Path::new(start))?, folder)
}

/// Returns the path of a directory without links, to change what is in it. A link of another user
/// that leads to what is not theirs is refused, as for outputs.
///
/// # Errors
/// If it cannot be opened, or for such a link.
pub(crate) fn real_directory(path: &Path) -> io::Result<PathBuf> {
    let open = open_trusted(path)?;
    std::fs::read_link(format!("{OPEN_FILES}/{}", open.as_raw_fd()))
}

/// Makes a directory for outputs, and those above it that are missing, behind no link of another user
/// that leads to what is not theirs.
///
/// # Errors
/// If one cannot be made, or for such a link.
pub(crate) fn make_directory(path: &Path) -> io::Result<()> {
    made_directory(path).map(drop)
}

fn made_directory(path: &Path) -> io::Result<OwnedFd> {
    match (open_trusted(path), split(path)) {
        (Err(error), Some((above, name))) if error.kind() == ErrorKind::NotFound => {
            match rustix::fs::mkdirat(&made_directory(above)?, name, Mode::from_raw_mode(0o777)) {
                Ok(()) | Err(Errno::EXIST) => open_trusted(path),
                Err(error) => Err(error.into()),
            }
        }
        (opened, _) => opened,
    }
}

/// Opens the directory `folder`, seen from `from`, and refuses links of other users on the way as
/// [`check_links`] does.
///
/// Links in `/proc` lead to what is open, not to a path: they are followed as they are.
fn walk(from: OwnedFd, folder: &Path) -> io::Result<OwnedFd> {
    let mut owners = Vec::new();
    let mut directory = from;
    let mut ahead = vec![folder.to_owned()];
    while let Some(next) = ahead.pop() {
        let mut components = next.components();
        let Some(component) = components.next() else {
            continue;
        };
        ahead.push(components.as_path().to_owned());
        let name: &Path = component.as_ref();
        let (stat, seen) = open_itself(&directory, name)?;
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::Directory => {
                directory = seen;
                continue;
            }
            FileType::Symlink => {}
            _ => return Err(Errno::NOTDIR.into()),
        }
        if rustix::fs::fstatfs(&directory)?.f_type == PROC_SUPER_MAGIC {
            directory = open_directory(&directory, name)?;
            continue;
        }
        owners.push(stat.st_uid);
        if owners.len() > LINKS_MAX {
            return Err(Errno::LOOP.into());
        }
        let target = rustix::fs::readlinkat(&seen, "", Vec::new())?;
        ahead.push(OsString::from_vec(target.into_bytes()).into());
    }
    check_links(&owners, rustix::fs::fstat(&directory)?.st_uid)?;
    Ok(directory)
}

/// Opens the regular file that `seen` describes.
fn open_regular(directory: &OwnedFd, name: &OsStr, seen: &Stat) -> io::Result<Old> {
    let flags =
        OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::openat(directory, name, flags, Mode::empty())?);
    let stat = rustix::fs::fstat(&file)?;
    if (stat.st_dev, stat.st_ino) != (seen.st_dev, seen.st_ino) {
        return Err(io::Error::other("it was replaced while we opened it"));
    }
    Ok(Old { file, stat })
}

fn not_regular(path: &Path) -> Failure {
    let message = format!("`{}` is not a regular file", path.display());
    Failure::new(message).hint("`-o -` writes to standard output")
}

fn dangling(path: &Path) -> Failure {
    let target = path.read_link().unwrap_or_default();
    Failure::new(format!(
        "`{}` is a dangling symbolic link (to `{}`)",
        path.display(),
        target.display()
    ))
    .hint("name the file itself, or remove the link first")
}

/// Refuses a link of another user to a file or directory that is not theirs.
fn check_links(owners: &[u32], target_owner: u32) -> io::Result<()> {
    let us = rustix::process::geteuid().as_raw();
    let is_trusted = |owner: &&u32| [us, 0, target_owner].contains(owner);
    match owners.iter().find(|owner| !is_trusted(owner)) {
        None => Ok(()),
        Some(owner) => Err(io::Error::other(format!(
            "a symbolic link of another user (uid {owner}) leads to what is not theirs"
        ))),
    }
}

/// Gives the new file the owner and the group of the old one.
fn keep_owner(path: &Path, old: &Old, new: &File) -> Result<()> {
    let look = |error: Errno| failed("write", path, &error.into());
    let now = rustix::fs::fstat(new).map_err(look)?;
    let owner = (now.st_uid != old.stat.st_uid).then(|| Uid::from_raw(old.stat.st_uid));
    let group = (now.st_gid != old.stat.st_gid).then(|| Gid::from_raw(old.stat.st_gid));
    if owner.is_none() && group.is_none() {
        return Ok(());
    }
    rustix::fs::fchown(new, owner, group).map_err(|error| {
        let (shown, cause) = (path.display(), io::Error::from(error));
        let whose = match (owner, group) {
            (Some(owner), _) => format!("another user (uid {})", owner.as_raw()),
            (None, _) => format!("a group that is not yours (gid {})", old.stat.st_gid),
        };
        Failure::new(cause)
            .context(format!(
                "`{shown}` belongs to {whose}, which replacing it would change"
            ))
            .hint("choose another name, or remove the file first")
    })
}

/// Gives the new file the access control list, the SELinux label and the users' attributes of the
/// old one.
fn keep_attributes(old: &File, new: &File) -> io::Result<()> {
    let mut list = vec![0; ATTRIBUTE_BYTES_MAX];
    let length = match rustix::fs::flistxattr(old, &mut list[..]) {
        // This filesystem has no extended attributes.
        Err(Errno::NOTSUP | Errno::NOSYS) => return Ok(()),
        length => length?,
    };
    let names = list[..length].split(|byte| *byte == 0);
    let names: Vec<&str> = names.filter_map(|name| str::from_utf8(name).ok()).collect();
    let is_kept =
        |name: &&str| *name == ACL || *name == "security.selinux" || name.starts_with("user.");
    for name in names.iter().copied().filter(|name| is_kept(name)) {
        let value = attribute(old, name)?;
        if value.is_some() && attribute(new, name)? != value {
            let value = value.unwrap_or_default();
            rustix::fs::fsetxattr(new, name, &value, XattrFlags::empty())?;
        }
    }
    // Inherited from the directory: the old file has none, and must not become readable for others.
    if !names.contains(&ACL) && matches!(attribute(new, ACL), Ok(Some(_))) {
        rustix::fs::fremovexattr(new, ACL)?;
    }
    Ok(())
}

fn attribute(file: &File, name: &str) -> io::Result<Option<Vec<u8>>> {
    let mut value = vec![0; ATTRIBUTE_BYTES_MAX];
    match rustix::fs::fgetxattr(file, name, &mut value[..]) {
        Ok(length) => {
            value.truncate(length);
            Ok(Some(value))
        }
        Err(Errno::NODATA) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// A file that is removed unless it gets its final name.
struct Temporary {
    directory: OwnedFd,
    /// Its temporary name, which is removed in the end; `None` for an unnamed file.
    name: Option<String>,
    file: File,
    /// Removes the temporary name on a signal.
    _removing: Option<Removing>,
}

/// Where the kernel lists our open files, unnamed ones included.
const OPEN_FILES: &str = "/proc/self/fd";

impl Temporary {
    fn create(directory: OwnedFd, mode: u32) -> io::Result<Self> {
        let flags = OFlags::WRONLY | OFlags::TMPFILE | OFlags::CLOEXEC;
        let mode = Mode::from_raw_mode(mode);
        // Without /proc an unnamed file cannot get a name later.
        if Path::new(OPEN_FILES).is_dir()
            && let Ok(file) = rustix::fs::openat(&directory, ".", flags, mode)
        {
            return Ok(Self {
                directory,
                name: None,
                file: file.into(),
                _removing: None,
            });
        }
        let deferred = Stop::listen()?;
        let flags =
            OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let open = |name: &str| rustix::fs::openat(&directory, name, flags, mode);
        let (name, file) = with_free_name(open)?;
        let (at, of_signal) = (directory.try_clone()?, name.clone());
        let removing = Removing::on_signal(move || {
            // If this fails, the temporary file stays.
            let _ = rustix::fs::unlinkat(at, of_signal, AtFlags::empty());
        });
        drop(deferred);
        Ok(Self {
            directory,
            name: Some(name),
            file: file.into(),
            _removing: Some(removing?),
        })
    }

    /// Writes what replaces an existing file: with its owner, permissions and attributes, unless the
    /// new one is private, as others may own or read the old one.
    fn fill_as(
        &self,
        path: &Path,
        old: &Old,
        is_private: bool,
        content: impl FnOnce(&File) -> io::Result<()>,
    ) -> Result<io::Result<()>> {
        if !is_private {
            keep_owner(path, old, &self.file)?;
            keep_attributes(&old.file, &self.file).map_err(|error| {
                failed("keep the attributes of", path, &error)
                    .hint("choose another name, or remove the file first")
            })?;
        }
        let write = || {
            content(&self.file)?;
            if !is_private {
                // Last, because the kernel clears permission bits when the owner changes.
                let mode = Mode::from_raw_mode(old.stat.st_mode & PERMISSION_BITS);
                rustix::fs::fchmod(&self.file, mode)?;
            }
            self.file.sync_all()
        };
        let written = write();
        // `content` may have opened its input only now.
        check_is_no_input(path, old)?;
        Ok(written)
    }

    /// Gives an unnamed file a free name.
    fn link(&self, name: impl rustix::path::Arg) -> rustix::io::Result<()> {
        let open = format!("{OPEN_FILES}/{}", self.file.as_raw_fd());
        let follow = AtFlags::SYMLINK_FOLLOW;
        rustix::fs::linkat(rustix::fs::CWD, open, &self.directory, name, follow)
    }

    /// Returns the temporary name. An unnamed file gets one; the caller defers signals, which would
    /// leave it.
    fn named(&mut self) -> io::Result<String> {
        if self.name.is_none() {
            self.name = Some(with_free_name(|name| self.link(name))?.0);
        }
        Ok(self.name.clone().unwrap_or_default())
    }

    /// Keeps the temporary name.
    fn keep(mut self) {
        self.name = None;
    }

    /// Gives the file a name, and replaces any file with that name.
    fn rename_over(&mut self, name: &OsStr) -> io::Result<()> {
        let temporary = self.named()?;
        rustix::fs::renameat(&self.directory, temporary, &self.directory, name)?;
        self.name = None;
        Ok(())
    }

    /// Gives the file a name, and the file with that name the temporary one.
    fn exchange(&mut self, name: &OsStr) -> io::Result<()> {
        let (temporary, to) = (self.named()?, &self.directory);
        match rustix::fs::renameat_with(to, temporary, to, name, RenameFlags::EXCHANGE) {
            // Some filesystems lack this rename (NFS).
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => self.rename_over(name),
            exchanged => Ok(exchanged?),
        }
    }

    /// Gives the file a free name.
    fn rename_to_free(&mut self, name: &OsStr) -> io::Result<()> {
        let to = &self.directory;
        let Some(temporary) = &self.name else {
            return Ok(self.link(name)?);
        };
        match rustix::fs::renameat_with(to, temporary, to, name, RenameFlags::NOREPLACE) {
            Ok(()) => {
                self.name = None;
                return Ok(());
            }
            Err(Errno::EXIST) => return Err(Errno::EXIST.into()),
            Err(_) => {}
        }
        // Some filesystems lack this rename (NFS), and some lack hard links too (shared folders of
        // virtual machines).
        match rustix::fs::linkat(to, temporary, to, name, AtFlags::empty()) {
            Ok(()) => Ok(()),
            Err(Errno::EXIST) => Err(Errno::EXIST.into()),
            Err(_) => self.rename_over(name),
        }
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if let Some(name) = &self.name {
            // If this fails, the temporary file stays.
            let _ = rustix::fs::unlinkat(&self.directory, name, AtFlags::empty());
        }
    }
}

/// Calls `act` with a free temporary name, and returns that name as well.
fn with_free_name<T>(act: impl Fn(&str) -> rustix::io::Result<T>) -> io::Result<(String, T)> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let nanos = now.unwrap_or_default().as_nanos();
    let process = std::process::id();
    for attempt in 0..NAMES_MAX {
        // It only has to be unused, not secret.
        let name = format!(".stripewise-{process}-{nanos}-{attempt}");
        match act(&name) {
            Ok(done) => return Ok((name, done)),
            Err(Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(io::Error::other("no name for a temporary file is free"))
}

#[cfg(test)]
#[path = "output_file_tests.rs"]
mod tests;
