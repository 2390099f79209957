// Marble tests: virtual time, and differences reported by vitest.
import { TestScheduler, type RunHelpers } from 'rxjs/testing';
import { expect } from 'vitest';

export function marbles(test: (helpers: RunHelpers) => void): void {
  new TestScheduler((actual, expected) => {
    expect(actual).toEqual(expected);
  }).run(test);
}

/** Marbles that unsubscribe at each frame up to this one, and last of all never. */
export function everyMoment(frames: number): string[] {
  return Array.from({ length: frames }, (_, frame) => `${'-'.repeat(frame)}!`);
}
