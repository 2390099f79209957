import { configDefaults, defineConfig } from 'vitest/config';
import quick from './vitest.config.js';

// The tests that take minutes, which `npm test` leaves out. One file at a time: some measure memory or the event loop.
export default defineConfig({
  ...quick,
  test: { ...quick.test, include: ['test/**/*.heavy.test.ts'], exclude: configDefaults.exclude, fileParallelism: false, testTimeout: 300_000 },
});
