// `exchange-rx withdraw`: what it shows first, and that it sends nothing without approval.
import { beforeEach, describe, expect, it } from 'vitest';
import { servedForTest, type Served } from '../support/served.js';
import { failed } from './ended.js';

let served: Served;

beforeEach(async () => {
  served = await servedForTest();
});

const address = 'TQ1vNh5Eq2ys9sA2mJrGzRsbdHVnYs3kbb';
const command = ['withdraw', 'USDT', '120', address, '--network', 'TRC20', '--unique-id', 'w-1'];
const shown = ['amount   120 USDT, with the fee', 'fee      1 USDT', 'network  TRC20', `address  ${address}`].join(
  '\n',
);
const sent = () => served.sandbox.ledger.requests.filter(({ path }) => path === '/api/v4/main-account/withdraw').length;

describe('exchange-rx withdraw', () => {
  it('shows amount, fee, network and address, and refuses without --yes when stdin is not a terminal', async () => {
    const refusal = 'stdin is not a terminal: pass --yes to withdraw without confirmation';
    expect(await failed(served.run(...command), 2, refusal)).toBe(`${shown}\n${refusal}\n`);
    expect(sent()).toBe(0);
  });

  it('shows them with --yes, too, before it sends the withdrawal once', async () => {
    const { stderr } = await served.run(...command, '--yes');
    expect(stderr).toContain(`${shown}\nSending withdrawal w-1 to ${served.server.baseUrl}.\n`);
    expect(stderr).not.toContain('allowWithdrawals');
    expect(sent()).toBe(1);
  });

  it.each([
    ['y', 1],
    ['n', 0],
    ['', 0],
  ])('sends it for the confirmation %j %i times', async (answer, times) => {
    const started = served.startOnTerminal(...command);
    await started.wrote(`Withdraw on ${served.server.baseUrl}? [y/N]`);
    expect(sent()).toBe(0);
    started.type(answer);
    const { stderr } = await started.ended;
    expect(sent()).toBe(times);
    expect(stderr.includes('Not withdrawn: you did not confirm it.')).toBe(times === 0);
  });

  it.each([
    ['an amount that is not a number', ['withdraw', 'USDT', 'much', address, '--network', 'TRC20'], 'amount'],
    ['an unknown asset', ['withdraw', 'NONE', '120', address], 'no fee of NONE is published'],
    ['an unknown network', ['withdraw', 'USDT', '120', address, '--network', 'XRC'], 'pass --network'],
    ['no network of an asset with several', ['withdraw', 'USDT', '120', address], '--network'],
  ])('refuses %s, and sends nothing', async (_, args, text) => {
    await failed(served.run(...args, '--yes'), 2, text);
    expect(sent()).toBe(0);
  });
});
