// Errors are copied, never changed: another call may hold the same error.
import { responseBodyOf, TransportError, UnavailableError } from 'exchange-rx';
import { inspect, types } from 'node:util';
import { expect, it } from 'vitest';
import { copyError } from '../../src/errors/index.js';
import { printed } from '../support/printed.js';

it('an error about an order, or with another outcome, is a copy with the same class, message, stack and cause', () => {
  const cause = new Error('reset');
  const error = new TransportError('the response was lost', { endpoint: 'orders.cancel', outcome: 'unknown', cause });
  const copy = error.with({ outcome: 'rejected', client_order_id: 'mine' });
  expect([error.outcome, copy.outcome]).toEqual(['unknown', 'rejected']);
  expect([error.client_order_id, copy.client_order_id]).toEqual([undefined, 'mine']);
  expect(error.with({ client_order_id: 'mine' })).toMatchObject({ outcome: 'unknown', client_order_id: 'mine' });
  expect(copy).toBeInstanceOf(TransportError);
  expect(types.isNativeError(copy)).toBe(true);
  expect([copy.message, copy.stack, copy.cause, copy.name]).toEqual([
    error.message,
    error.stack,
    error.cause,
    'TransportError',
  ]);
  expect(JSON.parse(JSON.stringify(copy))).toMatchObject({ client_order_id: 'mine', kind: 'transport' });
});

it('an error that has the outcome already is not copied', () => {
  const lost = new TransportError('the response was lost', { endpoint: 'orders.cancel', outcome: 'unknown' });
  expect(lost.with({ outcome: 'unknown' })).toBe(lost);
});

it('a copy has the raw body of the error', () => {
  const response = { status: 503, code: undefined, exchangeMessage: undefined, errors: {}, body: 'raw' };
  const copy = new UnavailableError(response, 1000, 'orders.cancel').with({ outcome: 'none' });
  expect([responseBodyOf(copy), copy.retryAfterMs]).toEqual(['raw', 1000]);
  expect(printed(copy)).not.toContain('raw');
});

it('an error has a copy of its cause of a bounded length, however many causes that has', () => {
  const cause = new AggregateError([], 'x'.repeat(100_000));
  cause.errors.push(...Array.from({ length: 100 }, () => cause));
  cause.cause = cause;
  const error = new TransportError('lost', { endpoint: 'orders.cancel', outcome: 'unknown', cause });
  expect(inspect(error, { depth: 20, showHidden: true }).length).toBeLessThan(300_000);
});

it('the cause of an error has the messages of all errors of an aggregate', () => {
  const cause = new AggregateError([new Error('ENETUNREACH 2001::1'), new Error('ECONNREFUSED 10.0.0.1')]);
  expect(copyError(cause)).toMatchObject({
    message: 'ENETUNREACH 2001::1; ECONNREFUSED 10.0.0.1',
    cause: { message: 'ENETUNREACH 2001::1' },
  });
});
