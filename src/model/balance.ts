// The main balance: a map from asset to what the account holds of it. Assets of zero balance are left out by the
// exchange.
import type * as v from 'valibot';
import { decimalText, mapOf, record } from './tolerant.js';

export const balanceSchema = mapOf(
  record({
    /** The balance, a decimal string. */
    main_balance: decimalText,
  }),
);

/** What the main account holds, by asset: `{ BTC: { main_balance: "0.5" } }`. */
export interface Balance extends v.InferOutput<typeof balanceSchema> {}
