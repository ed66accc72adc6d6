//! The report: a line for each figure.

use std::fmt::Display;

/// A goal that a figure is held against.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Goal {
    /// At most this much.
    AtMost(f64),
    /// At least this much.
    AtLeast(f64),
}

impl Goal {
    fn met(self, value: f64) -> bool {
        match self {
            Goal::AtMost(limit) => value <= limit,
            Goal::AtLeast(limit) => value >= limit,
        }
    }
}

/// How a line begins that tells of a missed goal.
pub(crate) const MISSED: &str = "missed: ";

/// Prints what the columns are.
pub(crate) fn print_head() {
    println!(
        "{:<44} {:>14} {:>26} {:>9}  goal",
        "what", "ours", "reference", "ratio"
    );
}

/// Prints a line for what was measured, and remembers which goals were missed.
#[derive(Default)]
pub(crate) struct Report {
    missed: Vec<String>,
}

impl Report {
    /// A figure on its own.
    pub(crate) fn figure(
        &mut self,
        what: &str,
        shown: impl Display,
        value: f64,
        goal: Goal,
        unit: &str,
    ) {
        self.line(what, &shown.to_string(), "", "", value, goal, unit);
    }

    /// A figure with something to see beside it; the goal is of the figure.
    pub(crate) fn beside(
        &mut self,
        what: &str,
        shown: impl Display,
        reference: impl Display,
        value: f64,
        goal: Goal,
        unit: &str,
    ) {
        let (shown, reference) = (shown.to_string(), reference.to_string());
        self.line(what, &shown, &reference, "", value, goal, unit);
    }

    /// A figure beside a reference; the goal is of the ratio.
    pub(crate) fn ratio(
        &mut self,
        what: &str,
        ours: impl Display,
        reference: impl Display,
        ratio: f64,
        goal: Goal,
    ) {
        self.line(
            what,
            &ours.to_string(),
            &reference.to_string(),
            &format!("×{ratio:.2}"),
            ratio,
            goal,
            "×",
        );
    }

    /// Something worth knowing without a goal.
    pub(crate) fn note(&mut self, what: &str, shown: impl Display, reference: impl Display) {
        println!(
            "{what:<44} {:>14} {:>26}",
            shown.to_string(),
            reference.to_string()
        );
    }

    #[expect(clippy::too_many_arguments, reason = "a line has so many columns")]
    fn line(
        &mut self,
        what: &str,
        ours: &str,
        reference: &str,
        ratio: &str,
        value: f64,
        goal: Goal,
        unit: &str,
    ) {
        let wanted = match goal {
            Goal::AtMost(limit) => format!("≤ {limit} {unit}"),
            Goal::AtLeast(limit) => format!("≥ {limit} {unit}"),
        };
        let verdict = if goal.met(value) { "met" } else { "MISSED" };
        println!("{what:<44} {ours:>14} {reference:>26} {ratio:>9}  {wanted} {verdict}");
        if !goal.met(value) {
            self.missed
                .push(format!("{what}: {value:.2}, wanted {wanted}"));
        }
    }

    /// What did not reach its goal.
    pub(crate) fn print_missed(&self) {
        for missed in &self.missed {
            println!("{MISSED}{missed}");
        }
    }
}
