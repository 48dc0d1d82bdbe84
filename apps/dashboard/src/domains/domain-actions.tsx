import type { Domain } from '@pets/contracts';
import { isChecking, setupTexts } from '@pets/domain-setup';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { api, ApiError, dataOf } from '../api/api.js';
import { announce, announceQuietly } from '../components/announcer.js';
import { ActionButton } from '../components/form.js';
import { useNow } from '../components/time.js';
import { useMay } from '../session/caller.js';
import { DomainMenu } from './domain-menu.js';
import { reverifyOf } from './domain-status.js';
import { domainStrings } from './domain-strings.js';
import { domainQuery } from './domains.queries.js';

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
          busyLabel={setupTexts.check.checking}
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

export interface DomainActions {
  readonly verify: () => void;
  /** Until the result of the check is there. */
  readonly isChecking: boolean;
  readonly reverify: () => void;
  readonly isReverifying: boolean;
  /** How long the API refuses another attempt. */
  readonly refusedMs: number;
  /** Error of the last action. */
  readonly error: Error | null;
}

/** The actions of the page of a domain. The page shows their error once, below its header. */
export function useDomainActions(projectId: string, domain: Domain, readAtMs: number): DomainActions {
  const queryClient = useQueryClient();
  const now = useNow(1_000);
  const path = { projectId, domain: domain.id };
  const { queryKey } = domainQuery(projectId, domain.id);
  const verify = useMutation({
    mutationFn: () => dataOf(api().POST('/v1/projects/{projectId}/domains/{domain}/verify', { params: { path } })),
    onSuccess: (changed) => {
      announceQuietly(domainStrings.verifyStarted);
      queryClient.setQueryData(queryKey, changed);
    },
  });
  const reverify = useMutation({
    mutationFn: () => dataOf(api().POST('/v1/projects/{projectId}/domains/{domain}/reverify', { params: { path } })),
    onSuccess: (changed) => {
      announce(domainStrings.reverifyStarted);
      queryClient.setQueryData(queryKey, changed);
    },
  });
  const isCheckPending = isChecking(domain.dns, now.getTime() - readAtMs);
  useAnnouncedCheck(isCheckPending, verify.isSuccess);
  return {
    verify: () => {
      reverify.reset();
      verify.mutate();
    },
    isChecking: verify.isPending || isCheckPending,
    reverify: () => {
      verify.reset();
      reverify.mutate();
    },
    isReverifying: reverify.isPending,
    refusedMs: refusedMs(reverify.error, reverify.submittedAt, now),
    error: verify.error ?? reverify.error,
  };
}

/** Announces the end of a check that the user requested. */
function useAnnouncedCheck(isPending: boolean, isRequested: boolean): void {
  const wasPending = useRef(false);
  useEffect(() => {
    if (wasPending.current && !isPending && isRequested) announce(domainStrings.verifyFinished);
    wasPending.current = isPending;
  }, [isPending, isRequested]);
}

function refusedMs(error: Error | null, submittedAtMs: number, now: Date): number {
  const seconds = error instanceof ApiError ? error.retryAfterSeconds : null;
  return seconds === null ? 0 : Math.max(0, submittedAtMs + seconds * 1_000 - now.getTime());
}
