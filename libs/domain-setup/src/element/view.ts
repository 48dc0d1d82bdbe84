import { formatDuration, formatInstant, formatPast } from '../format.js';
import { needsRecords, stepsOf, stepText, type Step } from '../progress.js';
import { slowerOf, statusOf } from '../status.js';
import type { ShownDomain, ShownSetup } from '../shown-domain.js';
import type { SetupTexts } from '../texts.js';
import { card, linkTexts, type CardModel } from './card-view.js';
import { h, type Child, type ElementNode } from './dom.js';

/** Everything that the element shows. */
export interface Model extends CardModel {
  /** Null before anything is known. */
  readonly setup: ShownSetup | null;
}

const emptySteps: readonly Step[] = (['added', 'dns', 'verified', 'certificate', 'live'] as const).map((key) => ({
  ...{ key, state: 'waiting', at: null, tookMs: null },
}));

/** The same parts in the same order in every state, so that nothing moves when the state changes. */
export function view(model: Model): readonly Child[] {
  const { setup, texts, link, hadWork } = model;
  const [domain = null, twin = null] = setup?.domains ?? [];
  const steps = domain === null ? emptySteps : stepsOf(slowerOf(domain, twin));
  const isKept = setup === null || hadWork;
  return [
    domain?.state !== 'removed' &&
      h(
        'ol',
        { key: 'steps', class: 'steps', part: 'steps', 'aria-label': texts.progress },
        ...steps.map((step) => stepItem(step, model)),
      ),
    setup !== null && twin !== null && pairList(setup, texts),
    h(
      'section',
      {
        ...{ key: 'card', class: isKept ? 'card kept' : 'card', part: 'card' },
        ...{ 'aria-labelledby': 'title', 'data-next': domain?.state },
      },
      ...(setup === null || domain === null || link === 'ended' ? linkCard(model) : card(setup, domain, model)),
    ),
  ];
}

/** Whether something has to be done at the DNS provider. */
export function hasWork({ domains }: ShownSetup): boolean {
  return domains.some(needsRecords);
}

function stepItem(step: Step, { setup, texts, now }: Model): ElementNode {
  const { key, state, at, tookMs } = step;
  const isCurrent = state === 'current' || state === 'blocked';
  const took = tookMs === null ? '' : `, ${texts.took(formatDuration(tookMs))}`;
  return h(
    'li',
    { key, 'data-step': key, 'data-state': state, 'aria-current': isCurrent ? 'step' : null },
    h('strong', {}, texts.steps[key]),
    state === 'done' && at !== null
      ? h(
          'span',
          {},
          h('span', { class: 'hidden' }, `${texts.stepStates.done} `),
          h('time', { datetime: at, title: formatInstant(at) }, formatPast(at, now)),
          took,
        )
      : h('span', {}, setup === null ? '\u00a0' : stepText(step, texts)),
  );
}

/** The names of a pair. A page may say more of each, and may have controls for both. */
function pairList({ domains }: ShownSetup, texts: SetupTexts): ElementNode {
  return h(
    'div',
    { key: 'names', class: 'names', part: 'names' },
    h(
      'ul',
      { key: 'list', role: 'list', 'aria-label': texts.names },
      ...domains.map((domain) => nameItem(domain, texts)),
    ),
    h('slot', { key: 'slot', name: 'pair' }),
  );
}

function nameItem(domain: ShownDomain, texts: SetupTexts): ElementNode {
  const { name, unicodeName } = domain;
  const { tone, text } = statusOf(domain, texts);
  return h(
    'li',
    { key: name },
    h('slot', { key: 'name', name: `name ${name}` }, h('strong', { class: 'name' }, unicodeName)),
    h('span', { key: 'status', class: 'status', 'data-tone': tone }, text),
    h('slot', { key: 'role', name: `role ${name}` }),
  );
}

/** Before the first answer, and when the link has ended. */
function linkCard({ link, texts }: Model): readonly Child[] {
  const text = { loading: null, open: null, ended: texts.link.endedText, ...linkTexts(texts) }[link];
  return [
    h(
      'div',
      { key: 'head', class: 'head' },
      h('h2', { key: 'title', id: 'title', part: 'title' }, link === 'ended' ? texts.link.ended : texts.link.loading),
      h('p', { key: 'check', class: 'check' }, '\u00a0'),
    ),
    h('div', { key: 'message', class: 'message' }, text !== null && h('p', { key: 'link' }, text)),
  ];
}
