// The door of what an endpoint is: data, and the types of its calls.
export type { Bound, BulkOrderObservable, BulkOrderResult, OrderObservable, OrderSearch, PagedList } from './bound.js';
export {
  accessTokenParameter,
  checkedBy,
  defineEndpoint,
  filledPath,
  hasNoParameters,
  parameterNames,
  pathParameters,
  placesOrders,
  recordLookup,
  type CallArguments,
  type NoParams,
} from './define-endpoint.js';
export type * from './endpoint.js';
