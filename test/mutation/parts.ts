// What is mutated, a part at a time, and by which tests: the quick ones that say what the part promises. Left out are
// tests of seconds, of real time and of other processes, since each mutant runs every test that reaches it.

export interface Part {
  readonly name: string;
  /** Patterns of the sources. */
  readonly sources: readonly string[];
  /** Patterns of the tests. */
  readonly tests: readonly string[];
}

export const parts: readonly Part[] = [
  { name: 'auth', sources: ['src/auth/*.ts'], tests: ['test/auth/*.test.ts'] },
  { name: 'operators', sources: ['src/operators/*.ts'], tests: ['test/operators/*.test.ts'] },
  {
    name: 'session',
    sources: [
      'session',
      'attempt',
      'attempts',
      'absence-proof',
      'one-order',
      'order-calls',
      'order-registry',
      'retry-policy',
      'call-limits',
      'check-request',
      'endpoint',
    ].map((name) => `src/${name}.ts`),
    tests: [
      ...[
        'absence-proof',
        'session',
        'attempt',
        'call-limits',
        'check-request',
        'one-order',
        'one-order-decides',
        'order-calls',
        'order-registry',
        'retry-policy',
      ].map((name) => `test/${name}.test.ts`),
      'test/endpoints/bad-requests.test.ts',
      'test/contract/errors.test.ts',
    ],
  },
  {
    // What an endpoint is, is read once: each of these mutants runs all of these tests.
    name: 'endpoints',
    sources: ['src/endpoints/**/*.ts', '!src/endpoints/spot/look-up-order.ts'],
    tests: [
      'test/endpoints/*.test.ts',
      ...['endpoints', 'errors', 'orders', 'published-answers'].map((name) => `test/contract/${name}.test.ts`),
    ],
  },
  {
    name: 'look-ups',
    sources: ['src/endpoints/spot/look-up-order.ts'],
    tests: ['test/endpoints/look-up-order.test.ts', 'test/one-order.test.ts', 'test/order-calls.test.ts'],
  },
  {
    name: 'scheduler',
    // The permits that processes share are tested against Redis servers, for a minute: too long for every mutant.
    sources: ['src/scheduler/*.ts'],
    tests: [
      'closure',
      'exactness',
      'forget',
      'in-flight',
      'leases',
      'rate',
      'returns',
      'scheduler',
      'usage',
      'waiting',
      'wall-clock',
    ].map((name) => `test/scheduler/${name}.test.ts`),
  },
];
