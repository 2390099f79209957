// The banner, the only thing that moves the layout: down, reconnecting, in doubt. Cause, since when, next attempt, action.
import { child, find, setFlag, setText, copyText } from '../dom.js';
import type { Page, Part } from './part.js';
import { type BannerView, bannerView } from '../views/banner.js';
import type { State } from '../views/state.js';

export function banner(page: Page): Part {
  const place = find('banner');
  const [text, button] = [child(place, 0), child(place, 1)];
  const [head, rest] = [document.createElement('b'), document.createElement('span')];
  text.append(head, ' ', rest);
  let action: BannerView['action'];
  button.addEventListener('click', () => {
    const copies = action?.copies;
    if (copies === undefined) {
      page.reconnect();
      return;
    }
    copyText(copies, page.say);
  });
  const draw = (state: State) => {
    const view = bannerView(state);
    place.hidden = view === undefined;
    if (view === undefined) return;
    action = view.action;
    setFlag(place, 'kind', view.kind);
    setText(head, view.head);
    setText(rest, view.text);
    button.hidden = action === undefined;
    setText(button, action?.label ?? '');
  };
  return { of: ['links', 'orders', 'about'], draw, tick: draw };
}
