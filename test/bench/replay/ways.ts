// The ways of recorded frames to a program, from `JSON.parse` alone to a replay. Each counts what arrives.
import { createExchange, type Exchange } from 'exchange-rx';
import { recordedBatches, type Recording } from 'exchange-rx/recording';
import { createSandbox } from 'exchange-rx/sandbox';
import { ignoreElements, merge, mergeMap, NEVER, tap, timer, type Observable } from 'rxjs';

export interface Recorded {
  readonly market: string;
  /** The texts of the frames: a snapshot of a book around a price of 10100, then changes. */
  readonly frames: readonly string[];
  /** The same in files, the first one a second after the start. */
  readonly recording: Recording;
}

/** Each resolves to the number of frames, or of live books. */
export const ways = {
  'JSON.parse alone': parseAlone,
  'the reader alone': readAlone,
  'the client in memory': watchInMemory,
  'a replay': (recorded: Recorded) => replay(recorded, () => NEVER),
  'a replay with an open order': (recorded: Recorded) => replay(recorded, placeOrder),
} as const satisfies Readonly<Record<string, (recorded: Recorded) => Promise<number>>>;

export type Way = keyof typeof ways;

/** Orders are accepted from the snapshot on. */
const afterSnapshotMs = 1500;

function parseAlone({ frames }: Recorded): Promise<number> {
  let count = 0;
  for (const text of frames) if (JSON.parse(text) !== undefined) count += 1;
  return Promise.resolve(count);
}

async function readAlone({ recording }: Recorded): Promise<number> {
  let count = 0;
  for await (const lines of recordedBatches(recording)) for (const { k } of lines) if (k === 'frame') count += 1;
  return count;
}

/** The client without a sandbox: its socket gets the texts one after another. */
async function watchInMemory({ market, frames }: Recorded): Promise<number> {
  let push = (_text: string): void => undefined;
  const exchange = createExchange({
    baseUrl: 'https://exchange.example',
    fetch: () => Promise.reject(new TypeError('fetch failed')),
    webSocket: class extends EventTarget {
      constructor() {
        super();
        push = (data) => {
          this.dispatchEvent(new MessageEvent('message', { data }));
        };
        queueMicrotask(() => this.dispatchEvent(new Event('open')));
      }

      send(text: string): void {
        const { id } = JSON.parse(text) as { readonly id: number };
        queueMicrotask(() => {
          push(JSON.stringify({ id, result: { status: 'success' }, error: null }));
        });
      }

      close(): void {
        push = () => undefined;
      }
    },
  });
  const books = countBooks(exchange, market);
  const watching = books.counted$.subscribe();
  await new Promise(setImmediate);
  for (const text of frames) push(text);
  watching.unsubscribe();
  return books.count();
}

async function replay(
  { market, recording }: Recorded,
  trade: (exchange: Exchange, market: string) => Observable<unknown>,
) {
  const sandbox = createSandbox({ replay: recording });
  let count = () => 0;
  await sandbox.run((options) => {
    const exchange = createExchange(options);
    const books = countBooks(exchange, market);
    count = books.count;
    return merge(books.counted$, trade(exchange, market));
  });
  if (sandbox.ledger.fills.length > 0) throw new Error('the order was filled');
  return count();
}

/** A bid among the shown ones, which nobody trades with. */
function placeOrder({ spot }: Exchange, market: string): Observable<unknown> {
  const order = { market, side: 'buy', amount: '0.01', price: '10095', postOnly: true } as const;
  return timer(afterSnapshotMs).pipe(mergeMap(() => spot.placeLimitOrder(order)));
}

function countBooks({ live }: Exchange, market: string) {
  let books = 0;
  const counted$ = live.orderBook({ market }).pipe(
    tap(({ status }) => {
      if (status === 'live') books += 1;
    }),
    ignoreElements(),
  );
  return { counted$, count: () => books };
}
