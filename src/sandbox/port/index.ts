// The sandbox's port.
export { listenOn, type Listening, type ListenOptions, type PortBounds, type Respond, type Served } from './listen.js';
