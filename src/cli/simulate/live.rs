//! `carom simulate --live`: the replay of the run as it goes, for browsers on this machine alone.
//!
//! The server reads what the run has written and takes no part in it. It listens on the loopback address, answers `GET`
//! with its own name as the host alone (a page of somebody else that has its name lead here is refused), and ends with
//! the run.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use carom::record::GrowingRun;
use carom::scenario::Experiment;
use carom::views::page::page_text;
use carom::views::replay::{LiveReplay, LiveRun, REPLAY_PAGE};

/// What a page of a run that goes on has besides; a page that is kept asks nobody for anything.
const LIVE_SCRIPT: &str = include_str!("../replay/live.js");

/// Longest request that is read.
const MOST_REQUEST: u64 = 16 * 1024;
/// Connections at once; more are closed.
const MOST_CLIENTS: usize = 16;
/// A client that says nothing is left after this time.
const PATIENCE: Duration = Duration::from_secs(2);
/// A browser that asked within this time is shown the end of the run.
const WATCHED: Duration = Duration::from_secs(4);
/// How long the server waits for it.
const LAST_LOOK: Duration = Duration::from_secs(3);

struct Shared {
    experiment: Experiment,
    /// What was read of the run.
    run: Mutex<GrowingRun>,
    port: u16,
    /// The run has ended: its tables are whole.
    ended: AtomicBool,
    /// Somebody has seen the end.
    seen: AtomicBool,
    /// The server is to go.
    closed: AtomicBool,
    /// Connections that are being answered.
    clients: AtomicUsize,
    begun: Instant,
    /// When the page was last asked for [ms since `begun`]; 0 for never.
    asked: AtomicU64,
}

/// A server that goes with the run.
pub struct LiveServer {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl LiveServer {
    /// Begins to listen on a free port of the loopback address.
    ///
    /// # Errors
    /// The system gives no port.
    pub fn start(experiment: &Experiment, folder: &Path) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let shared = Arc::new(Shared {
            experiment: experiment.clone(),
            run: Mutex::new(GrowingRun::new(folder)),
            port: listener.local_addr()?.port(),
            ended: AtomicBool::new(false),
            seen: AtomicBool::new(false),
            closed: AtomicBool::new(false),
            clients: AtomicUsize::new(0),
            begun: Instant::now(),
            asked: AtomicU64::new(0),
        });
        let own = Arc::clone(&shared);
        let thread = std::thread::spawn(move || {
            for stream in listener.incoming() {
                if own.closed.load(Ordering::SeqCst) {
                    break;
                }
                let Ok(stream) = stream else { continue };
                // Browsers open connections ahead and say nothing on them: none waits for another.
                if own.clients.fetch_add(1, Ordering::SeqCst) < MOST_CLIENTS {
                    let client = Arc::clone(&own);
                    std::thread::spawn(move || {
                        // A client that goes away is no matter of the run.
                        let _ = client.answer(stream);
                        client.clients.fetch_sub(1, Ordering::SeqCst);
                    });
                } else {
                    own.clients.fetch_sub(1, Ordering::SeqCst);
                }
            }
        });
        Ok(Self {
            shared,
            thread: Some(thread),
        })
    }

