// A process that records a market, and reports its progress and its memory to its parent each second.
import { createExchange } from 'exchange-rx';
import { collectGarbage } from '../support/collect-garbage.js';
import { givenOptions, sendToParent } from '../support/children.js';
import { record } from '../../src/recording/index.js';

export interface RecorderOptions {
  readonly baseUrl: string;
  readonly to: string;
}

export interface RecorderReport {
  readonly frames: number;
  /** Bytes of memory in use. */
  readonly memory: number;
}

const { baseUrl, to } = givenOptions() as RecorderOptions;
const exchange = createExchange({ baseUrl, retry: false });
record(exchange, { markets: ['BTC_USDT'], channels: ['trades'], to }).subscribe(({ frames }) => {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  const report: RecorderReport = { frames, memory: heapUsed + external };
  sendToParent(report);
});
