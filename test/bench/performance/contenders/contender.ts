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

/** Places `count` orders, `concurrency` at once. */
export async function placeMany(contender: Contender, count: number, concurrency: number): Promise<void> {
  let left = count;
  const placeSome = async () => {
    while (left > 0) {
      left -= 1;
      await contender.place();
    }
  };
  await Promise.all(Array.from({ length: concurrency }, placeSome));
}

export type Open = (baseUrl: string, connections: number) => Contender | Promise<Contender>;
