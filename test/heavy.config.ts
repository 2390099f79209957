import { defineConfig } from 'vitest/config';
import { base, heavy } from './vitest.config.js';

// The tests that take minutes, which `npm test` leaves out: `npm run check`.
export default defineConfig({
  ...base,
  test: { ...base.test, include: heavy, testTimeout: 120_000 },
});
