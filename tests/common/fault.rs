//! A fault in a guarded buffer becomes a report: what was touched, and the line that reproduces it.
//!
//! Each harness owns a [`Slot`]: the address ranges of its buffers, the footprint that the running
//! case may touch, and the reproducer of that case. The signal handler searches all slots for the
//! faulting address, because the thread that faults may be a worker that knows of no case. Then it
//! ends the process with the exit code of a failed test.

use std::cell::UnsafeCell;
use std::fmt::Write;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// What a slot watches.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Buffer {
    Source,
    SparseSource,
    Destination,
    SourceTable,
    DestinationTable,
}

const BUFFERS: [&str; 5] = [
    "the source",
    "the source",
    "the destination",
    "the source's row table",
    "the destination's row table",
];

struct Watch {
    mapped: [AtomicUsize; 2],
    footprint: [AtomicUsize; 2],
}

impl Watch {
    const fn new() -> Self {
        Self {
            mapped: [const { AtomicUsize::new(0) }; 2],
            footprint: [const { AtomicUsize::new(0) }; 2],
        }
    }
}

/// One harness, as the signal handler sees it.
pub(crate) struct Slot {
    taken: AtomicBool,
    watches: [Watch; BUFFERS.len()],
    note_len: AtomicUsize,
    note: UnsafeCell<[u8; NOTE]>,
}

const NOTE: usize = 2048;

// SAFETY: only the harness that took the slot writes the note, and the signal handler reads it
// while that harness waits for the code that faulted.
unsafe impl Sync for Slot {}

static SLOTS: [Slot; 64] = [const { Slot::new() }; 64];

impl Slot {
    const fn new() -> Self {
        Self {
            taken: AtomicBool::new(false),
            watches: [const { Watch::new() }; BUFFERS.len()],
            note_len: AtomicUsize::new(0),
            note: UnsafeCell::new([0; NOTE]),
        }
    }

    /// A free slot; installs the handler when the first one is taken.
    pub(crate) fn take() -> &'static Self {
        handler::install();
        let free = |slot: &&Slot| !slot.taken.swap(true, Ordering::AcqRel);
        SLOTS.iter().find(free).expect("64 harnesses at a time")
    }

    pub(crate) fn release(&self) {
        self.note_len.store(0, Ordering::Release);
        for watch in &self.watches {
            watch.mapped[1].store(0, Ordering::Relaxed);
            watch.mapped[0].store(0, Ordering::Relaxed);
        }
        self.taken.store(false, Ordering::Release);
    }

    pub(crate) fn watch(&self, buffer: Buffer, (first, end): (usize, usize)) {
        let watch = &self.watches[buffer as usize];
        watch.mapped[0].store(first, Ordering::Relaxed);
        watch.mapped[1].store(end, Ordering::Relaxed);
    }

    /// What the running case may touch of a buffer.
    pub(crate) fn footprint(&self, buffer: Buffer, first: usize, end: usize) {
        let watch = &self.watches[buffer as usize];
        watch.footprint[0].store(first, Ordering::Relaxed);
        watch.footprint[1].store(end, Ordering::Relaxed);
    }

    /// What to print if the running case faults.
    pub(crate) fn note(&self, case: &dyn std::fmt::Display) {
        self.note_len.store(0, Ordering::Release);
        // SAFETY: aliasing: the harness that took this slot is the only writer, and nothing reads
        // the note but the handler, which does not run now.
        let mut text = Text(unsafe { &mut *self.note.get() }, 0);
        // What does not fit is cut off.
        let _ = writeln!(text, "{case}");
        self.note_len.store(text.1, Ordering::Release);
    }
}

/// Text in a fixed buffer: no allocation, so that a handler may use it.
struct Text<'a>(&'a mut [u8], usize);

impl Write for Text<'_> {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        let room = &mut self.0[self.1..];
        let fits = text.len().min(room.len());
        room[..fits].copy_from_slice(&text.as_bytes()[..fits]);
        self.1 += fits;
        Ok(())
    }
}

/// Describes an access to `address` in words, from the slot that watches it.
fn describe(text: &mut Text<'_>, verb: &str, address: usize) -> Option<&'static Slot> {
    for slot in &SLOTS {
        for (watch, name) in slot.watches.iter().zip(BUFFERS) {
            let [first, end] = [0, 1].map(|i| watch.mapped[i].load(Ordering::Relaxed));
            if !(first..end).contains(&address) {
                continue;
            }
            let [low, high] = [0, 1].map(|i| watch.footprint[i].load(Ordering::Relaxed));
            let _ = match address {
                _ if address < low => {
                    writeln!(
                        text,
                        "fault: {verb} {name}, {} bytes before it",
                        low - address
                    )
                }
                _ if address >= high => writeln!(
                    text,
                    "fault: {verb} {name}, {} bytes past it",
                    address - high + 1
                ),
                _ => writeln!(text, "fault: {verb} {name}, in it, byte {}", address - low),
            };
            return Some(slot);
        }
    }
    let _ = writeln!(
        text,
        "fault: {verb} address {address:#x}, in no guarded buffer"
    );
    None
}

#[cfg(unix)]
mod handler {
    use super::{SLOTS, Slot, Text, describe};
    use std::sync::Once;
    use std::sync::atomic::Ordering;

    pub(super) fn install() {
        static ONCE: Once = Once::new();
        ONCE.call_once(|| {
            for signal in [libc::SIGSEGV, libc::SIGBUS] {
                // SAFETY: all zeros is a valid `sigaction` (no flags, empty mask).
                let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
                action.sa_sigaction = on_fault as *const () as usize;
                // On the alternate stack that std gives to every thread it starts.
                action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
                // SAFETY: `action` is initialised and its handler has the three-argument form that
                // SA_SIGINFO asks for.
                let answer = unsafe { libc::sigaction(signal, &action, std::ptr::null_mut()) };
                assert_eq!(answer, 0, "sigaction");
            }
        });
    }

    extern "C" fn on_fault(_: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
        // SAFETY: the system passes a valid siginfo for these signals.
        let address = unsafe { (*info).si_addr() } as usize;
        let mut room = [0; 256];
        let mut text = Text(&mut room, 0);
        match describe(&mut text, verb(context), address) {
            Some(slot) => {
                print(text);
                print_note(slot);
            }
            None => {
                print(text);
                SLOTS.iter().for_each(print_note);
            }
        }
        // SAFETY: ends the process at once; async-signal-safe.
        unsafe { libc::_exit(101) };
    }

    fn print(text: Text<'_>) {
        // SAFETY: the bytes are initialised and `write` is async-signal-safe.
        unsafe { libc::write(2, text.0.as_ptr().cast(), text.1) };
    }

    fn print_note(slot: &Slot) {
        let len = slot.note_len.load(Ordering::Acquire);
        // SAFETY: `len` bytes of the note were written; `write` is async-signal-safe.
        unsafe { libc::write(2, slot.note.get().cast(), len) };
    }

    #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
    fn verb(context: *mut libc::c_void) -> &'static str {
        // SAFETY: with SA_SIGINFO the third argument is the `ucontext_t` of the faulting thread.
        let registers = unsafe { &(*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs };
        // Bit 1 of a page fault's error code: the access was a write.
        if registers[libc::REG_ERR as usize] & 2 == 0 {
            "read of"
        } else {
            "write to"
        }
    }

    #[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
    fn verb(_: *mut libc::c_void) -> &'static str {
        "access to"
    }
}

#[cfg(not(unix))]
mod handler {
    pub(super) fn install() {}
}
