// A program at random times and prices on one recording: two runs in each of two time zones give the same ledger.
import { afterEach, expect, it, vi } from 'vitest';
import { logOf } from './random-program.js';

const programs = Number(process.env['PROGRAMS'] ?? 20);

afterEach(() => {
  vi.unstubAllEnvs();
});

it('random programs give the same ledger twice in two time zones', { timeout: 300_000 }, async () => {
  const hashes = new Set<string>();
  let trading = 0;
  for (let seed = 1; seed <= programs; seed += 1) {
    const runs = [];
    for (const timeZone of ['UTC', 'UTC', 'Asia/Kathmandu', 'Asia/Kathmandu']) {
      vi.stubEnv('TZ', timeZone);
      expect(new Date().getTimezoneOffset()).toBe(timeZone === 'UTC' ? 0 : -345);
      runs.push(await logOf(seed));
    }
    const [first, ...others] = runs;
    expect({ seed, others }).toEqual({ seed, others: [first, first, first] });
    expect(first?.result.escapes).toEqual([]);
    hashes.add(first?.result.ledgerHash ?? '');
    if ((first?.fills.length ?? 0) > 0) trading += 1;
  }
  expect(hashes.size).toBe(programs);
  expect(trading).toBeGreaterThan(0.75 * programs);
});
