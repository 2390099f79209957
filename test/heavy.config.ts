import { configDefaults, defineConfig } from 'vitest/config';
import quick from './vitest.config.js';

// The tests that take minutes, which `npm test` leaves out: `npm run check`.
export default defineConfig({
  ...quick,
  test: { ...quick.test, include: ['test/**/*.heavy.test.ts'], exclude: configDefaults.exclude, testTimeout: 120_000 },
});
