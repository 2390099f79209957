// Every live order book is the exchange's, level by level, whatever happens on the way.
import { createExchange, type LiveOrderBook } from 'exchange-rx';
import { createSandbox, type LiveFaultKind } from 'exchange-rx/sandbox';
import { expect, it, vi } from 'vitest';
import { onFakeTime } from './setup.js';

const markets = ['BTC_USDT', 'ETH_USDT', 'LTC_USDT'];
const limits = [5, 20, 100] as const;

const updates = Number(process.env['UPDATES'] ?? 10_000);

/** What a tenth of all messages meets. */
const messageKinds: readonly LiveFaultKind[] = ['drop', 'duplicate', 'reorder', 'delay', 'corrupt'];
/** What happens to the connection or a request, one after the other. */
const otherKinds: readonly LiveFaultKind[] = [
  ...(['cut', 'no-response', 'close', 'late-response', 'mute', 'half-open', 'refuse-request', 'refuse'] as const),
  ...(['status', 'slow-handshake'] as const),
];
const otherEveryMs = 20_000;
/** A growing delay between attempts, 30 s at most, and several faults in a row. */
const maxDownMs = 180_000;

onFakeTime();

it(`live order books are those of the exchange in ${updates} updates, of which a tenth meets a fault`, async () => {
  const sandbox = createSandbox({ clock: 'manual', tickMs: 100, seed: 5 });
  const exchange = createExchange(sandbox.clientOptions());
  const last = new Map<string, LiveOrderBook>();
  let live = 0;
  let stale = 0;
  const check = (book: LiveOrderBook, limit: number) => {
    if (book.status === 'stale') {
      stale += 1;
      return;
    }
    live += 1;
    const truth = sandbox.ledger.live.bookAt(book.market, book.updateId, limit);
    if (truth === undefined) throw new Error(`no book ${book.market} at ${book.updateId}`);
    const write = (side: readonly (readonly [string, string])[]) =>
      side.map(([price, amount]) => `${Number(price)} ${Number(amount)}`).join();
    expect([write(book.bids), write(book.asks)]).toEqual([write(truth.bids), write(truth.asks)]);
  };
  for (const market of markets) {
    for (const limit of limits) {
      exchange.live.orderBook({ market, limit }).subscribe((book) => {
        last.set(`${market} ${limit}`, book);
        check(book, limit);
      });
    }
  }
  const isDown = () => last.size > 0 && [...last.values()].every(({ status }) => status === 'stale');
  const advance = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 100) {
      sandbox.clock.advance(100);
      await vi.advanceTimersByTimeAsync(100);
    }
  };
  sandbox.randomLiveFaults({ share: 0.1, kinds: messageKinds, seed: 7 });
  for (let count = 0; live < updates || count < otherKinds.length; count += 1) {
    // Once a book is live again: faults that wait for a connection would cut each one at once.
    for (let waitedMs = 0; isDown(); waitedMs += 100) {
      expect(waitedMs).toBeLessThan(maxDownMs);
      await advance(100);
    }
    await advance(otherEveryMs);
    const kind = otherKinds[count % otherKinds.length] ?? 'cut';
    sandbox.liveFault({ kind });
    // The faults of requests and handshakes wait for one.
    if (kind !== 'mute' && kind !== 'half-open') sandbox.liveFault({ kind: 'cut' });
  }
  sandbox.randomLiveFaults(undefined);
  await advance(60_000);
  expect(stale).toBeGreaterThan(100);
  expect([...last.values()].map(({ status }) => status)).toEqual(Array(9).fill('live'));
}, 300_000);
