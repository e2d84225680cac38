//! Who else was measured, how, and what they cannot express.

use crate::data::Data;
use crate::report::doc::{Block, Section};

pub(super) fn section(data: &Data) -> Section {
    let peers = &data.run.peers;
    if peers.is_empty() {
        let text = "No one else took part in this run.";
        return Section::new("peers", "Others", vec![Block::Text(text.into())]);
    }
    let items = peers.iter().map(|peer| {
        let version = peer.version.as_ref();
        let version = version.map_or_else(String::new, |version| format!(" {version}"));
        let cannot = data.cases.iter().filter(|measured| {
            let cannot = &measured.case.inexpressible;
            cannot.contains(&peer.name) && measured.of(&peer.name, 1).is_none()
        });
        let cannot = cannot.count();
        let cannot = if cannot == 0 {
            String::new()
        } else {
            format!(" Cannot express {cannot} of {} cases.", data.cases.len())
        };
        format!("`{}`{version}: {}.{cannot}", peer.name, peer.how)
    });
    let blocks = vec![
        Block::Text(
            "All run in this process (those of other languages in a process of their own, without common \
             rounds), on the same memory where they can be given memory, else on memory of their own on the \
             same pages that stands before the clock starts. They write the same destination with the same \
             strides as restride, which the oracle checks. What can be kept between calls is kept."
                .into(),
        ),
        Block::List(items.collect()),
    ];
    Section::new("peers", "Others", blocks)
}
