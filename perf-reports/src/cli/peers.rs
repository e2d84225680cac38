//! Who stands beside restride, from what `--peers` says.

use regex_lite::Regex;

use crate::failure::Failure;
use crate::implementations::{BROKEN, PEERS, Peer};

/// The peers that texts ask for: regular expressions, each for a whole name, or `none`; all where nothing
/// is said. The one that is wrong on purpose only answers to its own name.
///
/// # Errors
/// [`Failure::Usage`] if one is no regular expression, or nothing is called so.
pub(crate) fn chosen(texts: &[String]) -> Result<Vec<&'static Peer>, Failure> {
    if texts.is_empty() {
        return Ok(PEERS.iter().collect());
    }
    let mut wanted = vec![false; PEERS.len()];
    let mut broken = None;
    for text in texts.iter().filter(|text| *text != "none") {
        if text == BROKEN.name {
            broken = Some(BROKEN);
            continue;
        }
        let regex = Regex::new(&format!("^(?:{text})$")).map_err(|error| {
            Failure::Usage(format!("`{text}` is no regular expression: {error}"))
        })?;
        let mut found = false;
        for (wanted, peer) in wanted.iter_mut().zip(PEERS) {
            if regex.is_match(peer.name) {
                (*wanted, found) = (true, true);
            }
        }
        if !found {
            let all: Vec<_> = PEERS.iter().map(|peer| peer.name).collect();
            let all = all.join(", ");
            let what = format!("nothing is called `{text}`; there are {all}");
            return Err(Failure::Usage(what));
        }
    }
    let peers = PEERS.iter().zip(wanted);
    Ok(peers
        .filter_map(|(peer, wanted)| wanted.then_some(peer))
        .chain(broken)
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(texts: &[&str]) -> Vec<&'static str> {
        let texts: Vec<String> = texts.iter().map(ToString::to_string).collect();
        let peers = chosen(&texts).unwrap();
        peers.into_iter().map(|peer| peer.name).collect()
    }

    #[test]
    fn peers_are_chosen_by_expressions_for_whole_names() {
        assert_eq!(names(&[]).len(), PEERS.len());
        assert_eq!(names(&[".*"]), names(&[]));
        assert!(names(&["none"]).is_empty());
        assert_eq!(names(&["nai.*"]), ["naive"]);
        assert_eq!(names(&["ndarray", "naive"]), ["naive", "ndarray"]);
        for refused in ["nothing", "(", "aive"] {
            assert_eq!(chosen(&[refused.into()]).unwrap_err().exit_code(), 2);
        }
    }

    #[test]
    fn the_wrong_one_is_asked_for_by_name_or_not_there() {
        assert!(!names(&[]).contains(&BROKEN.name));
        assert!(!names(&[".*"]).contains(&BROKEN.name));
        assert!(chosen(&["brok.*".into()]).is_err());
        assert_eq!(names(&["broken"]), ["broken"]);
        assert_eq!(names(&["broken", "naive"]), ["naive", "broken"]);
    }
}
