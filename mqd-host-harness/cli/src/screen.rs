//! A screen on the terminal that can be refreshed and scrolled. Dropping it restores the terminal.

use std::io::{self, Stdout, Write, stdout};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crossterm::event::{Event, KeyCode, KeyEventKind, KeyModifiers, poll, read};
use crossterm::style::{Attribute, Print, SetAttribute};
use crossterm::terminal::{
    BeginSynchronizedUpdate, Clear, ClearType, EndSynchronizedUpdate, EnterAlternateScreen,
    LeaveAlternateScreen, disable_raw_mode, enable_raw_mode, size,
};
use crossterm::{cursor, execute, queue};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;
use unicode_width::UnicodeWidthChar;

/// How often signals are checked.
const TICK: Duration = Duration::from_millis(100);
/// The number of lines at the top that do not scroll.
const HEAD: usize = 1;

/// What comes after a look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// Another one.
    Look,
    /// The end.
    End,
}

/// The screen.
pub(super) struct Screen {
    out: Stdout,
    lines: Vec<String>,
    top: usize,
    signalled: Arc<AtomicBool>,
}

impl Screen {
    pub(super) fn open() -> io::Result<Screen> {
        let signalled = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            flag::register(signal, Arc::clone(&signalled))?;
        }
        enable_raw_mode()?;
        let mut screen = Screen { out: stdout(), lines: Vec::new(), top: 0, signalled };
        execute!(screen.out, EnterAlternateScreen, cursor::Hide)?;
        Ok(screen)
    }

    /// Shows these lines. The scroll position stays.
    pub(super) fn show(&mut self, lines: &[String]) -> io::Result<()> {
        self.lines = lines.to_vec();
        self.draw()
    }

    /// Waits until the next look is due or the user presses a key for it.
    pub(super) fn wait(&mut self, every: Duration) -> io::Result<Next> {
        let begin = Instant::now();
        loop {
            let left = every.saturating_sub(begin.elapsed());
            if self.signalled.load(Ordering::Relaxed) {
                return Ok(Next::End);
            }
            if left.is_zero() {
                return Ok(Next::Look);
            }
            if !poll(left.min(TICK))? {
                continue;
            }
            let page = self.room().saturating_sub(1);
            match read()? {
                Event::Resize(..) => {}
                Event::Key(key) if key.kind == KeyEventKind::Press => match key.code {
                    KeyCode::Char('q') | KeyCode::Esc => return Ok(Next::End),
                    KeyCode::Char('c') if key.modifiers.contains(KeyModifiers::CONTROL) => {
                        return Ok(Next::End);
                    }
                    KeyCode::Char(' ') => return Ok(Next::Look),
                    KeyCode::Down | KeyCode::Char('j') => self.top += 1,
                    KeyCode::Up | KeyCode::Char('k') => self.top = self.top.saturating_sub(1),
                    KeyCode::PageDown => self.top += page,
                    KeyCode::PageUp => self.top = self.top.saturating_sub(page),
                    KeyCode::Home => self.top = 0,
                    KeyCode::End => self.top = usize::MAX,
                    _ => continue,
                },
                _ => continue,
            }
            self.draw()?;
        }
    }

    /// The number of lines that scroll: all except the first line and the line with the keys.
    fn room(&self) -> usize {
        let (_, rows) = size().unwrap_or((80, 24));
        usize::from(rows).saturating_sub(HEAD + 1).max(1)
    }

    fn draw(&mut self) -> io::Result<()> {
        let (columns, rows) = size()?;
        let room = self.room();
        let rest = self.lines.len().saturating_sub(HEAD);
        self.top = self.top.min(rest.saturating_sub(room));
        let cut = |line: &str| {
            let mut width = 0;
            line.chars()
                .take_while(|character| {
                    width += character.width().unwrap_or(0);
                    width <= usize::from(columns)
                })
                .collect::<String>()
        };
        queue!(self.out, BeginSynchronizedUpdate, Clear(ClearType::All), cursor::MoveTo(0, 0))?;
        if let Some(head) = self.lines.first() {
            queue!(
                self.out,
                SetAttribute(Attribute::Bold),
                Print(cut(head)),
                SetAttribute(Attribute::Reset)
            )?;
        }
        for (row, line) in (1..).zip(self.lines.iter().skip(HEAD + self.top).take(room)) {
            queue!(self.out, cursor::MoveTo(0, row), Print(cut(line)))?;
        }
        let below = rest.saturating_sub(self.top + room);
        let more = if below > 0 { format!(", {below} more lines below") } else { String::new() };
        let keys = cut(&format!("q end, space look now, arrows and Page keys scroll{more}"));
        queue!(
            self.out,
            cursor::MoveTo(0, rows.saturating_sub(1)),
            SetAttribute(Attribute::Reverse),
            Print(keys)
        )?;
        queue!(self.out, SetAttribute(Attribute::Reset), EndSynchronizedUpdate)?;
        self.out.flush()
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // If the terminal has gone, there is nothing to restore.
        let _ = execute!(self.out, LeaveAlternateScreen, cursor::Show);
        let _ = disable_raw_mode();
    }
}
