import type { Domain } from '@pets/contracts';
import { ActionButton } from '../components/action-button.js';
import { useNow } from '../components/time.js';
import { useMay } from '../session/caller.js';
import { reverifyOf } from './checks.js';
import { DomainMenu } from './domain-menu.js';
import { domainStrings } from './domain-strings.js';
import type { DomainActions } from './use-domain-actions.js';

interface DomainButtonsProps {
  readonly projectId: string;
  readonly domain: Domain;
  readonly actions: DomainActions;
}

/** The actions beside the title of a domain. */
export function DomainButtons({ projectId, domain, actions }: DomainButtonsProps) {
  const may = useMay();
  const isReverifiable = reverifyOf(domain, useNow(1_000)).kind === 'allowed' && actions.refusedMs === 0;
  return (
    <>
      {may('verifyDomain') && (
        <ActionButton
          variant={domain.state === 'awaiting_dns' ? 'filled' : 'default'}
          isBusy={actions.isChecking}
          busyLabel={domainStrings.checking}
          onClick={actions.verify}
        >
          {domainStrings.verify}
        </ActionButton>
      )}
      {isReverifiable && may('reverifyDomain') && (
        <ActionButton isBusy={actions.isReverifying} onClick={actions.reverify}>
          {domainStrings.reverify}
        </ActionButton>
      )}
      <DomainMenu projectId={projectId} domain={domain} />
    </>
  );
}
