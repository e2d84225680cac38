//! `.npy` files: a short header (magic, version, length, a Python dictionary), then the elements.
//!
//! The crate `npyz` reads and writes the dictionary. The elements are never looked at: they are
//! read in one piece, straight into the buffer the copy reads from, and written in one piece.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::Path;

use npyz::{DType, NpyHeader, WriteOptions, WriterBuilder};
use restride::Layout;

use crate::cli::Order;
use crate::{Result, guard};

/// The longest dictionary NumPy reads without being told to trust the file.
const MAX_DICTIONARY: u32 = 10_000;

/// An array as a file holds it.
pub(crate) struct Source {
    pub(crate) dtype: DType,
    pub(crate) item_bytes: usize,
    pub(crate) layout: Layout,
    /// `layout.len() * item_bytes` bytes.
    pub(crate) payload: Vec<u8>,
}

/// Reads the array in `path`.
pub(crate) fn read(path: &Path) -> Result<Source> {
    read_array(path).map_err(|e| format!("{}: {e}", path.display()).into())
}

fn read_array(path: &Path) -> Result<Source> {
    if !fs::metadata(path)?.is_file() {
        return Err("not a regular file".into());
    }
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();

    let (header, start) = read_header(&mut file, length)?;
    let dtype = header.dtype();
    if dtype.uses_pickled_array() {
        return Err("the dtype holds Python objects, which have no fixed size".into());
    }
    let item_bytes = dtype.num_bytes().ok_or("the dtype has no fixed size")?;

    let shape: Vec<usize> = header
        .shape()
        .iter()
        .map(|&extent| usize::try_from(extent))
        .collect::<Result<_, _>>()?;
    let layout = match header.order() {
        npyz::Order::C => Layout::row_major(&shape)?,
        npyz::Order::Fortran => Layout::column_major(&shape)?,
    };

    // Compared with the file before anything of that size is allocated.
    let expected = addressable(&shape, item_bytes).ok_or("the array is too large to address")?;
    let present = length - start;
    if present < expected as u64 {
        return Err(
            format!("truncated: {expected} bytes of data expected, {present} found").into(),
        );
    }
    let mut payload = buffer(expected)?;
    if file.take(expected as u64).read_to_end(&mut payload)? < expected {
        return Err("truncated while it was read".into());
    }
    Ok(Source {
        dtype,
        item_bytes,
        layout,
        payload,
    })
}

/// The header of a file of `length` bytes, and where the elements start.
fn read_header(mut file: impl Read, length: u64) -> Result<(NpyHeader, u64)> {
    let mut start = Vec::new();
    file.by_ref().take(8).read_to_end(&mut start)?;
    let [0x93, b'N', b'U', b'M', b'P', b'Y', major, minor] = start[..] else {
        return Err("not a .npy file".into());
    };
    let digits = if major == 1 { 2 } else { 4 };
    let mut size = [0; 4];
    file.read_exact(&mut size[..digits])
        .map_err(|_| "truncated inside the header")?;
    let size = u32::from_le_bytes(size);
    let start = (8 + digits) as u64 + u64::from(size);
    if size > MAX_DICTIONARY {
        return Err(format!("a header of {size} bytes; {MAX_DICTIONARY} is the limit").into());
    }
    if length < start {
        return Err("truncated inside the header".into());
    }

    let mut text = Vec::new();
    file.take(size.into()).read_to_end(&mut text)?;
    match (major, minor) {
        // Latin-1, each byte a character. npyz expects UTF-8, which version 3 is.
        (1 | 2, 0) => {
            text = text
                .into_iter()
                .map(char::from)
                .collect::<String>()
                .into_bytes()
        }
        (3, 0) => {}
        _ => return Err(format!("version {major}.{minor} of the format is unknown").into()),
    }
    let header = parse(&text).map_err(|e| format!("header not understood: {e}"))?;
    Ok((header, start))
}

/// The header whose dictionary is `text`, in UTF-8.
fn parse(text: &[u8]) -> Result<NpyHeader, String> {
    guard::check(text)?;
    let size = (text.len() as u32).to_le_bytes();
    let header = [b"\x93NUMPY\x03\x00", &size[..], text].concat();
    // A parser may go on to quote the header; where it stopped stands in its first line.
    let first_line = |e: std::io::Error| e.to_string().lines().next().unwrap_or_default().into();
    NpyHeader::from_reader(&header[..]).map_err(first_line)
}

/// The bytes of an array, if they and all strides can be addressed.
fn addressable(shape: &[usize], item_bytes: usize) -> Option<usize> {
    let spanned = shape
        .iter()
        .try_fold(item_bytes, |n, &extent| n.checked_mul(extent.max(1)))?;
    isize::try_from(spanned).ok()?;
    Some(if shape.contains(&0) { 0 } else { spanned })
}

/// Room for `bytes` bytes, uninitialised.
pub(crate) fn buffer(bytes: usize) -> Result<Vec<u8>> {
    let mut buffer = Vec::new();
    buffer
        .try_reserve_exact(bytes)
        .map_err(|_| format!("no memory for {bytes} bytes"))?;
    Ok(buffer)
}

/// Writes an array to `path`: complete, or not at all.
pub(crate) fn write(
    path: &Path,
    dtype: &DType,
    shape: &[usize],
    order: Order,
    payload: &[u8],
) -> Result<()> {
    let mut header = Vec::new();
    WriteOptions::new_header_only()
        .dtype(dtype.clone())
        .shape(
            &shape
                .iter()
                .map(|&extent| extent as u64)
                .collect::<Vec<_>>(),
        )
        .order(match order {
            Order::C => npyz::Order::C,
            Order::F => npyz::Order::Fortran,
        })
        .writer(&mut header)
        .write_header_only()?;
    replace(path, &[&header, payload]).map_err(|e| format!("{}: {e}", path.display()).into())
}

/// Fills a temporary file beside `path` and renames it. On any error the temporary file goes and
/// `path` is as it was. A link stays a link, an existing file keeps its permissions.
fn replace(path: &Path, pieces: &[&[u8]]) -> Result<()> {
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let existing = fs::metadata(&target).ok();
    match &existing {
        Some(found) if !found.is_file() => return Err("exists and is not a regular file".into()),
        Some(found) if found.permissions().readonly() => return Err("is read-only".into()),
        _ => {}
    }
    let folder = match target.parent().ok_or("not the name of a file")? {
        here if here.as_os_str().is_empty() => Path::new("."),
        folder => folder,
    };

    let mut builder = tempfile::Builder::new();
    builder.prefix(".relayout-");
    #[cfg(unix)] // what a new file gets, not the 0600 of a temporary one
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.tempfile_in(folder)?;
    if let Some(existing) = existing {
        file.as_file().set_permissions(existing.permissions())?;
    }
    for piece in pieces {
        file.as_file_mut().write_all(piece)?;
    }
    file.persist(&target).map_err(|e| e.error)?;
    Ok(())
}
