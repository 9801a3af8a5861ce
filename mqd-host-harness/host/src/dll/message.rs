//! The messages of `mqs_image_has_queues` and `mqs_process_has_queues` (5.8.2, 5.9.2).

/// A message of the DLL for people: its one `%s` replaced by `subject`, on one line. None if it
/// says nothing.
///
/// 5.8.2 calls the message a printf format with at most one `%s`. In practice it may also be a bare
/// word (Open MPI passes the name of the type it could not find). It is never passed to printf: a
/// stray `%n` or a second `%s` stays text.
pub fn fill_in(message: Option<String>, subject: &str) -> Option<String> {
    let message = message?.replacen("%s", subject, 1).replace("%%", "%");
    let line = message.split_whitespace().collect::<Vec<_>>().join(" ");
    (!line.is_empty()).then_some(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_in_every_shape_in_use() {
        let filled = |message: &str| fill_in(Some(message.to_owned()), "a.out");
        assert_eq!(fill_in(None, "a.out"), None);
        assert_eq!(filled(""), None);
        assert_eq!(filled(" \n"), None);
        assert_eq!(filled("opal_list_item_t").as_deref(), Some("opal_list_item_t"));
        assert_eq!(
            filled("The image %s\nhas no queues\n").as_deref(),
            Some("The image a.out has no queues")
        );
        assert_eq!(filled("%s and %s, 100%%, %n").as_deref(), Some("a.out and %s, 100%, %n"));
    }
}
