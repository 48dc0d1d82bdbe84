import type { ApiKey } from '@pets/contracts';
import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf } from '../api/api.js';
import { announce } from '../components/announcer.js';
import { Confirmation, Dialog } from '../components/form.js';
import { Paged } from '../components/loaded.js';
import { EmptyState, StatusPill } from '../components/notice.js';
import { Page } from '../components/page.js';
import { DataTable } from '../components/table.js';
import { Day, Instant, useNow } from '../components/time.js';
import { organizationQuery } from '../projects/projects.queries.js';
import { strings } from '../strings.js';
import { apiKeyStatus, type ApiKeyStatus } from './api-key-status.js';
import { apiKeyStates, apiKeysQuery, invalidateApiKeys, type ApiKeyState } from './api-keys.queries.js';
import { apiKeyStrings as text } from './api-key-strings.js';
import { CreateApiKey } from './create-api-key.js';

const MINUTE_MS = 60_000;
/** Typing pauses this long before the list is searched. */
const SEARCH_DELAY_MS = 250;

export default function ApiKeysPage() {
  const [state, setState] = useState<ApiKeyState | null>(null);
  const [search, setSearch] = useState('');
  const [prefix] = useDebouncedValue(search.trim(), SEARCH_DELAY_MS);
  const keys = useInfiniteQuery(apiKeysQuery({ state, prefix }));
  const organization = useQuery(organizationQuery);
  const [isCreating, setCreating] = useState(false);
  const [revoking, setRevoking] = useState<ApiKey | null>(null);
  const stop = () => setRevoking(null);
  return (
    <Page
      title={text.title}
      status={
        organization.data && (
          <span className="muted">{text.usage(organization.data.usage.apiKeys, organization.data.limits.apiKeys)}</span>
        )
      }
      actions={<Button onClick={() => setCreating(true)}>{text.create}</Button>}
    >
      <div className="toolbar">
        <TextInput
          className="toolbar-grow"
          label={text.search}
          type="search"
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
          maxLength={100}
        />
        <NativeSelect
          label={text.status}
          value={state ?? ''}
          onChange={({ currentTarget: { value } }) => setState(apiKeyStates.find((each) => each === value) ?? null)}
          data={[
            { value: '', label: strings.all },
            ...apiKeyStates.map((value) => ({ value, label: text.states[value] })),
          ]}
        />
      </div>
      <Paged query={keys}>
        {(list) =>
          list.length === 0 ? <EmptyState title={text.none} /> : <KeyTable keys={list} onRevoke={setRevoking} />
        }
      </Paged>
      <CreateApiKey opened={isCreating} onClose={() => setCreating(false)} />
      <Dialog opened={revoking !== null} onClose={stop} title={text.revokeTitle(revoking?.name ?? '')}>
        {revoking !== null && <ConfirmRevocation apiKey={revoking} onClose={stop} />}
      </Dialog>
    </Page>
  );
}

const tones = { valid: 'good', expired: 'warning', revoked: 'neutral' } as const satisfies Record<ApiKeyStatus, string>;

interface KeyTableProps {
  readonly keys: readonly ApiKey[];
  readonly onRevoke: (key: ApiKey) => void;
}

function KeyTable({ keys, onRevoke }: KeyTableProps) {
  const now = useNow(MINUTE_MS);
  return (
    <div className="card" data-flush>
      <DataTable
        label={text.title}
        rows={keys}
        keyOf={({ id }) => id}
        columns={[
          {
            header: text.name,
            kind: 'title',
            cell: ({ name, display }) => (
              <>
                {name}
                <small className="value">{display}</small>
              </>
            ),
          },
          {
            header: text.status,
            kind: 'tight',
            cell: (key) => {
              const status = apiKeyStatus(key, now);
              return <StatusPill tone={tones[status]}>{text.statuses[status]}</StatusPill>;
            },
          },
          { header: text.scopes, cell: ({ scopes }) => <span className="scopes">{scopes.join(', ')}</span> },
          {
            header: text.lastUsed,
            kind: 'tight',
            cell: ({ lastUsedAt }) => (lastUsedAt === null ? text.never : <Instant at={lastUsedAt} />),
          },
          {
            header: text.expiresAt,
            kind: 'tight',
            cell: ({ expiresAt }) => (expiresAt === null ? text.never : <Day at={expiresAt} />),
          },
          {
            header: text.actions,
            kind: 'tight',
            cell: (key) =>
              apiKeyStatus(key, now) === 'valid' && (
                <Button
                  variant="default"
                  size="xs"
                  onClick={() => onRevoke(key)}
                  aria-label={`${text.revoke} ${key.name}`}
                >
                  {text.revoke}
                </Button>
              ),
          },
        ]}
      />
    </div>
  );
}

function ConfirmRevocation({
  apiKey: { id, name },
  onClose,
}: {
  readonly apiKey: ApiKey;
  readonly onClose: () => void;
}) {
  const queryClient = useQueryClient();
  const revoke = useMutation({
    mutationFn: () => dataOf(api().DELETE('/v1/api-keys/{apiKeyId}', { params: { path: { apiKeyId: id } } })),
    onSuccess: async () => {
      onClose();
      announce(text.revoked(name));
      await invalidateApiKeys(queryClient);
    },
  });
  return (
    <Confirmation
      text={text.revokeText}
      label={text.revoke}
      action={revoke}
      isDestructive
      onConfirm={revoke.mutate}
      onCancel={onClose}
    />
  );
}
