import type { DomainIssue } from '@pets/contracts';
import { formatInstant, formatPast, formatRelative, formatTime, localizeTimes, sentence } from '../format.js';
import { copiesUntil, formerLines } from '../former-records.js';
import { hasServedProof, needsRecords, nextTitle } from '../progress.js';
import { isChecking } from '../status.js';
import type { ShownDomain, ShownSetup } from '../shown-domain.js';
import { isShown } from '../switch-plan.js';
import type { SetupTexts } from '../texts.js';
import { hintsOf, untilOf } from '../zone-form.js';
import { hasChanges, zoneLines, type ZoneLine } from '../zone-lines.js';
import { h, type Child, type ElementNode } from './dom.js';
import type { LinkState } from './setup-connection.js';
import { providerChoice, switchSteps, zoneList, type CopyActions, type ProviderChoice } from './zone-view.js';

/** Facts that the card shows beside the domains. */
export interface CardModel extends ProviderChoice {
  readonly link: LinkState;
  readonly texts: SetupTexts;
  readonly now: Date;
  /** When the domains were read, by the clock of the browser. */
  readonly readAtMs: number;
  /** When the API is asked to check next; null while nobody looks. */
  readonly nextWatchMs: number | null;
  /** Whether there was something to do since the element is shown: its place is kept. */
  readonly hadWork: boolean;
  /** Lines of records that had to go, by the name of the domain. */
  readonly former: ReadonlyMap<string, readonly ZoneLine[]>;
  readonly copy: CopyActions;
  readonly hasCopyFailed: boolean;
  readonly onShare: () => void;
}

/** The key of the button that copies all steps. */
export const SHARE_KEY = 'steps';

/** The card: what is next, why, and how. A page may add controls and texts of its own to each part. */
export function card(setup: ShownSetup, domain: ShownDomain, model: CardModel): readonly Child[] {
  const { texts, provider } = model;
  const pending = setup.domains.filter(needsRecords);
  return [
    h(
      'div',
      { key: 'head', class: 'head' },
      h(
        'h2',
        { key: 'title', id: 'title', part: 'title', tabindex: '-1' },
        nextTitle(domain, pending, provider, texts),
      ),
      domain.state !== 'removed' && checkLine(setup, model),
    ),
    h('div', { key: 'message', class: 'message', part: 'message' }, ...messages(setup, domain, pending, model)),
    ...(domain.state === 'removed' ? [] : records(setup, domain, pending.length > 0, model)),
    h('slot', { key: 'slot' }),
  ];
}

/** The records, and everything that helps to create them. */
function records({ domains }: ShownSetup, domain: ShownDomain, isTodo: boolean, model: CardModel): readonly Child[] {
  const { texts, provider, hadWork, former, copy, onShare } = model;
  const lines = domains.flatMap(zoneLines);
  const gone = isTodo ? domains.flatMap((each) => formerLines(former.get(each.name) ?? [], each)) : [];
  const until = untilOf(domains.flatMap(({ issues }) => issues));
  const options = { provider, texts, until, copy, label: texts.zone.records };
  const list = zoneList([...gone, ...lines], options);
  const switches = domains.map((each) => switchSteps(each, domains.length > 1, options));
  return [
    ...switches,
    hadWork && providerChoice(domain, !isTodo, model, texts),
    // A live domain needs nothing, so what it has is folded unless somebody has just created it.
    isTodo || hadWork ? list : fold('records', texts.zone.records, list),
    (hadWork || domain.state !== 'live') &&
      h(
        'div',
        { key: 'actions', class: 'actions', part: 'actions' },
        hasChanges(lines) &&
          h(
            'button',
            { key: 'share', type: 'button', class: 'button', part: 'button share', onclick: onShare },
            copy.copied === SHARE_KEY ? texts.share.done : texts.share.action,
          ),
        h('slot', { key: 'slot', name: 'actions' }),
      ),
    h(
      'ul',
      { key: 'hints', class: 'hints', part: 'hints', role: 'list' },
      ...(isTodo ? hintsOf(domain.apexName, lines, provider, texts) : doneHints(domains, texts)).map((hint) =>
        h('li', { key: hint }, hint),
      ),
      h('slot', { key: 'slot', name: 'hints' }),
    ),
  ];
}

function fold(key: string, title: string, content: ElementNode): ElementNode {
  return h('details', { key, class: 'fold' }, h('summary', {}, h('h3', {}, title)), content);
}

export function linkTexts({ link }: SetupTexts) {
  return { limited: link.limited, offline: link.offline };
}

function doneHints(domains: readonly ShownDomain[], { next, zone }: SetupTexts): readonly string[] {
  const isLive = domains.every(({ state, isSuspended }) => state === 'live' && !isSuspended);
  const keep = domains.some(hasServedProof) ? next.keepWithoutProof : zone.keepText;
  return isLive ? [next.renewed, keep] : [keep];
}

/** Causes, the certificate that is awaited, or the way to the site. */
function messages(
  { domains }: ShownSetup,
  domain: ShownDomain,
  pending: readonly ShownDomain[],
  { link, texts, hasCopyFailed, now }: CardModel,
): readonly Child[] {
  const text = link === 'limited' || link === 'offline' ? linkTexts(texts)[link] : null;
  const causes = domains.flatMap((each) =>
    each.issues.filter((issue) => isShown(issue, each)).map((issue) => cause(each.name, issue)),
  );
  const live = domains.filter((each) => each.state === 'live' && !each.isSuspended && !pending.includes(each));
  const [copies] = live
    .flatMap((each) => copiesUntil(each) ?? [])
    .filter((time) => new Date(time) > now)
    .sort()
    .reverse();
  return [
    text !== null && h('p', { key: 'link', class: 'muted' }, text),
    hasCopyFailed && h('p', { key: 'copy' }, texts.copy.failed),
    domain.state === 'verified' && domain.issues.length === 0 && h('p', { key: 'wait' }, texts.next.noCertificate),
    causes.length === 0 && pending.includes(domain) && h('p', { key: 'wait' }, texts.next.awaited),
    causes.length > 0 && h('ul', { key: 'causes', class: 'causes', part: 'causes', role: 'list' }, ...causes),
    copies !== undefined && h('p', { key: 'copies', class: 'muted' }, texts.next.oldCopies(formatTime(copies))),
    live.length > 0 &&
      h('div', { key: 'visit', class: 'visits' }, ...live.map((each) => visit(each, domains.length > 1, texts))),
    h('slot', { key: 'slot', name: 'message' }),
  ];
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
function visit({ name, unicodeName }: ShownDomain, isNamed: boolean, texts: SetupTexts): Child {
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

function checkLine({ domains }: ShownSetup, { texts, now, readAtMs, nextWatchMs }: CardModel): ElementNode {
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
    h(
      'span',
      { key: 'times', title: checkedAt === undefined ? null : formatInstant(checkedAt) },
      isAsked ? check.checking : checked,
      next !== null && ` · ${next}`,
    ),
    h('slot', { key: 'slot', name: 'check' }),
  );
}

/** `in 8 s`: a time that has come is in a second. */
function soon(ms: number, now: Date): string {
  return formatRelative(new Date(Math.max(ms, now.getTime() + 1_000)).toISOString(), now);
}
