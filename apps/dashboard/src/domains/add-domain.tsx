import { Alert, Button, Checkbox, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode, type SubmitEvent } from 'react';
import { useLocation } from 'wouter';
import { ApiFailure } from '../api/api-failure.js';
import { api, bodyOf } from '../api/api.js';
import { Failure } from '../parts/failure.js';
import { Loaded } from '../parts/loaded.js';
import { TextLink } from '../parts/text-link.js';
import { deploymentsQuery } from '../projects/projects.queries.js';
import { strings } from '../strings.js';
import { domainsQuery } from './domains.queries.js';

interface AddDomainProps {
  readonly projectId: string;
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** Adds a domain, or explains which of the two conditions is not met: a paid plan, and a successful deploy. */
export function AddDomain({ projectId, opened, onClose }: AddDomainProps) {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={strings.domains.addTitle}
      closeButtonProps={{ 'aria-label': strings.close }}
    >
      <DeployGate projectId={projectId}>
        <AddDomainForm projectId={projectId} onClose={onClose} />
      </DeployGate>
    </Modal>
  );
}

function DeployGate({ projectId, children }: { readonly projectId: string; readonly children: ReactNode }) {
  const deployments = useQuery(deploymentsQuery(projectId));
  return (
    <Loaded query={deployments}>
      {(list) => (list.some(({ state }) => state === 'ready') ? children : <DeployFirst projectId={projectId} />)}
    </Loaded>
  );
}

function DeployFirst({ projectId }: { readonly projectId: string }) {
  return (
    <Alert color="yellow" variant="light" title={strings.domains.deployTitle}>
      <Stack gap="xs">
        <Text>{strings.domains.deployText}</Text>
        <TextLink to={`/projects/${projectId}`}>{strings.domains.toDeployments}</TextLink>
      </Stack>
    </Alert>
  );
}

function AddDomainForm({ projectId, onClose }: Pick<AddDomainProps, 'projectId' | 'onClose'>) {
  const queryClient = useQueryClient();
  const [, navigate] = useLocation();
  const [name, setName] = useState('');
  const [pair, setPair] = useState(false);
  const add = useMutation({
    mutationFn: () =>
      bodyOf(api().POST('/v1/projects/{projectId}/domains', { params: { path: { projectId } }, body: { name, pair } })),
    onSuccess: async (domain) => {
      await queryClient.invalidateQueries(domainsQuery(projectId));
      onClose();
      navigate(`/projects/${projectId}/settings/domains/${domain.id}`);
    },
  });
  if (isRefusedFor(add.error, 'plan_required')) return <PlanNeeded />;
  if (isRefusedFor(add.error, 'deployment_required')) return <DeployFirst projectId={projectId} />;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    add.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <Text size="sm">{strings.domains.planNote}</Text>
        <TextInput
          label={strings.domains.name}
          description={strings.domains.nameHint}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={1024}
          required
          // The trap of the dialog looks once, when the form may not be there yet.
          autoFocus
          data-autofocus
        />
        <Checkbox
          label={strings.domains.pair}
          checked={pair}
          onChange={(event) => setPair(event.currentTarget.checked)}
        />
        {add.error !== null && <Failure error={add.error} />}
        <Button type="submit" loading={add.isPending}>
          {strings.domains.add}
        </Button>
      </Stack>
    </form>
  );
}

function PlanNeeded() {
  return (
    <Alert color="yellow" variant="light" role="alert" title={strings.domains.planTitle}>
      {strings.domains.planText}
    </Alert>
  );
}

function isRefusedFor(error: Error | null, code: ApiFailure['code']): boolean {
  return error instanceof ApiFailure && error.code === code;
}
