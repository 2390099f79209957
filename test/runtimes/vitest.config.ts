import { defineConfig } from 'vitest/config';
import { base, projects } from '../vitest.config.js';

/** The dashboard of the built package, whose bounds are those of Node's server. */
const dashboard = {
  extends: true as const,
  test: {
    name: 'dashboard',
    include: ['test/hostile/dashboard.heavy.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    sequence: { groupOrder: 3 },
  },
};

// What runs on each Node, by one process: the start of vitest is a third of it.
export default defineConfig({ ...base, test: { ...base.test, projects: [...projects, dashboard] } });
