// Every example of the documents is a program that runs, and is shown in a document as it runs.
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { prepare, type BlockPrograms } from '../support/run-blocks.js';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../..');
const folder = join(root, 'docs/examples');

/** What each prints: everything, or what must be in it. */
const printed: Record<string, RegExp> = {
  'abort.ts': /^ended: the page was closed\nleft, and the sleep was aborted\n$/,
  'balances.ts': /^BTC 2\.5, USDT 25000\.75, XLM 36\.48\nBTC 2\.5 → 2\.75 \(0\.25\)\n$/,
  'bot.ts': /^((buy|sell) 0\.01 for \d+\.\d+ true\n){5}$/,
  'cancel-and-replace.ts':
    /^((BTC_USDT quote at 599|ETH_USDT quote at 29)\d\d(\.\d+)?\n)+((BTC_USDT quote at 604|ETH_USDT quote at 29)\d\d(\.\d+)?\n)+open at the end: 2\n$/,
  'for-await.ts': /^pong\n(up number\n){3}the first of all sub-accounts string\n$/,
  'grid.ts': /^(buy at 59[789]00\n){3}(sell at 60[123]00\n){3}[^]*sell at 59900\n[^]*filled: [12]\n$/,
  'kill-switch.ts': /^alive, open orders: 1\nsilent, open orders: 0\n$/,
  'log-with-pino.ts':
    /"level":40,.*"type":"response","endpoint":"placeStockMarketOrder".*"kind":"unavailable"[^]*"level":40,.*"progress":"found"/,
  'metrics-with-prom-client.ts':
    /exchange_request_seconds_count\{endpoint="spot.placeStockMarketOrder",result="ok"\} 1[^]*exchange_retries_total\{endpoint="account.mainBalance",kind="unavailable"\} 1[^]*exchange_limit_used_ratio\{group="stockMarket"\}[^]*exchange_up 1/,
  'monitor.ts': /^degraded unavailable ping: .*503.*\ndown unavailable ping: .*503.*\ndegraded unavailable \nup {2}\n$/,
  'place-when-price-crosses.ts': /^bought 0\.01 for 59\d\.\d+\n$/,
  'rebalance.ts':
    /^1\.0000 BTC and 60000 USDT\n1\.0000 BTC and 60000 USDT\n0\.95\d\d BTC and 62\d{3} USDT\n1\.05\d\d BTC and 5\d{4} USDT\n$/,
};

const documents = ['README.md', 'docs/recipes.md'].map((file) => readFileSync(join(root, file), 'utf8'));

describe.concurrent.each(readdirSync(folder).filter((file) => file.endsWith('.ts')))('docs/examples/%s', (file) => {
  it('runs on the sandbox, does what it says, ends by itself, and tells no secret', async () => {
    const { stdout, stderr } = await run(process.execPath, ['--import', 'tsx', join(folder, file)], {
      cwd: root,
      timeout: 30_000,
    });
    expect(stderr).toBe('');
    expect(stdout).toMatch(printed[file] ?? /what it prints is not written down in this test/);
    expect(stdout.toLowerCase()).not.toMatch(/secret|signature/);
  }, 40_000);

  it('is shown as it is', () => {
    const code = readFileSync(join(folder, file), 'utf8');
    expect(documents.some((document) => document.includes(`\`\`\`ts\n${code}\`\`\``))).toBe(true);
  });
});

/** Shows in place of the open orders an order of somebody else, and a record that cannot be read. */
const partialOrders = `
import type { Fetch } from 'exchange-rx';
function withPartialOrders<Options extends { readonly fetch: Fetch }>(options: Options): Options {
  const order = { orderId: 1, clientOrderId: 'other', side: 'buy', type: 'limit', status: 'NEW', price: '1', amount: '1', left: '1' };
  const fetch: Fetch = async (url, init) => {
    const response = await options.fetch(url, init);
    if (!url.endsWith('/api/v4/orders')) return response;
    const { market } = JSON.parse(init.body ?? '') as { readonly market: string };
    return Response.json([{ ...order, market, timestamp: 1, dealStock: '0', dealMoney: '0', dealFee: '0' }, {}]);
  };
  return { ...options, fetch };
}
`;

describe('places nothing while the list of open orders is partial', () => {
  const blocks = ['cancel-and-replace.ts', 'grid.ts'].map((file) => {
    const code = readFileSync(join(folder, file), 'utf8').replace(
      'sandbox.clientOptions()',
      'withPartialOrders(sandbox.clientOptions())',
    );
    return {
      file: `docs/examples/${file}`,
      line: 1,
      language: 'ts',
      code: `${code}${partialOrders}process.once('exit', () => console.log('placed:', sandbox.ledger.orders.length));`,
    };
  });
  let prepared: BlockPrograms;

  beforeAll(async () => {
    prepared = await prepare(blocks);
  });
  afterAll(() => {
    prepared.remove();
  });

  it.each(blocks)(
    '$file',
    async (block) => {
      const { stdout, stderr } = await prepared.run(block, 30_000);
      expect(stdout).toMatch(/^placed: 0$/m);
      expect(stderr).toBe('');
    },
    90_000,
  );
});
