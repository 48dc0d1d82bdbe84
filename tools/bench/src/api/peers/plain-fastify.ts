import { createHash } from 'node:crypto';
import Fastify from 'fastify';
import pg from 'pg';

/**
 * Code that a careful person writes by hand on Fastify and pg: the same key check (with the same one-second cache), keyset
 * pages, parameterized queries, JSON.stringify. No validation but the limit, no exact int64, no error shape.
 */
const { DATABASE_URL, HOST = '127.0.0.1', PORT = '0' } = process.env;
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 10 });
const fastify = Fastify();
const known = new Map<string, { organizationId: string; until: number }>();

async function organizationOf(authorization = ''): Promise<string | null> {
  const hash = createHash('sha256').update(authorization.slice('Bearer '.length)).digest();
  const id = hash.toString('base64');
  const cached = known.get(id);
  if (cached !== undefined && cached.until > Date.now()) return cached.organizationId;
  const { rows } = await pool.query<{ organization_id: string }>(
    'select organization_id from api_keys where hash = $1 and revoked_at is null',
    [hash],
  );
  const organizationId = rows[0]?.organization_id;
  if (organizationId === undefined) return null;
  known.set(id, { organizationId, until: Date.now() + 1_000 });
  return organizationId;
}

fastify.get<{ Querystring: { limit?: string; after?: string } }>('/v1/pets', async (request, reply) => {
  const organizationId = await organizationOf(request.headers.authorization);
  if (organizationId === null) return reply.status(401).send({ code: 'invalid_api_key' });
  const limit = Math.min(Number(request.query.limit ?? 20), 100);
  const { rows } = await pool.query<{ id: string; name: string; category_id: string; status: string }>(
    'select id, name, category_id, status from pets where organization_id = $1 and id > $2 order by id limit $3',
    [organizationId, request.query.after ?? 0, limit + 1],
  );
  const page = rows.slice(0, limit).map((row) => ({
    id: Number(row.id),
    name: row.name,
    categoryId: Number(row.category_id),
    status: row.status,
  }));
  if (rows.length > limit) reply.header('link', `</v1/pets?limit=${limit}&after=${page.at(-1)?.id ?? 0}>; rel="next"`);
  return reply.type('application/json').send(JSON.stringify(page));
});

fastify.post<{ Body: { name: string; categoryId: number; status?: string } }>('/v1/pets', async (request, reply) => {
  const organizationId = await organizationOf(request.headers.authorization);
  if (organizationId === null) return reply.status(401).send({ code: 'invalid_api_key' });
  const { name, categoryId, status = 'available' } = request.body;
  const { rows } = await pool.query<{ id: string }>(
    'insert into pets (organization_id, name, category_id, status) values ($1, $2, $3, $4) returning id',
    [organizationId, name, categoryId, status],
  );
  return reply.status(201).send({ id: Number(rows[0]?.id), name, categoryId, status });
});

await fastify.listen({ host: HOST, port: Number(PORT) });
process.on('SIGTERM', () => process.exit(0));
