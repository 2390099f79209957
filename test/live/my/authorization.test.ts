// The account's connection: a token of its own, sent before anything else, and again where the exchange forgets it.
import type { AnyExchangeError } from 'exchange-rx';
import { firstValueFrom, retry, Subject, timer } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { distantSetup, ms, onFakeTime } from '../setup.js';
import { accountSetup, json, scriptOf } from './account-exchange.js';
import { collected, errorsOf, eventsOf, valuesAndErrors } from '../../support/watch.js';

onFakeTime();

describe('the connection of the account', () => {
  it('is authorized by a token of its own before anything else is sent', async () => {
    const { server, exchange } = accountSetup();
    const states = collected(exchange.live.my.state$, ({ status }) => status);
    const subscription = exchange.live.my.balances().subscribe();
    await ms(1000);
    expect(scriptOf(server)).toEqual(['1 authorize', '1 balanceSpot_subscribe []', '1 balanceSpot_request []']);
    expect(server.script[0]).toContain('","public"]');
    expect(states).toEqual(['idle', 'connecting', 'authorizing', 'open']);
    subscription.unsubscribe();
    await ms(0);
    expect([server.open, states.at(-1)]).toEqual([0, 'idle']);
  });

  it('is another than that of market data, and one for all channels of the account', async () => {
    const { account, server, exchange } = accountSetup();
    exchange.live.my.balances().subscribe();
    exchange.live.my.marginBalances().subscribe();
    exchange.live.trades({ markets: ['BTC_USDT'] }).subscribe();
    await ms(1000);
    expect([server.open, account.tokens.length]).toEqual([2, 1]);
    const [first] = account.authorized.keys();
    expect(first?.requests.filter(({ method }) => method.startsWith('trades'))).toEqual([]);
  });

  it.each([
    ['whose connection ended before it was authorized', true],
    ['whose response is lost', false],
  ])('discards a token %s', async (_, isEnded) => {
    const { account, server, exchange } = accountSetup();
    const accept = account.onToken;
    account.onToken = ({ connection }) => {
      account.onToken = accept;
      if (isEnded) connection.end();
    };
    const values = collected(exchange.live.my.balances());
    await ms(20_000);
    expect([...account.authorized.values()]).toEqual([account.tokens[1]]);
    expect([account.tokens.length, server.open, values.length]).toEqual([2, 1, 1]);
  });

  it('sends no token on a connection that replaced the one it was requested for', async () => {
    const { account, server, exchange } = accountSetup();
    const late = new Subject<void>();
    const issue = account.issue;
    account.issue = () => firstValueFrom(late).then(issue);
    exchange.live.my.balances().subscribe();
    await ms(100);
    server.last.end();
    account.issue = issue;
    await ms(3000);
    late.next();
    await ms(3000);
    expect(scriptOf(server).filter((line) => line.endsWith('authorize'))).toEqual(['2 authorize']);
    expect([...account.authorized.values()]).toEqual([account.tokens[0]]);
  });

  it('has another token at once when the first one is refused', async () => {
    const { account, server, exchange } = accountSetup();
    account.refuse('authorize', 1, 'invalid argument', 1);
    const values = collected(exchange.live.my.balances());
    await ms(1000);
    expect([account.tokens.length, server.connections.length, values.length]).toEqual([2, 1, 1]);
  });

  it.each([1, 6, 11])(
    'ends the streams when two tokens are refused with code %i, and no other stream',
    async (code) => {
      const { account, server, exchange } = accountSetup();
      account.refuse('authorize', code, 'wrong key');
      const others = errorsOf(exchange.live.trades({ markets: ['BTC_USDT'] }));
      const errors = [exchange.live.my.balances(), exchange.live.my.marginBalances()].map(errorsOf);
      await ms(2000);
      const refusal = { kind: 'live-refused', endpoint: 'live.authorize', code, exchangeMessage: 'wrong key' };
      expect(errors).toMatchObject([[refusal], [refusal]]);
      expect([account.tokens.length, server.open, others.length]).toEqual([2, 1, 0]);
    },
  );

  it.each([2, 3, 5, 7])('is made again later when a token is refused with code %i', async (code) => {
    const { account, server, exchange } = accountSetup();
    account.refuse('authorize', code, 'later', 3);
    const events = eventsOf(exchange, 'live-connection');
    const values = collected(exchange.live.my.balances());
    await ms(20_000);
    expect([values.length, server.connections.length]).toEqual([1, 4]);
    const reasons = events.flatMap(({ state }) => (state.status === 'waiting' ? [state.reason] : []));
    expect(reasons).toEqual(['unauthorized', 'unauthorized', 'unauthorized']);
  });
});

