import { displayName, type Domain } from '@pets/contracts';
import { Checkbox, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { api, resultOf } from '../api/api.js';
import { announce } from '../components/announcer.js';
import { ActionButton, Confirmation } from '../components/form.js';
import { ActionError } from '../components/error.js';
import { Notice } from '../components/notice.js';
import { useMay } from '../session/caller.js';
import { removalStrings } from './domain-strings.js';
import { invalidateDomains } from './domains.queries.js';

interface RemovalProps {
  readonly projectId: string;
  readonly domain: Pick<Domain, 'id' | 'name' | 'unicodeName' | 'pendingEdges' | 'coveredBy'>;
}

/** The content of the dialog that asks before a domain is removed. */
export function ConfirmRemoval({ projectId, domain, onClose }: RemovalProps & { readonly onClose: () => void }) {
  const queryClient = useQueryClient();
  const [, navigate] = useLocation();
  const [isExcluded, setExcluded] = useState(false);
  const { coveredBy } = domain;
  const remove = useMutation({
    mutationFn: () => removeDomain(projectId, domain.id, isExcluded),
    onSuccess: async (removed) => {
      onClose();
      const { pendingEdges } = removed;
      const isComplete = pendingEdges === 0;
      announce(isComplete ? doneText(displayName(domain), removed) : removalStrings.pending(pendingEdges));
      // The page of the domain shows when the last edge has stopped.
      navigate(`/projects/${projectId}/settings/domains${isComplete ? '' : `/${domain.id}`}`);
      await invalidateDomains(queryClient, projectId, new Set([domain.id]));
    },
  });
  return (
    <Stack gap="md">
      {coveredBy !== null && (
        <>
          <Text>{removalStrings.covered(coveredBy)}</Text>
          <Checkbox
            label={removalStrings.exclude(coveredBy)}
            checked={isExcluded}
            onChange={({ currentTarget: { checked } }) => setExcluded(checked)}
          />
        </>
      )}
      <Confirmation
        text={removalStrings.text}
        label={removalStrings.confirm}
        action={remove}
        isDestructive
        onConfirm={() => remove.mutate()}
        onCancel={onClose}
      />
    </Stack>
  );
}

function doneText(name: string, { coveredBy }: Removed): string {
  return coveredBy === null ? removalStrings.done(name) : removalStrings.doneCovered(name, coveredBy);
}

/** Whether a removed domain still serves traffic somewhere. */
export function RemovalStatus({ projectId, domain }: RemovalProps) {
  const may = useMay();
  const queryClient = useQueryClient();
  const check = useMutation({
    mutationFn: () => removeDomain(projectId, domain.id, false),
    onSuccess: () => invalidateDomains(queryClient, projectId, new Set([domain.id])),
  });
  const isComplete = domain.pendingEdges === 0;
  return (
    <>
      <Notice tone={isComplete ? 'neutral' : 'warning'} role="status">
        <Text>{isComplete ? removalStrings.stopped : removalStrings.pending(domain.pendingEdges)}</Text>
        {!isComplete && may('removeDomain') && (
          <ActionButton variant="default" size="xs" isBusy={check.isPending} onClick={check.mutate}>
            {removalStrings.askAgain}
          </ActionButton>
        )}
      </Notice>
      <ActionError error={check.error} />
    </>
  );
}

/**
 * Removes a domain, or checks again whether its traffic has stopped.
 * @param exclude whether the wildcard that covers the name stops serving it as well
 * @returns how many edges may still serve it, none after a 204, and the wildcard that serves it from now on
 */
async function removeDomain(projectId: string, domain: string, exclude: boolean): Promise<Removed> {
  const params = { path: { projectId, domain }, ...(exclude && { query: { exclude } }) };
  const { data } = await resultOf(api().DELETE('/v1/projects/{projectId}/domains/{domain}', { params }));
  return data ?? { pendingEdges: 0, coveredBy: null };
}

type Removed = Pick<Domain, 'pendingEdges' | 'coveredBy'>;
