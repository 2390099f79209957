// Closing a position: what is no proof that it was closed.
import { createExchange } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { firstValueFrom } from 'rxjs';
import { expect, it, vi } from 'vitest';
import { useFakeTimers } from '../support/fake-timers.js';
import { jsonAnswer, recordingFetch } from '../support/recording-fetch.js';
import { watch } from '../support/watch.js';

useFakeTimers();

const path = '/api/v4/collateral-account/position/close';
const market = 'BTC_USDT';

async function withPosition() {
  const sandbox = createSandbox({ volatility: 0 });
  const exchange = createExchange(sandbox.clientOptions());
  await firstValueFrom(exchange.collateral.placeMarketOrder({ market, side: 'buy', amount: '0.01' }));
  const [position] = await firstValueFrom(exchange.collateral.openPositions());
  return { sandbox, exchange, positionId: position?.positionId ?? 0 };
}

it('a position that was never open is rejected, without a lookup', async () => {
  const { sandbox, exchange } = await withPosition();
  const results = watch(exchange.collateral.closePosition({ market, positionId: 1 }));
  await vi.advanceTimersByTimeAsync(20_000);
  expect(results).toMatchObject([{ kind: 'api', reason: 'position-not-found', outcome: 'rejected' }]);
  expect(sandbox.ledger.requests.filter((request) => request.path.endsWith('/closed-pnl'))).toEqual([]);
});

it('the outcome is unknown when a response was lost and no list shows the position', async () => {
  const { sandbox, exchange } = await withPosition();
  sandbox.fault({ kind: 'reset', path, executed: true });
  const results = watch(exchange.collateral.closePosition({ market, positionId: 1 }));
  await vi.advanceTimersByTimeAsync(20_000);
  expect(results).toMatchObject([{ kind: 'api', reason: 'position-not-found', outcome: 'unknown' }]);
});

it('an error response with HTTP 200 is not taken for a closed position', async () => {
  const body = { code: 104, message: 'Validation failed', errors: { positionId: ['Position was not found.'] } };
  const exchange = createExchange({
    baseUrl: 'https://exchange.example',
    credentials: { apiKey: 'key', apiSecret: 'secret' },
    fetch: recordingFetch(() => jsonAnswer(body)).fetch,
    retry: false,
  });
  const results = watch(exchange.collateral.closePosition({ market, positionId: 1 }));
  await vi.advanceTimersByTimeAsync(20_000);
  expect(results).toMatchObject([{ kind: 'response', outcome: 'unknown' }]);
});
