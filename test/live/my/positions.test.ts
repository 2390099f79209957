// The account's positions, their events, and the ranks for deleveraging.
import { describe, expect, it } from 'vitest';
import { ms, onFakeTime } from '../setup.js';
import { accountSetup, json } from './account-exchange.js';
import { collected, eventsOf, valuesAndErrors } from '../../support/watch.js';

onFakeTime();

const position = (id: number, amount: string) => ({
  ...{ id, market: 'BTC_PERP', ctime: 1795310000, mtime: 1795316400, amount, amount_in_money: '600.1' },
  ...{ base_price: '60100', pnl: '0.9', liq_price: '65000', liq_stage: null, unrealized_funding: '0', funding: '0' },
  ...{ margin: '60', free_margin: '940', realized_pnl: '0', position_side: 'BOTH' },
});

async function watchedPositions() {
  const all = accountSetup();
  const { values, errors } = valuesAndErrors(all.exchange.live.my.positions(), ({ status, value }) =>
    [status, ...value.map(({ positionId, amount }) => `${positionId}: ${amount}`)].join(' '),
  );
  const push = (records: readonly unknown[], total = records.length) => {
    all.server.last.push('positionsMargin_update', { total, records });
  };
  await ms(1000);
  return { ...all, values, errors, push };
}

describe('live.my.positions', () => {
  it('emits every list whole: a position that is missing is closed', async () => {
    const { values, push } = await watchedPositions();
    push([position(1, '-0.01'), position(2, '1')]);
    push([position(2, '2')]);
    push([]);
    expect(values).toEqual(['live 1: -0.01 2: 1', 'live 2: 2', 'live']);
  });

  it.each([
    ['reads the list over REST where the exchange pushes none', 0, ['/api/v4/collateral-account/positions/open']],
    ['does not read over REST where the exchange pushes the list', 1, []],
  ])('%s', async (_, pushes, expected) => {
    const { account, push, values } = await watchedPositions();
    const paths: string[] = [];
    account.rest = (path) => {
      paths.push(path);
      return json(200, []);
    };
    if (pushes > 0) push([position(1, '1')]);
    await ms(30_000);
    expect([values, paths]).toEqual([[pushes > 0 ? 'live 1: 1' : 'live'], expected]);
  });

  it('reads the list over REST after a minute without a push: the last position may have been closed', async () => {
    const { account, push, values } = await watchedPositions();
    account.rest = () => json(200, []);
    push([position(1, '1')]);
    await ms(61_000);
    expect(values).toEqual(['live 1: 1', 'live']);
  });

  it('is stale after a minute without a push, where the list cannot be read over REST', async () => {
    const { push, values } = await watchedPositions();
    push([position(1, '1')]);
    // `rest` responds with HTTP 500, which the client retries.
    await ms(75_000);
    expect(values).toEqual(['live 1: 1', 'stale 1: 1']);
    push([position(1, '2')]);
    expect(values.slice(2)).toEqual(['live 1: 2']);
  });

  it('ends when the key may not read positions, and none are pushed', async () => {
    const { account, errors } = await watchedPositions();
    account.rest = () => json(401, { message: 'This action is unauthorized.', code: 0 });
    await ms(10_000);
    expect(errors).toMatchObject([{ kind: 'auth', endpoint: 'collateral.openPositions' }]);
  });
});

async function watchedEvents() {
  const all = accountSetup();
  const items = collected(all.exchange.live.my.positionEvents());
  await ms(1000);
  return { ...all, items };
}

describe('live.my.positionEvents', () => {
  it('emits margin calls and liquidations, and events that the exchange adds', async () => {
    const { server, items } = await watchedEvents();
    for (const event of [1, 2, 9]) server.last.push('positionsAccountMargin_update', [event, position(1, '-0.1')]);
    expect(items).toMatchObject(['margin_call', 'liquidation', '9'].map((event) => ({ kind: 'event', event })));
  });

  it('has a gap after the connection was lost, at once, and one for an unreadable event', async () => {
    const { server, exchange, items } = await watchedEvents();
    const events = eventsOf(exchange, 'live-gap');
    server.last.end();
    await ms(5000);
    server.last.push('positionsAccountMargin_update', [1, { id: 'none' }]);
    const gap = { kind: 'gap', channel: 'positionEvents', filled: false };
    expect(items).toMatchObject(['reconnect', 'unreadable'].map((reason) => ({ ...gap, reason })));
    expect(events).toMatchObject([{ reason: 'reconnect' }, { reason: 'unreadable' }]);
  });

  it('has no gap for a connection that was lost before the subscription was confirmed', async () => {
    const { account, server, exchange } = accountSetup();
    const items = collected(exchange.live.my.positionEvents());
    const confirm = account.react;
    account.react = () => undefined;
    await ms(1000);
    account.react = confirm;
    server.last.end();
    await ms(5000);
    expect(items).toEqual([]);
  });

  it('has another gap when an event came before the confirmation', async () => {
    const { account, server, items } = await watchedEvents();
    const confirm = account.react;
    account.react = (got) => {
      got.connection.push('positionsAccountMargin_update', [1, position(1, '-0.1')]);
      confirm(got);
    };
    server.last.end();
    await ms(5000);
    const seen = items.map((item) => (item.kind === 'gap' ? item.reason : item.event));
    expect(seen).toEqual(['reconnect', 'margin_call', 'reconnect']);
  });
});

it('live.my.adlQuantiles emits the ranks of every market with a position', async () => {
  const { server, exchange } = accountSetup();
  const all = collected(exchange.live.my.adlQuantiles(), ({ value }) => value);
  await ms(1000);
  server.last.push('ADLQuantile_update', [
    ['BTC_PERP', null, 4],
    ['ETH_PERP', 0, null],
  ]);
  const [btc, eth] = [
    { market: 'BTC_PERP', short: 4 },
    { market: 'ETH_PERP', long: 0 },
  ];
  expect(all).toEqual([[btc, eth]]);
});
