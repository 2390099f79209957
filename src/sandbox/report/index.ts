export type { CostBasis } from './cost-basis.js';
export type { ReportCurrency } from './equity.js';
export type { ReportMarket, ReportProfit } from './market-sums.js';
export { report, type Report, type ReportOptions } from './report.js';
export { reportPage } from './page.js';
