//! Hands the versions and flags of the compilers and of the crates that restride is measured against
//! to the program, whose reports name them.

use std::env;
use std::fs;
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
    let cxx_flags = env::var("CXXFLAGS").unwrap_or_default();
    println!("cargo:rustc-env=RESTRIDE_PERF_CXXFLAGS={cxx_flags}");
    let lock = fs::read_to_string(LOCK).unwrap_or_default();
    for name in PEERS {
        let variable = name.replace('-', "_").to_uppercase();
        let version = locked(&lock, name).unwrap_or_default();
        println!("cargo:rustc-env=RESTRIDE_PERF_{variable}={version}");
    }
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed={LOCK}");
    println!("cargo:rerun-if-env-changed=CXXFLAGS");
}

const LOCK: &str = "../Cargo.lock";

/// Crates whose versions stand in reports.
const PEERS: &[&str] = &[
    "candle-core",
    "fast_transpose",
    "hptt",
    "ndarray",
    "rten-tensor",
    "strided-kernel",
    "strided-perm",
    "transpose",
];

/// The version of a package in a lock file: of the last, where there are several.
fn locked<'a>(lock: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = lock.rsplit_once(&format!("name = \"{name}\"\nversion = \""))?;
    rest.split('"').next()
}
