//! A spawn that runs, and what is known of it when it has ended.

use std::fmt;
use std::io::{ErrorKind, Read, Write};
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, ChildStdin, ChildStdout};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

/// How long anything may take that a test waits for.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// A spawn that runs.
pub struct Running {
    child: Child,
    stdout: Option<ChildStdout>,
    stderr: Option<JoinHandle<Vec<u8>>>,
    /// What a test has read of stdout already.
    read: Vec<u8>,
}

/// A spawn that has ended.
#[derive(Clone, PartialEq, Eq)]
pub struct Done {
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    /// The exit code, or the signal's number, negative.
    pub status: i32,
}

impl Running {
    pub(crate) fn new(mut child: Child, input: Option<Vec<u8>>) -> Running {
        let stderr = child.stderr.take().map(|mut stderr| {
            std::thread::spawn(move || {
                let mut bytes = Vec::new();
                let _ = stderr.read_to_end(&mut bytes);
                bytes
            })
        });
        if let Some(bytes) = input
            && let Some(mut stdin) = child.stdin.take()
        {
            // A double that does not read leaves the writer with a broken pipe.
            std::thread::spawn(move || stdin.write_all(&bytes));
        }
        let stdout = child.stdout.take();
        Running { child, stdout, stderr, read: Vec::new() }
    }

    /// Its process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Its stdin.
    pub fn stdin(&mut self) -> &mut ChildStdin {
        self.child.stdin.as_mut().unwrap()
    }

    /// Writes to its stdin.
    pub fn say(&mut self, text: &str) {
        self.stdin().write_all(text.as_bytes()).unwrap();
    }

    /// Writes to its stdin, if it is still there to read: whoever reads nothing may be gone already.
    pub fn offer(&mut self, text: &str) {
        match self.stdin().write_all(text.as_bytes()) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => {}
            written => written.unwrap(),
        }
    }

    /// Ends its stdin.
    pub fn hang_up(&mut self) {
        drop(self.child.stdin.take());
    }

    /// Ends its stdout: nobody reads it any more.
    pub fn leave(&mut self) {
        drop(self.stdout.take());
    }

    /// Reads stdout until this text has come.
    #[track_caller]
    pub fn hear(&mut self, text: &str) {
        let stdout = self.stdout.as_mut().unwrap();
        let mut buffer = [0; 4096];
        while !String::from_utf8_lossy(&self.read).contains(text) {
            let count = stdout.read(&mut buffer).unwrap();
            let so_far = String::from_utf8_lossy(&self.read);
            assert!(count > 0, "stdout ended before {text:?} came: {so_far:?}");
            self.read.extend_from_slice(&buffer[..count]);
        }
    }

    /// What was read of stdout so far.
    pub fn read_so_far(&self) -> String {
        String::from_utf8_lossy(&self.read).into_owned()
    }

    /// Reads one piece of stdout, as much as there is at once.
    pub fn piece(&mut self) -> Vec<u8> {
        let mut buffer = [0; 1 << 16];
        let count = self.stdout.as_mut().unwrap().read(&mut buffer).unwrap();
        self.read.extend_from_slice(&buffer[..count]);
        buffer[..count].to_vec()
    }

    /// Sends it a signal.
    pub fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Tells whether it has not ended.
    pub fn runs(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    /// Waits for its end, reading what it writes.
    #[track_caller]
    pub fn end(mut self) -> Done {
        self.hang_up();
        self.end_talking()
    }

    /// Waits for its end with its stdin still open.
    #[track_caller]
    pub fn end_talking(mut self) -> Done {
        let mut stdout = std::mem::take(&mut self.read);
        if let Some(pipe) = &mut self.stdout {
            pipe.read_to_end(&mut stdout).unwrap();
        }
        let stdin = self.child.stdin.take();
        let began = Instant::now();
        let status = loop {
            match self.child.try_wait().unwrap() {
                Some(status) => break status,
                None if began.elapsed() > PATIENCE => {
                    let _ = self.child.kill();
                    panic!("it did not end after its stdout had; stdout: {stdout:?}");
                }
                None => std::thread::sleep(Duration::from_millis(2)),
            }
        };
        drop(stdin);
        let stderr = self.stderr.map_or_else(Vec::new, |reader| reader.join().unwrap());
        let status = status.code().unwrap_or_else(|| -status.signal().unwrap());
        Done { stdout, stderr, status }
    }
}

impl Done {
    /// What stdout said, as text.
    pub fn out(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    /// What stderr said, as text.
    pub fn err(&self) -> String {
        String::from_utf8_lossy(&self.stderr).into_owned()
    }

    /// Checks everything that a parent process sees.
    #[track_caller]
    pub fn is(&self, stdout: impl AsRef<[u8]>, stderr: impl AsRef<[u8]>, status: i32) {
        let (stdout, stderr) = (stdout.as_ref().to_vec(), stderr.as_ref().to_vec());
        let wanted = Done { stdout, stderr, status };
        assert!(*self == wanted, "\n   got: {self:?}\nwanted: {wanted:?}");
    }

    /// Checks that ringer itself refused: 97, nothing on stdout, its name in front of the message.
    #[track_caller]
    pub fn is_refused(&self, program: &str) {
        let named = self.err().starts_with(&format!("ringer({program}): "));
        assert!(self.status == 97 && self.stdout.is_empty() && named, "{self:?}");
    }
}

impl fmt::Debug for Done {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let shown = |bytes: &[u8]| {
            let text = bytes[..bytes.len().min(3000)].escape_ascii().to_string();
            format!("{} bytes \"{text}\"", bytes.len())
        };
        let (stdout, stderr) = (shown(&self.stdout), shown(&self.stderr));
        write!(f, "status {}, stdout {stdout}, stderr {stderr}", self.status)
    }
}

/// Waits until something is so.
#[track_caller]
pub fn until(what: &str, mut so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !so() {
        assert!(began.elapsed() < PATIENCE, "waited in vain until {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}
