import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

// Each runs alone, after the other tests: it wants the machine for itself.
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: { include: ['test/soak/*.soak.ts'], fileParallelism: false, testTimeout: 300_000 },
});
