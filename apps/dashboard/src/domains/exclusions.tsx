import type { Domain } from '@pets/contracts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, dataOf } from '../api/api.js';
import { ActionButton } from '../components/form.js';
import { announce } from '../components/announcer.js';
import { ActionError } from '../components/error.js';
import { Fold } from '../components/page.js';
import { DataTable } from '../components/table.js';
import { useMay } from '../session/caller.js';
import { exclusionStrings } from './domain-strings.js';
import { invalidateDomains } from './domains.queries.js';

interface ExclusionsProps {
  readonly projectId: string;
  readonly domain: Domain;
}

/** The names that a wildcard does not serve, each with a button that lets it serve the name again. */
export function Exclusions({ projectId, domain: { id, name: wildcard, exclusions } }: ExclusionsProps) {
  const may = useMay();
  const queryClient = useQueryClient();
  const lift = useMutation({
    mutationFn: (name: string) => {
      const path = { projectId, domain: id, name };
      return dataOf(api().DELETE('/v1/projects/{projectId}/domains/{domain}/exclusions/{name}', { params: { path } }));
    },
    onSuccess: (_nothing, name) => announce(exclusionStrings.lifted(name, wildcard)),
    // Also when somebody else has lifted it.
    onSettled: () => invalidateDomains(queryClient, projectId, new Set([id])),
  });
  if (exclusions === null) return null;
  return (
    <Fold title={exclusionStrings.title} hint={exclusionStrings.count(exclusions.length)}>
      <p className="muted">{exclusionStrings.text(wildcard)}</p>
      <ActionError error={lift.error} />
      {exclusions.length > 0 && (
        <DataTable
          label={exclusionStrings.title}
          rows={exclusions}
          keyOf={(name) => name}
          columns={[
            { header: exclusionStrings.name, kind: 'title', cell: (name) => <span className="value">{name}</span> },
            {
              header: exclusionStrings.actions,
              kind: 'tight',
              isShown: may('liftExclusion'),
              cell: (name) => (
                <ActionButton
                  size="xs"
                  variant="default"
                  isBusy={lift.isPending}
                  onClick={() => lift.mutate(name)}
                  aria-label={exclusionStrings.liftOne(name)}
                >
                  {exclusionStrings.lift}
                </ActionButton>
              ),
            },
          ]}
        />
      )}
    </Fold>
  );
}
