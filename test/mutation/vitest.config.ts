import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { base } from '../vitest.config.js';

// The tests that are quick and cover what is mutated: see parts.ts. In the order in which they are written, so that
// every run is the same.
export default defineConfig({
  ...base,
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: { include: process.env['MUTATION_TESTS']?.split(',') ?? [], testTimeout: 10_000, isolate: false },
});
