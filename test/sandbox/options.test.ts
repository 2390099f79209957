// A misspelled option or an option of the wrong type would have no effect, and a test would pass without testing
// anything: each is rejected with the name of its field.
import { createSandbox, faultKinds, parseFaultPlan } from 'exchange-rx/sandbox';
import { describe, expect, it } from 'vitest';

/** A value that only JavaScript code can pass. */
const untyped = (value: unknown) => value as never;

const sandbox = createSandbox({ clock: 'manual' });
const functions = { ...sandbox, createSandbox, 'fault plan': parseFaultPlan };

const ofAccount = (balances: object) => ({ accounts: [{ name: 'main', balances }] });
const invalid: Readonly<Record<string, readonly (readonly [given: unknown, problem: string])[]>> = {
  createSandbox: [
    [{ volatilty: 0 }, 'volatilty is unknown; known: seed, clock'],
    [{ limits: { pubic: { limit: 5, windowMs: 1000 } } }, 'limits.pubic is unknown; known: public, '],
    [{ limits: { public: { limit: 5 } } }, 'limits.public.windowMs is required'],
    [{ clock: 'Manual' }, 'clock "Manual" must be one of real, manual'],
    [{ seed: 1.5 }, 'seed 1.5 must be an integer of 0 or more'],
    [null, 'null must be an object'],
    [{ volatility: '0' }, 'volatility "0" must be a number from 0 to 1'],
    [{ retentionMs: 0 }, 'retentionMs 0 must be a number above 0'],
    [{ retentionMs: 5000, historyLagMs: 5000 }, 'retentionMs 5000 must be greater than historyLagMs (5000)'],
    [{ ignoreClientOrderIds: false }, 'ignoreClientOrderIds false must be true, or an array of paths'],
    [{ markets: [] }, 'markets must not be empty'],
    [{ markets: [{ name: 'BTC_USDT', minAmont: '1' }] }, 'markets.0.minAmont is unknown; known: name, price'],
    [{ markets: [{ price: '1' }] }, 'markets.0.name is required'],
    [{ markets: [{ name: 'A_B', price: 6 }] }, 'markets.0.price 6 must be a decimal string above 0, such as "0.001"'],
    [{ markets: [{ name: 'BTC_USDT' }, { name: 'BTC_USDT' }] }, 'markets: the name "BTC_USDT" appears twice'],
    [{ accounts: [{ name: '' }] }, 'accounts.0.name "" must be a non-empty string'],
    [ofAccount({ spot: {} }), 'accounts.0.balances.spot is unknown; known: main, trade, collateral'],
    [ofAccount({ trade: { BTC: 1 } }), 'accounts.0.balances.trade.BTC 1 must be a decimal string'],
  ],
  'sandbox.fault': [
    [{ kind: 'rest' }, `kind "rest" must be one of ${faultKinds.join(', ')}`],
    [{}, 'kind is required'],
    [{ kind: 'reset', pth: '/api/v4/orders' }, 'pth is unknown; known: kind, path, times'],
    [{ kind: 'reset', path: 'api/v4/orders' }, 'path "api/v4/orders" must be a path that begins with "/"'],
    [{ kind: 'reset', times: 0 }, 'times 0 must be an integer of 1 or more'],
    [{ kind: 'slow', delayMs: '100' }, 'delayMs "100" must be a number from 0 to'],
    [{ kind: 'status', status: 204 }, 'status 204 must be an integer from 200 to 599'],
    [{ kind: 'reset', status: 500 }, 'status is a field of kind "status"'],
    [
      { kind: 'status', delayMs: 5000 },
      'delayMs is a field of kind "late-arrival", "slow", "replay", "late-execution"; kind "status" does not use it',
    ],
    [
      { kind: 'refuse', executed: true },
      'executed is a field of kind "status", "reset", "hang", "slow", "truncated", "corrupt", "empty", "html"; kind "refuse"',
    ],
  ],
  'sandbox.randomFaults': [
    [{ rate: 0.5 }, 'seed is required'],
    [{ seed: 1, rate: 1.5 }, 'rate 1.5 must be a number from 0 to 1'],
    [{ seed: 1, rate: 1, kinds: [] }, 'kinds must not be empty'],
    [{ seed: 1, rate: 1, kinds: ['rest'] }, 'kinds.0 "rest" must be one of status, '],
  ],
  // It is read from a file.
  'fault plan': [
    [[], 'must be an object'],
    [{ fault: [] }, 'fault is unknown; known: faults, randomFaults, liveFaults, randomLiveFaults'],
    [{ faults: {} }, 'faults Object must be an array'],
    [{ liveFaults: [{ kind: 'cut', delayMs: 1 }] }, 'liveFaults.0 delayMs is a field of kind "slow-handshake"'],
    [{ randomLiveFaults: { share: 7 } }, 'randomLiveFaults.share 7 must be a number from 0 to 1'],
  ],
};

