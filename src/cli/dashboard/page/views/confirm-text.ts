// What a confirmation says: the act by name, its steps, its estimates. Pure, so that every word of it is tested.
import type { Act, Plan, PlannedCancel, PlannedClose } from '../../messages.js';
import { age, count, figure, none, orderName } from './format.js';
import { add } from './ladder.js';
import { decimalsOf } from './market.js';
import type { State } from './state.js';

export interface ConfirmStep {
  readonly title: string;
  readonly lines: readonly (readonly [what: string, figures: string])[];
}

const titles = {
  cancel: 'Cancel this order?',
  'cancel-all': 'Cancel all orders?',
  close: 'Close this position?',
  flatten: 'Flatten the account?',
} as const;

/** Orders of one market are summed when there are more than these. */
const maxSingle = 3;

type Known = Pick<State, 'parts' | 'now'>;

export function confirmView(plan: Plan, state: Known) {
  const { action, cancel, close, totals, pricesAt } = plan;
  const orders = count(cancel.length, 'open order');
  const positions = count(close.length, 'position');
  const steps = [
    { title: `Cancel ${orders}`, act: `cancel ${orders.replace('open ', '')}`, lines: cancelLines(cancel, state) },
    {
      title: `Close ${positions} at market`,
      act: `close ${positions}`,
      lines: close.map((one) => closeLine(one, state)),
    },
  ].filter(({ lines }) => lines.length > 0);
  const isBoth = steps.length > 1;
  const acts = steps.map(({ act }) => act).join(', ');
  const prices = pricesAt === null ? none : `read ${age(state.now - pricesAt)} ago`;
  return {
    title: titles[action.kind],
    text: `${isBoth ? 'Two things happen, in this order' : 'One thing happens'}. Balances stay where they are.`,
    steps: steps.map(({ title, lines }, index) => ({ title: isBoth ? `${index + 1}. ${title}` : title, lines })),
    facts: [
      ...totals.flatMap(({ currency, pnl, fees }): (readonly [string, string])[] => [
        ['realized PnL, estimate', `${figure(pnl)} ${currency}`],
        ['fees, estimate', `${figure(fees)} ${currency}`],
      ]),
      ...(close.length === 0 ? [] : [['prices', prices] as const]),
    ],
    button: acts.charAt(0).toUpperCase() + acts.slice(1),
    // Changes when other orders or positions would be acted on.
    key: JSON.stringify([
      cancel.map(({ orderId, left }) => [orderId, left]),
      close.map(({ positionId, side, amount }) => [positionId, side, amount]),
    ]),
  };
}

function cancelLines(orders: readonly PlannedCancel[], state: Known): ConfirmStep['lines'] {
  if (orders.length <= maxSingle)
    return orders.map(({ market, side, type, left, price, clientOrderId, orderId }) => {
      const decimals = decimalsOf(state, market);
      const at = price === '' ? '' : ` at ${figure(price, decimals.price)}`;
      const name = orderName(clientOrderId, orderId);
      return [`${side} ${type} ${market}`, `${figure(left, decimals.amount)}${at} · ${name}`];
    });
  const byMarket = new Map<string, PlannedCancel[]>();
  for (const order of orders) byMarket.set(order.market, [...(byMarket.get(order.market) ?? []), order]);
  return [...byMarket].map(([market, list]) => {
    const isReduce = list.every(({ flags }) => flags.includes('reduce'));
    return [
      `${list.length} ${market}`,
      `${sidesOf(list, decimalsOf(state, market).amount)}${isReduce ? ', reduce only' : ''}`,
    ];
  });
}

function sidesOf(orders: readonly PlannedCancel[], decimals: number): string {
  const sums = new Map<string, string>();
  for (const { side, left } of orders) {
    const before = sums.get(side) ?? '0';
    sums.set(side, before === none ? none : (add(before, left) ?? none));
  }
  return [...sums].map(([side, amount]) => `${side} ${figure(amount, decimals)}`).join(', ');
}

function closeLine(
  { market, side, amount, price, pnl }: PlannedClose,
  state: Known,
): readonly [what: string, figures: string] {
  const decimals = decimalsOf(state, market);
  const at = price === '' ? 'at market' : `at about ${figure(price, decimals.price)}`;
  return [`${side === 'long' ? 'sell' : 'buy'} ${figure(amount, decimals.amount)} ${market} ${at}`, figure(pnl)];
}

export function resultLines({ results }: Act): ConfirmStep['lines'] {
  return results.map(({ step, market, id, clientOrderId, outcome, text }) => [
    `${step} ${market} ${orderName(clientOrderId, id)}`,
    outcome === 'running' ? 'running' : `${outcome}${text === '' ? '' : `: ${text}`}`,
  ]);
}
