//! The elements of the stripe cache: stripes, their blocks, and the pieces of bios that wait on a
//! block.
//!
//! A stripe is one 4 KiB block on every member at one position (`stripe_head`, `r5dev` in the
//! kernel's raid5.h). The states are bits, as in the kernel, because nearly every combination of
//! them is legal.

use super::geometry::ParityMembers;

/// No stripe, bio or piece.
pub(super) const NONE: u32 = u32::MAX;
/// No member.
pub(super) const NO_MEMBER: u16 = u16::MAX;

/// Implements the operations of a bit set.
macro_rules! bit_set {
    ($set:ident) => {
        impl $set {
            /// Returns whether any of `bits` is set.
            pub const fn any(self, bits: Self) -> bool {
                self.0 & bits.0 != 0
            }

            /// Returns the union.
            pub const fn and(self, bits: Self) -> Self {
                Self(self.0 | bits.0)
            }

            pub const fn set(&mut self, bits: Self) {
                self.0 |= bits.0;
            }
        }
    };
}

bit_set!(BlockState);
bit_set!(StripeState);

/// The states of a block (`R5_*`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct BlockState(u16);

impl BlockState {
    pub const fn of_bits(bits: u16) -> Self {
        Self(bits)
    }

    pub const fn bits(self) -> u16 {
        self.0
    }

    /// The cached data is that on the member, or newer (`R5_UPTODATE`).
    pub const UP_TO_DATE: Self = Self(1);
    /// A member bio or an operation works on it (`R5_LOCKED`).
    pub const LOCKED: Self = Self(1 << 1);
    /// The bios to be written cover all of it (`R5_OVERWRITE`).
    pub const OVERWRITE: Self = Self(1 << 2);
    /// The member can be read here (`R5_Insync`).
    pub const IN_SYNC: Self = Self(1 << 3);
    /// To be read from the member (`R5_Wantread`).
    pub const WANT_READ: Self = Self(1 << 4);
    /// To be written to the member (`R5_Wantwrite`).
    pub const WANT_WRITE: Self = Self(1 << 5);
    /// To be computed from the others (`R5_Wantcompute`).
    pub const WANT_COMPUTE: Self = Self(1 << 6);
    /// Reads can be served from it (`R5_Wantfill`).
    pub const WANT_FILL: Self = Self(1 << 7);
    /// New data is to be taken from the bios (`R5_Wantdrain`).
    pub const WANT_DRAIN: Self = Self(1 << 8);
    /// The write carries FUA (`R5_WantFUA`).
    pub const FUA: Self = Self(1 << 9);
    /// The write is synchronous (`R5_SyncIO`).
    pub const SYNC: Self = Self(1 << 10);
    /// The write is made from the bio's own page (`R5_SkipCopy`).
    pub const SKIP_COPY: Self = Self(1 << 11);
    /// The member bio in flight is a read.
    pub const READING: Self = Self(1 << 12);
    /// Bios read it: [`Block::to_read`] is not empty.
    pub const TO_READ: Self = Self(1 << 13);
    /// Bios write it: [`Block::to_write`] is not empty.
    pub const TO_WRITE: Self = Self(1 << 14);
    /// Data of bios is being written: [`Block::written`] is not empty.
    pub const WRITTEN: Self = Self(1 << 15);
}

/// The states of a stripe (`STRIPE_*`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct StripeState(u16);

