// The sandbox's time: the real one, or one that stands still until a test moves it.

export interface SandboxClock {
  /** Unix milliseconds. */
  now(): number;
  /** Moves a manual clock on, milliseconds. Throws on a real one. */
  advance(ms: number): void;
}

/** Where a manual clock starts: 2026-01-01T00:00:00Z. */
const manualStart = Date.UTC(2026, 0, 1);

export function createClock(kind: 'real' | 'manual'): SandboxClock {
  if (kind === 'real') {
    return {
      now: () => Date.now(),
      advance() {
        throw new Error("the sandbox's clock is real; make it with { clock: 'manual' } to advance it");
      },
    };
  }
  let time = manualStart;
  return {
    now: () => time,
    advance(ms) {
      if (!(ms >= 0)) throw new Error(`cannot advance the clock by ${ms} ms`);
      time += ms;
    },
  };
}
