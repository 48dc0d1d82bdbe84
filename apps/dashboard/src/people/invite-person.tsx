import type { Role } from '@pets/contracts';
import { TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf } from '../api/api.js';
import { fieldErrorsOf } from '../api/field-errors.js';
import { ActionForm } from '../components/form.js';
import { SecretDialog } from '../components/secret-dialog.js';
import { useGivenRoles } from '../session/caller.js';
import { invalidatePeople } from './people.queries.js';
import { peopleStrings as text } from './people-strings.js';
import { RoleSelect } from './role-select.js';

interface InvitePersonProps {
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** Creates an invitation. While its link is shown, only its button closes the dialog. */
export function InvitePerson(props: InvitePersonProps) {
  return (
    <SecretDialog
      {...props}
      title={text.invite}
      what={text.link}
      confirm={text.sent}
      form={(onCreated) => <InviteForm onCreated={onCreated} />}
    />
  );
}

function InviteForm({ onCreated }: { readonly onCreated: (url: string) => void }) {
  const queryClient = useQueryClient();
  const given = useGivenRoles();
  const [name, setName] = useState('');
  const [role, setRole] = useState<Role>('viewer');
  const invite = useMutation({
    mutationFn: () => dataOf(api().POST('/v1/invitations', { body: { name, role } })),
    onSuccess: async ({ url }) => {
      onCreated(url);
      await invalidatePeople(queryClient);
    },
  });
  const { texts, isAtField } = fieldErrorsOf(invite.error, ['name']);
  return (
    <ActionForm label={text.invite} action={invite} onSubmit={() => invite.mutate()} isErrorAtField={isAtField}>
      <TextInput
        label={text.inviteFor}
        description={text.inviteHint}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        maxLength={100}
        error={texts.name}
        required
        data-autofocus
      />
      <RoleSelect roles={given} value={role} onChange={setRole} />
    </ActionForm>
  );
}
