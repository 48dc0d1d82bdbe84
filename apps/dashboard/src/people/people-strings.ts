import type { Role, SignInRefusal, SomeApiKeys } from '@pets/contracts';

const names = { owner: 'Owner', admin: 'Admin', developer: 'Developer', viewer: 'Viewer' } as const satisfies Record<
  Role,
  string
>;

export const peopleStrings = {
  title: 'People',
  none: 'Nobody has signed in with an identity provider yet',
  noneText: 'Invite people. They sign in with the operator’s identity provider.',
  noProvider: 'You can invite people once the operator has set up sign-in with an identity provider.',
  name: 'Name',
  role: 'Role',
  roles: names,
  roleTexts: {
    owner: 'everything',
    admin: 'everything except owners',
    developer: 'animals, orders, projects and domains',
    viewer: 'reads only',
  } as const satisfies Record<Role, string>,
  lastSignIn: 'Last sign-in',
  actions: 'Actions',
  unnamed: 'Without a name',
  you: '(you)',
  changeRole: 'Change role',
  changeRoleOf: (name: string) => `Change the role of ${name}`,
  save: 'Save role',
  changed: (name: string, role: Role) => `${name} is now ${names[role]}.`,
  remove: 'Remove',
  removeTitle: (name: string) => `Remove ${name}?`,
  removeText:
    'Their sessions end within a second, and their invitations stop working. To come back, they need an invitation.',
  keys: 'API keys of this person',
  keysLoading: 'Looking for API keys…',
  keysQuestion: 'API keys that they made, and keys made with those',
  moreKeys: '… and more: see the page of API keys.',
  decide: { revoke: 'Revoke these keys', keep: 'Keep these keys' },
  decided: 'Decided about the keys.',
  leftText: 'The identity provider ended the membership. API keys that the person made are still valid.',
  leftTitle: 'API keys of a person who left',
  decideAbout: 'Decide about these keys',
  toPeople: 'Decide about the keys',
  toLog: 'Open the audit log',
  roleHint: 'API keys that they made, or that were made with those, end if they have scopes that the new role lacks.',
  ended: (keys: SomeApiKeys | undefined) =>
    keys === undefined || keys.total === 0
      ? ''
      : ` Revoked keys with more scopes (${keys.total}): ${keys.first.map(({ name }) => name).join(', ')}.`,
  removed: (name: string) => `${name} removed.`,
  invite: 'Invite person',
  inviteFor: 'Name',
  inviteHint: 'Shown only in the list of invitations.',
  link: 'Invitation link',
  sent: 'I have saved this link',
  invitations: 'Invitations',
  noInvitations: 'No open invitations.',
  expires: 'Expires',
  deleteInvitation: 'Delete invitation',
  deleteInvitationOf: (name: string) => `Delete the invitation of ${name}?`,
  deleteText: 'Its link stops working.',
  deleted: (name: string) => `Invitation of ${name} deleted.`,
  readOnly: (role: Role) =>
    `Your role, ${names[role]}, lets you read this page but not change it. Ask an owner or an admin for another role.`,
  accept: {
    title: 'Invitation',
    signedIn: 'You are signed in already. To use the invitation as somebody else, sign out and open its link again.',
    text: 'You have been invited. Sign in to accept the invitation.',
    unavailable: 'Invitations need an identity provider, which the operator has not set up.',
    back: 'Go to projects',
  },
} as const;

/** Reasons why a sign-in with the identity provider failed, and what to do. */
const refusalTexts = {
  expired: () => 'The sign-in took longer than ten minutes, or was started in another browser. Sign in again.',
  denied: () => 'You cancelled the sign-in, or the identity provider does not allow it. Sign in again.',
  provider_failed: () =>
    'The identity provider’s answer could not be verified. Sign in again. If it fails again, ask the operator.',
  provider_unavailable: () => 'The identity provider does not answer. Try again shortly.',
  no_organization: (name) => `${signedInAs(name)}, but belong to no organization here. Ask an owner for an invitation.`,
  removed: (name) => `${signedInAs(name)}, but were removed from the organization. Ask an owner for an invitation.`,
  invitation_invalid: (name) =>
    `${signedInAs(name)}, but the invitation was used, deleted, or has expired. Ask for another one.`,
  already_member: (name) =>
    `${signedInAs(name)}, and belong to another organization already. A person belongs to one: ask an owner there to remove you first.`,
  other_organization: (name) =>
    `${signedInAs(name)}, but the identity provider assigns you to another organization. Ask an owner of your organization to remove you first.`,
  organization_full: (name) => `${signedInAs(name)}, but the organization has the maximum number of people.`,
} as const satisfies Record<SignInRefusal['reason'], (name: string | null) => string>;

function signedInAs(name: string | null): string {
  return name === null ? 'You are signed in at the identity provider' : `You are signed in as ${name}`;
}

/** Returns why the last sign-in failed. An API of the next version may send a reason that is not known here. */
export function refusalText({ reason, name }: SignInRefusal): string {
  const texts: Partial<Record<string, (name: string | null) => string>> = refusalTexts;
  return (texts[reason] ?? refusalTexts.provider_failed)(name);
}
