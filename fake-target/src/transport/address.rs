//! How processes of other jobs know a process: the data that are needed to reach the segment of its
//! job.

/// Bytes of a written address.
pub(crate) const BYTES: usize = 32;

/// A process. Two addresses are the same process if their jobs and ranks are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    /// The job: a random number, of which the bits of [`RANK`] are zero.
    pub(crate) job: u64,
    /// The rank in the `MPI_COMM_WORLD` of the job.
    pub(crate) rank: u32,
    /// The process id.
    pub(crate) pid: i32,
    /// The descriptor of the job's segment in that process.
    pub(crate) descriptor: i32,
    /// The process id of the job's launcher; 0 if there is none.
    pub(crate) launcher: i32,
    /// The place of the process in the launcher's table of processes.
    pub(crate) number: i32,
}

/// The bits of a key that tell the rank, plus one.
const RANK: u64 = 0xffff;

impl Address {
    /// A number for a job, made from random bits; never 0.
    pub(crate) fn job_of(random: u64) -> u64 {
        (random & !RANK).max(RANK + 1)
    }

    /// A number that no other process has; never 0.
    pub(crate) fn key(&self) -> u64 {
        self.job | (u64::from(self.rank) + 1)
    }

    /// The address as bytes, for other processes of this machine.
    pub(crate) fn to_bytes(self) -> [u8; BYTES] {
        let mut bytes = [0; BYTES];
        bytes[..8].copy_from_slice(&self.job.to_ne_bytes());
        bytes[8..12].copy_from_slice(&self.rank.to_ne_bytes());
        let rest = [self.pid, self.descriptor, self.launcher, self.number];
        for (to, number) in bytes[12..].chunks_exact_mut(4).zip(rest) {
            to.copy_from_slice(&number.to_ne_bytes());
        }
        bytes
    }

    /// The addresses in some bytes; what is left over is ignored.
    pub(crate) fn all_of(bytes: &[u8]) -> Vec<Address> {
        let number = |four: &[u8]| i32::from_ne_bytes(four.try_into().expect("four bytes"));
        bytes
            .chunks_exact(BYTES)
            .map(|bytes| Address {
                job: u64::from_ne_bytes(bytes[..8].try_into().expect("eight bytes")),
                rank: number(&bytes[8..12]) as u32,
                pid: number(&bytes[12..16]),
                descriptor: number(&bytes[16..20]),
                launcher: number(&bytes[20..24]),
                number: number(&bytes[24..28]),
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let job = Address::job_of(u64::MAX);
        let one =
            Address { job, rank: 4095, pid: 77, descriptor: 5, launcher: 76, number: i32::MAX };
        let other = Address { rank: 0, ..one };
        let bytes = [one.to_bytes(), other.to_bytes()].concat();
        assert_eq!(Address::all_of(&bytes), [one, other]);
        assert_ne!(one.key(), other.key());
        assert_ne!(Address::job_of(0), 0);
    }
}
