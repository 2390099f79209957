// The buffer of a response that arrives in many chunks.
import { expect, it } from 'vitest';
import { ReceivedBody } from '../../src/http/received-body.js';

it('the buffer of a response is the chunk when there is one, and grows by doubling, whatever the size of the chunks', () => {
  const chunk = Buffer.from('x');
  const body = new ReceivedBody(2 ** 20);
  body.add(chunk);
  expect(body.bytes.buffer).toBe(chunk.buffer);
  const buffers = new Set<ArrayBufferLike>();
  for (let count = 1; count < 2 ** 20; count += 1) {
    body.add(chunk);
    buffers.add(body.bytes.buffer);
  }
  expect([body.bytes.byteLength, buffers.size]).toEqual([2 ** 20, 7]);
  expect(() => {
    body.add(chunk);
  }).toThrow(expect.objectContaining({ code: 'ERR_BUFFER_TOO_LARGE' }) as Error);
});
