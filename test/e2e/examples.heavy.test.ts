// Every example of the documents runs in a CommonJS project, as `npm init` makes it, and documents show it as it is.
import { describe, expect, it } from 'vitest';
import { createProject, exampleFiles } from '../support/example-programs.js';
import { blocksOf, documents, textOf } from '../support/documents.js';
import { freePort } from '../support/ports.js';

/** The output of each program that ends by itself. */
const printed: Readonly<Record<string, RegExp>> = {
  'abort.ts': /^ended by the signal\nunsubscribed; the sleep is aborted\n$/,
  'balances.ts': /^BTC 2\.5\nUSDT 25000\.75\nXLM 36\.48\nBTC 2\.5 → 2\.75 \(0\.25\)\n$/,
  // An order that comes late finds another price, and is canceled.
  'bot.ts': /^(?=[^]* 0\.01 at )((buy|sell) (0\.01 at \d+(\.\d+)?|0 at -)\n){5}$/,
  'cancel-and-replace.ts':
    /^((BTC_USDT quote at 599|ETH_USDT quote at 29)\d\d(\.\d+)?\n)+((BTC_USDT quote at 604|ETH_USDT quote at 29)\d\d(\.\d+)?\n)+open at the end: 2\n$/,
  'for-await.ts': /^pong\n(up\n){3}first sub-account: \w+\n$/,
  'graceful-shutdown.ts': /^(quoter-\d+-\d+ placed\n)+stopping\n(quoter-\d+-\d+ canceled\n)+stopped\n$/,
  'funding-rates.ts': /^unknown → 0\.\d+ at \d{4}-\S+T\S+00:00\.000Z\n0\.\d+ → 0\.\d+ at \d{4}-\S+T\S+00:00\.000Z\n$/,
  'grid.ts': /^(buy at 59[789]00\n){3}(sell at 60[123]00\n){3}[^]*sell at 59900\n[^]*filled: [1-9]\n$/,
  'kill-switch.ts': /^open orders: 1\nopen orders: 0\n$/,
  'live-market-maker.ts': /^(?=[^]*by a sell)(0\.01 filled at \d+(\.\d+)?, hedged by a (buy|sell)\n)+$/,
  'log-with-pino.ts':
    /"level":40,.*"type":"response","endpoint":"spot.placeStockMarketOrder".*"kind":"unavailable"[^]*"level":40,.*"progress":"found"/,
  'market-maker.ts': /^(bid \d{5}(\.\d+)? ask \d{5}(\.\d+)?\n){5}$/,
  'monitor.ts':
    /^degraded unavailable public\.ping: .*503.*\ndown unavailable public\.ping: .*503.*\ndegraded unavailable \nup {2}\n$/,
  'moving-average.ts': /^(\d+\.\d\d (not )?below \d+\.\d\d\n){3}$/,
  'oco-exit.ts': /^closed by (margin )?limit 0\.01 for 630\n$/,
  'pay-out-sub-accounts.ts':
    /^trading_bot_1 paid 150\.25 USDT\ntrading_bot_2 paid 80 USDT\ntrading_bot_3 paid 42 USDT\n$/,
  'place-when-price-crosses.ts': /^bought 0\.01 for 5(89|90)\.\d+\n$/,
  'positions.ts': /^(BTC_USDT 0\.1 from 60\d+(\.\d+)? profit -?\d+(\.\d+)? equity \d+(\.\d+)?\n){2}$/,
  'rebalance.ts':
    /^1\.0000 BTC and 60000 USDT\n1\.0000 BTC and 60000 USDT\n0\.95\d\d BTC and 62\d{3} USDT\n1\.05\d\d BTC and 5\d{4} USDT\n$/,
  'sweep-profits.ts': /^500 USDT on the way to TColdWallet\w+\n$/,
  'top-up-collateral.ts': /^topped up \d+ USDT: equity was \d+(\.\d+)?, margin \d+(\.\d+)?\n$/,
  'recover-after-restart.ts': /^(\w+ placed: 0\.0\d for \d+\.\d+\n){3}$/,
};

