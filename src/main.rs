//! The `carom` program.

fn main() {}
