// Executions under faults of every kind, 20,000 by default: each of two programs that restart has each of them once.
import type { ExecutionCursor, LiveExecutionItem } from 'exchange-rx';
import type { Subscription } from 'rxjs';
import { expect, it } from 'vitest';
import { DealsExchange, honest, keyOf, type Lies } from './my/deals-exchange.js';
import { distantSetup, ms, onFakeTime, seeded } from './setup.js';

const count = Number(process.env['EXECUTIONS'] ?? 20_000);
/** Programs that end and start again, in one run. */
const lives = 40;
const markets = ['BTC_USDT', 'ETH_USDT', 'XRP_USDT'];
const thirtyPercent: Lies = {
  ...{ lost: 0.3, twice: 0.3, delayed: 0.3, maxDelayMs: 3000 },
  ...{ lagging: 0.3, maxLagMs: 20_000, failing: 0.3, behind: 0.3 },
};

/** A program with one subscription, which ends between any two executions and starts again from its last cursor. */
class Program {
  readonly keys: string[] = [];
  lives = 0;
  lastGap: LiveExecutionItem | undefined;
  #cursor: ExecutionCursor;
  #subscription: Subscription | undefined;
  #cut: () => void = () => undefined;

  constructor(
    private readonly deals: DealsExchange,
    private readonly random: () => number,
  ) {
    this.#cursor = { from: Date.now() / 1000, emitted: [] };
    this.start();
  }

  start(): void {
    this.lives += 1;
    this.lastGap = undefined;
    const { server, exchange } = distantSetup({
      credentials: { apiKey: `a-key-of-the-account-${this.lives}`, apiSecret: 'a-secret-of-the-account' },
      retry: { random: this.random, maxRetries: 3 },
      fetch: this.deals.fetch,
    });
    this.deals.serve(server);
    this.#cut = () => {
      server.connections.at(-1)?.end();
    };
    // As a file would keep it.
    const since = JSON.parse(JSON.stringify(this.#cursor)) as ExecutionCursor;
    this.#subscription = exchange.live.my.executions({ since }).subscribe((item) => {
      this.#take(item);
    });
  }

  cut(): void {
    this.#cut();
  }

  end(): void {
    this.#subscription?.unsubscribe();
  }

  #take(item: LiveExecutionItem): void {
    if (item.kind === 'gap') {
      this.lastGap = item;
      return;
    }
    this.keys.push(`${item.execution.id}/${item.execution.order_id}`);
    this.#cursor = item.cursor;
    if (this.random() > lives / count) return;
    this.end();
    setTimeout(() => {
      this.start();
    }, this.random() * 5000);
  }
}

onFakeTime();

it(`each of ${count} executions is emitted once, whatever fails`, { timeout: 600_000 }, async () => {
  const random = seeded(1);
  const deals = new DealsExchange(random);
  deals.lies = thirtyPercent;
  const programs = [new Program(deals, random), new Program(deals, random)];
  while (deals.deals.length < count) {
    for (let left = Math.ceil(random() * 5); left > 0; left -= 1)
      deals.execute(markets[Math.floor(random() * markets.length)], random() < 0.02);
    if (random() < 0.01) for (const program of programs) program.cut();
    if (random() < (deals.restIsDown ? 0.01 : 0.001)) deals.restIsDown = !deals.restIsDown;
    await ms(random() * 250);
  }
  deals.lies = honest;
  deals.restIsDown = false;
  await ms(300_000);
  for (const program of programs) {
    program.end();
    expect(program.keys.toSorted()).toEqual(deals.deals.map(keyOf).toSorted());
    expect(program.lives).toBeGreaterThan(10);
    expect(program.lastGap ?? { filled: true }).toMatchObject({ filled: true });
  }
});
