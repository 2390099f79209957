// The output of every verb of the command, and the dashboard's traffic.
import { createSandbox, type SandboxServer } from 'exchange-rx/sandbox';
import type { Command } from 'commander';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createProgram } from '../../../src/cli/program.js';
import { emptyHome, environmentOf, startCommand, type Environment } from '../../support/command.js';
import { startInProcess } from '../../support/command-in-process.js';
import { listening } from '../../support/ports.js';
import { Planted } from '../../support/printed.js';

let sandbox: SandboxServer;
let accepted: Environment;
let rejected: Environment;
let echoed: Environment;
const planted = new Planted();

/** Echoes every request, and plants its parts as secrets. */
const careless = createServer((request, response) => {
  const respond = (body: string) => {
    for (const [name, value] of Object.entries(request.headers))
      if (name.startsWith('x-txc-')) planted.add(name, String(value));
    if (body !== '') planted.add('the body', body);
    response
      .writeHead(400, { 'content-type': 'application/json' })
      .end(JSON.stringify({ code: 1, message: `${JSON.stringify(request.headers)} ${body}` }));
  };
  text(request).then(respond, (error: unknown) => response.destroy(error instanceof Error ? error : undefined));
});

beforeAll(async () => {
  sandbox = await createSandbox({ seed: 99 }).listen();
  accepted = environmentOf(sandbox);
  rejected = { ...accepted, EXCHANGE_API_SECRET: 'SECRET-that-is-wrong-91c2' };
  echoed = { ...accepted, EXCHANGE_BASE_URL: `http://127.0.0.1:${await listening(careless)}` };
  for (const [name, value] of [...Object.entries(accepted), ...Object.entries(rejected)])
    if (name !== 'EXCHANGE_BASE_URL') planted.addWithItsBeginning(name, value);
});

afterAll(async () => {
  careless.close();
  careless.closeAllConnections();
  await sandbox.close();
});

/**
 * The arguments of each verb, and the output of a verb that runs until Ctrl-C. A verb that is missing here fails a
 * test.
 */
const verbs: Readonly<Record<string, { readonly words: readonly string[]; readonly goesOn?: RegExp }>> = {
  ping: { words: [] },
  balance: { words: [] },
  markets: { words: [] },
  tickers: { words: [] },
  book: { words: ['BTC_USDT'] },
  candles: { words: ['BTC_USDT'] },
  deals: { words: [] },
  'orders list': { words: [] },
  'orders cancel': { words: ['BTC_USDT', '--client-order-id', 'mine-7', '--yes'] },
  'orders cancel-all': { words: ['--market', 'ETH_USDT', '--yes'] },
  'orders modify': { words: ['BTC_USDT', '7', '--price', '50000', '--yes'] },
  'orders history': { words: [] },
  'positions close': { words: ['ETH_USDT', '--yes'] },
  record: { words: ['BTC_USDT', '--to', join(emptyHome, 'recording')], goesOn: /./ },
  'order stock-market': { words: ['BTC_USDT', 'buy', '0.01', '--yes'] },
  'order market': { words: ['BTC_USDT', 'buy', '100', '--yes'] },
  'order limit': { words: ['BTC_USDT', 'buy', '0.01', '--price', '50000', '--yes'] },
  'order stop': { words: ['BTC_USDT', 'sell', '0.01', '--activation-price', '45000', '--yes'] },
  'order collateral-limit': { words: ['BTC_USDT', 'buy', '0.01', '--price', '50000', '--yes'] },
  'order collateral-market': { words: ['BTC_USDT', 'buy', '0.01', '--yes'] },
  'order collateral-stop': { words: ['BTC_USDT', 'buy', '0.01', '--activation-price', '70000', '--yes'] },
  'order oco': {
    words: [
      ...['BTC_USDT', 'buy', '0.01', '--price', '50000', '--yes'],
      ...['--activation-price', '70000', '--stop-limit-price', '70100'],
    ],
  },
  withdraw: { words: ['XLM', '1', 'GDTSOI56XNVAKJNJBLJGRNZIVOCIZJRBIDKTWSCYEYNFAZEMBLN75RMN', '--yes'] },
  transfer: { words: ['USDT', '1', 'main', 'spot', '--yes'] },
  'deposit-address': { words: ['BTC'] },
  history: { words: [] },
  completion: { words: ['bash'] },
  complete: { words: ['--', 'orders', ''] },
  'order find': { words: ['mine-7', 'BTC_USDT'] },
  'watch book': { words: ['BTC_USDT'], goesOn: /\n/ },
  'watch trades': { words: ['BTC_USDT'], goesOn: /\n/ },
  'watch ticker': { words: ['BTC_USDT'], goesOn: /\n/ },
  monitor: { words: [], goesOn: /\n/ },
  dashboard: { words: ['--port', '0'], goesOn: /\n/ },
  sandbox: { words: [], goesOn: /\n/ },
};

function leavesOf(command: Command, before: readonly string[] = []): string[] {
  if (command.commands.length === 0) return [before.join(' ')];
  return command.commands.flatMap((child) => leavesOf(child, [...before, child.name()]));
}

async function outputOf(name: string, more: readonly string[], environment: Environment): Promise<string> {
  const { words, goesOn } = verbs[name] ?? { words: [] };
  const command = startInProcess([...name.split(' '), ...words, ...more], environment);
  if (goesOn !== undefined) {
    await command.wrote(goesOn);
    await sleep(1500);
    command.interrupt();
  }
  const { stdout, stderr } = await command.ended;
  return stdout + stderr;
}

describe('every verb of the command', () => {
  it('is tested', () => {
    const run = () => Promise.resolve();
    const program = createProgram({ environment: {}, run, serve: run, runToCompletion: run });
    expect(leavesOf(program).sort()).toEqual(Object.keys(verbs).sort());
  });

  it.concurrent.each(Object.keys(verbs))(
    '%s writes no secret when the request is accepted, rejected or echoed',
    async (name) => {
      const runs = [
        [accepted, ['--json']],
        [rejected, []],
        [echoed, []],
        [echoed, ['--json']],
      ] as const;
      const written = await Promise.all(runs.map(([environment, more]) => outputOf(name, more, environment)));
      expect(written.join('')).not.toBe('');
      expect(planted.foundIn(written.join('\n'))).toEqual([]);
    },
  );
});

it.concurrent.each(['accepted', 'rejected', 'echoed'] as const)(
  "the dashboard's traffic holds no secret where requests are %s",
  async (how) => {
    const command = startCommand(['dashboard', '--port', '0', '--json'], { accepted, rejected, echoed }[how]);
    const { url } = JSON.parse(await command.wrote(/^\{.*\}$/m)) as { url: string };
    const events = await fetch(new URL('events', url), { signal: AbortSignal.timeout(6000) });
    let traffic = JSON.stringify([...events.headers]);
    try {
      for await (const chunk of events.body ?? []) traffic += Buffer.from(chunk).toString();
    } catch (error) {
      expect(error).toMatchObject({ name: 'TimeoutError' });
    }
    command.interrupt();
    await command.ended;
    expect(traffic).toMatch(how === 'accepted' ? /"value":"\d/ : /"kind":"error"/);
    expect(planted.foundIn(traffic)).toEqual([]);
  },
);
