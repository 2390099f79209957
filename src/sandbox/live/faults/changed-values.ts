// Messages of `depth` that a fault changes. `undefined`: the fault cannot change this message.
import { decimal, formatDecimal } from '../../../model/decimal.js';
import type { BookRow } from '../../market-data/index.js';
import { depthPush } from '../channels/depth.js';
import type { DepthData, Push } from '../envelope.js';
import type { LiveFaultKind } from './live-fault.js';

interface Depth {
  readonly market: string;
  readonly isFull: boolean;
  readonly data: DepthData;
}

type ChangeDepth = (depth: Depth) => DepthData | undefined;
type Sides = Pick<DepthData, 'asks' | 'bids'>;

const changes: Readonly<Partial<Record<LiveFaultKind, ChangeDepth>>> = {
  gap: ({ isFull, data }) =>
    isFull || data.past_update_id === undefined ? undefined : { ...data, past_update_id: data.past_update_id - 1 },
  crossed: ({ data }) => {
    const price = anyPrice(data);
    if (price === undefined) return undefined;
    return { ...data, bids: [[formatDecimal(decimal(price).multipliedBy(2)), '1'], ...(data.bids ?? [])] };
  },
  unsorted: ({ data }) =>
    Math.max(data.asks?.length ?? 0, data.bids?.length ?? 0) < 2
      ? undefined
      : { ...data, ...mapped(data, (rows) => rows.toReversed()) },
  unnormalized: ({ data }) => ({
    ...data,
    ...mapped(data, (rows) => rows.map(([price, amount]): BookRow => [withZeros(price), withZeros(amount)])),
  }),
  'zero-variants': ({ data }) => {
    const isRemoval = ([, amount]: BookRow) => amount === '0';
    if (![...(data.asks ?? []), ...(data.bids ?? [])].some(isRemoval)) return undefined;
    const variant = (row: BookRow, index: number): BookRow =>
      isRemoval(row) ? [row[0], index % 2 === 0 ? '0.0' : '0.00000000'] : row;
    return { ...data, ...mapped(data, (rows) => rows.map(variant)) };
  },
};

export function changedValues(kind: LiveFaultKind, push: Push): Push[] | undefined {
  const { market, depth } = push;
  if (depth === undefined || market === undefined) return undefined;
  if (kind === 'delta-first') return depth.isFull ? [deltaBefore(market, depth.data), push] : undefined;
  const data = changes[kind]?.({ market, ...depth });
  return data && [depthPush(market, depth.isFull, data)];
}

function deltaBefore(market: string, { update_id, bids = [], ...data }: DepthData): Push {
  return depthPush(market, false, { ...data, update_id, past_update_id: update_id - 1, bids: bids.slice(0, 1) });
}

function anyPrice({ asks = [], bids = [] }: Sides): string | undefined {
  return [...asks, ...bids][0]?.[0];
}

function mapped({ asks, bids }: Sides, change: (rows: readonly BookRow[]) => readonly BookRow[]): Sides {
  return {
    ...(asks === undefined ? {} : { asks: change(asks) }),
    ...(bids === undefined ? {} : { bids: change(bids) }),
  };
}

function withZeros(text: string): string {
  return text.includes('.') ? `${text}0` : `${text}.00`;
}
