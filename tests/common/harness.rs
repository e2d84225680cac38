//! Guarded buffers and the comparison: run something on them, then every byte of the destination
//! and around it must be what the oracle says.
//!
//! The source is filled with random bytes once and then mapped read-only for good, so a case costs
//! no system call and a write to it faults. The destination holds canaries wherever no cell stands.
//! Canaries are other bytes in each case, so that a byte which happens to be right is right once.

use std::fmt::{self, Display};

use super::fault::{Buffer, Slot};
use super::pages::{Pages, page_size};
use super::random::Random;

/// Bytes of a source and of a destination at most, unless a test asks for more.
pub(crate) const ROOM: usize = 512 << 10;
/// Accessible pages of the source whose every other page faults.
pub(crate) const OPEN_PAGES: usize = 256;
/// Bytes that are checked before and behind a destination.
const MARGIN: usize = 256;

/// Bytes that a side reaches, relative to index 0: from `low` to before `high`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Footprint {
    pub(crate) low: isize,
    pub(crate) high: isize,
}

impl Footprint {
    pub(crate) const EMPTY: Self = Self { low: 0, high: 0 };

    pub(crate) fn len(self) -> usize {
        self.high.wrapping_sub(self.low) as usize
    }

    /// Of a strided layout. Nothing where it would not fit in `isize`.
    pub(crate) fn of(cell: usize, shape: &[usize], strides: &[isize]) -> Option<Self> {
        if shape.contains(&0) {
            return Some(Self::EMPTY);
        }
        let (mut low, mut high) = (0_isize, cell as isize);
        for (&extent, &stride) in shape.iter().zip(strides).filter(|&(&extent, _)| extent > 1) {
            let reach = stride.checked_mul(extent as isize - 1)?;
            low = low.checked_add(reach.min(0))?;
            high = high.checked_add(reach.max(0))?;
        }
        Some(Self { low, high })
    }
}

/// Where in its buffer a footprint stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Its first byte is the first accessible one.
    Left,
    /// Its last byte is the last accessible one.
    Right,
    /// Its first byte stands this far behind a multiple of 64 bytes.
    At(usize),
}

/// A byte that is not what it should be.
pub(crate) struct WrongByte {
    /// Relative to index 0 of the destination.
    pub(crate) at: isize,
    pub(crate) expected: u8,
    pub(crate) found: u8,
}

/// A failed case, in words, with the line that reproduces it.
pub(crate) struct Failure(pub(crate) String);

impl Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Names the case if what is done under it panics.
pub(crate) struct OnPanic<'a>(pub(crate) &'a dyn Display);

impl Drop for OnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("{}", self.0);
        }
    }
}

/// What a copy is, and where: all that the bytes which it should leave depend on, as sources stay as they are.
#[derive(PartialEq, Eq)]
pub(crate) struct Key {
    pub(crate) src: usize,
    pub(crate) cell: usize,
    pub(crate) shape: Vec<usize>,
    pub(crate) strides: [Vec<isize>; 2],
}

/// What a destination should be after a copy, and the margins around it.
#[derive(Default)]
struct Image {
    /// Of which copy, to which address, among which canaries.
    of: Option<(Key, usize, u64)>,
    bytes: Vec<u8>,
}

/// The buffers of one thread.
pub(crate) struct Harness {
    src: Pages,
    sparse: Pages,
    dst: Pages,
    tables: [Pages; 2],
    canaries: Vec<u8>,
    /// The last ones, as a copy is run in many ways, at two places in turns.
    images: [Image; 2],
    slot: &'static Slot,
}

/// Entries of a row table at most.
const TABLE_ENTRIES: usize = 16384;

impl Harness {
    pub(crate) fn new() -> Self {
        Self::with_room(ROOM)
    }

    /// Buffers for footprints of up to `room` bytes.
    pub(crate) fn with_room(room: usize) -> Self {
        let slot = Slot::take();
        let mut random = Random::new(0x5eed);
        let src = Pages::guarded(room);
        fill(&mut random, src.start, src.len);
        src.seal();
        let sparse = Pages::sparse(OPEN_PAGES);
        for at in (0..sparse.len).step_by(2 * page_size()) {
            fill(&mut random, sparse.start.wrapping_add(at), page_size());
        }
        sparse.seal_sparse();
        let dst = Pages::guarded(room);
        let tables = [(); 2].map(|()| Pages::guarded(TABLE_ENTRIES * size_of::<isize>()));
        for (buffer, pages) in [
            (Buffer::Source, &src),
            (Buffer::SparseSource, &sparse),
            (Buffer::Destination, &dst),
            (Buffer::SourceTable, &tables[0]),
            (Buffer::DestinationTable, &tables[1]),
        ] {
            slot.watch(buffer, pages.with_guards());
        }
        let mut canaries = vec![0; room + 2 * MARGIN + 4096];
        fill(&mut random, canaries.as_mut_ptr(), canaries.len());
        Self {
            src,
            sparse,
            dst,
            tables,
            canaries,
            images: Default::default(),
            slot,
        }
    }

    /// The address of index 0 of a source. Nothing if it is too large.
    pub(crate) fn source(&self, footprint: Footprint, place: Place) -> Option<*const u8> {
        let zero = locate(&self.src, footprint, place)?;
        self.report_footprint(Buffer::Source, zero, footprint);
        Some(zero)
    }

