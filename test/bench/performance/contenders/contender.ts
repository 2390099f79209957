// What every contender does: places a signed stock market order, and reads the response into a value that a program can
// use.

export const apiKey = 'benchmark-key';
export const apiSecret = 'benchmark-secret';
export const order = { market: 'BTC_USDT', side: 'buy', amount: '0.01' } as const;
export const orderPath = '/api/v4/order/stock_market';

export interface Contender {
  /** Places one order; resolves to its number. */
  place(): Promise<number>;
}

export type Open = (baseUrl: string, connections: number) => Contender | Promise<Contender>;
