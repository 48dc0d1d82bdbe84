import { randomUUID } from 'node:crypto';
import { Argument, Option, type Command as Program } from 'commander';
import {
  roles,
  type ChangedPerson,
  type CreatedInvitation,
  type Invitation,
  type Person,
  type RemovePersonQuery,
  type Role,
} from '@pets/contracts';
import { ApiFailure } from '../api/api.js';
import type { Command, Runner } from '../command.js';
import { CommandFailure, report } from '../outcome/outcome.js';
import { parsePathSegment } from '../program/arguments.js';
import { pluralize } from '../terminal/format.js';
import { table } from '../terminal/table.js';

type Decision = NonNullable<RemovePersonQuery['keys']>;

/** `pets people …` and `pets invitations …` */
export function addPeopleCommands(program: Program, runner: Runner): void {
  const people = program.command('people').description('manage the people who sign in to the dashboard');
  people
    .command('list')
    .description('list the people of the organization')
    .action((_options: object, command: Program) => runner(listPeople)([], command.optsWithGlobals()));
  people
    .command('role')
    .description('change the role of a person')
    .argument('<id>', 'ID of the person, from pets people list', parsePathSegment)
    .addArgument(new Argument('<role>', 'new role').choices(roles))
    .action((id: string, role: Role, _options: object, command: Program) =>
      runner(changeRole)([id, role], command.optsWithGlobals()),
    );
  people
    .command('remove')
    .description('remove a person, whose sessions end at once')
    .argument('<id>', 'ID of the person, from pets people list', parsePathSegment)
    .addOption(
      new Option(
        '--keys <decision>',
        'what becomes of the API keys that they made, and of those made with them',
      ).choices(['revoke', 'keep']),
    )
    .action((id: string, options: { keys?: Decision }, command: Program) =>
      runner(removePerson)([id, options], command.optsWithGlobals()),
    );
  const invitations = program.command('invitations').description('manage invitations of people');
  invitations
    .command('list')
    .description('list invitations that nobody has used yet')
    .action((_options: object, command: Program) => runner(listInvitations)([], command.optsWithGlobals()));
  invitations
    .command('create')
    .description('invite a person; the link is shown only once')
    .argument('<name>', 'for whom the invitation is')
    .addOption(new Option('--role <role>', 'role of the person').choices(roles).default('viewer'))
    .action((name: string, options: { role: Role }, command: Program) =>
      runner(invite)([name, options], command.optsWithGlobals()),
    );
  invitations
    .command('delete')
    .description('delete an invitation, whose link stops working')
    .argument('<id>', 'ID of the invitation, from pets invitations list', parsePathSegment)
    .action((id: string, _options: object, command: Program) =>
      runner(deleteInvitation)([id], command.optsWithGlobals()),
    );
}

const listPeople: Command<[]> = async ({ api, terminal }) => {
  const people: readonly Person[] = await api.allPages((query) => api.http.GET('/v1/people', { params: { query } }));
  const rows = people.map(({ id, name, email, role, lastSignInAt }) => [
    id,
    name ?? '',
    email ?? '',
    role,
    lastSignInAt && terminal.time(lastSignInAt),
  ]);
  const text = table(['ID', 'NAME', 'E-MAIL', 'ROLE', 'LAST SIGN-IN'], rows, terminal.width);
  return report('done', 'listed', people.length === 1 ? '1 person.' : `${people.length} people.`, {
    result: people,
    text,
  });
};

const changeRole: Command<[id: string, role: Role]> = async ({ api }, personId, role) => {
  const params = { path: { personId } };
  const person: ChangedPerson = await api.data(api.http.PATCH('/v1/people/{personId}', { params, body: { role } }));
  const message = `${person.name ?? person.email ?? person.id} is ${role} now.${endedText(person)}`;
  return report('done', 'changed', message, { result: person });
};

const removePerson: Command<[id: string, options: { keys?: Decision }]> = async ({ api }, personId, { keys }) => {
  const params = { path: { personId }, query: keys === undefined ? {} : { keys } };
  await api.result(api.http.DELETE('/v1/people/{personId}', { params })).catch((error: unknown) => {
    throw error instanceof ApiFailure && error.code === 'keys_undecided' ? withChoice(error, personId) : error;
  });
  const ofKeys = keys === undefined ? '' : `; their API keys are ${keys === 'revoke' ? 'revoked' : 'kept'}`;
  return report('done', 'removed', `Removed ${personId}. Their sessions end within a second${ofKeys}.`);
};

function withChoice({ report: refusal }: ApiFailure, personId: string): CommandFailure {
  return new CommandFailure({
    ...refusal,
    next: [
      { command: `pets people remove ${personId} --keys revoke`, when: 'to end these keys with the membership' },
      { command: `pets people remove ${personId} --keys keep`, when: 'if something else depends on them' },
    ],
  });
}

function endedText({ revokedApiKeys }: ChangedPerson): string {
  if (revokedApiKeys.total === 0) return '';
  const { total, first } = revokedApiKeys;
  const names = first.map(({ name, display }) => `${name} (${display})`).join(', ');
  return ` ${pluralize(total, 'API key')} with more scopes revoked: ${names}${total > first.length ? ', …' : '.'}`;
}

const listInvitations: Command<[]> = async ({ api, terminal }) => {
  const invitations: readonly Invitation[] = await api.allPages((query) =>
    api.http.GET('/v1/invitations', { params: { query } }),
  );
  const rows = invitations.map(({ id, name, role, expiresAt }) => [id, name, role, terminal.time(expiresAt)]);
  const text = table(['ID', 'FOR', 'ROLE', 'EXPIRES'], rows, terminal.width);
  return report('done', 'listed', `${pluralize(invitations.length, 'invitation')}.`, { result: invitations, text });
};

/** Prints only the link to standard output. The API does not return it again. */
const invite: Command<[name: string, options: { role: Role }]> = async ({ api }, name, { role }) => {
  const params = { header: { 'Idempotency-Key': randomUUID() } };
  const body = { name, role };
  const created: CreatedInvitation = await api.data(api.http.POST('/v1/invitations', { params, body }));
  const next = [{ command: `pets invitations delete ${created.id}`, when: 'if the link went to the wrong person' }];
  return report('done', 'created', `Invited ${name} as ${role}. The link works once, for seven days.`, {
    result: created,
    next,
    text: created.url,
  });
};

const deleteInvitation: Command<[id: string]> = async ({ api }, invitationId) => {
  await api.result(api.http.DELETE('/v1/invitations/{invitationId}', { params: { path: { invitationId } } }));
  return report('done', 'deleted', `Deleted ${invitationId}. Its link no longer works.`);
};
