/**
 * The trading page of a client, in a program's own server or on a port of this machine.
 *
 * @packageDocumentation
 */
export { createDashboard, type Dashboard } from './create-dashboard.js';
export type { DashboardOptions } from './dashboard-options.js';
