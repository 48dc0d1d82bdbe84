import { Checkbox, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { ApiFailure } from '../api/api-failure.js';
import { api, bodyOf } from '../api/api.js';
import { ActionForm } from '../parts/action-form.js';
import { Dialog } from '../parts/dialog.js';
import { organizationQuery } from '../projects/organization.query.js';
import { deploymentsQuery } from '../projects/projects.queries.js';
import { strings } from '../strings.js';
import { Conditions } from './conditions.js';
import { domainsQuery } from './domains.queries.js';

interface AddDomainProps {
  readonly projectId: string;
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** Adds a domain; where a condition is not met, explains which, before anything is typed. */
export function AddDomain({ projectId, opened, onClose }: AddDomainProps) {
  return (
    <Dialog opened={opened} onClose={onClose} title={strings.domains.addTitle}>
      <Conditions projectId={projectId}>
        {(areMet) => <AddDomainForm projectId={projectId} onClose={onClose} isPossible={areMet} />}
      </Conditions>
    </Dialog>
  );
}

type AddDomainFormProps = Pick<AddDomainProps, 'projectId' | 'onClose'> & { readonly isPossible: boolean };

function AddDomainForm({ projectId, onClose, isPossible }: AddDomainFormProps) {
  const [name, setName] = useState('');
  const [pair, setPair] = useState(false);
  const add = useAddDomain(projectId, onClose);
  const submit = () => {
    add.mutate({ name, pair });
  };
  return (
    <ActionForm label={strings.domains.add} action={add} onSubmit={submit} disabled={!isPossible}>
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
        disabled={!isPossible}
        // The trap of the dialog looks once, when the form may not be there yet.
        autoFocus={isPossible}
        data-autofocus={isPossible || undefined}
      />
      <Checkbox
        label={strings.domains.pair}
        checked={pair}
        disabled={!isPossible}
        onChange={(event) => setPair(event.currentTarget.checked)}
      />
    </ActionForm>
  );
}

function useAddDomain(projectId: string, onClose: () => void) {
  const queryClient = useQueryClient();
  const [, navigate] = useLocation();
  return useMutation({
    mutationFn: (body: { name: string; pair: boolean }) =>
      bodyOf(api().POST('/v1/projects/{projectId}/domains', { params: { path: { projectId } }, body })),
    onSuccess: async (domain) => {
      await queryClient.invalidateQueries(domainsQuery(projectId));
      onClose();
      navigate(`/projects/${projectId}/settings/domains/${domain.id}`);
    },
    // What was read of a condition is no longer so.
    onError: async (error) => {
      if (isRefusedFor(error, 'plan_required')) await queryClient.invalidateQueries(organizationQuery);
      if (isRefusedFor(error, 'deployment_required')) await queryClient.invalidateQueries(deploymentsQuery(projectId));
    },
  });
}

function isRefusedFor(error: Error, code: ApiFailure['code']): boolean {
  return error instanceof ApiFailure && error.code === code;
}
