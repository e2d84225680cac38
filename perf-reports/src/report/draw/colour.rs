//! Colours. Figures are drawn in those of the light theme; a rule of style per colour replaces it in
//! the dark one. Series have the colours of Okabe and Ito, which people with any kind of colour vision
//! tell apart; maps run from dark blue to yellow, evenly in lightness.

/// Red, green, blue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::report) struct Colour(pub(super) u8, pub(super) u8, pub(super) u8);

/// Text and axes.
pub(in crate::report) const INK: Colour = Colour(0x1F, 0x24, 0x28);
/// What matters less.
pub(in crate::report) const SOFT: Colour = Colour(0x57, 0x62, 0x6E);
/// Lines behind everything.
pub(in crate::report) const GRID: Colour = Colour(0xDC, 0xE1, 0xE6);
/// The ground.
pub(super) const PAPER: Colour = Colour(0xFC, 0xFC, 0xFD);
/// Every other band of a ground.
pub(in crate::report) const BAND: Colour = Colour(0xF0, 0xF3, 0xF7);
/// The one that matters most.
pub(in crate::report) const FAR_BAND: Colour = Colour(0xE4, 0xEA, 0xF1);

pub(in crate::report) const BLUE: Colour = Colour(0x00, 0x72, 0xB2);
pub(in crate::report) const VERMILION: Colour = Colour(0xD5, 0x5E, 0x00);
pub(in crate::report) const GREEN: Colour = Colour(0x00, 0x9E, 0x73);
pub(in crate::report) const AMBER: Colour = Colour(0xC8, 0x8A, 0x00);
pub(in crate::report) const PURPLE: Colour = Colour(0xB2, 0x5A, 0x8C);
pub(in crate::report) const SKY: Colour = Colour(0x3D, 0xA5, 0xE0);
pub(in crate::report) const GREY: Colour = Colour(0x86, 0x8F, 0x99);

/// Text on a coloured cell: the same in both themes.
const BLACK: Colour = Colour(0x10, 0x10, 0x10);
const WHITE: Colour = Colour(0xFF, 0xFF, 0xFF);

/// What a colour becomes in the dark theme.
const DARK: [(Colour, Colour); 13] = [
    (INK, Colour(0xE7, 0xEA, 0xEE)),
    (SOFT, Colour(0xA9, 0xB3, 0xBE)),
    (GRID, Colour(0x36, 0x3E, 0x48)),
    (PAPER, Colour(0x15, 0x19, 0x1E)),
    (BAND, Colour(0x1C, 0x22, 0x2A)),
    (FAR_BAND, Colour(0x24, 0x2C, 0x36)),
    (BLUE, Colour(0x4F, 0xB0, 0xF5)),
    (VERMILION, Colour(0xFF, 0x8F, 0x45)),
    (GREEN, Colour(0x2F, 0xCB, 0x9C)),
    (AMBER, Colour(0xF2, 0xBE, 0x3E)),
    (PURPLE, Colour(0xE4, 0x96, 0xC4)),
    (SKY, Colour(0x9A, 0xD8, 0xFF)),
    (GREY, Colour(0x9B, 0xA5, 0xB0)),
];

/// Rules of style for the dark theme, to stand within its media query.
pub(in crate::report) fn dark_rules() -> String {
    let rule = |(light, dark): &(Colour, Colour)| {
        let (light, dark) = (light.hex(), dark.hex());
        format!("svg [fill=\"{light}\"]{{fill:{dark}}}svg [stroke=\"{light}\"]{{stroke:{dark}}}\n")
    };
    DARK.iter().map(rule).collect()
}

/// The steps of a map, dark to light.
const MAP: [Colour; 6] = [
    Colour(0x2B, 0x0B, 0x57),
    Colour(0x3F, 0x4A, 0x8A),
    Colour(0x2A, 0x78, 0x8E),
    Colour(0x22, 0xA8, 0x84),
    Colour(0x7A, 0xD1, 0x51),
    Colour(0xFD, 0xE7, 0x25),
];

/// The colour of a share between 0 and 1, and that of text on it.
pub(in crate::report) fn of_share(share: f64) -> (Colour, Colour) {
    let at = share.clamp(0.0, 1.0) * (MAP.len() - 1) as f64;
    let (below, part) = (at.floor() as usize, at.fract());
    let (one, two) = (MAP[below], MAP[(below + 1).min(MAP.len() - 1)]);
    let mix = |one: u8, two: u8| {
        (f64::from(one) + part * (f64::from(two) - f64::from(one))).round() as u8
    };
    let mixed = Colour(mix(one.0, two.0), mix(one.1, two.1), mix(one.2, two.2));
    (mixed, if share > 0.55 { BLACK } else { WHITE })
}

impl Colour {
    /// As in SVG.
    pub(super) fn hex(self) -> String {
        format!("#{:02X}{:02X}{:02X}", self.0, self.1, self.2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Relative luminance, as the guidelines for accessible pages define it.
    fn luminance(colour: Colour) -> f64 {
        let linear = |part: u8| {
            let part = f64::from(part) / 255.0;
            if part <= 0.03928 {
                part / 12.92
            } else {
                ((part + 0.055) / 1.055).powf(2.4)
            }
        };
        0.2126 * linear(colour.0) + 0.7152 * linear(colour.1) + 0.0722 * linear(colour.2)
    }

    fn contrast(one: Colour, two: Colour) -> f64 {
        let (one, two) = (luminance(one), luminance(two));
        (one.max(two) + 0.05) / (one.min(two) + 0.05)
    }

    #[test]
    fn everything_can_be_seen_in_both_themes() {
        let dark = |colour| {
            let found = DARK.iter().find(|(light, _)| *light == colour);
            found.map_or(colour, |(_, dark)| *dark)
        };
        for (colour, least) in [(INK, 10.0), (SOFT, 4.5)] {
            assert!(contrast(colour, PAPER) >= least && contrast(colour, FAR_BAND) >= least);
            assert!(contrast(dark(colour), dark(PAPER)) >= least);
        }
        for colour in [BLUE, VERMILION, GREEN, AMBER, PURPLE, SKY, GREY] {
            let (light, night) = (contrast(colour, PAPER), contrast(dark(colour), dark(PAPER)));
            assert!(light >= 2.6 && night >= 4.5, "{colour:?} {light} {night}");
        }
        for step in 0..=100 {
            let (ground, text) = of_share(f64::from(step) / 100.0);
            assert!(contrast(ground, text) >= 3.0, "{step}");
        }
    }
}
