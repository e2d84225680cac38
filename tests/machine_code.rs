//! What the compiler made of the kernels, read from this test's own machine code.
//!
//! Non-temporal stores are ordered by the drop of a guard that is inlined somewhere else, and vector
//! intrinsics are fast only where they are inlined: both are properties of the result, not of the
//! source. Release builds only, since debug builds inline nothing; skipped, with a line that says so,
//! where `objdump` is missing.

#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

use std::process::Command;

use restride::{Layout, Options, Plan, Problem, Stores, View, ViewMut};
use restride_kernels::{Kernel, Panel, rows};

/// Moves a panel under a guard of its own: what the test expects a fence in.
#[inline(never)]
#[unsafe(no_mangle)]
fn restride_machine_code_guarded(kernel: &Kernel, panel: &Panel<'_>) {
    let fence = kernel.begin(&mut []);
    // SAFETY: shape, stride, range, aliasing: the panel has no cells; ISA: the kernel is bound.
    unsafe { kernel.run(panel, &fence) }
}

/// One instruction.
struct Line {
    address: u64,
    text: String,
}

impl Line {
    fn starts_with_any(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.text.starts_with(name))
    }

    fn streams(&self) -> bool {
        self.starts_with_any(&["movnt", "vmovnt"]) && !self.text.contains("movntdqa")
    }

    /// A call through a register or a field, as kernel rows are called; not one through the table
    /// of dynamic symbols.
    fn calls_a_pointer(&self) -> bool {
        self.text.starts_with("call") && self.text.contains('*') && !self.text.contains("(%rip)")
    }

    /// Which function a direct call, or a jump to one, goes to.
    fn callee(&self) -> Option<u64> {
        if !self.starts_with_any(&["call", "jmp"]) {
            return None;
        }
        let operand = self.text.split_whitespace().nth(1)?;
        u64::from_str_radix(operand, 16).ok()
    }

    /// Where a direct jump leads.
    fn target(&self) -> Option<u64> {
        let operand = self.text.strip_prefix('j')?.split_whitespace().nth(1)?;
        u64::from_str_radix(operand, 16).ok()
    }

    fn ends_a_path(&self) -> bool {
        self.starts_with_any(&["ret", "ud2", "jmp"])
    }
}

struct Function {
    name: String,
    code: Vec<Line>,
}

impl Function {
    /// Whether a store fence can be reached from the instruction after `from`.
    fn reaches_a_fence(&self, from: usize) -> bool {
        let mut seen = vec![false; self.code.len()];
        let mut next = vec![from + 1];
        while let Some(at) = next.pop() {
            let Some(line) = self.code.get(at).filter(|_| !seen[at]) else {
                continue;
            };
            seen[at] = true;
            if line.text.starts_with("sfence") {
                return true;
            }
            let to = line.target();
            next.extend(to.and_then(|to| self.code.iter().position(|line| line.address == to)));
            if !line.ends_a_path() {
                next.push(at + 1);
            }
        }
        false
    }
}

/// The machine code of this executable; `None` where nothing can show it.
fn own_code() -> Option<Vec<Function>> {
    let executable = std::env::current_exe().expect("a test has an executable");
    let shown = Command::new("objdump")
        .args(["-d", "-C", "--no-show-raw-insn"])
        .arg(executable)
        .output()
        .ok()
        .filter(|output| output.status.success())?;
    let mut functions: Vec<Function> = Vec::new();
    for line in String::from_utf8_lossy(&shown.stdout).lines() {
        let header = line
            .strip_suffix(">:")
            .and_then(|line| line.split_once(" <"));
        if let Some((_, name)) = header {
            functions.push(Function {
                name: name.to_owned(),
                code: Vec::new(),
            });
        } else if let (Some((address, text)), Some(function)) =
            (line.split_once(":\t"), functions.last_mut())
        {
            function.code.push(Line {
                address: u64::from_str_radix(address.trim(), 16).expect("objdump's format"),
                text: text.trim().to_owned(),
            });
        }
    }
    Some(functions)
}

