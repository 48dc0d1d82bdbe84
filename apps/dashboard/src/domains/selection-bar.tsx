import type { Domain, OperationId } from '@pets/contracts';
import { Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf } from '../api/api.js';
import { ActionButton, Confirmation } from '../components/form.js';
import { announce } from '../components/announcer.js';
import { ActionError } from '../components/error.js';
import { Dialog } from '../components/dialog.js';
import { domainStrings, removalStrings } from './domain-strings.js';
import { invalidateDomains } from './domains.queries.js';

/** Requests at the same time. */
const PARALLEL_CHECKS = 5;

export const selectionActions = ['verifyDomain', 'removeDomains'] as const satisfies readonly OperationId[];

interface SelectionBarProps {
  readonly projectId: string;
  readonly selected: readonly Domain[];
  readonly onClear: () => void;
}

/** The actions on the selected domains. */
export function SelectionBar({ projectId, selected, onClear }: SelectionBarProps) {
  const [isConfirming, setConfirming] = useState(false);
  const queryClient = useQueryClient();
  const refresh = () => invalidateDomains(queryClient, projectId, new Set(selected.map(({ id }) => id)));
  const verify = useMutation({
    mutationFn: () => verifyAll(projectId, selected),
    onSuccess: () => announce(domainStrings.verifyManyStarted(selected.length)),
    onSettled: refresh,
  });
  const remove = useMutation({
    mutationFn: () => removeAll(projectId, selected),
    onSuccess: ({ removed, refused }) => {
      setConfirming(false);
      onClear();
      announce(domainStrings.removedMany(removed, refused));
    },
    onSettled: refresh,
  });
  return (
    <div role="group" aria-label={domainStrings.selection}>
      <div className="selection-bar">
        <strong>{domainStrings.selected(selected.length)}</strong>
        <ActionButton size="xs" variant="default" isBusy={verify.isPending} onClick={verify.mutate}>
          {domainStrings.verify}
        </ActionButton>
        <ActionButton size="xs" variant="default" color="red" isBusy={false} onClick={() => setConfirming(true)}>
          {domainStrings.remove}
        </ActionButton>
        <button type="button" className="link-button" onClick={onClear}>
          {domainStrings.clearSelection}
        </button>
      </div>
      <ActionError error={verify.error} />
      <Dialog
        opened={isConfirming}
        onClose={() => setConfirming(false)}
        title={domainStrings.removeMany(selected.length)}
      >
        <Confirmation
          text={removalStrings.textMany}
          label={removalStrings.confirmMany(selected.length)}
          action={remove}
          isDestructive
          onConfirm={remove.mutate}
          onCancel={() => setConfirming(false)}
        />
        <Text size="sm" c="dimmed" mt="md">
          {selected.map(({ unicodeName }) => unicodeName).join(', ')}
        </Text>
      </Dialog>
    </div>
  );
}

async function verifyAll(projectId: string, domains: readonly Domain[]): Promise<void> {
  const waiting = [...domains];
  const verifyNext = async () => {
    for (let domain = waiting.pop(); domain !== undefined; domain = waiting.pop()) {
      const path = { projectId, domain: domain.id };
      await dataOf(api().POST('/v1/projects/{projectId}/domains/{domain}/verify', { params: { path } }));
    }
  };
  await Promise.all(Array.from({ length: PARALLEL_CHECKS }, verifyNext));
}

async function removeAll(projectId: string, domains: readonly Domain[]) {
  const { results } = await dataOf(
    api().POST('/v1/projects/{projectId}/domains:batchRemove', {
      params: { path: { projectId } },
      body: { domains: domains.map(({ id }) => ({ name: id })) },
    }),
  );
  const refused = results.filter(({ result }) => result === 'refused').length;
  return { removed: results.length - refused, refused };
}
