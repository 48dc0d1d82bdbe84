import type { Invitation, Person, SomeApiKeys } from '@pets/contracts';
import { Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf } from '../api/api.js';
import { announce } from '../components/announcer.js';
import { ConfirmRequest } from '../components/confirm-request.js';
import { ActionForm } from '../components/form.js';
import { useGivenRoles } from '../session/caller.js';
import { invalidatePeople, nameOf } from './people.queries.js';
import { peopleStrings as text } from './people-strings.js';
import { RoleSelect } from './role-select.js';

interface PersonDialogProps {
  readonly person: Person;
  readonly onClose: () => void;
}

export function ChangeRole({ person, onClose }: PersonDialogProps) {
  const queryClient = useQueryClient();
  const [role, setRole] = useState(person.role);
  const change = useMutation({
    mutationFn: () =>
      dataOf(api().PATCH('/v1/people/{personId}', { params: { path: { personId: person.id } }, body: { role } })),
    onSuccess: async (changed: { readonly revokedApiKeys?: SomeApiKeys }) => {
      onClose();
      announce(text.changed(nameOf(person, text.unnamed), role) + text.ended(changed.revokedApiKeys));
      await invalidatePeople(queryClient);
    },
  });
  return (
    <ActionForm label={text.save} action={change} onSubmit={() => change.mutate()}>
      <RoleSelect roles={useGivenRoles()} value={role} onChange={setRole} />
      <Text size="sm" c="dimmed">
        {text.roleHint}
      </Text>
    </ActionForm>
  );
}

interface InvitationDialogProps {
  readonly invitation: Invitation;
  readonly onClose: () => void;
}

export function DeleteInvitation({ invitation: { id, name }, onClose }: InvitationDialogProps) {
  const queryClient = useQueryClient();
  return (
    <ConfirmRequest
      text={text.deleteText}
      label={text.deleteInvitation}
      request={() => dataOf(api().DELETE('/v1/invitations/{invitationId}', { params: { path: { invitationId: id } } }))}
      onDone={async () => {
        onClose();
        announce(text.deleted(name));
        await invalidatePeople(queryClient);
      }}
      onCancel={onClose}
    />
  );
}