describe.each(Object.entries(invalid))('%s', (where, rows) => {
  const take: (given: unknown) => unknown = untyped(Reflect.get(functions, where.replace('sandbox.', '')));

  it.each(rows)('rejects %j', (given, problem) => {
    expect(() => take(given)).toThrow(`${where}: ${problem}`);
    expect(sandbox.pendingFaults()).toEqual([]);
  });
});

it('an undefined option is absent', () => {
  expect(() => createSandbox(untyped({ seed: undefined, limits: undefined }))).not.toThrow();
});

describe('every other function rejects an invalid argument', () => {
  const account = sandbox.account();
  const market = sandbox.market('BTC_USDT');

  const typo = '/api/v4/order/stock-market';
  const noRoute = `the sandbox has no route ${typo}; it has /api/v4/public/ping, `;

  it.each<[string, object, string, ...unknown[]]>([
    [`sandbox.fault: ${noRoute}`, sandbox, 'fault', { kind: 'reset', path: typo }],
    [`sandbox.randomFaults: ${noRoute}`, sandbox, 'randomFaults', { seed: 1, rate: 0.5, paths: [typo] }],
    [`account.restrictKey: ${noRoute}`, account, 'restrictKey', [typo]],
    [`account.revokePaths: ${noRoute}`, account, 'revokePaths', [typo]],
    [`ignoreClientOrderIds: ${noRoute}`, { createSandbox }, 'createSandbox', { ignoreClientOrderIds: [typo] }],
    ['sandbox.liveFault: kind "cuts" must be one of refuse, status', sandbox, 'liveFault', { kind: 'cuts' }],
    ['code must be from 1000 to 4999', sandbox, 'liveFault', { kind: 'close', code: 1006 }],
    ['channel "dept" must be one of bookTicker, candles', sandbox, 'liveFault', { kind: 'drop', channel: 'dept' }],
    ['the sandbox has no market "BTC_USD"', sandbox, 'liveFault', { kind: 'drop', market: 'BTC_USD' }],
    ['share 2 must be a number from 0 to 1', sandbox, 'randomLiveFaults', { share: 2 }],
    ['sandbox.channel: name "nothing" must be one of bookTicker', sandbox, 'channel', 'nothing'],
    ['the sandbox has no account "nobody"; its accounts are main', sandbox, 'clientOptions', 'nobody'],
    ['the sandbox has no market "NO_SUCH"; its markets are BTC_USDT, ETH_USDT', sandbox, 'market', 'NO_SUCH'],
    ['"BTCUSDT" is not a market', { createSandbox }, 'createSandbox', { markets: [{ name: 'BTCUSDT' }] }],
    ['clock.advance: a real clock cannot be advanced', createSandbox().clock, 'advance', 1],
    ['ledger.maxRequestsInWindow: the sandbox has no rate limit "x"', sandbox.ledger, 'maxRequestsInWindow', 'x'],
    ['sandbox.route: handle is required', sandbox, 'route', { method: 'GET', path: '/own', authentication: 'none' }],
    ['clock.skew: NaN ms must be a finite number', sandbox.clock, 'skew', Number.NaN],
    ['clock.advance: Infinity ms must be 0 or more', sandbox.clock, 'advance', Infinity],
    ['account.deposit: wallet "spot" must be one of main, trade, collateral', account, 'deposit', 'BTC', '1', 'spot'],
    ['account.deposit: amount 1 must be a decimal string', account, 'deposit', 'BTC', 1, 'trade'],
    ['has no network "BTC"', account, 'receiveDeposit', 'USDT', '1', 'BTC'],
    ['market.setPrice: price "abc" must be a decimal string above 0', market, 'setPrice', 'abc'],
    ['market.setDepth: levels is required', market, 'setDepth', { step: 0.1, size: '1' }],
  ])('%s', (problem, of, method, ...given) => {
    const call = () => Reflect.apply(untyped(Reflect.get(of, method)), of, given);
    expect(call).toThrow(problem);
  });

  const notAnOrigin = 'must be an origin as browsers write it, such as "http://localhost:5173"';
  it.each<[unknown, string]>([
    ['8080', '"8080" must be an object'],
    [70_000, 'port 70000 must be an integer from 0 to 65535'],
    [{ port: 70_000 }, 'port 70000 must be an integer from 0 to 65535'],
    [{ allowedOrigin: 'http://localhost:5173' }, 'allowedOrigin is unknown; known: port, allowedOrigins'],
    ...['http://localhost:5173/', 'localhost:5173', 'http://localhost:80', '*', 'http://me@localhost'].map(
      (origin): [object, string] => [{ allowedOrigins: [origin] }, `allowedOrigins.0 "${origin}" ${notAnOrigin}`],
    ),
  ])('sandbox.listen rejects %j', async (given, problem) => {
    await expect(sandbox.listen(untyped(given))).rejects.toThrow(`sandbox.listen: ${problem}`);
  });
});
