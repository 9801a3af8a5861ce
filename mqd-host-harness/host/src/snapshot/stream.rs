//! The answer of an agent while it arrives: perhaps a snapshot, then a frame that ends it.

use super::frame::{self, Frames, Kind, START};
use crate::decode;

/// The largest size of a frame in an answer, in bytes.
const MOST: usize = 1 << 30;

/// What has arrived of an answer.
#[derive(Debug)]
pub(crate) struct Stream {
    /// The most bytes that all frames together may have.
    most: usize,
    bytes: Vec<u8>,
    /// Where the next frame begins.
    next: usize,
    /// Where the last frame begins, if the answer is complete.
    done: Option<usize>,
}

/// What arrived is not an answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StreamError {
    /// Something else came among the frames.
    #[error("what it sent is damaged at byte {0}: another program wrote to the same output?")]
    NoFrame(usize),
    /// A frame says that it is larger than any.
    #[error("what it sent has a frame of {0} bytes")]
    TooLarge(usize),
    /// There is more than an answer can have.
    #[error(
        "it sent more than the {} MiB that an answer about so many processes can have",
        .0 >> 20
    )]
    TooMuch(usize),
    /// The frame at the end cannot be read.
    #[error("the end of what it sent: {0}")]
    Done(#[from] frame::FrameError),
}

impl Stream {
    /// Nothing has arrived yet. All frames together may have at most this many bytes.
    pub(crate) fn new(most: usize) -> Stream {
        Stream { most, bytes: Vec::new(), next: 0, done: None }
    }

    /// Whether nothing has arrived yet.
    pub(crate) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Adds what has arrived. The result tells whether the answer is complete.
    ///
    /// # Errors
    /// What has arrived is not an answer.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<bool, StreamError> {
        if bytes.len() > self.most.saturating_sub(self.bytes.len()) {
            return Err(StreamError::TooMuch(self.most));
        }
        self.bytes.extend_from_slice(bytes);
        while self.done.is_none() {
            let rest = &self.bytes[self.next..];
            if self.next == 0 && rest.starts_with(&frame::SIGNATURE[..rest.len().min(8)]) {
                if rest.len() < START {
                    return Ok(false);
                }
                self.next = START;
                continue;
            }
            let here = self.next;
            match frame::extent(rest).map_err(|_| StreamError::NoFrame(here))? {
                None => return Ok(false),
                Some((_, length)) if length > MOST => return Err(StreamError::TooLarge(length)),
                Some((_, length)) if length > self.most - here => {
                    return Err(StreamError::TooMuch(self.most));
                }
                Some((_, length)) if length > rest.len() => return Ok(false),
                Some((kind, length)) => {
                    self.done = (kind == Kind::Done).then_some(here);
                    self.next += length;
                }
            }
        }
        Ok(true)
    }

    /// The snapshot in a complete answer; empty if there is none.
    pub(crate) fn snapshot(&self) -> &[u8] {
        &self.bytes[..self.done.unwrap_or(0)]
    }

    /// What the last frame of a complete answer has.
    ///
    /// # Errors
    /// Its content cannot be read.
    pub(crate) fn done<T: serde::de::DeserializeOwned>(&self) -> Result<T, StreamError> {
        let bytes = &self.bytes[self.done.unwrap_or(self.bytes.len())..];
        // The frame stands alone. In a file, a start comes before it, so its place is taken by
        // zeros.
        let alone = [&[0; START][..], bytes].concat();
        let Frames { frames, .. } = frame::frames(&alone, 0);
        let frame = frames.first().ok_or(StreamError::NoFrame(self.next))?;
        let content = frame.content(&alone)?;
        Ok(decode::from_slice(&content).map_err(frame::FrameError::from)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snapshot::write_frame;

    /// Frames that are small alone are refused when they are too much together, and so is one that
    /// says that it will be.
    #[test]
    fn frames_together_have_a_bound() {
        let mut frame = Vec::new();
        write_frame(&mut frame, &[7; 100]).expect("memory can be written to");
        let most = 2 * frame.len();
        assert!(matches!(Stream::new(most).push(&frame), Ok(true)));
        let mut stream = Stream::new(frame.len() - 1);
        assert!(matches!(stream.push(&frame[..frame.len() - 1]), Err(StreamError::TooMuch(_))));
        let mut stream = Stream::new(most);
        stream.bytes.clone_from(&[frame.clone(), frame.clone()].concat());
        stream.next = frame.len();
        assert!(matches!(stream.push(&[0]), Err(StreamError::TooMuch(told)) if told == most));
    }
}
