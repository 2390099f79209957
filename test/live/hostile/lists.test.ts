// A model of the exchange's lists, with refusals that leave the list whole, partial or empty, against random subscribers.
import { LiveRefusedError } from 'exchange-rx';
import type { Subscription } from 'rxjs';
import { describe, expect, it, vi } from 'vitest';
import { attack, ms } from './hostile-exchange.js';
import { seeded } from '../setup.js';

const good = ['A_USDT', 'B_USDT', 'C_USDT', 'D_USDT', 'E_USDT'];
const bad = ['X_USDT', 'Y_USDT'];

async function run(seed: number, isNamed: boolean, isTransient: boolean): Promise<string[]> {
  const random = seeded(seed);
  const { world, exchange } = attack();
  world.latencyMs = 100;
  const problems: string[] = [];
  let list: string[] = [];
  world.on = ({ wire, id, method, params }) => {
    const keys = params as string[];
    if (method === 'lastprice_unsubscribe') {
      list = [];
      wire.ok(id);
      return;
    }
    const left = (at: number) => {
      const kind = random();
      list = kind < 0.33 ? list : kind < 0.66 ? keys.slice(0, at) : [];
    };
    const found = keys.findIndex((key) => bad.includes(key));
    if (isTransient && random() < 0.2) {
      left(1);
      wire.no(id, 2, 'internal error');
    } else if (found >= 0) {
      left(found);
      if (isNamed) wire.no(id, 9, `market ${String(keys[found])} does not exist`);
      else wire.no(id, 1, 'invalid argument');
    } else {
      list = keys;
      wire.ok(id);
      for (const key of keys) wire.push('lastprice_update', [key, '1']);
    }
  };
  const reset = () => {
    list = [];
  };
  const open = new Map<string, Subscription>();
  const refused = new Set<string>();
  const values = new Map<string, string>();
  for (let step = 0; step < 60; step += 1) {
    const key = [...good, ...bad][Math.floor(random() * 7)] ?? '';
    const known = open.get(key);
    if (known !== undefined && random() < 0.5) {
      known.unsubscribe();
      open.delete(key);
      values.delete(key);
    } else if (known === undefined) {
      open.set(
        key,
        exchange.live.lastPrice({ markets: [key] }).subscribe({
          next: ({ status }) => values.set(key, status),
          error: (error: unknown) => {
            open.delete(key);
            refused.add(key);
            if (!(error instanceof LiveRefusedError) || good.includes(key))
              problems.push(`${key} failed: ${String(error)}`);
          },
        }),
      );
    }
    if (random() < 0.05 && world.open > 0) {
      reset();
      world.wire.cut();
    }
    await ms(Math.floor(random() * 250));
  }
  await ms(60_000);
  const wanted = [...open.keys()].sort();
  if (world.open > 0 && wanted.join() !== [...list].sort().join())
    problems.push(`wanted ${wanted.join()}, has ${list.join()}`);
  for (const key of wanted) {
    if (values.get(key) !== 'live') problems.push(`${key} is ${String(values.get(key))}`);
    if (bad.includes(key)) problems.push(`${key} is not refused`);
  }
  if (world.log.length > 1000) problems.push(`${world.log.length} requests`);
  for (const one of open.values()) one.unsubscribe();
  return problems;
}

describe('lists of markets settle to the wanted markets', () => {
  it.each([
    [true, false],
    [false, false],
    [true, true],
    [false, true],
  ])('when refusals name the market: %s, and the exchange fails now and then: %s', async (isNamed, isTransient) => {
    vi.useFakeTimers();
    const all: string[] = [];
    for (let seed = 1; seed <= 25; seed += 1) {
      for (const problem of await run(seed, isNamed, isTransient)) all.push(`${seed}: ${problem}`);
    }
    vi.useRealTimers();
    expect(all).toEqual([]);
  });
});
