// Why a line may be changed without a test that notices, by file and line.
import type { Mutant } from './results.js';

const reasons: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'src/auth/nonces.ts': {
    'const stretch = used.find(({ last }) => nonce > last && nonce - last <= longestGapMs);':
      'A nonce that is allocated is never the last of a stretch; and whether a gap of exactly 10 s ends a stretch is not promised.',
    'if (used.length > mostStretches) used.shift();': 'It bounds memory. A clock that is set sixteen times is as good as forgotten.',
  },
  'src/attempt.ts': {
    "const shown = nonce === undefined ? Number.NaN : Date.parse(answer.headers.get('date') ?? '');": 'Any text that is no date is read as none.',
  },
  'src/attempts.ts': {
    'if (!isExchangeError(error)) return;': 'It tells the compiler what those who call it have seen to: no other error is repeated.',
  },
  'src/order-calls.ts': {
    'const policy: RetryOptions = options.retry === false || options.retry === undefined ? {} : options.retry;':
      'A client that repeats nothing does not ask the policy.',
    "return typeof value === 'object' && value !== null;": 'A text or a number has no `client_order_id` either.',
    'return oneOrder({ ...road, find, send: () => EMPTY, isIdentified: () => true, retryAfterMs: () => undefined }, earlier);':
      'Nothing is ever sent by it.',
  },
  'src/session.ts': {
    'const fetch = options.fetch ?? leanFetch({ connections: maxInFlight, connectTimeoutMs });':
      'Tested over real connections, in test/http, which take too long here.',
    'const budget = new RetryBudget(policy === false ? {} : policy.budget);': 'A client that repeats nothing does not ask the budget.',
    'const retried = { ...(policy === false ? {} : policy), when: repeatedAfter(endpoint.safety), budget, onRetry };':
      'A client that repeats nothing does not ask the policy.',
    "resumeOrder: (lookUp, key) => orders.resume(lookUp, key, callLimits({ name: 'resumeOrder' }, {}, options)),":
      'Bad bounds of a client were refused, under its name, when it was made.',
  },
  'src/operators/retry-on-503.ts': {
    'if (error instanceof UnavailableError) onRetry?.({ ...retry, error });': 'It tells the compiler what `when` has seen to.',
  },
};

export function reasonOf({ file, code }: Mutant): string {
  return reasons[file]?.[code] ?? 'Not looked at yet.';
}
