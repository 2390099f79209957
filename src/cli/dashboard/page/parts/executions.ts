// The account's executions, newest first.
import type { ExecutionRow } from '../../messages.js';
import { find, setText } from '../dom.js';
import type { Part } from './part.js';
import { type Column, figures, sided, tableOrWords, texts, unitOf } from './table.js';
import { emptyWords } from '../views/empty.js';
import { moment, orderName } from '../views/format.js';
import type { State } from '../views/state.js';

/** More would only fill the document: the list scrolls. */
const maxRows = 40;

const columns: readonly Column<ExecutionRow>[] = [
  texts('time', ({ at }, { now }) => moment(at, now), { className: 'pale third' }),
  texts('market', ({ market }) => market, { className: 'extra card-3' }),
  sided('side', ({ side }) => side, { className: 'card-1' }),
  figures('price', ({ price }) => price, 'price', {
    ...{ className: 'card-4', before: 'at', unit: unitOf('quote') },
  }),
  figures('amount', ({ amount }) => amount, 'amount', {
    ...{ className: 'card-2', unit: unitOf('base') },
  }),
  figures('value', ({ total }) => total, 0, {
    ...{ className: 'extra card-off', unit: unitOf('quote', true) },
  }),
  figures('fee', ({ fee }) => fee, 0, {
    ...{ className: 'second', before: 'fee', unit: { of: ({ feeAsset }) => feeAsset, inCells: true } },
  }),
  texts('role', ({ role }) => role, { className: 'second' }),
  texts('client_order_id', ({ clientOrderId, orderId }) => orderName(clientOrderId, orderId), {
    ...{ className: 'id extra third', before: '·' },
  }),
];

export function executions(): Part {
  const draw = tableOrWords(find('executions-body'), {
    label: 'Executions',
    columns,
    keyOf: ({ id, orderId }) => `${id} ${orderId}`,
    copyOf: ({ clientOrderId, orderId }) => clientOrderId || String(orderId),
  });
  const drawAll = (state: State) => {
    const { executions: part } = state.parts;
    draw(part?.list.slice(0, maxRows) ?? [], state, emptyWords(state, 'executions'));
    const isRead = typeof part?.state.at === 'number';
    const today = isRead ? `today ${part.today.count}${part.today.isAtLeast ? ' or more' : ''}` : '';
    setText(find('executions-count'), today);
  };
  return { of: ['executions', 'markets', 'about'], draw: drawAll };
}
