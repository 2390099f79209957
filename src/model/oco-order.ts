// OCO orders: a limit order and a stop limit order of one identifier, of which one cancels the other.
import * as v from 'valibot';
import { legSchema, type Order } from './order.js';
import { isPlacedAs } from './placed-as.js';
import * as t from './tolerant.js';
import type { WireNames } from './wire-names.js';

/** The names of the fields in some descriptions of the interface. */
const otherNames: WireNames = { stop_loss: 'stopLoss', take_profit: 'takeProfit', reduceOnly: 'reduce_only' };

/** The legs decide: an OCO order with a leg that cannot be read cannot be read either. */
const leg = t.ifPresent(legSchema);

const fields = {
  /**
   * The exchange's number of the OCO order, by which `orders.cancelOco` cancels it. Absent where a lookup found the
   * order by its legs, after one of them was activated or filled.
   */
  id: t.optional(t.integer),
  /** Whether the order may only reduce or close a position. */
  reduceOnly: t.optionalFlag,
  /** The stop limit order, which `activation_price` activates. */
  stop_loss: leg,
  /** The limit order. */
  take_profit: leg,
};

/** An OCO order: two orders, of which the first that is activated or filled cancels the other. Unknown fields are kept. */
export interface OcoOrder extends t.RecordOf<typeof fields> {
  /** Your identifier from the request, which both orders have; empty when they have none. */
  client_order_id: string;
  /** Time of creation, Unix seconds with microseconds: that of its orders. */
  timestamp?: number;
}

export function legsOf({ stop_loss, take_profit }: Pick<OcoOrder, 'stop_loss' | 'take_profit'>): Order[] {
  return [stop_loss, take_profit].filter((order) => order !== undefined);
}

export const ocoOrderSchema: v.GenericSchema<unknown, OcoOrder> = v.pipe(
  t.record(fields, otherNames),
  v.check((oco) => legsOf(oco).length > 0, 'must have an order'),
  v.transform((oco) => ofItsLegs(oco)),
);

/** An OCO order with the identifier and the time of its legs. */
export function ofItsLegs<Oco extends Pick<OcoOrder, 'stop_loss' | 'take_profit'>>(
  oco: Oco,
): Oco & Pick<OcoOrder, 'client_order_id' | 'timestamp'> {
  const legs = legsOf(oco);
  const identified = legs.find(({ client_order_id }) => client_order_id !== '');
  const timestamp = legs.find((order) => order.timestamp !== undefined)?.timestamp;
  return {
    ...oco,
    client_order_id: identified?.client_order_id ?? '',
    ...(timestamp === undefined ? {} : { timestamp }),
  };
}

/**
 * The OCO order of legs that were found one by one; `undefined` when they do not show which of them is the stop order.
 * Of two legs, one that does is enough.
 */
export function ocoOfLegs(legs: readonly Order[]): OcoOrder | undefined {
  const [unclear] = legs.filter((order) => kindOf(order) === undefined);
  const stop = legs.find((order) => kindOf(order) === 'stop');
  const limit = legs.find((order) => kindOf(order) === 'limit');
  if (stop === undefined && limit === undefined) return undefined;
  const stop_loss = stop ?? unclear;
  const take_profit = limit ?? unclear;
  return ofItsLegs({
    ...(stop_loss === undefined ? {} : { stop_loss }),
    ...(take_profit === undefined ? {} : { take_profit }),
  });
}

/** By its type; an order of a type that is new shows the price that activates it. */
function kindOf({ type = '', activation_price = '' }: Order): 'stop' | 'limit' | undefined {
  if (type.includes('stop')) return 'stop';
  if (['limit', 'margin limit'].includes(type)) return 'limit';
  return ['', '0'].includes(activation_price) ? undefined : 'stop';
}

type WireFields = Readonly<Record<string, unknown>>;

const isStopLimitOf = isPlacedAs('stop limit');
const isLimitOf = isPlacedAs('limit');

/** Whether an OCO order can be the one that a request placed: each of its legs is one that the request places. */
export function isPlacedAsOco(request: WireFields, { stop_loss, take_profit }: OcoOrder): boolean {
  return (
    (take_profit === undefined || isLimitOf(request, take_profit)) &&
    (stop_loss === undefined || isStopLimitOf({ ...request, price: request['stop_limit_price'] }, stop_loss))
  );
}
