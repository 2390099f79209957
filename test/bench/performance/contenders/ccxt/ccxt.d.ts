// What the benchmark uses of ccxt, which is installed by `npm run bench` only.
declare module 'ccxt' {
  interface Exchange {
    readonly urls: Record<string, unknown>;
    setMarkets(markets: readonly object[]): void;
    createOrder(symbol: string, type: string, side: string, amount: number): Promise<{ readonly id: string }>;
  }
  interface LiveExchange {
    readonly urls: Record<string, unknown>;
    setMarkets(markets: readonly object[]): void;
    loadHttpProxyAgent(): Promise<unknown>;
    watchOrderBook(symbol: string, limit: number): Promise<object>;
    handleOrderBook(client: { readonly resolve: () => void }, message: unknown): void;
  }
  const library: {
    readonly whitebit: new (options: object) => Exchange;
    readonly pro: { readonly whitebit: new (options: object) => LiveExchange };
  };
  export default library;
}
