import { Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useLocation } from 'wouter';
import { isMissing } from '../api/api.js';
import { VisitLink } from '../components/external-link.js';
import { NotFound } from '../components/page.js';
import { Suspensions } from '../components/notice.js';
import { useProjectEvents } from '../live/project-events.js';
import { domainStrings } from '../domains/domain-strings.js';
import { domainCountsQuery, newestProblemsQuery } from '../domains/domains.queries.js';
import { useMay } from '../session/caller.js';
import { areaOf, NavigationLink } from '../shell/navigation.js';
import { strings } from '../strings.js';
import { projectQuery } from './projects.queries.js';

interface ProjectLayoutProps {
  readonly projectId: string;
  readonly children: ReactNode;
}

/** The header of every page of a project. It keeps the pages up to date with project events. */
export function ProjectLayout({ projectId, children }: ProjectLayoutProps) {
  const may = useMay();
  useProjectEvents(may('listProjectEvents') ? projectId : null);
  const project = useQuery(projectQuery(projectId));
  const problems = useProblemCount(projectId);
  const base = `/projects/${projectId}`;
  if (project.data === undefined && isMissing(project.error))
    return <NotFound text={strings.notFound.project} to="/" back={strings.notFound.back} />;
  return (
    <Stack gap="md">
      <Group gap="md">
        <Text fw={600} className="page-title">
          {project.data?.name ?? '\u00a0'}
        </Text>
        {project.data && <VisitLink href={project.data.url} name={new URL(project.data.url).host} />}
      </Group>
      <nav aria-label={strings.navigation.project} className="project-navigation">
        <ProjectLink to={base} label={strings.navigation.deployments} isExact />
        <ProjectLink to={`${base}/settings/domains`} label={strings.navigation.domains} problems={problems} />
        <ProjectLink to={`${base}/settings/redirects`} label={strings.navigation.redirects} />
        <ProjectLink to={`${base}/settings/application`} label={strings.navigation.application} />
      </nav>
      <Suspensions suspensions={project.data?.suspensions ?? []} />
      {children}
    </Stack>
  );
}

/** How many domains need an action; undefined until it is known. */
function useProblemCount(projectId: string): number | undefined {
  const may = useMay();
  const counts = useQuery({ ...domainCountsQuery(projectId), enabled: may('countDomains', 'listDomains') });
  // After the counts, so that it does not delay the page, which reads at the same time.
  const newest = useQuery({ ...newestProblemsQuery(projectId), enabled: counts.data !== undefined });
  if (counts.data === undefined || newest.data === undefined) return undefined;
  return counts.data.misconfigured + newest.data;
}

interface ProjectLinkProps {
  readonly to: string;
  readonly label: string;
  readonly isExact?: boolean;
  /** How many need an action; nothing is shown for none. */
  readonly problems?: number | undefined;
}

function ProjectLink({ to, label, isExact = false, problems = 0 }: ProjectLinkProps) {
  const may = useMay();
  const [location] = useLocation();
  const isCurrent = isExact ? location === to : location.startsWith(to);
  if (!may(...areaOf(to).reads)) return null;
  return (
    <NavigationLink to={to} isCurrent={isCurrent}>
      {label}
      {problems > 0 && (
        <>
          <span className="count" aria-hidden="true">
            {problems}
          </span>
          <span className="visually-hidden"> ({domainStrings.problemCount(problems)})</span>
        </>
      )}
    </NavigationLink>
  );
}
