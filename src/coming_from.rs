#![doc = include_str!("docs/coming_from.md")]
