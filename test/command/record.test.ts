// `exchange-rx record`: a recording from the command line, ended by Ctrl-C.
import { describe, expect, it } from 'vitest';
import { openRecording } from '../../src/recording/index.js';
import { runInProcess as run, startInProcess as start } from '../support/command-in-process.js';
import { newFolder } from '../recording/folders.js';
import { servedForFile } from '../support/served.js';
import { failed, interrupted } from './output.js';

const { environment } = await servedForFile();

describe('exchange-rx record', () => {
  it('records until Ctrl-C, which writes the rest and ends with 130, and keeps a second recorder out', async () => {
    const to = newFolder();
    const command = start(
      ['record', 'BTC_USDT', 'ETH_USDT', '--to', to, '--channel', 'trades', 'orderBook'],
      environment,
    );
    await command.wrote(/^\d+ frames, \d+ lines, 0\.0 MB, 0 gaps\n/);
    const second = run(['record', 'BTC_USDT', '--to', to], environment);
    await failed(second, 1, 'another recorder writes to the folder (process');
    const stdout = await interrupted(command);
    const recording = await openRecording(to);
    expect(recording).toMatchObject({
      ...{ markets: ['BTC_USDT', 'ETH_USDT'], channels: ['trades', 'orderBook'], isStopped: true },
      lines: Number(/(\d+) lines, \S+ MB, 0 gaps\n$/.exec(stdout)?.[1]),
    });
  });

  it('prints JSON with --json, and rejects a market that the exchange does not list', async () => {
    const command = start(['record', 'BTC_USDT', '--to', newFolder(), '--json', '--fsync'], environment);
    await command.wrote('}\n');
    const [first = ''] = (await interrupted(command)).split('\n');
    const progress = JSON.parse(first) as unknown;
    expect(progress).toEqual({ frames: 0, lines: expect.any(Number) as number, gaps: 0, bytes: 0 });
    const unlisted = await run(['record', 'NONE_USDT', '--to', newFolder()], environment);
    expect(unlisted.code).toBe(4);
  });
});
