// The parts of the sources that are mutated, each with the quick tests that state its promises. Every mutant runs every
// test that reaches it, so tests that take seconds, run in real time or start other processes are left out.

export interface Part {
  readonly name: string;
  /** Patterns of the sources. */
  readonly sources: readonly string[];
  /** Patterns of the tests. */
  readonly tests: readonly string[];
}

const testsOfCalls = [
  'test/call/*.test.ts',
  'test/client/*.test.ts',
  'test/movements/*.test.ts',
  'test/orders/*.test.ts',
  ...['changes', 'clock', 'endings', 'refusals', 'unsubscribed'].map((name) => `test/promises/orders/${name}.test.ts`),
  ...['bad-requests', 'mismatched-responses', 'orders/*'].map((name) => `test/endpoints/${name}.test.ts`),
  'test/contract/errors.test.ts',
  'test/order-journal.test.ts',
];

export const parts: readonly Part[] = [
  {
    name: 'auth',
    sources: ['src/auth/*.ts'],
    tests: ['test/auth/*.test.ts', 'test/call/attempt.test.ts', 'test/http/request.test.ts'],
  },
  { name: 'operators', sources: ['src/operators/*.ts'], tests: ['test/operators/*.test.ts'] },
  { name: 'orders', sources: ['src/orders/*.ts'], tests: testsOfCalls },
  { name: 'call', sources: ['src/call/*.ts'], tests: testsOfCalls },
  {
    name: 'outcome',
    sources: ['src/http/outcome.ts', 'src/http/classify.ts'],
    tests: [
      ...['classify', 'outcome', 'responses', 'transport-error'].map((name) => `test/http/${name}.test.ts`),
      ...['contract/errors', 'promises/orders/refusals'].map((name) => `test/${name}.test.ts`),
    ],
  },
  {
    name: 'client',
    sources: ['src/client/*.ts'],
    tests: [
      ...testsOfCalls,
      ...['errors/*', 'http/proxy', 'operators/*', 'promises/secrets/transport'].map((name) => `test/${name}.test.ts`),
    ],
  },
  {
    name: 'movements',
    sources: ['src/movements/*.ts'],
    tests: ['movements/*', 'endpoints/record-lookups', 'endpoints/account/*'].map((name) => `test/${name}.test.ts`),
  },
  {
    // Definitions are read once, at import: each of these mutants runs all of these tests.
    name: 'endpoints',
    sources: ['src/endpoint/*.ts', 'src/endpoints/**/*.ts'],
    tests: [
      'test/endpoint/*.test.ts',
      'test/endpoints/*.test.ts',
      ...['endpoints', 'errors', 'orders', 'published-responses'].map((name) => `test/contract/${name}.test.ts`),
    ],
  },
  {
    name: 'scheduler',
    // Shared permits (src/scheduler/redis/) are tested against Redis servers, for a minute: too long for every mutant.
    sources: ['src/scheduler/*.ts'],
    tests: [
      ...['combined-limits', 'cool-down', 'exactness', 'fairness', 'in-flight', 'leases'],
      ...['rate-limiter', 're-entrance', 'scheduler', 'shared-limit', 'waiting'],
    ].map((name) => `test/scheduler/${name}.test.ts`),
  },
  {
    name: 'recovery',
    sources: ['src/live/recovery/*.ts'],
    tests: [
      'test/live/recovery/*.test.ts',
      ...['live-order-books', 'suspension', 'trade-stream'].map((name) => `test/live/${name}.test.ts`),
      ...['balances', 'execution-sequence', 'live-executions', 'orders', 'positions'].map(
        (name) => `test/live/my/${name}.test.ts`,
      ),
    ],
  },
  {
    name: 'ledger',
    sources: [
      'src/sandbox/ledger.ts',
      'src/sandbox/create-ledger.ts',
      'src/sandbox/wallets.ts',
      'src/sandbox/books.ts',
    ],
    tests: [
      ...['ledger', 'money-conservation', 'money-refusals', 'codes-and-deposits', 'transfers', 'sub-accounts'],
      ...['users', 'history', 'live/agreement', 'live/connections', 'live/pushes-of-a-test'],
    ].map((name) => `test/sandbox/${name}.test.ts`),
  },
];
