// What the command says of arguments that are wrong, and of itself.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCommand } from '../support/command.js';

const { version } = JSON.parse(readFileSync(resolve(import.meta.dirname, '../../package.json'), 'utf8')) as {
  version: string;
};
const verbs = [
  'ping',
  'balance',
  'markets',
  'order',
  'leverage',
  'sub-accounts',
  'mining-accounts',
  'monitor',
  'dashboard',
  'sandbox',
];

describe('exchange-rx', () => {
  it.each([
    [['trade'], "unknown command 'trade'"],
    [['order', 'stop'], "unknown command 'stop'"],
    [['ping', '--loud'], "unknown option '--loud'"],
    [['ping', 'now'], 'too many arguments'],
    [['ping', '--every', '0'], 'It must be a number of seconds above 0.'],
    [['ping', '--every', 'soon'], 'It must be a number of seconds above 0.'],
    [['leverage'], "missing required argument 'factor'"],
    [['leverage', '4'], 'It must be one of 1, 2, 3, 5, 10, 20, 50, 100'],
    [['order', 'stock-market', 'BTC_USDT', 'hold', '1'], 'It must be one of buy, sell.'],
    [['order', 'stock-market', 'BTC_USDT', 'buy'], "missing required argument 'amount'"],
    [['order', 'limit', 'BTC_USDT', 'buy', '1', '2', '--stp', 'never'], 'It must be one of'],
    [['sub-accounts', '--limit', '0'], 'It must be an integer from 1 to 1000000.'],
    [['sandbox', '--port', '70000'], 'It must be an integer from 0 to 65535.'],
    [['sandbox', '--dialect', 'dutch'], 'It must be one of live, spec.'],
    [['ping', '--base-url', 'http://exchange.example'], 'https'],
    [['ping', '--base-url', 'nowhere'], 'baseUrl'],
  ])('%j: says what is wrong and ends with 2', async (words, message) => {
    const { code, stdout, stderr } = await runCommand(words);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
    expect(stderr).not.toMatch(/^ +at /m);
  });

  it('without a verb shows its help and ends with 2', async () => {
    const { code, stderr } = await runCommand([]);
    expect(code).toBe(2);
    expect(stderr).toContain('Usage: exchange-rx');
  });

  it('--help tells of every verb, of credentials and of the exit codes', async () => {
    const { code, stdout } = await runCommand(['--help']);
    expect(code).toBe(0);
    for (const word of [...verbs, 'Credentials', 'Exit codes', 'Examples']) expect(stdout).toContain(word);
  });

  it.each(verbs)('%s --help has an example', async (verb) => {
    const { code, stdout } = await runCommand([verb, '--help']);
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(String.raw`Examples?:\n  \$ exchange-rx ${verb}`));
  });

  it('--version is that of the package', async () => {
    expect(await runCommand(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  });
});
