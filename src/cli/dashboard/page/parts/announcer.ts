// The live regions: what must be heard at once, and what is heard at most every 10 s.
import type { Speech } from '../views/speech.js';

const politeEveryMs = 10_000;

export class Announcer {
  readonly #assertive: HTMLElement;
  readonly #polite: HTMLElement;
  #waiting = '';
  #saidAt = -politeEveryMs;

  constructor(assertive: HTMLElement, polite: HTMLElement) {
    this.#assertive = assertive;
    this.#polite = polite;
  }

  say({ assertive, polite }: Speech): void {
    if (assertive !== '') this.#assertive.textContent = assertive;
    // The newest is worth more than a queue.
    if (polite !== '') this.#waiting = polite;
    this.tick();
  }

  /** What the reader asked for comes at once. */
  reply(text: string): void {
    this.#polite.textContent = text;
  }

  tick(): void {
    const now = performance.now();
    if (this.#waiting === '' || now - this.#saidAt < politeEveryMs) return;
    this.#polite.textContent = this.#waiting;
    this.#waiting = '';
    this.#saidAt = now;
  }
}
