//! Describes the machine that a copy would run on.
//!
//! `restride-perf env` prints what planning knows of it: tiers, caches, threads and assumed costs.

use std::process::ExitCode;

use restride::{Isa, Machine};

fn main() -> ExitCode {
    match std::env::args().nth(1).as_deref() {
        None | Some("env") => environment(),
        Some(other) => {
            eprintln!("restride-perf: unknown command {other:?}; there is `env`");
            ExitCode::from(2)
        }
    }
}

fn environment() -> ExitCode {
    let machine = match Machine::host() {
        Ok(machine) => machine,
        Err(error) => {
            eprintln!("restride-perf: {error}");
            return ExitCode::FAILURE;
        }
    };
    let facts = machine.facts();
    let tiers: Vec<_> = Isa::ALL
        .iter()
        .filter(|&&isa| isa <= facts.isa)
        .map(|isa| isa.name())
        .collect();
    let kib = |bytes: usize| format!("{} KiB", bytes >> 10);
    println!("isa      {}", tiers.join(" "));
    println!("line     {} B", facts.caches.line);
    println!("l1 data  {}", kib(facts.caches.l1));
    println!("l2       {}", kib(facts.caches.l2));
    println!("l3       {}", kib(facts.caches.l3));
    println!("threads  {}", facts.workers);
    println!(
        "section  {} ns warm, {} ns cold (assumed)",
        facts.costs.warm_section_ns, facts.costs.cold_section_ns
    );
    println!(
        "rate     {} B/us per thread out of the caches (assumed)",
        facts.costs.bytes_per_us
    );
    println!(
        "target   {}-{}",
        std::env::consts::ARCH,
        std::env::consts::OS
    );
    ExitCode::SUCCESS
}
