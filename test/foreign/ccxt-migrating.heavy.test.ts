// The table of calls in docs/migrating.md has every unified method of ccxt, and names nothing that is not there.
import * as sdk from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { describe, expect, it } from 'vitest';
import { ccxtVersion, hasCcxt, serve, whitebit } from '../support/ccxt.js';
import { textOf } from '../support/documents.js';

const document = textOf('docs/migrating.md');
const from = document.indexOf('### Calls');
const rows = document
  .slice(from, document.indexOf('Parameters of ccxt', from))
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => line.split('|').map((cell) => cell.trim()));

/** The names before a bracket, or alone, in the code of a cell: `spot.fees()` gives `spot.fees`. */
const namesIn = (cell = '') =>
  [...cell.matchAll(/`(?<name>[\w.]+)(?:\(|`)/g)].flatMap(({ groups }) => groups?.['name'] ?? []);

const ccxtNames = new Set(rows.flatMap(([, ccxt]) => namesIn(ccxt)));
const ownNames = new Set(rows.flatMap(([, , own]) => namesIn(own)));

/** What `has` names beside methods of the REST class, and its methods over a WebSocket. */
const otherNames = ['publicAPI', 'privateAPI', 'spot', 'margin', 'swap', 'createMarketOrderWs', 'fetchCurrenciesWs'];

/** Whether the package has a function under this name: `spot.fees` of an exchange, or an exported one. */
function exists(name: string): boolean {
  const exchange = sdk.createExchange(createSandbox().clientOptions());
  let value: unknown = name.includes('.') ? exchange : { ...sdk };
  for (const part of name.split('.'))
    value = typeof value === 'object' && value !== null ? Reflect.get(value, part) : undefined;
  return typeof value === 'function';
}

describe.skipIf(!hasCcxt)('the table of calls for ccxt', () => {
  const has = whitebit === undefined ? {} : new whitebit({}).has;
  const methods = Object.keys(has).filter((name) => has[name] === true || has[name] === 'emulated');

  it.each(methods.filter((name) => !otherNames.includes(name)))('has %s', (name) => {
    expect(ccxtNames).toContain(name);
  });

  it('names no other methods of ccxt', async () => {
    const { ccxt } = await serve();
    expect([...ccxtNames].filter((name) => typeof ccxt[name] !== 'function')).toEqual([]);
  });

  it('names no functions that this package lacks', () => {
    expect([...ownNames].filter((name) => !exists(name))).toEqual([]);
  });

  it('is of the version that is installed', () => {
    expect(document).toContain(`version ${ccxtVersion ?? ''} `);
  });
});