/** The text that each program serves which runs until it is stopped. */
const served: Readonly<Record<string, { readonly path: string; readonly text: RegExp }>> = {
  'balances-page.ts': {
    path: '/balances',
    text: /^data: \{"balance":\{"BTC":\{"main_balance":"[\d.]+"\},.*"stale":false\}\n\ndata: /,
  },
  'metrics-with-prom-client.ts': {
    path: '/metrics',
    text: /exchange_request_seconds_count\{endpoint="spot.placeStockMarketOrder",result="ok"\} 1[^]*exchange_retries_total\{endpoint="account.mainBalance",kind="unavailable"\} 1[^]*exchange_limit_used_ratio\{rate_limit="spot.placeStockMarketOrder"\}[^]*exchange_up 1/,
  },
};

/** Replaces the list of open orders by an order of another program and a record that cannot be read. */
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

describe('a project', () => {
  const project = createProject();

  it.concurrent.each(Object.entries(printed))('runs %s to its end', async (file, output) => {
    const { code, stdout, stderr } = await project.start(file).ended;
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(output);
    expect(stdout.toLowerCase()).not.toMatch(/secret|signature/);
  });

  it.concurrent.each(['cancel-and-replace.ts', 'grid.ts'])(
    'places nothing in %s while the list of open orders is partial',
    async (file) => {
      const options = 'sandbox.clientOptions()';
      const code = textOf(`docs/examples/${file}`).replace(options, `withPartialOrders(${options})`);
      const report = "process.once('exit', () => console.log('placed:', sandbox.ledger.orders.length));";
      project.write(`partial-${file}`, code + partialOrders + report);
      const { stdout, stderr } = await project.start(`partial-${file}`).ended;
      expect(stdout).toMatch(/^placed: 0$/m);
      expect(stderr).toBe('');
    },
  );

  it.each(Object.entries(served))('runs %s until it is stopped', async (file, { path, text }) => {
    const address = `http://127.0.0.1:${await freePort()}${path}`;
    const program = project.start(file, { PORT: new URL(address).port });
    await program.wrote(new URL(address).host);
    // Events and metrics arrive over time: a stream is read, and other pages are requested, until the text is complete.
    await expect.poll(() => textWithin(address, 3000), { timeout: 20_000, interval: 200 }).toMatch(text);
    program.kill('SIGTERM');
    expect(await program.ended).toMatchObject({ code: 'SIGTERM', stderr: '' });
  });
});

/** The body of a response, as far as it has arrived in this time. */
async function textWithin(address: string, ms: number): Promise<string> {
  let text = '';
  try {
    const { body } = await fetch(address, { signal: AbortSignal.timeout(ms) });
    const decoder = new TextDecoder();
    for await (const chunk of body ?? []) text += decoder.decode(chunk, { stream: true });
  } catch (error) {
    if (!(error instanceof DOMException && error.name === 'TimeoutError')) throw error;
  }
  return text;
}

describe('docs/examples', () => {
  it('has no program without a test', () => {
    expect(exampleFiles.toSorted()).toEqual([...Object.keys(printed), ...Object.keys(served)].sort());
  });

  it.each(exampleFiles)('%s is in the table of the recipes', (file) => {
    expect(textOf('docs/recipes.md')).toContain(`\n| [${file}](examples/${file}) | `);
  });

  it('is shown in the documents as it is', () => {
    const firstLine = (code: string) => code.slice(0, code.indexOf('\n'));
    const codes = new Map(
      exampleFiles.map((file) => textOf(`docs/examples/${file}`)).map((code) => [firstLine(code), code]),
    );
    const shown = documents.flatMap(blocksOf).filter(({ code }) => codes.has(firstLine(code)));
    expect(shown.length).toBeGreaterThan(3);
    for (const { code } of shown) expect(code).toBe(codes.get(firstLine(code)));
  });
});
