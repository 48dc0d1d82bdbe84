// Made from docs/openapi.json by `npm run openapi`.

export interface paths {
    "/v1/pets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List animals
         * @description In pages, ascending by id. As long as there is more, `Link` says where. Needs the scope `pets:read`.
         */
        get: operations["listPets"];
        put?: never;
        /**
         * Add an animal
         * @description An animal is `available` unless said otherwise. Needs the scope `pets:write`.
         */
        post: operations["createPet"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/pets/{petId}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The animal.
                 * @example 10
                 */
                petId: number | bigint;
            };
            cookie?: never;
        };
        /**
         * Get an animal
         * @deprecated
         * @description Deprecated: list animals by status instead. After its sunset it answers `410`. Needs the scope `pets:read`.
         */
        get: operations["getPet"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/store/orders": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List orders
         * @description In pages, ascending by id. As long as there is more, `Link` says where. Needs the scope `orders:read`.
         */
        get: operations["listOrders"];
        put?: never;
        /**
         * Order an animal
         * @description The animal must be `available` and becomes `pending`. Of several orders at once exactly one is placed. Needs the scope `orders:write`.
         */
        post: operations["createOrder"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/store/orders/{orderId}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The order.
                 * @example 3
                 */
                orderId: number | bigint;
            };
            cookie?: never;
        };
        /**
         * Get an order
         * @description One order of the organization. Needs the scope `orders:read`.
         */
        get: operations["getOrder"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * End an order
         * @description Fulfilled, and the animal is `sold`; cancelled, and it is `available` again. Either is final. Needs the scope `orders:write`.
         */
        patch: operations["endOrder"];
        trace?: never;
    };
    "/v1/organization": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the organization
         * @description The organization of the key that asks: its plan, and what that allows. Needs the scope `projects:read`.
         */
        get: operations["getOrganization"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List projects
         * @description The projects of the organization, in order of creation. As long as there is more, `Link` says where. Needs the scope `projects:read`.
         */
        get: operations["listProjects"];
        put?: never;
        /**
         * Create a project
         * @description It is served below the platform’s domain as soon as it has a deployment. Needs the scope `projects:write`.
         */
        post: operations["createProject"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectId}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
            };
            cookie?: never;
        };
        /**
         * Get a project
         * @description One project of the organization. Needs the scope `projects:read`.
         */
        get: operations["getProject"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change a project
         * @description Fields that are left out stay as they are. The edges get it at once. Needs the scope `projects:write`.
         */
        patch: operations["updateProject"];
        trace?: never;
    };
    "/v1/projects/{projectId}/deployments": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
            };
            cookie?: never;
        };
        /**
         * List deployments
         * @description The newest hundred, newest first; the one that is served is among them, however old it is. Needs the scope `projects:read`.
         */
        get: operations["listDeployments"];
        put?: never;
        /**
         * Deploy a bundle
         * @description The bundle is checked whole before anything of it is served. It is served once this has answered. So many as `keptDeployments` says are kept; older ones are collected. Needs the scope `projects:write`.
         */
        post: operations["createDeployment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectId}/deployments/{deploymentId}/activate": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
                /**
                 * @description The deployment.
                 * @example 5f0c2c5e-7d0e-4a53-8a45-0f5ad1a3f7c2
                 */
                deploymentId: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Serve a deployment again
         * @description Back to an earlier one, or forth: at once, for all domains of the project. Repeating it changes nothing. Needs the scope `projects:write`.
         */
        post: operations["activateDeployment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectId}/deployments/{deploymentId}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
                /**
                 * @description The deployment.
                 * @example 5f0c2c5e-7d0e-4a53-8a45-0f5ad1a3f7c2
                 */
                deploymentId: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a deployment
         * @description It cannot be served again. Its files are deleted after about a day, where no other deployment has them; until then they count. Repeating it changes nothing. Needs the scope `projects:write`.
         */
        delete: operations["deleteDeployment"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectId}/domains": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
            };
            cookie?: never;
        };
        /**
         * List domains
         * @description All domains of the project, in order of their addition, without removed ones. Needs the scope `domains:read`.
         */
        get: operations["listDomains"];
        put?: never;
        /**
         * Add a domain
         * @description Answers which DNS records to create; from then on it is polled. A name that others are after is taken all the same, with an issue that says so; one that another organization holds moves here once the TXT record proves whose it is. With `pair` its twin is added as well: `pairedWith` has its id. Needs the scope `domains:write`.
         */
        post: operations["addDomain"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectId}/domains/{domain}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
                /**
                 * @description The domain’s name, or its id.
                 * @example docs.example.com
                 */
                domain: string;
            };
            cookie?: never;
        };
        /**
         * Get a domain
         * @description Everything in one read: what to create, what was seen, and what stands in the way. Needs the scope `domains:read`.
         */
        get: operations["getDomain"];
        put?: never;
        post?: never;
        /**
         * Remove a domain
         * @description From any state. Repeating it asks again whether all edges have stopped. Needs the scope `domains:write`.
         */
        delete: operations["removeDomain"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectId}/domains/{domain}/events": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
                /**
                 * @description The domain’s name, or its id.
                 * @example docs.example.com
                 */
                domain: string;
            };
            cookie?: never;
        };
        /**
         * Read a domain’s history
         * @description What happened to it, by whom and why, in order. As long as there is more, `Link` says where. Needs the scope `domains:read`.
         */
        get: operations["listDomainEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectId}/events": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
            };
            cookie?: never;
        };
        /**
         * Read a project’s history
         * @description That of all its domains, removed ones too, in one order. As long as there is more, `Link` says where. To a client that accepts `text/event-stream` it is told as it happens: `ready` says after which line the stream goes on, `history` is a line, with its number as id, and `changed` hints that a domain is to be read again though its history says nothing of it. `Last-Event-ID` resumes without gaps or repeats (`0`: from the first line); without it the stream begins with what happens from now on. A quiet stream has a comment every 15 seconds. It ends with its key, and when the server stops or its reader does not keep up: then open it again. Needs the scope `domains:read`.
         */
        get: operations["listProjectEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectId}/domains/{domain}/verify": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
                /**
                 * @description The domain’s name, or its id.
                 * @example docs.example.com
                 */
                domain: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check a domain’s DNS now
         * @description Several clicks before the check runs make one check. Polling starts over. Needs the scope `domains:write`.
         */
        post: operations["verifyDomain"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectId}/domains/{domain}/reverify": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
                /**
                 * @description The domain’s name, or its id.
                 * @example docs.example.com
                 */
                domain: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask for the certificate anew
         * @description For a verified domain whose certificate has not come: after a failed attempt, or after half an hour. Needs the scope `domains:write`.
         */
        post: operations["reverifyDomain"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectId}/domain-config": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
            };
            cookie?: never;
        };
        /**
         * Get the domain configuration
         * @description As it was put. Needs the scope `domains:read`.
         */
        get: operations["getDomainConfig"];
        /**
         * Replace the domain configuration
         * @description Names only domains of the project, in whatever form they are written, and as the target of a redirect its host below the platform’s domain. Chains of redirects are collapsed for visitors, not in what is kept. With `If-Match` nobody’s change is overwritten unseen. The edges get it at once. Needs the scope `domains:write`.
         */
        put: operations["putDomainConfig"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook-endpoints": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhook endpoints
         * @description In order of creation. As long as there is more, `Link` says where. Needs the scope `webhooks:read`.
         */
        get: operations["listWebhookEndpoints"];
        put?: never;
        /**
         * Make a webhook endpoint
         * @description From now on it is told of what it names. The secret that its requests are signed with is shown this once. Needs the scope `webhooks:write`.
         */
        post: operations["createWebhookEndpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook-endpoints/{endpointId}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The endpoint.
                 * @example 4f1d8a52-6f0e-4f6c-9a3b-7d2e1c0b9a88
                 */
                endpointId: string;
            };
            cookie?: never;
        };
        /**
         * Get a webhook endpoint
         * @description One endpoint of the organization. Needs the scope `webhooks:read`.
         */
        get: operations["getWebhookEndpoint"];
        put?: never;
        post?: never;
        /**
         * Delete a webhook endpoint
         * @description With its deliveries. Needs the scope `webhooks:write`.
         */
        delete: operations["deleteWebhookEndpoint"];
        options?: never;
        head?: never;
        /**
         * Change a webhook endpoint
         * @description Fields that are left out stay as they are. What waits to be sent goes to the new URL. Needs the scope `webhooks:write`.
         */
        patch: operations["updateWebhookEndpoint"];
        trace?: never;
    };
    "/v1/webhook-endpoints/{endpointId}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The endpoint.
                 * @example 4f1d8a52-6f0e-4f6c-9a3b-7d2e1c0b9a88
                 */
                endpointId: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give a webhook endpoint a new secret
         * @description For 24 hours requests are signed with the secret before it as well. The new one is shown this once. Needs the scope `webhooks:write`.
         */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook-endpoints/{endpointId}/test": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The endpoint.
                 * @example 4f1d8a52-6f0e-4f6c-9a3b-7d2e1c0b9a88
                 */
                endpointId: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Try a webhook endpoint
         * @description Sends it an event of the type `endpoint.test`, whatever it names, with the endpoint as `data`. Needs the scope `webhooks:write`.
         */
        post: operations["testWebhookEndpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook-endpoints/{endpointId}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The endpoint.
                 * @example 4f1d8a52-6f0e-4f6c-9a3b-7d2e1c0b9a88
                 */
                endpointId: string;
            };
            cookie?: never;
        };
        /**
         * List deliveries
         * @description What was and will be sent to the endpoint, newest first; kept for 30 days. Needs the scope `webhooks:read`.
         */
        get: operations["listWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook-endpoints/{endpointId}/deliveries/{deliveryId}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The endpoint.
                 * @example 4f1d8a52-6f0e-4f6c-9a3b-7d2e1c0b9a88
                 */
                endpointId: string;
                /**
                 * @description The delivery.
                 * @example d0c1b2a3-9e8f-4a7b-8c6d-5e4f3a2b1c0d
                 */
                deliveryId: string;
            };
            cookie?: never;
        };
        /**
         * Get a delivery
         * @description With the body of its requests. Needs the scope `webhooks:read`.
         */
        get: operations["getWebhookDelivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook-endpoints/{endpointId}/deliveries/{deliveryId}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The endpoint.
                 * @example 4f1d8a52-6f0e-4f6c-9a3b-7d2e1c0b9a88
                 */
                endpointId: string;
                /**
                 * @description The delivery.
                 * @example d0c1b2a3-9e8f-4a7b-8c6d-5e4f3a2b1c0d
                 */
                deliveryId: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a delivery again
         * @description Now, under the same `webhook-id`, and with all retries anew. One that is being sent is left alone. Needs the scope `webhooks:write`.
         */
        post: operations["replayWebhookDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List API keys
         * @description In order of creation, revoked and expired ones too: those of the last 90 days, and the newest 1 000 at most. As long as there is more, `Link` says where. Needs the scope `keys:read`.
         */
        get: operations["listApiKeys"];
        put?: never;
        /**
         * Make an API key
         * @description With scopes that the asking key has itself. The key is shown this once. Needs the scope `keys:write`. Only with an API key, not with a session.
         */
        post: operations["createApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api-keys/{apiKeyId}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The key’s id.
                 * @example c9a1f6de-3b52-4f0e-8c61-2f0f3ec4a7b5
                 */
                apiKeyId: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke an API key
         * @description Within a second it is refused everywhere, and so are its sessions. A revoked key stays in the list for 90 days. Needs the scope `keys:write`.
         */
        delete: operations["revokeApiKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/audit-events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List audit events
         * @description What has been changed in the organization, by whom and from where, newest first: keys, sessions, projects, domains, webhooks, plans, and what the operator did. Kept for 400 days unless the operator says otherwise. Needs the scope `audit:read`.
         */
        get: operations["listAuditEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Open a session
         * @description Exchanges an API key for a key that lasts twelve hours, with the same scopes. A key has 100 sessions at most: one more ends the one that would end first. Only with an API key, not with a session.
         */
        post: operations["createSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/current": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End the session
         * @description The session whose key is sent. Only with a session.
         */
        delete: operations["endSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description What every error is answered with. */
        Error: {
            code: components["schemas"]["ErrorCode"];
            message: string;
            /** Format: int32 */
            status: number;
            /** @description Every field at fault, 100 at most; `message` names the first. Left out where no field is at fault. */
            errors?: components["schemas"]["FieldError"][];
        };
        /**
         * @description A closed list: a client may switch over it.
         * @enum {string}
         */
        ErrorCode: "invalid_request" | "invalid_parameter" | "invalid_cursor" | "malformed_json" | "invalid_domain" | "wildcard_not_supported" | "invalid_bundle" | "redirect_cycle" | "name_reserved" | "unauthenticated" | "invalid_api_key" | "forbidden" | "suspended" | "name_blocked" | "plan_required" | "domain_limit_reached" | "webhook_limit_reached" | "project_limit_reached" | "api_key_limit_reached" | "storage_limit_reached" | "not_found" | "method_not_allowed" | "not_acceptable" | "timeout" | "conflict" | "already_exists" | "domain_exists" | "deployment_required" | "deployment_collected" | "reverify_too_early" | "idempotency_in_progress" | "gone" | "precondition_failed" | "payload_too_large" | "uri_too_long" | "unsupported_media_type" | "expectation_failed" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal" | "unavailable";
        /** @description A field that is at fault. */
        FieldError: {
            /** @description The path of the field, with dots between: `domains.redirects.0.from`. Empty: the body as a whole. */
            field: string;
            /** @description What is wrong with it. */
            message: string;
        };
        /** @description The same error by RFC 9457, for clients that accept `application/problem+json`. */
        ProblemDetails: {
            type: string;
            title: string;
            /** Format: int32 */
            status: number;
            detail: string;
            code: components["schemas"]["ErrorCode"];
            instance: string;
            /** @description As in the other form. */
            errors?: components["schemas"]["FieldError"][];
        };
        /**
         * @description Only orders change it: a placed one to `pending`, its end to what it ends in.
         * @enum {string}
         */
        PetStatus: "available" | "pending" | "sold";
        /** @description A page of animals, ascending by id. */
        Pets: components["schemas"]["Pet"][];
        /** @description An animal of the store. */
        Pet: {
            /**
             * Format: int64
             * @description Assigned by the service on creation, ascending.
             */
            id: number | bigint;
            /** @description The animal’s name: 1 to 255 characters, kept in Unicode form NFC. */
            name: string;
            /**
             * Format: int64
             * @description The category it belongs to: any signed 64-bit integer.
             */
            categoryId: number | bigint;
            status: components["schemas"]["PetStatus"];
        };
        /** @description An animal to add. */
        NewPet: {
            /** @description The animal’s name: 1 to 255 characters, kept in Unicode form NFC. */
            name: string;
            /**
             * Format: int64
             * @description The category it belongs to: any signed 64-bit integer.
             */
            categoryId: number | bigint;
            /** @default available */
            status?: components["schemas"]["PetStatus"];
        };
        /**
         * @description `placed` until it ends in one of the others, which are final.
         * @enum {string}
         */
        OrderStatus: "placed" | "fulfilled" | "cancelled";
        /** @description An order of an animal. */
        Order: {
            /**
             * Format: int64
             * @description Assigned by the service, ascending.
             */
            id: number | bigint;
            /**
             * Format: int64
             * @description The animal that is ordered; it must be available.
             */
            petId: number | bigint;
            /**
             * Format: int32
             * @description How many.
             */
            quantity: number;
            status: components["schemas"]["OrderStatus"];
            /** Format: date-time */
            createdAt: string;
        };
        /** @description An order to place. */
        NewOrder: {
            /**
             * Format: int64
             * @description The animal that is ordered; it must be available.
             */
            petId: number | bigint;
            /**
             * Format: int32
             * @description How many.
             */
            quantity: number;
        };
        /** @description The end of an order. */
        OrderChange: {
            /**
             * @description How the order ends.
             * @enum {string}
             */
            status: "fulfilled" | "cancelled";
        };
        /** @description The organization that a key belongs to, what it may have, and what it has. */
        Organization: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @enum {string} */
            plan: "free" | "pro" | "enterprise";
            /** @description By the plan, unless the operator gave the organization limits of its own. */
            limits: {
                /** @description Requests a minute, of all keys and sessions together. Null: not limited. */
                requestsPerMinute: number | null;
                /**
                 * Format: int32
                 * @description Event streams open at once on one server, of all keys and sessions together.
                 */
                eventStreams: number;
                /**
                 * Format: int32
                 * @description Deployments being uploaded at once.
                 */
                concurrentUploads: number;
                /**
                 * Format: int64
                 * @description Bytes stored for deployments.
                 */
                storageBytes: number | bigint;
                /**
                 * Format: int32
                 * @description Deployments kept of each project: those that were uploaded or activated last.
                 */
                keptDeployments: number;
                /**
                 * Format: int32
                 * @description API keys that are neither revoked nor expired.
                 */
                apiKeys: number;
                /**
                 * Format: int32
                 * @description Projects.
                 */
                projects: number;
                /**
                 * Format: int32
                 * @description Domains of each project; 0: the plan does not include custom domains.
                 */
                domainsPerProject: number;
                /**
                 * Format: int32
                 * @description Webhook endpoints.
                 */
                webhookEndpoints: number;
            };
            /** @description How much of some limits is used now. It may be more than the limit after a change of the plan. */
            usage: {
                /**
                 * Format: int32
                 * @description API keys that are neither revoked nor expired.
                 */
                apiKeys: number;
                /**
                 * Format: int32
                 * @description Projects.
                 */
                projects: number;
                /**
                 * Format: int32
                 * @description Webhook endpoints.
                 */
                webhookEndpoints: number;
                /**
                 * Format: int64
                 * @description Bytes stored, each file once; also of deployments that are not kept, for about a day.
                 */
                storageBytes: number | bigint;
            };
            /** @description When custom domains are suspended, since the plan no longer includes them; null unless that is ahead. */
            domainsEndAt: string | null;
            /** @description Why the organization is suspended; empty unless it is. */
            suspensions: components["schemas"]["Suspension"][];
        };
        /** @description Why visitors get 410. `operator`: the operator suspended it; `plan`: the plan no longer includes it; `blocked_name`: the operator blocked the name. */
        Suspension: {
            /**
             * @description What is suspended: this, or what it is part of.
             * @enum {string}
             */
            scope: "organization" | "project" | "domain";
            /** @enum {string} */
            cause: "operator" | "plan" | "blocked_name";
            /** @description For the owner. */
            reason: string;
            /** Format: date-time */
            since: string;
            /** @description Up to when certificates are renewed all the same; null: not while it is suspended. */
            renewsUntil: string | null;
        };
        /** @description Files that are served together, and the domains they are served at. */
        Project: {
            /** Format: uuid */
            id: string;
            /** @description 1 to 100 characters. */
            name: string;
            slug: string;
            /**
             * Format: uri
             * @description Where it is served: at its primary domain while that is live, else where the platform serves it.
             */
            url: string;
            /**
             * Format: uri
             * @description Where the platform serves it: `https://<slug>.<platform domain>`.
             */
            platformUrl: string;
            /** @description Null: no Strict-Transport-Security is sent. */
            hsts: components["schemas"]["Hsts"] | null;
            /** @description Why visitors get 410 at the platform’s own host; empty unless the project or its organization is suspended. */
            suspensions: components["schemas"]["Suspension"][];
            /** Format: date-time */
            createdAt: string;
        };
        /** @description Strict-Transport-Security (RFC 6797), as the edges send it over TLS for the domains of the project. */
        Hsts: {
            /**
             * Format: int32
             * @description Seconds for which browsers use HTTPS alone; 0 makes them forget it.
             */
            maxAge: number;
            /**
             * @description Whether it holds for every name below the domain as well, wherever that is served.
             * @default false
             */
            includeSubDomains?: boolean;
            /**
             * @description Whether browsers may build it in: needs includeSubDomains and a maxAge of at least 31536000.
             * @default false
             */
            preload?: boolean;
        };
        /** @description A project to create. */
        NewProject: {
            /** @description 1 to 100 characters. */
            name: string;
            /** @description The label below the platform’s domain that the project is served at; not taken, without two hyphens in a row, and not one of the names that the platform reserves for itself, such as `www`, `login` or `mta-sts`. */
            slug: string;
        };
        /** @description What is to change of a project. */
        ProjectChange: {
            /** @description 1 to 100 characters. */
            name?: string;
            /** @description Null sends the header no more; browsers go on for as long as they were told. A `maxAge` of 0 makes them forget. */
            hsts?: components["schemas"]["Hsts"] | null;
        };
        /** @description An uploaded bundle. The one that was uploaded or activated last is what the project’s domains serve. The last ones of a project are kept (`keptDeployments`); an older one is `collected`, and cannot be served again. */
        Deployment: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            projectId: string;
            /** @enum {string} */
            state: "ready" | "collected";
            /** @description Whether it is the one that is served. */
            active: boolean;
            /** @description SHA-256 of paths and contents, in hexadecimal: the same files are the same content. */
            contentHash: string;
            /** Format: int32 */
            files: number;
            /**
             * Format: int32
             * @description Unpacked.
             */
            bytes: number;
            /** Format: date-time */
            createdAt: string;
        };
        /** @description A custom domain of a project: everything in one read. */
        Domain: {
            /** Format: uuid */
            id: string;
            /** @description In LDH ASCII form (A-labels, RFC 5890). */
            name: string;
            unicodeName: string;
            /** @description The registrable domain, by the public suffix list. */
            apexName: string;
            /** Format: uuid */
            projectId: string;
            state: components["schemas"]["DomainState"];
            /** @description Live, but its DNS no longer points here. */
            misconfigured: boolean;
            /** Format: date-time */
            createdAt: string;
            verifiedAt: string | null;
            liveAt: string | null;
            removedAt: string | null;
            /**
             * Format: int32
             * @description Edges that may still serve a removed name; 0 once traffic has stopped everywhere.
             */
            pendingEdges: number;
            /** @description The domain of the project that is the same name with or without `www.`, where it is an apex. */
            pairedWith: string | null;
            /** @description What to create. */
            records: components["schemas"]["RequiredRecord"][];
            /** @description What was seen. */
            dns: {
                /** @description When a check was last asked for. */
                requestedAt: string | null;
                checkedAt: string | null;
                nextCheckAt: string | null;
                /** @description The name servers of its zone, which tell at whom its records are made. Empty until they are known. */
                nameServers: string[];
                observed: components["schemas"]["ObservedRecord"][];
                conflicts: components["schemas"]["RecordConflict"][];
            };
            /** @description Whether a TXT record must prove whose the name is. */
            ownership: {
                /** @description Whether a TXT record has to prove whose the name is: another organization has or has had it, or it is an apex, whose addresses say nothing of who asks. An apex needs none where a check finds that its `www.` name, in the same zone, points at the target of this organization, or that the apex itself does by a CNAME. */
                required: boolean;
                /** @enum {string} */
                state: "not_required" | "pending" | "proven";
                record: components["schemas"]["RequiredRecord"] | null;
            };
            certificate: components["schemas"]["DomainCertificate"] | null;
            /** @description Why visitors get 410 instead of the site; empty unless the domain is suspended. */
            suspensions: components["schemas"]["Suspension"][];
            /** @description Why it is not live yet, or what stands against its certificate. */
            issues: components["schemas"]["DomainIssue"][];
        };
        /**
         * @description `live` is proven by a TLS handshake; `removed` may still count `pendingEdges`.
         * @enum {string}
         */
        DomainState: "awaiting_dns" | "verified" | "live" | "removed";
        /** @description A DNS record to create. */
        RequiredRecord: {
            /** @enum {string} */
            type: "CNAME" | "ALIAS" | "TXT";
            /** @description As one types it at a registrar, relative to the apex: the label, or `@`. */
            name: string;
            value: string;
            /**
             * Format: int32
             * @description Seconds.
             */
            ttl: number;
            /** @enum {string} */
            purpose: "routing" | "ownership";
        };
        /** @description A DNS record that was seen. */
        ObservedRecord: {
            type: string;
            name: string;
            value: string;
            /** @description Seconds; null when the resolver does not tell. */
            ttl: number | null;
            /** @description The server that gave it. */
            resolver: string;
            /**
             * Format: int32
             * @description How many more records were seen that are not shown. Long values are cut, and end with what they had.
             */
            omitted?: number;
        };
        /** @description A DNS record that stands in the way, and what to do with it. */
        RecordConflict: {
            type: string;
            name: string;
            value: string;
            /** @enum {string} */
            action: "remove" | "change";
        };
        /** @description The certificate, or how far getting one has come. */
        DomainCertificate: {
            /** @enum {string} */
            state: "pending" | "issued" | "failed" | "expired";
            issuer: string | null;
            notBefore: string | null;
            notAfter: string | null;
            /** @description When the next one is asked for; a plan, which the certificate authority may change. Null without one. */
            renewAt: string | null;
            /**
             * Format: int32
             * @description How often one was tried for, renewals as well.
             */
            attempts: number;
            /** @description Null when none is made by itself. */
            nextAttemptAt: string | null;
            /** @description Until when the certificate authority takes no order for this name, by its word or its published limits. */
            rateLimitedUntil: string | null;
        };
        /** @description Why a domain is not live yet, and the exact fix. */
        DomainIssue: {
            /** @enum {string} */
            code: "no_record" | "cname_mismatch" | "conflicting_a" | "conflicting_aaaa" | "conflicting_records" | "proxied_by_cdn" | "apex_cname" | "apex_cname_to_us" | "apex_not_pointing_here" | "ownership_txt_missing" | "resolver_failed" | "propagating" | "caa_forbids" | "caa_too_large" | "claimed_elsewhere" | "http_unreachable" | "ca_refused" | "ca_rate_limited" | "ca_unavailable" | "not_served_yet" | "certificate_overdue" | "renewal_at_risk" | "certificate_expiring" | "certificate_expired" | "dns_lost" | "dangling_record" | "plan_ended" | "suspended";
            /** @enum {string} */
            severity: "error" | "warning" | "info";
            message: string;
            remediation: string;
            /** @description What was seen and what was expected, by name. */
            evidence: {
                [key: string]: string | number | string[];
            };
        };
        /** @description A domain to add. */
        NewDomain: {
            /** @description The host name, also in Unicode. A pasted URL is taken for its host. */
            name: string;
            /**
             * @description Adds the other of `www.<apex>` and the apex as well, and a redirect (301) from it to this name, which becomes primary where there is none.
             * @default false
             */
            pair?: boolean;
        };
        /** @description One line of a domain’s history. */
        DomainHistoryEntry: {
            /**
             * Format: int32
             * @description Ascends by one in each project.
             */
            number: number;
            /** Format: uuid */
            domainId: string;
            /** @description What happened, such as `dns.checked` or `certificate.issued`. What the owner is told of the certificate, each once: `certificate.overdue`, `certificate.renewal_at_risk`, `certificate.expiring`, `certificate.expired`. `domain.suspended` and `domain.resumed`, whose detail says why. After a removal that was answered with 202: `traffic.stopped`, when the last edge has stopped serving the domain. */
            type: string;
            from: components["schemas"]["DomainState"] | null;
            to: components["schemas"]["DomainState"];
            actor: components["schemas"]["Actor"];
            /** @description What happened, and why. */
            detail: string;
            /** Format: date-time */
            at: string;
        };
        /** @description Who has done something: an API key, or the service by itself. */
        Actor: {
            /** @enum {string} */
            kind: "api_key" | "system";
            /** @description Of the API key; null for what happened by itself. */
            id: string | null;
            /** @description How the API key is shown in lists. */
            display: string | null;
        };
        /** @description Which of a project’s domains is primary, and which redirect. */
        DomainConfig: {
            domains: {
                /** @description The domain that the project goes by: its `url`, as soon as visitors can use it. */
                primary?: string;
                /** @default [] */
                redirects?: components["schemas"]["Redirect"][];
            };
            /** @description Whether the platform’s own host of the project redirects to the primary domain, with 308. It serves the site while the primary domain cannot be visited. Needs `domains.primary`. */
            platformRedirect?: boolean;
        };
        /** @description Sends the visitors of one domain to another, with path and query. */
        Redirect: {
            /** @description A domain of the project. */
            from: string;
            /** @description Another one, or the platform’s own host of the project. */
            to: string;
            /**
             * Format: int32
             * @description The status that visitors get.
             * @enum {integer}
             */
            status: 301 | 302 | 307 | 308;
        };
        /** @description An endpoint, without its secret. */
        WebhookEndpoint: {
            /** Format: uuid */
            id: string;
            url: string;
            description: string | null;
            eventTypes: components["schemas"]["WebhookEventType"][];
            projectId: string | null;
            enabled: boolean;
            /** @description `owner`: by a request; `gone`: it answered 410; `failing`: nothing has reached it for days. */
            disabledReason: ("owner" | "gone" | "failing") | null;
            disabledAt: string | null;
            /** @description When it first failed after it last took something; null if it has not. */
            failingSince: string | null;
            /** @description Until when the secret before this one signs as well; null when it does not. */
            previousSecretUntil: string | null;
            /** Format: date-time */
            createdAt: string;
        };
        /**
         * @description What has happened. The part before the first dot is the kind of resource that comes as `data`.
         * @enum {string}
         */
        WebhookEventType: "domain.added" | "domain.verified" | "domain.verification_failed" | "domain.certificate.issued" | "domain.certificate.renewed" | "domain.certificate.failed" | "domain.live" | "domain.misconfigured" | "domain.suspended" | "domain.resumed" | "domain.removed" | "pet.created" | "order.created";
        /** @description An endpoint to make. */
        NewWebhookEndpoint: {
            /**
             * Format: uri
             * @description Where requests are sent: https, without user name, password or fragment.
             */
            url: string;
            /** @default null */
            description?: string | null;
            /** @description What it is told of. */
            eventTypes: components["schemas"]["WebhookEventType"][];
            /**
             * @description Only what happens to domains of this project. Null: all of the organization, animals and orders too.
             * @default null
             */
            projectId?: string | null;
        };
        /** @description An endpoint with its new secret. */
        CreatedWebhookEndpoint: {
            /** Format: uuid */
            id: string;
            url: string;
            description: string | null;
            eventTypes: components["schemas"]["WebhookEventType"][];
            projectId: string | null;
            enabled: boolean;
            /** @description `owner`: by a request; `gone`: it answered 410; `failing`: nothing has reached it for days. */
            disabledReason: ("owner" | "gone" | "failing") | null;
            disabledAt: string | null;
            /** @description When it first failed after it last took something; null if it has not. */
            failingSince: string | null;
            /** @description Until when the secret before this one signs as well; null when it does not. */
            previousSecretUntil: string | null;
            /** Format: date-time */
            createdAt: string;
            /** @description `whsec_` and base64: what requests are signed with. It is shown this once. */
            secret: string;
        };
        /** @description What is to change of an endpoint. */
        WebhookEndpointChange: {
            /**
             * Format: uri
             * @description Where requests are sent: https, without user name, password or fragment.
             */
            url?: string;
            description?: string | null;
            /** @description What it is told of. */
            eventTypes?: components["schemas"]["WebhookEventType"][];
            /** @description False: nothing is sent any more, and what waits to be sent has failed. True: from now on it is told again, whatever it was disabled for. */
            enabled?: boolean;
        };
        /** @description Something that happened, on its way to one endpoint. */
        WebhookDelivery: {
            /**
             * Format: uuid
             * @description The `webhook-id` of its requests: the same in every try and replay.
             */
            id: string;
            /** Format: uuid */
            endpointId: string;
            /** @enum {string} */
            type: "domain.added" | "domain.verified" | "domain.verification_failed" | "domain.certificate.issued" | "domain.certificate.renewed" | "domain.certificate.failed" | "domain.live" | "domain.misconfigured" | "domain.suspended" | "domain.resumed" | "domain.removed" | "pet.created" | "order.created" | "endpoint.test";
            /** @description The resource that it is about, by id. */
            subjectId: string;
            /**
             * Format: int32
             * @description Ascends with each event of the resource.
             */
            sequence: number;
            /** @enum {string} */
            state: "pending" | "delivered" | "failed";
            /**
             * Format: date-time
             * @description When it happened: the `timestamp` of its body.
             */
            createdAt: string;
            deliveredAt: string | null;
            /** @description Null when none is made by itself. */
            nextAttemptAt: string | null;
            /** @description The newest twenty, in order. */
            attempts: components["schemas"]["WebhookAttempt"][];
        };
        /** @description One try at a delivery. */
        WebhookAttempt: {
            /** Format: int32 */
            number: number;
            /**
             * Format: date-time
             * @description When the request was begun.
             */
            at: string;
            /** @description HTTP status of the answer; null when none came. */
            status: number | null;
            /** Format: int32 */
            durationMs: number;
            /** @description Why it does not count as delivered; null when it does. */
            error: string | null;
            /** @description How the body of the answer begins, 1 KiB at most; null without an answer. */
            bodyStart: string | null;
        };
        /** @description A delivery with what is sent. */
        WebhookDeliveryWithBody: {
            /**
             * Format: uuid
             * @description The `webhook-id` of its requests: the same in every try and replay.
             */
            id: string;
            /** Format: uuid */
            endpointId: string;
            /** @enum {string} */
            type: "domain.added" | "domain.verified" | "domain.verification_failed" | "domain.certificate.issued" | "domain.certificate.renewed" | "domain.certificate.failed" | "domain.live" | "domain.misconfigured" | "domain.suspended" | "domain.resumed" | "domain.removed" | "pet.created" | "order.created" | "endpoint.test";
            /** @description The resource that it is about, by id. */
            subjectId: string;
            /**
             * Format: int32
             * @description Ascends with each event of the resource.
             */
            sequence: number;
            /** @enum {string} */
            state: "pending" | "delivered" | "failed";
            /**
             * Format: date-time
             * @description When it happened: the `timestamp` of its body.
             */
            createdAt: string;
            deliveredAt: string | null;
            /** @description Null when none is made by itself. */
            nextAttemptAt: string | null;
            /** @description The newest twenty, in order. */
            attempts: components["schemas"]["WebhookAttempt"][];
            /** @description The body of its requests, as it is sent: JSON text. */
            body: string;
        };
        /** @description An API key, without the key itself. */
        ApiKey: {
            /** Format: uuid */
            id: string;
            /** @description 1 to 100 characters, to know the key by. */
            name: string;
            /** @description The key’s prefix and last four characters, to tell keys apart. */
            display: string;
            scopes: components["schemas"]["Scope"][];
            /** Format: date-time */
            createdAt: string;
            expiresAt: string | null;
            /** @description To the minute; null when it has not been used. */
            lastUsedAt: string | null;
            revokedAt: string | null;
        };
        /**
         * @description What a key may do.
         * @enum {string}
         */
        Scope: "pets:read" | "pets:write" | "orders:read" | "orders:write" | "domains:read" | "domains:write" | "projects:read" | "projects:write" | "webhooks:read" | "webhooks:write" | "keys:read" | "keys:write" | "audit:read";
        /** @description A key to make. */
        NewApiKey: {
            /** @description 1 to 100 characters, to know the key by. */
            name: string;
            /** @description Of those that the asking key has itself. */
            scopes: components["schemas"]["Scope"][];
            /**
             * Format: date-time
             * @description In the future, before the year 10000 in UTC. Left out: the key lasts until it is revoked.
             */
            expiresAt?: string;
        };
        /** @description A new API key. */
        CreatedApiKey: {
            /** Format: uuid */
            id: string;
            /** @description 1 to 100 characters, to know the key by. */
            name: string;
            /** @description The key’s prefix and last four characters, to tell keys apart. */
            display: string;
            scopes: components["schemas"]["Scope"][];
            /** Format: date-time */
            createdAt: string;
            expiresAt: string | null;
            /** @description To the minute; null when it has not been used. */
            lastUsedAt: string | null;
            revokedAt: string | null;
            /** @description The key itself. It is shown this once. */
            secret: string;
        };
        /** @description One change: what was done, by whom, from where, and to what. */
        AuditEvent: {
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            at: string;
            /** @description What was done: `organization.created`, `organization.plan_changed`, `organization.limit_changed`, `organization.suspended`, `organization.resumed`, `api_key.created`, `api_key.revoked`, `session.opened`, `session.ended`, `project.created`, `project.changed`, `project.config_changed`, `project.suspended`, `project.resumed`, `deployment.created`, `deployment.activated`, `deployment.deleted`, `domain.added`, `domain.verify_requested`, `domain.reverify_requested`, `domain.removed`, `domain.suspended`, `domain.resumed`, `certificate.revocation_requested`, `webhook_endpoint.created`, `webhook_endpoint.changed`, `webhook_endpoint.secret_rotated`, `webhook_endpoint.tested`, `webhook_endpoint.deleted`, `webhook_delivery.replayed`. */
            type: string;
            actor: components["schemas"]["AuditActor"];
            /** @description The address that the request came from; null for an operator. */
            address: string | null;
            /** @description The `X-Request-Id` of the answer; null for an operator. */
            requestId: string | null;
            /** @description What was changed. */
            subject: {
                /** @enum {string} */
                kind: "organization" | "api_key" | "session" | "project" | "deployment" | "domain" | "certificate" | "webhook_endpoint" | "webhook_delivery";
                id: string;
            };
            /** @description What is worth knowing besides, by name; never a secret. */
            detail: {
                [key: string]: string | number | boolean | null | string[];
            };
        };
        /** @description Who has changed something. */
        AuditActor: {
            /** @enum {string} */
            kind: "api_key" | "session" | "operator" | "system";
            /** @description Of the API key, also of a session’s; null for an operator and for the service. */
            id: string | null;
            /** @description How the API key is shown in lists, also once it was deleted; the name that an operator gave. */
            display: string | null;
        };
        /** @description A new session. */
        CreatedSession: {
            /** @description A bearer key with the scopes of the API key. It is shown this once. */
            secret: string;
            /**
             * Format: date-time
             * @description Twelve hours from now, or when the API key ends.
             */
            expiresAt: string;
        };
    };
    responses: {
        /** @description The request is not acceptable. */
        BadRequest: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                traceparent: components["headers"]["traceparent"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "application/problem+json": components["schemas"]["ProblemDetails"];
            };
        };
        /** @description There is no valid key. */
        Unauthenticated: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                traceparent: components["headers"]["traceparent"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "application/problem+json": components["schemas"]["ProblemDetails"];
            };
        };
        /** @description The key, or the organization’s plan, does not allow this. */
        Forbidden: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                traceparent: components["headers"]["traceparent"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "application/problem+json": components["schemas"]["ProblemDetails"];
            };
        };
        /** @description The path does not have this method. */
        MethodNotAllowed: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                traceparent: components["headers"]["traceparent"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                Allow: components["headers"]["Allow"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "application/problem+json": components["schemas"]["ProblemDetails"];
            };
        };
        /** @description The client accepts no form in which this can be answered. */
        NotAcceptable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                traceparent: components["headers"]["traceparent"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "application/problem+json": components["schemas"]["ProblemDetails"];
            };
        };
        /** @description The request did not arrive in time. */
        RequestTimeout: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                traceparent: components["headers"]["traceparent"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "application/problem+json": components["schemas"]["ProblemDetails"];
            };
        };
        /** @description The URL is too long. */
        UriTooLong: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                traceparent: components["headers"]["traceparent"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "application/problem+json": components["schemas"]["ProblemDetails"];
            };
        };
        /** @description The expectation cannot be met. */
        ExpectationFailed: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                traceparent: components["headers"]["traceparent"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "application/problem+json": components["schemas"]["ProblemDetails"];
            };
        };
        /** @description The organization has made more requests, or has more streams open, than it may. */
        TooManyRequests: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                traceparent: components["headers"]["traceparent"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "application/problem+json": components["schemas"]["ProblemDetails"];
            };
        };
        /** @description The header section is too large. */
        HeadersTooLarge: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                traceparent: components["headers"]["traceparent"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "application/problem+json": components["schemas"]["ProblemDetails"];
            };
        };
        /** @description Something went wrong on our side. */
        InternalServerError: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                traceparent: components["headers"]["traceparent"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "application/problem+json": components["schemas"]["ProblemDetails"];
            };
        };
        /** @description The service cannot do this now. */
        ServiceUnavailable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                traceparent: components["headers"]["traceparent"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "application/problem+json": components["schemas"]["ProblemDetails"];
            };
        };
        /** @description The body is too large. */
        PayloadTooLarge: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                traceparent: components["headers"]["traceparent"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "application/problem+json": components["schemas"]["ProblemDetails"];
            };
        };
        /** @description The body is of a type that is not taken. */
        UnsupportedMediaType: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                traceparent: components["headers"]["traceparent"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "application/problem+json": components["schemas"]["ProblemDetails"];
            };
        };
        /** @description The state of things forbids this. */
        Conflict: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                traceparent: components["headers"]["traceparent"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "application/problem+json": components["schemas"]["ProblemDetails"];
            };
        };
        /** @description The Idempotency-Key belongs to another request. */
        UnprocessableContent: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                traceparent: components["headers"]["traceparent"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "application/problem+json": components["schemas"]["ProblemDetails"];
            };
        };
        /** @description There is no such thing. */
        NotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                traceparent: components["headers"]["traceparent"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "application/problem+json": components["schemas"]["ProblemDetails"];
            };
        };
        /** @description The thing is not the one that the request is meant for. */
        PreconditionFailed: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                traceparent: components["headers"]["traceparent"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "application/problem+json": components["schemas"]["ProblemDetails"];
            };
        };
    };
    parameters: {
        /**
         * @description What the request is to go by in our logs. One that is not acceptable is replaced.
         * @example 4e1c3f0a-8a52-4c57-9a39-0c1f6d2b7e55
         */
        RequestId: string;
        /**
         * @description The trace that the request belongs to, by W3C Trace Context.
         * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
         */
        TraceParent: string;
        /**
         * @description Makes repeating safe: for 24 hours the same key with the same body is answered the same, without doing it again. Bare or in quotes.
         * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
         */
        IdempotencyKey: string;
        /**
         * @description Of a stream: the id of the last event that was seen, behind which it goes on; `0` for the beginning.
         * @example 4
         */
        LastEventId: string;
        /**
         * @description Only if it still is the one with this `ETag`, or one of several; `*`: whichever it is.
         * @example "Qg5vKcbcWnFOLP_fq8L2dlbXqYGGWHk3kNnxXzkS2sc"
         */
        IfMatch: string;
        /**
         * @description Only if it is not the one with this `ETag`, nor one of several: reading it is answered 304 then.
         * @example "Qg5vKcbcWnFOLP_fq8L2dlbXqYGGWHk3kNnxXzkS2sc"
         */
        IfNoneMatch: string;
    };
    requestBodies: never;
    headers: {
        /**
         * @description What the request goes by in our logs: the client’s own, if it sent an acceptable one.
         * @example 4e1c3f0a-8a52-4c57-9a39-0c1f6d2b7e55
         */
        "X-Request-Id": string;
        /**
         * @description The trace that the request belongs to, by W3C Trace Context.
         * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
         */
        traceparent: string;
        /**
         * @description Nothing that a key is needed for may be kept.
         * @example no-store
         */
        "Cache-Control": "no-store";
        /**
         * @description The content type is meant.
         * @example nosniff
         */
        "X-Content-Type-Options": "nosniff";
        /**
         * @description How many requests (`q`) an organization may make in how many seconds (`w`), where a limit is set.
         * @example "default";q=1000;w=60
         */
        "RateLimit-Policy": string;
        /**
         * @description How many are left (`r`), and in how many seconds (`t`) there are more, where a limit is set.
         * @example "default";r=999;t=60
         */
        RateLimit: string;
        /**
         * @description Seconds after which to ask again.
         * @example 30
         */
        "Retry-After": number;
        /**
         * @description What the key is or lacks, by RFC 6750.
         * @example Bearer realm="pets-api", error="insufficient_scope", scope="pets:write"
         */
        "WWW-Authenticate": string;
        /**
         * @description The methods that the path has.
         * @example GET, HEAD, OPTIONS, POST
         */
        Allow: string;
        /**
         * @description Where the new thing is.
         * @example /v1/pets/10
         */
        Location: string;
        /**
         * @description By RFC 8288. `rel="next"`: the next page; none on the last one. On a deprecated operation: `successor-version`, `deprecation` and `sunset`.
         * @example <https://api.pets.example/v1/pets?limit=20&cursor=eyJ2IjoxfQ>; rel="next"
         */
        Link: string;
        /**
         * @description Of a stream: proxies are to pass it on at once.
         * @example no
         */
        "X-Accel-Buffering": "no";
        /**
         * @description Tells this one from any other, by RFC 9110 §8.8.3: for `If-Match` and `If-None-Match`.
         * @example "Qg5vKcbcWnFOLP_fq8L2dlbXqYGGWHk3kNnxXzkS2sc"
         */
        ETag: string;
        /**
         * @description Since when the operation is deprecated, by RFC 9745.
         * @example @1764547200
         */
        Deprecation: string;
        /**
         * @description When the operation ends, by RFC 8594.
         * @example Thu, 05 Dec 2030 00:00:00 GMT
         */
        Sunset: string;
        /**
         * @description The answer is the stored one of the first request with this `Idempotency-Key`.
         * @example true
         */
        "Idempotent-Replayed": "true";
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listPets: {
        parameters: {
            query?: {
                /** @description How many at most. */
                limit?: number;
                /** @description Where to go on: from the `Link` of the page before, never made by hand. */
                cursor?: string;
                /** @description Only animals of this status. */
                status?: components["schemas"]["PetStatus"];
            };
            header?: {
                /**
                 * @description What the request is to go by in our logs. One that is not acceptable is replaced.
                 * @example 4e1c3f0a-8a52-4c57-9a39-0c1f6d2b7e55
                 */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /**
                 * @description The trace that the request belongs to, by W3C Trace Context.
                 * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
                 */
                traceparent?: components["parameters"]["TraceParent"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of animals. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    traceparent: components["headers"]["traceparent"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": 10,
                     *         "name": "Rex",
                     *         "categoryId": 1,
                     *         "status": "available"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Pets"];
                };
            };
            /** @description The request is not acceptable. `invalid_request`, `invalid_parameter`, `invalid_cursor`. */
            400: components["responses"]["BadRequest"];
            /** @description There is no valid key. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`. */
            403: components["responses"]["Forbidden"];
            /** @description The path does not have this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts no form in which this can be answered. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The URL is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The expectation cannot be met. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization has made more requests, or has more streams open, than it may. `rate_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service cannot do this now. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createPet: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes repeating safe: for 24 hours the same key with the same body is answered the same, without doing it again. Bare or in quotes.
                 * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description What the request is to go by in our logs. One that is not acceptable is replaced.
                 * @example 4e1c3f0a-8a52-4c57-9a39-0c1f6d2b7e55
                 */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /**
                 * @description The trace that the request belongs to, by W3C Trace Context.
                 * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
                 */
                traceparent?: components["parameters"]["TraceParent"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Rex",
                 *       "categoryId": 1,
                 *       "status": "available"
                 *     }
                 */
                "application/json": components["schemas"]["NewPet"];
            };
        };
        responses: {
            /** @description The animal, with its id. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    traceparent: components["headers"]["traceparent"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 10,
                     *       "name": "Rex",
                     *       "categoryId": 1,
                     *       "status": "available"
                     *     }
                     */
                    "application/json": components["schemas"]["Pet"];
                };
            };
            /** @description The request is not acceptable. `invalid_request`, `invalid_parameter`, `malformed_json`. */
            400: components["responses"]["BadRequest"];
            /** @description There is no valid key. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`, `suspended`. */
            403: components["responses"]["Forbidden"];
            /** @description The path does not have this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts no form in which this can be answered. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The state of things forbids this. `idempotency_in_progress`. */
            409: components["responses"]["Conflict"];
            /** @description The body is too large. `payload_too_large`. */
            413: components["responses"]["PayloadTooLarge"];
            /** @description The URL is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The body is of a type that is not taken. `unsupported_media_type`. */
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The expectation cannot be met. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The Idempotency-Key belongs to another request. `idempotency_key_reused`. */
            422: components["responses"]["UnprocessableContent"];
            /** @description The organization has made more requests, or has more streams open, than it may. `rate_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service cannot do this now. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getPet: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description What the request is to go by in our logs. One that is not acceptable is replaced.
                 * @example 4e1c3f0a-8a52-4c57-9a39-0c1f6d2b7e55
                 */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /**
                 * @description The trace that the request belongs to, by W3C Trace Context.
                 * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
                 */
                traceparent?: components["parameters"]["TraceParent"];
            };
            path: {
                /**
                 * @description The animal.
                 * @example 10
                 */
                petId: number | bigint;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The animal. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    traceparent: components["headers"]["traceparent"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    Deprecation: components["headers"]["Deprecation"];
                    Sunset: components["headers"]["Sunset"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 10,
                     *       "name": "Rex",
                     *       "categoryId": 1,
                     *       "status": "available"
                     *     }
                     */
                    "application/json": components["schemas"]["Pet"];
                };
            };
            /** @description The request is not acceptable. `invalid_request`, `invalid_parameter`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    traceparent: components["headers"]["traceparent"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    Deprecation: components["headers"]["Deprecation"];
                    Sunset: components["headers"]["Sunset"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description There is no valid key. `unauthenticated`, `invalid_api_key`. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    traceparent: components["headers"]["traceparent"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    Deprecation: components["headers"]["Deprecation"];
                    Sunset: components["headers"]["Sunset"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    traceparent: components["headers"]["traceparent"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    Deprecation: components["headers"]["Deprecation"];
                    Sunset: components["headers"]["Sunset"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description There is no such thing. `not_found`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    traceparent: components["headers"]["traceparent"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    Deprecation: components["headers"]["Deprecation"];
                    Sunset: components["headers"]["Sunset"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description The path does not have this method. `method_not_allowed`. */
            405: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    traceparent: components["headers"]["traceparent"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    Allow: components["headers"]["Allow"];
                    Deprecation: components["headers"]["Deprecation"];
                    Sunset: components["headers"]["Sunset"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description The client accepts no form in which this can be answered. `not_acceptable`. */
            406: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    traceparent: components["headers"]["traceparent"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    Deprecation: components["headers"]["Deprecation"];
                    Sunset: components["headers"]["Sunset"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description The request did not arrive in time. `timeout`. */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    traceparent: components["headers"]["traceparent"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    Deprecation: components["headers"]["Deprecation"];
                    Sunset: components["headers"]["Sunset"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description The operation has ended. `gone`. */
            410: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    traceparent: components["headers"]["traceparent"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    Deprecation: components["headers"]["Deprecation"];
                    Sunset: components["headers"]["Sunset"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description The URL is too long. `uri_too_long`. */
            414: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    traceparent: components["headers"]["traceparent"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    Deprecation: components["headers"]["Deprecation"];
                    Sunset: components["headers"]["Sunset"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description The expectation cannot be met. `expectation_failed`. */
            417: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    traceparent: components["headers"]["traceparent"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    Deprecation: components["headers"]["Deprecation"];
                    Sunset: components["headers"]["Sunset"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description The organization has made more requests, or has more streams open, than it may. `rate_limited`. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    traceparent: components["headers"]["traceparent"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    Deprecation: components["headers"]["Deprecation"];
                    Sunset: components["headers"]["Sunset"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description The header section is too large. `headers_too_large`. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    traceparent: components["headers"]["traceparent"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    Deprecation: components["headers"]["Deprecation"];
                    Sunset: components["headers"]["Sunset"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Something went wrong on our side. `internal`. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    traceparent: components["headers"]["traceparent"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    Deprecation: components["headers"]["Deprecation"];
                    Sunset: components["headers"]["Sunset"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description The service cannot do this now. `unavailable`. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    traceparent: components["headers"]["traceparent"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    Deprecation: components["headers"]["Deprecation"];
                    Sunset: components["headers"]["Sunset"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    listOrders: {
        parameters: {
            query?: {
                /** @description How many at most. */
                limit?: number;
                /** @description Where to go on: from the `Link` of the page before, never made by hand. */
                cursor?: string;
                /** @description Only orders of this status. */
                status?: components["schemas"]["OrderStatus"];
            };
            header?: {
                /**
                 * @description What the request is to go by in our logs. One that is not acceptable is replaced.
                 * @example 4e1c3f0a-8a52-4c57-9a39-0c1f6d2b7e55
                 */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /**
                 * @description The trace that the request belongs to, by W3C Trace Context.
                 * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
                 */
                traceparent?: components["parameters"]["TraceParent"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of orders. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    traceparent: components["headers"]["traceparent"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": 3,
                     *         "petId": 10,
                     *         "quantity": 1,
                     *         "status": "placed",
                     *         "createdAt": "2026-11-02T09:30:00.000Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Order"][];
                };
            };
            /** @description The request is not acceptable. `invalid_request`, `invalid_parameter`, `invalid_cursor`. */
            400: components["responses"]["BadRequest"];
            /** @description There is no valid key. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`. */
            403: components["responses"]["Forbidden"];
            /** @description The path does not have this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts no form in which this can be answered. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The URL is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The expectation cannot be met. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization has made more requests, or has more streams open, than it may. `rate_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service cannot do this now. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createOrder: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes repeating safe: for 24 hours the same key with the same body is answered the same, without doing it again. Bare or in quotes.
                 * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description What the request is to go by in our logs. One that is not acceptable is replaced.
                 * @example 4e1c3f0a-8a52-4c57-9a39-0c1f6d2b7e55
                 */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /**
                 * @description The trace that the request belongs to, by W3C Trace Context.
                 * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
                 */
                traceparent?: components["parameters"]["TraceParent"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "petId": 10,
                 *       "quantity": 1
                 *     }
                 */
                "application/json": components["schemas"]["NewOrder"];
            };
        };
        responses: {
            /** @description The order, placed. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    traceparent: components["headers"]["traceparent"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 3,
                     *       "petId": 10,
                     *       "quantity": 1,
                     *       "status": "placed",
                     *       "createdAt": "2026-11-02T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Order"];
                };
            };
            /** @description The request is not acceptable. `invalid_request`, `invalid_parameter`, `malformed_json`. */
            400: components["responses"]["BadRequest"];
            /** @description There is no valid key. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`, `suspended`. */
            403: components["responses"]["Forbidden"];
            /** @description The path does not have this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts no form in which this can be answered. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The state of things forbids this. `idempotency_in_progress`, `conflict`. */
            409: components["responses"]["Conflict"];
            /** @description The body is too large. `payload_too_large`. */
            413: components["responses"]["PayloadTooLarge"];
            /** @description The URL is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The body is of a type that is not taken. `unsupported_media_type`. */
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The expectation cannot be met. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The Idempotency-Key belongs to another request. `idempotency_key_reused`. */
            422: components["responses"]["UnprocessableContent"];
            /** @description The organization has made more requests, or has more streams open, than it may. `rate_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service cannot do this now. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getOrder: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description What the request is to go by in our logs. One that is not acceptable is replaced.
                 * @example 4e1c3f0a-8a52-4c57-9a39-0c1f6d2b7e55
                 */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /**
                 * @description The trace that the request belongs to, by W3C Trace Context.
                 * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
                 */
                traceparent?: components["parameters"]["TraceParent"];
            };
            path: {
                /**
                 * @description The order.
                 * @example 3
                 */
                orderId: number | bigint;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The order. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    traceparent: components["headers"]["traceparent"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 3,
                     *       "petId": 10,
                     *       "quantity": 1,
                     *       "status": "placed",
                     *       "createdAt": "2026-11-02T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Order"];
                };
            };
            /** @description The request is not acceptable. `invalid_request`, `invalid_parameter`. */
            400: components["responses"]["BadRequest"];
            /** @description There is no valid key. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`. */
            403: components["responses"]["Forbidden"];
            /** @description There is no such thing. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not have this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts no form in which this can be answered. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The URL is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The expectation cannot be met. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization has made more requests, or has more streams open, than it may. `rate_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service cannot do this now. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    endOrder: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description What the request is to go by in our logs. One that is not acceptable is replaced.
                 * @example 4e1c3f0a-8a52-4c57-9a39-0c1f6d2b7e55
                 */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /**
                 * @description The trace that the request belongs to, by W3C Trace Context.
                 * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
                 */
                traceparent?: components["parameters"]["TraceParent"];
            };
            path: {
                /**
                 * @description The order.
                 * @example 3
                 */
                orderId: number | bigint;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "status": "fulfilled"
                 *     }
                 */
                "application/json": components["schemas"]["OrderChange"];
            };
        };
        responses: {
            /** @description The order, ended. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    traceparent: components["headers"]["traceparent"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 3,
                     *       "petId": 10,
                     *       "quantity": 1,
                     *       "status": "placed",
                     *       "createdAt": "2026-11-02T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Order"];
                };
            };
            /** @description The request is not acceptable. `invalid_request`, `invalid_parameter`, `malformed_json`. */
            400: components["responses"]["BadRequest"];
            /** @description There is no valid key. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`, `suspended`. */
            403: components["responses"]["Forbidden"];
            /** @description There is no such thing. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not have this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts no form in which this can be answered. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The state of things forbids this. `conflict`. */
            409: components["responses"]["Conflict"];
            /** @description The body is too large. `payload_too_large`. */
            413: components["responses"]["PayloadTooLarge"];
            /** @description The URL is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The body is of a type that is not taken. `unsupported_media_type`. */
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The expectation cannot be met. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization has made more requests, or has more streams open, than it may. `rate_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service cannot do this now. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getOrganization: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description What the request is to go by in our logs. One that is not acceptable is replaced.
                 * @example 4e1c3f0a-8a52-4c57-9a39-0c1f6d2b7e55
                 */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /**
                 * @description The trace that the request belongs to, by W3C Trace Context.
                 * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
                 */
                traceparent?: components["parameters"]["TraceParent"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The organization. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    traceparent: components["headers"]["traceparent"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "2d9c4a1e-8b3f-4f6d-a7c5-0e1f2a3b4c5d",
                     *       "name": "Acme",
                     *       "plan": "pro",
                     *       "limits": {
                     *         "requestsPerMinute": 1000,
                     *         "eventStreams": 100,
                     *         "concurrentUploads": 5,
                     *         "storageBytes": 21474836480,
                     *         "keptDeployments": 20,
                     *         "apiKeys": 100,
                     *         "projects": 100,
                     *         "domainsPerProject": 50,
                     *         "webhookEndpoints": 20
                     *       },
                     *       "usage": {
                     *         "apiKeys": 3,
                     *         "projects": 2,
                     *         "webhookEndpoints": 1,
                     *         "storageBytes": 1310720
                     *       },
                     *       "domainsEndAt": null,
                     *       "suspensions": []
                     *     }
                     */
                    "application/json": components["schemas"]["Organization"];
                };
            };
            /** @description The request is not acceptable. `invalid_request`, `invalid_parameter`. */
            400: components["responses"]["BadRequest"];
            /** @description There is no valid key. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`. */
            403: components["responses"]["Forbidden"];
            /** @description The path does not have this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts no form in which this can be answered. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The URL is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The expectation cannot be met. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization has made more requests, or has more streams open, than it may. `rate_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service cannot do this now. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listProjects: {
        parameters: {
            query?: {
                /** @description How many at most. Left out: up to 1 000, for callers that know of no pages. */
                limit?: number;
                /** @description Where to go on: from the `Link` of the page before, never made by hand. */
                cursor?: string;
            };
            header?: {
                /**
                 * @description What the request is to go by in our logs. One that is not acceptable is replaced.
                 * @example 4e1c3f0a-8a52-4c57-9a39-0c1f6d2b7e55
                 */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /**
                 * @description The trace that the request belongs to, by W3C Trace Context.
                 * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
                 */
                traceparent?: components["parameters"]["TraceParent"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of projects. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    traceparent: components["headers"]["traceparent"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f",
                     *         "name": "Acme docs",
                     *         "slug": "acme-docs",
                     *         "url": "https://docs.example.com",
                     *         "platformUrl": "https://acme-docs.pets.example",
                     *         "hsts": null,
                     *         "suspensions": [],
                     *         "createdAt": "2026-11-02T09:00:00.000Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Project"][];
                };
            };
            /** @description The request is not acceptable. `invalid_request`, `invalid_parameter`, `invalid_cursor`. */
            400: components["responses"]["BadRequest"];
            /** @description There is no valid key. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`. */
            403: components["responses"]["Forbidden"];
            /** @description The path does not have this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts no form in which this can be answered. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The URL is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The expectation cannot be met. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization has made more requests, or has more streams open, than it may. `rate_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service cannot do this now. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createProject: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes repeating safe: for 24 hours the same key with the same body is answered the same, without doing it again. Bare or in quotes.
                 * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description What the request is to go by in our logs. One that is not acceptable is replaced.
                 * @example 4e1c3f0a-8a52-4c57-9a39-0c1f6d2b7e55
                 */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /**
                 * @description The trace that the request belongs to, by W3C Trace Context.
                 * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
                 */
                traceparent?: components["parameters"]["TraceParent"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Acme docs",
                 *       "slug": "acme-docs"
                 *     }
                 */
                "application/json": components["schemas"]["NewProject"];
            };
        };
        responses: {
            /** @description The project. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    traceparent: components["headers"]["traceparent"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f",
                     *       "name": "Acme docs",
                     *       "slug": "acme-docs",
                     *       "url": "https://docs.example.com",
                     *       "platformUrl": "https://acme-docs.pets.example",
                     *       "hsts": null,
                     *       "suspensions": [],
                     *       "createdAt": "2026-11-02T09:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Project"];
                };
            };
            /** @description The request is not acceptable. `invalid_request`, `invalid_parameter`, `malformed_json`, `name_reserved`. */
            400: components["responses"]["BadRequest"];
            /** @description There is no valid key. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`, `suspended`, `project_limit_reached`. */
            403: components["responses"]["Forbidden"];
            /** @description The path does not have this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts no form in which this can be answered. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The state of things forbids this. `idempotency_in_progress`, `already_exists`. */
            409: components["responses"]["Conflict"];
            /** @description The body is too large. `payload_too_large`. */
            413: components["responses"]["PayloadTooLarge"];
            /** @description The URL is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The body is of a type that is not taken. `unsupported_media_type`. */
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The expectation cannot be met. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The Idempotency-Key belongs to another request. `idempotency_key_reused`. */
            422: components["responses"]["UnprocessableContent"];
            /** @description The organization has made more requests, or has more streams open, than it may. `rate_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service cannot do this now. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getProject: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description What the request is to go by in our logs. One that is not acceptable is replaced.
                 * @example 4e1c3f0a-8a52-4c57-9a39-0c1f6d2b7e55
                 */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /**
                 * @description The trace that the request belongs to, by W3C Trace Context.
                 * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
                 */
                traceparent?: components["parameters"]["TraceParent"];
            };
            path: {
                /**
                 * @description The project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The project. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    traceparent: components["headers"]["traceparent"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f",
                     *       "name": "Acme docs",
                     *       "slug": "acme-docs",
                     *       "url": "https://docs.example.com",
                     *       "platformUrl": "https://acme-docs.pets.example",
                     *       "hsts": null,
                     *       "suspensions": [],
                     *       "createdAt": "2026-11-02T09:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Project"];
                };
            };
            /** @description The request is not acceptable. `invalid_request`, `invalid_parameter`. */
            400: components["responses"]["BadRequest"];
            /** @description There is no valid key. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`. */
            403: components["responses"]["Forbidden"];
            /** @description There is no such thing. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not have this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts no form in which this can be answered. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The URL is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The expectation cannot be met. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization has made more requests, or has more streams open, than it may. `rate_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service cannot do this now. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    updateProject: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description What the request is to go by in our logs. One that is not acceptable is replaced.
                 * @example 4e1c3f0a-8a52-4c57-9a39-0c1f6d2b7e55
                 */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /**
                 * @description The trace that the request belongs to, by W3C Trace Context.
                 * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
                 */
                traceparent?: components["parameters"]["TraceParent"];
            };
            path: {
                /**
                 * @description The project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "hsts": {
                 *         "maxAge": 31536000,
                 *         "includeSubDomains": true,
                 *         "preload": false
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["ProjectChange"];
            };
        };
        responses: {
            /** @description The project. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    traceparent: components["headers"]["traceparent"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f",
                     *       "name": "Acme docs",
                     *       "slug": "acme-docs",
                     *       "url": "https://docs.example.com",
                     *       "platformUrl": "https://acme-docs.pets.example",
                     *       "hsts": null,
                     *       "suspensions": [],
                     *       "createdAt": "2026-11-02T09:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Project"];
                };
            };
            /** @description The request is not acceptable. `invalid_request`, `invalid_parameter`, `malformed_json`. */
            400: components["responses"]["BadRequest"];
            /** @description There is no valid key. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`, `suspended`. */
            403: components["responses"]["Forbidden"];
            /** @description There is no such thing. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not have this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts no form in which this can be answered. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The body is too large. `payload_too_large`. */
            413: components["responses"]["PayloadTooLarge"];
            /** @description The URL is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The body is of a type that is not taken. `unsupported_media_type`. */
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The expectation cannot be met. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization has made more requests, or has more streams open, than it may. `rate_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service cannot do this now. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listDeployments: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description What the request is to go by in our logs. One that is not acceptable is replaced.
                 * @example 4e1c3f0a-8a52-4c57-9a39-0c1f6d2b7e55
                 */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /**
                 * @description The trace that the request belongs to, by W3C Trace Context.
                 * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
                 */
                traceparent?: components["parameters"]["TraceParent"];
            };
            path: {
                /**
                 * @description The project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The deployments. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    traceparent: components["headers"]["traceparent"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "5f0c2c5e-7d0e-4a53-8a45-0f5ad1a3f7c2",
                     *         "projectId": "0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f",
                     *         "state": "ready",
                     *         "active": true,
                     *         "contentHash": "b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9",
                     *         "files": 2,
                     *         "bytes": 18204,
                     *         "createdAt": "2026-11-02T09:05:00.000Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Deployment"][];
                };
            };
            /** @description The request is not acceptable. `invalid_request`, `invalid_parameter`. */
            400: components["responses"]["BadRequest"];
            /** @description There is no valid key. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`. */
            403: components["responses"]["Forbidden"];
            /** @description There is no such thing. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not have this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts no form in which this can be answered. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The URL is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The expectation cannot be met. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization has made more requests, or has more streams open, than it may. `rate_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service cannot do this now. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createDeployment: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes repeating safe: for 24 hours the same key with the same body is answered the same, without doing it again. Bare or in quotes.
                 * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description What the request is to go by in our logs. One that is not acceptable is replaced.
                 * @example 4e1c3f0a-8a52-4c57-9a39-0c1f6d2b7e55
                 */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /**
                 * @description The trace that the request belongs to, by W3C Trace Context.
                 * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
                 */
                traceparent?: components["parameters"]["TraceParent"];
            };
            path: {
                /**
                 * @description The project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
            };
            cookie?: never;
        };
        /** @description A gzipped tar of plain files and folders: at most 50 MiB as sent, 200 MiB and 10 000 files unpacked, paths of at most 512 characters and 1 MiB together. Names are kept in Unicode form NFC; upper and lower case are different. */
        requestBody: {
            content: {
                "application/gzip": Blob;
            };
        };
        responses: {
            /** @description The deployment, ready. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    traceparent: components["headers"]["traceparent"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "5f0c2c5e-7d0e-4a53-8a45-0f5ad1a3f7c2",
                     *       "projectId": "0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f",
                     *       "state": "ready",
                     *       "active": true,
                     *       "contentHash": "b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9",
                     *       "files": 2,
                     *       "bytes": 18204,
                     *       "createdAt": "2026-11-02T09:05:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Deployment"];
                };
            };
            /** @description The request is not acceptable. `invalid_request`, `invalid_parameter`, `malformed_json`, `invalid_bundle`. */
            400: components["responses"]["BadRequest"];
            /** @description There is no valid key. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`, `suspended`, `storage_limit_reached`. */
            403: components["responses"]["Forbidden"];
            /** @description There is no such thing. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not have this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts no form in which this can be answered. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The state of things forbids this. `idempotency_in_progress`. */
            409: components["responses"]["Conflict"];
            /** @description The body is too large. `payload_too_large`. */
            413: components["responses"]["PayloadTooLarge"];
            /** @description The URL is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The body is of a type that is not taken. `unsupported_media_type`. */
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The expectation cannot be met. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The Idempotency-Key belongs to another request. `idempotency_key_reused`. */
            422: components["responses"]["UnprocessableContent"];
            /** @description The organization has made more requests, or has more streams open, than it may. `rate_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service cannot do this now. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    activateDeployment: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes repeating safe: for 24 hours the same key with the same body is answered the same, without doing it again. Bare or in quotes.
                 * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description What the request is to go by in our logs. One that is not acceptable is replaced.
                 * @example 4e1c3f0a-8a52-4c57-9a39-0c1f6d2b7e55
                 */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /**
                 * @description The trace that the request belongs to, by W3C Trace Context.
                 * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
                 */
                traceparent?: components["parameters"]["TraceParent"];
            };
            path: {
                /**
                 * @description The project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
                /**
                 * @description The deployment.
                 * @example 5f0c2c5e-7d0e-4a53-8a45-0f5ad1a3f7c2
                 */
                deploymentId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The deployment, served. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    traceparent: components["headers"]["traceparent"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "5f0c2c5e-7d0e-4a53-8a45-0f5ad1a3f7c2",
                     *       "projectId": "0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f",
                     *       "state": "ready",
                     *       "active": true,
                     *       "contentHash": "b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9",
                     *       "files": 2,
                     *       "bytes": 18204,
                     *       "createdAt": "2026-11-02T09:05:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Deployment"];
                };
            };
            /** @description The request is not acceptable. `invalid_request`, `invalid_parameter`, `malformed_json`. */
            400: components["responses"]["BadRequest"];
            /** @description There is no valid key. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`, `suspended`. */
            403: components["responses"]["Forbidden"];
            /** @description There is no such thing. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not have this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts no form in which this can be answered. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The state of things forbids this. `idempotency_in_progress`, `deployment_collected`. */
            409: components["responses"]["Conflict"];
            /** @description The body is too large. `payload_too_large`. */
            413: components["responses"]["PayloadTooLarge"];
            /** @description The URL is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The body is of a type that is not taken. `unsupported_media_type`. */
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The expectation cannot be met. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The Idempotency-Key belongs to another request. `idempotency_key_reused`. */
            422: components["responses"]["UnprocessableContent"];
            /** @description The organization has made more requests, or has more streams open, than it may. `rate_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service cannot do this now. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteDeployment: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description What the request is to go by in our logs. One that is not acceptable is replaced.
                 * @example 4e1c3f0a-8a52-4c57-9a39-0c1f6d2b7e55
                 */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /**
                 * @description The trace that the request belongs to, by W3C Trace Context.
                 * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
                 */
                traceparent?: components["parameters"]["TraceParent"];
            };
            path: {
                /**
                 * @description The project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
                /**
                 * @description The deployment.
                 * @example 5f0c2c5e-7d0e-4a53-8a45-0f5ad1a3f7c2
                 */
                deploymentId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    traceparent: components["headers"]["traceparent"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not acceptable. `invalid_request`, `invalid_parameter`, `malformed_json`. */
            400: components["responses"]["BadRequest"];
            /** @description There is no valid key. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`, `suspended`. */
            403: components["responses"]["Forbidden"];
            /** @description There is no such thing. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not have this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts no form in which this can be answered. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The state of things forbids this. `conflict`. */
            409: components["responses"]["Conflict"];
            /** @description The body is too large. `payload_too_large`. */
            413: components["responses"]["PayloadTooLarge"];
            /** @description The URL is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The body is of a type that is not taken. `unsupported_media_type`. */
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The expectation cannot be met. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization has made more requests, or has more streams open, than it may. `rate_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service cannot do this now. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listDomains: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description What the request is to go by in our logs. One that is not acceptable is replaced.
                 * @example 4e1c3f0a-8a52-4c57-9a39-0c1f6d2b7e55
                 */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /**
                 * @description The trace that the request belongs to, by W3C Trace Context.
                 * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
                 */
                traceparent?: components["parameters"]["TraceParent"];
            };
            path: {
                /**
                 * @description The project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The domains. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    traceparent: components["headers"]["traceparent"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "7c1d3a90-4b6e-4f7a-9e55-1d2c3b4a5f60",
                     *         "name": "docs.example.com",
                     *         "unicodeName": "docs.example.com",
                     *         "apexName": "example.com",
                     *         "projectId": "0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f",
                     *         "state": "awaiting_dns",
                     *         "misconfigured": false,
                     *         "createdAt": "2026-11-02T09:10:00.000Z",
                     *         "verifiedAt": null,
                     *         "liveAt": null,
                     *         "removedAt": null,
                     *         "pendingEdges": 0,
                     *         "pairedWith": null,
                     *         "records": [
                     *           {
                     *             "type": "CNAME",
                     *             "name": "docs",
                     *             "value": "37d5b67e1c9a4f20b8d3a6e5c4f1029384756abc.cname.pets.example",
                     *             "ttl": 3600,
                     *             "purpose": "routing"
                     *           }
                     *         ],
                     *         "dns": {
                     *           "requestedAt": null,
                     *           "checkedAt": "2026-11-02T09:10:01.000Z",
                     *           "nextCheckAt": "2026-11-02T09:10:31.000Z",
                     *           "nameServers": [
                     *             "ns1.dns.example",
                     *             "ns2.dns.example"
                     *           ],
                     *           "observed": [],
                     *           "conflicts": []
                     *         },
                     *         "ownership": {
                     *           "required": false,
                     *           "state": "not_required",
                     *           "record": null
                     *         },
                     *         "certificate": null,
                     *         "suspensions": [],
                     *         "issues": [
                     *           {
                     *             "code": "no_record",
                     *             "severity": "warning",
                     *             "message": "No DNS record for docs.example.com was found yet.",
                     *             "remediation": "Create the record that is shown.",
                     *             "evidence": {
                     *               "host": "docs.example.com"
                     *             }
                     *           }
                     *         ]
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Domain"][];
                };
            };
            /** @description The request is not acceptable. `invalid_request`, `invalid_parameter`. */
            400: components["responses"]["BadRequest"];
            /** @description There is no valid key. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`. */
            403: components["responses"]["Forbidden"];
            /** @description There is no such thing. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not have this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts no form in which this can be answered. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The URL is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The expectation cannot be met. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization has made more requests, or has more streams open, than it may. `rate_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service cannot do this now. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    addDomain: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes repeating safe: for 24 hours the same key with the same body is answered the same, without doing it again. Bare or in quotes.
                 * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description What the request is to go by in our logs. One that is not acceptable is replaced.
                 * @example 4e1c3f0a-8a52-4c57-9a39-0c1f6d2b7e55
                 */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /**
                 * @description The trace that the request belongs to, by W3C Trace Context.
                 * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
                 */
                traceparent?: components["parameters"]["TraceParent"];
            };
            path: {
                /**
                 * @description The project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "docs.example.com"
                 *     }
                 */
                "application/json": components["schemas"]["NewDomain"];
            };
        };
        responses: {
            /** @description The domain, awaiting its DNS. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    traceparent: components["headers"]["traceparent"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "7c1d3a90-4b6e-4f7a-9e55-1d2c3b4a5f60",
                     *       "name": "docs.example.com",
                     *       "unicodeName": "docs.example.com",
                     *       "apexName": "example.com",
                     *       "projectId": "0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f",
                     *       "state": "awaiting_dns",
                     *       "misconfigured": false,
                     *       "createdAt": "2026-11-02T09:10:00.000Z",
                     *       "verifiedAt": null,
                     *       "liveAt": null,
                     *       "removedAt": null,
                     *       "pendingEdges": 0,
                     *       "pairedWith": null,
                     *       "records": [
                     *         {
                     *           "type": "CNAME",
                     *           "name": "docs",
                     *           "value": "37d5b67e1c9a4f20b8d3a6e5c4f1029384756abc.cname.pets.example",
                     *           "ttl": 3600,
                     *           "purpose": "routing"
                     *         }
                     *       ],
                     *       "dns": {
                     *         "requestedAt": null,
                     *         "checkedAt": "2026-11-02T09:10:01.000Z",
                     *         "nextCheckAt": "2026-11-02T09:10:31.000Z",
                     *         "nameServers": [
                     *           "ns1.dns.example",
                     *           "ns2.dns.example"
                     *         ],
                     *         "observed": [],
                     *         "conflicts": []
                     *       },
                     *       "ownership": {
                     *         "required": false,
                     *         "state": "not_required",
                     *         "record": null
                     *       },
                     *       "certificate": null,
                     *       "suspensions": [],
                     *       "issues": [
                     *         {
                     *           "code": "no_record",
                     *           "severity": "warning",
                     *           "message": "No DNS record for docs.example.com was found yet.",
                     *           "remediation": "Create the record that is shown.",
                     *           "evidence": {
                     *             "host": "docs.example.com"
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Domain"];
                };
            };
            /** @description The request is not acceptable. `invalid_request`, `invalid_parameter`, `malformed_json`, `invalid_domain`, `wildcard_not_supported`. */
            400: components["responses"]["BadRequest"];
            /** @description There is no valid key. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`, `suspended`, `name_blocked`, `plan_required`, `domain_limit_reached`. */
            403: components["responses"]["Forbidden"];
            /** @description There is no such thing. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not have this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts no form in which this can be answered. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The state of things forbids this. `idempotency_in_progress`, `deployment_required`, `domain_exists`. */
            409: components["responses"]["Conflict"];
            /** @description The body is too large. `payload_too_large`. */
            413: components["responses"]["PayloadTooLarge"];
            /** @description The URL is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The body is of a type that is not taken. `unsupported_media_type`. */
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The expectation cannot be met. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The Idempotency-Key belongs to another request. `idempotency_key_reused`. */
            422: components["responses"]["UnprocessableContent"];
            /** @description The organization has made more requests, or has more streams open, than it may. `rate_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service cannot do this now. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getDomain: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description What the request is to go by in our logs. One that is not acceptable is replaced.
                 * @example 4e1c3f0a-8a52-4c57-9a39-0c1f6d2b7e55
                 */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /**
                 * @description The trace that the request belongs to, by W3C Trace Context.
                 * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
                 */
                traceparent?: components["parameters"]["TraceParent"];
            };
            path: {
                /**
                 * @description The project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
                /**
                 * @description The domain’s name, or its id.
                 * @example docs.example.com
                 */
                domain: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The domain. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    traceparent: components["headers"]["traceparent"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "7c1d3a90-4b6e-4f7a-9e55-1d2c3b4a5f60",
                     *       "name": "docs.example.com",
                     *       "unicodeName": "docs.example.com",
                     *       "apexName": "example.com",
                     *       "projectId": "0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f",
                     *       "state": "awaiting_dns",
                     *       "misconfigured": false,
                     *       "createdAt": "2026-11-02T09:10:00.000Z",
                     *       "verifiedAt": null,
                     *       "liveAt": null,
                     *       "removedAt": null,
                     *       "pendingEdges": 0,
                     *       "pairedWith": null,
                     *       "records": [
                     *         {
                     *           "type": "CNAME",
                     *           "name": "docs",
                     *           "value": "37d5b67e1c9a4f20b8d3a6e5c4f1029384756abc.cname.pets.example",
                     *           "ttl": 3600,
                     *           "purpose": "routing"
                     *         }
                     *       ],
                     *       "dns": {
                     *         "requestedAt": null,
                     *         "checkedAt": "2026-11-02T09:10:01.000Z",
                     *         "nextCheckAt": "2026-11-02T09:10:31.000Z",
                     *         "nameServers": [
                     *           "ns1.dns.example",
                     *           "ns2.dns.example"
                     *         ],
                     *         "observed": [],
                     *         "conflicts": []
                     *       },
                     *       "ownership": {
                     *         "required": false,
                     *         "state": "not_required",
                     *         "record": null
                     *       },
                     *       "certificate": null,
                     *       "suspensions": [],
                     *       "issues": [
                     *         {
                     *           "code": "no_record",
                     *           "severity": "warning",
                     *           "message": "No DNS record for docs.example.com was found yet.",
                     *           "remediation": "Create the record that is shown.",
                     *           "evidence": {
                     *             "host": "docs.example.com"
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Domain"];
                };
            };
            /** @description The request is not acceptable. `invalid_request`, `invalid_parameter`. */
            400: components["responses"]["BadRequest"];
            /** @description There is no valid key. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`. */
            403: components["responses"]["Forbidden"];
            /** @description There is no such thing. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not have this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts no form in which this can be answered. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The URL is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The expectation cannot be met. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization has made more requests, or has more streams open, than it may. `rate_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service cannot do this now. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    removeDomain: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description What the request is to go by in our logs. One that is not acceptable is replaced.
                 * @example 4e1c3f0a-8a52-4c57-9a39-0c1f6d2b7e55
                 */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /**
                 * @description The trace that the request belongs to, by W3C Trace Context.
                 * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
                 */
                traceparent?: components["parameters"]["TraceParent"];
            };
            path: {
                /**
                 * @description The project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
                /**
                 * @description The domain’s name, or its id.
                 * @example docs.example.com
                 */
                domain: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Removed, but `pendingEdges` have not answered yet. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    traceparent: components["headers"]["traceparent"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "7c1d3a90-4b6e-4f7a-9e55-1d2c3b4a5f60",
                     *       "name": "docs.example.com",
                     *       "unicodeName": "docs.example.com",
                     *       "apexName": "example.com",
                     *       "projectId": "0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f",
                     *       "state": "awaiting_dns",
                     *       "misconfigured": false,
                     *       "createdAt": "2026-11-02T09:10:00.000Z",
                     *       "verifiedAt": null,
                     *       "liveAt": null,
                     *       "removedAt": null,
                     *       "pendingEdges": 0,
                     *       "pairedWith": null,
                     *       "records": [
                     *         {
                     *           "type": "CNAME",
                     *           "name": "docs",
                     *           "value": "37d5b67e1c9a4f20b8d3a6e5c4f1029384756abc.cname.pets.example",
                     *           "ttl": 3600,
                     *           "purpose": "routing"
                     *         }
                     *       ],
                     *       "dns": {
                     *         "requestedAt": null,
                     *         "checkedAt": "2026-11-02T09:10:01.000Z",
                     *         "nextCheckAt": "2026-11-02T09:10:31.000Z",
                     *         "nameServers": [
                     *           "ns1.dns.example",
                     *           "ns2.dns.example"
                     *         ],
                     *         "observed": [],
                     *         "conflicts": []
                     *       },
                     *       "ownership": {
                     *         "required": false,
                     *         "state": "not_required",
                     *         "record": null
                     *       },
                     *       "certificate": null,
                     *       "suspensions": [],
                     *       "issues": [
                     *         {
                     *           "code": "no_record",
                     *           "severity": "warning",
                     *           "message": "No DNS record for docs.example.com was found yet.",
                     *           "remediation": "Create the record that is shown.",
                     *           "evidence": {
                     *             "host": "docs.example.com"
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Domain"];
                };
            };
            /** @description Removed: no edge serves it any more. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    traceparent: components["headers"]["traceparent"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not acceptable. `invalid_request`, `invalid_parameter`, `malformed_json`. */
            400: components["responses"]["BadRequest"];
            /** @description There is no valid key. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`, `suspended`. */
            403: components["responses"]["Forbidden"];
            /** @description There is no such thing. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not have this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts no form in which this can be answered. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The body is too large. `payload_too_large`. */
            413: components["responses"]["PayloadTooLarge"];
            /** @description The URL is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The body is of a type that is not taken. `unsupported_media_type`. */
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The expectation cannot be met. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization has made more requests, or has more streams open, than it may. `rate_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service cannot do this now. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listDomainEvents: {
        parameters: {
            query?: {
                /** @description How many at most. */
                limit?: number;
                /** @description Where to go on: from the `Link` of the page before, never made by hand. */
                cursor?: string;
            };
            header?: {
                /**
                 * @description What the request is to go by in our logs. One that is not acceptable is replaced.
                 * @example 4e1c3f0a-8a52-4c57-9a39-0c1f6d2b7e55
                 */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /**
                 * @description The trace that the request belongs to, by W3C Trace Context.
                 * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
                 */
                traceparent?: components["parameters"]["TraceParent"];
            };
            path: {
                /**
                 * @description The project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
                /**
                 * @description The domain’s name, or its id.
                 * @example docs.example.com
                 */
                domain: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the history. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    traceparent: components["headers"]["traceparent"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "number": 1,
                     *         "domainId": "7c1d3a90-4b6e-4f7a-9e55-1d2c3b4a5f60",
                     *         "type": "owner.added",
                     *         "from": null,
                     *         "to": "awaiting_dns",
                     *         "actor": {
                     *           "kind": "api_key",
                     *           "id": "9b2f7a44-6d3c-4e0b-8f5e-2c1d0a9b8e77",
                     *           "display": "pets_live_…k3Qz"
                     *         },
                     *         "detail": "added: waiting for its DNS record",
                     *         "at": "2026-11-02T09:10:00.000Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["DomainHistoryEntry"][];
                };
            };
            /** @description The request is not acceptable. `invalid_request`, `invalid_parameter`, `invalid_cursor`. */
            400: components["responses"]["BadRequest"];
            /** @description There is no valid key. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`. */
            403: components["responses"]["Forbidden"];
            /** @description There is no such thing. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not have this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts no form in which this can be answered. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The URL is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The expectation cannot be met. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization has made more requests, or has more streams open, than it may. `rate_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service cannot do this now. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listProjectEvents: {
        parameters: {
            query?: {
                /** @description How many at most. */
                limit?: number;
                /** @description Where to go on: from the `Link` of the page before, never made by hand. */
                cursor?: string;
            };
            header?: {
                /**
                 * @description Of a stream: the id of the last event that was seen, behind which it goes on; `0` for the beginning.
                 * @example 4
                 */
                "Last-Event-ID"?: components["parameters"]["LastEventId"];
                /**
                 * @description What the request is to go by in our logs. One that is not acceptable is replaced.
                 * @example 4e1c3f0a-8a52-4c57-9a39-0c1f6d2b7e55
                 */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /**
                 * @description The trace that the request belongs to, by W3C Trace Context.
                 * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
                 */
                traceparent?: components["parameters"]["TraceParent"];
            };
            path: {
                /**
                 * @description The project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the history, or the stream of it. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    traceparent: components["headers"]["traceparent"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    Link: components["headers"]["Link"];
                    "X-Accel-Buffering": components["headers"]["X-Accel-Buffering"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "number": 1,
                     *         "domainId": "7c1d3a90-4b6e-4f7a-9e55-1d2c3b4a5f60",
                     *         "type": "owner.added",
                     *         "from": null,
                     *         "to": "awaiting_dns",
                     *         "actor": {
                     *           "kind": "api_key",
                     *           "id": "9b2f7a44-6d3c-4e0b-8f5e-2c1d0a9b8e77",
                     *           "display": "pets_live_…k3Qz"
                     *         },
                     *         "detail": "added: waiting for its DNS record",
                     *         "at": "2026-11-02T09:10:00.000Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["DomainHistoryEntry"][];
                    /**
                     * @example retry: 1000
                     *     id: 4
                     *     event: ready
                     *     data: {"number":4}
                     *
                     *     id: 5
                     *     event: history
                     *     data: {"number":5,"domainId":"7c1d3a90-4b6e-4f7a-9e55-1d2c3b4a5f60","type":"certificate.served","from":"verified","to":"live","actor":{"kind":"system","id":null,"display":null},"detail":"live: every edge serves the certificate","at":"2026-11-02T09:12:00.000Z"}
                     *
                     *     event: changed
                     *     data: {"domainId":"7c1d3a90-4b6e-4f7a-9e55-1d2c3b4a5f60"}
                     */
                    "text/event-stream": string;
                };
            };
            /** @description The request is not acceptable. `invalid_request`, `invalid_parameter`, `invalid_cursor`. */
            400: components["responses"]["BadRequest"];
            /** @description There is no valid key. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`. */
            403: components["responses"]["Forbidden"];
            /** @description There is no such thing. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not have this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts no form in which this can be answered. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The URL is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The expectation cannot be met. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization has made more requests, or has more streams open, than it may. `rate_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service cannot do this now. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    verifyDomain: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes repeating safe: for 24 hours the same key with the same body is answered the same, without doing it again. Bare or in quotes.
                 * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description What the request is to go by in our logs. One that is not acceptable is replaced.
                 * @example 4e1c3f0a-8a52-4c57-9a39-0c1f6d2b7e55
                 */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /**
                 * @description The trace that the request belongs to, by W3C Trace Context.
                 * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
                 */
                traceparent?: components["parameters"]["TraceParent"];
            };
            path: {
                /**
                 * @description The project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
                /**
                 * @description The domain’s name, or its id.
                 * @example docs.example.com
                 */
                domain: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The domain, about to be checked. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    traceparent: components["headers"]["traceparent"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "7c1d3a90-4b6e-4f7a-9e55-1d2c3b4a5f60",
                     *       "name": "docs.example.com",
                     *       "unicodeName": "docs.example.com",
                     *       "apexName": "example.com",
                     *       "projectId": "0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f",
                     *       "state": "awaiting_dns",
                     *       "misconfigured": false,
                     *       "createdAt": "2026-11-02T09:10:00.000Z",
                     *       "verifiedAt": null,
                     *       "liveAt": null,
                     *       "removedAt": null,
                     *       "pendingEdges": 0,
                     *       "pairedWith": null,
                     *       "records": [
                     *         {
                     *           "type": "CNAME",
                     *           "name": "docs",
                     *           "value": "37d5b67e1c9a4f20b8d3a6e5c4f1029384756abc.cname.pets.example",
                     *           "ttl": 3600,
                     *           "purpose": "routing"
                     *         }
                     *       ],
                     *       "dns": {
                     *         "requestedAt": null,
                     *         "checkedAt": "2026-11-02T09:10:01.000Z",
                     *         "nextCheckAt": "2026-11-02T09:10:31.000Z",
                     *         "nameServers": [
                     *           "ns1.dns.example",
                     *           "ns2.dns.example"
                     *         ],
                     *         "observed": [],
                     *         "conflicts": []
                     *       },
                     *       "ownership": {
                     *         "required": false,
                     *         "state": "not_required",
                     *         "record": null
                     *       },
                     *       "certificate": null,
                     *       "suspensions": [],
                     *       "issues": [
                     *         {
                     *           "code": "no_record",
                     *           "severity": "warning",
                     *           "message": "No DNS record for docs.example.com was found yet.",
                     *           "remediation": "Create the record that is shown.",
                     *           "evidence": {
                     *             "host": "docs.example.com"
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Domain"];
                };
            };
            /** @description The request is not acceptable. `invalid_request`, `invalid_parameter`, `malformed_json`. */
            400: components["responses"]["BadRequest"];
            /** @description There is no valid key. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`, `suspended`. */
            403: components["responses"]["Forbidden"];
            /** @description There is no such thing. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not have this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts no form in which this can be answered. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The state of things forbids this. `idempotency_in_progress`. */
            409: components["responses"]["Conflict"];
            /** @description The body is too large. `payload_too_large`. */
            413: components["responses"]["PayloadTooLarge"];
            /** @description The URL is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The body is of a type that is not taken. `unsupported_media_type`. */
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The expectation cannot be met. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The Idempotency-Key belongs to another request. `idempotency_key_reused`. */
            422: components["responses"]["UnprocessableContent"];
            /** @description The organization has made more requests, or has more streams open, than it may. `rate_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service cannot do this now. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    reverifyDomain: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes repeating safe: for 24 hours the same key with the same body is answered the same, without doing it again. Bare or in quotes.
                 * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description What the request is to go by in our logs. One that is not acceptable is replaced.
                 * @example 4e1c3f0a-8a52-4c57-9a39-0c1f6d2b7e55
                 */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /**
                 * @description The trace that the request belongs to, by W3C Trace Context.
                 * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
                 */
                traceparent?: components["parameters"]["TraceParent"];
            };
            path: {
                /**
                 * @description The project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
                /**
                 * @description The domain’s name, or its id.
                 * @example docs.example.com
                 */
                domain: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The domain, at a fresh attempt. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    traceparent: components["headers"]["traceparent"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "7c1d3a90-4b6e-4f7a-9e55-1d2c3b4a5f60",
                     *       "name": "docs.example.com",
                     *       "unicodeName": "docs.example.com",
                     *       "apexName": "example.com",
                     *       "projectId": "0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f",
                     *       "state": "awaiting_dns",
                     *       "misconfigured": false,
                     *       "createdAt": "2026-11-02T09:10:00.000Z",
                     *       "verifiedAt": null,
                     *       "liveAt": null,
                     *       "removedAt": null,
                     *       "pendingEdges": 0,
                     *       "pairedWith": null,
                     *       "records": [
                     *         {
                     *           "type": "CNAME",
                     *           "name": "docs",
                     *           "value": "37d5b67e1c9a4f20b8d3a6e5c4f1029384756abc.cname.pets.example",
                     *           "ttl": 3600,
                     *           "purpose": "routing"
                     *         }
                     *       ],
                     *       "dns": {
                     *         "requestedAt": null,
                     *         "checkedAt": "2026-11-02T09:10:01.000Z",
                     *         "nextCheckAt": "2026-11-02T09:10:31.000Z",
                     *         "nameServers": [
                     *           "ns1.dns.example",
                     *           "ns2.dns.example"
                     *         ],
                     *         "observed": [],
                     *         "conflicts": []
                     *       },
                     *       "ownership": {
                     *         "required": false,
                     *         "state": "not_required",
                     *         "record": null
                     *       },
                     *       "certificate": null,
                     *       "suspensions": [],
                     *       "issues": [
                     *         {
                     *           "code": "no_record",
                     *           "severity": "warning",
                     *           "message": "No DNS record for docs.example.com was found yet.",
                     *           "remediation": "Create the record that is shown.",
                     *           "evidence": {
                     *             "host": "docs.example.com"
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Domain"];
                };
            };
            /** @description The request is not acceptable. `invalid_request`, `invalid_parameter`, `malformed_json`. */
            400: components["responses"]["BadRequest"];
            /** @description There is no valid key. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`, `suspended`. */
            403: components["responses"]["Forbidden"];
            /** @description There is no such thing. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not have this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts no form in which this can be answered. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The state of things forbids this. `idempotency_in_progress`, `reverify_too_early`. */
            409: components["responses"]["Conflict"];
            /** @description The body is too large. `payload_too_large`. */
            413: components["responses"]["PayloadTooLarge"];
            /** @description The URL is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The body is of a type that is not taken. `unsupported_media_type`. */
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The expectation cannot be met. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The Idempotency-Key belongs to another request. `idempotency_key_reused`. */
            422: components["responses"]["UnprocessableContent"];
            /** @description The organization has made more requests, or has more streams open, than it may. `rate_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service cannot do this now. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getDomainConfig: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Only if it still is the one with this `ETag`, or one of several; `*`: whichever it is.
                 * @example "Qg5vKcbcWnFOLP_fq8L2dlbXqYGGWHk3kNnxXzkS2sc"
                 */
                "If-Match"?: components["parameters"]["IfMatch"];
                /**
                 * @description Only if it is not the one with this `ETag`, nor one of several: reading it is answered 304 then.
                 * @example "Qg5vKcbcWnFOLP_fq8L2dlbXqYGGWHk3kNnxXzkS2sc"
                 */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
                /**
                 * @description What the request is to go by in our logs. One that is not acceptable is replaced.
                 * @example 4e1c3f0a-8a52-4c57-9a39-0c1f6d2b7e55
                 */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /**
                 * @description The trace that the request belongs to, by W3C Trace Context.
                 * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
                 */
                traceparent?: components["parameters"]["TraceParent"];
            };
            path: {
                /**
                 * @description The project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The configuration. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    traceparent: components["headers"]["traceparent"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "domains": {
                     *         "primary": "docs.example.com",
                     *         "redirects": [
                     *           {
                     *             "from": "www.example.com",
                     *             "to": "docs.example.com",
                     *             "status": 301
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["DomainConfig"];
                };
            };
            /** @description It is the one that `If-None-Match` names. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    traceparent: components["headers"]["traceparent"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not acceptable. `invalid_request`, `invalid_parameter`. */
            400: components["responses"]["BadRequest"];
            /** @description There is no valid key. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`. */
            403: components["responses"]["Forbidden"];
            /** @description There is no such thing. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not have this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts no form in which this can be answered. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The thing is not the one that the request is meant for. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The URL is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The expectation cannot be met. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization has made more requests, or has more streams open, than it may. `rate_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service cannot do this now. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    putDomainConfig: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Only if it still is the one with this `ETag`, or one of several; `*`: whichever it is.
                 * @example "Qg5vKcbcWnFOLP_fq8L2dlbXqYGGWHk3kNnxXzkS2sc"
                 */
                "If-Match"?: components["parameters"]["IfMatch"];
                /**
                 * @description Only if it is not the one with this `ETag`, nor one of several: reading it is answered 304 then.
                 * @example "Qg5vKcbcWnFOLP_fq8L2dlbXqYGGWHk3kNnxXzkS2sc"
                 */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
                /**
                 * @description What the request is to go by in our logs. One that is not acceptable is replaced.
                 * @example 4e1c3f0a-8a52-4c57-9a39-0c1f6d2b7e55
                 */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /**
                 * @description The trace that the request belongs to, by W3C Trace Context.
                 * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
                 */
                traceparent?: components["parameters"]["TraceParent"];
            };
            path: {
                /**
                 * @description The project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "domains": {
                 *         "primary": "docs.example.com",
                 *         "redirects": [
                 *           {
                 *             "from": "www.example.com",
                 *             "to": "docs.example.com",
                 *             "status": 301
                 *           }
                 *         ]
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["DomainConfig"];
            };
        };
        responses: {
            /** @description The configuration. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    traceparent: components["headers"]["traceparent"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "domains": {
                     *         "primary": "docs.example.com",
                     *         "redirects": [
                     *           {
                     *             "from": "www.example.com",
                     *             "to": "docs.example.com",
                     *             "status": 301
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["DomainConfig"];
                };
            };
            /** @description The request is not acceptable. `invalid_request`, `invalid_parameter`, `malformed_json`, `redirect_cycle`. */
            400: components["responses"]["BadRequest"];
            /** @description There is no valid key. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`, `suspended`. */
            403: components["responses"]["Forbidden"];
            /** @description There is no such thing. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not have this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts no form in which this can be answered. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The thing is not the one that the request is meant for. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The body is too large. `payload_too_large`. */
            413: components["responses"]["PayloadTooLarge"];
            /** @description The URL is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The body is of a type that is not taken. `unsupported_media_type`. */
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The expectation cannot be met. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization has made more requests, or has more streams open, than it may. `rate_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service cannot do this now. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listWebhookEndpoints: {
        parameters: {
            query?: {
                /** @description How many at most. */
                limit?: number;
                /** @description Where to go on: from the `Link` of the page before, never made by hand. */
                cursor?: string;
            };
            header?: {
                /**
                 * @description What the request is to go by in our logs. One that is not acceptable is replaced.
                 * @example 4e1c3f0a-8a52-4c57-9a39-0c1f6d2b7e55
                 */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /**
                 * @description The trace that the request belongs to, by W3C Trace Context.
                 * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
                 */
                traceparent?: components["parameters"]["TraceParent"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of endpoints. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    traceparent: components["headers"]["traceparent"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "4f1d8a52-6f0e-4f6c-9a3b-7d2e1c0b9a88",
                     *         "url": "https://hooks.example.com/pets",
                     *         "description": null,
                     *         "eventTypes": [
                     *           "domain.live",
                     *           "pet.created"
                     *         ],
                     *         "projectId": null,
                     *         "enabled": true,
                     *         "disabledReason": null,
                     *         "disabledAt": null,
                     *         "failingSince": null,
                     *         "previousSecretUntil": null,
                     *         "createdAt": "2026-11-02T09:00:00.000Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["WebhookEndpoint"][];
                };
            };
            /** @description The request is not acceptable. `invalid_request`, `invalid_parameter`, `invalid_cursor`. */
            400: components["responses"]["BadRequest"];
            /** @description There is no valid key. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`. */
            403: components["responses"]["Forbidden"];
            /** @description The path does not have this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts no form in which this can be answered. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The URL is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The expectation cannot be met. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization has made more requests, or has more streams open, than it may. `rate_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service cannot do this now. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes repeating safe: for 24 hours the same key with the same body is answered the same, without doing it again. Bare or in quotes.
                 * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description What the request is to go by in our logs. One that is not acceptable is replaced.
                 * @example 4e1c3f0a-8a52-4c57-9a39-0c1f6d2b7e55
                 */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /**
                 * @description The trace that the request belongs to, by W3C Trace Context.
                 * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
                 */
                traceparent?: components["parameters"]["TraceParent"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "https://hooks.example.com/pets",
                 *       "eventTypes": [
                 *         "domain.live",
                 *         "pet.created"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["NewWebhookEndpoint"];
            };
        };
        responses: {
            /** @description The endpoint. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    traceparent: components["headers"]["traceparent"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "4f1d8a52-6f0e-4f6c-9a3b-7d2e1c0b9a88",
                     *       "url": "https://hooks.example.com/pets",
                     *       "description": null,
                     *       "eventTypes": [
                     *         "domain.live",
                     *         "pet.created"
                     *       ],
                     *       "projectId": null,
                     *       "enabled": true,
                     *       "disabledReason": null,
                     *       "disabledAt": null,
                     *       "failingSince": null,
                     *       "previousSecretUntil": null,
                     *       "createdAt": "2026-11-02T09:00:00.000Z",
                     *       "secret": "whsec_…"
                     *     }
                     */
                    "application/json": components["schemas"]["CreatedWebhookEndpoint"];
                };
            };
            /** @description The request is not acceptable. `invalid_request`, `invalid_parameter`, `malformed_json`. */
            400: components["responses"]["BadRequest"];
            /** @description There is no valid key. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`, `suspended`, `webhook_limit_reached`. */
            403: components["responses"]["Forbidden"];
            /** @description The path does not have this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts no form in which this can be answered. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The state of things forbids this. `idempotency_in_progress`. */
            409: components["responses"]["Conflict"];
            /** @description The body is too large. `payload_too_large`. */
            413: components["responses"]["PayloadTooLarge"];
            /** @description The URL is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The body is of a type that is not taken. `unsupported_media_type`. */
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The expectation cannot be met. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The Idempotency-Key belongs to another request. `idempotency_key_reused`. */
            422: components["responses"]["UnprocessableContent"];
            /** @description The organization has made more requests, or has more streams open, than it may. `rate_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service cannot do this now. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description What the request is to go by in our logs. One that is not acceptable is replaced.
                 * @example 4e1c3f0a-8a52-4c57-9a39-0c1f6d2b7e55
                 */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /**
                 * @description The trace that the request belongs to, by W3C Trace Context.
                 * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
                 */
                traceparent?: components["parameters"]["TraceParent"];
            };
            path: {
                /**
                 * @description The endpoint.
                 * @example 4f1d8a52-6f0e-4f6c-9a3b-7d2e1c0b9a88
                 */
                endpointId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The endpoint. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    traceparent: components["headers"]["traceparent"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "4f1d8a52-6f0e-4f6c-9a3b-7d2e1c0b9a88",
                     *       "url": "https://hooks.example.com/pets",
                     *       "description": null,
                     *       "eventTypes": [
                     *         "domain.live",
                     *         "pet.created"
                     *       ],
                     *       "projectId": null,
                     *       "enabled": true,
                     *       "disabledReason": null,
                     *       "disabledAt": null,
                     *       "failingSince": null,
                     *       "previousSecretUntil": null,
                     *       "createdAt": "2026-11-02T09:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookEndpoint"];
                };
            };
            /** @description The request is not acceptable. `invalid_request`, `invalid_parameter`. */
            400: components["responses"]["BadRequest"];
            /** @description There is no valid key. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`. */
            403: components["responses"]["Forbidden"];
            /** @description There is no such thing. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not have this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts no form in which this can be answered. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The URL is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The expectation cannot be met. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization has made more requests, or has more streams open, than it may. `rate_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service cannot do this now. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description What the request is to go by in our logs. One that is not acceptable is replaced.
                 * @example 4e1c3f0a-8a52-4c57-9a39-0c1f6d2b7e55
                 */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /**
                 * @description The trace that the request belongs to, by W3C Trace Context.
                 * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
                 */
                traceparent?: components["parameters"]["TraceParent"];
            };
            path: {
                /**
                 * @description The endpoint.
                 * @example 4f1d8a52-6f0e-4f6c-9a3b-7d2e1c0b9a88
                 */
                endpointId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    traceparent: components["headers"]["traceparent"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not acceptable. `invalid_request`, `invalid_parameter`, `malformed_json`. */
            400: components["responses"]["BadRequest"];
            /** @description There is no valid key. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`, `suspended`. */
            403: components["responses"]["Forbidden"];
            /** @description There is no such thing. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not have this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts no form in which this can be answered. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The body is too large. `payload_too_large`. */
            413: components["responses"]["PayloadTooLarge"];
            /** @description The URL is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The body is of a type that is not taken. `unsupported_media_type`. */
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The expectation cannot be met. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization has made more requests, or has more streams open, than it may. `rate_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service cannot do this now. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    updateWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description What the request is to go by in our logs. One that is not acceptable is replaced.
                 * @example 4e1c3f0a-8a52-4c57-9a39-0c1f6d2b7e55
                 */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /**
                 * @description The trace that the request belongs to, by W3C Trace Context.
                 * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
                 */
                traceparent?: components["parameters"]["TraceParent"];
            };
            path: {
                /**
                 * @description The endpoint.
                 * @example 4f1d8a52-6f0e-4f6c-9a3b-7d2e1c0b9a88
                 */
                endpointId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "enabled": true
                 *     }
                 */
                "application/json": components["schemas"]["WebhookEndpointChange"];
            };
        };
        responses: {
            /** @description The endpoint. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    traceparent: components["headers"]["traceparent"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "4f1d8a52-6f0e-4f6c-9a3b-7d2e1c0b9a88",
                     *       "url": "https://hooks.example.com/pets",
                     *       "description": null,
                     *       "eventTypes": [
                     *         "domain.live",
                     *         "pet.created"
                     *       ],
                     *       "projectId": null,
                     *       "enabled": true,
                     *       "disabledReason": null,
                     *       "disabledAt": null,
                     *       "failingSince": null,
                     *       "previousSecretUntil": null,
                     *       "createdAt": "2026-11-02T09:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookEndpoint"];
                };
            };
            /** @description The request is not acceptable. `invalid_request`, `invalid_parameter`, `malformed_json`. */
            400: components["responses"]["BadRequest"];
            /** @description There is no valid key. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`, `suspended`. */
            403: components["responses"]["Forbidden"];
            /** @description There is no such thing. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not have this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts no form in which this can be answered. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The body is too large. `payload_too_large`. */
            413: components["responses"]["PayloadTooLarge"];
            /** @description The URL is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The body is of a type that is not taken. `unsupported_media_type`. */
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The expectation cannot be met. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization has made more requests, or has more streams open, than it may. `rate_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service cannot do this now. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes repeating safe: for 24 hours the same key with the same body is answered the same, without doing it again. Bare or in quotes.
                 * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description What the request is to go by in our logs. One that is not acceptable is replaced.
                 * @example 4e1c3f0a-8a52-4c57-9a39-0c1f6d2b7e55
                 */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /**
                 * @description The trace that the request belongs to, by W3C Trace Context.
                 * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
                 */
                traceparent?: components["parameters"]["TraceParent"];
            };
            path: {
                /**
                 * @description The endpoint.
                 * @example 4f1d8a52-6f0e-4f6c-9a3b-7d2e1c0b9a88
                 */
                endpointId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The endpoint. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    traceparent: components["headers"]["traceparent"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "4f1d8a52-6f0e-4f6c-9a3b-7d2e1c0b9a88",
                     *       "url": "https://hooks.example.com/pets",
                     *       "description": null,
                     *       "eventTypes": [
                     *         "domain.live",
                     *         "pet.created"
                     *       ],
                     *       "projectId": null,
                     *       "enabled": true,
                     *       "disabledReason": null,
                     *       "disabledAt": null,
                     *       "failingSince": null,
                     *       "previousSecretUntil": null,
                     *       "createdAt": "2026-11-02T09:00:00.000Z",
                     *       "secret": "whsec_…"
                     *     }
                     */
                    "application/json": components["schemas"]["CreatedWebhookEndpoint"];
                };
            };
            /** @description The request is not acceptable. `invalid_request`, `invalid_parameter`, `malformed_json`. */
            400: components["responses"]["BadRequest"];
            /** @description There is no valid key. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`, `suspended`. */
            403: components["responses"]["Forbidden"];
            /** @description There is no such thing. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not have this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts no form in which this can be answered. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The state of things forbids this. `idempotency_in_progress`. */
            409: components["responses"]["Conflict"];
            /** @description The body is too large. `payload_too_large`. */
            413: components["responses"]["PayloadTooLarge"];
            /** @description The URL is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The body is of a type that is not taken. `unsupported_media_type`. */
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The expectation cannot be met. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The Idempotency-Key belongs to another request. `idempotency_key_reused`. */
            422: components["responses"]["UnprocessableContent"];
            /** @description The organization has made more requests, or has more streams open, than it may. `rate_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service cannot do this now. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    testWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes repeating safe: for 24 hours the same key with the same body is answered the same, without doing it again. Bare or in quotes.
                 * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description What the request is to go by in our logs. One that is not acceptable is replaced.
                 * @example 4e1c3f0a-8a52-4c57-9a39-0c1f6d2b7e55
                 */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /**
                 * @description The trace that the request belongs to, by W3C Trace Context.
                 * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
                 */
                traceparent?: components["parameters"]["TraceParent"];
            };
            path: {
                /**
                 * @description The endpoint.
                 * @example 4f1d8a52-6f0e-4f6c-9a3b-7d2e1c0b9a88
                 */
                endpointId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The delivery, about to be made. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    traceparent: components["headers"]["traceparent"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "d0c1b2a3-9e8f-4a7b-8c6d-5e4f3a2b1c0d",
                     *       "endpointId": "4f1d8a52-6f0e-4f6c-9a3b-7d2e1c0b9a88",
                     *       "type": "pet.created",
                     *       "subjectId": "10",
                     *       "sequence": 1,
                     *       "state": "delivered",
                     *       "createdAt": "2026-11-02T09:00:00.000Z",
                     *       "deliveredAt": "2026-11-02T09:00:00.050Z",
                     *       "nextAttemptAt": null,
                     *       "attempts": [
                     *         {
                     *           "number": 1,
                     *           "at": "2026-11-02T09:00:00.012Z",
                     *           "status": 200,
                     *           "durationMs": 38,
                     *           "error": null,
                     *           "bodyStart": "ok"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
            /** @description The request is not acceptable. `invalid_request`, `invalid_parameter`, `malformed_json`. */
            400: components["responses"]["BadRequest"];
            /** @description There is no valid key. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`, `suspended`. */
            403: components["responses"]["Forbidden"];
            /** @description There is no such thing. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not have this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts no form in which this can be answered. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The state of things forbids this. `idempotency_in_progress`, `conflict`. */
            409: components["responses"]["Conflict"];
            /** @description The body is too large. `payload_too_large`. */
            413: components["responses"]["PayloadTooLarge"];
            /** @description The URL is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The body is of a type that is not taken. `unsupported_media_type`. */
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The expectation cannot be met. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The Idempotency-Key belongs to another request. `idempotency_key_reused`. */
            422: components["responses"]["UnprocessableContent"];
            /** @description The organization has made more requests, or has more streams open, than it may. `rate_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service cannot do this now. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listWebhookDeliveries: {
        parameters: {
            query?: {
                /** @description How many at most. */
                limit?: number;
                /** @description Where to go on: from the `Link` of the page before, never made by hand. */
                cursor?: string;
                /** @description Only deliveries in this state. */
                state?: "pending" | "delivered" | "failed";
            };
            header?: {
                /**
                 * @description What the request is to go by in our logs. One that is not acceptable is replaced.
                 * @example 4e1c3f0a-8a52-4c57-9a39-0c1f6d2b7e55
                 */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /**
                 * @description The trace that the request belongs to, by W3C Trace Context.
                 * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
                 */
                traceparent?: components["parameters"]["TraceParent"];
            };
            path: {
                /**
                 * @description The endpoint.
                 * @example 4f1d8a52-6f0e-4f6c-9a3b-7d2e1c0b9a88
                 */
                endpointId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of deliveries. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    traceparent: components["headers"]["traceparent"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "d0c1b2a3-9e8f-4a7b-8c6d-5e4f3a2b1c0d",
                     *         "endpointId": "4f1d8a52-6f0e-4f6c-9a3b-7d2e1c0b9a88",
                     *         "type": "pet.created",
                     *         "subjectId": "10",
                     *         "sequence": 1,
                     *         "state": "delivered",
                     *         "createdAt": "2026-11-02T09:00:00.000Z",
                     *         "deliveredAt": "2026-11-02T09:00:00.050Z",
                     *         "nextAttemptAt": null,
                     *         "attempts": [
                     *           {
                     *             "number": 1,
                     *             "at": "2026-11-02T09:00:00.012Z",
                     *             "status": 200,
                     *             "durationMs": 38,
                     *             "error": null,
                     *             "bodyStart": "ok"
                     *           }
                     *         ]
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["WebhookDelivery"][];
                };
            };
            /** @description The request is not acceptable. `invalid_request`, `invalid_parameter`, `invalid_cursor`. */
            400: components["responses"]["BadRequest"];
            /** @description There is no valid key. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`. */
            403: components["responses"]["Forbidden"];
            /** @description There is no such thing. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not have this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts no form in which this can be answered. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The URL is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The expectation cannot be met. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization has made more requests, or has more streams open, than it may. `rate_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service cannot do this now. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getWebhookDelivery: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description What the request is to go by in our logs. One that is not acceptable is replaced.
                 * @example 4e1c3f0a-8a52-4c57-9a39-0c1f6d2b7e55
                 */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /**
                 * @description The trace that the request belongs to, by W3C Trace Context.
                 * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
                 */
                traceparent?: components["parameters"]["TraceParent"];
            };
            path: {
                /**
                 * @description The endpoint.
                 * @example 4f1d8a52-6f0e-4f6c-9a3b-7d2e1c0b9a88
                 */
                endpointId: string;
                /**
                 * @description The delivery.
                 * @example d0c1b2a3-9e8f-4a7b-8c6d-5e4f3a2b1c0d
                 */
                deliveryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The delivery. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    traceparent: components["headers"]["traceparent"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "d0c1b2a3-9e8f-4a7b-8c6d-5e4f3a2b1c0d",
                     *       "endpointId": "4f1d8a52-6f0e-4f6c-9a3b-7d2e1c0b9a88",
                     *       "type": "pet.created",
                     *       "subjectId": "10",
                     *       "sequence": 1,
                     *       "state": "delivered",
                     *       "createdAt": "2026-11-02T09:00:00.000Z",
                     *       "deliveredAt": "2026-11-02T09:00:00.050Z",
                     *       "nextAttemptAt": null,
                     *       "attempts": [
                     *         {
                     *           "number": 1,
                     *           "at": "2026-11-02T09:00:00.012Z",
                     *           "status": 200,
                     *           "durationMs": 38,
                     *           "error": null,
                     *           "bodyStart": "ok"
                     *         }
                     *       ],
                     *       "body": "{\"type\":\"pet.created\",\"timestamp\":\"2026-11-02T09:00:00.000Z\",\"sequence\":1,\"data\":{\"id\":10}}"
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookDeliveryWithBody"];
                };
            };
            /** @description The request is not acceptable. `invalid_request`, `invalid_parameter`. */
            400: components["responses"]["BadRequest"];
            /** @description There is no valid key. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`. */
            403: components["responses"]["Forbidden"];
            /** @description There is no such thing. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not have this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts no form in which this can be answered. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The URL is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The expectation cannot be met. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization has made more requests, or has more streams open, than it may. `rate_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service cannot do this now. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    replayWebhookDelivery: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes repeating safe: for 24 hours the same key with the same body is answered the same, without doing it again. Bare or in quotes.
                 * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description What the request is to go by in our logs. One that is not acceptable is replaced.
                 * @example 4e1c3f0a-8a52-4c57-9a39-0c1f6d2b7e55
                 */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /**
                 * @description The trace that the request belongs to, by W3C Trace Context.
                 * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
                 */
                traceparent?: components["parameters"]["TraceParent"];
            };
            path: {
                /**
                 * @description The endpoint.
                 * @example 4f1d8a52-6f0e-4f6c-9a3b-7d2e1c0b9a88
                 */
                endpointId: string;
                /**
                 * @description The delivery.
                 * @example d0c1b2a3-9e8f-4a7b-8c6d-5e4f3a2b1c0d
                 */
                deliveryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The delivery, about to be made. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    traceparent: components["headers"]["traceparent"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "d0c1b2a3-9e8f-4a7b-8c6d-5e4f3a2b1c0d",
                     *       "endpointId": "4f1d8a52-6f0e-4f6c-9a3b-7d2e1c0b9a88",
                     *       "type": "pet.created",
                     *       "subjectId": "10",
                     *       "sequence": 1,
                     *       "state": "delivered",
                     *       "createdAt": "2026-11-02T09:00:00.000Z",
                     *       "deliveredAt": "2026-11-02T09:00:00.050Z",
                     *       "nextAttemptAt": null,
                     *       "attempts": [
                     *         {
                     *           "number": 1,
                     *           "at": "2026-11-02T09:00:00.012Z",
                     *           "status": 200,
                     *           "durationMs": 38,
                     *           "error": null,
                     *           "bodyStart": "ok"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
            /** @description The request is not acceptable. `invalid_request`, `invalid_parameter`, `malformed_json`. */
            400: components["responses"]["BadRequest"];
            /** @description There is no valid key. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`, `suspended`. */
            403: components["responses"]["Forbidden"];
            /** @description There is no such thing. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not have this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts no form in which this can be answered. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The state of things forbids this. `idempotency_in_progress`, `conflict`. */
            409: components["responses"]["Conflict"];
            /** @description The body is too large. `payload_too_large`. */
            413: components["responses"]["PayloadTooLarge"];
            /** @description The URL is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The body is of a type that is not taken. `unsupported_media_type`. */
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The expectation cannot be met. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The Idempotency-Key belongs to another request. `idempotency_key_reused`. */
            422: components["responses"]["UnprocessableContent"];
            /** @description The organization has made more requests, or has more streams open, than it may. `rate_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service cannot do this now. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listApiKeys: {
        parameters: {
            query?: {
                /** @description How many at most. Left out: up to 1 000, for callers that know of no pages. */
                limit?: number;
                /** @description Where to go on: from the `Link` of the page before, never made by hand. */
                cursor?: string;
            };
            header?: {
                /**
                 * @description What the request is to go by in our logs. One that is not acceptable is replaced.
                 * @example 4e1c3f0a-8a52-4c57-9a39-0c1f6d2b7e55
                 */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /**
                 * @description The trace that the request belongs to, by W3C Trace Context.
                 * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
                 */
                traceparent?: components["parameters"]["TraceParent"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of keys. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    traceparent: components["headers"]["traceparent"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "c9a1f6de-3b52-4f0e-8c61-2f0f3ec4a7b5",
                     *         "name": "Inventory import",
                     *         "display": "pets_live_…k3Qz",
                     *         "scopes": [
                     *           "pets:read",
                     *           "pets:write"
                     *         ],
                     *         "createdAt": "2026-11-02T09:00:00.000Z",
                     *         "expiresAt": "2027-11-02T00:00:00.000Z",
                     *         "lastUsedAt": null,
                     *         "revokedAt": null
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["ApiKey"][];
                };
            };
            /** @description The request is not acceptable. `invalid_request`, `invalid_parameter`, `invalid_cursor`. */
            400: components["responses"]["BadRequest"];
            /** @description There is no valid key. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`. */
            403: components["responses"]["Forbidden"];
            /** @description The path does not have this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts no form in which this can be answered. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The URL is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The expectation cannot be met. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization has made more requests, or has more streams open, than it may. `rate_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service cannot do this now. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createApiKey: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes repeating safe: for 24 hours the same key with the same body is answered the same, without doing it again. Bare or in quotes.
                 * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description What the request is to go by in our logs. One that is not acceptable is replaced.
                 * @example 4e1c3f0a-8a52-4c57-9a39-0c1f6d2b7e55
                 */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /**
                 * @description The trace that the request belongs to, by W3C Trace Context.
                 * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
                 */
                traceparent?: components["parameters"]["TraceParent"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Inventory import",
                 *       "scopes": [
                 *         "pets:read",
                 *         "pets:write"
                 *       ],
                 *       "expiresAt": "2027-11-02T00:00:00Z"
                 *     }
                 */
                "application/json": components["schemas"]["NewApiKey"];
            };
        };
        responses: {
            /** @description The key. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    traceparent: components["headers"]["traceparent"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "c9a1f6de-3b52-4f0e-8c61-2f0f3ec4a7b5",
                     *       "name": "Inventory import",
                     *       "display": "pets_live_…k3Qz",
                     *       "scopes": [
                     *         "pets:read",
                     *         "pets:write"
                     *       ],
                     *       "createdAt": "2026-11-02T09:00:00.000Z",
                     *       "expiresAt": "2027-11-02T00:00:00.000Z",
                     *       "lastUsedAt": null,
                     *       "revokedAt": null,
                     *       "secret": "pets_live_…"
                     *     }
                     */
                    "application/json": components["schemas"]["CreatedApiKey"];
                };
            };
            /** @description The request is not acceptable. `invalid_request`, `invalid_parameter`, `malformed_json`. */
            400: components["responses"]["BadRequest"];
            /** @description There is no valid key. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`, `suspended`, `api_key_limit_reached`. */
            403: components["responses"]["Forbidden"];
            /** @description The path does not have this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts no form in which this can be answered. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The state of things forbids this. `idempotency_in_progress`. */
            409: components["responses"]["Conflict"];
            /** @description The body is too large. `payload_too_large`. */
            413: components["responses"]["PayloadTooLarge"];
            /** @description The URL is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The body is of a type that is not taken. `unsupported_media_type`. */
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The expectation cannot be met. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The Idempotency-Key belongs to another request. `idempotency_key_reused`. */
            422: components["responses"]["UnprocessableContent"];
            /** @description The organization has made more requests, or has more streams open, than it may. `rate_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service cannot do this now. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    revokeApiKey: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description What the request is to go by in our logs. One that is not acceptable is replaced.
                 * @example 4e1c3f0a-8a52-4c57-9a39-0c1f6d2b7e55
                 */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /**
                 * @description The trace that the request belongs to, by W3C Trace Context.
                 * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
                 */
                traceparent?: components["parameters"]["TraceParent"];
            };
            path: {
                /**
                 * @description The key’s id.
                 * @example c9a1f6de-3b52-4f0e-8c61-2f0f3ec4a7b5
                 */
                apiKeyId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Revoked. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    traceparent: components["headers"]["traceparent"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not acceptable. `invalid_request`, `invalid_parameter`, `malformed_json`. */
            400: components["responses"]["BadRequest"];
            /** @description There is no valid key. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`. */
            403: components["responses"]["Forbidden"];
            /** @description There is no such thing. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not have this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts no form in which this can be answered. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The body is too large. `payload_too_large`. */
            413: components["responses"]["PayloadTooLarge"];
            /** @description The URL is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The body is of a type that is not taken. `unsupported_media_type`. */
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The expectation cannot be met. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization has made more requests, or has more streams open, than it may. `rate_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service cannot do this now. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listAuditEvents: {
        parameters: {
            query?: {
                /** @description How many at most. */
                limit?: number;
                /** @description Where to go on: from the `Link` of the page before, never made by hand. */
                cursor?: string;
            };
            header?: {
                /**
                 * @description What the request is to go by in our logs. One that is not acceptable is replaced.
                 * @example 4e1c3f0a-8a52-4c57-9a39-0c1f6d2b7e55
                 */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /**
                 * @description The trace that the request belongs to, by W3C Trace Context.
                 * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
                 */
                traceparent?: components["parameters"]["TraceParent"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The events. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    traceparent: components["headers"]["traceparent"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "7f4f7b2e-3c55-4c8e-9b0a-0f8f1f6c2d11",
                     *         "at": "2026-11-02T09:12:00.000Z",
                     *         "type": "api_key.created",
                     *         "actor": {
                     *           "kind": "api_key",
                     *           "id": "9b2f7a44-6d3c-4e0b-8f5e-2c1d0a9b8e77",
                     *           "display": "pets_live_…k3Qz"
                     *         },
                     *         "address": "203.0.113.7",
                     *         "requestId": "0f9d3a51-6f1d-4a8e-8a3e-3f1f5b2a7c90",
                     *         "subject": {
                     *           "kind": "api_key",
                     *           "id": "c9a1f6de-3b52-4f0e-8c61-2f0f3ec4a7b5"
                     *         },
                     *         "detail": {
                     *           "name": "Inventory import",
                     *           "scopes": [
                     *             "pets:read",
                     *             "pets:write"
                     *           ],
                     *           "expiresAt": null
                     *         }
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["AuditEvent"][];
                };
            };
            /** @description The request is not acceptable. `invalid_request`, `invalid_parameter`, `invalid_cursor`. */
            400: components["responses"]["BadRequest"];
            /** @description There is no valid key. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`. */
            403: components["responses"]["Forbidden"];
            /** @description The path does not have this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts no form in which this can be answered. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The URL is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The expectation cannot be met. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization has made more requests, or has more streams open, than it may. `rate_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service cannot do this now. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createSession: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes repeating safe: for 24 hours the same key with the same body is answered the same, without doing it again. Bare or in quotes.
                 * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description What the request is to go by in our logs. One that is not acceptable is replaced.
                 * @example 4e1c3f0a-8a52-4c57-9a39-0c1f6d2b7e55
                 */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /**
                 * @description The trace that the request belongs to, by W3C Trace Context.
                 * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
                 */
                traceparent?: components["parameters"]["TraceParent"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    traceparent: components["headers"]["traceparent"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "secret": "pets_live_session_…",
                     *       "expiresAt": "2026-11-02T21:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["CreatedSession"];
                };
            };
            /** @description The request is not acceptable. `invalid_request`, `invalid_parameter`, `malformed_json`. */
            400: components["responses"]["BadRequest"];
            /** @description There is no valid key. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`. */
            403: components["responses"]["Forbidden"];
            /** @description The path does not have this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts no form in which this can be answered. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The state of things forbids this. `idempotency_in_progress`. */
            409: components["responses"]["Conflict"];
            /** @description The body is too large. `payload_too_large`. */
            413: components["responses"]["PayloadTooLarge"];
            /** @description The URL is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The body is of a type that is not taken. `unsupported_media_type`. */
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The expectation cannot be met. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The Idempotency-Key belongs to another request. `idempotency_key_reused`. */
            422: components["responses"]["UnprocessableContent"];
            /** @description The organization has made more requests, or has more streams open, than it may. `rate_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service cannot do this now. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    endSession: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description What the request is to go by in our logs. One that is not acceptable is replaced.
                 * @example 4e1c3f0a-8a52-4c57-9a39-0c1f6d2b7e55
                 */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /**
                 * @description The trace that the request belongs to, by W3C Trace Context.
                 * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
                 */
                traceparent?: components["parameters"]["TraceParent"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Ended. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    traceparent: components["headers"]["traceparent"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not acceptable. `invalid_request`, `invalid_parameter`, `malformed_json`. */
            400: components["responses"]["BadRequest"];
            /** @description There is no valid key. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`. */
            403: components["responses"]["Forbidden"];
            /** @description The path does not have this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts no form in which this can be answered. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The body is too large. `payload_too_large`. */
            413: components["responses"]["PayloadTooLarge"];
            /** @description The URL is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The body is of a type that is not taken. `unsupported_media_type`. */
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The expectation cannot be met. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization has made more requests, or has more streams open, than it may. `rate_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service cannot do this now. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
}
