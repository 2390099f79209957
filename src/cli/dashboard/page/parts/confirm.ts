// The confirmation: names what will happen, follows the facts while it is open, and shows the result of each step.
import type { Act, Action, ActResponse, Plan, PlanResponse } from '../../messages.js';
import { find, make, setText } from '../dom.js';
import { post } from '../feed.js';
import type { Part } from './part.js';
import { type ConfirmStep, confirmView, resultLines } from '../views/confirm-text.js';
import { count } from '../views/format.js';
import type { State } from '../views/state.js';

/** While it is open, the plan is read again this often: facts change. */
const replanMs = 4000;
/** How long the button rests after facts have changed: a click that was on its way must not confirm other facts. */
const restMs = 1000;

export interface Confirm extends Part {
  readonly open: (action: Action) => void;
}

/** One confirmation, from its opening to its end: a response that comes later changes no other. */
interface Asked {
  readonly action: Action;
  plan?: Plan | undefined;
  key: string;
  refusal: string;
  restUntil: number;
  isReading: boolean;
  isSent: boolean;
  actId?: number;
}

export function confirm(): Confirm {
  const dialog = find('confirm') as HTMLDialogElement;
  const [act, keep] = [find('act') as HTMLButtonElement, find('keep') as HTMLButtonElement];
  let asked: Asked | undefined;
  let timer: ReturnType<typeof setInterval> | undefined;
  let state: State | undefined;

  const isConfirmed = ({ isSent }: Asked) => isSent;
  const viewOf = (plan: Plan) => confirmView(plan, state ?? { parts: {}, now: plan.at });
  const take = (into: Asked, plan: Plan, refusal = '') => {
    const { key } = viewOf(plan);
    if (into.key !== '' && into.key !== key) {
      into.restUntil = performance.now() + restMs;
      setTimeout(draw, restMs + 20);
    }
    Object.assign(into, { plan, key, refusal });
  };
  const read = async (mine: Asked) => {
    if (isConfirmed(mine) || mine.isReading) return;
    mine.isReading = true;
    const response = await post<PlanResponse>('plan', mine.action);
    mine.isReading = false;
    if (isConfirmed(mine)) return;
    if (response?.kind === 'plan') take(mine, response.plan);
    else {
      mine.plan = undefined;
      mine.refusal = response?.reason ?? 'The dashboard does not respond: nothing can be planned.';
    }
    draw();
  };
  const send = async (mine: Asked | undefined) => {
    if (mine?.plan === undefined || mine.isSent || whyNot(mine) !== '') return;
    mine.isSent = true;
    mine.refusal = '';
    draw();
    const response = await post<ActResponse>('act', { planId: mine.plan.id });
    if (response?.kind === 'started') mine.actId = response.actId;
    else if (response?.kind === 'changed') {
      mine.isSent = false;
      take(mine, response.plan, `Not done: ${response.reason} This is the plan now.`);
    } else if (response?.kind === 'refused')
      Object.assign(mine, { isSent: false, plan: undefined, refusal: response.reason });
    else mine.refusal = 'The dashboard did not respond: it may be done or not. See the events of the exchange.';
    draw();
  };
  const whyLost = () =>
    state === undefined || state.link.status === 'live' ? '' : 'The page has no connection: what it shows is stale.';
  const whyNot = ({ plan, refusal }: Asked): string => {
    const lost = whyLost();
    if (lost !== '') return lost;
    if (state?.parts.links?.requests.status === 'down') return 'The exchange is down: prices and orders are stale.';
    return plan === undefined ? refusal || 'Reading orders and positions…' : '';
  };
  const draw = () => {
    if (!dialog.open || asked === undefined) return;
    const { plan, refusal, restUntil, isSent, actId } = asked;
    if (isSent) {
      const done = state?.parts.acts?.find(({ id }) => id === actId);
      drawResult(done, refusal, whyLost());
      act.hidden = true;
      setText(keep, 'Close');
      return;
    }
    const view = plan && viewOf(plan);
    if (view !== undefined) {
      setText(find('confirm-title'), view.title);
      setText(find('confirm-text'), view.text);
      setText(act, view.button);
      drawSteps(view.steps);
      drawFacts(view.facts);
    }
    act.hidden = view === undefined;
    const reason = whyNot(asked);
    act.disabled = reason !== '' || performance.now() < restUntil;
    setText(find('confirm-reason'), reason === '' ? refusal || (plan?.warning ?? '') : reason);
  };
  const redraw = (next: State) => {
    state = next;
    draw();
  };

  keep.addEventListener('click', () => {
    dialog.close();
  });
  act.addEventListener('click', () => void send(asked));
  dialog.addEventListener('close', () => {
    clearInterval(timer);
    asked = undefined;
  });
  return {
    of: ['acts', 'links'],
    open(action) {
      const mine = { action, key: '', refusal: '', restUntil: 0, isReading: false, isSent: false };
      asked = mine;
      setText(find('confirm-title'), '–');
      setText(find('confirm-text'), '');
      drawSteps([]);
      drawFacts([]);
      setText(keep, 'Keep everything');
      dialog.showModal();
      keep.focus();
      draw();
      // {@link post} never fails.
      const reread = () => void read(mine);
      reread();
      timer = setInterval(reread, replanMs);
    },
    ...{ draw: redraw, tick: redraw },
  };
}

function drawSteps(steps: readonly ConfirmStep[]): void {
  const place = find('confirm-steps');
  const key = JSON.stringify(steps);
  if (place.dataset['key'] === key) return;
  place.dataset['key'] = key;
  place.replaceChildren(
    ...steps.map(({ title, lines }) =>
      make(
        'div',
        '',
        make('h3', '', title),
        ...lines.map(([what, figures]) => make('p', '', make('span', '', what), make('span', '', figures))),
      ),
    ),
  );
}

function drawFacts(facts: readonly (readonly [string, string])[]): void {
  find('confirm-facts').replaceChildren(
    ...facts.map(([name, value]) => make('div', '', make('dt', '', name), make('dd', '', value))),
  );
}

function drawResult(act: Act | undefined, refusal: string, whyLost: string): void {
  const waiting = refusal === '' ? 'Sent: waiting for the results.' : refusal;
  const open = act?.results.filter(({ outcome }) => outcome === 'running').length ?? 0;
  const bad = act?.results.filter(({ outcome }) => outcome !== 'running' && outcome !== 'done').length ?? 0;
  const words =
    act === undefined
      ? waiting
      : act.endedAt === null
        ? `Running: ${act.results.length - open} of ${act.results.length} have ended.`
        : `Ended: ${count(act.results.length - bad, 'step')} done, ${bad} not done or unknown.`;
  setText(find('confirm-text'), words);
  // Results that have ended stay true.
  const hasEnded = act !== undefined && act.endedAt !== null;
  setText(find('confirm-reason'), hasEnded ? (act.note ?? '') : whyLost);
  drawFacts([]);
  if (act !== undefined) drawSteps([{ title: 'Results', lines: resultLines(act) }]);
}
