import { scopes, type ApiKey, type Scope } from '@pets/contracts';
import { Badge, Button, Card, Checkbox, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { readAllPages } from '@pets/client';
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, apiWithKey, dataOf, resultOf } from '../api/api.js';
import { NewSecret } from '../components/copy.js';
import { ActionForm, Confirmation, Dialog } from '../components/form.js';
import { Loaded } from '../components/loaded.js';
import { FieldList, Page } from '../components/page.js';
import { Instant, useNow } from '../components/time.js';
import { strings } from '../strings.js';
import { apiKeyStatus, type ApiKeyStatus } from './api-key-status.js';

const text = {
  title: 'API keys',
  create: 'Create API key',
  name: 'Name',
  scopes: 'Scopes',
  expires: 'Expires (optional)',
  confirmWith: 'Existing API key',
  confirmHint:
    'For security, creating a key requires an API key, not a session. The new key can have only scopes of this key.',
  secret: 'Key',
  revoke: 'Revoke',
  revokeTitle: (name: string) => `Revoke ${name}?`,
  revokeText: 'The key and its sessions stop working within a second. This cannot be undone.',
  statuses: { valid: 'Valid', expired: 'Expired', revoked: 'Revoked' } satisfies Record<ApiKeyStatus, string>,
  lastUsed: 'Last used',
  never: 'Never',
  expiresAt: 'Expires',
  needsScope: 'Select at least one scope.',
};
const MINUTE_MS = 60_000;

const apiKeysQuery = queryOptions({
  queryKey: ['api-keys'],
  queryFn: ({ signal }) => readAllPages((query) => resultOf(api().GET('/v1/api-keys', { params: { query }, signal }))),
});

export default function ApiKeysPage() {
  const keys = useQuery(apiKeysQuery);
  const [isCreating, setCreating] = useState(false);
  const [revoking, setRevoking] = useState<ApiKey | null>(null);
  return (
    <Page title={text.title} actions={<Button onClick={() => setCreating(true)}>{text.create}</Button>}>
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
        title={text.revokeTitle(revoking?.name ?? '')}
      >
        {revoking !== null && <ConfirmRevocation apiKeyId={revoking.id} onClose={() => setRevoking(null)} />}
      </Dialog>
    </Page>
  );
}

const colors = { valid: 'green', expired: 'yellow', revoked: 'gray' } as const satisfies Record<ApiKeyStatus, string>;

function KeyCard({ apiKey, onRevoke }: { readonly apiKey: ApiKey; readonly onRevoke: () => void }) {
  const status = apiKeyStatus(apiKey, useNow(MINUTE_MS));
  return (
    <Card component="li" withBorder>
      <Stack gap="xs">
        <Group justify="space-between">
          <Group gap="sm">
            <Text component="h2" fw={600} className="page-title">
              {apiKey.name}
            </Text>
            <Badge variant="light" color={colors[status]} tt="none">
              {text.statuses[status]}
            </Badge>
          </Group>
          {status === 'valid' && (
            <Button variant="default" size="xs" onClick={onRevoke} aria-label={`${text.revoke} ${apiKey.name}`}>
              {text.revoke}
            </Button>
          )}
        </Group>
        <FieldList
          fields={[
            [text.secret, <span className="value">{apiKey.display}</span>],
            [text.scopes, apiKey.scopes.join(', ')],
            [strings.projects.created, <Instant at={apiKey.createdAt} />],
            [text.lastUsed, apiKey.lastUsedAt === null ? text.never : <Instant at={apiKey.lastUsedAt} />],
            [text.expiresAt, apiKey.expiresAt === null ? text.never : <Instant at={apiKey.expiresAt} />],
          ]}
        />
      </Stack>
    </Card>
  );
}

function ConfirmRevocation({ apiKeyId, onClose }: { readonly apiKeyId: string; readonly onClose: () => void }) {
  const queryClient = useQueryClient();
  const revoke = useMutation({
    mutationFn: () => dataOf(api().DELETE('/v1/api-keys/{apiKeyId}', { params: { path: { apiKeyId } } })),
    onSuccess: async () => {
      onClose();
      await queryClient.invalidateQueries(apiKeysQuery);
    },
  });
  return (
    <Confirmation
      text={text.revokeText}
      label={text.revoke}
      action={revoke}
      isDestructive
      onConfirm={() => revoke.mutate()}
      onCancel={onClose}
    />
  );
}

interface CreateApiKeyProps {
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** Creates a key. Closing the dialog discards the form and the new key. */
function CreateApiKey({ opened, onClose }: CreateApiKeyProps) {
  return (
    <Dialog opened={opened} onClose={onClose} title={text.create} closeOnClickOutside={false}>
      <CreateApiKeyForm onClose={onClose} />
    </Dialog>
  );
}

function CreateApiKeyForm({ onClose }: Pick<CreateApiKeyProps, 'onClose'>) {
  const queryClient = useQueryClient();
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [expires, setExpires] = useState('');
  const [own, setOwn] = useState('');
  const [validationError, setValidationError] = useState<string | null>(null);
  const create = useMutation({
    mutationFn: (wanted: Scope[]) =>
      dataOf(
        apiWithKey(own.trim()).POST('/v1/api-keys', {
          body: { name, scopes: wanted, ...(expires !== '' && { expiresAt: new Date(expires).toISOString() }) },
        }),
      ),
    onSuccess: () => queryClient.invalidateQueries(apiKeysQuery),
  });
  if (create.data !== undefined) return <NewSecret what={text.secret} secret={create.data.secret} onClose={onClose} />;
  const submit = () => {
    const wanted = scopes.filter((scope) => chosen.includes(scope));
    setValidationError(wanted.length === 0 ? text.needsScope : null);
    if (wanted.length > 0) create.mutate(wanted);
  };
  return (
    <ActionForm label={text.create} action={create} onSubmit={submit}>
      <TextInput
        label={text.name}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        maxLength={100}
        required
        data-autofocus
      />
      <Checkbox.Group label={text.scopes} value={[...chosen]} onChange={setChosen} error={validationError}>
        <Group gap="sm" mt="xs">
          {scopes.map((scope) => (
            <Checkbox key={scope} value={scope} label={scope} />
          ))}
        </Group>
      </Checkbox.Group>
      <TextInput
        label={text.expires}
        type="datetime-local"
        value={expires}
        onChange={(event) => setExpires(event.currentTarget.value)}
      />
      <PasswordInput
        label={text.confirmWith}
        description={text.confirmHint}
        value={own}
        onChange={(event) => setOwn(event.currentTarget.value)}
        autoComplete="off"
        required
      />
    </ActionForm>
  );
}
