import { configDefaults, defineConfig } from 'vitest/config';
import { base, coverage, heavy, heavyBranches, isCounting } from './vitest.config.js';

/** They take half a minute and little of the machine, which the other soak tests want for themselves. */
const liveSoaks = 'test/soak/live-*.soak.ts';

/** Whether the tests that count branches run by themselves. */
const isRest = process.env['BESIDE_COVERAGE'] === 'true';

/** They share processes, as the quick tests do: they measure no process, and most start none. */
const shared = [
  'test/{foreign,live,promises/orders,sandbox}/**/*.heavy.test.ts',
  'test/{hostile/redis-*,promises/boundary/{fuzz,malformed-responses},scheduler/*}.heavy.test.ts',
];

const project = (name: keyof typeof heavyBranches, include: readonly string[], exclude: readonly string[]) => ({
  extends: true as const,
  test: {
    name,
    include: isCounting ? heavyBranches[name] : [...include],
    exclude: [...configDefaults.exclude, ...exclude, ...(isRest ? heavyBranches[name] : [])],
    isolate: name === 'apart',
  },
});

// The tests that take minutes, which `npm test` leaves out: `npm run check`. They start processes, several at once.
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    projects: [project('shared', shared, []), project('apart', [heavy, liveSoaks], shared)],
    coverage: coverage('heavy'),
  },
});
