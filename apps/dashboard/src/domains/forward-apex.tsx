import { Text } from '@mantine/core';
import type { Domain } from '@pets/contracts';
import { wwwInsteadOf } from '@pets/domain-setup';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { api, dataOf } from '../api/api.js';
import { announce } from '../components/announcer.js';
import { Dialog } from '../components/dialog.js';
import { ActionButton, ActionForm } from '../components/form.js';
import { useMay } from '../session/caller.js';
import { forwardStrings as text } from './domain-strings.js';
import { domainsQuery } from './domains.queries.js';

interface ForwardApexProps {
  readonly projectId: string;
  readonly domain: Domain;
  /** The id of the DNS provider that the user chose; null for the detected one. */
  readonly provider: string | null;
}

/** For an apex that its provider cannot point to a host name: adds the www name, and says how to forward the apex to it. */
export function ForwardApex({ projectId, domain, provider }: ForwardApexProps) {
  const may = useMay();
  const [isOpened, setOpened] = useState(false);
  const instead = wwwInsteadOf(domain, provider);
  if (instead === null || domain.pairedWith !== null || !may('addDomain')) return null;
  return (
    <div slot="actions">
      <ActionButton variant="default" isBusy={false} onClick={() => setOpened(true)}>
        {text.action(instead.www)}
      </ActionButton>
      <Dialog opened={isOpened} onClose={() => setOpened(false)} title={text.title(instead.www)}>
        <AddWww projectId={projectId} apex={domain.apexName} {...instead} />
      </Dialog>
    </div>
  );
}

interface AddWwwProps {
  readonly projectId: string;
  readonly www: string;
  readonly apex: string;
  readonly provider: string;
}

function AddWww({ projectId, www, apex, provider }: AddWwwProps) {
  const queryClient = useQueryClient();
  const [, navigate] = useLocation();
  const add = useMutation({
    mutationFn: () =>
      dataOf(
        api().POST('/v1/projects/{projectId}/domains', {
          params: { path: { projectId } },
          body: { name: www, pair: false },
        }),
      ),
    onSuccess: async ({ id }) => {
      announce(text.added(www));
      await queryClient.invalidateQueries(domainsQuery(projectId));
      navigate(`/projects/${projectId}/settings/domains/${id}`);
    },
  });
  return (
    <ActionForm label={text.add(www)} action={add} onSubmit={() => add.mutate()}>
      <Text>{text.about(apex, provider)}</Text>
      <ol>
        {text.steps(apex, www, provider).map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
      <Text fw={500}>{text.tls(apex, provider)}</Text>
    </ActionForm>
  );
}
