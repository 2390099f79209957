// The money of the second exchange, written from what the real one has published: transfers, withdrawals, codes,
// conversions, transfers to sub-accounts. Nothing here is of the SDK or of the sandbox.

export const moneyPaths = {
  transfer: '/api/v4/main-account/transfer',
  transfers: '/api/v4/main-account/transfer/history',
  withdraw: '/api/v4/main-account/withdraw',
  transactions: '/api/v4/main-account/history',
  createCode: '/api/v4/main-account/codes',
  codes: '/api/v4/main-account/codes/my',
  confirm: '/api/v4/convert/confirm',
  conversions: '/api/v4/convert/history',
  subTransfer: '/api/v4/sub-account/transfer',
  subTransfers: '/api/v4/sub-account/transfer/history',
} as const;

export const movingPaths: readonly string[] = [
  moneyPaths.transfer,
  moneyPaths.withdraw,
  moneyPaths.createCode,
  moneyPaths.confirm,
  moneyPaths.subTransfer,
];

/** What a client could take for granted of the lists. Each may be set at any time. */
export interface MoneyPremises {
  /** How long after it was executed a movement is listed, milliseconds. A transfer is queued for up to 2 s. */
  listedAfterMs: number;
  /** Filters of lists are ignored, as those whose names have another case are. */
  ignoresFilters: boolean;
  /** The names of ids in records: `uniqueId`, or `unique_id`. */
  names: 'camel' | 'snake';
}

type Fields = Readonly<Record<string, unknown>>;
type Refuse = (
  status: number,
  code: number,
  message: string,
  errors?: Readonly<Record<string, readonly string[]>>,
) => never;

interface Listed {
  readonly path: string;
  readonly from: number;
  readonly record: Fields;
}

/** @param now the exchange's clock, Unix ms */
export function createForeignMoney(now: () => number, refuse: Refuse) {
  const premises: MoneyPremises = { listedAfterMs: 0, ignoresFilters: false, names: 'camel' };
  /** What was executed; `request`: its body, with its key and its values. */
  const moved: { readonly path: string; readonly request: string }[] = [];
  const lists: Listed[] = [];
  const keys = new Set<string>();
  let nextId = 1;

  const id = () => `00000000-0000-4000-8000-${String(nextId++).padStart(12, '0')}`;
  const seconds = () => Math.floor(now() / 1000);
  const named = (one: string, other: string, value: unknown) =>
    premises.names === 'camel' ? { [one]: value } : { [other]: value };

  function execute(
    path: string,
    fields: Fields,
    ...records: readonly (readonly [list: string, record: Fields])[]
  ): void {
    moved.push({ path, request: JSON.stringify(fields) });
    for (const [list, record] of records) lists.unshift({ path: list, from: now() + premises.listedAfterMs, record });
  }

  /** Pages of a list, the newest first; each record has what the filter has. */
  function listing(
    path: string,
    name: 'data' | 'records',
    size: number,
    filterOf: (fields: Fields) => Fields = () => ({}),
  ) {
    return (fields: Fields) => () => {
      const { limit = size, offset = 0 } = fields;
      const wanted = Object.entries(filterOf(fields)).filter(([, value]) => value !== undefined && value !== '');
      const isWanted = ({ record }: Listed) =>
        premises.ignoresFilters || wanted.every(([field, value]) => record[field] === value);
      const shown = lists.filter((one) => one.path === path && now() >= one.from && isWanted(one));
      const list = shown.slice(Number(offset), Number(offset) + Number(limit)).map(({ record }) => record);
      return { limit, offset, [name]: list, total: list.length };
    };
  }

  /** Each checks a request, and returns what executes it. */
  const endpoints: Readonly<Record<string, (fields: Fields) => () => unknown>> = {
    [moneyPaths.transfer]: (fields) => {
      const { from, to, ticker, amount } = fields;
      const balancesOnTheWay = from === 'main' || to === 'main' ? [from, to] : [from, 'main', to];
      return () => {
        const created_at = seconds();
        const records = balancesOnTheWay.slice(1).map((to_balance, index) => {
          const from_balance = balancesOnTheWay[index];
          const record = { id: id(), currency: ticker, amount, from_balance, to_balance, created_at };
          return [moneyPaths.transfers, record] as const;
        });
        execute(moneyPaths.transfer, fields, ...records);
        return [];
      };
    },
    [moneyPaths.transfers]: listing(moneyPaths.transfers, 'data', 100, ({ from_balance, to_balance }) => ({
      from_balance,
      to_balance,
    })),
    [moneyPaths.withdraw]: (fields) => {
      const { ticker, address, amount } = fields;
      const key = String(fields['uniqueId']);
      return () => {
        if (keys.has(key)) refuse(400, 0, 'Validation failed', { uniqueId: ['The unique id has already been taken.'] });
        keys.add(key);
        const record = {
          ...named('uniqueId', 'unique_id', key),
          ...named('transactionId', 'transaction_id', id()),
          ...{ address, createdAt: seconds(), currency: 'Coin', ticker, method: 2, amount, description: null },
          ...{ memo: '', fee: '0', status: 1, network: null, transactionHash: '', details: null },
        };
        execute(moneyPaths.withdraw, fields, [moneyPaths.transactions, record]);
        return [];
      };
    },
    [moneyPaths.transactions]: listing(moneyPaths.transactions, 'records', 50, (fields) => ({
      ...{ method: fields['transactionMethod'], ticker: fields['ticker'] },
      ...named('uniqueId', 'unique_id', fields['uniqueId'] ?? fields['unique_id']),
    })),
    [moneyPaths.createCode]: (fields) => () => {
      const { amount, ticker } = fields;
      const code = `WBCODE${id()}`;
      const external_id = id();
      const record = { amount, code, date: seconds(), status: 'New', ticker, external_id };
      execute(moneyPaths.createCode, fields, [moneyPaths.codes, record]);
      return { code, message: 'Code was successfully created', external_id };
    },
    [moneyPaths.codes]: listing(moneyPaths.codes, 'data', 30),
    [moneyPaths.confirm]: (fields) => {
      const quoteId = String(fields['quoteId']);
      return () => {
        if (keys.has(`quote ${quoteId}`)) refuse(400, 0, 'Validation failed', { quoteId: ['Quote not found.'] });
        keys.add(`quote ${quoteId}`);
        const record = { id: quoteId, date: seconds(), give: '1', receive: '2', rate: '2', path: [] };
        execute(moneyPaths.confirm, fields, [moneyPaths.conversions, record]);
        return { finalGive: '1', finalReceive: '2' };
      };
    },
    [moneyPaths.conversions]: listing(moneyPaths.conversions, 'records', 100, ({ quoteId: id }) => ({ id })),
    [moneyPaths.subTransfer]: (fields) => () => {
      const transaction = id();
      const record = {
        ...named('transactionId', 'transaction_id', transaction),
        ...{ id: transaction, direction: fields['direction'], currency: fields['ticker'] },
        ...{ amount: fields['amount'], createdAt: seconds() },
      };
      execute(moneyPaths.subTransfer, fields, [`${moneyPaths.subTransfers} ${String(fields['id'])}`, record]);
      return { transactionId: transaction };
    },
    [moneyPaths.subTransfers]: (fields) =>
      listing(`${moneyPaths.subTransfers} ${String(fields['id'])}`, 'data', 100)(fields),
  };

  return { premises, moved, endpoints };
}
