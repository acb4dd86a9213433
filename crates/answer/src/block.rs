//! Blocks: the parts of an answer, from top to bottom.

use serde::Serialize;
use stripewise_message::{Argument, Message};

use crate::chart::Chart;
use crate::drawing::Drawing;
use crate::table::Table;

/// A part of an answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Block {
    /// A heading.
    Heading(Argument),
    /// Prose.
    Sentence(Sentence),
    /// Names with their values.
    Pairs(Vec<Pair>),
    /// Several things of one kind, one below the other.
    List(Vec<Argument>),
    /// Rows and typed columns.
    Table(Table),
    /// Which thing is where: places in rows and columns.
    Grid(Grid),
    /// Values in the order of time.
    Chart(Chart),
    /// What only eyes can use. A terminal leaves it out: sentences and tables beside it say the same.
    Drawing(Drawing),
    /// Text of a program, or for one.
    Code(String),
    /// Blocks below a title.
    Fold(Fold),
    /// The end of a part; the next one begins after some room.
    Gap,
    /// The same in two forms.
    Forms {
        /// For eyes and a wide medium.
        drawn: Vec<Block>,
        /// In sentences or plain rows: for screen readers, logs and programs.
        told: Vec<Block>,
    },
}

/// What text tells beside its words; a medium may show it by a colour.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Tone {
    /// Nothing.
    #[default]
    Plain,
    /// The most important text.
    Strong,
    /// Less important text.
    Dim,
    /// An improvement.
    Good,
    /// A regression.
    Bad,
    /// A warning.
    Warn,
}

/// What stands between the parts of prose.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Join {
    /// A space: the parts are sentences.
    #[default]
    Space,
    /// A dot: the parts are remarks.
    Dot,
}

/// The part of prose that stands out.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Emphasis {
    /// All of it, in the tone of the sentence.
    #[default]
    All,
    /// The words before its first colon.
    Head,
    /// This value, where it occurs first.
    Value(Argument),
}

/// Prose: sentences or remarks.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Sentence {
    /// Its parts.
    pub parts: Vec<Argument>,
    /// What stands between them.
    pub join: Join,
    /// The tone of what stands out.
    pub tone: Tone,
    /// What stands out.
    pub emphasis: Emphasis,
}

/// A name and its value.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Pair {
    /// The name; without one, the value continues the pair before.
    pub name: Option<Argument>,
    /// The value.
    pub value: Argument,
}

/// Blocks below a title.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Fold {
    /// The title.
    pub title: Sentence,
    /// What it holds.
    pub blocks: Vec<Block>,
    /// Whether it is shown at once. What is not, a reader of a page opens; a terminal, which cannot
    /// be unfolded, leaves it out unless `--verbose` asks for it.
    pub is_open: bool,
    /// What a terminal says in place of what it leaves out.
    #[serde(skip)]
    pub hint: Option<Message>,
}

/// Which thing is where.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Grid {
    /// What it shows.
    pub title: Argument,
    /// The heads of the columns.
    pub columns: Vec<String>,
    /// The rows.
    pub rows: Vec<GridRow>,
    /// The meaning of the marks.
    pub legend: Sentence,
    /// What to read from it.
    pub meaning: Sentence,
}

/// A row of a grid.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct GridRow {
    /// Its head.
    pub head: Argument,
    /// A place for each column.
    pub cells: Vec<GridCell>,
    /// Whether rows are left out before it.
    pub is_after_gap: bool,
}

/// A place of a grid.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct GridCell {
    /// What is there, with its marks.
    pub text: String,
    /// Its tone.
    pub tone: Tone,
}

impl Join {
    /// Returns the text between the parts.
    pub const fn text(self) -> &'static str {
        match self {
            Join::Space => " ",
            Join::Dot => " · ",
        }
    }
}

impl Sentence {
    /// Returns one sentence.
    pub fn new(words: impl Into<Argument>) -> Self {
        Self::of([words])
    }

    /// Returns several sentences.
    pub fn of<A: Into<Argument>>(parts: impl IntoIterator<Item = A>) -> Self {
        Self {
            parts: parts.into_iter().map(Into::into).collect(),
            join: Join::Space,
            tone: Tone::Plain,
            emphasis: Emphasis::All,
        }
    }

