import { Checkbox, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import { api, ApiError, dataOf } from '../api/api.js';
import { fieldErrorsOf } from '../api/field-errors.js';
import { Dialog } from '../components/dialog.js';
import { ActionForm } from '../components/form.js';
import { Loaded } from '../components/loaded.js';
import { Notice } from '../components/notice.js';
import { TextLink } from '../components/page.js';
import { deploymentsQuery, organizationQuery } from '../projects/projects.queries.js';
import { useOrganization } from '../session/caller.js';
import { domainStrings } from './domain-strings.js';
import { domainsQuery } from './domains.queries.js';

interface AddDomainProps {
  readonly projectId: string;
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** Adds a domain. Explains unmet prerequisites before the user types anything. */
export function AddDomain({ projectId, opened, onClose }: AddDomainProps) {
  return (
    <Dialog opened={opened} onClose={onClose} title={domainStrings.addTitle}>
      <Prerequisites projectId={projectId}>
        {(areMet) => <AddDomainForm projectId={projectId} onClose={onClose} isPossible={areMet} />}
      </Prerequisites>
    </Dialog>
  );
}

type AddDomainFormProps = Pick<AddDomainProps, 'projectId' | 'onClose'> & { readonly isPossible: boolean };

function AddDomainForm({ projectId, onClose, isPossible }: AddDomainFormProps) {
  const [name, setName] = useState('');
  const [pair, setPair] = useState(false);
  const add = useAddDomain(projectId, onClose);
  const { texts, isAtField } = fieldErrorsOf(add.error, ['name']);
  return (
    <ActionForm
      label={domainStrings.add}
      action={add}
      onSubmit={() => add.mutate({ name, pair })}
      disabled={!isPossible}
      isErrorAtField={isAtField}
    >
      <TextInput
        label={domainStrings.name}
        description={domainStrings.nameHint}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={1024}
        error={texts.name}
        required
        disabled={!isPossible}
        // The focus trap of the dialog runs once, possibly before the form is rendered.
        autoFocus={isPossible}
        data-autofocus={isPossible || undefined}
      />
      <Checkbox
        label={domainStrings.pair}
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
      dataOf(api().POST('/v1/projects/{projectId}/domains', { params: { path: { projectId } }, body })),
    onSuccess: async (domain) => {
      await queryClient.invalidateQueries(domainsQuery(projectId));
      onClose();
      navigate(`/projects/${projectId}/settings/domains/${domain.id}`);
    },
    // The prerequisites have changed since they were read.
    onError: async (error) => {
      if (hasCode(error, 'plan_required')) await queryClient.invalidateQueries(organizationQuery);
      if (hasCode(error, 'deployment_required')) await queryClient.invalidateQueries(deploymentsQuery(projectId));
    },
  });
}

function hasCode(error: Error, code: ApiError['code']): boolean {
  return error instanceof ApiError && error.code === code;
}

interface PrerequisitesProps {
  readonly projectId: string;
  readonly children: (areMet: boolean) => ReactNode;
}

/** A project needs a plan that includes domains and a deployment. Shows what is missing. */
export function Prerequisites({ projectId, children }: PrerequisitesProps) {
  const organization = useOrganization();
  const deployments = useQuery(deploymentsQuery(projectId));
  return (
    <Loaded query={organization}>
      {({ limits }) => (
        <Loaded query={deployments}>
          {(list) => {
            const needsPlan = limits.domainsPerProject === 0;
            const needsDeploy = list.every(({ state }) => state !== 'ready');
            return (
              <Stack gap="md">
                {needsPlan && <PlanNeeded />}
                {needsDeploy && <DeployFirst projectId={projectId} />}
                {children(!needsPlan && !needsDeploy)}
              </Stack>
            );
          }}
        </Loaded>
      )}
    </Loaded>
  );
}

function PlanNeeded() {
  return (
    <Notice tone="warning" title={domainStrings.planTitle}>
      {domainStrings.planText}
    </Notice>
  );
}

function DeployFirst({ projectId }: { readonly projectId: string }) {
  return (
    <Notice tone="warning" title={domainStrings.deployTitle}>
      <Text>{domainStrings.deployText}</Text>
      <TextLink to={`/projects/${projectId}`}>{domainStrings.toDeployments}</TextLink>
    </Notice>
  );
}
