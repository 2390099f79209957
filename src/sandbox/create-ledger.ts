// The ledger that tests read, up to date with the clock at every read.
import { formatDecimal } from '../model/decimal.js';
import type { SandboxState } from './create-state.js';
import { combinedLimits } from './http/index.js';
import type { Key } from './keys.js';
import type { Ledger, LiveLedger, Wallet } from './ledger.js';

export function createLedger(state: SandboxState, keyOf: (account?: string) => Key): Ledger {
  const { engine, books, gateway } = state;
  return {
    get orders() {
      engine.advance();
      return engine.orders.kept.map((order) => order.view());
    },
    get fills() {
      engine.advance();
      return [...engine.fills.entries];
    },
    get balanceChanges() {
      engine.advance();
      return [...books.changes.entries];
    },
    get requests() {
      return [...gateway.requests.entries];
    },
    live: liveLedger(state),
    balances(account) {
      const { account: name } = keyOf(account);
      engine.advance();
      const balancesIn = (wallet: Wallet) => books.wallet(name, wallet);
      return { main: balancesIn('main'), trade: balancesIn('trade'), collateral: balancesIn('collateral') };
    },
    priceAt(market, at) {
      engine.advance();
      const price = engine.markets.book(market).tape.priceAt(at);
      return price === undefined ? undefined : formatDecimal(price);
    },
    maxRequestsInWindow(rateLimit) {
      const names = [...combinedLimits.keys(), ...gateway.routes.keys()];
      if (names.includes(rateLimit)) return gateway.rateLimiter.maxRequestsInWindow(rateLimit);
      throw new Error(
        `ledger.maxRequestsInWindow: the sandbox has no rate limit "${rateLimit}"; it has ${names.join(', ')}`,
      );
    },
  };
}

function liveLedger({ engine, live: { record, exchange } }: SandboxState): LiveLedger {
  return {
    get openConnections() {
      return record.openConnections;
    },
    get maxOpenConnections() {
      return record.maxOpenConnections;
    },
    get connectionCount() {
      return record.connectionCount;
    },
    get requests() {
      return [...record.requests.entries];
    },
    get orderEvents() {
      engine.advance();
      return [...record.orderEvents.entries];
    },
    get pushes() {
      return Object.fromEntries(record.pushes);
    },
    bookAt(market, updateId, limit = Number.POSITIVE_INFINITY) {
      const state = exchange.books.at(market, updateId);
      return state && { asks: state.asks.slice(0, limit), bids: state.bids.slice(0, limit) };
    },
  };
}
