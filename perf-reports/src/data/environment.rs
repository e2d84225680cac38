//! Where a measurement was made: the machine, the system, the compiler, the commit. Without it a
//! number means nothing, so every report begins with it.

use std::collections::HashSet;
use std::env::consts;
use std::fs;
use std::path::Path;
use std::process::Command;

use restride::{Isa, Machine};
use restride_kernels::Cores;
use serde::{Deserialize, Serialize};

use super::date;
use crate::failure::Failure;
use crate::units::binary;

/// Everything known of the surroundings. What could not be found out is `None`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Environment {
    /// Day of the measurement, UTC: 2025-01-31.
    pub(crate) date: String,
    /// The commit the working tree is at, abbreviated; `nogit` without one.
    pub(crate) commit: String,
    /// Whether tracked files differ from the commit.
    pub(crate) dirty: bool,
    /// The CPU as it calls itself, with family and model if that names no model, as in virtual machines.
    pub(crate) cpu: String,
    /// Architecture and operating system.
    pub(crate) target: String,
    /// Tiers that plans may use, lowest first.
    pub(crate) isa: Vec<String>,
    /// The cores whose choices kernels take; older measurements do not say.
    pub(crate) choices: Option<String>,
    /// Threads that can run at the same time.
    pub(crate) threads: usize,
    /// Cores that these threads run on, where the system says.
    pub(crate) cores: Option<usize>,
    /// Bytes of a line, and of the caches that one core sees.
    pub(crate) caches: Caches,
    /// Bytes of memory.
    pub(crate) memory: Option<u64>,
    /// Bytes of the smallest page.
    pub(crate) page: Option<usize>,
    /// When the system hands out transparent huge pages: always, madvise, never.
    pub(crate) huge_pages: Option<String>,
    /// What sets the clock: performance, powersave ..
    pub(crate) governor: Option<String>,
    /// Whether a hypervisor says that it is there.
    pub(crate) virtualised: Option<bool>,
    /// Load average of the last minute when this was looked up.
    pub(crate) load: Option<f64>,
    /// Whether threads can be bound to cores.
    pub(crate) can_pin: bool,
    /// The release of the kernel.
    pub(crate) kernel: Option<String>,
    /// The C library, whose memcpy is a yardstick.
    pub(crate) libc: Option<String>,
    /// The compiler.
    pub(crate) compiler: String,
    /// Flags beyond those of the profile.
    pub(crate) flags: String,
    /// Whether it was built with optimisation.
    pub(crate) optimised: bool,
    /// What plans assume of costs.
    pub(crate) assumed: Assumed,
}

/// Bytes of a line and of the caches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Caches {
    pub(crate) line: usize,
    pub(crate) l1: usize,
    pub(crate) l2: usize,
    pub(crate) l3: usize,
}

/// What plans assume of costs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Assumed {
    /// Nanoseconds of a parallel section entered from inside the pool.
    pub(crate) warm_section_ns: u64,
    /// The same from outside, workers asleep.
    pub(crate) cold_section_ns: u64,
    /// Bytes that a thread moves in a microsecond out of the caches.
    pub(crate) bytes_per_us: u64,
}

impl Environment {
    /// Looks everything up. `tree` is a folder of the working tree.
    ///
    /// # Errors
    /// [`Failure::Usage`] if `RESTRIDE_ISA` names what this machine does not have.
    pub(crate) fn detect(tree: &Path) -> Result<Self, Failure> {
        let facts = Machine::host()?.facts();
        let tiers = Isa::ALL.iter().filter(|&&isa| isa <= facts.isa);
        let cpuinfo = read("/proc/cpuinfo");
        let git = |args: &[&str]| git(tree, args);
        Ok(Self {
            date: date::today(),
            commit: git(&["rev-parse", "--short", "HEAD"]).unwrap_or_else(|| "nogit".into()),
            dirty: git(&["status", "--porcelain", "--untracked-files=no"])
                .is_some_and(|changes| !changes.is_empty()),
            cpu: cpu(cpuinfo.as_deref()).unwrap_or_else(|| format!("unknown {} CPU", consts::ARCH)),
            target: format!("{}-{}", consts::ARCH, consts::OS),
            isa: tiers.map(|isa| isa.name().into()).collect(),
            choices: Some(Cores::here().name().into()),
            threads: facts.workers,
            cores: cores(cpuinfo.as_deref()),
            caches: Caches {
                line: facts.caches.line,
                l1: facts.caches.l1,
                l2: facts.caches.l2,
                l3: facts.caches.l3,
            },
            memory: field(read("/proc/meminfo").as_deref(), "MemTotal")
                .and_then(|text| text.strip_suffix(" kB")?.parse().ok())
                .map(|kib: u64| kib * 1024),
            page: page(),
            huge_pages: read("/sys/kernel/mm/transparent_hugepage/enabled")
                .and_then(|modes| Some(modes.split_once('[')?.1.split_once(']')?.0.into())),
            governor: read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
                .map(|text| text.trim().into()),
            virtualised: field(cpuinfo.as_deref(), "flags")
                .map(|flags| flags.split(' ').any(|flag| flag == "hypervisor")),
            load: read("/proc/loadavg").and_then(|text| text.split(' ').next()?.parse().ok()),
            can_pin: core_affinity::get_core_ids().is_some_and(|ids| !ids.is_empty()),
            kernel: read("/proc/sys/kernel/osrelease").map(|text| text.trim().into()),
            libc: c_library(),
            compiler: env!("RESTRIDE_PERF_RUSTC").into(),
            flags: env!("RESTRIDE_PERF_FLAGS").into(),
            optimised: !cfg!(debug_assertions),
            assumed: Assumed {
                warm_section_ns: facts.costs.warm_section_ns,
                cold_section_ns: facts.costs.cold_section_ns,
                bytes_per_us: facts.costs.bytes_per_us,
            },
        })
    }