impl StripeState {
    /// It needs handling (`STRIPE_HANDLE`).
    pub const HANDLE: Self = Self(1);
    /// It delays the read of old data, because more writes may arrive (`STRIPE_DELAYED`).
    pub const DELAYED: Self = Self(1 << 1);
    /// It may read old data (`STRIPE_PREREAD_ACTIVE`).
    pub const PREREAD: Self = Self(1 << 2);
    /// It waits for the bitmap (`STRIPE_BIT_DELAY`).
    pub const BITMAP: Self = Self(1 << 3);
    /// It may still join a batch (`STRIPE_BATCH_READY`).
    pub const BATCH_READY: Self = Self(1 << 4);
    /// It is in the queue of released stripes (`STRIPE_ON_RELEASE_LIST`).
    pub const RELEASED: Self = Self(1 << 5);
    /// It is in a task's plug (`STRIPE_ON_UNPLUG_LIST`).
    pub const PLUGGED: Self = Self(1 << 6);
    /// All its data is written (`STRIPE_FULL_WRITE`).
    pub const FULL_WRITE: Self = Self(1 << 7);
    /// Member bios were issued (`STRIPE_IO_STARTED`).
    pub const STARTED: Self = Self(1 << 8);
    /// A resync has requested it (`STRIPE_SYNC_REQUESTED`).
    pub const SYNC_REQUESTED: Self = Self(1 << 9);
    /// A resync works on it (`STRIPE_SYNCING`).
    pub const SYNCING: Self = Self(1 << 10);
    /// Its parity is right (`STRIPE_INSYNC`).
    pub const IN_SYNC: Self = Self(1 << 11);
    /// The parity on the members is wrong; the model's stand-in for comparing the data.
    pub const MISMATCH: Self = Self(1 << 12);

    /// Returns only those of `bits` that are set.
    pub const fn only(self, bits: Self) -> Self {
        Self(self.0 & bits.0)
    }

    pub const fn clear(&mut self, bits: Self) {
        self.0 &= !bits.0;
    }

    /// Clears the bits and returns whether any was set.
    pub const fn take(&mut self, bits: Self) -> bool {
        let was = self.any(bits);
        self.clear(bits);
        was
    }
}

/// A list that a stripe without users is on, by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct List(u8);

/// The parts of the cache (`NR_STRIPE_HASH_LOCKS`).
pub(super) const PARTS: u8 = 8;
/// The number of lists.
pub(super) const LISTS: usize = 5 + PARTS as usize;

impl List {
    /// On none.
    pub(super) const NONE: Self = Self(u8::MAX);
    /// Ready to be handled (`handle_list`).
    pub(super) const HANDLE: Self = Self(0);
    /// Ready, but full stripes may pass (`hold_list`).
    pub(super) const HOLD: Self = Self(1);
    /// Waiting to read old data (`delayed_list`).
    pub(super) const DELAYED: Self = Self(2);
    /// Waiting for the bitmap (`bitmap_list`).
    pub(super) const BITMAP: Self = Self(3);
    /// Becomes inactive at the thread's next pass (`temp_inactive_list`).
    pub(super) const LEAVING: Self = Self(4);

    /// Unused in one of the eight parts of the cache, least recently used first (`inactive_list`).
    pub(super) const fn inactive(part: u8) -> Self {
        Self(5 + part)
    }

    pub(super) const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A set of lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Lists(u16);

impl Lists {
    pub(super) const NONE: Self = Self(0);
    /// Those that the thread works through.
    const OF_THREAD: Self = Self((1 << List::inactive(0).index()) - 1);

    pub(super) const fn have(self, list: List) -> bool {
        self.0 & 1 << list.index() != 0
    }

    /// Returns whether any list of the thread is in the set.
    pub(super) const fn have_work(self) -> bool {
        self.0 & Self::OF_THREAD.0 != 0
    }

    pub(super) const fn add(&mut self, list: List) {
        self.0 |= 1 << list.index();
    }

    pub(super) const fn remove(&mut self, list: List) {
        self.0 &= !(1 << list.index());
    }
}

/// The state of a write through the cache (`reconstruct_states`, without those that need
/// asynchronous engines).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reconstruct {
    Idle,
    /// New data and parity are ready, made from whole data (`reconstruct_state_drain_result`).
    Whole,
    /// The same, made from old data and old parity (`reconstruct_state_prexor_drain_result`).
    FromOld,
}

/// The state of a parity check (`check_states`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Check {
    Idle,
    /// Compared (`check_state_check_result`).
    Compared,
    /// Right parity was computed (`check_state_compute_result`).
    Computed,
}

