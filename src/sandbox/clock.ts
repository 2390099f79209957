// The sandbox's time: the real one, or one that stands still until a test moves it.

/** The sandbox's clock. */
export interface SandboxClock {
  /** Its time now, Unix milliseconds. */
  now(): number;
  /** Moves a manual clock on, milliseconds. Throws on a real one. */
  advance(ms: number): void;
  /** Sets the clock forward, or back below 0, against what it has shown so far, milliseconds: a client's clock is wrong then. */
  skew(ms: number): void;
}

/** Where a manual clock starts: 2026-01-01T00:00:00Z. */
const manualStart = Date.UTC(2026, 0, 1);

export function createClock(kind: 'real' | 'manual'): SandboxClock {
  let time = kind === 'real' ? 0 : manualStart;
  return {
    now: () => (kind === 'real' ? Date.now() + time : time),
    advance(ms) {
      if (kind === 'real') throw new Error("the sandbox's clock is real; make it with { clock: 'manual' } to advance it");
      if (!(ms >= 0)) throw new Error(`cannot advance the clock by ${ms} ms`);
      time += ms;
    },
    skew(ms) {
      time += ms;
    },
  };
}
