//! The category of files.

crate::variables::describe::category! {
    name: FILES
    description: "Input and output."
}
