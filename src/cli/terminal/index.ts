export { formatAge, formatAmount, formatBalance, formatMs, formatTime } from './format.js';
export {
  createColors,
  displayWidth,
  escape,
  formatColumns,
  join,
  text,
  toJsonLine,
  type Colors,
  type SafeText,
  type TextPart,
} from './safe-text.js';
export { table, type Column } from './table.js';
export { createTerminal, describeError, type HostProcess, type Output, type Terminal } from './terminal.js';
