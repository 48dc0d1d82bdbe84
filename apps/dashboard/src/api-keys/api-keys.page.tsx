import type { ApiKey } from '@pets/contracts';
import { Button, Checkbox } from '@mantine/core';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf } from '../api/api.js';
import { announce } from '../components/announcer.js';
import { ConfirmRequest } from '../components/form.js';
import { OrderSelect, SearchField, StatusFilter, useSearch, type CreationOrder } from '../components/filters.js';
import { Dialog } from '../components/dialog.js';
import { Paged } from '../components/loaded.js';
import { EmptyState, StatusPill } from '../components/notice.js';
import { Page } from '../components/page.js';
import { DataTable } from '../components/table.js';
import { Day, Instant, useNow } from '../components/time.js';
import { useMay, useOrganization } from '../session/caller.js';
import { strings } from '../strings.js';
import {
  apiKeysQuery,
  apiKeyStates,
  apiKeyStatus,
  invalidateApiKeys,
  type ApiKeyState,
  type ApiKeyStatus,
} from './api-keys.queries.js';
import { apiKeyStrings as text } from './api-key-strings.js';
import { CreateApiKey } from './create-api-key.js';

const MINUTE_MS = 60_000;

export default function ApiKeysPage() {
  const may = useMay();
  const [state, setState] = useState<ApiKeyState | null>(null);
  const search = useSearch();
  const [order, setOrder] = useState<CreationOrder>('-createdAt');
  const keys = useInfiniteQuery(apiKeysQuery({ state, search: search.term, order }));
  const organization = useOrganization();
  const [isCreating, setCreating] = useState(false);
  const [revoking, setRevoking] = useState<ApiKey | null>(null);
  const stop = () => setRevoking(null);
  const create = may('createApiKey') && <Button onClick={() => setCreating(true)}>{text.create}</Button>;
  return (
    <Page
      title={text.title}
      status={
        organization.data && (
          <span className="muted">
            {strings.usage(organization.data.usage.apiKeys, organization.data.limits.apiKeys)}
          </span>
        )
      }
      actions={create}
    >
      <div className="toolbar">
        <SearchField label={text.search} search={search} maxLength={100} />
        <StatusFilter
          label={text.status}
          statuses={apiKeyStates}
          labels={text.states}
          value={state}
          onChange={setState}
        />
        <OrderSelect value={order} onChange={setOrder} />
      </div>
      <Paged query={keys}>
        {(list) =>
          list.length > 0 ? (
            <KeyTable keys={list} onRevoke={setRevoking} />
          ) : state !== null || search.term !== '' ? (
            <EmptyState title={text.noneFound} text={text.noneFoundText} />
          ) : (
            <EmptyState title={text.none}>{create}</EmptyState>
          )
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

function creatorOf({ createdBy, person }: ApiKey): string {
  const creator = createdBy.display ?? (createdBy.kind === 'operator' ? text.operator : text.creatorUnknown);
  return person !== null && !person.isMember ? `${creator} ${text.left}` : creator;
}

interface KeyTableProps {
  readonly keys: readonly ApiKey[];
  readonly onRevoke: (key: ApiKey) => void;
}

function KeyTable({ keys, onRevoke }: KeyTableProps) {
  const may = useMay();
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
              return (
                <>
                  <StatusPill tone={tones[status]}>{text.statuses[status]}</StatusPill>
                  {key.revocationReason && <small className="value">{text.reasons[key.revocationReason]}</small>}
                </>
              );
            },
          },
          { header: text.scopes, cell: ({ scopes }) => <span className="scopes">{scopes.join(', ')}</span> },
          { header: text.createdBy, cell: creatorOf },
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
            isShown: may('revokeApiKey'),
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
  const [isLeaked, setLeaked] = useState(false);
  const query = isLeaked ? ({ reason: 'leaked' } as const) : {};
  return (
    <ConfirmRequest
      text={text.revokeText}
      label={text.revoke}
      request={() => dataOf(api().DELETE('/v1/api-keys/{apiKeyId}', { params: { path: { apiKeyId: id }, query } }))}
      onDone={async () => {
        onClose();
        announce(text.revoked(name));
        await invalidateApiKeys(queryClient);
      }}
      onCancel={onClose}
    >
      <Checkbox
        label={text.leaked}
        checked={isLeaked}
        onChange={({ currentTarget }) => setLeaked(currentTarget.checked)}
      />
    </ConfirmRequest>
  );
}
