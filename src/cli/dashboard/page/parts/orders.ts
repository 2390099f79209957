// Orders: in doubt first, then open ones; ended ones behind a tab.
import type { DoubtRow, OrderRow } from '../../messages.js';
import { child, find, make, setFigure, setFlag, setShare, setText } from '../dom.js';
import type { Page, Part } from './part.js';
import { type Column, figures, setButton, tableOrWords, texts } from './table.js';
import { isStale } from '../views/ages.js';
import { noOrders } from '../views/empty.js';
import { figure, filledShare, lasting, none } from '../views/format.js';
import { decimalsOf } from '../views/market.js';
import type { State } from '../views/state.js';

interface Row extends OrderRow {
  readonly decimals: { readonly price: number; readonly amount: number };
  readonly now: number;
  readonly isDoubt: boolean;
  readonly mayCancel: boolean;
}

/** An order in doubt as a row: its request is known, its outcome is not. */
function doubtRow({ clientOrderId, market, endpoint, sentAt, side, price, amount }: DoubtRow): OrderRow {
  return {
    ...{ orderId: 0, clientOrderId, at: sentAt, market, side, type: endpoint, flags: [], price, amount },
    ...{ activationPrice: '', filled: 'unknown', average: '', fromLast: '', status: 'in doubt' },
  };
}

const words = ({ type, flags }: Row) => [type, ...flags].join(' ');
/** What names an order: its client_order_id, if it has one. */
const idOf = ({ clientOrderId, orderId }: OrderRow) => (clientOrderId === '' ? `#${orderId}` : clientOrderId);
const price = ({ decimals }: Row) => decimals.price;
const amount = ({ decimals }: Row) => decimals.amount;

function columns(page: Page): readonly Column<Row>[] {
  return [
    texts('age', ({ at, now }) => (at === null ? none : lasting(now - at)), { className: 'pale third', before: '·' }),
    texts('market', ({ market }) => market, { className: 'card-3' }),
    {
      label: 'side',
      className: 'card-1',
      patch: (cell, row) => {
        if (cell.firstChild === null) cell.append(make('span'), make('span', 'joined'));
        setText(child(cell, 0), row.side);
        setFlag(child(cell, 0), 'side', row.side);
        setText(child(cell, 1), ` ${words(row)}`);
      },
    },
    texts('type', words, { className: 'wide card-off' }),
    figures('price', (row) => (row.price === '' ? row.activationPrice : row.price), price, {
      ...{ className: 'card-4', before: 'at' },
    }),
    texts('from last', ({ fromLast }) => (fromLast === '' ? none : `${figure(fromLast)} %`), {
      className: 'number wide card-off pale',
    }),
    figures('amount', (row) => row.amount, amount, { className: 'card-2' }),
    {
      label: 'filled',
      className: 'number second',
      after: 'filled',
      patch: (cell, row) => {
        if (cell.firstChild === null) cell.append(make('span', 'track small wide'), make('span'));
        child(cell, 0).hidden = row.isDoubt;
        setShare(child(cell, 0), filledShare(row.filled, row.amount));
        setFigure(child(cell, 1), row.filled, row.decimals.amount);
      },
    },
    figures('average', ({ average }) => average, price, { className: 'card-off' }),
    texts('client_order_id', idOf, { className: 'id third', before: '·' }),
    texts('status', ({ status }) => status, { className: 'wide card-off' }),
    {
      label: 'act',
      isUnnamed: true,
      className: 'number last act',
      patch: (cell, row) => {
        const { market, orderId, isDoubt, mayCancel } = row;
        const act = () => {
          page.confirm({ kind: 'cancel', market, orderId });
        };
        if (!isDoubt) setButton(cell, 'Cancel…', `Cancel ${idOf(row)}…`, mayCancel ? act : undefined);
        else if (cell.querySelector('.doubt-word') === null)
          cell.replaceChildren(make('span', 'doubt-word', 'in doubt'));
      },
    },
  ];
}

export function orders(page: Page): Part {
  const kind = {
    columns: columns(page),
    keyOf: (row: Row) => (row.isDoubt ? `? ${row.clientOrderId}` : String(row.orderId)),
    patchRow: (element: HTMLElement, row: Row) => {
      setFlag(element, 'doubt', row.isDoubt ? '' : undefined);
      setFlag(element, 'copy', row.clientOrderId === '' ? String(row.orderId) : row.clientOrderId);
    },
    hasFocus: true,
  };
  const drawOpen = tableOrWords(find('open-body'), { label: 'Open orders', ...kind });
  const drawEnded = tableOrWords(find('ended-body'), { label: 'Ended orders', ...kind });
  const cancelAll = find('cancel-all');
  cancelAll.addEventListener('click', () => {
    page.confirm({ kind: 'cancel-all' });
  });
  const tab = find('tab-open');

  const draw = (state: State) => {
    const { orders: part, about } = state.parts;
    const mayAct = about?.tradingAllowed === true;
    const rowOf = (order: OrderRow, mayCancel = false, isDoubt = false): Row => ({
      ...order,
      ...{ decimals: decimalsOf(state, order.market), now: state.now, mayCancel, isDoubt },
    });
    const doubts = (part?.inDoubt ?? []).map((doubt) => rowOf(doubtRow(doubt), false, true));
    drawOpen([...doubts, ...(part?.open ?? []).map((order) => rowOf(order, mayAct))], noOrders(state));
    if (!find('ended-body').hidden)
      drawEnded(
        (part?.ended ?? []).map((order) => rowOf(order)),
        ['No ended order.', 'An order appears here when it is filled or canceled.'],
      );
    setText(child(tab, 0), isStale(part?.state, state) ? 'Open orders when last seen' : 'Open orders');
    const open = (part?.open.length ?? 0) + (part?.notShown ?? 0);
    setText(child(tab, 1), (part?.state.at ?? null) === null ? '' : String(open + doubts.length));
    cancelAll.hidden = !mayAct || open === 0;
  };
  return { of: ['orders', 'markets', 'about'], draw, tick: draw };
}
