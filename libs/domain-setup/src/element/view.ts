import type { DomainIssue, Setup, SetupDomain } from '@pets/contracts';
import { anyProvider, providers, type DnsProvider } from '@pets/dns-providers';
import { formatDuration, formatPast, formatRelative, formatTime, localizeTimes, sentence } from '../format.js';
import { copiesUntil, formerLines, noFormerRecords, type FormerRecords } from '../former-records.js';
import { hasServedProof, needsRecords, nextTitle } from '../next-step.js';
import { stepsOf, stepText, type Step } from '../progress.js';
import { isCause, isChecking, slowerOf, statusOf } from '../status.js';
import type { SetupTexts } from '../texts.js';
import { hintsOf, providerText, untilOf } from '../zone-form.js';
import { zoneLines } from '../zone-lines.js';
import { h, type Child, type ElementNode } from './dom.js';
import type { LinkState } from './setup-connection.js';
import { zoneList, type CopyActions } from './zone-view.js';

/** Everything that the element shows. */
export interface Model {
  /** Null before anything is known. */
  readonly setup: Setup | null;
  readonly link: LinkState;
  readonly texts: SetupTexts;
  readonly provider: DnsProvider;
  readonly detected: DnsProvider | null;
  readonly now: Date;
  /** When the domains were read, by the clock of the browser. */
  readonly readAtMs: number;
  /** When the API is asked to check next; null while nobody looks. */
  readonly nextWatchMs: number | null;
  /** Whether there was something to do since the element is shown: its place is kept. */
  readonly hadWork: boolean;
  /** Records that had to go, by the name of the domain. */
  readonly former: ReadonlyMap<string, FormerRecords>;
  readonly copy: CopyActions;
  readonly hasCopyFailed: boolean;
  readonly onProvider: (id: string) => void;
  readonly onShare: () => void;
}

/** The key of the button that copies all steps. */
export const SHARE_KEY = 'steps';

const emptySteps: readonly Step[] = (['added', 'dns', 'verified', 'certificate', 'live'] as const).map((key) => ({
  ...{ key, state: 'waiting', at: null, tookMs: null },
}));

/** The same parts in the same order in every state, so that nothing moves when the state changes. */
export function view(model: Model): readonly Child[] {
  const { setup, texts } = model;
  const [domain = null, twin = null] = setup?.domains ?? [];
  const steps = domain === null ? emptySteps : stepsOf(slowerOf(domain, twin));
  return [
    h(
      'ol',
      { key: 'steps', class: 'steps', part: 'steps', 'aria-label': texts.progress },
      ...steps.map((step) => stepItem(step, model)),
    ),
    setup !== null && twin !== null && pairList(setup, texts),
    h(
      'section',
      { key: 'card', class: 'card', part: 'card', 'aria-labelledby': 'title', 'data-next': domain?.state },
      ...(setup === null || domain === null || model.link === 'ended' ? linkCard(model) : card(setup, domain, model)),
    ),
  ];
}

/** Whether something has to be done at the DNS provider. */
export function hasWork({ domains }: Setup): boolean {
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
      ? h('span', {}, h('span', { class: 'hidden' }, `${texts.stepStates.done} `), formatPast(at, now), took)
      : h('span', {}, setup === null ? '\u00a0' : stepText(step, texts)),
  );
}

