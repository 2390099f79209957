// `sandbox.channel(name).push(params)`: messages of a test's own, to every subscription.
import { createSandbox } from 'exchange-rx/sandbox';
import { firstValueFrom, filter, take, toArray } from 'rxjs';
import { describe, expect, it, vi } from 'vitest';
import { clientOf } from '../../contract/setup.js';

function setup() {
  const sandbox = createSandbox({ clock: 'manual' });
  return { sandbox, live: clientOf(sandbox).live };
}

describe('a message of a test', () => {
  it('reaches the subscribers of its channel, and a part that is unreadable makes their value stale', async () => {
    const { sandbox, live } = setup();
    const values = firstValueFrom(live.lastPrice({ markets: ['BTC_USDT'] }).pipe(take(3), toArray()));
    await firstValueFrom(live.lastPrice({ markets: ['BTC_USDT'] }));
    sandbox.channel('lastprice').push(['BTC_USDT', '123.45']);
    sandbox.channel('lastprice').push(['BTC_USDT', 'no number']);
    expect(await values).toMatchObject([
      { status: 'live' },
      { price: '123.45', status: 'live' },
      { price: '123.45', status: 'stale' },
    ]);
  });

  it('reaches an account, as an object where the channel has one', async () => {
    const { sandbox, live } = setup();
    const event = firstValueFrom(live.my.positionEvents().pipe(filter(({ kind }) => kind === 'event')));
    const loans = firstValueFrom(live.my.borrows().pipe(filter(({ value }) => value.length > 0)));
    const subscribed = () => sandbox.ledger.live.requests.map(({ method }) => method);
    await vi.waitFor(() => {
      expect(subscribed()).toEqual(
        expect.arrayContaining(['positionsAccountMargin_subscribe', 'borrowsMargin_subscribe']),
      );
    });
    const position = { id: 1, market: 'BTC_PERP', amount: '1', base_price: '60100', position_side: 'BOTH' };
    sandbox.channel('positionsAccountMargin').push([1, position]);
    sandbox
      .channel('borrowsMargin')
      .push({ total: 1, records: [{ asset: 'USDT', amount: '100', ctime: 1, mtime: 2 }] });
    expect(await event).toMatchObject({ event: 'margin_call', record: { market: 'BTC_PERP' } });
    expect(await loans).toMatchObject({ status: 'live', value: [{ asset: 'USDT' }] });
  });

  it('is not sent to connections without a subscription to the channel', async () => {
    const { sandbox, live } = setup();
    await firstValueFrom(live.lastPrice({ markets: ['BTC_USDT'] }));
    sandbox.channel('depth').push([true, {}, 'BTC_USDT']);
    expect(sandbox.ledger.live.pushes['depth']).toBeUndefined();
  });
});
