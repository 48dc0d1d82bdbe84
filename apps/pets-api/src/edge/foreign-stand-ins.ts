import { isWildcard, type EdgeRoute } from '@pets/contracts';
import type { Tx } from '@pets/persistence';
import { sql } from 'kysely';

/**
 * A wildcard stands in for a host without a certificate only within its organization. Whichever of the two is published, one of
 * another organization ceases to do so in the same version: a publication does not compile the other's project.
 */
export async function endForeignStandIns(
  tx: Tx,
  changed: ReadonlyMap<string, { readonly route: EdgeRoute | null }>,
  version: bigint,
): Promise<void> {
  const hosts = [...changed].flatMap(([host, { route }]) => {
    const mayStandIn = isWildcard(host) ? route !== null : route?.wildcardUntilCertified === true;
    return mayStandIn ? [host] : [];
  });
  if (hosts.length === 0) return;
  await sql`
    update edge_routes r set version = ${version}, route = r.route - 'wildcardUntilCertified'
    from edge_routes w join projects wp on wp.id = w.project_id
    where r.route -> 'wildcardUntilCertified' is not null and w.host = '*' || substr(r.host, strpos(r.host, '.'))
      and w.route is not null and (w.host = any(${hosts}) or r.host = any(${hosts}))
      and not exists (
        select from projects rp where rp.id = r.project_id and rp.organization_id = wp.organization_id
      )`.execute(tx);
}
