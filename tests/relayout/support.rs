//! The binary, `.npy` files without a library, and the oracle.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::LazyLock;
use std::time::SystemTime;

/// The example, beside this test: `target/<profile>/examples/relayout`. `cargo test` builds both;
/// `cargo test --test relayout` leaves the example as it was, so it may be missing or out of date.
static BINARY: LazyLock<PathBuf> = LazyLock::new(|| {
    let test = std::env::current_exe().unwrap(); // target/<profile>/deps/relayout-<hash>
    let built = test.parent().unwrap().parent().unwrap();
    let binary = built.join(format!("examples/relayout{}", std::env::consts::EXE_SUFFIX));
    let sources =
        ["examples/relayout", "src", "kernels"].map(|folder| newest(&root().join(folder)));
    if !binary.exists() || sources.into_iter().any(|changed| changed > newest(&binary)) {
        let profile = match built.file_name().and_then(OsStr::to_str).unwrap() {
            "debug" => "dev",
            other => other,
        };
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args([
            "build",
            "--quiet",
            "--example",
            "relayout",
            "--profile",
            profile,
        ]);
        if !cfg!(feature = "rayon") {
            cargo.arg("--no-default-features");
        }
        let status = cargo
            .arg("--manifest-path")
            .arg(root().join("Cargo.toml"))
            .status();
        assert!(status.unwrap().success(), "cargo build --example relayout");
    }
    binary
});

/// When `path`, or the youngest file in it, was last written.
fn newest(path: &Path) -> Option<SystemTime> {
    let written = fs::metadata(path).and_then(|found| found.modified()).ok();
    let inside = fs::read_dir(path).into_iter().flatten().flatten();
    inside
        .map(|entry| newest(&entry.path()))
        .fold(written, Option::max)
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

pub(crate) fn binary() -> &'static Path {
    &BINARY
}

/// A fixture of the repository.
pub(crate) fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(name)
}

/// Runs `relayout IN OUT options..`.
pub(crate) fn run(input: &Path, output: &Path, options: &[&str]) -> Output {
    Command::new(binary())
        .arg(input)
        .arg(output)
        .args(options)
        .output()
        .unwrap()
}

/// Runs it, insists on success and a report of one line, and reads OUT.
pub(crate) fn relayout(input: &Path, output: &Path, options: &[&str]) -> Array {
    let run = run(input, output, options);
    let stderr = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{options:?}: {stderr}");
    assert_eq!(stderr, "", "{options:?}");
    let report = String::from_utf8(run.stdout).unwrap();
    assert_eq!(report.lines().count(), 1, "{report}");
    assert!(
        report.contains("read + written") && report.trim_end().ends_with("GB/s"),
        "{report}"
    );
    Array::read(output)
}

/// An array as a `.npy` file holds it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Array {
    pub(crate) descr: String,
    pub(crate) fortran: bool,
    pub(crate) shape: Vec<usize>,
    pub(crate) payload: Vec<u8>,
}

impl Array {
    /// Elements of `size` bytes, no two alike for as long as `size` allows.
    pub(crate) fn numbered(descr: &str, size: usize, shape: &[usize], fortran: bool) -> Self {
        let count: usize = shape.iter().product();
        let byte = |at: usize| ((at / size).wrapping_mul(37 + at % size * 101) >> (at % 2)) as u8;
        let payload = (0..count * size).map(byte).collect();
        Array {
            descr: descr.into(),
            fortran,
            shape: shape.into(),
            payload,
        }
    }

    /// The file as NumPy lays it out.
    pub(crate) fn to_file(&self) -> Vec<u8> {
        let extents: String = self
            .shape
            .iter()
            .map(|extent| format!("{extent},"))
            .collect();
        let fortran = if self.fortran { "True" } else { "False" };
        let header = format!(
            "{{'descr': {}, 'fortran_order': {fortran}, 'shape': ({extents}), }}",
            self.descr,
        );
        [file_with_header(&header), self.payload.clone()].concat()
    }

    pub(crate) fn write(&self, path: &Path) {
        fs::write(path, self.to_file()).unwrap();
    }

    /// Reads what `relayout` or NumPy wrote, and what every reader may rely on: the length, the
    /// alignment of the payload and the end of the header.
    pub(crate) fn read(path: &Path) -> Self {
        let file = fs::read(path).unwrap();
        assert_eq!(&file[..8], b"\x93NUMPY\x01\x00", "{path:?}");
        let start = 10 + usize::from(u16::from_le_bytes([file[8], file[9]]));
        assert_eq!((start % 64, file[start - 1]), (0, b'\n'), "{path:?}");

        let header = std::str::from_utf8(&file[10..start]).unwrap();
        let (_, header) = header.split_once("'descr': ").unwrap();
        let (descr, header) = header.split_once(", 'fortran_order': ").unwrap();
        let (fortran, header) = header.split_once(", 'shape': (").unwrap();
        let (extents, _) = header.split_once(')').unwrap();
        let extents = extents
            .split(',')
            .map(str::trim)
            .filter(|extent| !extent.is_empty());
        Array {
            descr: descr.replace(", ]", "]"), // a trailing comma means nothing in Python
            fortran: fortran == "True",
            shape: extents.map(|extent| extent.parse().unwrap()).collect(),
            payload: file[start..].to_vec(),
        }
    }

    /// The oracle: an array of `shape` whose element at `index` is this array's at `from(index)`.
    pub(crate) fn gather(
        &self,
        shape: &[usize],
        fortran: bool,
        from: impl Fn(&[usize]) -> Vec<usize>,
    ) -> Self {
        let count: usize = shape.iter().product();
        let size = self.payload.len() / self.shape.iter().product::<usize>().max(1);
        let mut payload = Vec::new();
        for position in 0..count {
            let place = place(
                &self.shape,
                self.fortran,
                &from(&index(shape, fortran, position)),
            );
            payload.extend_from_slice(&self.payload[place * size..][..size]);
        }
        Array {
            descr: self.descr.clone(),
            fortran,
            shape: shape.into(),
            payload,
        }
    }
}

/// Magic, version 1.0, length, `header`, blanks up to a multiple of 64 bytes.
pub(crate) fn file_with_header(header: &str) -> Vec<u8> {
    let padded = (10 + header.len() + 1).next_multiple_of(64) - 10;
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend(u16::try_from(padded).unwrap().to_le_bytes());
    file.extend(format!("{header:<width$}\n", width = padded - 1).into_bytes());
    file
}

/// Which element of a file stands at `index`.
fn place(shape: &[usize], fortran: bool, index: &[usize]) -> usize {
    assert_eq!(shape.len(), index.len());
    let fold = |place: usize, axis: usize| place * shape[axis] + index[axis];
    let axes = 0..shape.len();
    if fortran {
        axes.rev().fold(0, fold)
    } else {
        axes.fold(0, fold)
    }
}

/// The index of the element at `position` of a file: the inverse of `place`.
fn index(shape: &[usize], fortran: bool, mut position: usize) -> Vec<usize> {
    let mut index = vec![0; shape.len()];
    let mut digit = |axis: usize| {
        index[axis] = position % shape[axis];
        position /= shape[axis];
    };
    let axes = 0..shape.len();
    if fortran {
        axes.for_each(&mut digit)
    } else {
        axes.rev().for_each(&mut digit)
    }
    index
}
