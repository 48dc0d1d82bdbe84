import type { Invitation, Person } from '@pets/contracts';
import { Button, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Dialog } from '../components/dialog.js';
import { Paged } from '../components/loaded.js';
import { EmptyState } from '../components/notice.js';
import { Page, Section } from '../components/page.js';
import { DataTable } from '../components/table.js';
import { Day, Instant } from '../components/time.js';
import { useGivenRoles, useMay, useOwnerNotices, usePerson } from '../session/caller.js';
import { useSignInOptions } from '../session/session.js';
import { ChangeRole, DeleteInvitation, InvitePerson, RemovePerson } from './people-dialogs.js';
import { invitationsQuery, nameOf, peopleQuery } from './people.queries.js';
import { peopleStrings as text } from './people-strings.js';

/** The people of the organization, their roles, and invitations. */
export default function PeoplePage() {
  const people = useInfiniteQuery(peopleQuery);
  const invitations = useInfiniteQuery(invitationsQuery);
  const may = useMay();
  const { provider } = useSignInOptions();
  const [isInviting, setInviting] = useState(false);
  const [changing, setChanging] = useState<Person | null>(null);
  const [removing, setRemoving] = useState<Person | null>(null);
  const [leftId, setLeftId] = useState<string | null>(null);
  const [deleting, setDeleting] = useState<Invitation | null>(null);
  return (
    <Page
      title={text.title}
      actions={
        provider !== null && may('createInvitation') && <Button onClick={() => setInviting(true)}>{text.invite}</Button>
      }
    >
      {provider === null && <Text c="dimmed">{text.noProvider}</Text>}
      <KeysLeftBehind onDecide={setLeftId} />
      <Paged query={people}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState title={text.none} text={provider === null ? undefined : text.noneText} />
          ) : (
            <PeopleTable people={list} onChange={setChanging} onRemove={setRemoving} />
          )
        }
      </Paged>
      <Section title={text.invitations}>
        <Paged query={invitations}>
          {(list) =>
            list.length === 0 ? (
              <p className="muted">{text.noInvitations}</p>
            ) : (
              <InvitationTable invitations={list} onDelete={setDeleting} />
            )
          }
        </Paged>
      </Section>
      <InvitePerson opened={isInviting} onClose={() => setInviting(false)} />
      <Dialog
        opened={changing !== null}
        onClose={() => setChanging(null)}
        title={changing === null ? '' : text.changeRoleOf(nameOf(changing, text.unnamed))}
      >
        {changing !== null && <ChangeRole person={changing} onClose={() => setChanging(null)} />}
      </Dialog>
      <Dialog
        opened={removing !== null}
        onClose={() => setRemoving(null)}
        title={removing === null ? '' : text.removeTitle(nameOf(removing, text.unnamed))}
      >
        {removing !== null && <RemovePerson person={removing} onClose={() => setRemoving(null)} />}
      </Dialog>
      <Dialog opened={leftId !== null} onClose={() => setLeftId(null)} title={text.leftTitle}>
        {leftId !== null && (
          <RemovePerson person={{ id: leftId, name: null, email: null }} hasLeft onClose={() => setLeftId(null)} />
        )}
      </Dialog>
      <Dialog
        opened={deleting !== null}
        onClose={() => setDeleting(null)}
        title={text.deleteInvitationOf(deleting?.name ?? '')}
      >
        {deleting !== null && <DeleteInvitation invitation={deleting} onClose={() => setDeleting(null)} />}
      </Dialog>
    </Page>
  );
}

/** For owners: whom the identity provider removed, and who made keys that are still valid. */
function KeysLeftBehind({ onDecide }: { readonly onDecide: (personId: string) => void }) {
  const may = useMay();
  const people = useOwnerNotices().flatMap(({ personId, message }) =>
    personId === null ? [] : [{ personId, message }],
  );
  if (people.length === 0 || !may('removePerson')) return null;
  return (
    <Section title={text.leftTitle}>
      {people.map(({ personId, message }) => (
        <p key={personId}>
          {message}{' '}
          <Button variant="default" size="xs" onClick={() => onDecide(personId)}>
            {text.decideAbout}
          </Button>
        </p>
      ))}
    </Section>
  );
}

interface PeopleTableProps {
  readonly people: readonly Person[];
  readonly onChange: (person: Person) => void;
  readonly onRemove: (person: Person) => void;
}

function PeopleTable({ people, onChange, onRemove }: PeopleTableProps) {
  const may = useMay();
  const given = useGivenRoles();
  const self = usePerson();
  return (
    <div className="card" data-flush>
      <DataTable
        label={text.title}
        rows={people}
        keyOf={({ id }) => id}
        columns={[
          {
            header: text.name,
            kind: 'title',
            cell: (person) => (
              <>
                {nameOf(person, text.unnamed)} {person.id === self?.id && text.you}
                {person.name !== null && <small className="value">{person.email}</small>}
              </>
            ),
          },
          { header: text.role, kind: 'tight', cell: ({ role }) => text.roles[role] },
          { header: text.lastSignIn, kind: 'tight', cell: ({ lastSignInAt }) => <Instant at={lastSignInAt} /> },
          {
            header: text.actions,
            kind: 'tight',
            isShown: may('updatePerson', 'removePerson'),
            cell: (person) =>
              given.includes(person.role) && (
                <div className="row-actions">
                  <Button
                    variant="default"
                    size="xs"
                    onClick={() => onChange(person)}
                    aria-label={`${text.changeRole} ${nameOf(person, text.unnamed)}`}
                  >
                    {text.changeRole}
                  </Button>
                  <Button
                    variant="default"
                    size="xs"
                    onClick={() => onRemove(person)}
                    aria-label={`${text.remove} ${nameOf(person, text.unnamed)}`}
                  >
                    {text.remove}
                  </Button>
                </div>
              ),
          },
        ]}
      />
    </div>
  );
}

interface InvitationTableProps {
  readonly invitations: readonly Invitation[];
  readonly onDelete: (invitation: Invitation) => void;
}

function InvitationTable({ invitations, onDelete }: InvitationTableProps) {
  const may = useMay();
  const given = useGivenRoles();
  return (
    <div className="card" data-flush>
      <DataTable
        label={text.invitations}
        rows={invitations}
        keyOf={({ id }) => id}
        columns={[
          { header: text.inviteFor, kind: 'title', cell: ({ name }) => name },
          { header: text.role, kind: 'tight', cell: ({ role }) => text.roles[role] },
          { header: text.expires, kind: 'tight', cell: ({ expiresAt }) => <Day at={expiresAt} /> },
          {
            header: text.actions,
            kind: 'tight',
            isShown: may('deleteInvitation'),
            cell: (invitation) =>
              given.includes(invitation.role) && (
                <Button
                  variant="default"
                  size="xs"
                  onClick={() => onDelete(invitation)}
                  aria-label={`${text.deleteInvitation} ${invitation.name}`}
                >
                  {text.deleteInvitation}
                </Button>
              ),
          },
        ]}
      />
    </div>
  );
}
