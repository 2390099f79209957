// Paper trading: orders meet the books and trades of another exchange, whose frames are written by hand.
import { createExchange, type Fetch } from 'exchange-rx';
import { createSandbox, type SandboxOptions } from 'exchange-rx/sandbox';
import { catchError, firstValueFrom, of, Subject } from 'rxjs';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { RecordedLine } from '../../../src/recording/index.js';
import { jsonAnswer, recordingFetch } from '../../support/recording-fetch.js';
import { book, rules, start, text, trades } from '../../support/recording.js';
import { ms, onFakeTime, setup } from '../../live/setup.js';
import { apiErrorCodes } from '../../../src/model/error-body.js';
import { collected } from '../../support/watch.js';

const market = 'BTC_USDT';
const listing = () => recordingFetch(({ url }) => (isList({ url }) ? jsonAnswer([rules]) : jsonAnswer({}, 404)));
const isList = ({ url }: { readonly url: string }) => url.endsWith('/public/markets');
const opening = book(100, 1, [['99', '10']], [['101', '5']]);

onFakeTime(start);

type Following = Awaited<ReturnType<typeof following>>;

/** A sandbox that follows a hand-written exchange with a latency of 50 ms, 100 ms after its start, and a client of it. */
async function following({ fetch = listing().fetch, ...options }: SandboxOptions & { readonly fetch?: Fetch } = {}) {
  const { server, exchange: followed } = setup({}, { fetch });
  const matching = { latencyMs: 50 };
  const sandbox = createSandbox({ follow: followed, markets: [{ name: market }], matching, ...options });
  onTestFinished(() => sandbox.close());
  const status$ = sandbox.market(market).status$.pipe(catchError((error: unknown) => of({ error })));
  const statuses = collected(status$);
  const exchange = createExchange(sandbox.clientOptions());
  const push = ({ ...line }: RecordedLine) => {
    if (line.k === 'frame') server.last.frame(line.d);
  };
  /** What becomes of an order: its status, or the code of the rejection. */
  const place = (side: 'buy' | 'sell', price: string, amount: string) => {
    const outcome: { status?: string; code?: number; id?: number } = {};
    exchange.spot.placeLimitOrder({ market, side, price, amount }).subscribe({
      next: ({ status, order_id }) => Object.assign(outcome, { status, id: order_id }),
      error: (error: object) => Object.assign(outcome, 'code' in error ? { code: error.code } : { error }),
    });
    return outcome;
  };
  const fills = () =>
    sandbox.ledger.fills.map(({ at, role, price, amount }) => `${at - start} ${role} ${amount} at ${price}`);
  await ms(100);
  return { server, sandbox, exchange, statuses, push, place, fills };
}

describe('orders on paper', () => {
  it('take what is shown, rest behind it, and are canceled, a round trip after they were sent', async () => {
    const { fetch, sent } = listing();
    const { server, sandbox, exchange, push, place, fills } = await following({ fetch });
    push(opening);
    const [taker, maker] = [place('buy', '101', '2'), place('buy', '99', '5')];
    await ms(49);
    expect(sandbox.ledger.orders).toEqual([]);
    await ms(1);
    expect([taker.status, maker.status]).toEqual(['FILLED', 'OPEN']);
    await ms(150);
    push(book(300, 2, [['98', '1']], [], 1));
    await ms(100);
    push(trades(400, { id: 5, price: '99', amount: '12' }));
    expect(fills()).toEqual(['150 taker 2 at 101', '400 maker 2 at 99']);
    exchange.orders.cancel({ market, order_id: maker.id ?? 0 }).subscribe();
    await ms(50);
    expect(sandbox.ledger.orders.at(-1)).toMatchObject({ status: 'PARTIAL_CANCELED' });
    expect(sandbox.ledger.fills.map(({ fee }) => fee)).toEqual(['0.404', '0.198']);
    // The other exchange sees reads of public data only.
    expect(sent.filter(({ url }) => !url.includes('/public/'))).toEqual([]);
    expect(server.requests.map(({ method }) => method)).not.toContain('authorize');
  });

  it('wait for the rules of the markets', async () => {
    const answer$ = new Subject<void>();
    const { fetch } = listing();
    const slow: Fetch = async (...given) => {
      await firstValueFrom(answer$);
      return fetch(...given);
    };
    const { sandbox, push, place } = await following({ fetch: slow });
    push(opening);
    const order = place('buy', '100.05', '1');
    await ms(1000);
    expect(sandbox.ledger.requests).toEqual([]);
    answer$.next();
    await ms(50);
    expect(order.code).toBe(apiErrorCodes.step);
  });
});

