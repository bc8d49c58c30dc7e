//! The other implementation as a process: what it is asked, what it answers, and how long it may take.

use std::io::{BufReader, BufWriter, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};
use vq7_conform::protocol::{ClientHello, ProtocolError, Reply, read_reply};

/// What comes from the client.
enum Heard {
    Hello(ClientHello),
    Reply(Reply),
    Wrong(ProtocolError),
    End,
}

/// A client that runs. It is ended when it is dropped.
pub(super) struct Client {
    child: Child,
    frames: Option<Sender<Vec<u8>>>,
    heard: Receiver<Heard>,
    patience: Duration,
}

impl Client {
    /// Starts a command line.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn start(command: &str, patience: Duration, most: u32) -> std::io::Result<Self> {
        let mut child = shell(command).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let missing = || std::io::Error::other("the process has no standard streams");
        let (stdin, stdout) = child.stdin.take().zip(child.stdout.take()).ok_or_else(missing)?;
        let (frames, to_write) = mpsc::channel();
        let (to_hear, heard) = mpsc::channel();
        std::thread::spawn(move || write_all(stdin, &to_write));
        std::thread::spawn(move || listen(BufReader::new(stdout), &to_hear, most));
        Ok(Self { child, frames: Some(frames), heard, patience })
    }

    /// Sends bytes. That nobody takes them shows in the answer that does not come.
    pub fn send(&self, bytes: Vec<u8>) {
        if let Some(frames) = &self.frames {
            let _ = frames.send(bytes);
        }
    }

    fn hear(&self) -> Result<Option<Heard>, String> {
        match self.heard.recv_timeout(self.patience) {
            Ok(Heard::End) | Err(RecvTimeoutError::Disconnected) => Ok(None),
            Ok(Heard::Wrong(error)) => Err(error.to_string()),
            Ok(heard) => Ok(Some(heard)),
            Err(RecvTimeoutError::Timeout) => Err(format!(
                "it hangs: no answer within {} s, the time limit (--timeout); it was stopped",
                self.patience.as_secs_f64()
            )),
        }
    }

    /// The client's first line.
    ///
    /// # Errors
    /// What the client did instead.
    pub fn hello(&mut self) -> Result<ClientHello, String> {
        match self.hear()? {
            Some(Heard::Hello(hello)) => Ok(hello),
            _ => Err(self.died()),
        }
    }

    /// The answer to a frame.
    ///
    /// # Errors
    /// What the client did instead.
    pub fn reply(&mut self, number: u32) -> Result<Reply, String> {
        match self.hear()? {
            Some(Heard::Reply(reply)) if reply.number == number => Ok(reply),
            Some(Heard::Reply(reply)) => {
                Err(format!("it answers frame {} where frame {number} was asked", reply.number))
            }
            _ => Err(self.died()),
        }
    }

    /// Waits for the end, behind which nothing may come.
    ///
    /// # Errors
    /// What the client did instead.
    pub fn end(&mut self) -> Result<(), String> {
        self.frames = None;
        if self.hear()?.is_some() {
            return Err("it answers too much: something comes behind the last answer".to_owned());
        }
        match self.exited() {
            Some(status) if !status.success() => Err(format!("it ends with {status} behind the last answer")),
            _ => Ok(()),
        }
    }

    fn died(&mut self) -> String {
        match self.exited() {
            Some(status) => format!("it died: {status}"),
            None => "it closed its standard output and goes on; it was stopped".to_owned(),
        }
    }

    /// How it ended, when it does so soon.
    fn exited(&mut self) -> Option<ExitStatus> {
        let until = Instant::now() + self.patience.min(Duration::from_secs(2));
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => return Some(status),
                Ok(None) if Instant::now() < until => std::thread::sleep(Duration::from_millis(5)),
                _ => return None,
            }
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.frames = None;
        // One that has ended is no news.
        if !matches!(self.child.try_wait(), Ok(Some(_))) {
            end_group(self.child.id());
            let _ = self.child.kill();
        }
        let _ = self.child.wait();
    }
}

/// The command in the shell.
#[cfg(not(unix))]
fn shell(command: &str) -> Command {
    let mut shell = Command::new("cmd");
    shell.args(["/C", command]);
    shell
}

/// The command in the shell and in its place, in a group of processes of its own.
#[cfg(unix)]
fn shell(command: &str) -> Command {
    use std::os::unix::process::CommandExt;
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("exec {command}")]).process_group(0);
    shell
}

/// Ends what the command started, too.
fn end_group(id: u32) {
    if cfg!(unix) {
        // Where there is no such program the command itself is ended all the same.
        let _ = Command::new("kill").args(["-s", "KILL", "--", &format!("-{id}")]).stderr(Stdio::null()).status();
    }
}

fn write_all(stdin: ChildStdin, frames: &Receiver<Vec<u8>>) {
    let mut stdin = BufWriter::new(stdin);
    for frame in frames {
        if stdin.write_all(&frame).and_then(|()| stdin.flush()).is_err() {
            return;
        }
    }
}

fn listen(mut stdout: BufReader<std::process::ChildStdout>, heard: &Sender<Heard>, most: u32) {
    let first = match ClientHello::read(&mut stdout) {
        Ok(hello) => Heard::Hello(hello),
        // A client that says nothing at all has died or ends; which of them, its process says.
        Err(ProtocolError::Silent) => Heard::End,
        Err(error) => Heard::Wrong(error),
    };
    let ends = !matches!(first, Heard::Hello(_));
    if heard.send(first).is_err() || ends {
        return;
    }
    loop {
        let next = match read_reply(&mut stdout, most) {
            Ok(Some(reply)) => Heard::Reply(reply),
            Ok(None) => Heard::End,
            Err(error) => Heard::Wrong(error),
        };
        let ends = !matches!(next, Heard::Reply(_));
        if heard.send(next).is_err() || ends {
            return;
        }
    }
}
