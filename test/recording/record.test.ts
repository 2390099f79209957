// record() on the sandbox: what is in the file, and what is left when it ends.
import { createExchange, type Exchange } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { firstValueFrom, lastValueFrom, Subject, take, takeWhile, tap, toArray } from 'rxjs';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { WebSocket } from 'ws';
import {
  liveLines,
  openRecording,
  readRecording,
  record,
  type RecordedLine,
  type RecordOptions,
} from '../../src/recording/index.js';
import { filesOf, linesOf, newFolder } from './folders.js';

const markets = ['BTC_USDT', 'ETH_USDT'];

/** A client over a port, and the frames that its sockets get, by a listener that no code of the package sees. */
async function listening() {
  const sandbox = createSandbox();
  const server = await sandbox.listen();
  onTestFinished(() => server.close());
  const frames: string[] = [];
  class Heard extends WebSocket {
    constructor(url: string) {
      super(url);
      this.on('message', (data: Buffer) => frames.push(data.toString()));
    }
  }
  const exchange = createExchange({ ...server.clientOptions(), webSocket: Heard });
  return { sandbox, server, frames, exchange };
}

function recordedOnce(exchange: Exchange, options: RecordOptions) {
  const until = new Subject<void>();
  const end = () => {
    until.next();
  };
  return lastValueFrom(record(exchange, { ...options, until }).pipe(tap(end)));
}

const framesOf = (lines: readonly RecordedLine[]) => lines.flatMap((line) => (line.k === 'frame' ? [line.d] : []));

describe('a recording over a port', () => {
  it('has each frame of the wire, byte for byte, and what was read beside them', async () => {
    const { server, frames, exchange } = await listening();
    const to = newFolder();
    const until = new Subject<void>();
    // Of the account, on the connections of the program: none of it is recorded.
    const own = exchange.live.my.balances().subscribe();
    await firstValueFrom(exchange.live.my.balances());
    own.unsubscribe();
    frames.length = 0;
    const done = lastValueFrom(record(exchange, { markets, to, until }));
    const paths = [
      ...['markets', 'assets', 'fee', 'futures'].map((name) => `/api/v4/public/${name}`),
      ...markets.flatMap((market) => [
        `/api/v4/public/trades/${market}`,
        `/api/v4/public/orderbook/${market}?limit=100`,
        ...['1m', '1h', '1d'].map((interval) => `/api/v1/public/kline?market=${market}&interval=${interval}`),
      ]),
    ];
    await vi.waitFor(async () => {
      const read = await linesOf(to);
      expect(framesOf(read).length).toBeGreaterThan(10);
      expect(read.flatMap((line) => (line.k === 'rest' ? [line.path] : [])).toSorted()).toEqual(paths.toSorted());
    }, 15_000);
    until.next();
    const last = await done;
    const lines = await linesOf(to);
    expect(framesOf(lines)).toEqual(frames);
    expect(last).toMatchObject({ frames: frames.length, lines: lines.length + 1, gaps: 0 });
    expect(lines.at(-1)).toMatchObject({ k: 'stop' });
    expect(lines.filter(({ k }) => k === 'open' || k === 'end')).toMatchObject([
      { k: 'open', c: 1 },
      { k: 'end', c: 1, reason: 'left' },
    ]);
    const text = filesOf(to).map((path) => gunzipSync(readFileSync(path)).toString());
    const { apiKey, apiSecret } = server.clientOptions().credentials;
    expect(text.join('')).not.toMatch(new RegExp(`${apiKey}|${apiSecret}|authorize|websocket_token`));
    expect(readdirSync(to).toSorted()).toEqual([expect.stringMatching(/^000001-/), 'manifest.json']);
    expect(await openRecording(to)).toMatchObject({ markets, isStopped: true, lines: last.lines });
  });

  it('does not complete when its end cannot be written', async () => {
    const { exchange } = await listening();
    const to = newFolder();
    // In the place of the next manifest.
    mkdirSync(`${to}/manifest.json.new`);
    const done = recordedOnce(exchange, { markets: ['BTC_USDT'], to });
    await expect(done).rejects.toMatchObject({ kind: 'recording', reason: 'unwritable' });
    expect(readdirSync(to)).not.toContain('recorder.lock');
  });

  it('is continued by the next recorder, after a gap, and never goes back in time', async () => {
    const { exchange } = await listening();
    const to = newFolder();
    const options = { markets: ['BTC_USDT'], channels: ['trades'], to } as const;
    await recordedOnce(exchange, options);
    // As if the clock had been set back by a day since.
    const dayMs = 86_400_000;
    const path = `${to}/manifest.json`;
    const { to: last } = await openRecording(to);
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll(String(last), String(last + dayMs)));
    expect(await recordedOnce(exchange, options)).toMatchObject({ gaps: 1 });
    const recording = await openRecording(to);
    expect(recording.files.map(({ name }) => name.slice(0, 6))).toEqual(['000001', '000002']);
    expect(recording.gaps).toMatchObject([{ reason: 'restart' }]);
    expect(recording.gaps[0]?.t).toBeGreaterThanOrEqual(last + dayMs);
    const lines = await linesOf(to);
    expect(lines.map(({ t }) => t)).toEqual(lines.map(({ t }) => t).toSorted((one, other) => one - other));
  });

  it('has unreadable frames as they came, and says where the client lost the thread', async () => {
    const { sandbox, exchange } = await listening();
    const to = newFolder();
    const until = new Subject<void>();
    const channels = ['trades'] as const;
    const done = lastValueFrom(record(exchange, { markets: ['BTC_USDT'], channels, to, until }));
    await vi.waitFor(async () => {
      expect(framesOf(await linesOf(to))).not.toEqual([]);
    }, 15_000);
    sandbox.channel('trades').push(['BTC_USDT', 'no list']);
    await vi.waitFor(async () => {
      const lines = await linesOf(to);
      expect(framesOf(lines).some((text) => text?.includes('no list'))).toBe(true);
      expect(lines).toContainEqual(expect.objectContaining({ k: 'gap', channel: 'trades', reason: 'unreadable' }));
    }, 15_000);
    until.next();
    expect(await done).toMatchObject({ gaps: 1 });
  });
});

