/**
 * The guides before the operations, as `info.description`: OpenAPI tools show them first. Markdown with the headings,
 * lists, tables and code blocks that the reference at `/docs` renders.
 */
export const guides = `Custom domains for your customers: checks DNS, gets the certificate, serves the site. Comes with a small pet-store API.

## Quick start

1. **Get an API key.** The operator gives your organization its first key; \`npm start\` prints one for development. With
   it, create others in the dashboard or by \`POST /v1/api-keys\`. Store a key as a secret: it is shown only once.
2. **Send a request.** Every operation requires the key as a bearer token:

\`\`\`bash
export PETS_API_KEY="pets_test_…"

curl "https://api.pets.example/v1/projects" \\
  -H "Authorization: Bearer $PETS_API_KEY"
\`\`\`

3. **Create a project and deploy a site.** A project has a URL below the platform domain as soon as it has a deployment:

\`\`\`bash
curl "https://api.pets.example/v1/projects" \\
  -H "Authorization: Bearer $PETS_API_KEY" \\
  --json '{"slug": "shop", "name": "Shop"}'

tar -czhf site.tar.gz --exclude=.git --exclude='.env*' -C public .
curl "https://api.pets.example/v1/projects/$PROJECT/deployments" \\
  -H "Authorization: Bearer $PETS_API_KEY" \\
  -H "Content-Type: application/gzip" --data-binary @site.tar.gz
\`\`\`

4. **Add a domain.** The response contains the DNS records to create:

\`\`\`bash
curl "https://api.pets.example/v1/projects/$PROJECT/domains" \\
  -H "Authorization: Bearer $PETS_API_KEY" \\
  --json '{"name": "docs.example.com"}'
\`\`\`

5. **Create the records at your DNS provider.** We check for them, get the certificate and serve the site automatically.
   \`state\` becomes \`verified\` and then \`live\`. If something is wrong, \`issues\` says what it is and how to fix it.

## Authentication

Send a key in every request: \`Authorization: Bearer <key>\`.

- An **API key** begins with \`pets_live_\` in production and with \`pets_test_\` everywhere else. Its scopes decide what it
  may do; each operation names the scope it needs. A key can create others with at most its own scopes.
- A **session key** is valid for twelve hours. Exchange an API key for one with \`POST /v1/sessions\` where an API key
  should not be stored. Such a session cannot create API keys.
- **People** sign in to the dashboard with a key or, if the operator has set it up, with an identity provider. Their session
  is in a cookie that only the dashboard can use.

A revoked key is refused within a second, with \`401\`.

## Errors

Every error response has the same members:

\`\`\`json
{
  "code": "invalid_parameter",
  "message": "limit: must be an integer from 1 to 100",
  "status": 400,
  "errors": [{ "field": "limit", "message": "must be an integer from 1 to 100" }]
}
\`\`\`

- \`code\` is one of a closed list: decide by it in programs.
- \`message\` is for people and may change.
- \`errors\` lists all invalid fields of the request, and is absent if the error is not about fields.

A client that accepts \`application/problem+json\` gets problem details (RFC 9457). Include the \`X-Request-Id\` of the
response when you report a problem: it finds the request in our logs.

## Pagination

Lists return pages. While there is another page, the \`Link\` header contains its complete address with \`rel="next"\`; the
last page has none.

\`\`\`http
Link: <https://api.pets.example/v1/pets?limit=20&cursor=eyJ2IjoxfQ>; rel="next"
\`\`\`

Use the address unchanged and do not construct cursors: a cursor belongs to its list, filters and order. A page of a
filtered list may have fewer entries than its limit, or none, and still have a next page.

## Retries and idempotency

Repeat \`GET\`, \`PUT\` and \`DELETE\` unchanged when a response was lost. Send every \`POST\` with an \`Idempotency-Key\` that
you have not used before, such as a UUID: for 24 hours the same key with the same body gets the first response, with
\`Idempotent-Replayed: true\`, and nothing is done twice.

- Another body with the same key gets \`422 idempotency_key_reused\`.
- While the first request is in progress, the second gets \`409 idempotency_in_progress\` with \`Retry-After\`.
- \`PATCH\` takes no key: read the resource before you send it again.
- A manifest, and files of an upload, are sent again without a key.

## Rate limits

The requests of an organization share one limit, if the operator set one. Each response says how much is left:

| header | example | meaning |
| --- | --- | --- |
| \`RateLimit-Policy\` | \`"default";q=1000;w=60\` | 1000 requests (\`q\`) in 60 seconds (\`w\`) |
| \`RateLimit\` | \`"default";r=998;t=60\` | 998 requests are left (\`r\`); all are available again in 60 seconds (\`t\`) |

If none is left, the response is \`429 rate_limited\`. Wait for the seconds in \`Retry-After\`.

An organization also has a share of the server: a part of its requests may start in one second and run at the same time. Others
wait, for two seconds at most; then the response is \`429 concurrency_limited\`, and the request had no effect.

## Webhooks

An endpoint is a URL of yours that receives events as \`POST\` requests, such as \`domain.live\` or \`domain.misconfigured\`:

\`\`\`json
{
  "type": "domain.live",
  "timestamp": "2026-11-02T09:15:00.000Z",
  "sequence": 7,
  "data": { "name": "docs.example.com", "state": "live" }
}
\`\`\`

\`data\` is the complete resource. Requests are signed as [Standard Webhooks](https://www.standardwebhooks.com) specifies:
verify \`webhook-signature\` over the received bytes before you parse them. Respond with any \`2xx\` within 20 seconds and do
the work afterwards; other responses are retried. \`webhook-id\` is the same in every attempt, so you can detect
duplicates. \`sequence\` orders the events of a resource.

## Numbers and methods

Integers of format \`int64\` range from -9223372036854775808 to 9223372036854775807 and have all their digits: a client must
not parse them into a double. Every path with \`GET\` supports \`HEAD\`. \`OPTIONS\` lists the methods of a path and needs no
key.

\`If-Match\` protects what has an \`ETag\`: the configuration of domains. Everywhere else a request with entity tags in
\`If-Match\` is refused with \`412\`.`;
