// `exchange-rx watch`: live market data as lines and as JSON, against a sandbox on a port.
import { beforeEach, describe, expect, it } from 'vitest';
import { startInProcess as start } from '../support/command-in-process.js';
import { servedForTest, type Served } from '../support/served.js';
import { failed, interrupted, objectsOf } from './output.js';

let served: Served;

beforeEach(async () => {
  served = await servedForTest({ volatility: 0 });
});

const time = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`;
const line = (pattern: string) => new RegExp(`^${time}  ${pattern}$`, 'm');

describe('exchange-rx watch book', () => {
  it('prints a line for each change of the best prices, and ends at Ctrl-C', async () => {
    const command = served.start('watch', 'book', 'BTC_USDT');
    await command.wrote(line('BTC_USDT  live  bid 59985 x 0.5  ask 60015 x 0.5  spread 30  mid 60000'));
    served.sandbox.market('BTC_USDT').setPrice('61000');
    await command.wrote(line(String.raw`BTC_USDT  live  bid 60984.75 x .*  mid 61000`));
    const stdout = await interrupted(command);
    expect(stdout).not.toContain('\u001b');
    expect(stdout.match(/\n/g)).toHaveLength(2);
    await expect.poll(() => served.sandbox.ledger.live.openConnections).toBe(0);
  });

  it('says that the book is stale when the connection is lost, why, and that it is live again', async () => {
    const command = served.start('watch', 'book', 'BTC_USDT');
    await command.wrote('live');
    served.sandbox.liveFault({ kind: 'cut' });
    await command.wrote(/BTC_USDT {2}stale {2}bid[^]*BTC_USDT {2}live {2}bid/);
    await interrupted(command, /^connection lost \(code 1006\), next attempt in \d\.\d s\nconnected\n$/);
  });

  it('--levels subscribes to that number of levels, and --json prints the whole book', async () => {
    const command = served.start('watch', 'book', 'BTC_USDT', '--levels', '10', '--json');
    await command.wrote('\n');
    const [book] = objectsOf(await interrupted(command)) as { bids: unknown[] }[];
    expect(book).toMatchObject({ market: 'BTC_USDT', status: 'live', updateId: expect.any(Number) as number });
    expect(book?.bids).toHaveLength(10);
  });

  it('ends with 4 for a market that the exchange refuses', async () => {
    await failed(served.run('watch', 'book', 'BTC_MARS'), 4, 'the exchange lists no such market');
  });

  it('shows the embedded exchange with --sandbox', async () => {
    const command = start(['watch', 'book', 'BTC_USDT', '--sandbox']);
    await command.wrote(line('BTC_USDT  live  bid .*'));
    await interrupted(command);
  });
});

describe('exchange-rx watch', () => {
  it('--live-url is the address of the live connection', async () => {
    const liveUrl = `${served.server.baseUrl.replace('http', 'ws')}/ws`;
    const command = start(['watch', 'book', 'BTC_USDT', '--base-url', 'http://127.0.0.1:9', '--live-url', liveUrl]);
    await command.wrote('live');
    await interrupted(command);
  });

  it('reports that no connection can be made, and ends at Ctrl-C between two attempts', async () => {
    const command = start(['watch', 'trades', 'BTC_USDT', '--base-url', 'http://127.0.0.1:9']);
    await command.wrote(/connection refused.*, next attempt in [1-9]/);
    expect(await interrupted(command, /./)).toBe('');
  });
});

describe('exchange-rx watch trades', () => {
  it('prints a line for each trade, and one where trades were missed', async () => {
    const command = served.start('watch', 'trades', 'BTC_USDT', 'ETH_USDT');
    await expect.poll(() => served.sandbox.ledger.live.requests.length).toBeGreaterThan(0);
    served.sandbox.market('BTC_USDT').setPrice('60001');
    await command.wrote(line(String.raw`BTC_USDT  (?:buy|sell)  0.0001 at 60001  #\d+`));
    served.sandbox.market('ETH_USDT').setPrice('3100');
    await command.wrote(line(String.raw`ETH_USDT  (?:buy|sell)  0.001 at 3100  #\d+`));
    served.sandbox.liveFault({ kind: 'cut' });
    await command.wrote('connected');
    served.sandbox.market('BTC_USDT').setPrice('61000');
    const gap = String.raw`BTC_USDT  gap  reconnect: any trades missed since ${time} follow`;
    await command.wrote(new RegExp(String.raw`${gap}\n(?:.*\n)*.* at 61000 `));
    await interrupted(command, /connected/);
  });

  it('--json prints trades as objects, without those before', async () => {
    const command = served.start('watch', 'trades', 'BTC_USDT', '--json');
    await expect.poll(() => served.sandbox.ledger.live.requests.length).toBeGreaterThan(0);
    served.sandbox.market('BTC_USDT').setPrice('61000');
    await command.wrote('61000');
    expect(objectsOf(await interrupted(command))).toEqual([
      {
        kind: 'trade',
        market: 'BTC_USDT',
        trade: expect.objectContaining({ price: '61000', amount: '0.0001' }) as unknown,
      },
    ]);
  });
});

describe('exchange-rx watch ticker', () => {
  it('prints a line for each change of prices, of every market', async () => {
    const command = served.start('watch', 'ticker', 'BTC_USDT', 'ETH_USDT');
    const fields = (last: string) =>
      `live  last ${last}  bid [\\d.]+  ask [\\d.]+  24 h .* %  high .*  low .*  volume .*`;
    await command.wrote(line(`BTC_USDT  ${fields('60000')}`));
    await command.wrote(line(`ETH_USDT  ${fields('3000')}`));
    served.sandbox.market('BTC_USDT').setPrice('61000');
    await command.wrote(line(`BTC_USDT  ${fields('61000')}`));
    const stdout = await interrupted(command);
    const lines = stdout.split('\n').map((one) => one.slice(one.indexOf('  ')));
    expect(lines.filter((one, index) => lines.indexOf(one) !== index)).toEqual([]);
  });

  it('--json prints the fields of both channels', async () => {
    const command = served.start('watch', 'ticker', 'BTC_USDT', '--json');
    await command.wrote(/"open".*"ask"|"ask".*"open"/);
    expect(objectsOf(await interrupted(command)).at(-1)).toMatchObject({
      ...{ market: 'BTC_USDT', status: 'live', last: '60000', open: '60000' },
      ...{ bid: '59985', bidAmount: '0.5', ask: '60015', askAmount: '0.5' },
    });
  });
});
