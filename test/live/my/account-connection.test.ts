// The account's connection on an exchange that behaves worse than it should.
import { firstValueFrom, merge, retry } from 'rxjs';
import { describe, expect, it, vi } from 'vitest';
import { printed } from '../../support/printed.js';
import { ms, onFakeTime, seeded } from '../setup.js';
import { accountSetup, json } from './account-exchange.js';
import { collected, errorsOf, valuesAndErrors } from '../../support/watch.js';

onFakeTime();

describe('the connection of the account', () => {
  it('ignores pushes before it is authorized', async () => {
    const { account, server, exchange } = accountSetup();
    account.issue = () => new Promise(() => undefined);
    const values = collected(merge(exchange.live.my.positions(), exchange.live.my.positionEvents()));
    await ms(1000);
    server.last.push('positionsMargin_update', { total: 0, records: [] });
    server.last.push('positionsAccountMargin_update', ['malformed']);
    expect(values).toEqual([]);
  });

  it('gives each of two subscribers an execution once after both have retried a refusal', async () => {
    const { account, exchange } = accountSetup();
    account.rest = () => json(200, {});
    account.refuse('deals_subscribe', 1, 'invalid argument', 1);
    const executions$ = exchange.live.my.executions().pipe(retry(1));
    const seen = [0, 1].map(() => collected(executions$, ({ kind }) => kind));
    await ms(20_000);
    const pushed = [7, Date.now() / 1000, 'BTC_USDT', 1, '60000', '0.2', '12', 'a', 2, 2, 'USDT'];
    for (const connection of account.authorized.keys()) connection.push('deals_update', pushed);
    await ms(1000);
    expect(seen.map((kinds) => kinds.filter((kind) => kind === 'execution').length)).toEqual([1, 1]);
  });

  it('ends no stream that was subscribed again inside of the error of another one', async () => {
    const { account, exchange } = accountSetup();
    const issue = account.issue;
    account.issue = () => {
      account.issue = issue;
      return json(401, { message: 'This action is unauthorized.', code: 0 });
    };
    const both$ = merge(exchange.live.my.balances(), exchange.live.my.marginBalances());
    const { values, errors } = valuesAndErrors(both$.pipe(retry(1)));
    await ms(5000);
    expect([values.length, errors]).toEqual([2, []]);
  });

  it.each(['balances', 'positions', 'openOrders'] as const)(
    'leaves nothing behind when the first value of %s was enough',
    async (name) => {
      const { account, server, exchange } = accountSetup();
      account.rest = () => json(200, []);
      const { my } = exchange.live;
      const openOrders = () => my.openOrders({ markets: ['BTC_USDT'] });
      const first = firstValueFrom<unknown>({ ...my, openOrders }[name]());
      await ms(1000);
      if (name === 'positions') server.last.push('positionsMargin_update', { total: 0, records: [] });
      await ms(5000);
      await first;
      await ms(130_000);
      expect([server.open, server.connections.length, vi.getTimerCount()]).toEqual([0, 1, 0]);
    },
  );

  it('ends with a stream that was subscribed again inside of the error of its query', async () => {
    const { account, server, exchange } = accountSetup();
    account.refuse('_request', 1, 'invalid argument', 1);
    let values = 0;
    const balances$ = exchange.live.my.balances().pipe(retry(1));
    const subscription = balances$.subscribe(() => (values += 1));
    await ms(3000);
    subscription.unsubscribe();
    await ms(130_000);
    expect([values, server.open, vi.getTimerCount()]).toEqual([1, 0, 0]);
  });

  it('ends with orders that a listener to events has ended', async () => {
    const { account, server, exchange } = accountSetup();
    account.rest = () => json(200, []);
    const subscription = exchange.live.my.openOrders({ markets: ['BTC_USDT'] }).subscribe();
    exchange.events$.subscribe((event) => {
      if (event.type === 'request' && event.endpoint.startsWith('orders.')) subscription.unsubscribe();
    });
    await ms(130_000);
    expect([server.connections.length, server.open, vi.getTimerCount()]).toEqual([1, 0, 0]);
  });

  it('leaves nothing behind, whenever its subscribers come and go', async () => {
    for (let at = 0; at < 60; at += 4) {
      const { account, server, exchange } = accountSetup();
      account.rest = () => json(200, []);
      const issue = account.issue;
      account.issue = async () => {
        await new Promise((resolve) => setTimeout(resolve, 7));
        return issue();
      };
      const { my } = exchange.live;
      const first = merge(my.balances(), my.positions(), my.positionEvents()).subscribe();
      await ms(at);
      first.unsubscribe();
      await ms(at % 3);
      const second = my.adlQuantiles().subscribe();
      await ms(at % 5);
      second.unsubscribe();
      await ms(0);
      expect(server.open).toBe(0);
      // A permit of the rate limit returns one window after its request.
      await ms(130_000);
      expect(vi.getTimerCount()).toBe(0);
    }
  });

  it.each([0, 11_000])(
    'that is lost %i ms after each token takes at most 10 tokens a minute, and costs market data nothing',
    async (openMs) => {
      const { account, exchange } = accountSetup({ retry: { random: seeded(openMs) } });
      const states = collected(exchange.live.state$, ({ status }) => status);
      exchange.live.trades({ markets: ['BTC_USDT'] }).subscribe();
      exchange.live.my.balances().subscribe();
      const times: number[] = [];
      const issue = account.issue;
      account.issue = () => {
        times.push(Date.now());
        return issue();
      };
      const accept = account.onToken;
      account.onToken = (got, token) => {
        accept(got, token);
        setTimeout(() => {
          got.connection.end();
        }, openMs);
      };
      await ms(180_000);
      const inMinute = times.map((from) => times.filter((time) => time >= from && time < from + 60_000).length);
      expect(times.length).toBeGreaterThan(3);
      expect(Math.max(...inMinute)).toBeLessThanOrEqual(10);
      expect(states).not.toContain('waiting');
    },
  );
});

it.each([302, 403, 429])('a token request is sent again after status %i with a page', async (status) => {
  const { account, exchange } = accountSetup({ retry: false });
  const issue = account.issue;
  account.issue = () => {
    account.issue = issue;
    return new Response('<html>blocked</html>', { status });
  };
  const { values, errors } = valuesAndErrors(exchange.live.my.balances());
  // After status 429, the rate limit waits for a whole window.
  await ms(90_000);
  expect([values.length > 0, errors]).toEqual([true, []]);
});

it.each<[string, (token: string) => Response | Promise<Response>]>([
  ['of another type', (token) => json(200, { websocket_token: [token] })],
  ['under another name', (token) => json(200, { token })],
  ['as text', (token) => new Response(token)],
  ['in a failure', (token) => json(500, { message: token, code: 1, errors: { [token]: [token] } })],
  ['in a rejection', (token) => json(422, { message: token, code: 30, errors: { user: [token] } })],
  ['in a redirection', (token) => new Response('', { status: 302, headers: { location: `/${token}` } })],
  ['in the error of fetch', (token) => Promise.reject(new Error(`at ${token}`))],
])('the token is in no event, error or object when the response has it %s', async (_what, respond) => {
  const { account, exchange } = accountSetup({ retry: false });
  account.issue = () => respond(account.nextToken());
  const seen = collected(exchange.events$, (event) => printed(event));
  const errors = errorsOf(exchange.live.my.balances());
  await ms(9000);
  expect(account.tokens).not.toEqual([]);
  expect([...seen, printed(errors), printed(exchange)].join('')).not.toContain('oH3kQ');
});
