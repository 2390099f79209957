// The history of executions, page by page: none skipped, whatever the pages are served from.
import { firstValueFrom, of, type Observable } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { readHistory, type ExecutionPageQuery } from '../../../src/live/my/execution-history.js';
import type { Execution, ExecutionPage } from '../../../src/model/deal.js';

const execution = (id: number, time: number): Execution => ({
  ...{ id, order_id: 7, client_order_id: '', market: 'BTC_USDT', time },
  ...{ side: 'buy', role: 1, price: '100', amount: '1', deal: '100', fee: '0' },
});
const many = (count: number, perSecond: number) =>
  Array.from({ length: count }, (_, index) => execution(index + 1, 1000 + index / perSecond));

class Server {
  readonly queries: ExecutionPageQuery[] = [];
  /** How many of the newest executions the server of a page does not have yet. */
  lag: (page: number) => number = () => 0;

  constructor(private readonly all: readonly Execution[]) {}

  readonly read = (query: ExecutionPageQuery): Observable<ExecutionPage> => {
    const { startDate, endDate = Number.POSITIVE_INFINITY, offset, limit } = query;
    const known = this.all.slice(0, this.all.length - this.lag(this.queries.length));
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
    const history = await firstValueFrom(readHistory(server.read, 1000.7));
    expect(idsOf(history)).toHaveLength(1200);
    expect(server.queries[0]).toEqual({ startDate: 1000, limit: 500, offset: 0 });
    expect(server.queries.length).toBeLessThanOrEqual(4);
  });

  it.each([
    ['has the executions of a second that fills several pages', 3000, 1400, 0],
    ['skips none when a later page comes from a server that lags behind', 2000, 10, 40],
  ])('%s', async (_, count, perSecond, lag) => {
    const server = new Server(many(count, perSecond));
    server.lag = (page) => (page % 2 === 0 ? 0 : lag);
    expect(idsOf(await firstValueFrom(readHistory(server.read, 1000)))).toHaveLength(count);
  });

  it('counts unreadable records as part of a page', async () => {
    const server = new Server(many(700, 10));
    const read = (query: ExecutionPageQuery) => {
      const page = server.read(query);
      return server.queries.length > 1
        ? page
        : of({ executions: many(700, 10).slice(-499).toReversed(), unreadable: 1 });
    };
    const history = await firstValueFrom(readHistory(read, 1000));
    expect(idsOf(history)).toHaveLength(700);
    expect(history.unreadable).toBe(1);
  });

  it('fails, and does not end, where a second has more executions than can be listed', async () => {
    const server = new Server(many(11_000, 100_000));
    await expect(firstValueFrom(readHistory(server.read, 1000))).rejects.toThrow(/more executions of a second/);
  });

  it('is read to startDate only, where the server ignores it', async () => {
    const startDate = 1_700_000_000;
    let pages = 0;
    const read = ({ endDate = startDate + 100 }: ExecutionPageQuery) => {
      pages += 1;
      return of({ executions: Array.from({ length: 100 }, () => execution(pages, endDate - 10)), unreadable: 0 });
    };
    await firstValueFrom(readHistory(read, startDate));
    expect(pages).toBeLessThan(15);
  });
});
