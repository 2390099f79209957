// What a program has earned, from a ledger.
export type { CostBasis } from './cost-basis.js';
export type { ReportCurrency } from './equity.js';
export type { ReportFill, ReportMarket, ReportProfit } from './market-sums.js';
export { report, type Report, type ReportFunding, type ReportLedger, type ReportOptions } from './report.js';
export { reportPage } from './page.js';
