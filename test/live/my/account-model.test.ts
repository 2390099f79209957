// Any sequence of faults, changes and subscribers: what is shown as live is true, and goes back never.
import type { Subscription } from 'rxjs';
import { expect, it, vi } from 'vitest';
import type { LiveConnection, ReceivedRequest } from '../../support/live-exchange.js';
import { ms, onFakeTime, seeded } from '../setup.js';
import { accountSetup, json } from './account-exchange.js';

onFakeTime();

const assets = ['BTC', 'ETH', 'USDT', 'SOL'];
/** The exchange pushes each second; the message takes 10 ms. */
const maxAgeMs = 1100;
/** The version of each asset, and of each position, is its amount. */
type Versions = ReadonlyMap<string, number>;

/** An account whose amounts grow with each change, and an exchange that fails at random. */
class Model {
  readonly #random: () => number;
  readonly all = accountSetup({ retry: false });
  readonly #now = new Map<string, number>();
  readonly #history: { readonly at: number; readonly versions: Versions }[] = [];
  readonly #dirty = new Map<LiveConnection, Set<string>>();
  readonly problems: string[] = [];
  readonly lasts: (string | undefined)[] = [];
  values = 0;
  hasFaults = true;

  constructor(seed: number) {
    this.#random = seeded(seed);
    const { account } = this.all;
    for (const asset of assets) this.#now.set(asset, 1);
    this.#note();
    const issue = account.issue;
    account.issue = () => this.#late(() => (this.#fails(0.1) ? json(500, {}) : issue()));
    const accept = account.onToken;
    account.onToken = (got, token) => {
      if (this.#fails(0.1)) got.connection.refuse(got.id, 3, 'later');
      else if (!this.#fails(0.05)) accept(got, token);
    };
    account.react = (got) => {
      this.#react(got);
    };
    account.rest = () => this.#late(() => (this.#fails(0.2) ? json(503, {}) : json(200, this.#restPositions())));
  }

  change(): void {
    const asset = assets[Math.floor(this.#random() * assets.length)] ?? 'BTC';
    this.#now.set(asset, (this.#now.get(asset) ?? 0) + 1);
    this.#note();
    for (const dirty of this.#dirty.values()) dirty.add(asset);
  }

  watch(stream: 'balances' | 'positions'): Subscription {
    const index = this.lasts.push(undefined) - 1;
    const shown = new Map<string, number>();
    const check = (status: string, versions: Versions) => {
      this.values += 1;
      this.lasts[index] = `${status} ${[...versions].toSorted().join()}`;
      if (status !== 'live') return;
      const before = this.#history.findLast(({ at }) => at <= Date.now() - maxAgeMs);
      for (const asset of assets) {
        const version = versions.get(asset) ?? 0;
        const least = Math.max(before?.versions.get(asset) ?? 0, shown.get(asset) ?? 0);
        if (version < least) this.problems.push(`${stream}: ${asset} is ${version} instead of ${least} or more`);
        shown.set(asset, Math.max(version, shown.get(asset) ?? 0));
      }
    };
    const error = (one: unknown) => this.problems.push(`${stream}: ${String(one)}`);
    const { my } = this.all.exchange.live;
    if (stream === 'positions')
      return my.positions().subscribe({
        next: ({ status, value }) => {
          check(status, new Map(value.map(({ market, amount }) => [market, Number(amount)])));
        },
        error,
      });
    return my.balances().subscribe({
      next: ({ status, value }) => {
        check(status, new Map(Object.entries(value).map(([asset, { available }]) => [asset, Number(available)])));
      },
      error,
    });
  }

  get expected(): string {
    return `live ${[...this.#now].toSorted().join()}`;
  }

  #react({ connection, id, method }: ReceivedRequest): void {
    if (method.endsWith('_subscribe')) {
      if (this.#fails(0.1)) connection.refuse(id, 5, 'timeout');
      else if (!this.#fails(0.05)) {
        this.#follow(connection, method.replace('_subscribe', '_update'));
        connection.confirm(id);
      }
    } else if (method === 'balanceSpot_request') {
      const result = this.#balances(assets);
      if (this.#fails(0.1)) connection.refuse(id, 7, 'too many requests');
      else if (!this.#fails(0.1))
        setTimeout(() => {
          connection.respond(id, result);
        }, this.#latencyMs());
    } else connection.confirm(id);
  }

  #follow(connection: LiveConnection, update: string): void {
    const dirty = new Set<string>();
    if (update === 'balanceSpot_update') this.#dirty.set(connection, dirty);
    const push = (params: unknown) => {
      setTimeout(() => {
        connection.push(update, params);
      }, 10);
    };
    const timer = setInterval(() => {
      if (connection.state !== 'open') {
        clearInterval(timer);
        this.#dirty.delete(connection);
      } else if (update === 'positionsMargin_update') {
        const records = this.#positions();
        if (this.#fails(0.1)) records.pop();
        push({ total: assets.length, records });
      } else if (dirty.size > 0) {
        push([this.#balances([...dirty])]);
        dirty.clear();
      }
    }, 1000);
  }

  #balances(of: readonly string[]): Record<string, unknown> {
    return Object.fromEntries(
      of.map((asset) => [
        asset,
        this.#fails(0.08) ? 'no balance' : { available: String(this.#now.get(asset)), freeze: '0' },
      ]),
    );
  }

  #positions(): unknown[] {
    return assets.map((market, id) => ({
      ...{ id, market, ctime: 1, mtime: 1, amount: String(this.#now.get(market)), base_price: '1', pnl: '0' },
      ...{ liq_price: '1', unrealized_funding: '0', funding: '0', margin: '1', free_margin: '1', realized_pnl: '0' },
    }));
  }

  #restPositions(): unknown[] {
    return assets.map((market, positionId) => ({
      ...{ positionId, market, openDate: 1, modifyDate: 1, amount: String(this.#now.get(market)), basePrice: '1' },
      ...{ liquidationPrice: '1', pnl: '0', margin: '1', freeMargin: '1', funding: '0', unrealizedFunding: '0' },
    }));
  }

  async #late(respond: () => Response | Promise<Response>): Promise<Response> {
    const response = respond();
    await new Promise((resolve) => setTimeout(resolve, this.#latencyMs()));
    return response;
  }

  /** Now and then longer than anybody waits. */
  #latencyMs(): number {
    return this.#random() * (this.#fails(0.3) ? 9000 : 900);
  }

  #fails(share: number): boolean {
    return this.hasFaults && this.#random() < share;
  }

  #note(): void {
    this.#history.push({ at: Date.now(), versions: new Map(this.#now) });
  }
}

it.each([1, 2, 3, 4])('the states of an account are true while they are live, in run %i', async (seed) => {
  const model = new Model(seed);
  const random = seeded(seed * 7919);
  let subscriptions: Subscription[] = [];
  for (let step = 0; step < 300; step += 1) {
    const action = random();
    if (action < 0.5) model.change();
    else if (action < 0.53) model.all.server.connections.at(-1)?.end();
    else if (action < 0.65) subscriptions.push(model.watch(random() < 0.6 ? 'balances' : 'positions'));
    else if (action < 0.72) subscriptions.shift()?.unsubscribe();
    await ms(random() * (random() < 0.1 ? 5000 : 400));
  }
  model.hasFaults = false;
  for (const subscription of subscriptions) subscription.unsubscribe();
  subscriptions = [model.watch('balances'), model.watch('positions')];
  await ms(180_000);
  expect(model.problems).toEqual([]);
  expect(model.lasts.slice(-2)).toEqual([model.expected, model.expected]);
  expect(model.values).toBeGreaterThan(20);
  for (const subscription of subscriptions) subscription.unsubscribe();
  await ms(130_000);
  expect([model.all.server.open, vi.getTimerCount()]).toEqual([0, 0]);
});
