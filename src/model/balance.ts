// The main balance: a map from asset to what the account holds of it. Assets of zero balance are left out by the exchange.
import * as v from 'valibot';
import { decimalStringSchema } from './decimal.js';
import { mapSchema } from './map.js';

export const balanceSchema = mapSchema(
  v.looseObject({
    /** The balance, a decimal string. */
    main_balance: decimalStringSchema,
  }),
);

/** What the main account holds, by asset: `{ BTC: { main_balance: "0.5" } }`. */
export interface Balance extends v.InferOutput<typeof balanceSchema> {}
