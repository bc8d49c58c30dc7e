//! What can be wrong with a package.

/// Why bytes are no package that can be read, or cannot be changed as asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NeffError {
    /// Neither header, tar nor gzip.
    #[error(
        "this is no NEFF: bytes 0 and 1 are no gzip mark, byte 257 has no `ustar`, and the first number is {0}, where a NEFF has package version 1 or 2"
    )]
    NotNeff(u64),
    /// Too few bytes to tell.
    #[error("this is no NEFF: the file has {0} bytes, fewer than any header or archive")]
    TooShort(usize),
    /// A header size that the file cannot have.
    #[error("the header says that it has {size} bytes; the file has {file}, and a header has at least 256")]
    HeaderSize {
        /// What the header says.
        size: u64,
        /// Bytes of the file.
        file: u64,
    },
    /// A payload longer than the file.
    #[error("the file is truncated: the header says {said} bytes of payload, the file has {held}")]
    PayloadTruncated {
        /// What the header says.
        said: u64,
        /// What follows the header.
        held: u64,
    },
    /// No archive where the header says there is one.
    #[error("no archive follows the header: at byte {0:#x} there is neither a gzip mark nor a tar header")]
    NoArchive(usize),
    /// The gzip stream is broken or cut off.
    #[error("the gzip payload is damaged or truncated: {0}")]
    Gzip(String),
    /// More bytes than allowed.
    #[error(
        "{what} has more than {limit} bytes, which is the limit; --max-mib raises it, if this file is to be trusted"
    )]
    TooLarge {
        /// What is too large.
        what: &'static str,
        /// The limit in bytes.
        limit: u64,
    },
    /// More members than allowed.
    #[error("the archive has more than {0} members, which is the limit")]
    TooManyMembers(usize),
    /// The tar is broken.
    #[error("the tar archive is damaged at byte {at:#x}: {why}")]
    Tar {
        /// Where, in the archive.
        at: u64,
        /// Why.
        why: String,
    },
    /// The archive ends within a member, or without an end mark.
    #[error("the tar archive is truncated: {0}")]
    TarTruncated(String),
    /// A name that leads out of the archive.
    #[error("member `{0}` has an absolute name or one with `..`; such an archive is not read")]
    UnsafeName(String),
    /// A name that is no text.
    #[error("a member's name is no UTF-8 text: `{0}`")]
    NameNotText(String),
    /// Two members of one name.
    #[error("the archive has two members `{0}`; which of them counts is not known")]
    DuplicateMember(String),
    /// No such member.
    #[error("the archive has no member `{name}`; it has {has}")]
    NoMember {
        /// The name asked for.
        name: String,
        /// Names that there are.
        has: String,
    },
    /// A link or another thing without bytes of its own.
    #[error("member `{0}` is a link or a special file; links are not followed")]
    NotAFile(String),
    /// A member that holds no stream.
    #[error("member `{name}` is no instruction stream; the streams are {streams}")]
    NotAStream {
        /// The member.
        name: String,
        /// The streams.
        streams: String,
    },
    /// A side file names a stream that is not there.
    #[error("`{json}` names the stream `{stream}`, and the archive has no such member")]
    MissingStream {
        /// The JSON member.
        json: String,
        /// What it names.
        stream: String,
    },
    /// No stream at all.
    #[error(
        "the archive has no instruction stream: no sg*/*.json with `instr`, no def.json with `*_instr`, no pe, act, pool, dve or sp .bin"
    )]
    NoStream,
    /// A length that is no multiple of a word.
    #[error("stream `{member}` has {bytes} bytes, which is {words} words of 64 bytes and {rest} bytes more")]
    StreamLength {
        /// The member.
        member: String,
        /// Its bytes.
        bytes: usize,
        /// Whole words.
        words: usize,
        /// Bytes left over.
        rest: usize,
    },
    /// A member's size that cannot be written.
    #[error("member `{0}` has its size in a PAX record; only as many words as it has now can be put there")]
    PaxSize(String),
    /// A size that the tar header cannot hold.
    #[error("{0} bytes do not fit a tar header; a member holds less than 8 GiB")]
    MemberSize(usize),
}
