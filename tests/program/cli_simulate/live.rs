//! `--live`: a run that is looked at as it goes.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::support::{Folder, assert_same, shipped, simulate, text};

/// What a request is answered with: the line of the status, and the body.
fn ask(port: &str, request: &str) -> (String, String) {
    let mut stream = TcpStream::connect(format!("127.0.0.1:{port}")).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head.lines().next().unwrap().to_string(), body.to_string())
}

fn get(port: &str, path: &str) -> (String, String) {
    ask(
        port,
        &format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n"),
    )
}

#[test]
fn a_run_is_shown_to_this_machine_alone_and_stays_the_same_run() {
    let folder = Folder::new("live");
    let (watched, alone) = (folder.path("watched"), folder.path("alone"));
    let scenario = shipped("chain/chain4.toml");
    let options = ["--set", "duration=100", "--set", "output.plots=false"];
    let mut run = Command::new(env!("CARGO_BIN_EXE_carom"))
        .args(["simulate", "--live", "--out"])
        .args([&watched, &scenario])
        .args(options)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut notes = BufReader::new(run.stderr.take().unwrap());
    let mut line = String::new();
    while !line.contains("http://127.0.0.1:") {
        line.clear();
        assert!(notes.read_line(&mut line).unwrap() > 0, "no address");
    }
    let port = line
        .trim()
        .trim_end_matches('/')
        .rsplit(':')
        .next()
        .unwrap()
        .to_string();

    // A name that somebody else's page may have lead here, no name, another method, another file.
    for (request, status) in [
        (
            "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n".to_string(),
            "403",
        ),
        (
            format!("GET /run.json HTTP/1.1\r\nHost: evil.example:{port}\r\n\r\n"),
            "403",
        ),
        ("GET / HTTP/1.1\r\n\r\n".to_string(), "400"),
        ("\r\n".to_string(), "400"),
        (
            format!("POST / HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n"),
            "405",
        ),
        (
            format!("GET /../Cargo.toml HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n"),
            "404",
        ),
    ] {
        let (answer, _) = ask(&port, &request);
        assert!(answer.contains(status), "{request:?}: {answer}");
    }
    // The address is of the loopback interface: others of the machine do not lead to it.
    assert!(TcpStream::connect(format!("127.0.0.2:{port}")).is_err());

    let deadline = Instant::now() + Duration::from_secs(120);
    let (mut pages, mut frames) = (0, 0);
    loop {
        assert!(Instant::now() < deadline, "the run does not end");
        let (status, body) = get(&port, "/run.json");
        if status.contains("200") {
            let seen: serde_json::Value = serde_json::from_str(&body).unwrap();
            let packed = seen["frames"]["times"].as_str().unwrap().len();
            frames = frames.max(packed);
            if seen["live"] == false {
                break;
            }
            if pages == 0 {
                let (status, page) = get(&port, "/");
                assert!(
                    status.contains("200") && page.contains("id=\"scene\""),
                    "{status}"
                );
                pages += 1;
            }
        } else {
            assert!(status.contains("503"), "{status}");
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(pages == 1 && frames > 0);
    assert!(run.wait().unwrap().success());
    let plain = simulate(&scenario, &alone, &options);
    assert!(plain.status.success(), "{}", text(&plain.stderr));
    assert_same(&watched, &alone);
}
