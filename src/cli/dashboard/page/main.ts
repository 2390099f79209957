// The page: receives the parts of the feed, draws those that changed, and redraws ages once a second.
import type { PartValues, Update, View } from '../messages.js';
import { copyRaw, find, setText } from './dom.js';
import { createFeed } from './feed.js';
import { keyboard } from './keys.js';
import { account } from './parts/account.js';
import { createAnnouncer } from './parts/announcer.js';
import { banner } from './parts/banner.js';
import { bar } from './parts/bar.js';
import { book } from './parts/book.js';
import { candles } from './parts/chart.js';
import { confirm } from './parts/confirm.js';
import { exchange } from './parts/exchange.js';
import { executions } from './parts/executions.js';
import { market } from './parts/market.js';
import { orders } from './parts/orders.js';
import { panels } from './parts/panels.js';
import type { Page, Part } from './parts/part.js';
import { positions } from './parts/positions.js';
import { tabs } from './parts/tabs.js';
import { trades } from './parts/trades.js';
import { startTheme, switchTheme } from './theme.js';
import { speechOf, summary } from './views/speech.js';
import { type PageLink, type State, withUpdate } from './views/state.js';
import { iconAddress, titleView } from './views/title.js';

startTheme();

let view: Partial<View> = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
let parts: Partial<PartValues> = {};
let link: PageLink = { status: 'connecting', since: Date.now() };
/** The server's clock minus this machine's steady one. */
let offset = Date.now() - performance.now();
let isHeld = false;
let spoken: State | undefined;

const now = () => performance.now() + offset;
const state = (): State => ({ parts, link, now: now() });
const announcer = createAnnouncer();
const { reply: say } = announcer;

const feed = createFeed(view, {
  update: receive,
  link(status) {
    if (status === link.status) return;
    // A page that never was live has nothing to lose.
    link = { status, since: status === 'live' ? now() : Math.min(now(), now() - feed.silentMs()) };
    drawAll();
  },
});

const confirmation = confirm();
const page: Page = {
  choose(chosen) {
    view = { ...view, ...chosen };
    history.replaceState(null, '', `#${new URLSearchParams({ ...view }).toString()}`);
    // No figure of another market, interval or currency stays under a new name.
    const old = new Set<string>([
      ...(chosen.market === undefined ? [] : ['market', 'strip', 'book', 'trades', 'candles']),
      ...(chosen.interval === undefined ? [] : ['candles']),
      ...(chosen.currency === undefined ? [] : ['account', 'equity']),
    ]);
    const { about } = parts;
    parts = {
      ...Object.fromEntries(Object.entries(parts).filter(([name]) => !old.has(name))),
      ...(about === undefined ? {} : { about: { ...about, view: { ...about.view, ...chosen } } }),
    };
    drawAll();
    feed.show(view);
  },
  confirm: confirmation.open,
  reconnect: feed.connect,
  say,
};

const held = () => isHeld;
const redraw = () => {
  for (const part of all) attempt(part, part.draw);
};
const all: Part[] = [
  ...[panels(), bar(feed.silentMs), banner(page), market(page), candles(page), executions(), positions(page)],
  ...[orders(page), account(page), exchange(), confirmation],
];
all.push(tabs(drawAll), book(held, redraw), trades(held, redraw));

const failed = new Set<string>();

/** A part that cannot be drawn stays as it was and is named; the others are drawn. */
function attempt(part: Part, draw: Part['draw']): void {
  const [name = ''] = part.of;
  try {
    draw(state());
    failed.delete(name);
  } catch {
    failed.add(name);
  }
}

function receive(update: Update): void {
  offset = update.now - performance.now();
  parts = withUpdate(parts, update);
  const changed = new Set<string>(Object.keys(update.parts));
  for (const part of all) if (part.of.some((name) => changed.has(name))) attempt(part, part.draw);
  finish();
}

function drawAll(): void {
  redraw();
  finish();
}

function finish(): void {
  const current = state();
  const note = failed.size === 0 ? '' : `not updated because of malformed data: ${[...failed].join(', ')}`;
  setText(find('page-note'), note);
  const { title, icon } = titleView(current);
  if (document.title !== title) document.title = title;
  const address = iconAddress(icon);
  if (find('icon').getAttribute('href') !== address) find('icon').setAttribute('href', address);
  // A tab is lost because it is hidden: the reader has left it.
  if (spoken !== undefined && !document.hidden) announcer.say(speechOf(spoken, current));
  spoken = current;
}

function moveInterval(by: number): void {
  const { intervals = [], view: shown } = parts.about ?? {};
  const next = intervals[intervals.findIndex((interval) => interval === shown?.interval) + by];
  if (next !== undefined) page.choose({ interval: next });
}

keyboard(
  {
    '['() {
      moveInterval(-1);
    },
    ']'() {
      moveInterval(1);
    },
    t() {
      const isTable = find('chart').hidden;
      find('chart').hidden = !isTable;
      find('chart-table').hidden = isTable;
      redraw();
      if (!isTable) find('chart-table').focus();
    },
    s() {
      say(summary(state()));
    },
    ' '() {
      isHeld = !isHeld;
      for (const id of ['book', 'trades']) find(id).toggleAttribute('data-held', isHeld);
      say(isHeld ? 'held' : 'live again');
      redraw();
    },
  },
  say,
);
find('theme').addEventListener('click', switchTheme);
document.addEventListener('copy', copyRaw);
document.addEventListener('visibilitychange', feed.connect);
setInterval(() => {
  feed.check();
  for (const part of all) if (part.tick !== undefined) attempt(part, part.tick);
  announcer.tick();
  finish();
}, 1000);
feed.connect();
drawAll();
