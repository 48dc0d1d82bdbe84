import { Text } from '@mantine/core';
import type { Domain } from '@pets/contracts';
import { useId, useLayoutEffect, useRef } from 'react';
import { VisitButton } from '../components/external-link.js';
import { TextLink } from '../components/page.js';
import { sentence } from '../format.js';
import { ReverifyHint } from './certificate.js';
import { CheckLine, type DomainActions } from './domain-actions.js';
import { hasChangedDns } from './domain-status.js';
import { certificateStrings, nextStrings } from './domain-strings.js';
import { Causes } from './issues.js';
import { Preparation } from './preparation.js';
import { RecordsAtProvider, type ProviderChoice } from './records-at-provider.js';
import { hasChanges, zoneLines } from './zone-lines.js';
import { zoneStrings } from './zone-strings.js';

interface NextStepProps {
  readonly projectId: string;
  readonly domain: Domain;
  /** The counterpart of the domain, which is set up with it; null without one. */
  readonly twin: Domain | null;
  readonly actions: DomainActions;
  readonly choice: ProviderChoice;
  /** Whether the records stay in the card when nothing is left to do, as they do where the user has just created them. */
  readonly showsRecords: boolean;
}

/** The one card that says what is next: the records, the certificate that is awaited, or that the site is live. */
export function NextStep({ projectId, domain, twin, actions, choice, showsRecords }: NextStepProps) {
  const id = useId();
  const card = useKeptHeight(domain.state);
  const pair = twin === null ? [domain] : [domain, twin];
  const pending = pair.filter(needsRecords);
  return (
    <section className="card next" aria-labelledby={id} ref={card} data-next={domain.state}>
      <div className="next-head">
        <h2 id={id}>{titleOf(domain, pending, choice)}</h2>
        <CheckLine domain={domain} actions={actions} />
      </div>
      {domain.state === 'verified' && domain.issues.length === 0 && <Text>{certificateStrings.none}</Text>}
      {pair.map((each) => (
        <Causes key={each.id} domain={each} />
      ))}
      {domain.state === 'live' && domain.suspensions.length === 0 && !pending.includes(domain) && (
        <Live projectId={projectId} domain={domain} />
      )}
      <Preparation domain={domain} choice={choice} />
      {(pending.length > 0 || showsRecords) && (
        <RecordsAtProvider domains={showsRecords ? pair : pending} choice={choice} />
      )}
      {domain.state === 'verified' && <ReverifyHint domain={domain} refusedMs={actions.refusedMs} />}
    </section>
  );
}

/** Whether something has to be done at the DNS provider, or is not there yet. */
export function needsRecords(domain: Domain): boolean {
  return domain.state !== 'removed' && (domain.state === 'awaiting_dns' || hasChanges(zoneLines(domain)));
}

function titleOf(domain: Domain, pending: readonly Domain[], { provider }: ProviderChoice): string {
  const lines = pending.flatMap(zoneLines);
  const todo = lines.filter(({ action }) => action !== 'keep');
  if (todo.length > 0) {
    const what = zoneStrings.recordsAt(todo.length, provider.id === 'other' ? null : provider.label);
    if (pending.every(({ state }) => state === 'live'))
      return pending.some(hasChangedDns) ? zoneStrings.titles.restore(what) : zoneStrings.titles.fix(what);
    return todo.every(({ action }) => action === 'add')
      ? zoneStrings.titles.create(what)
      : zoneStrings.titles.fix(what);
  }
  if (domain.suspensions.length > 0) return nextStrings.suspended(domain.unicodeName);
  if (domain.state === 'live') return nextStrings.live(domain.unicodeName);
  if (domain.state === 'verified') return nextStrings.certificate;
  const [issue] = domain.issues;
  return issue === undefined ? nextStrings.checking : sentence(issue.title).slice(0, -1);
}

/** The end of the work: the site, and what may come next. */
function Live({ projectId, domain }: { readonly projectId: string; readonly domain: Domain }) {
  const { name, unicodeName, records, ownership, ownCertificate } = domain;
  const hasProof = ownership.state === 'proven' && records.some(({ purpose }) => purpose === 'ownership');
  return (
    <>
      {!name.startsWith('*.') && (
        <div>
          <VisitButton href={`https://${name}/`} name={unicodeName} />
        </div>
      )}
      <ul className="hints">
        <li>{ownCertificate?.isServed === true ? nextStrings.notRenewed : nextStrings.renewed}</li>
        <li>{hasProof ? nextStrings.keepWithoutProof : zoneStrings.keepText}</li>
        <li>
          {nextStrings.redirects}{' '}
          <TextLink to={`/projects/${projectId}/settings/redirects`}>{nextStrings.toRedirects}</TextLink>
        </li>
      </ul>
    </>
  );
}

/** Keeps the height of an element when the state changes, so that nothing below it moves while a domain goes live. */
function useKeptHeight(state: Domain['state']) {
  const element = useRef<HTMLElement>(null);
  const last = useRef({ state, height: 0 });
  useLayoutEffect(() => {
    if (element.current === null) return;
    if (last.current.state !== state) element.current.style.minHeight = `${last.current.height}px`;
    last.current = { state, height: element.current.offsetHeight };
  });
  return element;
}
