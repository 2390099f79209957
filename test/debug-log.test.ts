import { createExchange } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { lastValueFrom } from 'rxjs';
import { afterEach, describe, expect, it, vi } from 'vitest';

/** What a client prints to stderr while it pings, and places an order that the exchange rejects. */
async function printedWith(debug: string | undefined): Promise<string[]> {
  vi.stubEnv('DEBUG', debug);
  const lines: string[] = [];
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
  const exchange = createExchange(createSandbox().clientOptions());
  await lastValueFrom(exchange.public.ping());
  const order$ = exchange.spot.placeLimitOrder({
    ...{ market: 'BTC_USDT', side: 'buy', amount: '9999', price: '1000', client_order_id: 'mine' },
  });
  await expect(lastValueFrom(order$)).rejects.toThrow();
  vi.restoreAllMocks();
  return lines;
}

describe('DEBUG', () => {
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  it.each(['exchange-rx', '*', 'express, exchange-rx'])('%s prints each event in one line', async (debug) => {
    const lines = await printedWith(debug);
    const line = (rest: string) => expect.stringMatching(new RegExp(`^\\d{4}-\\S+Z exchange-rx ${rest}\n$`)) as string;
    expect(lines).toEqual([
      line('request endpoint=public.ping rateLimit=public call=1 attempt=1'),
      line('response endpoint=public.ping rateLimit=public call=1 attempt=1 durationMs=[\\d.]+ result=ok status=200'),
      line('end endpoint=public.ping .* safety=read durationMs=[\\d.]+ result=ok'),
      line(
        'request endpoint=spot.placeLimitOrder rateLimit=spot.placeLimitOrder call=2 client_order_id=mine attempt=1',
      ),
      line('response endpoint=spot.placeLimitOrder .* result=error kind=api outcome=rejected status=400'),
      line('end endpoint=spot.placeLimitOrder .* safety=order .* result=error kind=api outcome=rejected'),
    ]);
  });

  it.each([undefined, '', 'exchange', 'exchange-rxjs'])('%s prints nothing', async (debug) => {
    expect(await printedWith(debug)).toEqual([]);
  });
});
