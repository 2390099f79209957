// The messages of the channel `depth` as a schema. The reader, which is written by hand, must agree with it.
import * as v from 'valibot';
import { decimal, formatDecimal, isAboveZero } from '../../../src/model/decimal.js';
import { isRecord } from '../../../src/model/map.js';
import { decimalText, integer, number } from '../../../src/model/tolerant.js';

const notNegative = v.pipe(
  decimalText,
  v.transform((text) => (/^[\d.]+$/.test(text) ? text : formatDecimal(decimal(text)))),
  v.check((text) => !text.startsWith('-') && text.split('.').every((digits) => digits.length <= 100)),
);

const side = v.nullish(
  v.array(
    v.pipe(
      v.array(v.unknown()),
      v.transform(([price, amount]) => [price, amount]),
      v.tuple([v.pipe(notNegative, v.check(isAboveZero)), notNegative]),
    ),
  ),
);

const time = v.optional(v.fallback(v.optional(v.pipe(number, v.finite())), () => undefined));

const fields = { update_id: integer, timestamp: time, event_time: time, bids: side, asks: side };

const update = v.variant('full', [
  v.object({ full: v.literal(true), data: v.object(fields), market: v.pipe(v.string(), v.minLength(1)) }),
  v.object({
    full: v.literal(false),
    data: v.object({ ...fields, past_update_id: integer }),
    market: v.pipe(v.string(), v.minLength(1)),
  }),
]);

/** The params of a `depth_update`. */
export const depthSchema = v.pipe(
  v.array(v.unknown()),
  v.transform(([full, data, market]) => ({ full, data: isRecord(data) ? data : undefined, market })),
  update,
  v.transform(({ full, data, market }) => ({
    isSnapshot: full,
    market,
    updateId: data.update_id,
    ...('past_update_id' in data ? { pastUpdateId: data.past_update_id } : {}),
    engineTime: data.timestamp,
    eventTime: data.event_time,
    bids: data.bids ?? undefined,
    asks: data.asks ?? undefined,
  })),
);
