// The account's executions, newest first.
import type { ExecutionRow } from '../../messages.js';
import { find, setFigure, setFlag, setText, setTitle } from '../dom.js';
import type { Part } from './part.js';
import { type Column, figures, tableOrWords, texts } from './table.js';
import { moment, none } from '../views/format.js';
import { decimalsOf } from '../views/market.js';
import type { State } from '../views/state.js';

/** More would only fill the document: the list scrolls. */
const maxRows = 40;

interface Row extends ExecutionRow {
  readonly decimals: { readonly price: number; readonly amount: number };
  readonly now: number;
}

const idOf = ({ clientOrderId, orderId }: Row) => (clientOrderId === '' ? `#${orderId}` : clientOrderId);

const columns: readonly Column<Row>[] = [
  texts('time', ({ at, now }) => moment(at, now), { className: 'pale third' }),
  texts('market', ({ market }) => market, { className: 'extra card-3' }),
  {
    label: 'side',
    className: 'card-1',
    patch: (cell, { side }) => {
      setText(cell, side);
      setFlag(cell, 'side', side);
    },
  },
  figures(
    'price',
    (row) => row.price,
    ({ decimals }) => decimals.price,
    { className: 'card-4', before: 'at' },
  ),
  figures(
    'amount',
    (row) => row.amount,
    ({ decimals }) => decimals.amount,
    { className: 'card-2' },
  ),
  figures(
    'value',
    ({ total }) => total,
    () => 0,
    { className: 'extra card-off' },
  ),
  {
    label: 'fee',
    className: 'number second',
    before: 'fee',
    patch: (cell, { fee, feeAsset }) => {
      setFigure(cell, fee);
      setTitle(cell, feeAsset);
    },
  },
  texts('role', ({ role }) => role, { className: 'second' }),
  texts('client_order_id', idOf, { className: 'id extra third', before: '·' }),
];

export function executions(): Part {
  const draw = tableOrWords(find('executions-body'), {
    label: 'Executions',
    columns,
    keyOf: ({ id, orderId }: Row) => `${id} ${orderId}`,
    hasFocus: true,
    patchRow: (element, { clientOrderId, orderId }) => {
      setFlag(element, 'copy', clientOrderId === '' ? String(orderId) : clientOrderId);
    },
  });
  const drawAll = (state: State) => {
    const { executions: part, about } = state.parts;
    const list = part?.list.slice(0, maxRows) ?? [];
    const isRead = typeof part?.state.at === 'number';
    const empty = ['No execution yet.', 'An execution appears here when an order of this account is filled.'] as const;
    draw(
      list.map((row) => ({ ...row, decimals: decimalsOf(state, row.market), now: state.now })),
      about?.account === false ? ['No account.', ''] : isRead ? empty : [none, ''],
    );
    const today = isRead ? `today ${part.today.count}${part.today.isAtLeast ? ' or more' : ''}` : '';
    setText(find('executions-count'), today);
  };
  return { of: ['executions', 'markets', 'about'], draw: drawAll };
}
