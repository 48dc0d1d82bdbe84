import { displayName, type Domain } from '@pets/contracts';
import { Alert, Button, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { api, resultOf } from '../api/api.js';
import { announce } from '../components/announcer.js';
import { ErrorAlert } from '../components/error.js';
import { Confirmation } from '../components/form.js';
import { strings } from '../strings.js';
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
      announce(isComplete ? strings.removal.done(displayName(domain)) : strings.removal.pending(pendingEdges));
      // The page of the domain shows when the last edge has stopped.
      navigate(`/projects/${projectId}/settings/domains${isComplete ? '' : `/${domain.id}`}`);
      await invalidateDomains(queryClient, projectId, new Set([domain.id]));
    },
  });
  return (
    <Confirmation
      text={strings.removal.text}
      label={strings.removal.confirm}
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
    <Alert color={isComplete ? 'gray' : 'yellow'} variant="light" role="status">
      <Stack gap="xs" align="start">
        <Text>{isComplete ? strings.removal.stopped : strings.removal.pending(domain.pendingEdges)}</Text>
        {!isComplete && (
          <Button variant="default" size="xs" loading={check.isPending} onClick={() => check.mutate()}>
            {strings.removal.askAgain}
          </Button>
        )}
        {check.error !== null && <ErrorAlert error={check.error} />}
      </Stack>
    </Alert>
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
