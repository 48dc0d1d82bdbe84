import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { useProjectEvents } from '../live/use-project-events.js';
import { Suspensions } from '../parts/suspensions.js';
import { strings } from '../strings.js';
import { projectQuery } from './projects.queries.js';

interface ProjectPagesProps {
  readonly projectId: string;
  readonly children: ReactNode;
}

/** What is above every page of a project: its name and the ways within it. Its pages hear of changes as they happen. */
export function ProjectPages({ projectId, children }: ProjectPagesProps) {
  useProjectEvents(projectId);
  const project = useQuery(projectQuery(projectId));
  const base = `/projects/${projectId}`;
  return (
    <Stack gap="md">
      <Text fw={600} className="page-title">
        {project.data?.name ?? '\u00a0'}
      </Text>
      <nav aria-label={strings.navigation.project} className="project-navigation">
        <Place to={base} label={strings.navigation.deployments} isExact />
        <Place to={`${base}/settings/domains`} label={strings.navigation.domains} />
        <Place to={`${base}/settings/redirects`} label={strings.navigation.redirects} />
      </nav>
      <Suspensions of={project.data?.suspensions ?? []} />
      {children}
    </Stack>
  );
}

interface PlaceProps {
  readonly to: string;
  readonly label: string;
  readonly isExact?: boolean;
}

function Place({ to, label, isExact = false }: PlaceProps) {
  const [location] = useLocation();
  const isCurrent = isExact ? location === to : location.startsWith(to);
  return (
    <Link to={to} aria-current={isCurrent ? 'page' : undefined}>
      {label}
    </Link>
  );
}
