// The foreign exchange is an exchange: what it has published of itself, shown by requests that no SDK made.
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createForeignExchange, foreignKey, paths, type ForeignExchange } from '../../support/foreign-exchange.js';
import { market } from './setup.js';

let nonces = Date.now();

function signed(path: string, fields: object) {
  nonces = Math.max(nonces + 1, Date.now());
  const body = JSON.stringify({ request: path, nonce: String(nonces), ...fields });
  const payload = Buffer.from(body).toString('base64');
  const signature = createHmac('sha512', foreignKey.apiSecret).update(payload).digest('hex');
  const headers = { 'x-txc-apikey': foreignKey.apiKey, 'x-txc-payload': payload, 'x-txc-signature': signature };
  return { method: 'POST', path, headers, body };
}

async function ask(exchange: ForeignExchange, path: string, fields: object) {
  const { status, body } = await exchange.receive(signed(path, fields));
  return { status, body: JSON.parse(body) as unknown };
}

const buys = { market, side: 'buy', amount: '0.01' } as const;
const rests = { ...buys, price: '50000' };

describe('the foreign exchange', () => {
  it.each(['foreign-exchange', 'foreign-money', 'foreign-network', 'live-exchange'])(
    'shares no code with the SDK: %s',
    (name) => {
      const source = readFileSync(new URL(`../../support/${name}.ts`, import.meta.url), 'utf8');
      const imported = [...source.matchAll(/from '(?<module>[^']+)'/g)].map((match) => match.groups?.['module'] ?? '');
      expect(imported.filter((module) => !module.startsWith('node:') && !module.startsWith('./foreign-'))).toEqual([]);
    },
  );

  it('accepts identifiers under their live name only', async () => {
    const exchange = createForeignExchange();
    const place = (named: object) => ask(exchange, paths.stockMarket, { ...buys, ...named });
    const filled = { status: 200, body: { clientOrderId: '', status: 'FILLED' } };
    expect(await place({ client_order_id: 'a' })).toMatchObject(filled);
    expect(await place({ clientOrderId: 'a' })).toMatchObject({ status: 200, body: { clientOrderId: 'a' } });
  });

  it('rejects a used nonce with 429 and code 0, and later for its age, and executes nothing', async () => {
    const exchange = createForeignExchange();
    const request = signed(paths.stockMarket, { ...buys, nonceWindow: true });
    expect(await exchange.receive(request)).toMatchObject({ status: 200 });
    const used = '{"code":0,"message":"Too many requests.","errors":[]}';
    expect(await exchange.receive(request)).toMatchObject({ status: 429, body: used });
    exchange.premises.clockOffsetMs = 60_000;
    const old = expect.stringContaining('more than 5 seconds lesser') as string;
    expect(await exchange.receive(request)).toMatchObject({ status: 400, body: old });
    expect(exchange.executions).toHaveLength(1);
  });

  it('rejects only identifiers that an open order of the market has', async () => {
    const exchange = createForeignExchange();
    await ask(exchange, paths.stockMarket, { ...buys, clientOrderId: 'a' });
    const place = () => ask(exchange, paths.collateralLimit, { ...rests, clientOrderId: 'a' });
    expect(await place()).toMatchObject({ status: 200, body: { status: 'OPEN' } });
    expect(await place()).toMatchObject({ status: 422, body: { code: 36 } });
  });

  it('lists an order with a stop loss among the conditional orders only', async () => {
    const exchange = createForeignExchange();
    await ask(exchange, paths.collateralLimit, { ...rests, clientOrderId: 'a', stopLoss: '40000' });
    expect((await ask(exchange, paths.open, { market })).body).toEqual([]);
    const { body } = await ask(exchange, paths.conditional, { market });
    expect(body).toMatchObject({ total: 1, records: [{ type: 'oto', conditionalOrder: { clientOrderId: 'a' } }] });
  });

  it('lists an OCO order as two orders among the OCO orders and the conditional orders, and cancels both', async () => {
    const exchange = createForeignExchange();
    const prices = { activation_price: '70000', stop_limit_price: '70100' };
    const placed = await ask(exchange, paths.collateralOco, { ...rests, ...prices, clientOrderId: 'a' });
    const legs = {
      stop_loss: { clientOrderId: 'a', price: '70100' },
      take_profit: { clientOrderId: 'a', price: '50000' },
    };
    expect(placed).toMatchObject({ status: 200, body: legs });
    expect((await ask(exchange, paths.open, { market })).body).toEqual([]);
    expect((await ask(exchange, paths.oco, { market })).body).toMatchObject([legs]);
    const { body } = await ask(exchange, paths.conditional, { market });
    expect(body).toMatchObject({ total: 1, records: [{ type: 'oco', stopLoss: legs.stop_loss }] });
    const cancel = { market, clientOrderId: 'a' };
    expect((await ask(exchange, paths.cancelOco, cancel)).body).toMatchObject({ take_profit: { status: 'CANCELED' } });
    expect(await ask(exchange, paths.cancelOco, cancel)).toMatchObject({ status: 422, body: { code: 2 } });
    exchange.premises.historyLagMs = 0;
    const { body: history } = await ask(exchange, paths.history, cancel);
    expect(history).toMatchObject({ BTC_USDT: [{ status: 'CANCELED' }, { status: 'CANCELED' }] });
  });

  it('rejects a history request with an unknown identifier, and lists an empty history as an empty list', async () => {
    const exchange = createForeignExchange();
    expect(await ask(exchange, paths.history, { market })).toEqual({ status: 200, body: [] });
    const body = { code: 30, errors: { orderHistory: ['OrderHistory was not found.'] } };
    const refused = await ask(exchange, paths.history, { market, clientOrderId: 'a' });
    expect(refused).toMatchObject({ status: 422, body });
  });
});
