// The banner, the only thing that moves the layout: down, reconnecting, in doubt. Cause, since when, next attempt, action.
import type { TryResponse } from '../../messages.js';
import { child, find, setFlag, setText, copyText } from '../dom.js';
import { post } from '../feed.js';
import type { Page, Part } from './part.js';
import { type BannerAction, bannerView } from '../views/banner.js';
import type { State } from '../views/state.js';

/** The dashboard tries the exchange at most this often. */
const tryEveryMs = 5000;

export function banner(page: Page): Part {
  const place = find('banner');
  const [text, button] = [child(place, 0), child(place, 1) as HTMLButtonElement];
  const [head, rest] = [document.createElement('b'), document.createElement('span')];
  text.append(head, ' ', rest);
  let action: BannerAction | undefined;
  let isTrying = false;
  const drawButton = () => {
    button.hidden = action === undefined;
    const isResting = isTrying && action?.kind === 'try';
    button.setAttribute('aria-disabled', String(isResting));
    setText(button, isResting ? 'Requested' : (action?.label ?? ''));
  };
  const tryExchange = async () => {
    if (isTrying) return;
    isTrying = true;
    drawButton();
    setTimeout(() => {
      isTrying = false;
      drawButton();
    }, tryEveryMs);
    const response = await post<TryResponse>('try', {});
    if (response?.kind === 'tried') page.say('Requested.');
    else page.say(response?.reason ?? 'The dashboard does not respond.');
  };
  // {@link post} never fails.
  const tryNow = () => void tryExchange();
  button.addEventListener('click', () => {
    if (action?.kind === 'reconnect') page.reconnect();
    else if (action?.kind === 'copy') copyText(action.copies, page.say);
    else if (action !== undefined) tryNow();
  });
  const draw = (state: State) => {
    const view = bannerView(state);
    place.hidden = view === undefined;
    if (view === undefined) return;
    ({ action } = view);
    setFlag(place, 'kind', view.kind);
    setText(head, view.head);
    setText(rest, view.text);
    drawButton();
  };
  return { of: ['links', 'orders', 'about'], draw, tick: draw };
}
