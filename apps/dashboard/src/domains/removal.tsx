import { displayName, type Domain } from '@pets/contracts';
import { Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { api, resultOf } from '../api/api.js';
import { announce } from '../components/announcer.js';
import { ActionButton } from '../components/action-button.js';
import { ActionError } from '../components/error.js';
import { Confirmation } from '../components/form.js';
import { Notice } from '../components/notice.js';
import { removalStrings } from './domain-strings.js';
import { invalidateDomains } from './domains.queries.js';

interface RemovalProps {
  readonly projectId: string;
  readonly domain: Pick<Domain, 'id' | 'name' | 'unicodeName' | 'pendingEdges'>;
}

/** The content of the dialog that asks before a domain is removed. */
export function ConfirmRemoval({ projectId, domain, onClose }: RemovalProps & { readonly onClose: () => void }) {
  const queryClient = useQueryClient();
  const [, navigate] = useLocation();
  const remove = useMutation({
    mutationFn: () => removeDomain(projectId, domain.id),
    onSuccess: async (pendingEdges) => {
      onClose();
      const isComplete = pendingEdges === 0;
      announce(isComplete ? removalStrings.done(displayName(domain)) : removalStrings.pending(pendingEdges));
      // The page of the domain shows when the last edge has stopped.
      navigate(`/projects/${projectId}/settings/domains${isComplete ? '' : `/${domain.id}`}`);
      await invalidateDomains(queryClient, projectId, new Set([domain.id]));
    },
  });
  return (
    <Confirmation
      text={removalStrings.text}
      label={removalStrings.confirm}
      action={remove}
      isDestructive
      onConfirm={() => remove.mutate()}
      onCancel={onClose}
    />
  );
}

/** Whether a removed domain still serves traffic somewhere. */
export function RemovalStatus({ projectId, domain }: RemovalProps) {
  const queryClient = useQueryClient();
  const check = useMutation({
    mutationFn: () => removeDomain(projectId, domain.id),
    onSuccess: () => invalidateDomains(queryClient, projectId, new Set([domain.id])),
  });
  const isComplete = domain.pendingEdges === 0;
  return (
    <>
      <Notice tone={isComplete ? 'neutral' : 'warning'} role="status">
        <Text>{isComplete ? removalStrings.stopped : removalStrings.pending(domain.pendingEdges)}</Text>
        {!isComplete && (
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
 * @returns the number of edges that may still serve it; 0 when the API responds with 204, which promises that none does
 */
async function removeDomain(projectId: string, domain: string): Promise<number> {
  const { data, response } = await resultOf(
    api().DELETE('/v1/projects/{projectId}/domains/{domain}', { params: { path: { projectId, domain } } }),
  );
  return response.status === 204 || data === undefined ? 0 : data.pendingEdges;
}
