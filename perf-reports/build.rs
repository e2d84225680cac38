//! Hands the compiler's version and flags to the program, whose reports name them.

use std::env;
use std::process::Command;

fn main() {
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc).arg("--version").output();
    let version = output.ok().and_then(|o| String::from_utf8(o.stdout).ok());
    let version = version.unwrap_or_default();
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    println!("cargo:rustc-env=RESTRIDE_PERF_RUSTC={}", version.trim());
    println!(
        "cargo:rustc-env=RESTRIDE_PERF_FLAGS={}",
        flags.replace('\x1f', " ")
    );
    println!("cargo:rerun-if-changed=build.rs");
}
