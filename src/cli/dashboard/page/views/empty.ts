// What is shown in place of rows that there are not: what will appear, and when.
import { none } from './format.js';
import type { State } from './state.js';

export type Words = readonly [title: string, text: string];

const wordsOf = {
  orders: {
    noAccount: 'Orders appear here when the dashboard has credentials.',
    empty: [
      'No open order.',
      'An order of any program that uses this account appears here when it is placed, in another market within 10 s.',
    ],
  },
  positions: {
    noAccount: 'Positions appear here when the dashboard has credentials.',
    empty: ['', 'No open position.'],
  },
  executions: {
    noAccount: '',
    empty: ['No execution yet.', 'An execution appears here when an order of this account is filled.'],
  },
  account: {
    noAccount: 'Balances appear here when the dashboard has credentials.',
    empty: ['No balance in any wallet.', 'A deposit or a transfer appears here when the exchange has booked it.'],
  },
} as const;

export function emptyWords({ parts }: State, name: keyof typeof wordsOf): Words {
  const { noAccount, empty } = wordsOf[name];
  if (parts.about?.account === false) return ['No account.', noAccount];
  const { status = 'waiting', reason = '' } = parts[name]?.state ?? {};
  if (status === 'waiting') return [none, ''];
  return status === 'refused' ? ['Not readable.', reason] : empty;
}
