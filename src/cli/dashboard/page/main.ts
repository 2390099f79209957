// The page's beginning: it listens to the server, keeps what it hears, and draws it. The connection is made again by the browser; what was
// missed meanwhile comes with the history.
import type { History, Message } from '../messages.js';
import { remember } from '../remember.js';
import { createPage } from './render.js';

const page = createPage(document);
let history: History = { about: { baseUrl: '', sandbox: false, account: false }, health: [], balances: [], usage: [], orders: [], problems: [] };

const source = new EventSource('/events');
source.addEventListener('open', () => {
  page.connection('live');
});
source.addEventListener('error', () => {
  page.connection('lost');
});
source.addEventListener('message', ({ data }: MessageEvent<string>) => {
  const message = JSON.parse(data) as Message;
  history = remember(history, message);
  page.draw(history, message.type);
});