    /// Where a browser finds it.
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}/", self.shared.port)
    }

    /// Shows the end of the run to who is watching, and ends.
    pub fn finish(mut self) {
        self.shared.ended.store(true, Ordering::SeqCst);
        let asked = Duration::from_millis(self.shared.asked.load(Ordering::SeqCst));
        let watched = !asked.is_zero() && self.shared.begun.elapsed() < asked + WATCHED;
        let until = Instant::now() + LAST_LOOK;
        while watched && !self.shared.seen.load(Ordering::SeqCst) && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(20));
        }
        self.close();
    }

    fn close(&mut self) {
        self.shared.closed.store(true, Ordering::SeqCst);
        // Wakes the thread, which waits for somebody.
        let own = SocketAddr::from((Ipv4Addr::LOCALHOST, self.shared.port));
        let _ = TcpStream::connect_timeout(&own, PATIENCE);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Drop for LiveServer {
    fn drop(&mut self) {
        if self.thread.is_some() {
            self.close();
        }
    }
}

impl Shared {
    fn answer(&self, mut stream: TcpStream) -> io::Result<()> {
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        let Some(request) = Request::read(&stream)? else {
            return respond(
                &mut stream,
                "400 Bad Request",
                "text/plain",
                b"bad request\n",
            );
        };
        let names = ["127.0.0.1", "localhost"].map(|name| format!("{name}:{}", self.port));
        if !names.contains(&request.host) {
            let text = b"this server answers to 127.0.0.1 alone\n";
            return respond(&mut stream, "403 Forbidden", "text/plain", text);
        }
        if request.method != "GET" {
            return respond(
                &mut stream,
                "405 Method Not Allowed",
                "text/plain",
                b"GET alone\n",
            );
        }
        let now = u64::try_from(self.begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.asked.store(now.max(1), Ordering::SeqCst);
        // Before the tables are read: a run that ends meanwhile is told to go on, and asked again.
        let ended = self.ended.load(Ordering::SeqCst);
        let (kind, body) = match request.path.as_str() {
            "/" => ("text/html; charset=utf-8", self.page()),
            "/run.json" => (
                "application/json",
                (self.so_far(!ended)).and_then(|run| serde_json::to_vec(&run).ok()),
            ),
            _ => return respond(&mut stream, "404 Not Found", "text/plain", b"not here\n"),
        };
        match body {
            Some(body) => {
                respond(&mut stream, "200 OK", kind, &body)?;
                if ended && request.path == "/run.json" {
                    self.seen.store(true, Ordering::SeqCst);
                }
                Ok(())
            }
            None => {
                let text = b"nothing is written yet; load this page again\n";
                respond(&mut stream, "503 Service Unavailable", "text/plain", text)
            }
        }
    }

    /// What the run has written so far.
    fn so_far(&self, live: bool) -> Option<LiveRun> {
        let mut run = self.run.lock().unwrap_or_else(PoisonError::into_inner);
        run.update().ok()?;
        LiveRun::so_far(&self.experiment, &run, live)
    }

    fn page(&self) -> Option<Vec<u8>> {
        let replay = LiveReplay::new(&self.experiment, self.so_far(true)?);
        let mut text = Vec::new();
        page_text(
            &mut text,
            &replay.robot,
            &REPLAY_PAGE,
            &replay,
            &[LIVE_SCRIPT],
        )
        .ok()?;
        Some(text)
    }
}

/// What matters of a request.
struct Request {
    method: String,
    path: String,
    host: String,
}

impl Request {
    /// Nothing where it is none, is too long, or has no host or several.
    fn read(stream: &TcpStream) -> io::Result<Option<Self>> {
        let mut lines = BufReader::new(stream.take(MOST_REQUEST));
        let mut line = String::new();
        lines.read_line(&mut line)?;
        let mut words = line.split_ascii_whitespace();
        let (Some(method), Some(path)) = (words.next(), words.next()) else {
            return Ok(None);
        };
        let (method, path) = (method.to_string(), path.to_string());
        let mut hosts = Vec::new();
        loop {
            line.clear();
            if lines.read_line(&mut line)? == 0 || !line.ends_with('\n') {
                return Ok(None);
            }
            let field = line.trim_end();
            if field.is_empty() {
                break;
            }
            if let Some((name, value)) = field.split_once(':')
                && name.eq_ignore_ascii_case("host")
            {
                hosts.push(value.trim().to_ascii_lowercase());
            }
        }
        Ok(match hosts.len() {
            1 => hosts.pop().map(|host| Self { method, path, host }),
            _ => None,
        })
    }
}

fn respond(stream: &mut TcpStream, status: &str, kind: &str, body: &[u8]) -> io::Result<()> {
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nCache-Control: no-store\r\n\
         X-Content-Type-Options: nosniff\r\nCross-Origin-Resource-Policy: same-origin\r\n\
         Cross-Origin-Opener-Policy: same-origin\r\nX-Frame-Options: DENY\r\nConnection: close\r\n\r\n",
        body.len()
    )?;
    stream.write_all(body)?;
    stream.flush()
}