function pairList({ domains }: Setup, texts: SetupTexts): ElementNode {
  return h(
    'ul',
    { key: 'names', class: 'names', part: 'names', role: 'list', 'aria-label': texts.names },
    ...domains.map((domain) => {
      const { tone, text } = statusOf(domain, texts);
      return h(
        'li',
        { key: domain.name },
        h('strong', { class: 'name' }, domain.unicodeName),
        h('span', { class: 'status', 'data-tone': tone }, text),
      );
    }),
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

function linkTexts({ link }: SetupTexts) {
  return { limited: link.limited, offline: link.offline };
}

function card(setup: Setup, domain: SetupDomain, model: Model): readonly Child[] {
  const { texts, provider, detected, hadWork, former, copy } = model;
  const { domains } = setup;
  const pending = domains.filter(needsRecords);
  const lines = domains.flatMap(zoneLines);
  const until = untilOf(domains.flatMap(({ issues }) => issues));
  const isTodo = pending.length > 0;
  const gone = isTodo ? domains.flatMap((each) => formerLines(former.get(each.name) ?? noFormerRecords, each)) : [];
  return [
    h(
      'div',
      { key: 'head', class: 'head' },
      h('h2', { key: 'title', id: 'title', part: 'title' }, nextTitle(domain, pending, provider, texts)),
      checkLine(setup, model),
    ),
    h('div', { key: 'message', class: 'message', part: 'message' }, ...messages(setup, domain, pending, model)),
    hadWork &&
      providerChoice(
        domain,
        !isTodo,
        model,
        providerText(domain.apexName, domain.dns.nameServers, { provider, detected }, texts),
      ),
    zoneList([...gone, ...lines], { provider, texts, until, copy }),
    h(
      'div',
      { key: 'actions', class: 'actions', part: 'actions' },
      isTodo &&
        h(
          'button',
          { key: 'share', type: 'button', class: 'button', part: 'button share', onclick: model.onShare },
          copy.copied === SHARE_KEY ? texts.share.done : texts.share.action,
        ),
      h('slot', { key: 'slot', name: 'actions' }),
    ),
    h(
      'ul',
      { key: 'hints', class: 'hints', part: 'hints' },
      ...(isTodo ? hintsOf(domain.apexName, lines, provider, texts) : doneHints(domains, texts)).map((hint) =>
        h('li', { key: hint }, hint),
      ),
    ),
  ];
}

function doneHints(domains: readonly SetupDomain[], { next, zone }: SetupTexts): readonly string[] {
  const isLive = domains.every(({ state }) => state === 'live');
  const keep = domains.some(hasServedProof) ? next.keepWithoutProof : zone.keepText;
  return isLive ? [next.renewed, keep] : [keep];
}

/** Causes, the certificate that is awaited, or the way to the site. */
function messages(
  { domains }: Setup,
  domain: SetupDomain,
  pending: readonly SetupDomain[],
  { link, texts, hasCopyFailed, former, now }: Model,
): readonly Child[] {
  const text = link === 'limited' || link === 'offline' ? linkTexts(texts)[link] : null;
  const causes = domains.flatMap(({ name, issues }) =>
    issues.filter((issue) => isShown(issue, issues)).map((issue) => cause(name, issue)),
  );
  const live = domains.filter((each) => each.state === 'live' && !each.isSuspended && !pending.includes(each));
  const [copies] = live
    .flatMap((each) => copiesUntil(former.get(each.name) ?? noFormerRecords) ?? [])
    .filter((time) => new Date(time) > now)
    .sort()
    .reverse();
  return [
    text !== null && h('p', { key: 'link', class: 'muted' }, text),
    hasCopyFailed && h('p', { key: 'copy' }, texts.copy.failed),
    domain.state === 'verified' && domain.issues.length === 0 && h('p', { key: 'wait' }, texts.next.noCertificate),
    causes.length > 0 && h('ul', { key: 'causes', class: 'causes', part: 'causes', role: 'list' }, ...causes),
    copies !== undefined && h('p', { key: 'copies', class: 'muted' }, texts.next.oldCopies(formatTime(copies))),
    live.length > 0 &&
      h('div', { key: 'visit', class: 'visits' }, ...live.map((each) => visit(each, live.length > 1, texts))),
  ];
}

/** A record that only serves a switch without an interruption is not shown here, and neither is what concerns it. */
function isShown(issue: DomainIssue, issues: readonly DomainIssue[]): boolean {
  return isCause(issue, issues) && (issue.area !== 'delegation' || issue.blocking);
}

function cause(name: string, { code, severity, message, cause: short, remediation }: DomainIssue): ElementNode {
  return h(
    'li',
    { key: `${name} ${code}`, 'data-issue': code, 'data-severity': severity },
    localizeTimes(short ?? sentence(message)),
    short === null && h('span', { class: 'muted' }, ` ${localizeTimes(remediation)}`),
  );
}

/** @param isNamed whether it shows the name, which otherwise only its accessible name has */
function visit({ name, unicodeName }: SetupDomain, isNamed: boolean, texts: SetupTexts): Child {
  // A wildcard has no site of its own.
  if (!/^[a-z\d.-]+$/i.test(name)) return null;
  return h(
    'a',
    {
      ...{ key: name, class: 'button primary', part: 'button visit', href: `https://${name}/` },
      ...{ target: '_blank', rel: 'noopener noreferrer' },
    },
    `${texts.visit} `,
    h('span', { key: 'name', class: isNamed ? null : 'hidden' }, unicodeName),
    h('span', { key: 'tab', class: 'hidden' }, ` (${texts.newTab})`),
    h('span', { 'aria-hidden': 'true' }, '↗'),
  );
}

function checkLine({ domains }: Setup, { texts, now, readAtMs, nextWatchMs }: Model): ElementNode {
  const { check } = texts;
  const all = domains.map(({ dns }) => dns);
  const [checkedAt] = all.flatMap((dns) => dns.checkedAt ?? []).sort();
  const [nextCheckAt] = all.flatMap((dns) => dns.nextCheckAt ?? []).sort();
  const nextMs = nextWatchMs ?? (nextCheckAt === undefined ? null : Date.parse(nextCheckAt));
  const isAwaited = domains.some(({ state }) => state === 'awaiting_dns');
  const stopped = isAwaited ? check.stopped : null;
  const next = nextMs === null ? stopped : check.next(soon(nextMs, now));
  const isAsked = all.some((dns) => isChecking(dns, now.getTime() - readAtMs));
  const checked = checkedAt === undefined ? check.notChecked : check.checked(formatPast(checkedAt, now));
  return h(
    'p',
    { key: 'check', class: 'check', part: 'check' },
    isAsked ? check.checking : checked,
    next !== null && ` · ${next}`,
  );
}

/** `in 8 s`: a time that has come is in a second. */
function soon(ms: number, now: Date): string {
  return formatRelative(new Date(Math.max(ms, now.getTime() + 1_000)).toISOString(), now);
}

/** @param isDone whether nothing is left to do there; its place is kept */
function providerChoice({ name }: SetupDomain, isDone: boolean, model: Model, text: string): ElementNode {
  const { texts, provider, onProvider } = model;
  return h(
    'div',
    { key: `provider ${name}`, class: 'provider', part: 'provider', 'data-done': isDone },
    h(
      'label',
      { key: 'choice' },
      texts.zone.provider,
      h(
        'select',
        {
          value: provider.id,
          onchange: ({ currentTarget }) =>
            currentTarget instanceof HTMLSelectElement && onProvider(currentTarget.value),
        },
        ...[...providers, anyProvider].map(({ id, label }) => h('option', { key: id, value: id }, label)),
      ),
    ),
    h(
      'p',
      { key: 'text' },
      `${text} `,
      provider.link !== null &&
        h(
          'a',
          { key: 'open', href: provider.link, target: '_blank', rel: 'noopener noreferrer' },
          texts.zone.open(provider.label),
          h('span', { class: 'hidden' }, ` (${texts.newTab})`),
          h('span', { 'aria-hidden': 'true' }, '\u00a0↗'),
        ),
    ),
  );
}
