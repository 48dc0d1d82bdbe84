import { rolesWithin, type Notice, type OperationId, type Organization, type Role, type Scope } from '@pets/contracts';
import { useQuery } from '@tanstack/react-query';
import { organizationQuery } from '../projects/projects.queries.js';
import { useSession } from './session.js';

/** The scopes of the operations that need one: `build/operation-scopes.ts` takes them from the description of the API. */
declare const OPERATION_SCOPES: Readonly<Partial<Record<OperationId, Scope>>>;

/** Whether the caller has the scopes of all these operations. */
export type May = (...operations: readonly OperationId[]) => boolean;

/**
 * Tells controls which operations the caller may use. A control whose operation is refused is left out:
 * `may('addDomain') && <Button …>`. Where that would hide something worth reading, such as a form, it is disabled and
 * described by the notice of the shell.
 */
export function useMay(): May {
  const scopes = useScopes() ?? [];
  return (...operations) => missingOf(operations, scopes) === null;
}

/** The first scope that the caller lacks for these operations; null for none, and until the scopes are known. */
export function useMissingScope(operations: readonly OperationId[]): Scope | null {
  const scopes = useScopes();
  return scopes === undefined ? null : missingOf(operations, scopes);
}

function missingOf(operations: readonly OperationId[], scopes: readonly Scope[]): Scope | null {
  const needed = operations.map((operation) => OPERATION_SCOPES[operation]);
  return needed.find((scope) => scope !== undefined && !scopes.includes(scope)) ?? null;
}

/** The organization and the caller, unless the caller may not read them: keys can have few scopes. */
export function useOrganization() {
  const { session } = useSession();
  const mayRead = session == null || missingOf(['getOrganization'], session.scopes) === null;
  return useQuery({ ...organizationQuery, enabled: mayRead });
}

/** Undefined until the organization is loaded. */
function useCaller(): Organization['caller'] | undefined {
  return useOrganization().data?.caller;
}

/** Scopes of the session, until the organization is loaded and contains the current ones. */
function useScopes(): readonly Scope[] | undefined {
  const { session } = useSession();
  return useCaller()?.scopes ?? session?.scopes;
}

/** The scopes that the caller may give to a key. */
export function useGivenScopes(): readonly Scope[] {
  return useScopes() ?? [];
}

/** The roles that the caller may give and take. */
export function useGivenRoles(): readonly Role[] {
  return rolesWithin(useScopes() ?? []);
}

/** The person who has signed in with the identity provider; null with an API key, undefined until the API has answered. */
export function usePerson() {
  return useCaller()?.person;
}

/** Notices for owners. The API sends them to nobody else. */
export function useOwnerNotices(): readonly Notice[] {
  return useOrganization().data?.notices ?? [];
}
