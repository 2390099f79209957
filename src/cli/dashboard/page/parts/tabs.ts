// Tabs: those of the orders, and those at the bottom of a phone, each with its figure.
import { child, find, setFlag, setText } from '../dom.js';
import { showTab } from '../keys.js';
import type { Part } from './part.js';
import type { State } from '../views/state.js';
import { tabFigures } from '../views/tab-figures.js';

const orderTabs = ['open', 'executions', 'ended'] as const;

export function tabs(redraw: () => void): Part {
  const choose = (name: (typeof orderTabs)[number]) => {
    find('work').dataset['tab'] = name;
    for (const tab of orderTabs) {
      const button = find(`tab-${tab}`);
      button.setAttribute('aria-selected', String(tab === name));
      button.tabIndex = tab === name ? 0 : -1;
    }
    find('open-body').hidden = name !== 'open';
    find('ended-body').hidden = name !== 'ended';
    redraw();
  };
  for (const name of orderTabs)
    find(`tab-${name}`).addEventListener('click', () => {
      choose(name);
    });
  find('order-tabs').addEventListener('keydown', ({ key, target }) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
    if (step === undefined) return;
    const shown = orderTabs.filter((name) => find(`tab-${name}`).offsetParent !== null);
    const index = shown.findIndex((name) => find(`tab-${name}`) === target);
    const next = shown[(index + step + shown.length) % shown.length] ?? 'open';
    choose(next);
    find(`tab-${next}`).focus();
  });
  const buttons = [...find('tabs').querySelectorAll('button')];
  for (const button of buttons)
    button.addEventListener('click', () => {
      showTab(String(button.dataset['tab']));
      scrollTo(0, 0);
      redraw();
    });
  const draw = (state: State) => {
    for (const [index, { text, bad, isStale = false }] of Object.values(tabFigures(state)).entries()) {
      const small = child(child(find('tabs'), index), 0);
      setText(small, text);
      setFlag(small, 'bad', bad);
      setFlag(small, 'stale', isStale && bad === undefined ? '' : undefined);
    }
  };
  return { of: ['market', 'orders', 'account', 'links'], draw, tick: draw };
}
