//! The corner that needs `unsafe`: signal handlers, the interval timer, forking, dying by a signal.
//!
//! Signals are noticed, not acted upon: a handler sets a bit and makes whatever call is blocking
//! return with `EINTR`. A signal that comes just before a blocking call would be slept through, so
//! the handler also starts a short interval timer, which interrupts again and again until the bit
//! has been taken.

use std::os::fd::BorrowedFd;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::time::Duration;

/// Standard descriptors that were closed when the process started, one bit each. The runtime
/// opens `/dev/null` in their place before `main`, so this is looked at earlier.
static CLOSED_AT_START: AtomicU8 = AtomicU8::new(0);

/// Signals that came and were not taken yet, one bit a signal number.
static PENDING: AtomicU64 = AtomicU64::new(0);

/// Of these, the ones that the kernel sent by itself: those that a key of the terminal made, which
/// the whole foreground group gets.
static FROM_TERMINAL: AtomicU64 = AtomicU64::new(0);

/// How often a blocking call is interrupted again while a signal waits to be taken.
const INSIST: libc::timeval = libc::timeval { tv_sec: 0, tv_usec: 10_000 };

extern "C" fn look_at_descriptors() {
    for fd in 0..3u8 {
        // SAFETY: `F_GETFD` reads a flag of a descriptor number, valid or not, and touches no memory.
        if unsafe { libc::fcntl(libc::c_int::from(fd), libc::F_GETFD) } == -1 {
            CLOSED_AT_START.fetch_or(1 << fd, Ordering::Relaxed);
        }
    }
}

// SAFETY: the section holds pointers to functions that the loader calls before `main`; this one
// needs nothing of the runtime.
#[used]
#[unsafe(link_section = ".init_array")]
static LOOK_BEFORE_MAIN: extern "C" fn() = look_at_descriptors;

/// Tells whether a standard descriptor (0, 1 or 2) was closed when the process started.
pub(crate) fn was_closed(fd: u8) -> bool {
    CLOSED_AT_START.load(Ordering::Relaxed) & (1 << fd) != 0
}

extern "C" fn note_signal(number: libc::c_int, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    // SAFETY: with `SA_SIGINFO` the kernel hands in the address of a filled-in value.
    if unsafe { (*info).si_code } == libc::SI_KERNEL {
        FROM_TERMINAL.fetch_or(1 << number, Ordering::SeqCst);
    } else {
        FROM_TERMINAL.fetch_and(!(1 << number), Ordering::SeqCst);
    }
    PENDING.fetch_or(1 << number, Ordering::SeqCst);
    if number != libc::SIGALRM {
        let insist = libc::itimerval { it_interval: INSIST, it_value: INSIST };
        // SAFETY: a plain system call on a value of this stack frame; `errno`, the one thing it
        // could disturb, is only read by callers right after a call of their own failed.
        unsafe {
            let errno = *libc::__errno_location();
            libc::setitimer(libc::ITIMER_REAL, &insist, std::ptr::null_mut());
            *libc::__errno_location() = errno;
        }
    }
}

/// Starts to notice a signal instead of dying by it. A signal that was inherited as ignored stays
/// so unless `even_ignored`.
pub(crate) fn notice(number: i32, even_ignored: bool) {
    // SAFETY: `sigaction` gets pointers to initialised values of this frame; the handler only uses
    // atomics and an async-signal-safe call. No `SA_RESTART`: blocking calls must return.
    unsafe {
        let mut before: libc::sigaction = std::mem::zeroed();
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = note_signal as *const () as libc::sighandler_t;
        action.sa_flags = libc::SA_SIGINFO;
        libc::sigaction(number, &action, &mut before);
        if !even_ignored && before.sa_sigaction == libc::SIG_IGN {
            libc::sigaction(number, &before, std::ptr::null_mut());
        }
    }
}