    /// The machine, as far as measurements of one may be compared with those of another.
    pub(crate) fn machine(&self) -> String {
        format!("{}, {} threads, {}", self.cpu, self.threads, self.target)
    }

    /// The commit, with `-dirty` where tracked files differ from it.
    pub(crate) fn revision(&self) -> String {
        format!("{}{}", self.commit, if self.dirty { "-dirty" } else { "" })
    }

    /// What reports are filed under: date, CPU and commit.
    pub(crate) fn folder_name(&self) -> String {
        format!("{}_{}_{}", self.date, slug(&self.cpu), self.revision())
    }

    /// Name and value of everything, for people.
    pub(crate) fn lines(&self) -> Vec<(&'static str, String)> {
        let size = |bytes: usize| binary(bytes as u64);
        let unknown = || String::from("unknown");
        let Assumed {
            warm_section_ns,
            cold_section_ns,
            bytes_per_us,
        } = self.assumed;
        let flags = if self.flags.is_empty() {
            ""
        } else {
            ", flags "
        };
        let built = if self.optimised {
            ""
        } else {
            ", not optimised"
        };
        let mut lines = vec![
            ("isa", self.isa.join(" ")),
            ("cpu", self.cpu.clone()),
            (
                "threads",
                self.cores.map_or_else(
                    || self.threads.to_string(),
                    |cores| format!("{} on {cores} cores", self.threads),
                ),
            ),
            ("line", format!("{} B", self.caches.line)),
            ("l1 data", size(self.caches.l1)),
            ("l2", size(self.caches.l2)),
            ("l3", size(self.caches.l3)),
            ("memory", self.memory.map_or_else(unknown, binary)),
            (
                "page",
                self.page.map_or_else(unknown, |bytes| format!("{bytes} B")),
            ),
            ("huge", self.huge_pages.clone().unwrap_or_else(unknown)),
            (
                "virtual",
                self.virtualised
                    .map_or_else(unknown, |is| if is { "yes" } else { "no" }.into()),
            ),
            ("governor", self.governor.clone().unwrap_or_else(unknown)),
            (
                "pinning",
                if self.can_pin {
                    "possible"
                } else {
                    "impossible"
                }
                .into(),
            ),
            ("target", self.target.clone()),
            ("kernel", self.kernel.clone().unwrap_or_else(unknown)),
            ("libc", self.libc.clone().unwrap_or_else(unknown)),
            (
                "load",
                self.load.map_or_else(unknown, |load| format!("{load:.2}")),
            ),
            (
                "compiler",
                format!("{}{flags}{}{built}", self.compiler, self.flags),
            ),
            ("commit", self.revision()),
            (
                "section",
                format!("{warm_section_ns} ns warm, {cold_section_ns} ns cold (assumed)"),
            ),
            (
                "rate",
                format!("{bytes_per_us} B/us per thread out of the caches (assumed)"),
            ),
        ];
        if let Some(choices) = &self.choices {
            lines.insert(1, ("choices", choices.clone()));
        }
        lines
    }
}

/// Letters and digits of a CPU's name, for a folder: without marks and clock rates.
fn slug(cpu: &str) -> String {
    let name = cpu.split('@').next().unwrap_or_default();
    let name = name.replace("(R)", "").replace("(TM)", "").to_lowercase();
    let words = name.split(|c: char| !c.is_ascii_alphanumeric());
    let words: Vec<_> = words
        .filter(|word| !word.is_empty() && *word != "cpu")
        .collect();
    words.join("-")
}

