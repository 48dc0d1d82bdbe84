import type { Domain } from '@pets/contracts';
import { Button, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ApiFailure } from '../api/api-failure.js';
import { api, bodyOf } from '../api/api.js';
import { formatCountdown } from '../format.js';
import { announce } from '../parts/announcer.js';
import { Failure } from '../parts/failure.js';
import { useNow } from '../parts/use-now.js';
import { strings } from '../strings.js';
import { DomainMenu } from './domain-menu.js';
import { domainQuery } from './domains.queries.js';

interface DomainActionsProps {
  readonly projectId: string;
  readonly domain: Domain;
}

/** Verify, Re-verify while there is no certificate, and the menu. */
export function DomainActions({ projectId, domain }: DomainActionsProps) {
  const isWithoutCertificate = domain.state === 'verified' && domain.certificate?.state !== 'issued';
  return (
    <>
      <Verify projectId={projectId} domain={domain} />
      {isWithoutCertificate && <Reverify projectId={projectId} domain={domain} />}
      <DomainMenu projectId={projectId} domain={domain} />
    </>
  );
}

function Verify({ projectId, domain }: DomainActionsProps) {
  const queryClient = useQueryClient();
  const path = { projectId, domain: domain.id };
  const verify = useMutation({
    mutationFn: () => bodyOf(api().POST('/v1/projects/{projectId}/domains/{domain}/verify', { params: { path } })),
    onSuccess: (changed) => {
      announce(strings.domains.verifyStarted);
      queryClient.setQueryData(domainQuery(projectId, domain.id).queryKey, changed);
    },
  });
  return (
    <Stack gap="xs">
      <Button
        variant={domain.state === 'awaiting_dns' ? 'filled' : 'default'}
        loading={verify.isPending}
        onClick={() => verify.mutate()}
      >
        {strings.domains.verify}
      </Button>
      {verify.error !== null && <Failure error={verify.error} />}
    </Stack>
  );
}

/** The API decides whether it is time. A refusal says why, and when it will be. */
function Reverify({ projectId, domain }: DomainActionsProps) {
  const queryClient = useQueryClient();
  const now = useNow(1_000);
  const path = { projectId, domain: domain.id };
  const reverify = useMutation({
    mutationFn: () => bodyOf(api().POST('/v1/projects/{projectId}/domains/{domain}/reverify', { params: { path } })),
    onSuccess: (changed) => {
      announce(strings.domains.reverifyStarted);
      queryClient.setQueryData(domainQuery(projectId, domain.id).queryKey, changed);
    },
  });
  const waitMs = leftUntilAllowed(reverify.error, reverify.submittedAt, now);
  return (
    <Stack gap={4} maw="22rem">
      <Button
        variant="default"
        loading={reverify.isPending}
        disabled={waitMs > 0}
        onClick={() => reverify.mutate()}
        aria-describedby="reverify-when"
      >
        {strings.domains.reverify}
      </Button>
      <Text size="sm" c="dimmed" id="reverify-when">
        {strings.domains.reverifyWhen}
      </Text>
      {reverify.error !== null && <Failure error={reverify.error} />}
      {waitMs > 0 && <Text size="sm">{strings.domains.reverifyLater(formatCountdown(waitMs))}</Text>}
    </Stack>
  );
}

function leftUntilAllowed(error: Error | null, askedAtMs: number, now: Date): number {
  const seconds = error instanceof ApiFailure ? error.retryAfterSeconds : null;
  return seconds === null ? 0 : Math.max(0, askedAtMs + seconds * 1_000 - now.getTime());
}
