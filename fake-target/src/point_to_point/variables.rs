//! The categories of the variables of point-to-point communication.

crate::variables::describe::category! {
    name: BUFFERED
    parent: TRANSFER
    description: "Buffered sends. Its variables are added when the program attaches its first
        buffer."
}
