import { Alert, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Loaded } from '../parts/loaded.js';
import { TextLink } from '../parts/text-link.js';
import { organizationQuery } from '../projects/organization.query.js';
import { deploymentsQuery } from '../projects/projects.queries.js';
import { strings } from '../strings.js';

interface ConditionsProps {
  readonly projectId: string;
  readonly children: (areMet: boolean) => ReactNode;
}

/** What a project needs before it can have a domain: a plan that includes them, and something to serve. Says what is missing. */
export function Conditions({ projectId, children }: ConditionsProps) {
  const organization = useQuery(organizationQuery);
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
    <Alert color="yellow" variant="light" title={strings.domains.planTitle}>
      {strings.domains.planText}
    </Alert>
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
