// The history of executions, page by page: none skipped, whatever the pages are served from.
import { firstValueFrom, Observable, of, Subject, throwError } from 'rxjs';
import { describe, expect, it, vi } from 'vitest';
import {
  HistoryReader,
  readHistory,
  type ExecutionPageQuery,
  type HistoryUser,
} from '../../../src/live/my/execution-history.js';
import type { Execution, ExecutionPage } from '../../../src/model/execution.js';
import { onFakeTime, seconds } from '../setup.js';

const execution = (id: number, time: number): Execution => ({
  ...{ id, order_id: 7, client_order_id: '', market: 'BTC_USDT', time },
  ...{ side: 'buy', role: 1, price: '100', amount: '1', deal: '100', fee: '0' },
});
const many = (count: number, perSecond: number) =>
  Array.from({ length: count }, (_, index) => execution(index + 1, 1000 + index / perSecond));

/** A server that lists the newest executions of a period, as the exchange does. */
class Server {
  readonly queries: ExecutionPageQuery[] = [];
  /** How many of the newest executions the server of a page does not have yet. */
  lag: (page: number) => number = () => 0;
  readonly #all: readonly Execution[];

  constructor(all: readonly Execution[]) {
    this.#all = all;
  }

  readonly read = (query: ExecutionPageQuery): Observable<ExecutionPage> => {
    const { startDate, endDate = Number.POSITIVE_INFINITY, offset, limit } = query;
    const known = this.#all.slice(0, this.#all.length - this.lag(this.queries.length));
    this.queries.push(query);
    const listed = known.filter(({ time }) => time >= startDate && time <= endDate).toReversed();
    return of({ executions: listed.slice(offset, offset + limit), unreadable: 0 });
  };
}

const idsOf = ({ executions }: ExecutionPage) =>
  [...new Set(executions.map(({ id }) => id))].toSorted((one, other) => one - other);

describe('the history of executions', () => {
  it('is read until a page is not full', async () => {
    const server = new Server(many(1200, 10));
    const history = await firstValueFrom(readHistory(server.read, 1000.7, true));
    expect(idsOf(history)).toHaveLength(1200);
    expect(server.queries[0]).toEqual({ startDate: 1000, limit: 500, offset: 0 });
    expect(server.queries.length).toBeLessThanOrEqual(4);
  });

  it('has the executions of a second that fills several pages', async () => {
    const server = new Server(many(3000, 1400));
    expect(idsOf(await firstValueFrom(readHistory(server.read, 1000, true)))).toHaveLength(3000);
  });

  it('skips none when a later page comes from a server that lags behind', async () => {
    const server = new Server(many(2000, 10));
    server.lag = (page) => (page % 2 === 0 ? 0 : 40);
    expect(idsOf(await firstValueFrom(readHistory(server.read, 1000, true)))).toHaveLength(2000);
  });

  it('counts unreadable records as part of a page', async () => {
    const server = new Server(many(700, 10));
    const read = (query: ExecutionPageQuery) => {
      const page = server.read(query);
      return server.queries.length > 1
        ? page
        : of({ executions: many(700, 10).slice(-499).toReversed(), unreadable: 1 });
    };
    const history = await firstValueFrom(readHistory(read, 1000, true));
    expect(idsOf(history)).toHaveLength(700);
    expect(history.unreadable).toBe(1);
  });

  it('fails, and does not end, where a second has more executions than can be listed', async () => {
    const server = new Server(many(11_000, 100_000));
    await expect(firstValueFrom(readHistory(server.read, 1000, true))).rejects.toThrow(/more executions of a second/);
  });
});

describe('the reader of the history', () => {
  onFakeTime();

  function user(readFrom: number): HistoryUser & { readonly seen: string[] } {
    const seen: string[] = [];
    return {
      ...{ readFrom, isWaiting: false, seen },
      onHistory: () => seen.push('history'),
      onFailure: () => seen.push('failure'),
      onLastingFailure: () => seen.push('lasting failure'),
    };
  }

  it('reads once for all users of a turn, from the earliest of their times', async () => {
    const from: number[] = [];
    const reader = new HistoryReader(
      (time) => {
        from.push(time);
        return of({ executions: [], unreadable: 0 });
      },
      () => 0.5,
    );
    const users = [user(1000), user(500)];
    for (const one of users) reader.request(one);
    await seconds(0);
    expect(from).toEqual([500]);
    expect(users.map(({ seen }) => seen)).toEqual([['history'], ['history']]);
  });

  it('starts another read for a request that comes during one', async () => {
    const reads: Subject<ExecutionPage>[] = [];
    const reader = new HistoryReader(
      () => {
        const read = new Subject<ExecutionPage>();
        reads.push(read);
        return read;
      },
      () => 0.5,
    );
    const users = [user(1000), user(500)] as const;
    reader.request(users[0]);
    await seconds(0);
    reader.request(users[1]);
    await seconds(0);
    expect(reads).toHaveLength(1);
    reads[0]?.next({ executions: [], unreadable: 0 });
    await seconds(0);
    expect(users.map(({ seen }) => seen)).toEqual([['history'], []]);
    expect(reads).toHaveLength(2);
  });

  it('retries with growing pauses, and reports each failure', async () => {
    const at: number[] = [];
    const start = Date.now();
    const reader = new HistoryReader(
      () => {
        at.push((Date.now() - start) / 1000);
        return at.length < 4 ? throwError(() => new Error('no response')) : of({ executions: [], unreadable: 0 });
      },
      () => 1,
    );
    const one = user(1000);
    reader.request(one);
    await seconds(60);
    expect(at).toEqual([0, 1, 3, 7]);
    expect(one.seen).toEqual(['failure', 'failure', 'failure', 'history']);
  });

  it('aborts a read, and forgets a pause, that no user waits for', async () => {
    let open = 0;
    const reader = new HistoryReader(
      () =>
        new Observable((subscriber) => {
          open += 1;
          const failure = setTimeout(() => {
            subscriber.error(new Error('no response'));
          }, 1000);
          return () => {
            open -= 1;
            clearTimeout(failure);
          };
        }),
      () => 1,
    );
    const one = user(1000);
    reader.request(one);
    await seconds(0.5);
    expect(open).toBe(1);
    reader.cancel(one);
    await seconds(0);
    expect({ open, timers: vi.getTimerCount(), seen: one.seen }).toEqual({ open: 0, timers: 0, seen: [] });
    reader.request(one);
    await seconds(1.1);
    expect(one.seen).toEqual(['failure']);
    reader.cancel(one);
    expect(vi.getTimerCount()).toBe(0);
  });
});
