import { configDefaults, defineConfig } from 'vitest/config';
import { base, coverage, heavy, heavyBranches, isCounting } from './vitest.config.js';

/** They take half a minute and little of the machine, which the other soak tests want for themselves. */
const liveSoaks = 'test/soak/live-*.soak.ts';

/** Whether the tests that count branches run by themselves. */
const isRest = process.env['BESIDE_COVERAGE'] === 'true';

// The tests that take minutes, which `npm test` leaves out: `npm run check`.
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: isCounting ? heavyBranches : [...heavy, liveSoaks],
    exclude: [...configDefaults.exclude, ...(isRest ? heavyBranches : [])],
    testTimeout: 120_000,
    coverage: coverage('heavy'),
  },
});
