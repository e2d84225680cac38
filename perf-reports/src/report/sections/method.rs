//! How it was measured, what may be wrong with that, and how to do it again.

use crate::data::Data;
use crate::data::run::Turns;
use crate::report::doc::{Block, Section};

pub(super) fn section(data: &Data) -> Section {
    let rounds = data.run.rounds;
    let (order, untimed) = match data.run.turns {
        Turns::Rotated => (
            "an order that rotates from round to round",
            "an untimed one, four where the predecessor wrote around the caches",
        ),
        Turns::Balanced => (
            "another order in each, so that others come before each",
            "three untimed ones, four of those that may write through the caches",
        ),
    };
    let method = vec![
        "Each implementation is run once and compared with an index-by-index oracle, gaps included; a wrong \
         result ends the run. Only then is it timed."
            .into(),
        format!(
            "Implementations take turns within a round, in {order}. At least {rounds} rounds, 25 where a round \
             takes less than 4 ms; of the peers fewer, at least 3, where those would take more than 0.3 s of a \
             case. Times are medians; ratios are medians over the rounds that both took part in, so that what \
             slows a whole round down cancels out. Bounds are the middle 95 % of 400 bootstrap medians."
        ),
        match data.run.dest.as_str() {
            "fresh" => "The destination is mapped anew in each call, and its first touch is part of the time.".into(),
            "cold" => "A sample is one call. Source and destination are out of all caches when it begins, as \
             after other work; those of peers that have memory of their own are not."
                .into(),
            _ => format!(
                "A sample is at least 0.3 ms long: short calls are timed in batches, and calls below 20 ms \
                 after {untimed}. So each finds the caches as it leaves them itself: small cases are measured \
                 in the caches they fit in, streaming stores do not pay for lines that a predecessor left \
                 there, nor cached ones for those that it took away."
            ),
        },
        "GB/s are 10^9 bytes read + written per second; useful bytes only. Where cells leave gaps, `/lines` \
         counts source lines and destination cells instead."
            .into(),
        "The roof of a case is the better of memcpy and `nt4copy`, a streaming copy that interleaves four \
         pages, of as many contiguous bytes, on as many threads, on the same pages, in the same rounds."
            .into(),
        "Every third case is measured twice under two names; what the two differ by is the noise floor, and \
         no difference below it is called one. A control memcpy is timed every four cases."
            .into(),
        "restride runs a prepared plan through `run_raw` (`plan-and-run`: makes it in each call; `listed`: \
         through `run_listed_raw`), with readable source gaps and default stores, cut into as many ranges \
         as threads."
            .into(),
        "Several threads are the workers of one rayon pool that the caller is part of, kept awake up to the \
         start of each sample. Cases that move less than 2 MiB run on one thread, and so do peers that know \
         no others."
            .into(),
    ];
    let bias = vec![
        "restride's authors chose the cases. The 57 transpositions and the permutations were not chosen: \
         they are someone else's, or all there are."
            .into(),
        "Plans stand before the clock starts, for restride only: peers that plan in each call pay for it. \
         That is little where cases are large; small copies show planning as well."
            .into(),
        "Buffers are touched, aligned and on huge pages where the system grants them; a program that copies \
         into fresh memory waits for its pages first (`--dest fresh`)."
            .into(),
        "A machine in the cloud is not the reader's machine. `cargo run --release -p restride-perf` measures \
         that one."
            .into(),
    ];
    let blocks = vec![
        Block::List(method),
        Block::Text("What may be unfair:".into()),
        Block::List(bias),
    ];
    Section::new("method", "How it was measured", blocks)
}

pub(super) fn reproduce(data: &Data) -> Section {
    let blocks = vec![
        Block::Text(format!("At commit `{}`:", data.environment.revision())),
        Block::Code(data.run.command.clone()),
        Block::Text(
            "`data/` holds every sample. `restride-perf render DIR` draws this report again from it, byte \
             for byte; `restride-perf compare A B` says what changed between two."
                .into(),
        ),
    ];
    Section::new("reproduce", "Again", blocks)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::synthetic;

    #[test]
    fn data_say_how_their_turns_were_taken() {
        let said = |turns| {
            let mut data = synthetic::data();
            data.run.turns = turns;
            let Some(Block::List(method)) = section(&data).blocks.into_iter().next() else {
                panic!("a list comes first");
            };
            method.join("\n")
        };
        let (rotated, balanced) = (said(Turns::Rotated), said(Turns::Balanced));
        assert!(rotated.contains("rotates") && rotated.contains("after an untimed one"));
        assert!(balanced.contains("others come before") && balanced.contains("three untimed ones"));
        assert_eq!(Turns::default(), Turns::Rotated, "data that do not say");
    }
}
