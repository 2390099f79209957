// The timers of one rate limit while requests wait for it. They keep the process alive: those of returning permits do
// not.
import { maxTimerMs } from '../errors/index.js';

/** The clock and the cool-down are checked this often. */
const checkEveryMs = 1000;

/** A timer, and when it fires, by `performance.now()`. */
interface Alarm {
  readonly timer: NodeJS.Timeout;
  readonly at: number;
}

export class WaitingTimers {
  readonly #onCheck: () => void;
  readonly #onAlarm: () => void;
  #check: NodeJS.Timeout | undefined;
  #alarm: Alarm | undefined;

  constructor(onCheck: () => void, onAlarm: () => void) {
    this.#onCheck = onCheck;
    this.#onAlarm = onAlarm;
  }

  /** Checks once a second until {@link stop}. */
  start(): void {
    this.#check ??= setInterval(this.#onCheck, checkEveryMs);
  }

  /** Sets the alarm, unless it fires earlier anyway. */
  setAlarm(inMs: number, now: number): void {
    const waitMs = Math.min(inMs, maxTimerMs);
    if (this.#alarm !== undefined && this.#alarm.at <= now + waitMs) return;
    clearTimeout(this.#alarm?.timer);
    const timer = setTimeout(() => {
      this.#alarm = undefined;
      this.#onAlarm();
    }, waitMs);
    this.#alarm = { timer, at: now + waitMs };
  }

  stop(): void {
    clearInterval(this.#check);
    clearTimeout(this.#alarm?.timer);
    this.#check = undefined;
    this.#alarm = undefined;
  }
}
