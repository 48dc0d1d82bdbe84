import { scopes, type Scope } from '@pets/contracts';
import { Checkbox, Group, PasswordInput, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { apiWithKey, bodyOf } from '../api/api.js';
import { ActionForm } from '../parts/action-form.js';
import { Dialog } from '../parts/dialog.js';
import { NewSecret } from '../parts/new-secret.js';
import { strings } from '../strings.js';
import { apiKeysQuery } from './api-keys.query.js';

const words = strings.apiKeys;

interface CreateApiKeyProps {
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** Makes a key. What was typed and what was made are gone when it closes. */
export function CreateApiKey({ opened, onClose }: CreateApiKeyProps) {
  return (
    <Dialog opened={opened} onClose={onClose} title={words.create} closeOnClickOutside={false}>
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
  const [problem, setProblem] = useState<string | null>(null);
  const create = useMutation({
    mutationFn: (wanted: Scope[]) =>
      bodyOf(
        apiWithKey(own.trim()).POST('/v1/api-keys', {
          body: { name, scopes: wanted, ...(expires !== '' && { expiresAt: new Date(expires).toISOString() }) },
        }),
      ),
    onSuccess: () => queryClient.invalidateQueries(apiKeysQuery),
  });
  if (create.data !== undefined) return <NewSecret what={words.secret} secret={create.data.secret} onClose={onClose} />;
  const submit = () => {
    const wanted = scopes.filter((scope) => chosen.includes(scope));
    setProblem(wanted.length === 0 ? words.needsScope : null);
    if (wanted.length > 0) create.mutate(wanted);
  };
  return (
    <ActionForm label={words.create} action={create} onSubmit={submit}>
      <TextInput
        label={words.name}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        maxLength={100}
        required
        data-autofocus
      />
      <Checkbox.Group label={words.scopes} value={[...chosen]} onChange={setChosen} error={problem}>
        <Group gap="sm" mt="xs">
          {scopes.map((scope) => (
            <Checkbox key={scope} value={scope} label={scope} />
          ))}
        </Group>
      </Checkbox.Group>
      <TextInput
        label={words.expires}
        type="datetime-local"
        value={expires}
        onChange={(event) => setExpires(event.currentTarget.value)}
      />
      <PasswordInput
        label={words.confirmWith}
        description={words.confirmHint}
        value={own}
        onChange={(event) => setOwn(event.currentTarget.value)}
        autoComplete="off"
        required
      />
    </ActionForm>
  );
}
