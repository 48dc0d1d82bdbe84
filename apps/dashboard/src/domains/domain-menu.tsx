import { displayName, type Domain } from '@pets/contracts';
import { ActionIcon, Button, Group, Menu, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { invalidateDomain } from '../live/invalidate-domain.js';
import { announce } from '../parts/announcer.js';
import { Dialog } from '../parts/dialog.js';
import { Failure } from '../parts/failure.js';
import { strings } from '../strings.js';
import { removeDomain } from './remove-domain.js';

interface DomainMenuProps {
  readonly projectId: string;
  readonly domain: Pick<Domain, 'id' | 'name' | 'unicodeName'>;
}

/** The menu next to a domain, and the question before its Remove. */
export function DomainMenu({ projectId, domain }: DomainMenuProps) {
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="default" size="lg" aria-label={strings.domains.menu(displayName(domain))}>
            <span aria-hidden="true">⋯</span>
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item color="red" onClick={() => setAsking(true)}>
            {strings.domains.remove}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Dialog opened={isAsking} onClose={() => setAsking(false)} title={strings.removal.title(displayName(domain))}>
        <ConfirmRemoval projectId={projectId} domain={domain} onClose={() => setAsking(false)} />
      </Dialog>
    </>
  );
}

function ConfirmRemoval({ projectId, domain, onClose }: DomainMenuProps & { readonly onClose: () => void }) {
  const queryClient = useQueryClient();
  const [, navigate] = useLocation();
  const remove = useMutation({
    mutationFn: () => removeDomain(projectId, domain.id),
    onSuccess: async (pendingEdges) => {
      onClose();
      const isStopped = pendingEdges === 0;
      announce(isStopped ? strings.removal.done(displayName(domain)) : strings.removal.pending(pendingEdges));
      // Of what still may be served one wants to see the end.
      navigate(`/projects/${projectId}/settings/domains${isStopped ? '' : `/${domain.id}`}`);
      await invalidateDomain(queryClient, projectId, domain.id);
    },
  });
  return (
    <Stack gap="md">
      <Text>{strings.removal.text}</Text>
      {remove.error !== null && <Failure error={remove.error} />}
      <Group justify="end">
        <Button variant="default" onClick={onClose} data-autofocus>
          {strings.cancel}
        </Button>
        <Button color="red" loading={remove.isPending} onClick={() => remove.mutate()}>
          {strings.removal.confirm}
        </Button>
      </Group>
    </Stack>
  );
}
