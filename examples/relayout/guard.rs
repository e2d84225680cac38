//! What the text of a header must look like before a parser sees it.
//!
//! The header of a `.npy` file is a Python literal, so a hostile or broken one can nest brackets until
//! a recursive parser runs out of stack or of time, or promise more elements than can be counted. One
//! pass over the text refuses both. It knows no more of Python than strings, brackets and integers.

/// `{ [( [( ... )] )] }`: enough for structured dtypes five deep.
const MAX_DEPTH: usize = 12;

/// Refuses a text that NumPy would not have written, and a shape too large to count.
pub(crate) fn check(text: &[u8]) -> Result<(), &'static str> {
    let mut depth = 0_usize;
    let mut dictionaries = 0;
    let mut elements = 1_u64;
    let mut rest = text;
    while let [first, tail @ ..] = rest {
        rest = match first {
            b'\'' | b'"' => after_string(*first, tail)?,
            b'(' | b'[' | b'{' => {
                depth += 1;
                dictionaries += usize::from(*first == b'{');
                if depth > MAX_DEPTH || dictionaries > 1 {
                    return Err("its brackets are nested too deeply");
                }
                tail
            }
            b')' | b']' | b'}' => {
                depth = depth.checked_sub(1).ok_or("its brackets do not match")?;
                tail
            }
            b'0'..=b'9' => {
                let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
                let (digits, after) = rest.split_at(digits);
                // The integers directly inside `{'shape': (..)}` are the extents of the array.
                if depth == 2 {
                    elements = times(elements, digits)
                        .ok_or("its shape has more elements than can be addressed")?;
                }
                after
            }
            b'-' => return Err("it holds a negative number"),
            b',' | b':' | b' ' | b'\n' => tail,
            letter if letter.is_ascii_alphabetic() => tail,
            _ => return Err("it is not a Python dictionary"),
        };
    }
    if depth == 0 {
        Ok(())
    } else {
        Err("its brackets do not match")
    }
}

/// `elements` times the extent written in `digits`, 0 counted as 1; nothing beyond `isize::MAX`.
fn times(elements: u64, digits: &[u8]) -> Option<u64> {
    let extent: u64 = std::str::from_utf8(digits).ok()?.parse().ok()?;
    elements
        .checked_mul(extent.max(1))
        .filter(|&elements| elements <= isize::MAX as u64)
}

/// What follows the string that `quote` has opened.
fn after_string(quote: u8, text: &[u8]) -> Result<&[u8], &'static str> {
    if text.starts_with(&[quote, quote]) {
        return Err("it holds a long string"); // ''' or """
    }
    let mut escaped = false;
    for (at, &byte) in text.iter().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            _ if byte == quote => return Ok(&text[at + 1..]),
            _ => {}
        }
    }
    Err("a string in it does not end")
}
