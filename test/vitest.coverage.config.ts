import { configDefaults, defineConfig } from 'vitest/config';
import { base } from './vitest.config.js';

// Which branches of the sources the tests take: a part of `npm run coverage`, and a run of its own, so that no test
// that measures time or memory is measured itself.
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: ['test/**/*.test.ts'],
    exclude: [
      ...configDefaults.exclude,
      // What they start runs the built command, in processes of its own.
      'test/command/**',
      'test/e2e/**',
      'test/security/processes.heavy.test.ts',
      // They take no other branches than the quick ones: thousands of orders, a minute at the limit, a line of many.
      'test/{foreign,hostile}/*.heavy.test.ts',
      'test/faults/*.heavy.test.ts',
      'test/scheduler/saturation.heavy.test.ts',
      'test/security/redaction.heavy.test.ts',
      'test/contract/conformance.test.ts',
      'test/nonces-of-a-burst.test.ts',
      'test/scheduler/long-line.test.ts',
      'test/streams/nothing-left.test.ts',
    ],
    coverage: {
      enabled: true,
      provider: 'v8',
      include: ['src/**/*.ts'],
      // The command and its page are programs: their tests start the built ones, which write themselves what they took.
      exclude: ['src/cli/**'],
      reporter: ['json-summary'],
      reportsDirectory: 'coverage/of-tests',
    },
  },
});
