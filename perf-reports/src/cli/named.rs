//! Values of other modules that have a word on the command line.

use std::str::FromStr;

use restride_cases::{Pages, Suite};

use crate::measure::pool::Pin;
use crate::measure::settings::Dest;

/// A value that is given by its word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Named<T>(pub(crate) T);

/// A value that has a word.
pub(crate) trait Word: Copy + 'static {
    /// All there are.
    const ALL: &'static [Self];
    /// Its word.
    fn word(self) -> &'static str;
}

impl<T: Word> FromStr for Named<T> {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = T::ALL.iter().find(|value| value.word() == text);
        found.map(|&value| Self(value)).ok_or_else(|| {
            let words: Vec<_> = T::ALL.iter().map(|value| value.word()).collect();
            format!("there are {}", words.join(", "))
        })
    }
}

impl Word for Suite {
    const ALL: &'static [Self] = &Suite::ALL;

    fn word(self) -> &'static str {
        self.name()
    }
}

impl Word for Pages {
    const ALL: &'static [Self] = &Pages::ALL;

    fn word(self) -> &'static str {
        self.name()
    }
}

impl Word for Pin {
    const ALL: &'static [Self] = &Pin::ALL;

    fn word(self) -> &'static str {
        self.name()
    }
}

impl Word for Dest {
    const ALL: &'static [Self] = &Dest::ALL;

    fn word(self) -> &'static str {
        self.name()
    }
}
