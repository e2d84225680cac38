//! How busy the machine was with something else while it was measured: on a shared machine, the
//! first thing to know about a number.

use std::fs;

/// CPU time up to a moment, in ticks of the system.
pub(crate) struct Busy {
    /// All CPUs, working or idle.
    all: u64,
    /// All CPUs, working, and time a hypervisor gave to others.
    working: u64,
    /// This process.
    own: u64,
}

impl Busy {
    /// Until now. None where the system does not say.
    pub(crate) fn now() -> Option<Self> {
        let stat = fs::read_to_string("/proc/stat").ok()?;
        let own = fs::read_to_string("/proc/self/stat").ok()?;
        Self::parse(&stat, &own)
    }

    fn parse(stat: &str, own: &str) -> Option<Self> {
        // user nice system idle iowait irq softirq steal; guests are in user and nice.
        let cpus = stat.lines().next()?.strip_prefix("cpu")?;
        let cpus: Vec<u64> = cpus
            .split_whitespace()
            .map_while(|word| word.parse().ok())
            .collect();
        let all = cpus.iter().take(8).sum();
        let idle: u64 = cpus.get(3)? + cpus.get(4)?;
        // Behind the name, which may hold anything: a state, 10 numbers, user and system time.
        let (_, fields) = own.rsplit_once(") ")?;
        let mut times = fields.split(' ').skip(11);
        let mut time = || times.next()?.parse::<u64>().ok();
        Some(Self {
            all,
            working: all - idle,
            own: time()? + time()?,
        })
    }

    /// The share of all CPU time since then that went to others.
    pub(crate) fn others_since(then: Option<Self>) -> Option<f64> {
        Some(then?.others_until(&Self::now()?))
    }

    fn others_until(&self, now: &Self) -> f64 {
        let all = now.all.saturating_sub(self.all).max(1);
        let working = now.working.saturating_sub(self.working);
        let own = now.own.saturating_sub(self.own);
        working.saturating_sub(own) as f64 / all as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_neither_idle_nor_own_is_of_others() {
        let before = Busy::parse(
            "cpu  10 0 10 80 0 0 0 0 0 0\ncpu0 1",
            "7 (a) b) R 1 1 1 0 -1 0 5 0 0 0 3 1 0",
        );
        let after = Busy::parse(
            "cpu  60 0 20 110 10 0 0 0 0 0\n",
            "7 (a) b) R 1 1 1 0 -1 0 5 0 0 0 30 4 0",
        );
        // 100 ticks more: 40 idle, 60 working, of which 30 are its own.
        let others = before.unwrap().others_until(&after.unwrap());
        assert!((others - 0.3).abs() < 1e-12, "{others}");
        assert!(Busy::parse("", "").is_none());
    }
}
