import { Alert, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { formatInstant } from '../format.js';
import { Suspensions } from '../parts/suspensions.js';
import { strings } from '../strings.js';
import { organizationQuery } from './organization.query.js';

/** The plan of the organization, and whether a project can have domains by it. Nothing until that has been read. */
export function Plan() {
  const { data } = useQuery(organizationQuery);
  if (data === undefined) return null;
  const { name, plan, limits, domainsEndAt, suspensions } = data;
  return (
    <>
      <Text c="dimmed">{strings.projects.plan(name, strings.plans[plan], limits.domainsPerProject)}</Text>
      {domainsEndAt !== null && (
        <Alert color="yellow" variant="light" title={strings.projects.planEndsTitle}>
          {strings.projects.planEndsText(formatInstant(domainsEndAt))}
        </Alert>
      )}
      <Suspensions of={suspensions} />
    </>
  );
}
