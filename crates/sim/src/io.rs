//! What travels between the layers: bios above and below an array, requests at a device.

use crate::units::Sectors;

/// What is done with the sectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Operation {
    /// They are read.
    Read,
    /// They are written.
    Write,
    /// Nothing moves; what was acknowledged before is made durable (an empty `REQ_PREFLUSH` bio).
    Flush,
}

/// What is asked of the order and durability of a bio.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Flags {
    /// Somebody waits for it (`REQ_SYNC`): md does not delay it.
    pub sync: bool,
    /// Everything acknowledged before is durable before it starts (`REQ_PREFLUSH`).
    pub preflush: bool,
    /// It is durable itself when it completes (`REQ_FUA`).
    pub fua: bool,
}

/// The place of a device in an array, from 0, as in `mdadm --detail`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Member(pub u16);

impl Member {
    /// Returns the place as an index.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A place on a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Place {
    /// The device.
    pub member: Member,
    /// The position on its data area.
    pub sector: Sectors,
}

/// One bio for one member, made by an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemberBio {
    /// The device it goes to.
    pub member: Member,
    /// What it does.
    pub operation: Operation,
    /// Its first sector on the member's data area.
    pub start: Sectors,
    /// Its length; nothing for a flush.
    pub length: Sectors,
    /// Its durability.
    pub flags: Flags,
    /// What the array recognises it by when it completes.
    pub tag: u32,
}
