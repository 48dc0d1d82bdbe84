import type { Domain, DomainHistoryEntry } from '@pets/contracts';
import { needsRecords } from '@pets/domain-setup';
import {
  defineSetupView,
  type SetupView,
  type ShownDomain,
  type ShownSetup,
  type TextReplacements,
} from '@pets/domain-setup/view';
import { useQuery } from '@tanstack/react-query';
import { createElement, useMemo, useState, type DOMAttributes } from 'react';
import { ExternalLink } from '../components/external-link.js';
import { TextLink } from '../components/page.js';
import { projectQuery } from '../projects/projects.queries.js';
import { ReverifyHint } from './certificate.js';
import type { DomainActions } from './domain-actions.js';
import { withSuspension } from './domain-status.js';
import { domainStrings, nextStrings } from './domain-strings.js';
import { ForwardApex } from './forward-apex.js';
import { PairControls } from './pair.js';
import { RemovalStatus } from './removal.js';
import { SetupLinks } from './setup-links.js';

defineSetupView();

interface ElementProps extends DOMAttributes<SetupView> {
  readonly setup: Pick<ShownSetup, 'domains'>;
  readonly texts: TextReplacements;
  readonly 'onpets-setup-provider': (event: CustomEvent<{ readonly provider: string }>) => void;
}

/** The element, of which React sets what is no attribute as a property. */
function SetupElement({ children, ...properties }: ElementProps) {
  return createElement<ElementProps, SetupView>('pets-domain-setup', properties, children);
}

interface DomainSetupProps {
  readonly projectId: string;
  readonly domain: Domain;
  /** The counterpart of the domain, which is set up with it; null without one. */
  readonly twin: Domain | null;
  readonly history: readonly DomainHistoryEntry[];
  readonly actions: DomainActions;
}

/** The steps and the card that says what is next, as on the page of a set-up link, with what only members can do. */
export function DomainSetup({ projectId, domain, twin, history, actions }: DomainSetupProps) {
  const issuedAt = history.find(({ type }) => type === 'certificate.issued')?.at;
  const setup = useMemo(() => {
    const first: ShownDomain = { ...withSuspension(domain), ...(issuedAt && { certificateIssuedAt: issuedAt }) };
    return { domains: twin === null ? [first] : [first, withSuspension(twin)] };
  }, [domain, twin, issuedAt]);
  const isOwnServed = domain.ownCertificate?.isServed === true;
  const texts = useMemo(
    () => ({
      check: { stopped: domainStrings.noNextCheck },
      next: isOwnServed ? { renewed: nextStrings.notRenewed } : {},
    }),
    [isOwnServed],
  );
  const [provider, setProvider] = useState<string | null>(null);
  const isLive = domain.state === 'live' && domain.suspensions.length === 0 && !needsRecords(domain);
  return (
    <SetupElement
      key={domain.id}
      setup={setup}
      texts={texts}
      onpets-setup-provider={({ detail }) => setProvider(detail.provider)}
    >
      {domain.state === 'removed' ? (
        <div slot="message">
          <RemovalStatus projectId={projectId} domain={domain} />
        </div>
      ) : (
        <>
          {twin !== null && <PairControls projectId={projectId} pair={[domain, twin]} />}
          {domain.readiness !== null && <NewSite projectId={projectId} />}
          <ForwardApex projectId={projectId} domain={domain} provider={provider} />
          <SetupLinks projectId={projectId} domain={domain} />
          {isLive && (
            <li slot="hints">
              {nextStrings.redirects}{' '}
              <TextLink to={`/projects/${projectId}/settings/redirects`}>{nextStrings.toRedirects}</TextLink>
            </li>
          )}
          {domain.state === 'verified' && <ReverifyHint domain={domain} refusedMs={actions.refusedMs} />}
        </>
      )}
    </SetupElement>
  );
}

/** The site at its own name; without a link until loaded. */
function NewSite({ projectId }: { readonly projectId: string }) {
  const { data } = useQuery(projectQuery(projectId));
  return (
    <span slot="new-site">
      {nextStrings.look}{' '}
      {data !== undefined && <ExternalLink href={data.platformUrl}>{new URL(data.platformUrl).host}</ExternalLink>}
    </span>
  );
}
