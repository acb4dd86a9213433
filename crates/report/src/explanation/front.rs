//! What designs keep and cost beside their speed: as a table, and speed against space as a drawing.

use std::fmt::Write as _;

use serde::Serialize;
use stripewise_answer::{Block, Cell, Column, Drawing, Ink, Shape, Table, Tone};
use stripewise_catalogue::{Argument, Message};
use stripewise_diagnose::requirement::Quantity;
use stripewise_study::stack::Stack;

use super::advice_words::in_words;
use super::answer::short_stack;
use crate::lifetime::chance;

/// The drawing: its size, and the room beside the plane.
const WIDTH: f64 = 960.0;
const HEIGHT: f64 = 360.0;
const LEFT: f64 = 76.0;
const RIGHT: f64 = 30.0;
const TOP: f64 = 24.0;
const BOTTOM: f64 = 40.0;
/// Half the size of the mark of a design.
const MARK: f64 = 5.0;
/// The steps of its axes.
const STEPS: u32 = 4;

/// Who would build a design.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// This advice.
    Advised,
    /// The usual advice: RAID 10 with mdadm's defaults.
    Usual,
    /// The calculators: the most devices over the penalty of a write.
    Calculated,
    /// The machine that is asked about: it has this one.
    Own,
    /// Nobody who needs the data.
    WithoutRedundancy,
}

/// What a design gives, keeps and costs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FrontRow {
    /// Its layers.
    pub design: String,
    /// Who would build it.
    pub roles: Vec<Role>,
    /// Its rate in bytes per second: the weighted geometric mean over the loads.
    pub bytes_per_s: Option<f64>,
    /// The same with one device missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub degraded_bytes_per_s: Option<f64>,
    /// How many devices may fail, whichever they are.
    pub survived: Option<f64>,
    /// The bytes of data that it holds.
    pub usable_bytes: Option<f64>,
    /// The years until the device that is written most has reached its rated writes, under the load that
    /// wears most; `None` without a daily volume, or if that is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub years: Option<f64>,
    /// The time within which 99 % of the commits are durable.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit_p99_ns: Option<f64>,
    /// How long the rebuild of one device takes beside the loads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rebuild_ns: Option<f64>,
    /// The chance of losing data in five years.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loss_chance: Option<f64>,
    /// The price of its devices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price: Option<f64>,
    /// Whether it does not do what is required.
    #[serde(skip)]
    pub is_refused: bool,
    #[serde(skip)]
    pub(crate) stack: Stack,
}

impl FrontRow {
    /// Returns the row of a stack, of which nothing is known yet.
    pub fn new(stack: &Stack) -> Self {
        Self {
            design: stack.summary(),
            roles: Vec::new(),
            bytes_per_s: None,
            degraded_bytes_per_s: None,
            survived: None,
            usable_bytes: None,
            years: None,
            commit_p99_ns: None,
            rebuild_ns: None,
            loss_chance: None,
            price: None,
            is_refused: false,
            stack: stack.clone(),
        }
    }

    fn cells(&self, most: f64, has_price: bool) -> Vec<Cell> {
        let known = |value: Option<f64>, shown: &dyn Fn(f64) -> Argument| {
            value.map_or_else(Cell::none, |value| Cell::of(shown(value)).exact(value))
        };
        let of = |quantity: Quantity, value: Option<f64>| {
            known(value, &|value| in_words(quantity, value))
        };
        let share = |value: Option<f64>, of: f64| {
            let percent = value.filter(|_| of > 0.0).map(|value| value / of * 100.0);
            known(percent, &|percent| {
                Argument::quantity(format!("{percent:.0}"), "%")
            })
        };
        let roles = self.roles.iter().map(|role| role.message());
        let own = self.bytes_per_s.unwrap_or_default();
        let mut cells = vec![
            Cell::of(short_stack(&self.stack)),
            share(self.bytes_per_s, most),
            share(self.degraded_bytes_per_s, own),
            of(Quantity::Survived, self.survived),
            of(Quantity::Usable, self.usable_bytes),
            of(Quantity::CommitP99, self.commit_p99_ns),
            of(Quantity::Rebuild, self.rebuild_ns),
            known(self.loss_chance.map(|share| share * 100.0), &|percent| {
                Argument::quantity(chance(percent), "%")
            }),
        ];
        cells.extend(has_price.then(|| of(Quantity::Price, self.price)));
        cells.push(match self.roles.is_empty() {
            true => Cell::empty(),
            false => Cell::of(Argument::list(roles)),
        });
        cells
    }
}

impl Role {
    pub(super) fn message(self) -> Message {
        Message::new(match self {
            Role::Advised => "advise-role-advised",
            Role::Usual => "advise-role-usual",
            Role::Calculated => "advise-role-calculated",
            Role::Own => "advise-role-own",
            Role::WithoutRedundancy => "advise-role-without-redundancy",
        })
    }
}

/// Returns the front for people: its table, its drawing, and what the columns mean.
pub(super) fn blocks(rows: &[FrontRow]) -> Vec<Block> {
    if rows.is_empty() {
        return Vec::new();
    }
    let kept = rows.iter();
    let kept = kept.filter(|row| !row.is_refused);
    let most = kept.filter_map(|row| row.bytes_per_s).fold(0.0, f64::max);
    let has_price = rows.iter().any(|row| row.price.is_some());
    let mut table = Table::new("front", columns(has_price));
    for row in rows {
        table.row(row.cells(most, has_price));
    }
    let mut blocks = vec![
        Block::Gap,
        Block::heading(Message::new("advise-front")),
        table.into(),
        Block::toned(Tone::Dim, Message::new("advise-front-says")),
    ];
    if rows.iter().any(|row| row.loss_chance.is_some()) {
        blocks.push(Block::toned(
            Tone::Dim,
            Message::new("lifetime-assumptions"),
        ));
    }
    let across = [
        ("advise-front-caption", Quantity::Usable),
        ("advise-front-years", Quantity::Years),
    ];
    let drawings = across.into_iter();
    let drawings = drawings.filter_map(|(caption, across)| drawing(rows, caption, across));
    blocks.extend(drawings.map(Block::Drawing));
    blocks
}

