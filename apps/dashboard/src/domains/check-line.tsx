import type { Domain } from '@pets/contracts';
import { Countdown, Instant } from '../components/time.js';
import { useMay } from '../session/caller.js';
import { domainStrings } from './domain-strings.js';
import type { DomainActions } from './use-domain-actions.js';

interface CheckLineProps {
  readonly domain: Domain;
  readonly actions: DomainActions;
}

/** When the DNS was checked, when it is checked next, and a way to do it now. */
export function CheckLine({ domain: { dns, state }, actions }: CheckLineProps) {
  const may = useMay();
  const { checkedAt, nextCheckAt } = dns;
  const hasStopped = nextCheckAt === null && state === 'awaiting_dns';
  return (
    <div className="check-line">
      {checkedAt === null ? (
        <span>{domainStrings.notChecked}</span>
      ) : (
        <span>
          {domainStrings.checked} <Instant at={checkedAt} />
        </span>
      )}
      {nextCheckAt !== null && (
        <>
          <span aria-hidden="true">·</span>
          <span>
            {domainStrings.nextCheck} <Countdown until={nextCheckAt} />
          </span>
        </>
      )}
      {may('verifyDomain') && (
        <>
          <span aria-hidden="true">·</span>
          <button
            type="button"
            className="link-button"
            aria-disabled={actions.isChecking || undefined}
            onClick={actions.isChecking ? undefined : actions.verify}
          >
            {actions.isChecking ? domainStrings.checking : domainStrings.checkNow}
          </button>
        </>
      )}
      {hasStopped && <span>{domainStrings.noNextCheck}</span>}
    </div>
  );
}
