// A misspelt or mistyped option would do nothing, and a test would pass without testing anything: each is refused, by
// the name of its field.
import { createSandbox, faultKinds } from 'exchange-rx/sandbox';
import { describe, expect, it } from 'vitest';

/** What JavaScript lets pass. */
const untyped = (value: unknown) => value as never;

describe('createSandbox', () => {
  it.each<[unknown, string]>([
    [{ volatilty: 0 }, 'volatilty is unknown; known: dialect, seed, clock'],
    [{ limits: { pubic: { limit: 5, windowMs: 1000 } } }, 'limits.pubic is unknown; known: public, stockMarket'],
    [{ limits: { public: { limit: 5 } } }, 'limits.public.windowMs is required'],
    [{ limits: { public: { limit: 0, windowMs: 1000 } } }, 'limits.public.limit 0 must be an integer of 1 or more'],
    [{ clock: 'Manual' }, 'clock "Manual" must be one of real, manual'],
    [{ dialect: 'real' }, 'dialect "real" must be one of live, spec'],
    [{ seed: 1.5 }, 'seed 1.5 must be an integer of 0 or more'],
    [{ tickMs: 0 }, 'tickMs 0 must be a number of 1 or more'],
    [{ volatility: '0' }, 'volatility "0" must be a number from 0 to 1'],
    [{ historyLagMs: Number.NaN }, 'historyLagMs NaN must be a number from 0'],
    [{ subAccounts: -1 }, 'subAccounts -1 must be an integer of 0 or more'],
    [{ conditionalListing: 'yes' }, 'conditionalListing "yes" must be true or false'],
    [{ dateOffsetMs: '5' }, 'dateOffsetMs "5" must be a finite number'],
    [{ dropIdentifiers: false }, 'dropIdentifiers false must be true, or a list of paths'],
    [{ markets: [] }, 'markets must not be empty'],
    [{ markets: { name: 'BTC_USDT' } }, 'markets Object must be a list'],
    [{ markets: [{ name: 'BTC_USDT', minAmont: '1' }] }, 'markets.0.minAmont is unknown; known: name, price'],
    [{ markets: [{ price: '1' }] }, 'markets.0.name is required'],
    [
      { markets: [{ name: 'BTC_USDT', price: 60_000 }] },
      'markets.0.price 60000 must be a decimal string above 0, such as "0.001"',
    ],
    [{ markets: [{ name: 'BTC_USDT', depth: { levels: 1, step: 0.1 } }] }, 'markets.0.depth.size is required'],
    [{ markets: [{ name: 'BTC_USDT' }, { name: 'BTC_USDT' }] }, 'public.markets: two are named "BTC_USDT"'],
    [{ accounts: [] }, 'accounts must not be empty'],
    [{ accounts: [{ name: '' }] }, 'accounts.0.name "" must be a text that is not empty'],
    [{ accounts: [{ name: 'main', balance: {} }] }, 'accounts.0.balance is unknown; known: name, balances'],
    [
      { accounts: [{ name: 'main', balances: { spot: {} } }] },
      'accounts.0.balances.spot is unknown; known: main, trade, collateral',
    ],
    [
      { accounts: [{ name: 'main', balances: { trade: { BTC: 1 } } }] },
      'accounts.0.balances.trade.BTC 1 must be a decimal string',
    ],
    [{ accounts: [{ name: 'main' }, { name: 'main' }] }, 'accounts: two are named "main"'],
    [null, 'null must be an object'],
  ])('refuses %j', (options, problem) => {
    expect(() => createSandbox(untyped(options))).toThrow(/^createSandbox:/);
    expect(() => createSandbox(untyped(options))).toThrow(problem);
  });

  it('takes an option that is undefined for one that is left out', () => {
    expect(() => createSandbox(untyped({ seed: undefined, limits: undefined, accounts: undefined }))).not.toThrow();
  });
});

