// The confirmation: names what will happen, follows the facts while it is open, and shows what became of the act.
import type { Act, Action, ActResponse, Plan, PlanResponse } from '../../messages.js';
import { find, make, setText } from '../dom.js';
import type { Part } from './part.js';
import { type ConfirmStep, confirmView, resultLines } from '../views/confirm-text.js';
import { count } from '../views/format.js';
import type { State } from '../views/state.js';

/** While it is open, the plan is read again this often: facts change. */
const replanMs = 4000;
/** How long the button rests after facts have changed: a click that was on its way must not confirm other facts. */
const restMs = 1000;

export interface Confirm extends Part {
  open(action: Action): void;
}

export function confirm(): Confirm {
  const dialog = find('confirm') as HTMLDialogElement;
  const [act, keep] = [find('act') as HTMLButtonElement, find('keep') as HTMLButtonElement];
  let action: Action | undefined;
  /** The action whose plan is being read. */
  let reading: Action | undefined;
  let plan: Plan | undefined;
  let key = '';
  let restUntil = 0;
  let refusal = '';
  let actId: number | undefined;
  let isSent = false;
  let timer: ReturnType<typeof setInterval> | undefined;
  let state: State | undefined;

  const viewOf = (of: Plan) => confirmView(of, state?.now ?? of.at);
  const isWaiting = () => isSent;
  const take = (next: Plan, reason = '') => {
    const view = viewOf(next);
    if (key !== '' && view.key !== key) {
      restUntil = performance.now() + restMs;
      setTimeout(draw, restMs + 20);
    }
    plan = next;
    key = view.key;
    refusal = reason;
  };
  const read = async () => {
    const wanted = action;
    if (isSent || reading === wanted) return;
    reading = wanted;
    const response = await post<PlanResponse>('plan', wanted);
    if (reading === wanted) reading = undefined;
    // Closed, or confirmed, since.
    if (wanted !== action || isWaiting()) return;
    if (response?.kind === 'plan') take(response.plan);
    else {
      plan = undefined;
      refusal = response?.reason ?? 'The dashboard does not respond: nothing can be planned.';
    }
    draw();
  };
  /** {@link post} never fails. */
  const reread = () => void read();
  const send = async () => {
    const confirmed = plan;
    if (confirmed === undefined || isSent || whyNot() !== '') return;
    isSent = true;
    draw();
    const wanted = action;
    const response = await post<ActResponse>('act', { planId: confirmed.id });
    // Closed since: another confirmation may be open.
    if (wanted !== action) return;
    if (response?.kind === 'started') ({ actId } = response);
    else if (response?.kind === 'changed') {
      isSent = false;
      take(response.plan, `Not done: ${response.reason} This is the plan now.`);
    } else if (response === undefined) {
      refusal = 'The dashboard did not respond: it may be done or not. See the events of the exchange.';
    } else {
      isSent = false;
      plan = undefined;
      refusal = response.reason;
    }
    draw();
  };
  const whyLost = () =>
    state === undefined || state.link.status === 'live' ? '' : 'The page has no connection: what it shows is stale.';
  /** Why it cannot be confirmed now; empty when it can. */
  const whyNot = (): string => {
    const lost = whyLost();
    if (lost !== '') return lost;
    if (state?.parts.links?.requests.status === 'down') return 'The exchange is down: prices and orders are stale.';
    return plan === undefined ? refusal || 'Reading orders and positions…' : '';
  };
  const draw = () => {
    if (!dialog.open) return;
    const done = state?.parts.acts?.find(({ id }) => id === actId);
    if (actId !== undefined || isSent) {
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
    const reason = whyNot();
    act.disabled = reason !== '' || performance.now() < restUntil;
    setText(find('confirm-reason'), reason === '' ? refusal || (plan?.warning ?? '') : reason);
  };

  keep.addEventListener('click', () => {
    dialog.close();
  });
  act.addEventListener('click', () => void send());
  dialog.addEventListener('close', () => {
    clearInterval(timer);
    action = undefined;
  });
  return {
    of: ['acts', 'links'],
    open(next) {
      // A confirmation of its own, even of the same action.
      action = { ...next };
      plan = undefined;
      actId = undefined;
      [key, refusal, restUntil, isSent] = ['', '', 0, false];
      for (const id of ['confirm-title', 'confirm-text']) setText(find(id), '–');
      setText(find('confirm-text'), '');
      drawSteps([]);
      drawFacts([]);
      setText(keep, 'Keep everything');
      dialog.showModal();
      keep.focus();
      draw();
      reread();
      timer = setInterval(reread, replanMs);
    },
    draw(next) {
      state = next;
      draw();
    },
    tick(next) {
      state = next;
      draw();
    },
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

/** `undefined` when there is no response that can be read. */
async function post<Response extends { readonly kind: string }>(
  path: string,
  body: unknown,
): Promise<Response | undefined> {
  try {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!response.ok) return undefined;
    const read: unknown = await response.json();
    // Of the page's own server.
    return typeof read === 'object' && read !== null && 'kind' in read ? (read as Response) : undefined;
  } catch {
    return undefined;
  }
}