    /// Returns several remarks.
    pub fn remarks<A: Into<Argument>>(parts: impl IntoIterator<Item = A>) -> Self {
        Self {
            join: Join::Dot,
            ..Self::of(parts)
        }
    }

    /// Sets its tone.
    #[must_use]
    pub fn tone(self, tone: Tone) -> Self {
        Self { tone, ..self }
    }

    /// Lets only the words before its first colon stand out.
    #[must_use]
    pub fn by_head(self) -> Self {
        let emphasis = Emphasis::Head;
        Self { emphasis, ..self }
    }

    /// Lets only a value stand out.
    #[must_use]
    pub fn by_value(self, value: Argument) -> Self {
        let emphasis = Emphasis::Value(value);
        Self { emphasis, ..self }
    }
}

impl Block {
    /// Returns a heading.
    pub fn heading(words: impl Into<Argument>) -> Self {
        Self::Heading(words.into())
    }

    /// Returns one sentence.
    pub fn say(words: impl Into<Argument>) -> Self {
        Sentence::new(words).into()
    }

    /// Returns one sentence in a tone.
    pub fn toned(tone: Tone, words: impl Into<Argument>) -> Self {
        Sentence::new(words).tone(tone).into()
    }

    /// Returns blocks that are shown at once, below a title.
    pub fn open(title: Sentence, blocks: Vec<Block>) -> Self {
        let is_open = true;
        Self::Fold(Fold {
            title,
            blocks,
            is_open,
            hint: None,
        })
    }

    /// Returns blocks that a reader opens.
    pub fn closed(title: Sentence, blocks: Vec<Block>) -> Self {
        let is_open = false;
        Self::Fold(Fold {
            title,
            blocks,
            is_open,
            hint: None,
        })
    }

    /// Returns blocks that a reader opens, with what a terminal says in their place.
    pub fn closed_with(hint: Message, title: Sentence, blocks: Vec<Block>) -> Self {
        Self::Fold(Fold {
            title,
            blocks,
            is_open: false,
            hint: Some(hint),
        })
    }

    /// Returns a name and its value.
    pub fn pair(name: impl Into<Argument>, value: impl Into<Argument>) -> Pair {
        Pair {
            name: Some(name.into()),
            value: value.into(),
        }
    }

    /// Returns the same with all folds open, and all details in tables.
    #[must_use]
    pub fn unfolded(blocks: &[Block]) -> Vec<Block> {
        let open = |block: &Block| match block {
            Block::Fold(fold) => Self::open(fold.title.clone(), Self::unfolded(&fold.blocks)),
            Block::Forms { drawn, told } => Block::Forms {
                drawn: Self::unfolded(drawn),
                told: Self::unfolded(told),
            },
            Block::Table(table) => table.clone().unfolded().into(),
            other => other.clone(),
        };
        blocks.iter().map(open).collect()
    }

    /// Sets what all rows of the tables in blocks share: a field of CSV, where no words say it.
    pub fn share(blocks: &mut [Block], key: &'static str, value: &str) {
        for block in blocks {
            match block {
                Block::Table(table) => table.shared.push((key, value.to_owned())),
                Block::Fold(fold) => Self::share(&mut fold.blocks, key, value),
                Block::Forms { drawn, told } => {
                    Self::share(drawn, key, value);
                    Self::share(told, key, value);
                }
                _ => {}
            }
        }
    }

    /// Returns all tables in blocks, also those in folds; of two forms, those of the told one.
    pub fn tables(blocks: &[Block]) -> Vec<&Table> {
        let mut tables = Vec::new();
        for block in blocks {
            match block {
                Block::Table(table) => tables.push(table),
                Block::Fold(fold) => tables.extend(Self::tables(&fold.blocks)),
                Block::Forms { told, .. } => tables.extend(Self::tables(told)),
                _ => {}
            }
        }
        tables
    }
}

impl From<Sentence> for Block {
    fn from(sentence: Sentence) -> Self {
        Self::Sentence(sentence)
    }
}

impl From<Table> for Block {
    fn from(table: Table) -> Self {
        Self::Table(table)
    }
}