describe('sandbox.fault', () => {
  it.each<[unknown, string]>([
    [{ kind: 'rest' }, `kind "rest" must be one of ${faultKinds.join(', ')}`],
    [{}, 'kind is required'],
    [{ kind: 'reset', pth: '/api/v4/orders' }, 'pth is unknown; known: kind, path, times'],
    [{ kind: 'reset', path: 'api/v4/orders' }, 'path "api/v4/orders" must be a path that begins with "/"'],
    [{ kind: 'reset', times: 0 }, 'times 0 must be an integer of 1 or more'],
    [{ kind: 'reset', times: Number.NaN }, 'times NaN must be an integer of 1 or more'],
    [{ kind: 'reset', executed: 'yes' }, 'executed "yes" must be true or false'],
    [{ kind: 'slow', delayMs: '100' }, 'delayMs "100" must be a number from 0 to'],
    [{ kind: 'status', status: 204 }, 'status 204 must be an integer from 200 to 599'],
    [{ kind: 'status', status: 700 }, 'status 700 must be an integer from 200 to 599'],
    [{ kind: 'reset', status: 500 }, 'status belongs to faults of kind "status"'],
    [{ kind: 'hang', retryAfterSeconds: 1 }, 'retryAfterSeconds belongs to faults of kind "status"'],
    [
      { kind: 'status', delayMs: 5000 },
      'delayMs belongs to faults of kind "late", "slow", "replay", "delayed"; those of kind "status" do not use it',
    ],
    [
      { kind: 'cut', delayMs: 9 },
      'delayMs belongs to faults of kind "late", "slow", "replay", "delayed"; those of kind "cut" do not use it',
    ],
    [
      { kind: 'reset', hang: true },
      'hang belongs to faults of kind "late", "delayed"; those of kind "reset" do not use it',
    ],
    [
      { kind: 'slow', hang: true },
      'hang belongs to faults of kind "late", "delayed"; those of kind "slow" do not use it',
    ],
    [
      { kind: 'refuse', executed: true },
      'executed belongs to faults of kind "status", "reset", "hang", "slow", "cut", "corrupt", "empty", "html"; those of kind "refuse"',
    ],
    [
      { kind: 'late', executed: false },
      'executed belongs to faults of kind "status", "reset", "hang", "slow", "cut", "corrupt", "empty", "html"; those of kind "late" do not use it',
    ],
    [
      { kind: 'replay', executed: false },
      'executed belongs to faults of kind "status", "reset", "hang", "slow", "cut", "corrupt", "empty", "html"; those of kind "replay" do not use it',
    ],
    [
      { kind: 'odd', executed: true },
      'executed belongs to faults of kind "status", "reset", "hang", "slow", "cut", "corrupt", "empty", "html"; those of kind "odd" do not use it',
    ],
  ])('refuses %j', (fault, problem) => {
    const sandbox = createSandbox();
    const inject = () => {
      sandbox.fault(untyped(fault));
    };
    expect(inject).toThrow(`sandbox.fault: ${problem}`);
    expect(sandbox.pendingFaults()).toEqual([]);
  });
});

describe('sandbox.randomFaults', () => {
  it.each<[unknown, string]>([
    [{ rate: 0.5 }, 'seed is required'],
    [{ seed: 1 }, 'rate is required'],
    [{ seed: 1, rate: 1.5 }, 'rate 1.5 must be a number from 0 to 1'],
    [{ seed: 1, rate: Number.NaN }, 'rate NaN must be a number from 0 to 1'],
    [{ seed: 1, rate: 1, kinds: [] }, 'kinds must not be empty'],
    [{ seed: 1, rate: 1, kinds: ['rest'] }, 'kinds.0 "rest" must be one of status, '],
    [{ seed: 1, rate: 1, paths: [] }, 'paths must not be empty'],
    [{ seed: 1, rate: 1, kind: ['reset'] }, 'kind is unknown; known: seed, rate, kinds'],
  ])('refuses %j', (faults, problem) => {
    const sandbox = createSandbox();
    expect(() => {
      sandbox.randomFaults(untyped(faults));
    }).toThrow(`sandbox.randomFaults: ${problem}`);
  });
});