describe('a market that is followed', () => {
  const loseConnection = ({ server }: Following) => {
    server.last.end();
  };
  /** The frame that comes instead of the next one, or what happens. */
  const closing: readonly [what: string, reason: string, happens: RecordedLine | ((parts: Following) => void)][] = [
    ['when a change is missing', 'sequence', book(300, 5, [['98', '1']], [], 4)],
    ['when its bids and asks cross', 'unreadable', book(300, 2, [['102', '1']], [], 1)],
    ['when a message is unreadable', 'unreadable', text(300, '{"method":"depth_update"}')],
    ['while the connection is lost', 'disconnected', loseConnection],
    ['when its process has slept', 'asleep', () => void vi.setSystemTime(Date.now() + 1500)],
  ];

  it.each(closing)('is closed %s, until it is whole again', async (_what, reason, happens) => {
    const parts = await following();
    const { server, push, place, statuses, fills } = parts;
    const subscriptions = () => server.requests.filter(({ method }) => method === 'depth_subscribe').length;
    push(opening);
    const resting = place('buy', '99', '5');
    await ms(60);
    const before = subscriptions();
    if (typeof happens === 'function') happens(parts);
    else push(happens);
    const late = place('buy', '101', '1');
    await ms(50);
    expect([resting.status, late.code]).toEqual(['OPEN', 31]);
    push(trades(300, { id: 5, price: '98', amount: '9' }));
    await vi.waitFor(() => {
      expect(subscriptions()).toBeGreaterThan(before);
    });
    push(book(2000, 9, [['99', '4']], [['101', '5']]));
    expect(fills()).toEqual([]);
    const seen = statuses.map((status) => ('reason' in status ? status.reason : 'open'));
    expect(seen).toEqual(['start', 'open', reason, 'open']);
    const next = place('buy', '101', '1');
    await ms(50);
    expect(next.status).toBe('FILLED');
  });

  it('is subscribed again when it has been closed for a minute', async () => {
    const { fetch, sent } = listing();
    const { server, push, statuses } = await following({ fetch });
    const before = sent.filter(isList).length;
    for (let second = 0; second < 60; second += 1) {
      // The client needs no time of the engine, and matching does.
      server.last.push('depth_update', [true, { update_id: 1 }, market]);
      await ms(1000);
    }
    expect(sent.filter(isList)).toHaveLength(before);
    await ms(1000);
    expect(sent.filter(isList).length).toBeGreaterThan(before);
    push(opening);
    expect(statuses.at(-1)).toMatchObject({ status: 'open' });
  });

  it('cuts its own clients when its process has slept', async () => {
    const { exchange, push } = await following();
    const states = collected(exchange.live.orderBook({ market }), ({ status }) => status);
    await ms(100);
    push(opening);
    await ms(100);
    vi.setSystemTime(Date.now() + 1500);
    await ms(300);
    expect(states).toEqual(['live', 'stale']);
  });

  it('triggers a stop by a trade, but not by one of the gap that comes late', async () => {
    const { sandbox, exchange, push } = await following();
    push(opening);
    const stopOrder = { market, side: 'buy', amount: '50', activation_price: '100.4' } as const;
    exchange.spot.placeStopMarketOrder(stopOrder).subscribe();
    await ms(100);
    push(book(300, 5, [['98', '1']], [], 4));
    await ms(300);
    push(book(700, 9, [['99', '4']], [['101', '5']]));
    push(trades(400, { id: 5, price: '100.5', amount: '1' }));
    expect(sandbox.ledger.fills).toEqual([]);
    push(trades(800, { id: 6, price: '100.5', amount: '1' }));
    expect(sandbox.ledger.fills).toHaveLength(1);
  });

  it('does not close for missing trades, which fill nothing', async () => {
    const { server, push, statuses } = await following();
    push(opening);
    server.last.push('trades_update', [market, 'no list']);
    await ms(100);
    expect(statuses.at(-1)).toMatchObject({ status: 'open' });
  });
});

describe('the end of following', () => {
  it('leaves no connection, and closes the market', async () => {
    const { server, sandbox, push, place, statuses } = await following();
    push(opening);
    await sandbox.close();
    await sandbox.close();
    expect(statuses.at(-1)).toMatchObject({ status: 'closed', reason: 'stopped' });
    expect(server.open).toBe(0);
    const order = place('buy', '101', '1');
    await ms(1);
    expect(order.code).toBe(31);
    await ms(120_000);
    expect(server.connections).toHaveLength(1);
  });

  it('comes also from a listener that closes it when a market closes', async () => {
    const { server, sandbox, push } = await following();
    push(opening);
    sandbox.market(market).status$.subscribe(({ status }) => {
      if (status === 'closed') sandbox.close().catch(() => undefined);
    });
    vi.setSystemTime(Date.now() + 1500);
    await ms(60_000);
    expect(server.open).toBe(0);
  });

  it('is the error of a market that the exchange does not list', async () => {
    const refused: unknown = expect.objectContaining({ kind: 'live-refused', key: 'NONE_USDT' });
    const warn = vi.spyOn(process, 'emitWarning').mockReturnValue();
    const { place, statuses } = await following({ markets: [{ name: 'NONE_USDT' }, { name: market }] });
    expect(statuses.at(-1)).toMatchObject({ error: refused });
    const order = place('buy', '101', '1');
    await ms(50);
    expect(order.code).toBe(31);
    expect(warn).not.toHaveBeenCalled();
    const { exchange: followed } = setup({}, { fetch: listing().fetch });
    createSandbox({ follow: followed, markets: [{ name: 'NONE_USDT' }] });
    await ms(100);
    expect(warn.mock.calls).toEqual([[refused]]);
  });
});

it.each<[options: object, message: string]>([
  [{ follow: {} }, 'createSandbox: follow Object must be a client made by createExchange'],
  [{ follow: setup().exchange, clock: 'manual' }, 'goes with neither replay nor a manual clock'],
])('the option follow is checked: %#', (options, message) => {
  expect(() => createSandbox(options)).toThrow(message);
});
