//! Where OUT cannot be written: one line on stderr, an exit code above 0, no half of a file.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::folder::Folder;
use crate::support::{Array, binary, data, run};

#[test]
fn targets_that_cannot_be_written() {
    let folder = Folder::new();
    let input = data("photo.npy");
    let refuses = |words: &str, out: &Path| folder.refuses(1, words, || run(&input, out, &[]));
    refuses("No such file", &folder.join("no folder/out.npy"));
    refuses("", &folder.file("file", b"no folder").join("out.npy"));
    refuses("not a regular file", folder.dir.path());
    let nameless = || run(&input, Path::new(""), &[]);
    folder.refuses(2, "a value is required for '<OUT>'", nameless);

    let kept = folder.file("read-only.npy", b"kept");
    let mut permissions = fs::metadata(&kept).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&kept, permissions).unwrap();
    refuses("read-only", &kept);
    assert_eq!(fs::read(&kept).unwrap(), b"kept");
}

#[cfg(unix)]
#[test]
fn pipes_and_closed_folders() {
    use std::os::unix::fs::PermissionsExt;

    let folder = Folder::new();
    let pipe = folder.join("pipe");
    assert!(
        Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    folder.refuses(1, "not a regular file", || {
        run(&pipe, &folder.join("out.npy"), &[])
    });
    folder.refuses(1, "not a regular file", || {
        run(&data("photo.npy"), &pipe, &[])
    });

    let closed = folder.join("closed");
    fs::create_dir(&closed).unwrap();
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o555)).unwrap();
    if fs::write(closed.join("probe"), "").is_ok() {
        eprintln!("skipped: this user may write to any folder");
        return;
    }
    let out = closed.join("out.npy");
    folder.refuses(1, "Permission denied", || {
        run(&data("photo.npy"), &out, &[])
    });
}

/// A target that fills up: no file may grow beyond one block, so a write fails half-way.
#[cfg(unix)]
#[test]
fn a_full_target_leaves_nothing_and_the_old_file_alone() {
    let folder = Folder::new();
    let fill = |out: &Path| {
        Command::new("sh")
            .args(["-c", "trap '' XFSZ; ulimit -f 1; exec \"$@\"", "sh"])
            .arg(binary())
            .args([&data("photo.npy"), out])
            .output()
            .unwrap()
    };
    let out = folder.join("out.npy");
    folder.refuses(1, "out.npy: File too large", || fill(&out));

    let old = Array::numbered("'|u1'", 1, &[3], false);
    old.write(&out);
    folder.refuses(1, "out.npy: File too large", || fill(&out));
    assert_eq!(Array::read(&out), old);
}

/// The array arrives even if nobody can be told.
#[cfg(target_os = "linux")]
#[test]
fn a_report_that_cannot_be_written() {
    let folder = Folder::new();
    let out = folder.file("out.npy", b"old");
    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    folder.refuses(
        1,
        "out.npy is written, its report is not: No space left",
        || {
            let mut relayout = Command::new(binary());
            relayout
                .args([&data("corner.npy"), &out])
                .stdout(full)
                .output()
                .unwrap()
        },
    );
    assert_eq!(Array::read(&out), Array::read(&data("corner.npy")));
}