/// One block on every member.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stripe {
    /// Its position on the members.
    pub sector: u64,
    /// The array's sector of its data index 0.
    pub row_start: u64,
    /// The bitmap flush that covers it (`bm_seq`).
    pub bitmap_sequence: u64,
    /// Users: the thread, plugs, member bios, batches (`count`).
    pub users: u32,
    /// The next of its hash chain.
    pub hash_next: u32,
    pub previous: u32,
    pub next: u32,
    pub list: List,
    /// The first stripe of its batch, or [`NONE`].
    pub batch_head: u32,
    /// The next stripe of its batch, in a ring.
    pub batch_next: u32,
    pub state: StripeState,
    /// The part of the cache it always belongs to (`hash_lock_index`).
    pub part: u8,
    pub reconstruct: Reconstruct,
    pub check: Check,
    /// The member with P.
    pub parity: u16,
    /// The member with Q, or [`NO_MEMBER`].
    pub syndrome: u16,
    /// Blocks that are fully overwritten (`overwrite_disks`).
    pub overwritten: u16,
}

impl Stripe {
    /// A stripe outside of the hash: no position.
    pub(super) const UNHASHED: u64 = u64::MAX;

    pub(super) const fn new(part: u8) -> Self {
        Self {
            sector: Self::UNHASHED,
            row_start: 0,
            bitmap_sequence: 0,
            users: 0,
            hash_next: NONE,
            previous: NONE,
            next: NONE,
            list: List::NONE,
            batch_head: NONE,
            batch_next: NONE,
            state: StripeState(0),
            part,
            reconstruct: Reconstruct::Idle,
            check: Check::Idle,
            parity: 0,
            syndrome: NO_MEMBER,
            overwritten: 0,
        }
    }

    pub(super) const fn is_parity(&self, member: u16) -> bool {
        self.parity == member || self.syndrome == member
    }

    /// Returns the members that hold its parity.
    #[inline]
    pub(super) fn row(&self) -> ParityMembers {
        ParityMembers {
            parity: self.parity,
            syndrome: (self.syndrome != NO_MEMBER).then_some(self.syndrome),
        }
    }
}

/// The pieces of bios on one member's block of a stripe; its state says whether there are any.
#[derive(Debug, Clone, Copy)]
pub(super) struct Block {
    /// Pieces that read it, by position (`toread`).
    pub to_read: u32,
    /// Pieces that write it (`towrite`).
    pub to_write: u32,
    /// Pieces whose data was copied and is being written (`written`).
    pub written: u32,
}

/// The states that say which pieces a block has.
pub(super) const PIECES: BlockState = BlockState::TO_READ
    .and(BlockState::TO_WRITE)
    .and(BlockState::WRITTEN);

impl Block {
    pub(super) const EMPTY: Self = Self {
        to_read: NONE,
        to_write: NONE,
        written: NONE,
    };
}

/// The part of a bio that falls on one block.
#[derive(Debug, Clone, Copy)]
pub(super) struct Piece {
    /// The bio's slot.
    pub bio: u32,
    /// The next piece of the block, or the next free one.
    pub next: u32,
    /// The first sector within the block.
    pub first: u8,
    /// The first sector after it.
    pub end: u8,
}

/// The pieces, with a list of free ones.
#[derive(Debug, Default)]
pub(super) struct Pieces {
    slots: Vec<Piece>,
    free: Option<u32>,
}

impl Pieces {
    pub(super) fn get(&self, piece: u32) -> Piece {
        self.slots[piece as usize]
    }

    pub(super) fn link(&mut self, piece: u32, next: u32) {
        self.slots[piece as usize].next = next;
    }

    pub(super) fn add(&mut self, piece: Piece) -> u32 {
        if let Some(slot) = self.free {
            let old = self.slots[slot as usize].next;
            self.free = (old != NONE).then_some(old);
            self.slots[slot as usize] = piece;
            return slot;
        }
        let slot = u32::try_from(self.slots.len()).expect("fewer than 2^32 pieces are in flight");
        self.slots.push(piece);
        slot
    }

    /// Frees a piece and returns it.
    pub(super) fn remove(&mut self, piece: u32) -> Piece {
        let removed = self.slots[piece as usize];
        self.slots[piece as usize].next = self.free.unwrap_or(NONE);
        self.free = Some(piece);
        removed
    }

    pub(super) fn capacity(&self) -> usize {
        self.slots.capacity()
    }
}
