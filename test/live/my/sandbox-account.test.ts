// The account's states on the sandbox: what they show is what the exchange has, through cuts and lost messages.
import { createExchange, type LiveBalances, type LivePositions } from 'exchange-rx';
import { createSandbox, type LiveFaultKind, type SandboxLiveOptions } from 'exchange-rx/sandbox';
import { firstValueFrom } from 'rxjs';
import { describe, expect, it, vi } from 'vitest';
import { onFakeTime } from '../setup.js';

onFakeTime();

const market = 'BTC_USDT';
const ms = (time: number) => vi.advanceTimersByTimeAsync(time);

function setup(live: SandboxLiveOptions = {}) {
  const sandbox = createSandbox({
    ...{ seed: 7, volatility: 0, live },
    markets: [
      { name: market, price: '60000' },
      { name: 'BTC_PERP', price: '60010' },
    ],
  });
  const exchange = createExchange(sandbox.clientOptions());
  /** Runs a request on fake time. */
  const done = async (call$: Parameters<typeof firstValueFrom>[0]) => {
    const result = firstValueFrom(call$);
    await ms(100);
    await result;
  };
  const buy = (amount: string) => done(exchange.spot.placeStockMarketOrder({ market, side: 'buy', amount }));
  const open = (side: 'buy' | 'sell') =>
    done(exchange.collateral.placeMarketOrder({ market: 'BTC_PERP', side, amount: '0.01' }));
  return { sandbox, exchange, buy, open };
}

const availableIn = ({ balance }: LiveBalances) =>
  Object.fromEntries(Object.entries(balance).map(([asset, { available }]) => [asset, Number(available)]));

describe('live.my on the sandbox', () => {
  it.each<SandboxLiveOptions>([{}, { unkindSeed: 0 }, { unkindSeed: 1 }])(
    'balances equal the ledger after each outage: %j',
    async (live) => {
      const { sandbox, exchange, buy } = setup(live);
      const values: LiveBalances[] = [];
      exchange.live.my.balances().subscribe((value) => values.push(value));
      await ms(2000);
      const kinds: readonly LiveFaultKind[] = ['cut', 'token-expired', 'authorize-lost', 'drop', 'half-open'];
      for (const kind of kinds) {
        sandbox.liveFault({ kind });
        if (kind !== 'cut') sandbox.liveFault({ kind: 'cut' });
        await buy('0.01');
        await ms(60_000);
        const last = values.at(-1);
        expect(last?.status).toBe('live');
        const { trade } = sandbox.ledger.balances();
        const expected = Object.fromEntries(Object.entries(trade).map(([asset, amount]) => [asset, Number(amount)]));
        expect(last && availableIn(last)).toMatchObject(expected);
      }
      expect(sandbox.ledger.maxRequestsInWindow('websocketToken')).toBeLessThanOrEqual(10);
    },
  );

  it('positions are those of the account, and one that was closed is missing', async () => {
    const { exchange, open } = setup();
    const values: LivePositions[] = [];
    exchange.live.my.positions().subscribe((value) => values.push(value));
    await ms(2000);
    expect(values.at(-1)).toMatchObject({ status: 'live', positions: [] });
    await open('buy');
    await ms(2000);
    const listed = firstValueFrom(exchange.collateral.openPositions());
    await ms(100);
    const [position] = await listed;
    expect(values.at(-1)?.positions).toMatchObject([
      { positionId: position?.positionId, amount: position?.amount, basePrice: position?.basePrice },
    ]);
    await open('sell');
    await ms(2000);
    expect(values.at(-1)).toMatchObject({ status: 'live', positions: [] });
  });
});
