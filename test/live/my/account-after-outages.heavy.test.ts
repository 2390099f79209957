// The account on the live connection after each of many outages: what it shows is what the ledger and REST have.
import { createExchange, type LiveOrder } from 'exchange-rx';
import { createSandbox, type LiveFault } from 'exchange-rx/sandbox';
import { isDeepStrictEqual } from 'node:util';
import { firstValueFrom, type Observable } from 'rxjs';
import { expect, it } from 'vitest';
import {
  isLive,
  liveAccount,
  readView,
  viewOfLedger,
  viewOfLive,
  type AccountView,
  type LiveAccount,
} from '../../support/account-view.js';
import { perpetual, randomRequest, spotMarket, tradedMarkets } from '../../support/random-orders.js';
import { onFakeTime, seconds, seeded } from '../setup.js';

const rounds = 40;
const seeds = [1, 2, 3].slice(0, Number(process.env['SEEDS'] ?? 3));
const outages: readonly LiveFault['kind'][] = ['cut', 'close', 'half-open', 'mute'];
const noticedAtOnce: readonly LiveFault['kind'][] = ['cut', 'close'];
const losses: readonly LiveFault[] = [
  { kind: 'silent-loss', channel: 'ordersPending' },
  { kind: 'silent-loss', channel: 'ordersExecuted' },
  { kind: 'drop', channel: 'balanceSpot' },
  { kind: 'drop', channel: 'balanceMargin' },
  { kind: 'drop', channel: 'positionsMargin' },
  { kind: 'history-lag', channel: 'ordersPending', delayMs: 5000 },
];
/** Where nothing shows that a message was lost, the audit of the next minute does: so long may a live value be wrong. */
const auditS = 75;
/** Balances are pushed at most every 1.5 s. */
const pushS = 2;

/** Half an hour before funding is paid, in a pause between two orders: its message may be lost, too. */
const startsAt = Date.UTC(2026, 8, 21, 23, 37);

onFakeTime(startsAt);

it.each(seeds)('the live account is that of the ledger and of REST after each outage, with seed %i', async (seed) => {
  const random = seeded(seed);
  const sandbox = createSandbox({
    ...{ seed, volatility: 0 },
    markets: [
      { name: spotMarket, price: '60000', minAmount: '0.0001' },
      { name: perpetual, price: '60000', minAmount: '0.0001' },
    ],
  });
  const exchange = createExchange({ ...sandbox.clientOptions(), retry: { random } });
  const seen: LiveAccount[] = [];
  const errors: unknown[] = [];
  const watching = liveAccount(exchange, tradedMarkets).subscribe({
    next: (account) => seen.splice(0, 1, account),
    error: (error: unknown) => errors.push(error),
  });
  const pick = <Value>(values: readonly Value[]): Value | undefined => values[Math.floor(random() * values.length)];
  const trade = async (times: number) => {
    for (let left = times; left > 0; left -= 1) {
      const open: readonly LiveOrder[] = seen[0]?.openOrders.orders ?? [];
      // A stale map has orders that have ended, which cannot be canceled.
      randomRequest(exchange, random, open).subscribe({ error: () => undefined });
      if (random() < 0.2)
        sandbox.market(pick(tradedMarkets) ?? spotMarket).setPrice(`${59_400 + Math.floor(random() * 1200)}`);
      await seconds(random());
    }
  };
  const onFakeSeconds = async <Value>(value$: Observable<Value>) => {
    const value = firstValueFrom(value$);
    await seconds(1);
    return value;
  };
  const untilLive = async () => {
    for (let waited = 0; waited < auditS && !seen.some(isLive); waited += 1) await seconds(1);
  };
  let promptRounds = 0;
  await seconds(5);
  for (let round = 0; round < rounds; round += 1) {
    const kind = pick(outages);
    const isSilent = kind === undefined || random() < 0.3;
    for (let left = Math.floor(random() * 3); left > 0; left -= 1)
      sandbox.liveFault(pick(losses) ?? { kind: 'silent-loss' });
    await trade(10);
    // The reconnection alone must repair what was lost by then: no audit helps.
    const isPrompt = !isSilent && noticedAtOnce.includes(kind) && sandbox.pendingFaults().length === 0;
    if (!isSilent) sandbox.liveFault({ kind });
    await trade(5);
    if (isPrompt) {
      promptRounds += 1;
      await untilLive();
    }
    let expected: AccountView;
    let read: AccountView;
    // Until the account has not changed for this time: funding is paid whenever it is due.
    do {
      expected = viewOfLedger(sandbox.ledger);
      await seconds(isPrompt ? pushS : auditS);
      read = await onFakeSeconds(readView(exchange, tradedMarkets));
    } while (!isDeepStrictEqual(viewOfLedger(sandbox.ledger), expected));

    expect(errors).toEqual([]);
    const [account] = seen;
    const name = `round ${round}, ${isSilent ? 'without an outage' : kind}`;
    expect(account !== undefined && isLive(account), name).toBe(true);
    expect(account && viewOfLive(account), name).toEqual(expected);
    expect(read, name).toEqual(expected);
  }
  expect(promptRounds).toBeGreaterThan(0);
  expect(sandbox.ledger.balanceChanges.some(({ reason }) => reason === 'funding')).toBe(true);
  expect(sandbox.ledger.fills.length).toBeGreaterThan(rounds);
  expect(sandbox.ledger.live.connectionCount).toBeGreaterThan(rounds / 4);
  watching.unsubscribe();
});
