// Paper trading on an exchange over a port, without credentials.
import { createExchange } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { filter, firstValueFrom, take, toArray } from 'rxjs';
import { expect, it } from 'vitest';

const market = 'BTC_USDT';

it('a client trades on the prices of another exchange, which sees reads of public data only', async () => {
  const source = createSandbox({ tickMs: 50 });
  await using server = await source.listen();
  const followed = createExchange({ baseUrl: server.baseUrl });
  await using paper = createSandbox({ follow: followed, markets: [{ name: market }], matching: { latencyMs: 20 } });
  await using port = await paper.listen();
  const [inProcess, onPort] = [createExchange(paper.clientOptions()), createExchange(port.clientOptions())];
  const shown = await firstValueFrom(
    onPort.live.orderBook({ market }).pipe(
      filter(({ status }) => status === 'live'),
      take(5),
      toArray(),
    ),
  );
  for (const { updateId, bids, asks } of shown) {
    expect({ bids, asks }).toEqual(source.ledger.live.bookAt(market, updateId, 100));
  }
  for (const { spot } of [inProcess, onPort]) {
    const since = performance.now();
    const order = await firstValueFrom(spot.placeStockMarketOrder({ market, side: 'buy', amount: '0.01' }));
    expect(order.status).toBe('FILLED');
    expect(performance.now() - since).toBeGreaterThan(18);
  }
  expect(paper.ledger.fills).toHaveLength(2);
  expect(source.ledger.fills).toEqual([]);
  expect(source.ledger.requests.filter(({ account }) => account !== undefined)).toEqual([]);
  expect(source.ledger.live.requests.map(({ method }) => method)).not.toContain('authorize');
  await server.close();
  const closed$ = paper.market(market).status$.pipe(filter(({ status }) => status === 'closed'));
  expect(await firstValueFrom(closed$)).toMatchObject({ reason: 'disconnected' });
});