/// The CPU's name, which two CPUs that are not alike do not share.
fn cpu(cpuinfo: Option<&str>) -> Option<String> {
    let name = field(cpuinfo, "model name")?;
    if name.contains(|c: char| c.is_ascii_digit()) {
        return Some(name);
    }
    Some(
        match (field(cpuinfo, "cpu family"), field(cpuinfo, "model")) {
            (Some(family), Some(model)) => format!("{name} (family {family}, model {model})"),
            _ => name,
        },
    )
}

/// The value of the first line `name : value`.
fn field(text: Option<&str>, name: &str) -> Option<String> {
    let lines = text?.lines().filter_map(|line| line.split_once(':'));
    let mut named = lines.filter(|(key, _)| key.trim() == name);
    named.next().map(|(_, value)| value.trim().into())
}

fn read(path: &str) -> Option<String> {
    fs::read_to_string(path).ok()
}

/// What git answers, trimmed; none if it fails or is not there.
fn git(tree: &Path, args: &[&str]) -> Option<String> {
    let output = Command::new("git")
        .arg("-C")
        .arg(tree)
        .args(args)
        .output()
        .ok()?;
    let answer = output.status.success().then_some(output.stdout)?;
    Some(String::from_utf8(answer).ok()?.trim().into())
}

/// The cores that the CPUs of this machine are on.
fn cores(cpuinfo: Option<&str>) -> Option<usize> {
    let mut cores = HashSet::new();
    for cpu in cpuinfo?.split("\n\n").filter(|cpu| !cpu.trim().is_empty()) {
        let socket = field(Some(cpu), "physical id");
        cores.insert((socket, field(Some(cpu), "core id")?));
    }
    (!cores.is_empty()).then_some(cores.len())
}

fn page() -> Option<usize> {
    #[cfg(unix)]
    {
        // SAFETY: takes a constant and returns a number.
        usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).ok()
    }
    #[cfg(not(unix))]
    None
}

fn c_library() -> Option<String> {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        // SAFETY: takes nothing and returns a static string that ends with a 0.
        let version = unsafe { std::ffi::CStr::from_ptr(libc::gnu_get_libc_version()) };
        Some(format!("glibc {}", version.to_str().ok()?))
    }
    #[cfg(not(all(target_os = "linux", target_env = "gnu")))]
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slugs_are_folder_names() {
        assert_eq!(slug("Intel(R) Xeon(R) Processor"), "intel-xeon-processor");
        let core = "Intel(R) Core(TM) i7-8550U CPU @ 1.80GHz";
        assert_eq!(slug(core), "intel-core-i7-8550u");
        assert_eq!(slug("AMD EPYC 9R14"), "amd-epyc-9r14");
        assert_eq!(
            slug("AMD EPYC (family 26, model 2)"),
            "amd-epyc-family-26-model-2"
        );
    }

    #[test]
    fn fields_of_proc_files() {
        let text = "processor\t: 0\nmodel name\t: A CPU: fast\nmodel name\t: B\n";
        assert_eq!(
            field(Some(text), "model name").as_deref(),
            Some("A CPU: fast")
        );
        assert_eq!(field(Some(text), "model"), None);
    }

    #[test]
    fn names_without_a_model_are_told_apart() {
        let named = |name| format!("cpu family\t: 26\nmodel\t\t: 2\nmodel name\t: {name}\n");
        let told = |name| cpu(Some(&named(name)));
        assert_eq!(
            told("AMD EPYC").as_deref(),
            Some("AMD EPYC (family 26, model 2)")
        );
        assert_eq!(told("AMD EPYC 9R14").as_deref(), Some("AMD EPYC 9R14"));
        assert_eq!(cpu(Some("model name : Any\n")).as_deref(), Some("Any"));
        assert_eq!(cpu(Some("processor : 0\n")), None);
    }

    #[test]
    fn cores_are_counted_once() {
        let cpu = |socket, core| format!("physical id : {socket}\ncore id : {core}\n\n");
        let two_on_a_core = [cpu(0, 0), cpu(0, 0), cpu(1, 0)].concat();
        assert_eq!(cores(Some(&two_on_a_core)), Some(2));
        assert_eq!(cores(Some("processor : 0\n")), None);
    }

    #[test]
    fn this_machine_has_a_description() {
        let here = Environment::detect(Path::new("/nowhere")).unwrap();
        assert_eq!(
            (here.revision().as_str(), here.isa[0].as_str()),
            ("nogit", "scalar")
        );
        assert!(here.lines().iter().all(|(_, value)| !value.contains('\n')));
    }
}
