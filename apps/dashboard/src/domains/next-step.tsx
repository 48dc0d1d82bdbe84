import { Text } from '@mantine/core';
import type { Domain } from '@pets/contracts';
import { hasServedProof, needsRecords, nextTitle, setupTexts } from '@pets/domain-setup';
import { useId, useLayoutEffect, useRef } from 'react';
import { VisitButton } from '../components/external-link.js';
import { TextLink } from '../components/page.js';
import { ReverifyHint } from './certificate.js';
import { CheckLine, type DomainActions } from './domain-actions.js';
import { withSuspension } from './domain-status.js';
import { nextStrings } from './domain-strings.js';
import { ForwardApex } from './forward-apex.js';
import { Causes } from './issues.js';
import { Preparation } from './preparation.js';
import { RecordsAtProvider, type ProviderChoice } from './records-at-provider.js';
import { SetupLinks } from './setup-links.js';

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
        <h2 id={id}>{nextTitle(withSuspension(domain), pending, choice.provider)}</h2>
        <CheckLine domain={domain} actions={actions} />
      </div>
      {domain.state === 'verified' && domain.issues.length === 0 && <Text>{setupTexts.next.noCertificate}</Text>}
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
      <ForwardApex projectId={projectId} domain={domain} provider={choice.provider} />
      <SetupLinks projectId={projectId} domain={domain} />
      {domain.state === 'verified' && <ReverifyHint domain={domain} refusedMs={actions.refusedMs} />}
    </section>
  );
}

/** The end of the work: the site, and what may come next. */
function Live({ projectId, domain }: { readonly projectId: string; readonly domain: Domain }) {
  const { name, unicodeName, ownCertificate } = domain;
  return (
    <>
      {!name.startsWith('*.') && (
        <div>
          <VisitButton href={`https://${name}/`} name={unicodeName} />
        </div>
      )}
      <ul className="hints">
        <li>{ownCertificate?.isServed === true ? nextStrings.notRenewed : setupTexts.next.renewed}</li>
        <li>{hasServedProof(domain) ? setupTexts.next.keepWithoutProof : setupTexts.zone.keepText}</li>
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