/// Takes one of the signals that came, lowest number first; the alarm is not among them.
pub(crate) fn take_signal() -> Option<i32> {
    let alarm = 1 << libc::SIGALRM;
    let pending = PENDING.load(Ordering::SeqCst) & !alarm;
    if pending == 0 {
        return None;
    }
    let number = pending.trailing_zeros();
    PENDING.fetch_and(!(1 << number), Ordering::SeqCst);
    i32::try_from(number).ok()
}

/// Tells whether a signal that was taken came from a key of the terminal.
pub(crate) fn came_from_terminal(number: i32) -> bool {
    FROM_TERMINAL.load(Ordering::SeqCst) & (1 << number) != 0
}

/// Has a function called in the process that a command starts, just before it becomes the program.
/// The function must do nothing but system calls.
pub(crate) fn before_exec(
    command: &mut std::process::Command,
    prepare: impl FnMut() -> std::io::Result<()> + Send + Sync + 'static,
) {
    use std::os::unix::process::CommandExt as _;
    // SAFETY: these programs have one thread, so no lock can be held by another one when the
    // process is copied; the callers' functions only make system calls.
    unsafe { command.pre_exec(prepare) };
}

/// Tells whether a signal waits to be taken.
pub(crate) fn signal_pending() -> bool {
    PENDING.load(Ordering::SeqCst) & !(1 << libc::SIGALRM) != 0
}

/// Tells whether the timer has gone off since it was last asked.
pub(crate) fn take_alarm() -> bool {
    let alarm = 1 << libc::SIGALRM;
    PENDING.load(Ordering::Relaxed) & alarm != 0
        && PENDING.fetch_and(!alarm, Ordering::SeqCst) & alarm != 0
}

/// Has blocking calls interrupted once `after` has passed, and every few milliseconds from then on.
pub(crate) fn interrupt_after(after: Duration) {
    notice(libc::SIGALRM, true);
    let it_value = libc::timeval {
        // More than a life of 68 years need not be told apart.
        tv_sec: after.as_secs().min(i32::MAX as u64) as _,
        tv_usec: after.subsec_micros().max(1) as _,
    };
    let timer = libc::itimerval { it_interval: INSIST, it_value };
    // SAFETY: a plain system call on a value of this stack frame.
    unsafe { libc::setitimer(libc::ITIMER_REAL, &timer, std::ptr::null_mut()) };
}

/// The process group that this process is in; 0 where its leader is outside this process's view, as
/// in a PID namespace that was entered without a session of its own. `rustix` rules that out.
pub(crate) fn process_group() -> i32 {
    // SAFETY: a plain system call that takes nothing and cannot fail.
    unsafe { libc::getpgrp() }
}

/// The session that this process is in; 0 where its leader is outside this process's view.
pub(crate) fn session() -> i32 {
    // SAFETY: a plain system call; 0 stands for this process, which cannot be missing.
    unsafe { libc::getsid(0) }
}

/// Ends this process by a signal, with its default action; ends with 128 + number where the signal
/// does not end a process.
pub(crate) fn die_by(number: i32) -> ! {
    // SAFETY: sets a default disposition, unblocks and raises: system calls on values of this frame.
    unsafe {
        // No core file for a death that was asked for.
        let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        libc::setrlimit(libc::RLIMIT_CORE, &none);
        libc::signal(number, libc::SIG_DFL);
        let mut set: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&mut set);
        libc::sigaddset(&mut set, number);
        libc::sigprocmask(libc::SIG_UNBLOCK, &set, std::ptr::null_mut());
        libc::kill(libc::getpid(), number);
        libc::_exit(128 + number)
    }
}

/// Ends this process at once: no destructors, no flushing; everything of ours is written already.
pub(crate) fn exit_now(code: u8) -> ! {
    // SAFETY: `_exit` takes any number and does not return.
    unsafe { libc::_exit(i32::from(code)) }
}

/// Gives signals their default actions again, for a process that was forked off.
pub(crate) fn forget_signals(numbers: &[i32]) {
    for number in numbers {
        // SAFETY: sets a default disposition, which touches no memory of ours.
        unsafe { libc::signal(*number, libc::SIG_DFL) };
    }
}

