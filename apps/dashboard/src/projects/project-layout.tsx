import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { isMissing } from '../api/api.js';
import { NotFound } from '../components/page.js';
import { Suspensions } from '../components/suspensions.js';
import { useProjectEvents } from '../live/project-events.js';
import { domainStrings } from '../domains/domain-strings.js';
import { problemCountQuery } from '../domains/domains.queries.js';
import { strings } from '../strings.js';
import { projectQuery } from './projects.queries.js';

interface ProjectLayoutProps {
  readonly projectId: string;
  readonly children: ReactNode;
}

/** The header of every page of a project. It keeps the pages up to date with project events. */
export function ProjectLayout({ projectId, children }: ProjectLayoutProps) {
  useProjectEvents(projectId);
  const project = useQuery(projectQuery(projectId));
  const problems = useQuery(problemCountQuery(projectId));
  const base = `/projects/${projectId}`;
  if (project.data === undefined && isMissing(project.error))
    return <NotFound text={strings.notFound.project} to="/" back={strings.notFound.back} />;
  return (
    <Stack gap="md">
      <Text fw={600} className="page-title">
        {project.data?.name ?? '\u00a0'}
      </Text>
      <nav aria-label={strings.navigation.project} className="project-navigation">
        <NavigationLink to={base} label={strings.navigation.deployments} isExact />
        <NavigationLink to={`${base}/settings/domains`} label={strings.navigation.domains} problems={problems.data} />
        <NavigationLink to={`${base}/settings/redirects`} label={strings.navigation.redirects} />
      </nav>
      <Suspensions suspensions={project.data?.suspensions ?? []} />
      {children}
    </Stack>
  );
}

interface NavigationLinkProps {
  readonly to: string;
  readonly label: string;
  readonly isExact?: boolean;
  /** How many need an action; nothing is shown for none. */
  readonly problems?: number | undefined;
}

function NavigationLink({ to, label, isExact = false, problems = 0 }: NavigationLinkProps) {
  const [location] = useLocation();
  const isCurrent = isExact ? location === to : location.startsWith(to);
  return (
    <Link to={to} aria-current={isCurrent ? 'page' : undefined}>
      {label}
      {problems > 0 && (
        <>
          <span className="count" aria-hidden="true">
            {problems}
          </span>
          <span className="visually-hidden"> ({domainStrings.problemCount(problems)})</span>
        </>
      )}
    </Link>
  );
}
