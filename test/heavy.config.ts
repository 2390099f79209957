import { configDefaults, defineConfig } from 'vitest/config';
import { base, heavy, heavyBranches } from './vitest.config.js';

/** Whether the coverage runs the rest. */
const isPart = process.env['BESIDE_COVERAGE'] === 'true';

// The tests that take minutes, which `npm test` leaves out: `npm run check`.
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: heavy,
    exclude: [...configDefaults.exclude, ...(isPart ? heavyBranches : [])],
    testTimeout: 120_000,
  },
});
