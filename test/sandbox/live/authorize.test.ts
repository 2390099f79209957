// Tokens of the real-time interface, and the connections that they authorize.
import type { SandboxOptions } from 'exchange-rx/sandbox';
import { describe, expect, it } from 'vitest';
import { sendRaw } from '../../contract/setup.js';
import { doors, type Client } from './doors.js';
import { tokenOf } from './script.js';

const success = { id: 1, result: { status: 'success' }, error: null };
const invalid = { id: 1, result: null, error: { code: 1, message: 'invalid argument' } };

const open = (options: SandboxOptions = {}) => doors['in process'](options);

const authorize = (client: Client, token: string) => client.request('authorize', [token, 'public']);

describe('the token', () => {
  it('is another one for each request, 10 in 60 s', async () => {
    const { sandbox } = await open();
    const tokens = [];
    for (let count = 0; count < 10; count += 1) tokens.push(await tokenOf(sandbox));
    expect(new Set(tokens).size).toBe(10);
    expect((await sendRaw({ sandbox }, '/api/v4/profile/websocket_token', {})).status).toBe(429);
    sandbox.clock.advance(60_000);
    await tokenOf(sandbox);
    expect(sandbox.ledger.maxRequestsInWindow('/api/v4/profile/websocket_token')).toBe(10);
  });

  it.each([
    [1, 'invalid argument', {}],
    [6, 'require authentication', { unkindSeed: 0 }],
    [11, 'invalid token', { unkindSeed: 1 }],
  ] as const)('can be rejected with code %i', async (code, message, options) => {
    const { connect } = await open(options);
    expect(await authorize(await connect(), 'unknown')).toEqual([{ ...invalid, error: { code, message } }]);
  });

  it('is not in the ledger', async () => {
    const { sandbox, connect } = await open();
    const token = await tokenOf(sandbox);
    await authorize(await connect(), token);
    expect(sandbox.ledger.live.requests).toMatchObject([{ method: 'authorize', params: ['…', 'public'] }]);
    expect(JSON.stringify([sandbox.ledger.live, sandbox.ledger.requests])).not.toContain(token);
  });
});

describe('an authorized connection', () => {
  it('keeps its account: another token of the account is accepted, one of another account is not', async () => {
    const { sandbox, connect } = await open({ accounts: [{ name: 'main' }, { name: 'other' }] });
    const client = await connect();
    expect(await authorize(client, await tokenOf(sandbox))).toEqual([success]);
    expect(await authorize(client, await tokenOf(sandbox))).toEqual([success]);
    expect(await authorize(client, await tokenOf(sandbox, 'other'))).toEqual([invalid]);
    expect(sandbox.ledger.live.requests.map(({ account }) => account)).toEqual(['main', 'main', 'main']);
  });

  it('gets the events of its own account only, which are in the ledger from then on', async () => {
    const { sandbox, connect } = await open({ accounts: [{ name: 'main' }, { name: 'other' }] });
    const client = await connect();
    await authorize(client, await tokenOf(sandbox, 'other'));
    await client.request('deals_subscribe', [[]]);
    await client.request('ordersPending_subscribe', ['BTC_USDT']);
    await client.request('balanceSpot_subscribe', []);
    const trade = async () => {
      const order = { market: 'BTC_USDT', side: 'buy', amount: '0.01' };
      expect((await sendRaw({ sandbox }, '/api/v4/order/stock_market', order)).status).toBe(200);
      sandbox.clock.advance(1000);
    };
    await trade();
    expect(await client.rest()).toEqual([]);
    expect(sandbox.ledger.live.orderEvents).toEqual([]);
    await authorize(await connect(), await tokenOf(sandbox));
    await trade();
    expect(await client.rest()).toEqual([]);
    expect(sandbox.ledger.live.orderEvents).toMatchObject([{ event: 3, order: { account: 'main' } }]);
  });
});

it('an authorize meets a refused request that names it', async () => {
  const { sandbox, connect } = await open();
  const client = await connect();
  sandbox.liveFault({ kind: 'refuse-request', channel: 'authorize', code: 11 });
  expect(await client.request('ping', [])).toMatchObject([{ result: 'pong' }]);
  expect(await authorize(client, await tokenOf(sandbox))).toMatchObject([{ error: { code: 11 } }]);
  sandbox.assertNoPendingFaults();
  expect(sandbox.ledger.live.requests.at(-1)).toMatchObject({ code: 11, fault: 'refuse-request' });
  expect(await authorize(client, await tokenOf(sandbox))).toEqual([success]);
});