describe('the other functions', () => {
  const sandbox = createSandbox({ clock: 'manual' });
  const account = sandbox.account();
  const market = sandbox.market('BTC_USDT');

  it.each<[string, () => unknown]>([
    [
      'sandbox.unavailable: times is required',
      () => {
        sandbox.unavailable(untyped({ path: '/api/v4/orders' }));
      },
    ],
    [
      'sandbox.unavailable: status is unknown',
      () => {
        sandbox.unavailable(untyped({ times: 1, status: 500 }));
      },
    ],
    [
      'sandbox.setDateOffset: ms NaN must be a finite number',
      () => {
        sandbox.setDateOffset(Number.NaN);
      },
    ],
    [
      'sandbox.route: handle is required',
      () => {
        sandbox.route(untyped({ method: 'GET', path: '/own', authentication: 'none' }));
      },
    ],
    [
      'sandbox.route: group "pubic" must be one of',
      () => {
        sandbox.route(
          untyped({ method: 'GET', path: '/own', group: 'pubic', authentication: 'none', handle: () => 1 }),
        );
      },
    ],
    [
      'sandbox.placeStopOrder: activation_price is required',
      () =>
        sandbox.placeStopOrder('main', untyped({ market: 'BTC_USDT', side: 'buy', type: 'stop market', amount: '1' })),
    ],
    [
      'clock.skew: NaN ms must be a finite number',
      () => {
        sandbox.clock.skew(Number.NaN);
      },
    ],
    [
      'clock.advance: Infinity ms must be 0 or more',
      () => {
        sandbox.clock.advance(Infinity);
      },
    ],
    [
      'account.deposit: wallet "spot" must be one of main, trade, collateral',
      () => {
        account.deposit('BTC', '1', untyped('spot'));
      },
    ],
    [
      'account.deposit: amount 1 must be a decimal string',
      () => {
        account.deposit('BTC', untyped(1), 'trade');
      },
    ],
    [
      'account.enableKey: enabled "no" must be true or false',
      () => {
        account.enableKey(untyped('no'));
      },
    ],
    [
      'account.setHedgeMode: enabled',
      () => {
        account.setHedgeMode(untyped(undefined));
      },
    ],
    [
      'account.restrictKey: paths "/api/v4/orders" must be a list',
      () => {
        account.restrictKey(untyped('/api/v4/orders'));
      },
    ],
    [
      'account.revokePaths: paths.0 "api" must be a path',
      () => {
        account.revokePaths(['api']);
      },
    ],
    [
      'market.setPrice: price "abc" must be a decimal string above 0',
      () => {
        market.setPrice('abc');
      },
    ],
    [
      'market.setPrice: price "0" must be a decimal string above 0',
      () => {
        market.setPrice('0');
      },
    ],
    [
      'market.setDepth: levels is required',
      () => {
        market.setDepth(untyped({ step: 0.1, size: '1' }));
      },
    ],
    [
      'market.setTradesEnabled: enabled 1 must be true or false',
      () => {
        market.setTradesEnabled(untyped(1));
      },
    ],
  ])('%s', (problem, mistake) => {
    expect(mistake).toThrow(problem);
  });

  it('sandbox.listen refuses a port that is none', async () => {
    for (const given of [70_000, { port: 70_000 }]) {
      await expect(sandbox.listen(given)).rejects.toThrow(
        'sandbox.listen: port 70000 must be an integer from 0 to 65535',
      );
    }
  });

  it.each([
    'http://localhost:5173/',
    'localhost:5173',
    'http://localhost:80',
    'null',
    '*',
    'ftp://localhost',
    'http://me@localhost',
    5173,
  ])('sandbox.listen refuses an origin that no browser sends: %j', async (origin) => {
    const rule = `allowedOrigins.0 ${JSON.stringify(origin)} must be an origin as browsers write it, such as "http://localhost:5173"`;
    await expect(sandbox.listen({ allowedOrigins: [untyped(origin)] })).rejects.toThrow(`sandbox.listen: ${rule}`);
  });

  it('sandbox.listen refuses options that it does not know', async () => {
    await expect(sandbox.listen(untyped({ allowedOrigin: 'http://localhost:5173' }))).rejects.toThrow(
      'allowedOrigin is unknown; known: port, allowedOrigins',
    );
    await expect(sandbox.listen(untyped('8080'))).rejects.toThrow('sandbox.listen: "8080" must be an object');
  });
});
