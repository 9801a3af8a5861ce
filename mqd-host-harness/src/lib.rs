//! The debugger side of the message queue dumping interface.