describe('a token that the exchange does not issue', () => {
  const unauthorized = () => json(401, { message: 'This action is unauthorized.', code: 0 });

  it.each<[string, () => Response, Partial<AnyExchangeError>]>([
    ['a wrong key', unauthorized, { kind: 'auth' }],
    [
      'an unknown user',
      () => json(422, { code: 30, message: 'Validation failed', errors: { user: ['user not found'] } }),
      { kind: 'api', endpoint: 'account.websocketToken' },
    ],
  ])('ends the streams with the error of %s, and no other stream', async (_what, respond, expected) => {
    const { account, server, exchange } = accountSetup();
    account.issue = respond;
    const others = errorsOf(exchange.live.trades({ markets: ['BTC_USDT'] }));
    const errors = errorsOf(exchange.live.my.balances());
    await ms(1000);
    expect(errors).toMatchObject([expected]);
    expect([server.open, others.length]).toEqual([1, 0]);
    expect(scriptOf(server).filter((line) => !line.includes('trades'))).toEqual([]);
  });

  it('is requested again no sooner than Retry-After says', async () => {
    const { account, exchange } = accountSetup({ retry: false });
    const issue = account.issue;
    const times: number[] = [];
    account.issue = () => {
      times.push(Date.now());
      return times.length > 1 ? issue() : new Response('', { status: 503, headers: { 'retry-after': '7' } });
    };
    exchange.live.my.balances().subscribe();
    await ms(20_000);
    const [first = 0, second = 0] = times;
    expect(second - first).toBeGreaterThanOrEqual(7000);
  });

  it('fails without credentials, as an endpoint does, and opens no connection', async () => {
    const { server, exchange } = distantSetup();
    const errors = errorsOf(exchange.live.my.balances());
    await ms(1000);
    expect(errors).toMatchObject([{ kind: 'request', issues: [{ field: 'credentials' }] }]);
    expect(server.connections).toEqual([]);
  });
});

const minutes = (count: number) => ms(count * 60_000);

function lostSetup() {
  const all = accountSetup();
  const { account, server, exchange } = all;
  const waits = collected(exchange.live.my.state$, (state) => (state.status === 'waiting' ? state.reason : ''));
  const { values, errors } = valuesAndErrors(exchange.live.my.balances(), ({ status }) => status);
  return {
    ...{ ...all, errors },
    waits: () => waits.filter((reason) => reason !== ''),
    statuses: () => values.filter((status, index) => status !== values[index - 1]).join(' '),
    /** The exchange forgets that it has authorized the connection. */
    forget: () => account.authorized.delete(server.last),
  };
}

describe('an authorized connection whose requests are refused for lack of authorization', () => {
  it('is replaced by one with another token when a subscription is refused, and its streams go on', async () => {
    const { account, server, exchange, forget, statuses, waits, errors } = lostSetup();
    await ms(1000);
    forget();
    const others = valuesAndErrors(exchange.live.my.marginBalances(), ({ status }) => status);
    await ms(5000);
    expect([statuses(), others.values, waits()]).toEqual(['live stale live', ['live'], ['unauthorized']]);
    expect([errors, others.errors]).toEqual([[], []]);
    expect([account.tokens.length, server.connections.length, server.open]).toEqual([2, 2, 1]);
  });

  it('ends the streams of a channel that the next connection refuses, too, and no others', async () => {
    const { account, server, exchange, statuses, errors } = lostSetup();
    await ms(1000);
    account.refuse('balanceMargin_subscribe', 6, 'require authentication');
    const refused = errorsOf(exchange.live.my.marginBalances());
    await ms(5000);
    expect(refused).toMatchObject([{ kind: 'live-refused', endpoint: 'live.my.marginBalances', code: 6 }]);
    expect([statuses(), errors, account.tokens.length, server.open]).toEqual(['live stale live', [], 2, 1]);
  });

  it('is replaced once in 5 minutes at most, however often the refused channel is subscribed again', async () => {
    const { account, exchange, errors } = lostSetup();
    await ms(1000);
    account.refuse('balanceMargin_subscribe', 6, 'require authentication');
    const again$ = exchange.live.my.marginBalances().pipe(retry({ delay: () => timer(5000) }));
    again$.subscribe();
    await minutes(4.9);
    expect([account.tokens.length, errors]).toEqual([2, []]);
    await minutes(10);
    expect([account.tokens.length, errors]).toEqual([4, []]);
  });

  it('is replaced when a query is refused, such as that of each minute, and each time that it happens later', async () => {
    const { account, forget, statuses, errors } = lostSetup();
    for (const _ of [1, 2, 3]) {
      await minutes(6);
      forget();
    }
    await minutes(2);
    expect([account.tokens.length, errors]).toEqual([4, []]);
    expect(statuses()).toBe('live stale live stale live stale live');
  });
});
