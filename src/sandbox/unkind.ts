// What the exchange does where nothing is published about it: what most clients expect, or something unkind.

export type Behavior = ReturnType<typeof behaviorOf>;

/** The expected behavior; with a seed, one of the others that the published interface allows. */
export function behaviorOf(unkindSeed: number | undefined) {
  const choose = <const Value>(usual: Value, ...unkind: readonly Value[]): Value =>
    unkindSeed === undefined ? usual : (unkind[unkindSeed % unkind.length] ?? usual);
  return {
    /** Whether only the conditional orders list open orders with a stop loss or take profit, and those of OCO orders. */
    separatesConditionalOrders: choose(false, true),
    /** What a list with an unknown market leaves of the subscription: `partial` leaves the markets before the unknown one. */
    refusedList: choose('whole', 'partial', 'empty'),
    /** The code that rejects `authorize` with an unknown, expired or used token. */
    invalidTokenCode: choose(1, 6, 11),
    /** Whether a second `bookTicker_subscribe` drops the other markets. */
    replacesBookTicker: choose(false, true),
    /** Whether the first values of a subscription come before its response. */
    pushesFirst: choose(false, true),
    /** Whether `lastprice`, `market` and `marketToday` send their values at once after a subscription. */
    sendsValuesAtOnce: choose(true, false),
    /** Whether a snapshot has no field for an empty side of the order book. */
    omitsEmptySide: choose(false, true),
    /** Whether a level that leaves the subscribed part of the order book is removed by an amount of 0. */
    removesBeyondWindow: choose(true, false),
    /** Whether `depth_subscribe` without its fourth parameter keeps the other markets. */
    addsDepth: choose(false, true),
    /** Which trades `trades_request` returns for an ID above 0: those up to this ID, or newer ones. */
    tradesRequest: choose('until', 'after'),
    /** Whether a `depth` stream of a delisted market goes on with an empty book. */
    emptiesDelisted: choose(false, true),
  };
}
