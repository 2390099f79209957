export { formatAge, formatAmount, formatBalance, formatMs, formatTime, isNonZero } from './format.js';
export {
  createColors,
  displayWidth,
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
export { table, type Column } from './table.js';
export { createTerminal, describeError, type HostProcess, type Output, type Terminal } from './terminal.js';
