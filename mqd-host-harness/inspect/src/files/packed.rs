//! Compressed files, such as the core files that systemd-coredump keeps.

use std::env;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

use rustix::fs::{Mode, OFlags};

use super::FileError;

/// The first bytes of a file that zstd has written.
const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// The most bytes that a file is unpacked to. A file of some kilobytes may claim more.
const MOST: u64 = 1 << 37;

/// How many bytes are unpacked at a time. A block of zeros becomes a hole and takes no room.
const BLOCK: usize = 1 << 16;

/// The file itself. If it is compressed, an unnamed temporary file with its content.
///
/// # Errors
/// It is damaged, or there is no room in the directory for temporary files.
pub fn unpacked(mut file: File) -> Result<File, FileError> {
    let mut start = [0; ZSTD.len()];
    let is_packed = file.read_exact(&mut start).is_ok() && start == ZSTD;
    file.seek(SeekFrom::Start(0))?;
    if is_packed { Ok(unpack(file, MOST)?) } else { Ok(file) }
}

fn unpack(file: File, most: u64) -> io::Result<File> {
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    let mode = Mode::RUSR | Mode::WUSR;
    let directory = env::temp_dir();
    let mut to = File::from(rustix::fs::open(&directory, flags, mode)?);
    let mut from = zstd::stream::read::Decoder::new(file)?.take(most + 1);
    let mut block = vec![0; BLOCK];
    let mut length = 0;
    loop {
        let count = from.read(&mut block)?;
        if count == 0 {
            break;
        }
        length += count as u64;
        if length > most {
            let why = format!("it has more than {most} bytes when it is unpacked");
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, why));
        }
        let part = block.get(..count).unwrap_or_default();
        if part.iter().all(|byte| *byte == 0) {
            to.seek(SeekFrom::Start(length))?;
        } else {
            let written = to.write_all(part);
            written.map_err(|error| {
                let place = directory.display();
                io::Error::new(error.kind(), format!("unpacking it into {place}: {error}"))
            })?;
        }
    }
    to.set_len(length)?;
    Ok(to)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packed(content: &[u8]) -> File {
        let mut file = tempfile::tempfile().unwrap();
        zstd::stream::copy_encode(content, &mut file, 1).unwrap();
        file.seek(SeekFrom::Start(0)).unwrap();
        file
    }

    fn content(file: File) -> Vec<u8> {
        let mut file = file;
        file.seek(SeekFrom::Start(0)).unwrap();
        let mut content = Vec::new();
        file.read_to_end(&mut content).unwrap();
        content
    }

    #[test]
    fn compressed_and_other_files() {
        let mut long = vec![7; 3 * BLOCK];
        long.extend(vec![0; 9 * BLOCK + 11]);
        assert_eq!(content(unpacked(packed(&long)).unwrap()), long);
        for other in [&b""[..], b"\x28", b"text that is not compressed"] {
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(other).unwrap();
            file.seek(SeekFrom::Start(0)).unwrap();
            assert_eq!(content(unpacked(file).unwrap()), other);
        }
    }

    #[test]
    fn damaged_files_and_a_budget() {
        let mut cut = content(packed(&[7; 1000]));
        cut.truncate(cut.len() - 3);
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&cut).unwrap();
        file.seek(SeekFrom::Start(0)).unwrap();
        assert!(unpacked(file).is_err());
        assert_eq!(content(unpack(packed(&[0; 1000]), 1000).unwrap()).len(), 1000);
        let error = unpack(packed(&[0; 1000]), 999).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
    }
}
