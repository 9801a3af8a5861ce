//! `libmqd.so`, the debug DLL.
