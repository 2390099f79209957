import { defineConfig } from 'vitest/config';
import { base, quickProjects } from './vitest.config.js';

// Which branches of the sources the tests take: a part of `npm run coverage`, and a run of its own, so that no test
// that measures time or memory is measured itself.
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    projects: quickProjects([
      // What they start runs the built command, in processes of its own.
      'test/command/**',
      'test/e2e/**',
      'test/contract/conformance.test.ts',
      'test/scheduler/long-queue.test.ts',
      'test/streams/nothing-left.test.ts',
    ]),
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
