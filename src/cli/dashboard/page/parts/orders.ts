// Orders: in doubt first, then open ones; ended ones behind a tab.
import type { DoubtRow, OrderRow } from '../../messages.js';
import { child, find, make, setFigure, setFlag, setShare, setText } from '../dom.js';
import type { Page, Part } from './part.js';
import { buttons, changes, type Column, figures, tableOrWords, texts, unitOf } from './table.js';
import { isStale } from '../views/ages.js';
import { emptyWords } from '../views/empty.js';
import { filledShare, lasting, none, orderName } from '../views/format.js';
import { decimalsOf } from '../views/market.js';
import type { State } from '../views/state.js';

interface Row extends OrderRow {
  readonly kind: 'doubt' | 'open' | 'ended';
}

function doubtRow({ endpoint, sentAt: at, phase: _phase, ...request }: DoubtRow): Row {
  // `stop limit` of `spot.placeStopLimitOrder`; the whole name of a program's own endpoint.
  const [, words] = /\.place(\w+?)Orders?$/.exec(endpoint) ?? [];
  const type = words?.replaceAll(/\B(?=[A-Z])/g, ' ').toLowerCase() ?? endpoint;
  return {
    ...{ ...request, kind: 'doubt', orderId: 0, at, type, flags: [] },
    ...{ activationPrice: '', filled: 'unknown', average: '', fromLast: '', status: 'in doubt' },
  };
}

const idOf = ({ clientOrderId, orderId }: Row) => orderName(clientOrderId, orderId);

/** The type, and the flags after it. */
function setWords(place: HTMLElement, { type, flags }: Row): void {
  if (place.firstChild === null) place.append(make('span'), make('i'));
  setText(child(place, 0), type);
  setText(child(place, 1), flags.map((flag) => ` ${flag}`).join(''));
}

function statusOf({ kind, status }: Row, state: State): string {
  const isOld = kind === 'open' && isStale(state.parts.orders?.state, state);
  return isOld && !status.startsWith('may ') ? `was ${status}` : status;
}

function columns(page: Page): readonly Column<Row>[] {
  return [
    texts('age', ({ at }, { now }) => (at === null ? none : lasting(now - at)), {
      ...{ className: 'pale third', before: '·' },
    }),
    texts('market', ({ market }) => market, { className: 'card-3' }),
    {
      label: 'side',
      className: 'card-1',
      patch: (cell, row) => {
        if (cell.firstChild === null) cell.append(make('span'), ' ', make('span', 'joined'));
        setText(child(cell, 0), row.side);
        setFlag(child(cell, 0), 'side', row.side);
        setWords(child(cell, 1), row);
      },
    },
    { label: 'type', className: 'wide card-off', patch: setWords },
    figures('price', (row) => row.price || row.activationPrice, 'price', {
      ...{ className: 'card-4', before: 'at', unit: unitOf('quote') },
    }),
    changes('from last', ({ fromLast }) => fromLast, ' %', { className: 'wide card-off pale' }),
    figures('amount', ({ amount }) => amount, 'amount', {
      ...{ className: 'card-2', unit: unitOf('base') },
    }),
    {
      label: 'filled',
      className: 'number second',
      patch: (cell, { kind, filled, amount, market }, state) => {
        if (cell.firstChild === null) cell.append(make('span', 'track small wide'), make('span'));
        const isUnknown = kind === 'doubt';
        setFlag(cell, 'before', isUnknown ? 'filled:' : undefined);
        setFlag(cell, 'after', isUnknown ? undefined : 'filled');
        child(cell, 0).hidden = isUnknown;
        setShare(child(cell, 0), filledShare(filled, amount));
        setFigure(child(cell, 1), filled, decimalsOf(state, market).amount);
      },
    },
    figures('average', ({ average }) => average, 'price', { className: 'card-off' }),
    texts('client_order_id', idOf, { className: 'id third', before: '·' }),
    texts('status', statusOf, { className: 'wide card-off' }),
    buttons(
      page,
      'Cancel…',
      (row) => `Cancel ${idOf(row)}…`,
      ({ kind, market, orderId }) =>
        kind === 'open' ? { kind: 'cancel', market, orderId } : kind === 'doubt' ? 'in doubt' : '',
    ),
  ];
}

export function orders(page: Page): Part {
  const kind = {
    columns: columns(page),
    keyOf: (row: Row) => (row.kind === 'doubt' ? `? ${row.clientOrderId}` : String(row.orderId)),
    patchRow: (element: HTMLElement, row: Row) => {
      setFlag(element, 'doubt', row.kind === 'doubt' ? '' : undefined);
    },
    copyOf: (row: Row) => row.clientOrderId || String(row.orderId),
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
    const rowsOf = (kind: 'open' | 'ended') => (part?.[kind] ?? []).map((order): Row => ({ ...order, kind }));
    const doubts = (part?.inDoubt ?? []).map(doubtRow);
    drawOpen([...doubts, ...rowsOf('open')], state, emptyWords(state, 'orders'));
    if (!find('ended-body').hidden)
      drawEnded(rowsOf('ended'), state, ['No ended order.', 'An order appears here when it is filled or canceled.']);
    setText(child(tab, 0), isStale(part?.state, state) ? 'Open orders when last seen' : 'Open orders');
    const open = (part?.open.length ?? 0) + (part?.notShown ?? 0);
    setText(child(tab, 1), (part?.state.at ?? null) === null ? '' : String(open + doubts.length));
    cancelAll.hidden = about?.tradingAllowed !== true || open === 0;
  };
  return { of: ['orders', 'markets', 'about'], draw, tick: draw };
}