/// The functions that stream, or call one that does: first those that no function calls, then the others.
fn streaming(functions: &[Function]) -> (Vec<&str>, Vec<&str>) {
    let mut streams: Vec<bool> = functions
        .iter()
        .map(|function| function.code.iter().any(Line::streams))
        .collect();
    let mut called = vec![false; functions.len()];
    let mut next: Vec<usize> = (0..functions.len()).filter(|&f| streams[f]).collect();
    while let Some(f) = next.pop() {
        let starts = functions[f].code.first().map(|line| line.address);
        for (caller, function) in functions.iter().enumerate() {
            let calls = |line: &Line| starts.is_some() && line.callee() == starts;
            if caller != f && function.code.iter().any(calls) {
                called[f] = true;
                if !streams[caller] {
                    streams[caller] = true;
                    next.push(caller);
                }
            }
        }
    }
    let names = |wanted: bool| {
        (0..functions.len())
            .filter(|&f| streams[f] && called[f] == wanted)
            .map(|f| functions[f].name.as_str())
            .collect()
    };
    (names(false), names(true))
}

/// A copy that streams, planned and run, so that all of that is in the executable.
fn stream_a_copy() {
    let rows = Layout::row_major(&[65, 64]).expect("small");
    let columns = Layout::column_major(&[65, 64]).expect("small");
    let problem = Problem::new::<f32>(&rows, &columns).expect("one shape");
    let options = Options {
        stores: Stores::Streaming,
        ..Options::default()
    };
    let plan = Plan::with(&problem, &options).expect("every machine plans");
    let src: Vec<f32> = (0..65 * 64).map(|i| i as f32).collect();
    let mut dst = vec![0.0; 65 * 64];
    let from = View::with_layout(&src, rows).expect("as large");
    let mut to = ViewMut::with_layout(&mut dst, columns).expect("as large");
    plan.run(&from, &mut to).expect("the plan's layouts");
    assert_eq!(dst[65], src[1], "{plan}");
}

#[test]
fn streamed_stores_are_fenced_and_intrinsics_are_inlined() {
    stream_a_copy();
    for row in rows().filter(|row| row.streams()) {
        println!("streams: {}", row.name);
    }
    std::hint::black_box(restride_machine_code_guarded as fn(&Kernel, &Panel<'_>));
    if cfg!(debug_assertions) {
        println!("skipped: a debug build inlines nothing");
        return;
    }
    let Some(functions) = own_code() else {
        println!("skipped: no objdump");
        return;
    };

    // Streaming stores stand in the rows and in what rows share; rows are called through their tables
    // alone.
    let (rows_that_stream, shared) = streaming(&functions);
    let expected = rows().filter(|row| row.streams()).count();
    for name in rows_that_stream.iter().chain(&shared) {
        // In the name of a trait's function, the type's stands first.
        let own = name
            .trim_start_matches('<')
            .starts_with("restride_kernels::");
        assert!(own, "{name} streams");
    }
    let found = rows_that_stream.len();
    assert!(found >= expected, "{found} of {expected} rows stream");

    // Whoever calls a row has the fence behind it.
    for wanted in ["restride_machine_code_guarded", "exec::walk::Walk::run"] {
        let mut callers = functions
            .iter()
            .filter(|function| function.name.ends_with(wanted))
            .peekable();
        assert!(callers.peek().is_some(), "no function {wanted}");
        for caller in callers {
            let calls = caller.code.iter().enumerate();
            let mut calls = calls.filter(|(_, line)| line.calls_a_pointer()).peekable();
            assert!(calls.peek().is_some(), "{wanted} calls no row");
            for (at, line) in calls {
                let fenced = caller.reaches_a_fence(at);
                assert!(fenced, "{wanted}: no fence after {}", line.text);
            }
        }
    }

    // An intrinsic that is not inlined has a function of its own.
    for Function { name, .. } in &functions {
        let intrinsic = name.contains("core_arch") && name.contains("::_mm");
        assert!(!intrinsic, "{name} is not inlined");
    }
    println!(
        "{found} rows stream, {} through functions of others",
        shared.len()
    );
}
