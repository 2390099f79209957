import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { BaseSequencer, type CoverageOptions, type TestSpecification } from 'vitest/node';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Whether the run counts the branches that its tests take: see coverage.ts. */
export const isCounting = process.env['COVERAGE'] === 'true';

/** Where the programs that tests start write what they took. */
export const programReports = here('../coverage/programs');

/** Files of many seconds each: started at the end, the other workers would wait for them. */
const long = new RegExp(
  [
    ...['dashboard', 'secrets', 'matrix', 'docs-run', 'process', 'examples', 'new-files', 'market-maker', 'package'],
    ...['account-after', 'broken-network', 'event-loop', 'fuzz', 'order-book-truth', 'real-sockets', 'redis', 'soak'],
    ...['bulk', 'client/urgent', 'fairness', 'market-data', 'order-calls', 'orders/clock', 'port', 'transport'],
  ].join('|'),
);

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rankOf = ({ moduleId }: TestSpecification) => (long.test(moduleId) ? 0 : 1);
    return sorted.toSorted((one, other) => rankOf(one) - rankOf(other));
  }
}

/** What every run of the tests shares. */
export const base = {
  root: here('..'),
  resolve: {
    alias: [
      { find: /^exchange-rx\/recording$/, replacement: here('../src/recording/index.ts') },
      { find: /^exchange-rx\/dashboard$/, replacement: here('../src/cli/dashboard/index.ts') },
      { find: /^exchange-rx\/redis$/, replacement: here('../src/scheduler/redis/index.ts') },
      { find: /^exchange-rx\/endpoints$/, replacement: here('../src/endpoints/groups.ts') },
      { find: /^exchange-rx\/sandbox$/, replacement: here('../src/sandbox/index.ts') },
      { find: /^exchange-rx\/(metrics|opentelemetry)$/, replacement: here('../src/$1/index.ts') },
      { find: /^exchange-rx$/, replacement: here('../src/index.ts') },
    ],
  },
  test: {
    testTimeout: 20_000,
    hookTimeout: 20_000,
    env: isCounting ? { PROGRAM_COVERAGE: programReports } : {},
    // No timing decides: what never comes ends by the timeout of its test.
    expect: { poll: { timeout: 15_000 } },
    // Many wait for programs that they started, or for Redis.
    maxWorkers: 2 * availableParallelism(),
    // Tests in another order each time; the seed is printed, and --sequence.seed repeats it.
    sequence: { sequencer: LongFirst, shuffle: { tests: true } },
    // A run reads the modules that another has compiled.
    experimental: { fsModuleCache: true },
  },
};

/** What takes minutes is of `npm run check`. */
export const heavy = 'test/**/*.heavy.test.ts';

/** What counts the branches of a run. */
export const coverage = (run: string): CoverageOptions => ({
  enabled: isCounting,
  // One failure must not hide how many branches were taken.
  reportOnFailure: true,
  provider: 'v8',
  include: ['src/**/*.ts'],
  reporter: ['json'],
  reportsDirectory: `coverage/of-${run}`,
});

/** They measure time and memory, which counting would change; other Nodes run them, too. */
const measuring = ['test/streams/nothing-left.test.ts'];

/** The heavy tests that take branches which no quick test takes, by whether they share processes. */
export const heavyBranches = {
  shared: [
    'test/hostile/redis-poison.heavy.test.ts',
    'test/live/my/*.heavy.test.ts',
    'test/promises/boundary/malformed-responses.heavy.test.ts',
    'test/promises/orders/{matrix,validity}.heavy.test.ts',
    'test/sandbox/{position-ledger,live/account-agreement}.heavy.test.ts',
    'test/scheduler/redis.heavy.test.ts',
  ],
  apart: [
    'test/command/*.heavy.test.ts',
    'test/e2e/{dashboard,dashboard-states,demo,terminal}.heavy.test.ts',
    'test/hostile/{dashboard,dashboard-page,terminal}.heavy.test.ts',
    'test/promises/secrets/secrets.heavy.test.ts',
  ],
};

/** They count what a process holds: sockets, clients. */
const alone = [
  'test/sandbox/replay/run.test.ts',
  'test/client/client-registry.test.ts',
  'test/streams/nothing-left.test.ts',
];

/** They count timers of fake time, or leases: clients that a file with real sockets leaves would add theirs. */
const onFakeTime = [
  'test/call/{attempt,functions-that-throw}.test.ts',
  'test/errors/synchronous-errors.test.ts',
  'test/live/**/!(sockets).test.ts',
  'test/recording/writer.test.ts',
  'test/sandbox/live/real-clock.test.ts',
  'test/scheduler/{in-flight,leases,rate-limiter,re-entrance,scheduler,waiting}.test.ts',
  'test/streams/{live,watch}-*.test.ts',
];

const excluded = [...configDefaults.exclude, ...(isCounting ? measuring : [])];

/**
 * The quick tests. Most files share processes, and the modules that these have loaded: loading them was a
 * quarter of the time.
 */
export const projects: readonly TestProjectInlineConfiguration[] = [
  {
    extends: true,
    test: {
      name: 'quick',
      include: ['test/**/*.test.ts'],
      exclude: [...excluded, heavy, ...alone, ...onFakeTime],
      isolate: false,
      sequence: { groupOrder: 0 },
    },
  },
  {
    extends: true,
    test: {
      name: 'on fake time',
      include: onFakeTime,
      exclude: [...excluded, heavy],
      isolate: false,
      sequence: { groupOrder: 1 },
    },
  },
  {
    extends: true,
    test: { name: 'alone', include: alone, exclude: excluded, sequence: { groupOrder: 2 } },
  },
];

export default defineConfig({ ...base, test: { ...base.test, projects: [...projects], coverage: coverage('quick') } });
