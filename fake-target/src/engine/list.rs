//! Intrusive lists in the form that `queues.h` declares. Debuggers read the pointer to the first
//! object and the `next` pointers. Private fields beside them make appending and removing cheap.

use crate::debug::queues::publish;
use crate::variables::performance::Level;
use std::cell::Cell;
use std::ptr;

/// An object that can be on a list.
///
/// # Safety
/// The object is `#[repr(C)]` and begins with its [`Node::Head`], so that a pointer to one is a
/// pointer to the other.
pub(crate) unsafe trait Node: Sized + 'static {
    /// The structure of `queues.h` at the object's beginning.
    type Head;

    /// The public link to the next object.
    fn next(&self) -> &Cell<*const Self::Head>;

    /// The private link to the one before.
    fn previous(&self) -> &Cell<Option<&'static Self>>;

    /// The bytes that it stands for, if a list counts them. They do not change while it is on the
    /// list.
    fn weight(&self) -> u64 {
        0
    }
}

/// A view of one list. The object that owns the list has both ends, the first one in its head.
pub(crate) struct List<'a, T: Node> {
    /// Where debuggers find the first object.
    pub(crate) first: &'a Cell<*const T::Head>,
    /// The last object, in the same form.
    pub(crate) last: &'a Cell<*const T::Head>,
    /// The number of objects, if it is counted.
    pub(crate) length: Option<&'a Level>,
    /// The bytes that they stand for, if they are counted.
    pub(crate) weight: Option<&'a Level>,
}

/// The object whose head a link points to.
fn object<T: Node>(head: *const T::Head) -> Option<&'static T> {
    // SAFETY: links and ends are written by `List` alone, from objects that live for ever and begin
    // with their head (`Node`).
    unsafe { head.cast::<T>().as_ref() }
}

fn head<T: Node>(object: Option<&'static T>) -> *const T::Head {
    object.map_or(ptr::null(), |object| ptr::from_ref(object).cast())
}

impl<T: Node> List<'_, T> {
    /// Adds an object, which must be on no list, at the end.
    pub(crate) fn append(&self, node: &'static T) {
        let last = object::<T>(self.last.replace(head(Some(node))));
        node.next().set(ptr::null());
        node.previous().set(last);
        publish();
        last.map_or(self.first, |last| last.next()).set(head(Some(node)));
        if let Some(length) = self.length {
            length.rise(1);
        }
        if let Some(weight) = self.weight {
            weight.rise(node.weight());
        }
    }

    /// Takes an object out of this list. Its link stays, so that a debugger that is reading it can
    /// go on.
    pub(crate) fn remove(&self, node: &'static T) {
        let (previous, next) = (node.previous().take(), object::<T>(node.next().get()));
        previous.map_or(self.first, |previous| previous.next()).set(head(next));
        match next {
            Some(next) => next.previous().set(previous),
            None => self.last.set(head(previous)),
        }
        if let Some(length) = self.length {
            length.fall(1);
        }
        if let Some(weight) = self.weight {
            weight.fall(node.weight());
        }
    }

    /// Replaces an object on this list with one that is on no list. The link of the replaced object
    /// stays.
    pub(crate) fn replace(&self, old: &'static T, new: &'static T) {
        let (previous, next) = (old.previous().take(), object::<T>(old.next().get()));
        new.next().set(old.next().get());
        new.previous().set(previous);
        publish();
        previous.map_or(self.first, |previous| previous.next()).set(head(Some(new)));
        match next {
            Some(next) => next.previous().set(Some(new)),
            None => self.last.set(head(Some(new))),
        }
        if let Some(weight) = self.weight {
            weight.rise(new.weight());
            weight.fall(old.weight());
        }
    }

    /// The first object.
    pub(crate) fn first(&self) -> Option<&'static T> {
        object(self.first.get())
    }

    /// All objects, from the first to the last. The one just returned may be removed meanwhile.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &'static T> + use<T> {
        let mut next = self.first();
        std::iter::from_fn(move || {
            let current = next?;
            next = object(current.next().get());
            Some(current)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[repr(C)]
    struct Head {
        next: Cell<*const Head>,
    }

    #[repr(C)]
    struct Item {
        head: Head,
        previous: Cell<Option<&'static Item>>,
        value: u32,
    }

    // SAFETY: begins with its head.
    unsafe impl Node for Item {
        type Head = Head;
        fn next(&self) -> &Cell<*const Head> {
            &self.head.next
        }
        fn previous(&self) -> &Cell<Option<&'static Item>> {
            &self.previous
        }
        fn weight(&self) -> u64 {
            self.value.into()
        }
    }

    fn item(value: u32) -> &'static Item {
        Box::leak(Box::new(Item {
            head: Head { next: Cell::new(ptr::null()) },
            previous: Cell::new(None),
            value,
        }))
    }

    #[test]
    fn appends_and_removes_anywhere() {
        let (first, last) = (Cell::new(ptr::null()), Cell::new(ptr::null()));
        let (length, weight) = (Level::new(), Level::new());
        let list =
            List { first: &first, last: &last, length: Some(&length), weight: Some(&weight) };
        let values = || list.iter().map(|item: &Item| item.value).collect::<Vec<_>>();
        let items: Vec<_> = (0..5).map(item).collect();
        items.iter().for_each(|item| list.append(item));
        assert_eq!((length.get(), weight.get()), (5, 10));
        assert_eq!(values(), [0, 1, 2, 3, 4]);
        list.remove(items[2]);
        list.remove(items[0]);
        list.remove(items[4]);
        assert_eq!(values(), [1, 3]);
        assert_eq!((length.get(), weight.get()), (2, 4));
        list.append(items[0]);
        assert_eq!(values(), [1, 3, 0]);
        list.replace(items[3], items[2]);
        list.replace(items[1], items[4]);
        list.replace(items[0], items[1]);
        assert_eq!(values(), [4, 2, 1]);
        list.replace(items[4], items[1 + 2]);
        list.remove(items[1]);
        list.append(items[0]);
        assert_eq!(values(), [3, 2, 0]);
        assert_eq!((length.get(), weight.get()), (3, 5));
        [2, 3, 0].into_iter().for_each(|index| list.remove(items[index]));
        assert!(values().is_empty() && last.get().is_null());
        list.append(items[4]);
        assert_eq!(values(), [4]);
    }
}
