/**
 * Recordings of market data: {@link record} writes one, {@link openRecording} and {@link readRecording} read it. An entry
 * point of its own, because a program that records nothing needs none of it.
 *
 * @packageDocumentation
 */
export type {
  RecordedAt,
  RecordedClock,
  RecordedEnd,
  RecordedFrame,
  RecordedGap,
  RecordedLine,
  RecordedOpen,
  RecordedPing,
  RecordedRest,
  RecordedRun,
  RecordedStop,
  RecordedText,
} from './line.js';
export { liveLines, recordedChannels, type LiveLinesOptions, type RecordedChannel } from './live-lines.js';
export type { Exchange } from '../exchange.js';
export { openRecording, type RecordedFile, type Recording } from './open-recording.js';
export { readRecording, recordedBatches, type RecordedLines, type RecordedRange } from './reader.js';
export { record, type RecordOptions } from './record.js';
export type { RecordingProgress } from './session.js';
