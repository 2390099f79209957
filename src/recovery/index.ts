// The door of recovery: no order is lost, doubled or forgotten when the process is killed.
export { OrderJournal, type JournaledOrder } from './order-journal.js';
export { recoverOrders, type PendingOrders, type RecoveredOrder } from './recover-orders.js';
