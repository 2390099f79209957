// The bar: which exchange, whether it may trade, its links with their ages, and the worst state in words.
import { child, find, setFlag, setText } from '../dom.js';
import type { Part } from './part.js';
import { clock } from '../views/format.js';
import type { State } from '../views/state.js';
import { linkViews, worstOf } from '../views/worst.js';

export function bar(receivedMs: () => number): Part {
  const phone = matchMedia('(width < 600px)');
  const drawLinks = (state: State) => {
    const { text, kind } = worstOf(state);
    setText(
      find('worst'),
      phone.matches ? text.replace('Exchange down', 'Down').replace('Reconnecting', 'Lost') : text,
    );
    setFlag(find('worst'), 'kind', kind);
    for (const [index, view] of linkViews(state, receivedMs()).entries()) {
      const place = child(find('links'), index);
      setText(child(place, 0), view.text);
      setFlag(place, 'bad', view.bad);
    }
    setText(child(find('clock'), 0), clock(state.now));
  };
  return {
    of: ['about', 'links', 'orders'],
    draw(state) {
      const { about } = state.parts;
      if (about !== undefined) {
        setText(find('about'), about.sandbox ? 'sandbox · play money' : about.exchange);
        find('about').title = about.baseUrl;
        setText(find('rights'), about.tradingAllowed ? 'trading allowed' : about.account ? 'read only' : 'no account');
        setFlag(find('rights'), 'warn', about.tradingAllowed ? '' : undefined);
      }
      drawLinks(state);
    },
    tick: drawLinks,
  };
}
