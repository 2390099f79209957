// The sandbox's port.
export { listenOn, type Listening, type ListenOptions, type PortBounds, type Respond } from './listen.js';
