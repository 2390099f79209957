import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseLine, renderLine, type RecordedLine } from '../../src/recording/line.js';

const t = 1_795_316_400_123.4;

const lines: readonly RecordedLine[] = [
  { t, k: 'run', format: 1, host: 'wss://exchange.example/ws', markets: ['BTC_USDT'], channels: ['trades'] },
  { t, k: 'open', c: 1, url: 'wss://exchange.example/ws' },
  { t, k: 'end', c: 1, code: 1006, reason: 'lost' },
  { t, k: 'end', c: 1, reason: 'left' },
  { t, k: 'sent', c: 1, d: '{"id":1}' },
  { t, k: 'frame', c: 1, d: '{"id":null,"method":"depth_update","params":[]}' },
  { t, k: 'frame', c: 1, d: null },
  { t, k: 'rest', path: '/api/v4/public/markets', sentAt: t - 20, status: 200, body: '[]' },
  { t, k: 'ping', ms: 12.5 },
  { t, k: 'clock', wall: t },
  { t, k: 'gap', market: 'BTC_USDT', channel: 'orderBook', reason: 'sequence' },
  { t, k: 'gap', reason: 'restart' },
  { t, k: 'stop' },
];

describe('a line of a recording', () => {
  it.each(lines.map((line) => ({ line, kind: line.k })))('of the kind $kind is read as it was written', ({ line }) => {
    expect(parseLine(renderLine(line))).toEqual(line);
  });

  it('keeps any text of a frame to the last code unit, on one line', () => {
    const anyText = fc.string({ unit: fc.integer({ min: 0, max: 0xff_ff }).map((unit) => String.fromCharCode(unit)) });
    fc.assert(
      fc.property(anyText, (d) => {
        const line: RecordedLine = { t, k: 'frame', c: 1, d };
        const text = renderLine(line);
        expect(text).not.toContain('\n');
        expect(parseLine(text)).toEqual(line);
      }),
    );
  });

  it.each([
    ...['', '{"t":1,"k":"frame","c":1,"d":"cut', '[1]', 'null', '{"t":1}', '{"t":1,"k":"later"}'],
    ...['{"k":"stop"}', '{"t":1e999,"k":"frame","c":1,"d":""}', '{"t":-1,"k":"frame","c":1,"d":""}'],
    ...['{"t":"1","k":"frame","c":1,"d":""}', '{"t":1,"k":"frame","c":1.5,"d":""}'],
    ...['{"t":1,"k":"frame","c":"1","d":""}', '{"t":1,"k":"frame","c":1}', '{"t":1,"k":"sent","c":1,"d":null}'],
    ...['{"t":1,"k":"end","c":1,"reason":"boredom"}', '{"t":1,"k":"ping","ms":-1}'],
  ])('that is invalid is not read: %j', (text) => {
    expect(parseLine(text)).toBeUndefined();
  });

  it('of any text is a line or none, never an exception', () => {
    const piece = fc.oneof(fc.string(), fc.json(), fc.constantFrom('"k":"frame"', '{', '}', '"__proto__":1'));
    fc.assert(
      fc.property(fc.array(piece), (parts) => {
        const read = parseLine(parts.join(''));
        expect(read === undefined || typeof read.t === 'number').toBe(true);
      }),
    );
  });

  it('leaves out fields that it does not know', () => {
    expect(parseLine('{"t":1,"k":"stop","__proto__":{"polluted":true},"extra":1}')).toEqual({ t: 1, k: 'stop' });
  });
});
