import { defineConfig } from 'vitest/config';
import { base, heavyBranches, quickProjects } from './vitest.config.js';

// Which branches of the sources the tests take: a part of `npm run coverage`, and a run of its own, so that no test
// that measures time or memory is measured itself.
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    // The longest files first: one that starts last would add its minutes to the run.
    sequence: { shuffle: { files: false, tests: true } },
    projects: [
      ...quickProjects([
        // They run nothing of src.
        'test/contract/conformance.test.ts',
        'test/e2e/**',
        'test/lint/**',
        // They measure time and memory.
        'test/scheduler/long-queue.test.ts',
        'test/streams/nothing-left.test.ts',
      ]),
      {
        extends: true,
        test: {
          name: 'heavy',
          include: heavyBranches,
          testTimeout: 120_000,
          // After the others: their processor time would delay the heartbeats that shared limits depend on.
          sequence: { groupOrder: 1 },
        },
      },
    ],
    coverage: {
      enabled: true,
      provider: 'v8',
      include: ['src/**/*.ts'],
      // It runs in browsers only, whose reports are read with those of the programs.
      exclude: ['src/cli/dashboard/page/**'],
      reporter: ['json'],
      reportsDirectory: 'coverage/of-tests',
    },
  },
});
