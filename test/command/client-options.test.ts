// The embedded exchange of the command, which may run for days.
import { expect, it, vi } from 'vitest';
import { openSandbox } from '../../src/cli/client-options.js';
import { sendRaw } from '../contract/setup.js';

const hour = 3_600_000;

it('keeps an ended order for at least one hour and at most two', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  try {
    const sandbox = openSandbox();
    const buy = () =>
      sendRaw({ sandbox }, '/api/v4/order/stock_market', { market: 'BTC_USDT', side: 'buy', amount: '0.01' });
    await buy();
    const [first] = sandbox.ledger.orders;
    vi.setSystemTime(Date.now() + hour);
    await buy();
    expect(sandbox.ledger.orders).toContainEqual(first);
    vi.setSystemTime(Date.now() + hour);
    await buy();
    expect(sandbox.ledger.orders).not.toContainEqual(first);
  } finally {
    vi.useRealTimers();
  }
});