    /// The same among pages of which every second one faults. `window` is what each accessible
    /// page holds of the source, and `footprint` is that of the whole, from first page to last.
    pub(crate) fn sparse_source(
        &self,
        footprint: Footprint,
        window: Footprint,
        place: Place,
    ) -> Option<*const u8> {
        let page = page_size();
        let first = match place {
            Place::Left => 0,
            Place::Right => page.checked_sub(window.len())?,
            Place::At(offset) => offset % 64,
        };
        let pages_below = (window.low - footprint.low) as usize;
        let fits = first + window.len() <= page
            && pages_below.is_multiple_of(2 * page)
            && footprint.len() - window.len() <= self.sparse.len - page;
        if !fits {
            return None;
        }
        let low = self.sparse.start.wrapping_add(first);
        let zero = low.wrapping_offset(footprint.low.wrapping_neg());
        self.report_footprint(Buffer::SparseSource, zero, footprint);
        Some(zero)
    }

    /// The address of index 0 of a destination. Nothing if it is too large.
    pub(crate) fn destination(&self, footprint: Footprint, place: Place) -> Option<*mut u8> {
        let zero = locate(&self.dst, footprint, place)?;
        self.report_footprint(Buffer::Destination, zero, footprint);
        Some(zero)
    }

    /// A row table that ends where its guard begins. `side` 0 is the source's, 1 the destination's.
    /// The next table of that side takes its place, so the slice must be gone by then.
    pub(crate) fn table<'a, T: Copy>(&self, side: usize, entries: &[T]) -> &'a [T] {
        assert!(entries.len() <= TABLE_ENTRIES && size_of::<T>() == size_of::<isize>());
        let pages = &self.tables[side];
        let at = pages.end().wrapping_sub(size_of_val(entries)).cast::<T>();
        let buffer = [Buffer::SourceTable, Buffer::DestinationTable][side];
        self.slot
            .footprint(buffer, at as usize, pages.end() as usize);
        // SAFETY: range: the entries fit in front of the end of the mapping; alignment: its end is
        // page-aligned; aliasing: no slice of an earlier table is in use any more.
        unsafe {
            at.copy_from_nonoverlapping(entries.as_ptr(), entries.len());
            std::slice::from_raw_parts(at, entries.len())
        }
    }

    /// Runs one case: canaries, `oracle`, `run`, comparison. `oracle` gets an image of the
    /// destination and the place of index 0 in it, unless the case is one of the last two, by `key`. `salt` chooses
    /// the canaries, `note` is printed if `run` faults.
    pub(crate) fn check(
        &mut self,
        note: &dyn Display,
        (dst, footprint): (*mut u8, Footprint),
        salt: u64,
        (key, oracle): (Option<Key>, impl FnOnce(&mut [u8], isize)),
        run: impl FnOnce(),
    ) -> Result<(), WrongByte> {
        let start = self.dst.start as usize;
        let (first, end) = if footprint.len() == 0 {
            (start, start + MARGIN)
        } else {
            let low = (dst as usize).wrapping_add_signed(footprint.low);
            let high = (dst as usize).wrapping_add_signed(footprint.high);
            let last = self.dst.end() as usize;
            ((low - MARGIN).max(start), (high + MARGIN).min(last))
        };
        let canaries = &self.canaries[(salt % 4096) as usize..][..end - first];
        let window = self.dst.start.wrapping_add(first - start);
        // SAFETY: range: the window is clamped to the accessible part of the mapping; aliasing:
        // nothing else refers to it, and `canaries` is another allocation.
        unsafe { window.copy_from_nonoverlapping(canaries.as_ptr(), canaries.len()) };
        let zero = (dst as isize).wrapping_sub(first as isize);
        let of = key.map(|key| (key, dst as usize, salt));
        let is_known = |image: &Image| of.is_some() && image.of == of;
        if !is_known(&self.images[0]) {
            self.images.swap(0, 1);
        }
        let image = &mut self.images[0];
        if !is_known(image) {
            image.of = of;
            image.bytes.clear();
            image.bytes.extend_from_slice(canaries);
            oracle(&mut image.bytes, zero);
        }
        let expected = &image.bytes;

        self.slot.note(note);
        let on_panic = OnPanic(note);
        run();
        drop(on_panic);
        // SAFETY: range and aliasing: as above; `run` has returned and was the only writer.
        let found = unsafe { std::slice::from_raw_parts(window, end - first) };
        if found == expected {
            return Ok(());
        }
        let pairs = found.iter().zip(expected);
        let at = pairs.take_while(|(a, b)| a == b).count();
        Err(WrongByte {
            at: at as isize - zero,
            expected: expected[at],
            found: found[at],
        })
    }

    fn report_footprint(&self, buffer: Buffer, zero: *mut u8, footprint: Footprint) {
        let zero = zero as usize;
        let low = zero.wrapping_add_signed(footprint.low);
        self.slot.footprint(buffer, low, low + footprint.len());
    }
}

impl Drop for Harness {
    fn drop(&mut self) {
        self.slot.release();
    }
}

/// The address of index 0 for a footprint in `pages`. An empty one gets an address that faults.
fn locate(pages: &Pages, footprint: Footprint, place: Place) -> Option<*mut u8> {
    if footprint.len() == 0 {
        return Some(pages.start.wrapping_sub(64));
    }
    let at = match place {
        Place::Left => 0,
        Place::Right => pages.len.checked_sub(footprint.len())?,
        Place::At(offset) => MARGIN + offset % 64,
    };
    if at + footprint.len() > pages.len {
        return None;
    }
    let low = pages.start.wrapping_add(at);
    Some(low.wrapping_offset(footprint.low.wrapping_neg()))
}

fn fill(random: &mut Random, at: *mut u8, len: usize) {
    for i in (0..len).step_by(8) {
        let bytes = random.bits().to_ne_bytes();
        let count = bytes.len().min(len - i);
        // SAFETY: range: the caller hands over `len` writable bytes, and i + count <= len.
        unsafe {
            at.wrapping_add(i)
                .copy_from_nonoverlapping(bytes.as_ptr(), count)
        };
    }
}
