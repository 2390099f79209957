// The orders of an outage on the hostile exchange, whose history has more of them than a page.
import { describe, expect, it } from 'vitest';
import { onFakeTime } from '../setup.js';
import { attack, ms } from './hostile-exchange.js';

const market = 'BTC_USDT';

/** An exchange whose history lists these orders, at most `maxPage` of them in a response. */
function exchangeWith(ended: readonly object[], maxPage: number) {
  const fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init);
    if (request.url.endsWith('/websocket_token')) return Response.json({ websocket_token: 'token' });
    if (request.url.endsWith('/api/v4/orders')) return Response.json([]);
    const { limit, offset = 0 } = (await request.json()) as { readonly limit: number; readonly offset?: number };
    const page = ended.slice(offset, offset + Math.min(limit, maxPage));
    return Response.json(page.length === 0 ? [] : { [market]: page });
  };
  const credentials = { apiKey: 'a-key-of-the-account', apiSecret: 'a-secret-of-the-account' };
  const all = attack({}, { credentials, fetch });
  all.server.react = ({ connection, id, method }) => {
    if (method === 'time') connection.respond(id, Math.floor(Date.now() / 1000));
    else connection.confirm(id);
  };
  return all;
}

describe('the orders of an outage', () => {
  onFakeTime();

  it.each([100, 500])('are complete when the pages of their history have %s', async (maxPage) => {
    const ended: object[] = [];
    const { server, exchange } = exchangeWith(ended, maxPage);
    const ids = new Set<number>();
    const gaps: boolean[] = [];
    exchange.live.my.orders({ markets: [market] }).subscribe((item) => {
      if (item.kind === 'gap') gaps.push(item.filled);
      else if (item.kind === 'ended') ids.add(item.order.order_id);
    });
    await ms(5000);
    server.last.end();
    const time = Date.now() / 1000;
    for (let id = 700; id > 0; id -= 1)
      ended.push({
        ...{ id, market, clientOrderId: '', type: 'limit', side: 'buy', ctime: time, ftime: time + 1, price: '60000' },
        ...{ amount: '1', dealStock: '1', dealMoney: '60000', dealFee: '60', status: 'FILLED' },
      });
    await ms(20_000);
    expect([ids.size, gaps]).toEqual([700, [false, true]]);
  });
});
