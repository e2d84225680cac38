//! Numbers as people read them: three digits and a unit.

/// Nanoseconds, as ns, us, ms or s.
pub(crate) fn time(ns: f64) -> String {
    scaled(ns, 1000.0, &["ns", "us", "ms", "s"])
}

/// Bytes, decimal: 1 MB is 10^6 bytes.
pub(crate) fn bytes(bytes: usize) -> String {
    scaled(bytes as f64, 1000.0, &["B", "kB", "MB", "GB", "TB"])
}

/// Bytes of a cache or a memory, binary.
pub(crate) fn binary(bytes: u64) -> String {
    scaled(bytes as f64, 1024.0, &["B", "KiB", "MiB", "GiB", "TiB"])
}

/// A ratio, to two decimals; a dash where there is none.
pub(crate) fn ratio(ratio: Option<f64>) -> String {
    ratio.map_or_else(|| "-".into(), |ratio| format!("{ratio:.2}"))
}

/// A number of threads.
pub(crate) fn threads(threads: usize) -> String {
    match threads {
        1 => "1 thread".into(),
        n => format!("{n} threads"),
    }
}

/// Three significant digits, or more where they stand before the point.
pub(crate) fn digits(value: f64) -> String {
    match value {
        v if v >= 99.95 => format!("{v:.0}"),
        v if v >= 9.995 => format!("{v:.1}"),
        v => format!("{v:.2}"),
    }
}

fn scaled(mut value: f64, step: f64, units: &[&str]) -> String {
    let mut unit = 0;
    while value >= step - 0.5 && unit + 1 < units.len() {
        value /= step;
        unit += 1;
    }
    // Counts are not rounded.
    if value.fract() == 0.0 {
        format!("{value:.0} {}", units[unit])
    } else {
        format!("{} {}", digits(value), units[unit])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_digits_and_a_unit() {
        assert_eq!(time(2.345), "2.35 ns");
        assert_eq!(time(12_345.0), "12.3 us");
        assert_eq!(time(999_999.0), "1.00 ms");
        assert_eq!(time(1.5e12), "1500 s");
        assert_eq!(bytes(128), "128 B");
        assert_eq!(bytes(134_217_728), "134 MB");
        assert_eq!(binary(49_152), "48 KiB");
        assert_eq!(binary(2 << 20), "2 MiB");
        assert_eq!(ratio(Some(0.904)), "0.90");
        assert_eq!(ratio(None), "-");
    }
}
