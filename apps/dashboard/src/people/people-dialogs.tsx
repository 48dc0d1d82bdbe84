import { NativeSelect, Text, TextInput } from '@mantine/core';
import type { Invitation, Person, RemovePersonQuery, Role, SomeApiKeys } from '@pets/contracts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { invalidateApiKeys } from '../api-keys/api-keys.queries.js';
import { api, dataOf } from '../api/api.js';
import { fieldErrorsOf } from '../api/field-errors.js';
import { announce } from '../components/announcer.js';
import { ActionForm, ConfirmRequest } from '../components/form.js';
import { SecretDialog } from '../components/secret-dialog.js';
import { useGivenRoles, useMay } from '../session/caller.js';
import { peopleStrings as text } from './people-strings.js';
import { invalidatePeople, keysOfPersonQuery, nameOf, SHOWN_KEYS } from './people.queries.js';

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

interface RoleSelectProps {
  /** Roles that the caller may give. */
  readonly roles: readonly Role[];
  readonly value: Role;
  readonly onChange: (role: Role) => void;
}

function RoleSelect({ roles, value, onChange }: RoleSelectProps) {
  return (
    <NativeSelect
      label={text.role}
      value={value}
      onChange={({ currentTarget }) => onChange(roles.find((role) => role === currentTarget.value) ?? value)}
      data={roles.map((role) => ({ value: role, label: `${text.roles[role]}: ${text.roleTexts[role]}` }))}
    />
  );
}

interface RemovePersonProps {
  readonly person: Pick<Person, 'id' | 'name' | 'email'>;
  /** Somebody whose membership has ended, and only the keys are left. */
  readonly hasLeft?: boolean;
  readonly onClose: () => void;
}

type Decision = NonNullable<RemovePersonQuery['keys']>;

/** Asks before a removal, and what becomes of the keys that the person made: revoked, unless somebody chooses to keep them. */
export function RemovePerson({ person: { id, ...person }, hasLeft = false, onClose }: RemovePersonProps) {
  const queryClient = useQueryClient();
  const mayList = useMay()('listApiKeys');
  const keys = useQuery({ ...keysOfPersonQuery(id), enabled: mayList });
  const [decision, setDecision] = useState<Decision>('revoke');
  if (mayList && keys.isPending) return <p role="status">{text.keysLoading}</p>;
  const listed = keys.data ?? [];
  // Without the list, the API says whether there is something to decide.
  const isAsked = !keys.isSuccess || listed.length > 0;
  const query = isAsked ? { keys: decision } : {};
  return (
    <ConfirmRequest
      text={hasLeft ? text.leftText : text.removeText}
      label={hasLeft ? text.decide[decision] : text.remove}
      request={() => dataOf(api().DELETE('/v1/people/{personId}', { params: { path: { personId: id }, query } }))}
      onDone={async () => {
        onClose();
        announce(hasLeft ? text.decided : text.removed(nameOf(person, text.unnamed)));
        await Promise.all([invalidatePeople(queryClient), invalidateApiKeys(queryClient)]);
      }}
      onCancel={onClose}
    >
      {isAsked && (
        <>
          {listed.length > 0 && (
            <ul aria-label={text.keys}>
              {listed.slice(0, SHOWN_KEYS).map((key) => (
                <li key={key.id}>
                  {key.name} <small className="value">{key.display}</small>
                </li>
              ))}
              {listed.length > SHOWN_KEYS && <li>{text.moreKeys}</li>}
            </ul>
          )}
          <NativeSelect
            label={text.keysQuestion}
            value={decision}
            onChange={({ currentTarget }) => setDecision(currentTarget.value === 'keep' ? 'keep' : 'revoke')}
            data={[
              { value: 'revoke', label: text.decide.revoke },
              { value: 'keep', label: text.decide.keep },
            ]}
          />
        </>
      )}
    </ConfirmRequest>
  );
}
