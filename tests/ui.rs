//! Programs that must not compile. What the compiler says is compared with the `.stderr` files,
//! which hold the words of one version of it; with another one this is skipped, and says so.

use std::process::Command;

/// The compiler whose words the files hold.
const WORDS_OF: &str = "rustc 1.95.";

#[test]
fn programs_that_must_not_compile() {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = Command::new(rustc)
        .arg("--version")
        .output()
        .expect("rustc runs")
        .stdout;
    let version = String::from_utf8_lossy(&version);
    if !version.starts_with(WORDS_OF) {
        println!("skipped: 7 programs that must not compile: {WORDS_OF} wanted, this is {version}");
        return;
    }
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}
