// Lists that are read to their end, a page at a time.
import { createExchange, RequestError } from 'exchange-rx';
import { createSandbox, type SandboxOptions } from 'exchange-rx/sandbox';
import { lastValueFrom, take, toArray, type Observable } from 'rxjs';
import { describe, expect, it } from 'vitest';
import * as v from 'valibot';

function setup(options: SandboxOptions = {}) {
  const sandbox = createSandbox(options);
  const exchange = createExchange(sandbox.clientOptions());
  return { sandbox, exchange, pages: () => sandbox.ledger.requests.length };
}

const all = <T>(items$: Observable<T>) => lastValueFrom(items$.pipe(toArray()));

describe('exchange.subAccounts.listAll', () => {
  it('emits every sub-account, page after page', async () => {
    const { exchange, pages } = setup({ subAccountCount: 250 });
    const aliases = (await all(exchange.subAccounts.listAll())).map(({ alias }) => alias);
    expect(aliases).toEqual(Array.from({ length: 250 }, (_, index) => `trading_bot_${index + 1}`));
    expect(pages()).toBe(3);
  });

  it('reads no page that is not needed', async () => {
    const { exchange, pages } = setup({ subAccountCount: 250 });
    exchange.subAccounts.listAll();
    expect(pages()).toBe(0);
    await all(exchange.subAccounts.listAll().pipe(take(5)));
    expect(pages()).toBe(1);
    await all(exchange.subAccounts.listAll().pipe(take(100)));
    expect(pages()).toBe(2);
    await all(exchange.subAccounts.listAll().pipe(take(101)));
    expect(pages()).toBe(4);
  });

  it('reads no further when it is unsubscribed between two pages', async () => {
    const { exchange, pages } = setup({ subAccountCount: 250 });
    await new Promise<void>((left) => {
      const subscription = exchange.subAccounts.listAll().subscribe(() => {
        queueMicrotask(() => {
          subscription.unsubscribe();
          left();
        });
      });
    });
    await new Promise((settled) => setTimeout(settled, 20));
    expect(pages()).toBeLessThanOrEqual(2);
  });

  it('emits an item that moved to the next page meanwhile once', async () => {
    const sandbox = createSandbox({ subAccountCount: 150 });
    let last: unknown;
    const exchange = createExchange({
      ...sandbox.clientOptions(),
      fetch: async (...request) => {
        const page: unknown = await (await sandbox.fetch(...request)).json();
        const { data, ...rest } = v.parse(v.looseObject({ data: v.array(v.unknown()) }), page);
        const moved = last === undefined ? data : [last, ...data];
        last = data.at(-1);
        return Response.json({ ...rest, data: moved });
      },
    });
    expect(await all(exchange.subAccounts.listAll())).toHaveLength(150);
  });

  it('fails for bad parameters before anything is sent', async () => {
    const { exchange, pages } = setup();
    const params: object = { search: 5 };
    await expect(all(exchange.subAccounts.listAll(params))).rejects.toThrow(RequestError);
    expect(pages()).toBe(0);
  });

  it('passes the error of a page on', async () => {
    const { sandbox, exchange } = setup({ subAccountCount: 250 });
    sandbox.account().setKeyEnabled(false);
    await expect(all(exchange.subAccounts.listAll(undefined, { retry: false }))).rejects.toMatchObject({
      kind: 'auth',
    });
  });

  it('reports more items than can be requested, after emitting the others', async () => {
    const { exchange } = setup({ subAccountCount: 10_101 });
    let seen = 0;
    const error = await new Promise((failed) => {
      exchange.subAccounts.listAll().subscribe({ next: () => (seen += 1), error: failed });
    });
    expect(seen).toBe(10_100);
    expect(error).toMatchObject({ kind: 'request', endpoint: 'subAccounts.listAll', issues: [{ field: 'offset' }] });
  });
});

describe('exchange.mining.listAllAccounts', () => {
  it('emits every account, newest first', async () => {
    const { exchange, pages } = setup({ miningAccountCount: 101 });
    const names = (await all(exchange.mining.listAllAccounts())).map(({ name }) => name);
    expect([names.length, names[0], names.at(-1), pages()]).toEqual([101, 'my_miner_101', 'my_miner_01', 2]);
  });
});
