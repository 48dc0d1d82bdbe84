import type { Domain } from '@pets/contracts';
import { Alert, Button, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { invalidateDomain } from '../live/invalidate-domain.js';
import { Failure } from '../parts/failure.js';
import { strings } from '../strings.js';
import { removeDomain } from './remove-domain.js';

/** What is left of a removed domain: whether its traffic has stopped everywhere. */
export function Removal({ projectId, domain }: { readonly projectId: string; readonly domain: Domain }) {
  const queryClient = useQueryClient();
  const ask = useMutation({
    mutationFn: () => removeDomain(projectId, domain.id),
    onSuccess: () => invalidateDomain(queryClient, projectId, domain.id),
  });
  const isStopped = domain.pendingEdges === 0;
  return (
    <Alert color={isStopped ? 'gray' : 'yellow'} variant="light" role="status">
      <Stack gap="xs" align="start">
        <Text>{isStopped ? strings.removal.stopped : strings.removal.pending(domain.pendingEdges)}</Text>
        {!isStopped && (
          <Button variant="default" size="xs" loading={ask.isPending} onClick={() => ask.mutate()}>
            {strings.removal.askAgain}
          </Button>
        )}
        {ask.error !== null && <Failure error={ask.error} />}
      </Stack>
    </Alert>
  );
}
