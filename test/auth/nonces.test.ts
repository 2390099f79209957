import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createNonces } from '../../src/auth/index.js';

describe('nonces', () => {
  it('are Unix milliseconds of the clock', () => {
    expect(createNonces(() => 1_795_221_417_556.7).next()).toBe('1795221417556');
  });

  it('never repeat and never leave the ±5 s window, however the clock jumps', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -20_000, max: 20_000 }), { maxLength: 300 }), (jumps) => {
        let now = 1_000_000;
        const nonces = createNonces(() => now);
        const seen = new Set<string>();
        for (const jump of jumps) {
          now += jump % 7 === 0 ? jump : 0;
          const nonce = nonces.next();
          if (nonce === undefined) continue;
          expect(seen.has(nonce)).toBe(false);
          expect(Math.abs(Number(nonce) - now)).toBeLessThanOrEqual(5000);
          seen.add(nonce);
        }
      }),
    );
  });

  it('run out, rather than leave the window, in a burst longer than it', () => {
    const nonces = createNonces(() => 1000);
    const burst = Array.from({ length: 4000 }, () => nonces.next());
    expect(burst.filter((nonce) => nonce !== undefined)).toHaveLength(3001);
  });
});
