import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  root: here('..'),
  resolve: {
    alias: [
      { find: /^exchange-rx\/redis$/, replacement: here('../src/scheduler/redis/index.ts') },
      { find: /^exchange-rx\/(endpoints|operators|sandbox|streams)$/, replacement: here('../src/$1/index.ts') },
      { find: /^exchange-rx$/, replacement: here('../src/index.ts') },
    ],
  },
  test: {
    include: ['test/**/*.test.ts'],
    // What takes minutes is of `npm run check`.
    exclude: [...configDefaults.exclude, 'test/**/*.heavy.test.ts'],
    testTimeout: 20_000,
    // Many wait for programs that they started, or for Redis.
    maxWorkers: '150%',
    // In another order each time; the seed is printed, and --sequence.seed repeats it.
    sequence: { shuffle: { files: true, tests: true } },
  },
});
