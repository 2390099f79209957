// The ledger that tests read, up to date with the clock at every read.
import { defaultLimits } from './http/index.js';
import type { SandboxState } from './create-state.js';
import type { Key } from './keys.js';
import type { Ledger } from './ledger.js';

export function createLedger(
  { engine, books, requests, rateLimiter }: SandboxState,
  keyOf: (account?: string) => Key,
  paths: () => readonly string[],
): Ledger {
  return {
    get orders() {
      engine.advance();
      return engine.orders.map((order) => order.view());
    },
    get fills() {
      engine.advance();
      return [...engine.fills];
    },
    get balanceChanges() {
      engine.advance();
      return [...books.changes.entries];
    },
    get requests() {
      return [...requests.entries];
    },
    balances(account) {
      const { account: name } = keyOf(account);
      engine.advance();
      return {
        main: books.wallet(name, 'main'),
        trade: books.wallet(name, 'trade'),
        collateral: books.wallet(name, 'collateral'),
      };
    },
    maxRequestsInWindow(rateLimit) {
      const names = [...Object.keys(defaultLimits), ...paths()];
      if (!names.includes(rateLimit))
        throw new Error(
          `ledger.maxRequestsInWindow: the sandbox has no rate limit "${rateLimit}"; it has ${names.join(', ')}`,
        );
      return rateLimiter.maxRequestsInWindow(rateLimit);
    },
  };
}
