// What a received text is.
import { describe, expect, it } from 'vitest';
import { readMessage } from '../../../src/live/connection/messages.js';

describe('a frame', () => {
  it.each<[what: string, text: string]>([
    ['cut', '{"id":null,"method":"depth_update","params":[false,{"update_id":10'],
    ['empty', ''],
    ['too large for its names and values', JSON.stringify({ id: null, params: Array(80_001).fill(1) })],
    ['too deep', `{"id":null,"params":${'['.repeat(65)}${']'.repeat(65)}}`],
    ['of another kind', '[]'],
    ['without a method', JSON.stringify({ id: null, params: [false, {}, 'A_USDT'] })],
    ['with a method that is no text', JSON.stringify({ id: null, method: 7, params: [] })],
    ['an error of no request', JSON.stringify({ id: null, result: null, error: { code: 2, message: 'no' } })],
    ['a response whose id is a text', JSON.stringify({ id: '1', result: { status: 'success' }, error: null })],
    ['an empty object', '{}'],
  ])('that is %s is unreadable', (_, text) => {
    expect(readMessage(text)).toBeUndefined();
  });

  it('whose error has another form is a refusal all the same', () => {
    const refusalOf = (error: unknown) => readMessage(JSON.stringify({ id: 1, result: null, error }));
    const refused = (code: unknown, message: string) => ({ type: 'response', id: 1, refusal: { code, message } });
    expect(refusalOf('no such market')).toMatchObject(refused(undefined, 'no such market'));
    expect(refusalOf({ code: '1', message: 2 })).toMatchObject(refused(undefined, ''));
    expect(refusalOf(7)).toMatchObject(refused(undefined, ''));
  });
});
