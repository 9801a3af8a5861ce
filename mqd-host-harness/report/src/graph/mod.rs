//! Pictures of a report. Ranks are nodes; sends, receives and unexpected messages are labelled
//! arrows; what a diagnosis has found is marked.
//!
//! A [`Graph`] is a function of a [`Report`](crate::model::Report) and its
//! [`Diagnosis`](crate::check::Diagnosis); every format is a function of the graph. Ranks of large
//! jobs that behave alike are one node. The cost is linear in ranks and operations.

mod alike;
mod build;
mod csv;
mod dot;
mod html;
mod label;
mod layout;
mod parts;
mod runs;
mod svg;

pub use self::csv::csv;
pub use self::dot::dot;
pub use self::html::html;
pub use self::parts::{Arrow, ArrowKind, Graph, GraphOptions, Node, NodeKind, Relation};
pub use self::runs::Runs;
pub use self::svg::svg;
