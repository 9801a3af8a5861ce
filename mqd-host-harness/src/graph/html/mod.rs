pub fn html() -> String { String::new() }