/// Bytes that were written to a pipe and not read yet.
pub(crate) fn unread_bytes(fd: BorrowedFd) -> Option<u64> {
    use std::os::fd::AsRawFd;
    let mut waiting: libc::c_int = 0;
    // SAFETY: `FIONREAD` stores one `int` at the address given, which is valid for the call.
    let done = unsafe { libc::ioctl(fd.as_raw_fd(), libc::FIONREAD, &mut waiting) };
    if done == 0 { u64::try_from(waiting).ok() } else { None }
}

/// The path given to the call that started this program, links not resolved (`AT_EXECFN`).
pub(crate) fn started_by() -> Option<&'static std::ffi::CStr> {
    // SAFETY: `getauxval` reads a table of the process; for `AT_EXECFN` it gives 0 or the address
    // of a string that lives as long as the process.
    unsafe {
        let address = libc::getauxval(libc::AT_EXECFN) as *const libc::c_char;
        (!address.is_null()).then(|| std::ffi::CStr::from_ptr(address))
    }
}

/// What `fork` returned.
pub(crate) enum Forked {
    /// This process is the new one.
    Child,
    /// This process goes on; the other has this id.
    Parent(i32),
}

/// Makes a second process out of this one.
///
/// # Errors
///
/// The error of the system call.
pub(crate) fn fork() -> std::io::Result<Forked> {
    // SAFETY: the doubles have one thread, so the child's copy of every lock is free.
    match unsafe { libc::fork() } {
        -1 => Err(std::io::Error::last_os_error()),
        0 => Ok(Forked::Child),
        pid => Ok(Forked::Parent(pid)),
    }
}

/// Closes a standard descriptor by putting nothing in its place.
pub(crate) fn close_standard(fd: u8) {
    // SAFETY: the number is 0, 1 or 2; the callers write to these by number only and keep a flag
    // that it is closed, so no owned handle is left dangling.
    unsafe { libc::close(libc::c_int::from(fd)) };
}

/// Tells whether a process of this id is there.
pub(crate) fn is_there(pid: i32) -> bool {
    // SAFETY: signal 0 is only looked up, never sent.
    let found = unsafe { libc::kill(pid, 0) };
    found == 0 || std::io::Error::last_os_error().raw_os_error() != Some(libc::ESRCH)
}

/// Sends a signal to a process that this one has started.
pub(crate) fn send_signal(pid: i32, number: i32) {
    // SAFETY: `kill` takes any numbers and touches no memory.
    unsafe { libc::kill(pid, number) };
}

/// How a process that this one has started ended: a code, or a signal's number.
pub(crate) enum Status {
    /// By an exit code.
    Exited(u8),
    /// By a signal.
    Killed(i32),
}

/// Waits for a process that this one has started; `None`: a signal came first.
pub(crate) fn wait_for(pid: i32) -> Option<Status> {
    let mut status: libc::c_int = 0;
    // SAFETY: `waitpid` stores one `int` at the address given, which is valid for the call.
    if unsafe { libc::waitpid(pid, &mut status, 0) } != pid {
        return None;
    }
    Some(match libc::WIFSIGNALED(status) {
        true => Status::Killed(libc::WTERMSIG(status)),
        false => Status::Exited(libc::WEXITSTATUS(status) as u8),
    })
}

/// Connects a standard descriptor to nothing.
pub(crate) fn to_null(fd: u8) {
    if let Ok(null) = std::fs::OpenOptions::new().read(true).write(true).open("/dev/null") {
        use std::os::fd::AsRawFd as _;
        // SAFETY: both numbers are open descriptors of this process; nobody holds an owned handle
        // of a standard one.
        unsafe { libc::dup2(null.as_raw_fd(), libc::c_int::from(fd)) };
    }
}

/// The descriptor of a standard stream, as inherited.
pub(crate) fn standard(fd: u8) -> BorrowedFd<'static> {
    // SAFETY: 0, 1 and 2 are open from before `main` (the runtime sees to it) until
    // `close_standard`, after which the stream's owner makes no further calls.
    unsafe { BorrowedFd::borrow_raw(i32::from(fd)) }
}