describe('a recorder', () => {
  const connected = () => createExchange(createSandbox().clientOptions());

  it('keeps a second one out, and lets one in when it was unsubscribed', async () => {
    const to = newFolder();
    const options = { markets, channels: ['trades'], to } as const;
    const exchange = connected();
    const recording = record(exchange, options).subscribe();
    await vi.waitFor(() => {
      expect(readdirSync(to)).toContain('recorder.lock');
    });
    const second = lastValueFrom(record(exchange, options));
    await expect(second).rejects.toMatchObject({ kind: 'recording', reason: 'locked' });
    recording.unsubscribe();
    await vi.waitFor(() => {
      expect(readdirSync(to)).not.toContain('recorder.lock');
    });
    await firstValueFrom(record(exchange, options));
  });

  it('that is unsubscribed at once leaves no lock', async () => {
    const to = newFolder();
    record(connected(), { markets, to }).subscribe().unsubscribe();
    await vi.waitFor(() => {
      expect(readdirSync(to)).toEqual(['manifest.json', expect.any(String)].slice(0, readdirSync(to).length));
      expect(readdirSync(to)).not.toContain('recorder.lock');
    });
  });

  it('fails for a market that the exchange does not list, and unlocks the folder', async () => {
    const to = newFolder();
    const failing$ = record(connected(), { markets: ['NONE_USDT'], to });
    await expect(lastValueFrom(failing$)).rejects.toMatchObject({ kind: 'live-refused' });
    expect(readdirSync(to)).not.toContain('recorder.lock');
    expect(await openRecording(to)).toMatchObject({ isStopped: false });
  });

  it('fails when the folder cannot be made', async () => {
    const failing$ = record(connected(), { markets, to: '/dev/null/folder' });
    await expect(lastValueFrom(failing$)).rejects.toMatchObject({ kind: 'recording', reason: 'unwritable' });
  });

  it.each([
    [{ markets: [], to: 'x' }, 'record: markets must be an array of at least one market'],
    [{ markets: ['BTC_USDT'] }, 'record: to is required'],
    [{ markets: ['BTC_USDT'], to: '' }, 'record: to "" must be a folder'],
    [{ markets: ['BTC_USDT'], to: 'x', channels: ['depth'] }, 'record: channels.0 "depth" must be one of orderBook'],
    [{ markets: ['BTC_USDT'], to: 'x', channels: [] }, 'record: channels must be an array of at least one channel'],
  ])('refuses %j', (options, message) => {
    expect(() => {
      Reflect.apply(record, undefined, [connected(), options]);
    }).toThrow(message);
  });

  it.each([{ start: record }, { start: liveLines }])(
    'refuses a source that is not a client: $start.name',
    ({ start }) => {
      const exchange: unknown = { live: {} };
      const options = { markets, ...(start === record ? { to: 'x' } : {}) };
      expect(() => {
        Reflect.apply(start, undefined, [exchange, options]);
      }).toThrow('exchange must be a client made by createExchange');
    },
  );
});

it('has its lines without a folder, too', async () => {
  const sandbox = createSandbox();
  const kinds = new Set<string>();
  const lines$ = liveLines(createExchange(sandbox.clientOptions()), { markets, channels: ['trades'] });
  await lastValueFrom(
    lines$.pipe(
      tap(({ k }) => kinds.add(k)),
      takeWhile(() => kinds.size < 5),
    ),
  );
  expect(kinds).toEqual(new Set(['open', 'sent', 'frame', 'rest', 'clock']));
  await vi.waitFor(() => {
    expect(sandbox.ledger.live.openConnections).toBe(0);
  });
});

it('a reader stops when its consumer stops, and fails for a file that is gone', async () => {
  const to = newFolder();
  await firstValueFrom(record(createExchange(createSandbox().clientOptions()), { markets, to }));
  await vi.waitFor(() => {
    expect(readdirSync(to)).toContain('manifest.json');
  });
  const recording = await openRecording(to);
  const lines$ = readRecording(recording);
  const [first] = await lastValueFrom(lines$.pipe(take(1), toArray()));
  expect(first).toMatchObject({ k: 'run', markets });
  const all = await lastValueFrom(lines$.pipe(toArray()));
  expect(all.filter(({ k }) => k === 'run')).toEqual([first]);
  const failing$ = readRecording({ ...recording, folder: '/none' });
  await expect(lastValueFrom(failing$)).rejects.toMatchObject({ reason: 'unreadable' });
  await expect(failing$[Symbol.asyncIterator]().next()).rejects.toMatchObject({ reason: 'unreadable' });
});
