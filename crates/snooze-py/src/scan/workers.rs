//! Pieces on several threads, results in order.
//!
//! Separate from `stream` and `inferring`, which read on the caller's thread where one is enough.
//! Invariants: results come in the order of the pieces; at most `threads + 2` pieces are read ahead
//! of the consumer, so memory is bounded; dropping the workers ends them after the piece they read.
//! The workers never touch Python.

use core::fmt::Debug;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};

use snooze_core::columns::NoMemory;

use crate::arrow::Shared;
use crate::scan::error::PieceError;
use crate::scan::pieces::{Piece, Pieces, Plan};

/// What one thread does with pieces, and its memory for that.
pub(crate) trait Work: Sized + 'static {
    /// What all threads are told.
    type Setting: Send + Sync + Debug;
    /// What becomes of a piece.
    type Output: Send + Debug;

    /// Memory for pieces of this plan.
    fn new(plan: &Plan, setting: &Self::Setting) -> Result<Self, NoMemory>;

    /// Reads a piece.
    fn read(&mut self, plan: &Plan, piece: Piece) -> Result<Self::Output, PieceError>;
}

/// The result of a piece, and the index of its range.
type Outcome<W> = (usize, Piece, Result<<W as Work>::Output, PieceError>);

#[derive(Debug)]
struct Queue<W: Work> {
    plan: Shared<Plan>,
    setting: W::Setting,
    state: Mutex<State<W>>,
    /// A result has come, or a worker has ended.
    is_ready: Condvar,
    /// The consumer has taken a result, or gives up.
    has_room: Condvar,
}

#[derive(Debug)]
struct State<W: Work> {
    pieces: Pieces,
    /// Pieces handed out, and results taken.
    given: usize,
    taken: usize,
    /// The results of the pieces from `taken` on, each at its number modulo the length.
    results: Vec<Option<Outcome<W>>>,
    is_finished: bool,
}

/// Threads that read the pieces of a plan.
#[derive(Debug)]
pub(crate) struct Workers<W: Work> {
    queue: Shared<Queue<W>>,
    threads: Vec<JoinHandle<()>>,
    /// The process that started the threads: a fork has none of them.
    process: u32,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<W: Work> Workers<W> {
    /// Starts as many threads as the system allows, up to `count`; none is an error.
    pub(crate) fn start(
        plan: &Shared<Plan>,
        setting: W::Setting,
        count: usize,
    ) -> Result<Self, PieceError> {
        let mut results = Vec::new();
        results.try_reserve_exact(count + 2).map_err(|_| NoMemory)?;
        results.resize_with(count + 2, || None);
        let state =
            State { pieces: plan.pieces(), given: 0, taken: 0, results, is_finished: false };
        let queue = Shared::new(Queue {
            plan: plan.clone(),
            setting,
            state: Mutex::new(state),
            is_ready: Condvar::new(),
            has_room: Condvar::new(),
        })?;
        let mut threads = Vec::new();
        threads.try_reserve_exact(count).map_err(|_| NoMemory)?;
        let mut error = None;
        for _ in 0..count {
            let queue = queue.clone();
            // The C stack is used to the depth of the schema, which is limited.
            let thread = Builder::new().stack_size(1 << 20).spawn(move || work(&queue));
            match thread {
                Ok(thread) => threads.push(thread),
                Err(reason) => {
                    error = Some(reason.into());
                    break;
                }
            }
        }
        if let Some(error) = error
            && threads.is_empty()
        {
            return Err(PieceError::NoThread(error));
        }
        Ok(Self { queue, threads, process: std::process::id() })
    }

    /// Whether this is the child of a fork, which has the memory of the threads but not the threads.
    pub(crate) fn is_forked(&self) -> bool {
        std::process::id() != self.process
    }

    /// The next result; `None` at the end, an error after a fork.
    pub(crate) fn next(&mut self) -> Result<Option<Outcome<W>>, PieceError> {
        if self.is_forked() {
            return Err(PieceError::Forked);
        }
        let mut state = lock(&self.queue.state);
        loop {
            let place = state.taken % state.results.len();
            if let Some(outcome) = state.results[place].take() {
                state.taken += 1;
                drop(state);
                self.queue.has_room.notify_one();
                return Ok(Some(outcome));
            }
            if state.is_finished && state.taken == state.given {
                return Ok(None);
            }
            state = self.queue.is_ready.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl<W: Work> Drop for Workers<W> {
    fn drop(&mut self) {
        if self.is_forked() {
            // Nothing to wait for, and the lock may be held by a thread of the parent.
            core::mem::forget(core::mem::take(&mut self.threads));
            return;
        }
        lock(&self.queue.state).is_finished = true;
        self.queue.has_room.notify_all();
        for thread in self.threads.drain(..) {
            // A worker cannot panic: a panic aborts.
            let _ = thread.join();
        }
    }
}

/// Reads pieces until there are no more.
fn work<W: Work>(queue: &Queue<W>) {
    let plan = &*queue.plan;
    let mut work = W::new(plan, &queue.setting);
    loop {
        let (number, range, piece) = {
            let mut state = lock(&queue.state);
            loop {
                if state.is_finished {
                    return;
                }
                if state.given - state.taken < state.results.len() {
                    break;
                }
                state = queue.has_room.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            let Some((range, piece)) = state.pieces.next(plan) else {
                state.is_finished = true;
                queue.has_room.notify_all();
                queue.is_ready.notify_all();
                return;
            };
            state.given += 1;
            (state.given - 1, range, piece)
        };
        let result = match &mut work {
            Ok(work) => work.read(plan, piece),
            Err(NoMemory) => {
                // Other threads may wait for the text of this piece to be taken.
                if let Some(compressed) = plan.sources[piece.source].as_compressed() {
                    compressed.finish();
                }
                Err(NoMemory.into())
            }
        };
        let mut state = lock(&queue.state);
        let place = number % state.results.len();
        state.results[place] = Some((range, piece, result));
        drop(state);
        queue.is_ready.notify_all();
    }
}
