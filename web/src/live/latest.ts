// One request in flight, then the latest state: how a slider asks a server.
//
// A drag makes more states than a server answers. With a queue the picture would lag behind the
// pointer, so a state that has not been sent is replaced by the next one. An answer is shown if no
// later one was shown; with one request in flight that is every answer except those of an aborted
// request.
//
// An answer may be a preview: then the same question is sent once more for the final answer, which
// takes longer and is aborted as soon as there is another question.

/** The time, and timers; a test brings its own. */
export interface Clock {
  /** Milliseconds since some start. */
  now(): number;
  /** Calls `then` after so many milliseconds; the returned function cancels it. */
  after(milliseconds: number, then: () => void): () => void;
}

const systemClock: Clock = {
  now: () => performance.now(),
  after: (milliseconds, then) => {
    const timer = setTimeout(then, milliseconds);
    return () => clearTimeout(timer);
  },
};

/** The wanted answer: the first one available, or the final one after a preview. */
export type Wants = "first" | "final";

export interface Handlers<Question, Answer> {
  send(question: Question, signal: AbortSignal, wants: Wants): Promise<Answer>;
  /** Returns whether an answer is a preview; without this method none is. */
  isPreview?(answer: Answer): boolean;
  /** `askedAt` is when `ask` was called with this question. */
  answered(answer: Answer, question: Question, askedAt: number): void;
  failed(error: unknown, question: Question): void;
  /** Reports whether an answer is awaited. */
  busy(isBusy: boolean): void;
}

interface Asked<Question> {
  question: Question;
  at: number;
}

/** Asks with at most one request in flight. */
export class Latest<Question, Answer> {
  private underWay: AbortController | null = null;
  private isFinalUnderWay = false;
  private next: Asked<Question> | null = null;
  private callOff: (() => void) | null = null;

  /** Sends after `restMs` without a further question; 0 sends at once. */
  constructor(
    private readonly handlers: Handlers<Question, Answer>,
    private readonly restMs = 0,
    private readonly clock: Clock = systemClock,
  ) {}

  /** Asks this; an earlier question that has not been sent is dropped. */
  ask(question: Question): void {
    this.next = { question, at: this.clock.now() };
    this.handlers.busy(true);
    if (this.isFinalUnderWay) {
      this.underWay?.abort();
      this.underWay = null;
      this.isFinalUnderWay = false;
    }
    if (this.restMs === 0) {
      this.sendNext();
      return;
    }
    this.callOff?.();
    this.callOff = this.clock.after(this.restMs, () => {
      this.callOff = null;
      this.sendNext();
    });
  }

  /** Aborts the request in flight and drops the next one. */
  stop(): void {
    this.callOff?.();
    this.callOff = null;
    this.next = null;
    this.underWay?.abort();
    this.underWay = null;
    this.isFinalUnderWay = false;
    this.handlers.busy(false);
  }

  private sendNext(): void {
    if (this.underWay !== null || this.next === null || this.callOff !== null) {
      return;
    }
    const asked = this.next;
    this.next = null;
    this.send(asked, "first");
  }

  private send(asked: Asked<Question>, wants: Wants): void {
    const control = new AbortController();
    this.underWay = control;
    this.isFinalUnderWay = wants === "final";
    const { question, at } = asked;
    this.handlers.send(question, control.signal, wants).then(
      (answer) =>
        this.ended(control, () => {
          this.handlers.answered(answer, question, at);
          // A server that answers with a preview although the final answer is wanted has no other.
          return wants === "first" && this.handlers.isPreview?.(answer) === true ? asked : null;
        }),
      (error: unknown) =>
        this.ended(control, () => {
          this.handlers.failed(error, question);
          return null;
        }),
    );
  }

  /** Handles an answer; `tell` returns the question if it has only a preview so far. */
  private ended(control: AbortController, tell: () => Asked<Question> | null): void {
    if (this.underWay !== control) {
      return;
    }
    this.underWay = null;
    this.isFinalUnderWay = false;
    const unfinished = tell();
    this.sendNext();
    if (this.underWay === null && this.next === null) {
      if (unfinished !== null) {
        this.send(unfinished, "final");
      } else {
        this.handlers.busy(false);
      }
    }
  }
}

/** The pause as a multiple of the time taken: a repeated action takes at most a sixth of the time. */
const PAUSE_TIMES = 5;
const PAUSE_MS_MIN = 1_000;
const PAUSE_MS_MAX = 30_000;

/** Repeats an action, one at a time, with a pause after each in proportion to the time that it took. */
export class Paced {
  private isUnderWay = false;
  private isWanted = false;
  private isStopped = false;
  private callOff: (() => void) | null = null;

  constructor(
    private readonly act: () => Promise<void>,
    private readonly clock: Clock = systemClock,
  ) {}

  /** Runs it now, or once the pause is over; once, however often it was requested until then. */
  want(): void {
    this.isWanted = true;
    if (!this.isUnderWay && this.callOff === null && !this.isStopped) {
      void this.now();
    }
  }

  /** Stops repeating. */
  stop(): void {
    this.isStopped = true;
    this.callOff?.();
    this.callOff = null;
  }

  private async now(): Promise<void> {
    this.isWanted = false;
    this.isUnderWay = true;
    const began = this.clock.now();
    try {
      await this.act();
    } finally {
      this.isUnderWay = false;
      this.pause(this.clock.now() - began);
    }
  }

  private pause(tookMs: number): void {
    if (this.isStopped) {
      return;
    }
    const pauseMs = Math.min(Math.max(tookMs * PAUSE_TIMES, PAUSE_MS_MIN), PAUSE_MS_MAX);
    this.callOff = this.clock.after(pauseMs, () => {
      this.callOff = null;
      if (this.isWanted) {
        void this.now();
      }
    });
  }
}
