import { useQuery } from '@tanstack/react-query';
import type { components } from '@pets/client';
import { useState } from 'react';
import { ActionError } from '../components/error.js';
import { changesQuery } from './projects.queries.js';

const text = {
  show: 'What changed',
  counts: ({ added, changed, removed, since }: Changes) =>
    `${added.count} added, ${changed.count} changed, ${removed.count} removed${since === null ? ': it is the first one' : ''}`,
  more: (count: number) => `and ${count} more`,
};

type Changes = components['schemas']['DeploymentChanges'];

interface DeploymentChangesProps {
  readonly projectId: string;
  readonly deploymentId: string;
}

/** The files in which a deployment differs from the one before; read when it is opened. */
export function DeploymentChanges({ projectId, deploymentId }: DeploymentChangesProps) {
  const [isOpen, setOpen] = useState(false);
  const { data, error } = useQuery({ ...changesQuery(projectId, deploymentId), enabled: isOpen });
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{text.show}</summary>
      <ActionError error={error} />
      <div role="status">{data === undefined ? null : text.counts(data)}</div>
      {data !== undefined && (
        <ul>
          {linesOf(data).map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      )}
    </details>
  );
}

function linesOf({ added, changed, removed }: Changes): string[] {
  const kinds = [['+', added] as const, ['~', changed] as const, ['−', removed] as const];
  return kinds.flatMap(([sign, { count, paths }]) => {
    const more = count - paths.length;
    return [...paths, ...(more > 0 ? [text.more(more)] : [])].map((each) => `${sign} ${each}`);
  });
}
