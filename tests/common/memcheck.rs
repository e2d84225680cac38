//! Guards to the byte, where the tests run under valgrind.
//!
//! Pages cannot guard a gap of four bytes, and values cannot show that one was read. Memcheck can
//! do both: around each run, only the cells (and the gaps, where they are readable) count as
//! accessible. Without valgrind all this does nothing. To run a test so, with fewer cases since it
//! is some fifty times slower (and without AVX-512, which valgrind lacks), and in one thread, since
//! valgrind counts for all threads together:
//!
//! ```text
//! alias check="valgrind -q --partial-loads-ok=no"
//! RESTRIDE_CASES=2000 check target/release/deps/campaign-<hash> --test-threads=1
//! RESTRIDE_CELLS=20000 check target/release/deps/tail_sweep-<hash>
//! ```

/// Address ranges, handed one by one (address, bytes) to whoever asks.
pub(crate) type Ranges<'a> = &'a dyn Fn(&mut dyn FnMut(usize, usize));

/// Addresses of one side: from where to where nothing may be touched, but for `open`.
pub(crate) struct Side<'a> {
    pub(crate) first: usize,
    pub(crate) len: usize,
    pub(crate) open: Ranges<'a>,
}

/// Whether there is a valgrind around this process.
pub(crate) fn is_running() -> bool {
    request::running()
}

/// Calls `run` and hands back how many stray accesses it made.
pub(crate) fn count_strays(src: &Side<'_>, dst: &Side<'_>, run: impl FnOnce()) -> usize {
    if !request::running() {
        run();
        return 0;
    }
    request::close(src.first, src.len);
    request::close(dst.first, dst.len);
    (src.open)(&mut |first, len| request::open(first, len));
    (dst.open)(&mut |first, len| request::open_unwritten(first, len));
    let before = request::errors();
    run();
    let strays = request::errors() - before;
    request::open(src.first, src.len);
    request::open(dst.first, dst.len);
    strays
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod request {
    // Numbers from valgrind.h and memcheck.h: they are a stable interface.
    const RUNNING: usize = 0x1001;
    const COUNT_ERRORS: usize = 0x1201;
    const NO_ACCESS: usize = 0x4d43_0000;
    const UNDEFINED: usize = 0x4d43_0001;
    const DEFINED: usize = 0x4d43_0002;

    /// Asks valgrind; 0 where there is none.
    fn ask(question: usize, first: usize, len: usize) -> usize {
        let arguments = [question, first, len, 0, 0, 0];
        let mut answer = 0_usize;
        // SAFETY: four rotations of rdi by 128 bits in all and an exchange of rbx with itself
        // change nothing; valgrind knows them by their order, reads `arguments` and sets rdx.
        unsafe {
            core::arch::asm!(
                "rol rdi, 3", "rol rdi, 13", "rol rdi, 61", "rol rdi, 51", "xchg rbx, rbx",
                in("rax") arguments.as_ptr(),
                inout("rdx") answer,
                options(nostack),
            );
        }
        answer
    }

    pub(super) fn running() -> bool {
        ask(RUNNING, 0, 0) != 0
    }

    pub(super) fn errors() -> usize {
        ask(COUNT_ERRORS, 0, 0)
    }

    pub(super) fn close(first: usize, len: usize) {
        ask(NO_ACCESS, first, len);
    }

    pub(super) fn open(first: usize, len: usize) {
        ask(DEFINED, first, len);
    }

    /// May be written. What is read of it must not decide anything.
    pub(super) fn open_unwritten(first: usize, len: usize) {
        ask(UNDEFINED, first, len);
    }
}

#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
mod request {
    pub(super) fn running() -> bool {
        false
    }

    pub(super) fn errors() -> usize {
        0
    }

    pub(super) fn close(_: usize, _: usize) {}

    pub(super) fn open(_: usize, _: usize) {}

    pub(super) fn open_unwritten(_: usize, _: usize) {}
}
