// The order books of ccxt.pro: its handler for the messages of this exchange, without its connection.

/** Keeps the books of the parsed messages that it gets. */
export async function ccxtBooks(): Promise<(message: unknown) => void> {
  const { default: library } = await import('ccxt');
  const exchange = new library.pro.whitebit({ enableRateLimit: false });
  const client = { resolve: () => undefined };
  return (message) => {
    exchange.handleOrderBook(client, message);
  };
}
