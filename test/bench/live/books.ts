// Those who keep the order books of parsed messages.
import { applyDelta, bridgeSnapshot, readDepthUpdate, type KnownBook } from '../../../src/live/order-book/index.js';
import { isRecord } from '../../../src/model/map.js';
import { ccxtBooks } from '../performance/contenders/ccxt/order-books.js';
import { levelsPerSide } from './depth-messages.js';

type Take = (message: unknown) => void;

/** Each starts without books. `JSON.parse alone` keeps none: it is the floor. */
export const bookKeepers = {
  'JSON.parse alone': () => () => undefined,
  'exchange-rx': ownBooks,
  ccxt: ccxtBooks,
} as const satisfies Readonly<Record<string, () => Take | Promise<Take>>>;

export type BookKeeper = keyof typeof bookKeepers;

function ownBooks(): Take {
  const books = new Map<string, KnownBook>();
  return (message) => {
    const update = readDepthUpdate(isRecord(message) ? message['params'] : undefined);
    if (update === undefined) throw new Error('a message is unreadable');
    const known = books.get(update.market);
    const book = update.isSnapshot
      ? bridgeSnapshot(known, update, levelsPerSide, Date.now())
      : known && applyDelta(known, update, levelsPerSide, Date.now());
    if (typeof book !== 'object') throw new Error(`a message was refused: ${book ?? 'there is no book'}`);
    books.set(update.market, book);
  };
}
