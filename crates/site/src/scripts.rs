//! Plans as scripts, for servers on which `stripewise` does not run.

use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use crate::permissions::{ModeChange, Plan};

/// A script, and the files whose change it does not make.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Script {
    /// Its text.
    pub text: Vec<u8>,
    /// Files that need a group by a name, which sftp does not know, or whose name it cannot read.
    pub left: Vec<PathBuf>,
}

/// Returns a script for a shell, to be run in the directory of the site. It goes on after a change
/// that fails, and ends with 1 then.
pub fn shell(plan: &Plan) -> Script {
    let mut text = b"#!/bin/sh\n# Sets the modes that `stripewise site permissions` found to be enough.\n# Run it in the directory of the site: sh SCRIPT\nfailed=0\n".to_vec();
    for step in steps(plan) {
        let path = [b"./", step.entry.path.as_os_str().as_bytes()].concat();
        if let Some(group) = &step.group {
            text.extend(b"chgrp ");
            text.extend(shell_quoted(group.as_bytes()));
            text.push(b' ');
            text.extend(shell_quoted(&path));
            text.extend(b" || failed=1\n");
        }
        text.extend(format!("chmod {:04o} ", step.mode).bytes());
        text.extend(shell_quoted(&path));
        text.extend(b" || failed=1\n");
    }
    text.extend(b"exit $failed\n");
    Script {
        text,
        left: Vec::new(),
    }
}

/// Returns a batch for `sftp -b`, to be run in the directory of the site. It goes on after a change
/// that fails.
pub fn sftp(plan: &Plan) -> Script {
    let mut script = Script::default();
    for step in steps(plan) {
        let Some(path) = sftp_quoted(&step.entry.path) else {
            script.left.push(step.entry.path.clone());
            continue;
        };
        // sftp knows groups by number only.
        match &step.group {
            Some(group) if group.bytes().all(|byte| byte.is_ascii_digit()) => {
                script.text.extend(format!("-chgrp {group} ").bytes());
                script.text.extend(&path);
                script.text.push(b'\n');
            }
            Some(_) => {
                script.left.push(step.entry.path.clone());
                continue;
            }
            None => {}
        }
        script
            .text
            .extend(format!("-chmod {:o} ", step.mode).bytes());
        script.text.extend(&path);
        script.text.push(b'\n');
    }
    script
}

/// Returns the steps that do not change what is not the site's.
fn steps(plan: &Plan) -> impl Iterator<Item = &ModeChange> {
    plan.steps.iter().filter(|step| !step.is_shared)
}

fn shell_quoted(text: &[u8]) -> Vec<u8> {
    let mut out = b"'".to_vec();
    for byte in text {
        match byte {
            b'\'' => out.extend(b"'\\''"),
            _ => out.push(*byte),
        }
    }
    out.push(b'\'');
    out
}

/// Quotes a path as sftp reads it: a `\` before everything that it or its patterns know. A batch has
/// no way to write a new line.
fn sftp_quoted(path: &Path) -> Option<Vec<u8>> {
    let bytes = match path.as_os_str().as_bytes() {
        [] => b".",
        bytes => bytes,
    };
    let mut out = Vec::new();
    for &byte in bytes {
        if byte == b'\n' || byte == b'\r' {
            return None;
        }
        if byte.is_ascii() && !byte.is_ascii_alphanumeric() && !b"/._-".contains(&byte) {
            out.push(b'\\');
        }
        out.push(byte);
    }
    Some(out)
}
