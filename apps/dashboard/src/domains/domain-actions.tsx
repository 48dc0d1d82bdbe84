import { displayName, type Domain } from '@pets/contracts';
import { ActionIcon, Button, Menu, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, ApiError, dataOf } from '../api/api.js';
import { announce } from '../components/announcer.js';
import { ErrorAlert } from '../components/error.js';
import { Dialog } from '../components/form.js';
import { useNow } from '../components/time.js';
import { formatCountdown } from '../format.js';
import { strings } from '../strings.js';
import { domainQuery } from './domains.queries.js';
import { moveStrings } from './move-strings.js';
import { MoveDomain } from './move.js';
import { ConfirmRemoval } from './removal.js';

interface DomainActionsProps {
  readonly projectId: string;
  readonly domain: Domain;
}

export function DomainActions({ projectId, domain }: DomainActionsProps) {
  const lacksCertificate = domain.state === 'verified' && domain.certificate?.state !== 'issued';
  return (
    <>
      <Verify projectId={projectId} domain={domain} />
      {lacksCertificate && <Reverify projectId={projectId} domain={domain} />}
      <DomainMenu projectId={projectId} domain={domain} />
    </>
  );
}

function Verify({ projectId, domain }: DomainActionsProps) {
  const queryClient = useQueryClient();
  const path = { projectId, domain: domain.id };
  const verify = useMutation({
    mutationFn: () => dataOf(api().POST('/v1/projects/{projectId}/domains/{domain}/verify', { params: { path } })),
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
      {verify.error !== null && <ErrorAlert error={verify.error} />}
    </Stack>
  );
}

/** The API decides when this is allowed. Its refusal gives the reason and the time to wait. */
function Reverify({ projectId, domain }: DomainActionsProps) {
  const queryClient = useQueryClient();
  const now = useNow(1_000);
  const path = { projectId, domain: domain.id };
  const reverify = useMutation({
    mutationFn: () => dataOf(api().POST('/v1/projects/{projectId}/domains/{domain}/reverify', { params: { path } })),
    onSuccess: (changed) => {
      announce(strings.domains.reverifyStarted);
      queryClient.setQueryData(domainQuery(projectId, domain.id).queryKey, changed);
    },
  });
  const waitMs = waitUntilAllowedMs(reverify.error, reverify.submittedAt, now);
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
      {reverify.error !== null && <ErrorAlert error={reverify.error} />}
      {waitMs > 0 && <Text size="sm">{strings.domains.reverifyLater(formatCountdown(waitMs))}</Text>}
    </Stack>
  );
}

function waitUntilAllowedMs(error: Error | null, submittedAtMs: number, now: Date): number {
  const seconds = error instanceof ApiError ? error.retryAfterSeconds : null;
  return seconds === null ? 0 : Math.max(0, submittedAtMs + seconds * 1_000 - now.getTime());
}

interface DomainMenuProps {
  readonly projectId: string;
  readonly domain: Pick<Domain, 'id' | 'name' | 'unicodeName' | 'pendingEdges'>;
}

export function DomainMenu({ projectId, domain }: DomainMenuProps) {
  const [isConfirming, setConfirming] = useState(false);
  const [isMoving, setMoving] = useState(false);
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="default" size="lg" aria-label={strings.domains.menu(displayName(domain))}>
            <span aria-hidden="true">⋯</span>
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => setMoving(true)}>{moveStrings.action}</Menu.Item>
          <Menu.Item color="red" onClick={() => setConfirming(true)}>
            {strings.domains.remove}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Dialog opened={isMoving} onClose={() => setMoving(false)} title={moveStrings.title(displayName(domain))}>
        <MoveDomain projectId={projectId} domain={domain} onClose={() => setMoving(false)} />
      </Dialog>
      <Dialog
        opened={isConfirming}
        onClose={() => setConfirming(false)}
        title={strings.removal.title(displayName(domain))}
      >
        <ConfirmRemoval projectId={projectId} domain={domain} onClose={() => setConfirming(false)} />
      </Dialog>
    </>
  );
}
