// The examples of recovery and shutdown, ended by real signals, against a sandbox on a port that outlives them.
import { appendFileSync, readFileSync } from 'node:fs';
import { describe, expect, it, type TestContext } from 'vitest';
import { createProject, until } from '../support/example-programs.js';

const stockMarket = '/api/v4/order/stock_market';
const collateralLimit = '/api/v4/order/collateral/limit';

const project = createProject();

/** For one test: the programs wait for proofs and delays, so the tests run side by side. */
async function setup(context: TestContext) {
  const world = await project.onExchange(context);
  const { sandbox, journal } = world;
  return {
    ...world,
    journalText: () => readFileSync(journal, 'utf8'),
    placed: (count: number) => until(() => sandbox.ledger.orders.length >= count),
    statuses: () => [...new Set(sandbox.ledger.orders.map(({ status }) => status))],
  };
}

describe.concurrent('recover-after-restart.ts, killed by SIGKILL', () => {
  it('finds an order that was executed before its response arrived, and does not place it again', async (context) => {
    const { sandbox, start, killAtRequest, journalText, requests } = await setup(context);
    sandbox.fault({ kind: 'slow', path: stockMarket, delayMs: 60_000 });
    await killAtRequest('recover-after-restart.ts', stockMarket);
    const identifiers = () => sandbox.ledger.orders.map(({ client_order_id }) => client_order_id);
    const [first = ''] = identifiers();
    const order = { client_order_id: first, market: 'BTC_USDT', endpoint: 'spot.placeStockMarketOrder' };
    expect(journalText()).toBe(`\n${JSON.stringify({ ...order, state: 'placing' })}`);

    const { code, stdout } = await start('recover-after-restart.ts').ended;
    expect(code).toBe(0);
    expect(stdout.split('\n')[0]).toMatch(new RegExp(`^${first} placed: 0.01 for 60`));
    expect(stdout.match(/ placed: /g)).toHaveLength(4);
    expect(new Set(identifiers()).size).toBe(4);
    expect(requests(stockMarket)).toBe(4);
  });

  it('proves that an order was never executed, and continues', async (context) => {
    const { sandbox, start, killAtRequest } = await setup(context);
    sandbox.fault({ kind: 'slow', path: stockMarket, delayMs: 1 });
    sandbox.fault({ kind: 'hang', path: stockMarket });
    await killAtRequest('recover-after-restart.ts', stockMarket, 2);

    const { code, stdout } = await start('recover-after-restart.ts').ended;
    expect(code).toBe(0);
    expect(stdout.split('\n')[0]).toMatch(/^not placed: orders.find: /);
    expect(sandbox.ledger.orders).toHaveLength(4);
  });

  it('places nothing while an order that no lookup finds may exist', async (context) => {
    const { sandbox, start, killAtRequest, journalText, journal } = await setup(context);
    sandbox.fault({ kind: 'hang', path: stockMarket });
    await killAtRequest('recover-after-restart.ts', stockMarket);

    const stopped = await start('recover-after-restart.ts').ended;
    expect([stopped.code, stopped.stdout]).toEqual([1, '']);
    expect(stopped.stderr).toMatch(/^stopped: the outcome of an order is unknown/);
    expect(sandbox.ledger.orders).toEqual([]);

    appendFileSync(journal, journalText().replace('placing', 'not-placed'));
    expect((await start('recover-after-restart.ts').ended).code).toBe(0);
    expect(sandbox.ledger.orders).toHaveLength(3);
  });

  it('ignores a line of the journal that the crash cut off', async (context) => {
    const { sandbox, start, journal } = await setup(context);
    appendFileSync(journal, '\n{"client_order_id":"cut","sta');
    expect((await start('recover-after-restart.ts').ended).stdout.match(/ placed: /g)).toHaveLength(3);
    expect((await start('recover-after-restart.ts').ended).stdout.match(/ placed: /g)).toHaveLength(3);
    expect(sandbox.ledger.orders).toHaveLength(6);
  });
});

describe.concurrent('graceful-shutdown.ts', () => {
  const canceledIn = (stdout: string) => stdout.match(/ canceled\n/g)?.length;

  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    it(`on ${signal} waits for the order in flight and cancels every order`, async (context) => {
      const { sandbox, start, placed, statuses } = await setup(context);
      sandbox.fault({ kind: 'slow', path: collateralLimit, delayMs: 1, times: 3 });
      sandbox.fault({ kind: 'slow', path: collateralLimit, delayMs: 3000 });
      const program = start('graceful-shutdown.ts');
      await placed(4);
      program.kill(signal);
      const { code, stdout, stderr } = await program.ended;
      expect([code, stderr]).toEqual([0, '']);
      const [before = '', after = ''] = stdout.split('stopping\n');
      expect(before).toMatch(/^(\S+ placed\n){3,}$/);
      expect(after).toMatch(/^(\S+ placed\n)+(\S+ canceled\n)+stopped\n$/);
      expect(canceledIn(after)).toBe(sandbox.ledger.orders.length);
      expect(statuses()).toEqual(['CANCELED']);
    });

  it('looks up an order whose response is lost, and cancels it, too', async (context) => {
    const { sandbox, start, placed, statuses } = await setup(context);
    sandbox.fault({ kind: 'slow', path: collateralLimit, delayMs: 1 });
    sandbox.fault({ kind: 'truncated', path: collateralLimit });
    const program = start('graceful-shutdown.ts');
    await placed(2);
    program.kill('SIGTERM');
    const { code, stdout } = await program.ended;
    expect(code).toBe(0);
    expect(canceledIn(stdout)).toBe(sandbox.ledger.orders.length);
    expect(statuses()).toEqual(['CANCELED']);
  });

  it('is ended at once by a second signal', async (context) => {
    const { sandbox, start, placed } = await setup(context);
    sandbox.fault({ kind: 'slow', path: collateralLimit, delayMs: 60_000 });
    const program = start('graceful-shutdown.ts');
    await placed(1);
    program.kill('SIGTERM');
    await program.wrote('stopping');
    // Sent until the program ends: one that arrives while the handlers are being removed is lost.
    const again = setInterval(() => {
      program.kill('SIGTERM');
    }, 100);
    expect((await program.ended).code).toBe('SIGTERM');
    clearInterval(again);
  });
});
