//! All rules, storage first. A rule is one constant with its function; a new one also needs a line in
//! its file's `RULES`, a file in `trees/`, and its texts in the catalogue's `check.{en,de}.ftl`.

mod block;
mod boot;
mod cache;
mod databases;
mod filesystems;
mod lvm;
mod md;
mod services;
mod smart;

mod system;
mod virtual_machines;
mod web;
pub(crate) use web::{fpm, nginx};
mod zfs;

mod arrays;
pub(crate) mod clock;
mod controllers;
mod lasting;
mod links;
mod newer;
mod nvme;
mod paths;

use crate::rule::Rule;

/// Returns all rules.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    let groups: [&'static [Rule]; 21] = [
        md::RULES,
        cache::RULES,
        filesystems::RULES,
        smart::RULES,
        lvm::RULES,
        zfs::RULES,
        virtual_machines::RULES,
        databases::RULES,
        boot::RULES,
        services::RULES,
        web::RULES,
        system::RULES,
        block::RULES,
        clock::RULES,
        nvme::RULES,
        links::RULES,
        arrays::RULES,
        newer::RULES,
        lasting::RULES,
        paths::RULES,
        controllers::RULES,
    ];
    groups.into_iter().flatten()
}

/// Returns the rule with this name.
pub fn named(id: &str) -> Option<&'static Rule> {
    all().find(|rule| rule.id == id)
}
