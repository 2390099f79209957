// What is wanted, what the exchange has, and what arrives: for any sequence of subscriptions, cuts and faults.
import fc from 'fast-check';
import type { Observable, Subscription } from 'rxjs';
import { expect, it } from 'vitest';
import type { LiveConnection, LiveExchange, ReceivedRequest } from '../support/live-exchange.js';
import { onFakeTime, seconds, setup, type Setup } from './setup.js';

const markets = ['A_USDT', 'B_USDT', 'C_USDT', 'D_USDT'];
const unknown = 'BAD_USDT';
const channels = ['lastPrice', 'trades', 'orderBook'] as const;
type Channel = (typeof channels)[number];

/** How the exchange treats a request. */
type Treatment = 'confirm' | 'lose' | 'fail' | 'late' | 'cut' | 'twice';

/** The subscriptions of each connection as a server keeps them, by channel. A refused list leaves a part of it. */
class ServerLists {
  readonly #lists = new Map<string, Set<string>>();
  treatments: Treatment[] = [];

  constructor(server: LiveExchange) {
    server.react = (request) => {
      this.#treat(request, this.treatments.shift() ?? 'confirm');
    };
  }

  of(connection: number, channel: Channel): Set<string> {
    const name = `${connection} ${channel}`;
    const list = this.#lists.get(name) ?? new Set();
    this.#lists.set(name, list);
    return list;
  }

  #treat(request: ReceivedRequest, treatment: Treatment): void {
    const { connection, id } = request;
    const handle = () => {
      this.#handle(request);
    };
    if (treatment === 'cut') connection.end();
    else if (treatment === 'fail') connection.refuse(id, 2, 'internal error');
    else if (treatment === 'late') setTimeout(handle, 3000);
    else if (treatment !== 'lose') handle();
    if (treatment === 'twice') handle();
  }

  #handle({ connection, id, method, params }: ReceivedRequest): void {
    const [name = '', action] = method.split('_');
    const channel = ({ lastprice: 'lastPrice', trades: 'trades', depth: 'orderBook' } as const)[name];
    if (channel === undefined) throw new Error(`unexpected method ${method}`);
    const list = this.of(connection.number, channel);
    const named = params.filter((value) => typeof value === 'string' && value.includes('_'));
    if (action === 'unsubscribe') {
      if (named.length === 0) list.clear();
      else for (const market of named) list.delete(String(market));
    } else {
      if (channel !== 'orderBook') list.clear();
      for (const market of named) {
        if (market === unknown) {
          connection.refuse(id, 1, 'invalid argument');
          return;
        }
        list.add(String(market));
      }
    }
    connection.respond(id, { status: 'success' });
    if (action === 'unsubscribe') return;
    for (const market of named) {
      if (channel === 'trades') connection.push('trades_update', [market, []]);
      if (channel === 'orderBook') pushBook(connection, market);
    }
  }
}

function pushBook(connection: LiveConnection, market: unknown): void {
  connection.push('depth_update', [true, { update_id: 777, bids: [['1', '1']], asks: [] }, market]);
}

interface Subscriber {
  readonly channel: Channel;
  readonly market: string;
  readonly seen: string[];
  subscription: Subscription;
  error?: unknown;
}

function subscribe({ exchange: { live } }: Setup, channel: Channel, market: string): Subscriber {
  const one: Omit<Subscriber, 'subscription'> = { channel, market, seen: [] };
  const streams: Readonly<Record<Channel, () => Observable<object>>> = {
    lastPrice: () => live.lastPrice({ markets: [market] }),
    trades: () => live.trades({ markets: [market] }),
    orderBook: () => live.orderBook({ market }),
  };
  const subscription = streams[channel]().subscribe({
    next: (value) => one.seen.push(JSON.stringify(value)),
    error: (error: unknown) => Object.assign(one, { error }),
  });
  return Object.assign(one, { subscription });
}

const market$ = fc.constantFrom(...markets, unknown);
const step$ = fc.oneof(
  fc.record({ do: fc.constant('subscribe' as const), channel: fc.constantFrom(...channels), market: market$ }),
  fc.record({ do: fc.constant('unsubscribe' as const), which: fc.nat(20) }),
  fc.record({ do: fc.constant('cut' as const) }),
  fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(0, 10, 300, 2000, 15_000) }),
);

const treatment$ = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Treatment>('confirm') },
  { weight: 3, arbitrary: fc.constant<Treatment>('late') },
  { weight: 2, arbitrary: fc.constantFrom<Treatment>('lose', 'fail', 'cut', 'twice') },
);

onFakeTime();

it('subscriptions settle to the wanted keys after any sequence of changes, cuts and faults, and every value arrives', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step$, { minLength: 1, maxLength: 30 }),
      fc.array(treatment$),
      async (steps, treatments) => {
        const all = setup();
        const { server } = all;
        const lists = new ServerLists(server);
        lists.treatments = [...treatments];
        let subscribers: Subscriber[] = [];
        for (const step of steps) {
          if (step.do === 'subscribe') subscribers.push(subscribe(all, step.channel, step.market));
          else if (step.do === 'wait') await seconds(step.ms / 1000);
          else if (step.do === 'cut') server.connections.at(-1)?.end();
          else {
            const leaving = subscribers[step.which % Math.max(subscribers.length, 1)];
            leaving?.subscription.unsubscribe();
            subscribers = subscribers.filter((one) => one !== leaving);
          }
        }
        lists.treatments = [];
        for (let keepalive = 0; keepalive < 12; keepalive += 1) {
          await seconds(10);
          const last = server.connections.at(-1);
          if (last?.isOpen === true) for (const market of lists.of(last.number, 'orderBook')) pushBook(last, market);
        }

        for (const { market, error } of subscribers) expect(error !== undefined).toBe(market === unknown);
        const wanted = subscribers.filter(({ error }) => error === undefined);
        expect(server.open).toBe(wanted.length > 0 ? 1 : 0);
        expect(server.maxOpen).toBeLessThanOrEqual(1);
        if (wanted.length > 0) {
          for (const channel of channels) {
            const markets = wanted.filter((one) => one.channel === channel).map(({ market }) => market);
            expect([...lists.of(server.last.number, channel)].sort()).toEqual([...new Set(markets)].sort());
          }
          for (const market of [...markets, unknown]) {
            const trade = { id: 1, time: 1, price: '7', amount: '1', type: 'buy' };
            server.last.push('lastprice_update', [market, '777']);
            server.last.push('trades_update', [market, [trade]]);
            pushBook(server.last, market);
          }
          await seconds(1);
          for (const { market, channel, seen } of wanted) {
            const last = JSON.parse(seen.at(-1) ?? '{}') as { readonly market?: string; readonly status?: string };
            expect(last.market).toBe(market);
            if (channel !== 'trades') expect(last.status).toBe('live');
          }
        }
        for (const { subscription } of subscribers) subscription.unsubscribe();
        await seconds(0);
        expect(server.open).toBe(0);
      },
    ),
    { numRuns: 300 },
  );
}, 60_000);
