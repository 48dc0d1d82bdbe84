import type { ApiKey } from '@pets/contracts';
import { Badge, Button, Card, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, bodyOf } from '../api/api.js';
import { Dialog } from '../parts/dialog.js';
import { Failure } from '../parts/failure.js';
import { FieldList } from '../parts/field-list.js';
import { Instant } from '../parts/instant.js';
import { Loaded } from '../parts/loaded.js';
import { Page } from '../parts/page.js';
import { useNow } from '../parts/use-now.js';
import { strings } from '../strings.js';
import { apiKeysQuery } from './api-keys.query.js';
import { CreateApiKey } from './create-api-key.js';
import { keyStanding, type KeyStanding } from './key-standing.js';

const words = strings.apiKeys;
const MINUTE_MS = 60_000;

/** The keys of the organization. */
export default function ApiKeysPage() {
  const keys = useQuery(apiKeysQuery);
  const [isCreating, setCreating] = useState(false);
  const [revoking, setRevoking] = useState<ApiKey | null>(null);
  return (
    <Page title={words.title} actions={<Button onClick={() => setCreating(true)}>{words.create}</Button>}>
      <Loaded query={keys}>
        {(list) => (
          <ul className="plain-list">
            {list.map((key) => (
              <KeyCard key={key.id} apiKey={key} onRevoke={() => setRevoking(key)} />
            ))}
          </ul>
        )}
      </Loaded>
      <CreateApiKey opened={isCreating} onClose={() => setCreating(false)} />
      <Dialog
        opened={revoking !== null}
        onClose={() => setRevoking(null)}
        title={words.revokeTitle(revoking?.name ?? '')}
      >
        {revoking !== null && <ConfirmRevocation apiKeyId={revoking.id} onClose={() => setRevoking(null)} />}
      </Dialog>
    </Page>
  );
}

const colors = { valid: 'green', expired: 'yellow', revoked: 'gray' } as const satisfies Record<KeyStanding, string>;

function KeyCard({ apiKey, onRevoke }: { readonly apiKey: ApiKey; readonly onRevoke: () => void }) {
  const standing = keyStanding(apiKey, useNow(MINUTE_MS));
  return (
    <Card component="li" withBorder>
      <Stack gap="xs">
        <Group justify="space-between">
          <Group gap="sm">
            <Text component="h2" fw={600} className="page-title">
              {apiKey.name}
            </Text>
            <Badge variant="light" color={colors[standing]} tt="none">
              {words[standing]}
            </Badge>
          </Group>
          {standing === 'valid' && (
            <Button variant="default" size="xs" onClick={onRevoke} aria-label={`${words.revoke} ${apiKey.name}`}>
              {words.revoke}
            </Button>
          )}
        </Group>
        <FieldList
          fields={[
            [words.secret, <span className="value">{apiKey.display}</span>],
            [words.scopes, apiKey.scopes.join(', ')],
            [strings.projects.created, <Instant at={apiKey.createdAt} />],
            [words.lastUsed, apiKey.lastUsedAt === null ? words.never : <Instant at={apiKey.lastUsedAt} />],
            [words.ends, apiKey.expiresAt === null ? words.never : <Instant at={apiKey.expiresAt} />],
          ]}
        />
      </Stack>
    </Card>
  );
}

function ConfirmRevocation({ apiKeyId, onClose }: { readonly apiKeyId: string; readonly onClose: () => void }) {
  const queryClient = useQueryClient();
  const revoke = useMutation({
    mutationFn: () => bodyOf(api().DELETE('/v1/api-keys/{apiKeyId}', { params: { path: { apiKeyId } } })),
    onSuccess: async () => {
      onClose();
      await queryClient.invalidateQueries(apiKeysQuery);
    },
  });
  return (
    <Stack gap="md">
      <Text>{words.revokeText}</Text>
      {revoke.error !== null && <Failure error={revoke.error} />}
      <Group justify="end">
        <Button variant="default" onClick={onClose} data-autofocus>
          {strings.cancel}
        </Button>
        <Button color="red" loading={revoke.isPending} onClick={() => revoke.mutate()}>
          {words.revoke}
        </Button>
      </Group>
    </Stack>
  );
}
