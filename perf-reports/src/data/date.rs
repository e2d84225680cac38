//! Today's date, from the system's clock: all that a report needs of a calendar.

use std::time::{SystemTime, UNIX_EPOCH};

/// The day in UTC, as 2025-01-31.
pub(crate) fn today() -> String {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    of_day(since.as_secs() / 86_400)
}

/// The day that is `days` after 1970-01-01.
fn of_day(days: u64) -> String {
    let is_leap = |year: u64| {
        year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
    };
    let (mut year, mut days) = (1970, days);
    loop {
        let length = if is_leap(year) { 366 } else { 365 };
        if days < length {
            break;
        }
        days -= length;
        year += 1;
    }
    let february = if is_leap(year) { 29 } else { 28 };
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    format!("{year:04}-{month:02}-{:02}", days + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_around_leaps() {
        assert_eq!(of_day(0), "1970-01-01");
        assert_eq!(of_day(364), "1970-12-31");
        assert_eq!(of_day(11_016), "2000-02-29");
        assert_eq!(of_day(11_017), "2000-03-01");
        assert_eq!(of_day(20_089), "2025-01-01");
    }
}
