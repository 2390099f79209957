// The order in which large responses are parsed.
import { describe, expect, it } from 'vitest';
import { ResponseTurns } from '../../src/http/response-turns.js';

const mebibyte = 2 ** 20;

describe('the turns in which large responses are parsed', () => {
  it('parse an urgent response first, however many wait', async () => {
    const turns = new ResponseTurns();
    const read: string[] = [];
    const wait = (name: string, bytes: number, isUrgent: boolean) =>
      (turns.take(bytes, isUrgent) ?? Promise.resolve()).then(() => read.push(name));
    const lists = Array.from({ length: 20 }, (_, index) => wait(`list ${index}`, mebibyte, false));
    const order = wait('order', 1300, true);
    await Promise.all([...lists, order]);
    expect(read.indexOf('order')).toBe(1);
    expect(read.filter((name) => name !== 'order')).toEqual(lists.map((_, index) => `list ${index}`));
  });
});
