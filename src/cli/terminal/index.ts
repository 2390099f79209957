export { formatAmount, formatBalance, formatMs, formatTime, isNonZero } from './format.js';
export {
  createColors,
  escape,
  escapeLines,
  formatColumns,
  join,
  text,
  toJsonLine,
  wrap,
  type Colors,
  type SafeText,
  type TextPart,
} from './safe-text.js';
export { createTerminal, describeError, drawEach, type HostProcess, type Output, type Terminal } from './terminal.js';
