//! The agent image: this program, its libraries and a start script, as a disk for the guest.
//!
//! The guest's distribution may be older or newer than the machine's, so the program brings its own
//! libraries. The image is named by the checksum of its content and built once.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::cache::{Cache, Part};
use crate::error::LabError;
use crate::image;
use crate::manifest::{checksum, checksum_of};
use crate::programs::{LDD, run};
use crate::text::printable;

/// The program's name on the disk.
const PROGRAM: &str = "stripewise";

/// Returns the disk image with `program`, building it if the cache has none.
///
/// # Errors
/// If the program or one of its libraries cannot be read, or the image cannot be written.
pub fn image_of(cache: &Cache, program: &Path) -> Result<PathBuf, LabError> {
    let libraries = libraries_of(program)?;
    let files = libraries.all().chain([program]);
    let sums: Vec<String> = files
        .map(|file| checksum(file).map(|file| file.sha256))
        .collect::<Result<_, _>>()?;
    let script = libraries.script();
    let key = checksum_of(sums.iter().map(String::as_str).chain([script.as_str()]));
    let agents = cache.agents();
    if let Some(image) = agents.find_intact(&key) {
        return Ok(image);
    }
    let lock = cache.lock(Part::Runs, &mut || {})?;
    // Another process may have built it meanwhile.
    if let Some(image) = agents.find_intact(&key) {
        return Ok(image);
    }
    let _removed = cache.remove_half_made(&lock);
    let work = agents.work()?;
    let tree = work.path().join("tree");
    let lib = tree.join("lib");
    std::fs::create_dir_all(&lib).map_err(LabError::file("create", &lib))?;
    let copy = |from: &Path, to: PathBuf| {
        std::fs::copy(from, &to)
            .map_err(LabError::file("copy", from))
            .map(|_| ())
    };
    copy(program, tree.join(PROGRAM))?;
    for file in libraries.all() {
        if let Some(name) = file.file_name() {
            copy(file, lib.join(name))?;
        }
    }
    let start = tree.join("start");
    std::fs::write(&start, script)
        .and_then(|()| std::fs::set_permissions(&start, PermissionsExt::from_mode(0o755)))
        .map_err(LabError::file("write", &start))?;
    let made = work.path().join("image");
    image::make(&tree, &made, "stripewise-agent")?;
    agents.put(&made, &key)
}

/// The shared libraries of a program and its loader.
#[derive(Debug, Default, PartialEq, Eq)]
struct Libraries {
    /// The dynamic loader; `None` for a static program.
    loader: Option<PathBuf>,
    files: Vec<PathBuf>,
}

impl Libraries {
    fn all(&self) -> impl Iterator<Item = &Path> {
        self.files.iter().chain(&self.loader).map(PathBuf::as_path)
    }

    /// Returns the script that starts the program in the guest.
    fn script(&self) -> String {
        let loader = self.loader.as_ref().and_then(|loader| loader.file_name());
        let with = loader.map_or_else(String::new, |loader| {
            format!(
                "/agent/lib/{} --library-path /agent/lib ",
                loader.to_string_lossy()
            )
        });
        format!("#!/bin/sh\nexec {with}/agent/{PROGRAM} \"$@\"\n")
    }
}

fn libraries_of(program: &Path) -> Result<Libraries, LabError> {
    match run(LDD.call([program]), "find the libraries of this program") {
        Ok(printed) => {
            let printed = String::from_utf8_lossy(&printed);
            if is_static(&printed) {
                return Ok(Libraries::default());
            }
            read_libraries(&printed).map_err(|line| LabError::Package {
                package: program.display().to_string(),
                problem: format!("one of its libraries is missing: {}", printable(line)),
            })
        }
        Err(LabError::Failed { output, .. }) if is_static(&output.join("\n")) => {
            Ok(Libraries::default())
        }
        Err(error) => Err(error),
    }
}

/// Returns whether `ldd` reports a static program. It exits with an error for those, except for
/// static PIEs.
fn is_static(printed: &str) -> bool {
    let is_marker =
        |line: &str| line.ends_with("not a dynamic executable") || line == "statically linked";
    printed.lines().any(|line| is_marker(line.trim()))
}

/// Reads what `ldd` prints: `NAME => PATH (ADDRESS)`, and the loader as `PATH (ADDRESS)`.
///
/// # Errors
/// The line of a missing library.
fn read_libraries(text: &str) -> Result<Libraries, &str> {
    let mut libraries = Libraries::default();
    for line in text.lines() {
        let line = line.trim();
        let (path, is_loader) = match line.split_once("=>") {
            Some((_, path)) if path.trim() == "not found" => return Err(line),
            Some((_, path)) => (path, false),
            None => (line, true),
        };
        let path = path
            .trim()
            .rsplit_once(" (")
            .map_or(path, |(path, _)| path)
            .trim();
        if path.starts_with('/') {
            match is_loader {
                true => libraries.loader = Some(PathBuf::from(path)),
                false => libraries.files.push(PathBuf::from(path)),
            }
        }
    }
    Ok(libraries)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_static_only_if_ldd_reports_it() {
        assert!(is_static("\tnot a dynamic executable\n"));
        assert!(is_static("\tstatically linked\n"));
        assert!(!is_static("\tlibc.so.6 => /lib/libc.so.6 (0x7f)\n"));
        assert!(!is_static("ldd: exited with unknown exit code (139)\n"));
        let lost = "\tlost.so => not found\n\t/lib64/ld-linux-x86-64.so.2 (0x7f)\n";
        assert_eq!(read_libraries(lost), Err("lost.so => not found"));
    }

    #[test]
    fn a_damaged_image_is_rebuilt() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path()).unwrap();
        let program = std::env::current_exe().unwrap();
        let image = image_of(&cache, &program).unwrap();
        let good = checksum(&image).unwrap();
        let mut bytes = std::fs::read(&image).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        std::fs::write(&image, bytes).unwrap();
        assert_ne!(checksum(&image).unwrap(), good);
        assert_eq!(image_of(&cache, &program).unwrap(), image);
        let key = image.file_stem().unwrap().to_str().unwrap();
        assert_eq!(cache.agents().find_intact(key), Some(image.clone()));
    }

    #[test]
    fn libraries_are_parsed_from_ldd_output() {
        let libraries = read_libraries(
            "\tlinux-vdso.so.1 (0x00007)\n\tlibm.so.6 => /lib/x/libm.so.6 (0x7f)\n\t/lib64/ld-linux-x86-64.so.2 (0x7f)\n",
        )
        .unwrap();
        assert_eq!(libraries.files, [PathBuf::from("/lib/x/libm.so.6")]);
        assert_eq!(
            libraries.script(),
            "#!/bin/sh\nexec /agent/lib/ld-linux-x86-64.so.2 --library-path /agent/lib /agent/stripewise \"$@\"\n"
        );
        assert_eq!(
            Libraries::default().script(),
            "#!/bin/sh\nexec /agent/stripewise \"$@\"\n"
        );
    }
}