fn columns(has_price: bool) -> Vec<Column> {
    let number = |key: &'static str, head: &'static str, name: &'static str| {
        Column::number(key, Message::new(head)).named(Message::new(name))
    };
    let mut columns = vec![
        Column::group("stack", stripewise_study::cell::Axis::Stack.message()),
        number("speed_percent", "advise-column-speed", "advise-name-speed"),
        number(
            "degraded_percent",
            "advise-column-degraded",
            "advise-name-degraded",
        )
        .optional(2),
        number("survived", "advise-column-survives", "advise-name-survives"),
        number("usable_bytes", "advise-column-holds", "advise-name-holds"),
        number(
            "commit_p99_ns",
            "advise-column-commit",
            "advise-name-commit",
        )
        .optional(1),
        number(
            "rebuild_ns",
            "lifetime-column-rebuild",
            "lifetime-name-rebuild",
        ),
        Column::number("loss_percent", Message::new("lifetime-column-loss"))
            .named(Message::new("lifetime-name-loss").count("years", 5_u64))
            .optional(1),
    ];
    let price = || number("price", "advise-column-price", "advise-name-price");
    columns.extend(has_price.then(price));
    columns.push(Column::words("roles", Message::new("advise-column-roles")));
    columns
}

/// Draws speed against space or years: nothing above and to the right of a good design. `None` if fewer than
/// two are known.
fn drawing(rows: &[FrontRow], caption: &'static str, across: Quantity) -> Option<Drawing> {
    let known = |row: &FrontRow| match across {
        Quantity::Years => row.years,
        _ => row.usable_bytes,
    };
    let points = rows.iter();
    let points = points.filter_map(|row| Some((row, known(row)?, row.bytes_per_s?)));
    let points: Vec<(&FrontRow, f64, f64)> = points.collect();
    let most = |of: fn(&(&FrontRow, f64, f64)) -> f64| points.iter().map(of).fold(0.0, f64::max);
    let (space, speed) = (most(|point| point.1), most(|point| point.2));
    if points.len() < 2 || space <= 0.0 || speed <= 0.0 {
        return None;
    }
    let (bottom, right) = (HEIGHT - BOTTOM, WIDTH - RIGHT);
    // Room above the highest and to the right of the largest for their names.
    let x = |bytes: f64| LEFT + bytes / (space * 1.25) * (right - LEFT);
    let y = |rate: f64| bottom - rate / (speed * 1.1) * (bottom - TOP);
    let mut shapes = vec![Shape::Line(
        Ink::Axis,
        format!("M{LEFT} {TOP}V{bottom}H{right}"),
    )];
    for step in 0..=STEPS {
        let share = f64::from(step) / f64::from(STEPS);
        let percent = Argument::quantity(format!("{:.0}", share * 100.0), "%");
        shapes.push(Shape::Words(
            [LEFT - 6.0, y(share * speed) + 4.0],
            -1,
            percent,
        ));
        let value = match across {
            Quantity::Years => share * space,
            _ => (share * space).round(),
        };
        let words = in_words(across, value);
        shapes.push(Shape::Words([x(share * space), bottom + 18.0], 0, words));
    }
    for ink in [Ink::Second, Ink::First] {
        let is_first = |row: &FrontRow| row.roles.contains(&Role::Advised);
        let own = points
            .iter()
            .filter(|point| is_first(point.0) == (ink == Ink::First));
        let mut path = String::new();
        for (_, bytes, rate) in own {
            let (left, top) = (x(*bytes) - MARK, y(*rate) - MARK);
            let side = 2.0 * MARK;
            // Writing to a string does not fail.
            let _ = write!(path, "M{left:.1} {top:.1}h{side}v{side}h-{side}z");
        }
        if !path.is_empty() {
            shapes.push(Shape::Area(ink, path, 1.0));
        }
    }
    shapes.extend(names(&points, x, y));
    Some(Drawing {
        caption: Message::new(caption).into(),
        legend: vec![
            (Ink::First, Message::new("advise-role-advised").into()),
            (Ink::Second, Message::new("advise-front-others").into()),
        ],
        width: WIDTH,
        height: HEIGHT,
        shapes,
    })
}

/// Returns the names of the designs beside their marks, none upon another.
fn names(
    points: &[(&FrontRow, f64, f64)],
    x: impl Fn(f64) -> f64,
    y: impl Fn(f64) -> f64,
) -> Vec<Shape> {
    const LINE: f64 = 16.0;
    const LONG: f64 = 180.0;
    let mut placed: Vec<[f64; 2]> = Vec::new();
    let mut names = Vec::new();
    let mut ordered: Vec<&(&FrontRow, f64, f64)> = points.iter().collect();
    ordered.sort_by(|one, other| other.2.total_cmp(&one.2));
    for (row, bytes, rate) in ordered {
        let mut at = [x(*bytes) + MARK + 5.0, y(*rate) + 4.0];
        let is_over = |at: &[f64; 2], placed: &[[f64; 2]]| {
            let near =
                |one: &[f64; 2]| (one[0] - at[0]).abs() < LONG && (one[1] - at[1]).abs() < LINE;
            placed.iter().any(near)
        };
        while is_over(&at, &placed) {
            at[1] += LINE / 2.0;
        }
        placed.push(at);
        names.push(Shape::Words(at, 1, short_stack(&row.stack)));
    }
    names
}
