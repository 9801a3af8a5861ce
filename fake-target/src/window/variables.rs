//! The category of windows.

crate::variables::describe::category! {
    name: ONE_SIDED
    description: "One-sided communication. The notices of post, start, complete, wait and locks are
        messages of the window's communicator and count as such."
}
