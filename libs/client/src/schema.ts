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
         * @description In order of creation, which is that of id. `Link` points to the next page. A page of a search can have fewer entries than its limit, or none, and still a next one. Needs the scope `pets:read`.
         */
        get: operations["listPets"];
        put?: never;
        /**
         * Add an animal
         * @description The status is `available` by default. Needs the scope `pets:write`.
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
                 * @description The id of the animal.
                 * @example 10
                 */
                petId: number | bigint;
            };
            cookie?: never;
        };
        /**
         * Get an animal
         * @deprecated
         * @description Deprecated: list animals by status instead. After its sunset, the operation answers `410`. Needs the scope `pets:read`.
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
         * @description In order of creation, which is that of id. `Link` points to the next page. A page of a search can have fewer entries than its limit, or none, and still a next one. Needs the scope `orders:read`.
         */
        get: operations["listOrders"];
        put?: never;
        /**
         * Order an animal
         * @description The animal must be `available` and becomes `pending`. Of several simultaneous orders for an animal, exactly one succeeds. Needs the scope `orders:write`.
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
                 * @description The id of the order.
                 * @example 3
                 */
                orderId: number | bigint;
            };
            cookie?: never;
        };
        /**
         * Get an order
         * @description Returns an order of the organization. Needs the scope `orders:read`.
         */
        get: operations["getOrder"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * End an order
         * @description A fulfilled order makes the animal `sold`, a cancelled order makes it `available` again. Both are final. Needs the scope `orders:write`.
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
         * @description Returns the organization of the calling key, with its plan, limits and usage. Needs the scope `projects:read`.
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
         * @description The projects of the organization, in order of creation unless `sort` is given. `Link` points to the next page. Needs the scope `projects:read`.
         */
        get: operations["listProjects"];
        put?: never;
        /**
         * Create a project
         * @description The project is served below the platform domain once it has a deployment. Needs the scope `projects:write`.
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
                 * @description The id of the project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
            };
            cookie?: never;
        };
        /**
         * Get a project
         * @description Returns a project of the organization. Needs the scope `projects:read`.
         */
        get: operations["getProject"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change a project
         * @description Absent fields keep their values. The change takes effect immediately. Needs the scope `projects:write`.
         */
        patch: operations["updateProject"];
        trace?: never;
    };
    "/v1/projects/{projectId}/explain": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
            };
            cookie?: never;
        };
        /**
         * Explain a URL
         * @description What a browser gets at a URL of the project, redirect by redirect, and which rule, file or setting decided it. Nothing is requested: the answer is worked out from what was published to the edges. Needs the scope `projects:read`.
         */
        get: operations["explainUrl"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectId}/deployments": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
            };
            cookie?: never;
        };
        /**
         * List deployments
         * @description Newest first. Without `limit`, the newest hundred and always the one that is served. `Link` points to the next page. Needs the scope `projects:read`.
         */
        get: operations["listDeployments"];
        put?: never;
        /**
         * Deploy a bundle
         * @description The complete bundle is checked before any of it is served. It is served once this operation answers, with `channel` only there. A project keeps its newest deployments, as many as `keptDeployments`; older ones are collected. Needs the scope `projects:write`.
         */
        post: operations["createDeployment"];
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
                 * @description The id of the project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
                /**
                 * @description The id of the deployment.
                 * @example 5f0c2c5e-7d0e-4a53-8a45-0f5ad1a3f7c2
                 */
                deploymentId: string;
            };
            cookie?: never;
        };
        /**
         * Get a deployment
         * @description Returns a deployment, and whether every edge serves it. Needs the scope `projects:read`.
         */
        get: operations["getDeployment"];
        put?: never;
        post?: never;
        /**
         * Delete a deployment
         * @description A deleted deployment cannot be served again. Files that no other deployment has are deleted after about a day; until then they count as stored bytes. Refused for one that is served. Idempotent. Needs the scope `projects:write`.
         */
        delete: operations["deleteDeployment"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectId}/deployments/{deploymentId}/changes": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
                /**
                 * @description The id of the deployment.
                 * @example 5f0c2c5e-7d0e-4a53-8a45-0f5ad1a3f7c2
                 */
                deploymentId: string;
            };
            cookie?: never;
        };
        /**
         * Compare deployments
         * @description The files that a deployment adds, changes and removes. Both deployments must be kept. Needs the scope `projects:read`.
         */
        get: operations["getDeploymentChanges"];
        put?: never;
        post?: never;
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
                 * @description The id of the project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
                /**
                 * @description The id of the deployment.
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
         * @description Makes an earlier or later deployment the served one, immediately and for all domains of the project. Idempotent. Needs the scope `projects:write`.
         */
        post: operations["activateDeployment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectId}/uploads": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Begin an upload
         * @description Takes the list of the files of a deployment and says which contents to send: those that no kept deployment of the project has, and always `_redirects` and `_headers`. The limits and refusals are those of createDeployment. An upload is open for an hour, and a project can have 10 of them; another one ends the oldest. Needs the scope `projects:write`.
         */
        post: operations["createUpload"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectId}/uploads/{uploadId}/files": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
                /**
                 * @description The id of the upload.
                 * @example 3d1f6a0e-6f0b-4c55-9d0a-7a4e5b8c9d10
                 */
                uploadId: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send files of an upload
         * @description Can be repeated, with the same files or others. A file that the manifest does not have, or has otherwise, refuses the archive, and so does a line of `_redirects` or `_headers` that cannot be applied. Needs the scope `projects:write`.
         */
        post: operations["sendUploadFiles"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectId}/uploads/{uploadId}/deployment": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
                /**
                 * @description The id of the upload.
                 * @example 3d1f6a0e-6f0b-4c55-9d0a-7a4e5b8c9d10
                 */
                uploadId: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Deploy an upload
         * @description Creates the deployment and serves it, as createDeployment does with an archive of all files. Repeated, it answers with the same deployment. Needs the scope `projects:write`.
         */
        post: operations["completeUpload"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectId}/channels": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
            };
            cookie?: never;
        };
        /**
         * List channels
         * @description The channels of the project, by name: as many as `channelsPerProject` allows. Needs the scope `projects:read`.
         */
        get: operations["listChannels"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectId}/channels/{channel}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
                /**
                 * @description The name of the channel.
                 * @example pr-12
                 */
                channel: string;
            };
            cookie?: never;
        };
        /**
         * Get a channel
         * @description Returns a channel of the project. Needs the scope `projects:read`.
         */
        get: operations["getChannel"];
        /**
         * Serve a deployment on a channel
         * @description Creates the channel or changes what it serves and who may read it, immediately, and renews it for 30 days. A new channel is public without `access`. Links from before are not valid in a channel that becomes protected again. The active deployment of the project stays the same. Name and slug have at most 63 characters together, with the two hyphens between. Needs the scope `projects:write`.
         */
        put: operations["putChannel"];
        post?: never;
        /**
         * Remove a channel
         * @description Refused while domains serve it. Repeat the request to check whether all edges have stopped serving the channel. Its deployment is kept as long as other earlier ones. Needs the scope `projects:write`.
         */
        delete: operations["removeChannel"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectId}/channels/{channel}/links": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
                /**
                 * @description The name of the channel.
                 * @example pr-12
                 */
                channel: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a link of a protected channel
         * @description Returns a link that opens the channel in a browser, for whomever you send it to, without an account. It is stored nowhere, so it is shown only once. Programs send its token as the cookie `__Host-preview`. Refused for a public channel. Needs the scope `projects:write`.
         */
        post: operations["createChannelLink"];
        /**
         * End all links of a protected channel
         * @description Visitors who came by one get 401 at their next request. Links that are created afterwards are valid. Refused for a public channel. Needs the scope `projects:write`.
         */
        delete: operations["endChannelLinks"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectId}/origin": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
            };
            cookie?: never;
        };
        /**
         * Get the origin
         * @description Returns the application of the project, and what the last test of it found. Needs the scope `projects:read`.
         */
        get: operations["getOrigin"];
        /**
         * Set the origin
         * @description Sets the application of the project, or changes it. An edge tests it at once. The first test that passes puts it in the place of the deployment; from then on a change takes effect immediately, and requests that are under way end at the application that they began at. Needs the scope `projects:write`.
         */
        put: operations["putOrigin"];
        post?: never;
        /**
         * Remove the origin
         * @description From now on the project serves its deployment. Without a deployment, visitors get a page that says that nothing is published. Needs the scope `projects:write`.
         */
        delete: operations["deleteOrigin"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectId}/origin/test": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Test the origin
         * @description An edge asks the application for `/` and reports what it got, within some seconds. Needs the scope `projects:write`.
         */
        post: operations["testOrigin"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectId}/domains/{domain}/origin": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
                /**
                 * @description The name or the id of the domain.
                 * @example docs.example.com
                 */
                domain: string;
            };
            cookie?: never;
        };
        /**
         * Get the origin of a domain
         * @description Returns the application that is this domain’s own, and what the last test of it found. Needs the scope `domains:read`.
         */
        get: operations["getDomainOrigin"];
        /**
         * Set the origin of a domain
         * @description Sets the application of this domain, of a wildcard for all names that it serves. An edge tests it at once. The first test that passes puts it in the place of what the domain served before: its channel, or the origin or deployment of the project. A redirect of the domain still comes first. The domain takes it along to another project of the organization, and it ends with the domain. Needs the scope `domains:write`.
         */
        put: operations["putDomainOrigin"];
        post?: never;
        /**
         * Remove the origin of a domain
         * @description From now on the domain serves its channel, or what its project serves. Needs the scope `domains:write`.
         */
        delete: operations["deleteDomainOrigin"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectId}/domains/{domain}/origin/test": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
                /**
                 * @description The name or the id of the domain.
                 * @example docs.example.com
                 */
                domain: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Test the origin of a domain
         * @description An edge asks the application for `/` and reports what it got, within some seconds. Needs the scope `domains:write`.
         */
        post: operations["testDomainOrigin"];
        delete?: never;
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
                 * @description The id of the project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
            };
            cookie?: never;
        };
        /**
         * List domains
         * @description The domains of the project, without removed domains, in the order in which they were added unless `sort` is given. `Link` points to the next page. With filters, a page may have fewer entries than its limit, or none, and still have a `Link`. Needs the scope `domains:read`.
         */
        get: operations["listDomains"];
        put?: never;
        /**
         * Add a domain
         * @description Returns the DNS records to create. From then on, we check DNS automatically. A name that another organization uses can be added too: it has an issue, and moves here once the TXT record proves ownership. With `pair`, the counterpart is added as well, and `pairedWith` contains its id. A name has at most 253 characters; of an apex 233, and of a wildcard 237 after `*.`, so that there is room for the label of a record that it needs. A subdomain with more than 233 characters can only be verified by its CNAME: flattened, it would need a TXT record for which there is no room. Needs the scope `domains:write`.
         */
        post: operations["addDomain"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/domains": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Find domains of all projects
         * @description The domains of the organization, without removed domains, in the order of their names. `Link` points to the next page. With filters, a page may have fewer entries than its limit, or none, and still have a `Link`. Needs the scope `domains:read`.
         */
        get: operations["findDomains"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectId}/domain-counts": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
            };
            cookie?: never;
        };
        /**
         * Count domains
         * @description How many domains the project has, by state. It costs the same for any number of domains. Needs the scope `domains:read`.
         */
        get: operations["countDomains"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectId}/domains:batch": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add many domains
         * @description Adds up to 1 000 names, each as adding it alone would, and returns a result for each. A refused name does not prevent the others. Sending a batch again changes nothing: its names exist. A batch counts as one request for each ten names. The body may have 1 MiB. DNS of more than ten names is checked every ten minutes; a request to verify one makes its checks frequent. Needs the scope `domains:write`.
         */
        post: operations["addDomains"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectId}/domains:batchRemove": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Remove many domains
         * @description Removes up to 1 000 domains, each as removing it alone would, and returns a result for each. Waits up to a second for the edges. Repeat the request to check whether all edges have stopped serving the domains. A batch counts as one request for each ten names. The body may have 1 MiB. Needs the scope `domains:write`.
         */
        post: operations["removeDomains"];
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
                 * @description The id of the project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
                /**
                 * @description The name or the id of the domain.
                 * @example docs.example.com
                 */
                domain: string;
            };
            cookie?: never;
        };
        /**
         * Get a domain
         * @description Returns the complete status: the records to create, the result of the last check, and the issues. Needs the scope `domains:read`.
         */
        get: operations["getDomain"];
        put?: never;
        post?: never;
        /**
         * Remove a domain
         * @description Possible in every state. Repeat the request to check whether all edges have stopped serving the domain. A name that a wildcard of the organization covers is served by the wildcard afterwards, unless `exclude` is `true`. Needs the scope `domains:write`.
         */
        delete: operations["removeDomain"];
        options?: never;
        head?: never;
        /**
         * Change a domain
         * @description Changes what you store with the domain, to find it again, or the channel that it serves, which takes effect immediately. Needs the scope `domains:write`.
         */
        patch: operations["updateDomain"];
        trace?: never;
    };
    "/v1/projects/{projectId}/domains/{domain}/exclusions/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
                /**
                 * @description The name or the id of the domain.
                 * @example docs.example.com
                 */
                domain: string;
                /**
                 * @description The excluded name.
                 * @example docs.example.com
                 */
                name: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Lift an exclusion
         * @description The wildcard serves the name again, which was removed with `exclude`. Needs the scope `domains:write`.
         */
        delete: operations["liftExclusion"];
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
                 * @description The id of the project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
                /**
                 * @description The name or the id of the domain.
                 * @example docs.example.com
                 */
                domain: string;
            };
            cookie?: never;
        };
        /**
         * Read a domain’s history
         * @description The events of the domain, in order, with their actors and reasons. `Link` points to the next page. Needs the scope `domains:read`.
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
                 * @description The id of the project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
            };
            cookie?: never;
        };
        /**
         * Read a project’s history
         * @description The events of all domains of the project, including removed ones, in order. `Link` points to the next page. A client that accepts `text/event-stream` receives the events as they happen: `ready` contains the number of the last event before the stream, `history` is an event with its number as id, and `changed` means that the client should read the domain again although its history has no new event; `import` contains the id of an import that has advanced, `origin` that of an origin that was changed or tested, fails or is restored. `Last-Event-ID` resumes the stream without gaps or repeats (`0`: from the first event); without it, the stream starts with new events. An idle stream sends a comment every 15 seconds. The stream ends when its key expires, when the server stops, or when the client reads too slowly: open it again. Needs the scope `domains:read`.
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
                 * @description The id of the project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
                /**
                 * @description The name or the id of the domain.
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
         * @description Several requests before the check runs result in one check. The schedule of automatic checks starts again. Needs the scope `domains:write`.
         */
        post: operations["verifyDomain"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectId}/domains/{domain}/watch": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
                /**
                 * @description The name or the id of the domain.
                 * @example docs.example.com
                 */
                domain: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check a domain’s DNS sooner while somebody looks at it
         * @description Send it every ten seconds while a person looks at the domain. The next check then begins ten seconds after the last one began, however many send it; an organization has 30 such domains at a time, and others are checked every minute. The automatic schedule stays as it is, the audit log has no entry, and a suspended domain is not checked. Needs the scope `domains:read`.
         */
        post: operations["watchDomain"];
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
                 * @description The id of the project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
                /**
                 * @description The name or the id of the domain.
                 * @example docs.example.com
                 */
                domain: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Retry certificate issuance
         * @description For a verified domain without a certificate: after a failed attempt, or half an hour after verification. Needs the scope `domains:write`.
         */
        post: operations["reverifyDomain"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectId}/domains/{domain}/move": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
                /**
                 * @description The name or the id of the domain.
                 * @example docs.example.com
                 */
                domain: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Move a domain to another project
         * @description Moves the domain to another project of the organization, in one step: visitors get the site of the other project, without a failed request. The DNS records, the certificate, the id and the history of the domain stay; no certificate is ordered. The other project needs a deployment and room within its limit of domains, and neither the domain nor the other project can be suspended. A move to the project that has the domain changes nothing. Needs the scope `domains:write`.
         */
        post: operations["moveDomain"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectId}/domains/{domain}/setup-links": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
                /**
                 * @description The name or the id of the domain.
                 * @example docs.example.com
                 */
                domain: string;
            };
            cookie?: never;
        };
        /**
         * List set-up links
         * @description The links of the domain that have not ended, newest first. Needs the scope `domains:read`.
         */
        get: operations["listSetupLinks"];
        put?: never;
        /**
         * Create a set-up link
         * @description Returns a link, which is shown only once and which you send to whoever has access to the DNS of the domain. Its page shows the records, checks them, and says what is wrong, without an account; of a pair it shows both names. Everybody who has the link can open it until it ends. A domain has at most 20 links at a time. A link also ends when the domain is removed, moved or lost. Needs the scope `domains:write`.
         */
        post: operations["createSetupLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectId}/domains/{domain}/setup-links/{setupLinkId}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
                /**
                 * @description The name or the id of the domain.
                 * @example docs.example.com
                 */
                domain: string;
                /**
                 * @description The id of the link.
                 * @example a3d1c2b4-7e55-4f0a-9c1d-2b3c4d5e6f70
                 */
                setupLinkId: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End a set-up link
         * @description Its page, where it is open, ends within a second. Needs the scope `domains:write`.
         */
        delete: operations["deleteSetupLink"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/setup-page": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the look of set-up pages
         * @description What the pages of all set-up links of the organization show. Needs the scope `domains:read`.
         */
        get: operations["getSetupPage"];
        /**
         * Change the look of set-up pages
         * @description Replaces the settings, and keeps the logo. A link whose `returnUrl` has an origin that is no longer listed offers no way back. Needs the scope `domains:write`.
         */
        put: operations["putSetupPage"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/setup-page/logo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Change the logo of set-up pages
         * @description The image is decoded and written again as a WebP, without metadata, and everybody who has its address can read that. It takes the place of the logo before it, whose address then answers 404. Needs the scope `domains:write`.
         */
        put: operations["putSetupLogo"];
        post?: never;
        /**
         * Remove the logo of set-up pages
         * @description Its address answers 404 from then on; browsers may have a copy. Needs the scope `domains:write`.
         */
        delete: operations["deleteSetupLogo"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/setup/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Open a set-up link
         * @description Exchanges the token of a link for one that is valid for an hour. Needs no key, from any origin.
         */
        post: operations["createSetupSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/setup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the domain of a set-up link
         * @description The domain of the link, and the other name of its pair. Only with the token of a set-up link, from any origin; with no cookie and no API key.
         */
        get: operations["getSetup"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/setup/watch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check the DNS of a set-up link while somebody looks
         * @description As watchDomain, for the domain of the link and the other name of its pair. Only with the token of a set-up link, from any origin; with no cookie and no API key.
         */
        post: operations["watchSetup"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/setup/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow the domain of a set-up link
         * @description `changed` means that the page should read the domain again. An idle stream sends a comment every 15 seconds. The stream ends with the link, and when the server stops: open it again. Only with the token of a set-up link, from any origin; with no cookie and no API key.
         */
        get: operations["streamSetup"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectId}/domains/{domain}/certificate": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
                /**
                 * @description The name or the id of the domain.
                 * @example docs.example.com
                 */
                domain: string;
            };
            cookie?: never;
        };
        /**
         * Get a domain’s certificates
         * @description The uploaded certificate, the automatic one, and which of them visitors get. Needs the scope `domains:read`.
         */
        get: operations["getDomainCertificate"];
        /**
         * Upload a certificate
         * @description Serves a certificate of your own instead of the automatic one, which stays as the fallback and is still renewed. An earlier uploaded certificate is replaced without an interruption. If the certificate names a revocation list, we read it first, within seconds, and daily from then on; a list that cannot be reached does not prevent anything. Possible in every state of the domain but `removed`, up to 20 times an hour. Sending the same certificate again changes only `prefer`. The body may have 256 KiB. Needs the scope `domains:write`.
         */
        put: operations["uploadDomainCertificate"];
        post?: never;
        /**
         * Delete the uploaded certificate
         * @description Returns to the automatic certificate without an interruption, and deletes the uploaded key. While there is no valid automatic certificate and visitors get the uploaded one, the answer is 409, unless `force` is `true`. Needs the scope `domains:write`.
         */
        delete: operations["deleteDomainCertificate"];
        options?: never;
        head?: never;
        /**
         * Choose a domain’s certificate
         * @description Chooses between the uploaded and the automatic certificate, without an interruption. Needs the scope `domains:write`.
         */
        patch: operations["updateDomainCertificate"];
        trace?: never;
    };
    "/v1/projects/{projectId}/domain-imports": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
            };
            cookie?: never;
        };
        /**
         * List imports
         * @description The newest hundred imports of the project, newest first. Needs the scope `domains:read`.
         */
        get: operations["listDomainImports"];
        put?: never;
        /**
         * Import a file of domains
         * @description Adds or removes the domains of a file in the background, each as a request for it alone would. The complete file is stored before any of it is done. An organization can have 5 imports that are not ended. Imports share the capacity of the service: each gets a piece of 100 lines in turn. DNS is checked as for a batch. The audit log has one event for the import. The bytes of the files of a day are limited, cancelled imports included. Needs the scope `domains:write`.
         */
        post: operations["createDomainImport"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectId}/domain-imports/{importId}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
                /**
                 * @description The id of the import.
                 * @example 5e0c8a3e-7a53-4c53-9b0e-2f9d1c6b7a84
                 */
                importId: string;
            };
            cookie?: never;
        };
        /**
         * Get an import
         * @description Returns the state and the progress. The event stream of the project sends `import` with the id as `importId` whenever it has changed. Needs the scope `domains:read`.
         */
        get: operations["getDomainImport"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectId}/domain-imports/{importId}/report": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
                /**
                 * @description The id of the import.
                 * @example 5e0c8a3e-7a53-4c53-9b0e-2f9d1c6b7a84
                 */
                importId: string;
            };
            cookie?: never;
        };
        /**
         * Download the report of an import
         * @description The result of each line that is done, in the order and the format of the file: NDJSON with `line`, `name`, `result`, `id`, `records`, `error` and `externalId`, or CSV with the columns `line`, `name`, `result`, `id`, `record_type`, `record_name`, `record_value`, `error_code`, `error_message` and `external_id`. Needs the scope `domains:read`.
         */
        get: operations["getDomainImportReport"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectId}/domain-imports/{importId}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
                /**
                 * @description The id of the import.
                 * @example 5e0c8a3e-7a53-4c53-9b0e-2f9d1c6b7a84
                 */
                importId: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel an import
         * @description No further line is done. What was done stays done, with its report. Idempotent. Needs the scope `domains:write`.
         */
        post: operations["cancelDomainImport"];
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
                 * @description The id of the project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
            };
            cookie?: never;
        };
        /**
         * Get the domain configuration
         * @description Returns the configuration as it was stored. Needs the scope `domains:read`.
         */
        get: operations["getDomainConfig"];
        /**
         * Replace the domain configuration
         * @description The configuration can contain only domains of the project; the target of a redirect can also be the host of the project below the platform domain. Visitors follow a chain of redirects in one step; the stored configuration keeps the chain. Send `If-Match` to avoid overwriting a concurrent change. The change takes effect immediately. Needs the scope `domains:write`.
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
         * @description In order of creation unless `sort` is given. `Link` points to the next page. Needs the scope `webhooks:read`.
         */
        get: operations["listWebhookEndpoints"];
        put?: never;
        /**
         * Create a webhook endpoint
         * @description The endpoint receives events from now on. The secret that signs its requests is shown only once. Needs the scope `webhooks:write`.
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
                 * @description The id of the endpoint.
                 * @example 4f1d8a52-6f0e-4f6c-9a3b-7d2e1c0b9a88
                 */
                endpointId: string;
            };
            cookie?: never;
        };
        /**
         * Get a webhook endpoint
         * @description Returns an endpoint of the organization. Needs the scope `webhooks:read`.
         */
        get: operations["getWebhookEndpoint"];
        put?: never;
        post?: never;
        /**
         * Delete a webhook endpoint
         * @description Deletes the endpoint and its deliveries. Needs the scope `webhooks:write`.
         */
        delete: operations["deleteWebhookEndpoint"];
        options?: never;
        head?: never;
        /**
         * Change a webhook endpoint
         * @description Absent fields keep their values. Pending deliveries are sent to the new URL. Needs the scope `webhooks:write`.
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
                 * @description The id of the endpoint.
                 * @example 4f1d8a52-6f0e-4f6c-9a3b-7d2e1c0b9a88
                 */
                endpointId: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate the secret of a webhook endpoint
         * @description Requests are signed with the previous secret as well, for 24 hours or as chosen. A secret before the previous one ends immediately. The new secret is shown only once. Needs the scope `webhooks:write`.
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
                 * @description The id of the endpoint.
                 * @example 4f1d8a52-6f0e-4f6c-9a3b-7d2e1c0b9a88
                 */
                endpointId: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Test a webhook endpoint
         * @description Sends an event of the type `endpoint.test` with the endpoint as `data`, regardless of the subscribed types. Needs the scope `webhooks:write`.
         */
        post: operations["testWebhookEndpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook-endpoints/{endpointId}/statistics": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the endpoint.
                 * @example 4f1d8a52-6f0e-4f6c-9a3b-7d2e1c0b9a88
                 */
                endpointId: string;
            };
            cookie?: never;
        };
        /**
         * Get statistics of a webhook endpoint
         * @description Counts and response times of the attempts to deliver to the endpoint. Needs the scope `webhooks:read`.
         */
        get: operations["getWebhookStatistics"];
        put?: never;
        post?: never;
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
                 * @description The id of the endpoint.
                 * @example 4f1d8a52-6f0e-4f6c-9a3b-7d2e1c0b9a88
                 */
                endpointId: string;
            };
            cookie?: never;
        };
        /**
         * List deliveries
         * @description The deliveries of the endpoint, newest first; kept for 30 days. `Link` points to the next page. A page with the filter `type` may have fewer entries than `limit`, or none, and still be followed by another. Needs the scope `webhooks:read`.
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
                 * @description The id of the endpoint.
                 * @example 4f1d8a52-6f0e-4f6c-9a3b-7d2e1c0b9a88
                 */
                endpointId: string;
                /**
                 * @description The id of the delivery.
                 * @example d0c1b2a3-9e8f-4a7b-8c6d-5e4f3a2b1c0d
                 */
                deliveryId: string;
            };
            cookie?: never;
        };
        /**
         * Get a delivery
         * @description Returns a delivery with its request body, and the headers of its attempts. Needs the scope `webhooks:read`.
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
                 * @description The id of the endpoint.
                 * @example 4f1d8a52-6f0e-4f6c-9a3b-7d2e1c0b9a88
                 */
                endpointId: string;
                /**
                 * @description The id of the delivery.
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
         * @description Sends it immediately with the same `webhook-id`, and with all retries again. A delivery in progress is not changed. Needs the scope `webhooks:write`.
         */
        post: operations["replayWebhookDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook-listeners": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Receive webhook events as a stream
         * @description For development: a client that accepts `text/event-stream` becomes a temporary endpoint. The first event, `listening`, contains the `secret` that signs the deliveries; it stays the same for an API key. Each `delivery` contains the headers and the body of a request as an endpoint would receive it. A delivery is sent once, and events while no stream is open are not sent later. The stream counts toward the limit of event streams; at most ten of an organization are open. Other clients receive the list of open streams, those that receive any of the given types. Needs the scope `webhooks:write`.
         */
        get: operations["listenToWebhooks"];
        put?: never;
        post?: never;
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
         * @description In order of creation unless `sort` is given, with revoked and expired keys of the last 90 days, at most the newest 1 000, unless `state` is given. `Link` points to the next page. Needs the scope `keys:read`.
         */
        get: operations["listApiKeys"];
        put?: never;
        /**
         * Create an API key
         * @description The new key can have only scopes that the caller has. The key is shown only once. A person has to have signed in within the last 15 minutes; other sessions cannot create keys. Needs the scope `keys:write`. Only with an API key, or as a person who signed in within the last 15 minutes.
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
                 * @description The id of the key.
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
         * @description The key and its sessions are refused everywhere within a second. A revoked key stays in the list for 90 days. The caller needs all scopes of the key, or has made it, or reports it as leaked. Every key may revoke itself, without `keys:write`. Needs the scope `keys:write`.
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
         * @description All changes to the organization, newest first: keys, sessions, people, projects, domains, webhooks, plans, and actions of the operator. With several filters, a page may have fewer entries than its limit, or none, and still a `Link` to the next one. Kept for 400 days unless the operator configures another period. Needs the scope `audit:read`.
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
         * @description Exchanges an API key for a session key with the same scopes that is valid for twelve hours. A key has at most 100 sessions; opening another ends the one that expires first. Only with an API key, not with a session.
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
         * @description Ends the session of the key that is sent. Only with a session.
         */
        delete: operations["endSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/people": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List people
         * @description In order of creation. `Link` points to the next page. Needs the scope `people:read`.
         */
        get: operations["listPeople"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/people/{personId}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the person.
                 * @example 5b0c7e62-9f4a-4d1e-8a37-6c2d1f0e9b84
                 */
                personId: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a person
         * @description Ends their sessions, and deletes the invitations that they created. If API keys that they made, or that were made with those, are valid, `keys` decides about them; list them with `GET /v1/api-keys?personId=`. The caller needs all scopes of their role and, to revoke, of the keys. The last owner cannot be removed. To come back, the person needs an invitation. Of somebody whose membership the identity provider ended, the same request decides about the keys left behind. Needs the scope `people:write`.
         */
        delete: operations["removePerson"];
        options?: never;
        head?: never;
        /**
         * Change the role of a person
         * @description Takes effect within a second, also for open sessions. The caller needs all scopes of the old and of the new role. API keys of the person with a scope that the new role lacks are revoked. The last owner stays one. A person has to have signed in within the last 15 minutes. Needs the scope `people:write`. Only with an API key, or as a person who signed in within the last 15 minutes.
         */
        patch: operations["updatePerson"];
        trace?: never;
    };
    "/v1/invitations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List invitations
         * @description Invitations that nobody has used and that have not expired, in order of creation. Needs the scope `people:read`.
         */
        get: operations["listInvitations"];
        put?: never;
        /**
         * Invite a person
         * @description Returns a link, which is shown only once and which you send to the person. The first person who signs in with it, within seven days, gets the role. The caller needs all scopes of the role. The invitation ends early if the caller loses them. An organization has at most 100 invitations. A person has to have signed in within the last 15 minutes. Needs the scope `people:write`. Only with an API key, or as a person who signed in within the last 15 minutes.
         */
        post: operations["createInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/invitations/{invitationId}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the invitation.
                 * @example e1d0a7c4-52b8-4c3f-9d6e-7f8091a2b3c4
                 */
                invitationId: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete an invitation
         * @description Its link stops working. The caller needs all scopes of its role. Needs the scope `people:write`.
         */
        delete: operations["deleteInvitation"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description The body of every error response. */
        Error: {
            code: components["schemas"]["ErrorCode"];
            message: string;
            /** Format: int32 */
            status: number;
            /** @description The fields that are not valid, at most 100; `message` names the first. Absent if the error is not about fields. */
            errors?: components["schemas"]["FieldError"][];
        };
        /**
         * @description A closed list, so a client can switch over it.
         * @enum {string}
         */
        ErrorCode: "invalid_request" | "invalid_parameter" | "invalid_cursor" | "malformed_json" | "invalid_domain" | "invalid_certificate" | "invalid_private_key" | "certificate_key_mismatch" | "certificate_name_mismatch" | "certificate_expired" | "certificate_untrusted" | "invalid_bundle" | "invalid_import" | "invalid_logo" | "redirect_cycle" | "name_reserved" | "unauthenticated" | "invalid_api_key" | "forbidden" | "suspended" | "name_blocked" | "plan_required" | "domain_limit_reached" | "webhook_limit_reached" | "project_limit_reached" | "channel_limit_reached" | "origin_limit_reached" | "api_key_limit_reached" | "storage_limit_reached" | "not_found" | "method_not_allowed" | "not_acceptable" | "timeout" | "conflict" | "already_exists" | "domain_exists" | "wildcard_needs_dns_challenge" | "deployment_required" | "deployment_collected" | "upload_incomplete" | "reverify_too_early" | "automatic_certificate_missing" | "keys_undecided" | "idempotency_in_progress" | "gone" | "precondition_failed" | "payload_too_large" | "uri_too_long" | "unsupported_media_type" | "expectation_failed" | "idempotency_key_reused" | "rate_limited" | "concurrency_limited" | "headers_too_large" | "internal" | "unavailable";
        /** @description A field that is not valid. */
        FieldError: {
            /** @description The path of the field, separated by dots: `domains.redirects.0.from`. Empty for the body itself. */
            field: string;
            /** @description The problem of the field. */
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
            /** @description As in the `application/json` form. */
            errors?: components["schemas"]["FieldError"][];
        };
        /**
         * @description Only orders change the status: placing an order makes it `pending`, fulfilling it `sold`, cancelling it `available`.
         * @enum {string}
         */
        PetStatus: "available" | "pending" | "sold";
        /** @description A page of animals. */
        Pets: components["schemas"]["Pet"][];
        /** @description An animal of the store. */
        Pet: {
            /**
             * Format: int64
             * @description Assigned by the service on creation, ascending.
             */
            id: number | bigint;
            /** @description The name of the animal: 1 to 255 characters, stored in Unicode form NFC. */
            name: string;
            /**
             * Format: int64
             * @description The category of the animal: any signed 64-bit integer.
             */
            categoryId: number | bigint;
            status: components["schemas"]["PetStatus"];
        };
        /** @description An animal to add. */
        NewPet: {
            /** @description The name of the animal: 1 to 255 characters, stored in Unicode form NFC. */
            name: string;
            /**
             * Format: int64
             * @description The category of the animal: any signed 64-bit integer.
             */
            categoryId: number | bigint;
            /** @default available */
            status?: components["schemas"]["PetStatus"];
        };
        /**
         * @description An order is `placed` until it is `fulfilled` or `cancelled`; both are final.
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
             * @description The id of the animal to order; it must be `available`.
             */
            petId: number | bigint;
            /**
             * Format: int32
             * @description The quantity, from 1 to 100.
             */
            quantity: number;
            status: components["schemas"]["OrderStatus"];
            /** Format: date-time */
            createdAt: string;
            /** @description The animal as it is now. Only with `expand=pet`. */
            pet?: components["schemas"]["Pet"];
        };
        /** @description An order to place. */
        NewOrder: {
            /**
             * Format: int64
             * @description The id of the animal to order; it must be `available`.
             */
            petId: number | bigint;
            /**
             * Format: int32
             * @description The quantity, from 1 to 100.
             */
            quantity: number;
        };
        /** @description A change of the status of an order. */
        OrderChange: {
            /**
             * @description The final status of the order.
             * @enum {string}
             */
            status: "fulfilled" | "cancelled";
        };
        /** @description The organization of the key, with its limits and usage. */
        Organization: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @enum {string} */
            plan: "free" | "pro" | "enterprise";
            /** @description The limits of the plan, unless the operator set individual limits for the organization. */
            limits: {
                /** @description Requests per minute, for all keys and sessions together. Null: unlimited. */
                requestsPerMinute: number | null;
                /**
                 * Format: int32
                 * @description Concurrent event streams per server, for all keys and sessions together.
                 */
                eventStreams: number;
                /**
                 * Format: int32
                 * @description Concurrent uploads of deployments.
                 */
                concurrentUploads: number;
                /**
                 * Format: int64
                 * @description Bytes stored for deployments.
                 */
                storageBytes: number | bigint;
                /**
                 * Format: int64
                 * @description Bytes in the database.
                 */
                databaseBytes: number | bigint;
                /**
                 * Format: int64
                 * @description Bytes of files of domains imported in one day, UTC.
                 */
                importBytesPerDay: number | bigint;
                /**
                 * Format: int32
                 * @description Deployments kept per project: those that were uploaded or activated last.
                 */
                keptDeployments: number;
                /**
                 * Format: int32
                 * @description Channels per project.
                 */
                channelsPerProject: number;
                /**
                 * Format: int32
                 * @description Origins of all projects and domains together.
                 */
                origins: number;
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
                 * @description Domains per project. 0: the plan does not include custom domains.
                 */
                domainsPerProject: number;
                /**
                 * Format: int32
                 * @description Webhook endpoints.
                 */
                webhookEndpoints: number;
            };
            /** @description Current usage of some limits. It may exceed the limit after a change of the plan. */
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
                 * @description Domains of all projects together.
                 */
                domains: number;
                /**
                 * Format: int32
                 * @description Domains of the project that has the most.
                 */
                domainsPerProject: number;
                /**
                 * Format: int32
                 * @description Webhook endpoints.
                 */
                webhookEndpoints: number;
                /**
                 * Format: int32
                 * @description Origins of all projects and domains together.
                 */
                origins: number;
                /**
                 * Format: int64
                 * @description Bytes stored. Each file counts once; files of deployments that are no longer kept count for about a day.
                 */
                storageBytes: number | bigint;
                /**
                 * Format: int64
                 * @description Bytes in the database, estimated about every minute.
                 */
                databaseBytes: number | bigint;
                /**
                 * Format: int64
                 * @description Bytes of files of domains imported today, UTC, cancelled imports included.
                 */
                importBytesPerDay: number | bigint;
            };
            /** @description When custom domains will be suspended because the plan no longer includes them; null if no suspension is planned. */
            domainsEndAt: string | null;
            caller: components["schemas"]["Caller"];
            /** @description Why the organization is suspended; empty if it is not. */
            suspensions: components["schemas"]["Suspension"][];
            /** @description For callers with `owners:write`, empty for others: valid keys of people whose membership the identity provider ended, until somebody decides about them, and for seven days, keys that were reported as leaked. At most 40. */
            notices: components["schemas"]["Notice"][];
        };
        /** @description The caller of this request, and what it may do. */
        Caller: {
            scopes: components["schemas"]["Scope"][];
            /** @description Null for an API key and its sessions. */
            person: components["schemas"]["Person"] | null;
        };
        /**
         * @description A permission of a key.
         * @enum {string}
         */
        Scope: "pets:read" | "pets:write" | "orders:read" | "orders:write" | "domains:read" | "domains:write" | "projects:read" | "projects:write" | "webhooks:read" | "webhooks:write" | "keys:read" | "keys:write" | "audit:read" | "people:read" | "people:write" | "owners:write";
        /** @description A person who can sign in to the dashboard. */
        Person: {
            /** Format: uuid */
            id: string;
            /** @description As the identity provider sent it at the last sign-in. */
            name: string | null;
            /** @description As the identity provider sent it at the last sign-in. For display: it identifies nobody. */
            email: string | null;
            role: components["schemas"]["Role"];
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            lastSignInAt: string;
        };
        /**
         * @description What a person may do: a `viewer` reads; a `developer` also changes animals, orders, projects and domains; an `admin` also changes webhooks, API keys and people who are not owners; an `owner` may do everything.
         * @enum {string}
         */
        Role: "owner" | "admin" | "developer" | "viewer";
        /** @description Why visitors get 410. `operator`: the operator suspended it; `plan`: the plan no longer includes it; `blocked_name`: the operator blocked the name. */
        Suspension: {
            /**
             * @description Whether the resource itself is suspended or one that contains it.
             * @enum {string}
             */
            scope: "organization" | "project" | "domain";
            /** @enum {string} */
            cause: "operator" | "plan" | "blocked_name";
            /** @description The reason, for the owner. */
            reason: string;
            /** Format: date-time */
            since: string;
            /** @description Until when certificates are still renewed; null: they are not renewed during the suspension. */
            renewsUntil: string | null;
        };
        /** @description Something that owners have to know. */
        Notice: {
            /** @enum {string} */
            code: "keys_left_behind" | "key_leaked";
            /** Format: date-time */
            at: string;
            /** @description What happened and what to do. */
            message: string;
            /** @description Whose keys; decide about them with removePerson. Null for a leaked key. */
            personId: string | null;
            apiKeys: components["schemas"]["SomeApiKeys"];
        };
        /** @description A number of API keys, and the first of them. */
        SomeApiKeys: {
            /** Format: int32 */
            total: number;
            /** @description The first 20. */
            first: {
                /** Format: uuid */
                id: string;
                name: string;
                display: string;
            }[];
        };
        /** @description A site and the domains that serve it. */
        Project: {
            /** Format: uuid */
            id: string;
            /** @description 1 to 100 characters. */
            name: string;
            slug: string;
            /**
             * Format: uri
             * @description The URL of the site: its primary domain while that is live, else its `platformUrl`.
             */
            url: string;
            /**
             * Format: uri
             * @description The URL below the platform domain: `https://<slug>.<platform domain>`.
             */
            platformUrl: string;
            /** @description Null: no Strict-Transport-Security header is sent. */
            hsts: components["schemas"]["Hsts"] | null;
            /**
             * @description Whether the addresses of pages end in a slash; the other form redirects. `auto`: those of folders do (`/docs/` for `docs/index.html`), those of files do not (`/about` for `about.html`).
             * @enum {string}
             */
            trailingSlash: "auto" | "always" | "never";
            /** @description Why visitors of the `platformUrl` get 410; empty unless the project or its organization is suspended. */
            suspensions: components["schemas"]["Suspension"][];
            /** Format: date-time */
            createdAt: string;
        };
        /** @description Strict-Transport-Security (RFC 6797), as the edges send it over TLS for the domains of the project. */
        Hsts: {
            /**
             * Format: int32
             * @description How long browsers use only HTTPS, in seconds. 0 makes browsers forget the policy.
             */
            maxAge: number;
            /**
             * @description Whether the policy applies to all names below the domain as well, wherever they are served.
             * @default false
             */
            includeSubDomains?: boolean;
            /**
             * @description Whether browsers may include the domain in their preload lists. Requires includeSubDomains and a maxAge of at least 31536000.
             * @default false
             */
            preload?: boolean;
        };
        /** @description A project to create. */
        NewProject: {
            /** @description 1 to 100 characters. */
            name: string;
            /** @description The label of the project below the platform domain. It must be unique, without two hyphens in a row, and not reserved by the platform, such as `www`, `login` or `mta-sts`. */
            slug: string;
        };
        /** @description Changes to a project. */
        ProjectChange: {
            /** @description 1 to 100 characters. */
            name?: string;
            /** @description Null: the header is no longer sent, and browsers apply the last policy until it expires. A `maxAge` of 0 makes browsers forget it. */
            hsts?: components["schemas"]["Hsts"] | null;
            /**
             * @description Whether the addresses of pages end in a slash; the other form redirects. `auto`: those of folders do (`/docs/` for `docs/index.html`), those of files do not (`/about` for `about.html`).
             * @enum {string}
             */
            trailingSlash?: "auto" | "always" | "never";
        };
        /** @description What a browser gets at a URL, hop by hop, and why. */
        Explanation: {
            /** @description At most 10, in the order in which a browser gets them. */
            hops: {
                url: string;
                /** @description Null where an application answers. */
                status: number | null;
                /**
                 * @description `https`: plain HTTP redirects to HTTPS. `domain_redirect`: a redirect between domains of the project, or to its primary domain. `address`: the page has another address. `rule`: a line of `_redirects`, or `200.html`. `file`: a file at this address. `not_found_page`: the nearest `404.html`. `application`: the application of the project answers; its status is its own. The others are pages of the platform.
                 * @enum {string}
                 */
                reason: "https" | "domain_redirect" | "address" | "rule" | "file" | "not_found_page" | "not_found" | "not_published" | "certificate_pending" | "suspended" | "malformed" | "application";
                rule: {
                    /**
                     * Format: int32
                     * @description The line of `_redirects`; 0 for `200.html`.
                     */
                    line: number;
                    from: string;
                    to: string;
                    /** Format: int32 */
                    status: number;
                } | null;
                /** @description The file of the deployment that is shown. */
                file: string | null;
                /** @description Where the answer redirects. */
                location: string | null;
                /** @description Whether only visitors with a link of the channel get this answer. All others get 401. */
                needsLink: boolean;
            }[];
            /**
             * @description `answer`: the last hop is a page. `other_host`: it leads to a host that the project does not serve. `loop`: it leads back to an earlier one. `too_many_redirects`: after 10 there is still no page.
             * @enum {string}
             */
            end: "answer" | "other_host" | "loop" | "too_many_redirects";
        };
        /** @description An uploaded bundle. The domains of a project serve the deployment that was uploaded or activated last. A deployment that was uploaded to a channel is served only there until it is activated. The newest deployments of a project are kept (`keptDeployments`), as many that were only on channels, and all that channels serve. Older ones are `collected` and cannot be served again. */
        Deployment: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            projectId: string;
            /** @enum {string} */
            state: "ready" | "collected";
            /** @description Whether the project serves it, at its own address and its domains. */
            active: boolean;
            /** @description The channels that serve it, by name. */
            channels: string[];
            /** @description SHA-256 of all paths and contents, in hexadecimal. */
            contentHash: string;
            /** Format: int32 */
            files: number;
            /**
             * Format: int32
             * @description Size of the unpacked files.
             */
            bytes: number;
            /** @description What its author says about it. */
            message: string | null;
            /** @description Null if its author says nothing of it. */
            source: components["schemas"]["DeploymentSource"] | null;
            /** @description Null if no person and no key uploaded it. */
            author: components["schemas"]["DeploymentAuthor"] | null;
            /** Format: date-time */
            createdAt: string;
        };
        /** @description Where the files of a deployment come from, as its author says. */
        DeploymentSource: {
            branch: string | null;
            commit: string | null;
            url: string | null;
        };
        /** @description The person or API key that uploaded a deployment. */
        DeploymentAuthor: {
            /** @enum {string} */
            kind: "person" | "api_key";
            /** Format: uuid */
            id: string;
            /** @description The person’s name or e-mail address as it is now, or the API key as shown in lists. */
            display: string | null;
        };
        /** @description A deployment, and what its archive contained besides. */
        CreatedDeployment: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            projectId: string;
            /** @enum {string} */
            state: "ready" | "collected";
            /** @description Whether the project serves it, at its own address and its domains. */
            active: boolean;
            /** @description The channels that serve it, by name. */
            channels: string[];
            /** @description SHA-256 of all paths and contents, in hexadecimal. */
            contentHash: string;
            /** Format: int32 */
            files: number;
            /**
             * Format: int32
             * @description Size of the unpacked files.
             */
            bytes: number;
            /** @description What its author says about it. */
            message: string | null;
            /** @description Null if its author says nothing of it. */
            source: components["schemas"]["DeploymentSource"] | null;
            /** @description Null if no person and no key uploaded it. */
            author: components["schemas"]["DeploymentAuthor"] | null;
            /** Format: date-time */
            createdAt: string;
            /** @description Files of the archive that are not published: `.DS_Store`, `Thumbs.db`, `__MACOSX/`, and `._name` beside `name`. */
            ignored: {
                /** Format: int32 */
                count: number;
                /** @description The first hundred. */
                paths: string[];
            };
        };
        /** @description A deployment, and whether it has reached the edges. */
        DeploymentWithEdges: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            projectId: string;
            /** @enum {string} */
            state: "ready" | "collected";
            /** @description Whether the project serves it, at its own address and its domains. */
            active: boolean;
            /** @description The channels that serve it, by name. */
            channels: string[];
            /** @description SHA-256 of all paths and contents, in hexadecimal. */
            contentHash: string;
            /** Format: int32 */
            files: number;
            /**
             * Format: int32
             * @description Size of the unpacked files.
             */
            bytes: number;
            /** @description What its author says about it. */
            message: string | null;
            /** @description Null if its author says nothing of it. */
            source: components["schemas"]["DeploymentSource"] | null;
            /** @description Null if no person and no key uploaded it. */
            author: components["schemas"]["DeploymentAuthor"] | null;
            /** Format: date-time */
            createdAt: string;
            /** @description Whether every edge serves the deployment. An edge without contact counts until it has stopped serving. After another change of the project it is false until the edges have that, too. */
            servedEverywhere: boolean;
        };
        /** @description The files in which two deployments differ, `_redirects` and `_headers` included. */
        DeploymentChanges: {
            /** @description The deployment that it was compared with; null if there was none. */
            since: string | null;
            added: {
                /** Format: int32 */
                count: number;
                /** @description The first hundred, in order. */
                paths: string[];
            };
            changed: {
                /** Format: int32 */
                count: number;
                /** @description The first hundred, in order. */
                paths: string[];
            };
            removed: {
                /** Format: int32 */
                count: number;
                /** @description The first hundred, in order. */
                paths: string[];
            };
        };
        /** @description A deployment whose files are being sent. */
        DeploymentUpload: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            projectId: string;
            /** Format: date-time */
            expiresAt: string;
            /** @description Files whose contents are to be sent, by their paths; one path of each content. */
            lacking: string[];
            /** @description Files of the archive that are not published: `.DS_Store`, `Thumbs.db`, `__MACOSX/`, and `._name` beside `name`. */
            ignored: {
                /** Format: int32 */
                count: number;
                /** @description The first hundred. */
                paths: string[];
            };
        };
        /** @description An address of a project that serves one deployment, whichever is the active one. */
        Channel: {
            name: string;
            /** Format: uuid */
            projectId: string;
            /**
             * Format: uuid
             * @description The deployment that it serves.
             */
            deploymentId: string;
            /**
             * Format: uri
             * @description Its address: `https://<channel>--<slug>.<platform domain>`. Search engines do not list it.
             */
            url: string;
            /**
             * @description `public`: everybody may read it. `link`: it is protected, and opens only with a link (createChannelLink), at all its addresses; visitors without one get 401.
             * @enum {string}
             */
            access: "public" | "link";
            /** @description Domains that serve it instead of the active deployment: the first 20, by name. */
            domains: string[];
            /** Format: date-time */
            createdAt: string;
            /**
             * Format: date-time
             * @description When it was last deployed to, changed or renewed.
             */
            updatedAt: string;
            /** @description When it ends: 30 days after it was last deployed to, changed or renewed. Null while a domain serves it. */
            expiresAt: string | null;
        };
        /** @description What a channel is to serve. */
        ChannelChange: {
            /**
             * Format: uuid
             * @description The deployment to serve. If absent, it stays the same.
             */
            deploymentId?: string;
            /**
             * @description `public`: everybody may read it. `link`: it is protected, and opens only with a link (createChannelLink), at all its addresses; visitors without one get 401.
             * @enum {string}
             */
            access?: "public" | "link";
        };
        /** @description A removed channel that some edges may still serve. */
        RemovedChannel: {
            name: string;
            /** Format: uuid */
            projectId: string;
            /**
             * Format: int32
             * @description How many edges may still serve it.
             */
            pendingEdges: number;
        };
        /** @description A link to create. */
        NewChannelLink: {
            /**
             * Format: int32
             * @description Seconds until the link ends.
             * @default 604800
             */
            expiresIn?: number;
        };
        /** @description A link that opens a protected channel. */
        CreatedChannelLink: {
            /**
             * Format: uri
             * @description The link, which is shown only once. Its query opens every path, also at the domains that serve the channel.
             */
            url: string;
            /**
             * Format: date-time
             * @description When the link ends. It ends earlier with its channel, or when all links are ended.
             */
            expiresAt: string;
        };
        /** @description Ended links of a channel that some edges may still accept. */
        EndedChannelLinks: {
            /**
             * Format: int32
             * @description How many edges may still accept links from before.
             */
            pendingEdges: number;
        };
        /** @description The application that answers the visitors of a project, or of one domain. Once a test has passed, all hosts of the project are forwarded to it, but domains that serve a channel or have an origin of their own. Deployments are kept, but not served. */
        Origin: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            projectId: string;
            /** @description The domain whose own it is. Null: it is the origin of the project. */
            domainId: string | null;
            url: string;
            hostHeader: string | null;
            /** @description Limits in seconds: until a connection is open, until the head of an answer, and without a byte. */
            timeouts: {
                /** Format: int32 */
                connect: number;
                /** Format: int32 */
                answer: number;
                /** Format: int32 */
                idle: number;
            };
            /** @description The names of the headers that requests get. */
            headers: string[];
            metadata: string[];
            /** Format: int32 */
            maxConnections: number;
            /**
             * @description `testing`: no edge has tested it yet; visitors get what they would without it until then. `serving`: visitors are forwarded to it. `failed`: its test failed before it ever served.
             * @enum {string}
             */
            state: "testing" | "serving" | "failed";
            test: components["schemas"]["OriginTest"];
            /** @description Null before it serves. */
            health: components["schemas"]["OriginHealth"] | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        /** @description What an edge got when it asked the application for `/`. */
        OriginTest: {
            /** Format: date-time */
            startedAt: string;
            /** @description Null while no edge has reported a result. */
            finishedAt: string | null;
            /** @description Whether an edge got an answer with a status below 500; null before that. */
            passed: boolean | null;
            /** @description The HTTP status of the answer. */
            status: number | null;
            /** @description Why there was no answer. */
            failure: {
                /** @enum {string} */
                code: "dns" | "address_not_allowed" | "connection" | "certificate" | "timeout" | "invalid_answer" | "limit" | "loop";
                detail: string;
            } | null;
            /** @description The IP address that the edge connected to. */
            address: string | null;
            durationMs: number | null;
        };
        /** @description Whether the edges can connect to the application. Answers, of any status, and time-outs of answers do not count. */
        OriginHealth: {
            /**
             * @description `failing`: for 30 seconds a majority of the edges could open no connection to it; `reachable` again when a majority could for 30 seconds.
             * @enum {string}
             */
            state: "reachable" | "failing";
            /** Format: date-time */
            since: string;
            /** @description Why most of these edges cannot; null while it is `reachable`. */
            failure: {
                /** @enum {string} */
                code: "dns" | "address_not_allowed" | "connection" | "certificate" | "timeout" | "invalid_answer" | "limit" | "loop";
                detail: string;
            } | null;
        };
        /** @description An application that answers the visitors of a project, or of one domain. */
        NewOrigin: {
            /**
             * Format: uri
             * @description Where the application is: `https://host` or `https://host:port`. Path and query are those of the visitor.
             */
            url: string;
            hostHeader?: string | null;
            /**
             * @default {
             *       "connect": 5,
             *       "answer": 60,
             *       "idle": 300
             *     }
             */
            timeouts?: components["schemas"]["OriginTimeouts"];
            /** @description Headers that every request gets, such as a shared secret by which the application knows the platform. They are stored encrypted and never shown again. Absent: those that are stored stay. */
            headers?: {
                [key: string]: string;
            };
            /**
             * @description Keys of the metadata of a domain that the application gets with each request, as JSON in `X-Pets-Metadata`.
             * @default []
             */
            metadata?: string[];
            /**
             * Format: int32
             * @description Connections to the application that each edge may have open at a time.
             * @default 100
             */
            maxConnections?: number;
        };
        /** @description Limits in seconds. */
        OriginTimeouts: {
            /**
             * Format: int32
             * @description Until a connection is open, TLS included.
             * @default 5
             */
            connect?: number;
            /**
             * Format: int32
             * @description From the request until the head of the answer.
             * @default 60
             */
            answer?: number;
            /**
             * Format: int32
             * @description Without a byte in either direction: for bodies, event streams and WebSockets.
             * @default 300
             */
            idle?: number;
        };
        /** @description A custom domain of a project, with its complete status. */
        Domain: {
            /** Format: uuid */
            id: string;
            /** @description In ASCII form (A-labels, RFC 5890). */
            name: string;
            unicodeName: string;
            /** @description The registrable domain, by the public suffix list. */
            apexName: string;
            /** Format: uuid */
            projectId: string;
            /** @description The id that you gave the domain. */
            externalId: string | null;
            /** @description Values that you stored with the domain, by key. */
            metadata: {
                [key: string]: string;
            };
            /** @description The channel that the domain serves, unless it has an origin of its own. Null: it serves what the project serves. */
            channel: string | null;
            /** @description The id of the origin of its own, of which `getDomainOrigin` returns the state: once its test has passed, the domain is forwarded to it. Null without one. */
            originId: string | null;
            state: components["schemas"]["DomainState"];
            /** @description Whether the domain is live although its DNS no longer points here. */
            misconfigured: boolean;
            /** Format: date-time */
            createdAt: string;
            verifiedAt: string | null;
            liveAt: string | null;
            removedAt: string | null;
            /**
             * Format: int32
             * @description How many edges may still serve the removed domain; 0 once all of them have stopped.
             */
            pendingEdges: number;
            /** @description The counterpart of the domain in the project: `www.<apex>` for the apex, and vice versa. */
            pairedWith: string | null;
            /** @description The wildcard of the organization that covers the name, such as `*.example.com`: it serves the name where the name itself is not served. Null without one, and where it excludes the name. */
            coveredBy: string | null;
            /** @description Of a wildcard: the names that it covers and that are not served. Null for other names. */
            exclusions: string[] | null;
            /** @description The DNS records to create. */
            records: components["schemas"]["RequiredRecord"][];
            /** @description The result of the last DNS check. */
            dns: {
                /** @description When a check was last requested. */
                requestedAt: string | null;
                checkedAt: string | null;
                nextCheckAt: string | null;
                /** @description The name servers of the zone of the domain, which identify the DNS provider. Empty until they are known. */
                nameServers: string[];
                observed: components["schemas"]["ObservedRecord"][];
                conflicts: components["schemas"]["RecordConflict"][];
                /** @description Records that were in `conflicts` and are gone: all of them until the domain is verified, then those of which caches may have copies. Absent without any. */
                former?: components["schemas"]["FormerRecord"][];
            };
            /** @description Whether a TXT record must prove ownership of the name. */
            ownership: {
                /** @description Whether a TXT record must prove ownership of the name: if another organization has or had it, or if it is an apex or shows only addresses, which do not identify an organization. An apex needs none if a check finds that its `www.` name, in the same zone, points to the target of this organization, or that the apex itself does through a CNAME. */
                required: boolean;
                /** @enum {string} */
                state: "not_required" | "pending" | "proven";
                record: components["schemas"]["RequiredRecord"] | null;
            };
            certificate: components["schemas"]["DomainCertificate"] | null;
            /** @description The certificate that you uploaded; absent without one. Then `certificate` is the fallback. */
            ownCertificate?: components["schemas"]["OwnCertificate"];
            /** @description Whether the DNS record can be switched without an interruption, while the domain awaits its DNS. Null afterwards, and where challenges cannot be delegated. */
            readiness: components["schemas"]["DomainReadiness"] | null;
            /** @description Why visitors get 410 instead of the site; empty unless the domain is suspended. */
            suspensions: components["schemas"]["Suspension"][];
            /** @description Why the domain is not live yet, or what prevents its certificate. */
            issues: components["schemas"]["DomainIssue"][];
        };
        /**
         * @description `live` is confirmed by TLS handshakes with the edges, of a large fleet with a sample. A `removed` domain may still have `pendingEdges`.
         * @enum {string}
         */
        DomainState: "awaiting_dns" | "verified" | "live" | "removed";
        /** @description A DNS record to create. */
        RequiredRecord: {
            /** @enum {string} */
            type: "CNAME" | "ALIAS" | "TXT";
            /** @description The name as entered at a DNS provider, relative to the apex: the label, or `@`. */
            name: string;
            value: string;
            /**
             * Format: int32
             * @description In seconds.
             */
            ttl: number;
            /**
             * @description `routing` leads visitors here, `ownership` proves whose name it is, and `delegation` lets us get the certificate while the name still points elsewhere. The delegation proves ownership as well.
             * @enum {string}
             */
            purpose: "routing" | "ownership" | "delegation";
            /**
             * @description The domain also goes live without this record.
             * @constant
             */
            optional?: true;
            /** @description Records to create instead of this one, all of them, at a provider that has no ALIAS or ANAME. Absent where the record can be created anywhere, and where the operator has listed no public addresses. */
            alternatives?: {
                /** @enum {string} */
                type: "A" | "AAAA";
                /** @description The name as entered at a DNS provider: that of the record it replaces. */
                name: string;
                /** @description One of our public addresses. */
                value: string;
                /**
                 * Format: int32
                 * @description In seconds.
                 */
                ttl: number;
            }[];
        };
        /** @description A DNS record that a check found. */
        ObservedRecord: {
            type: string;
            name: string;
            value: string;
            /** @description In seconds; null if unknown. */
            ttl: number | null;
            /** @description The name server that returned the record. */
            resolver: string;
            /**
             * Format: int32
             * @description How many more records exist that are not shown. Long values are truncated and end with their original size.
             */
            omitted?: number;
        };
        /** @description A DNS record that prevents verification, and what to do with it. */
        RecordConflict: {
            type: string;
            name: string;
            value: string;
            /** @enum {string} */
            action: "remove" | "change";
        };
        /** @description A DNS record that prevented verification, and is gone. */
        FormerRecord: {
            type: string;
            name: string;
            value: string;
            /** @enum {string} */
            action: "remove" | "change";
            /** @description For how long caches may keep a copy, in seconds; null if unknown. */
            ttl: number | null;
            /**
             * Format: date-time
             * @description The first check without the record.
             */
            goneAt: string;
        };
        /** @description The certificate of a domain, or the progress of getting one. */
        DomainCertificate: {
            /** @enum {string} */
            state: "pending" | "issued" | "failed" | "expired";
            /**
             * @description How the certificate authority checked that we control the name, or will: `http-01` needs a name that points here, `dns-01` the delegation record. A renewal uses the same method again if it can, else the other one.
             * @enum {string}
             */
            method: "http-01" | "dns-01";
            issuer: string | null;
            notBefore: string | null;
            notAfter: string | null;
            /** @description When the certificate is planned to be renewed; the certificate authority may change this. Null without a certificate. */
            renewAt: string | null;
            /**
             * Format: int32
             * @description The number of attempts to get a certificate, including renewals.
             */
            attempts: number;
            /** @description When the next attempt starts automatically; null if none is planned. */
            nextAttemptAt: string | null;
            /** @description Until when the certificate authority accepts no order for this name, by its answer or its published limits. */
            rateLimitedUntil: string | null;
        };
        /** @description A certificate that the owner uploaded. Its key is never returned. */
        OwnCertificate: {
            /** Format: uuid */
            id: string;
            /**
             * @description `checking`: we read the revocation list of its certificate authority, which takes seconds; visitors get the certificate that they had. `active`: it can be served. `expired` and `revoked`: visitors get the automatic one.
             * @enum {string}
             */
            state: "checking" | "active" | "expired" | "revoked";
            /** @description Whether it is the certificate that visitors get. */
            isServed: boolean;
            /**
             * @description Which certificate visitors get: `own`, the uploaded one, or `automatic`, the one that we order. The other one takes its place while the preferred one is missing or not valid.
             * @enum {string}
             */
            prefer: "own" | "automatic";
            /** @enum {string} */
            trust: "public" | "private";
            /** @description The DNS names of the certificate. */
            names: string[];
            issuer: string;
            /** Format: date-time */
            notBefore: string;
            /**
             * Format: date-time
             * @description When it, or the first certificate of its chain, expires.
             */
            notAfter: string;
            /** @description SHA-256 of the certificate (DER), in lower-case hexadecimal digits. */
            fingerprint: string;
            /** Format: date-time */
            uploadedAt: string;
            /** @description The check of the revocation list that the certificate names, daily. */
            revocation: {
                /** @description What the last check found; `unknown` if the list could not be used. Null before, and without a list. */
                result: ("good" | "revoked" | "unknown") | null;
                checkedAt: string | null;
                detail: string | null;
            };
        };
        /** @description Whether the DNS record of a domain can be switched without an interruption. */
        DomainReadiness: {
            /**
             * @description `waiting` for the delegation record, `preparing` the certificate, or `ready`: the DNS record can be switched without an interruption.
             * @enum {string}
             */
            state: "waiting" | "preparing" | "ready";
            /** @description What the owner can do now, for people. */
            message: string;
        };
        /** @description A problem of a domain, and the exact fix. */
        DomainIssue: {
            /** @enum {string} */
            code: "no_record" | "entered_with_zone" | "cname_mismatch" | "conflicting_a" | "conflicting_aaaa" | "conflicting_records" | "proxied_by_cdn" | "apex_cname" | "apex_cname_to_us" | "apex_not_pointing_here" | "flattened" | "address_retiring" | "ownership_txt_missing" | "ownership_txt_of_others" | "delegation_missing" | "delegation_mismatch" | "delegation_shadowed" | "delegation_propagating" | "delegation_lost" | "preparation_expired" | "renewal_stopped" | "challenge_not_published" | "resolver_failed" | "dnssec_broken" | "propagating" | "caa_forbids" | "caa_too_large" | "caa_unanswered" | "claimed_elsewhere" | "http_unreachable" | "ca_refused" | "ca_rate_limited" | "certificate_queued" | "certificate_pending" | "ca_unavailable" | "not_served_yet" | "certificate_overdue" | "renewal_at_risk" | "certificate_expiring" | "certificate_expired" | "own_certificate_expiring" | "own_certificate_expired" | "own_certificate_revoked" | "dns_lost" | "dangling_record" | "plan_ended" | "suspended";
            /** @description The problem in at most 30 characters, such as `wrong CNAME value`. */
            title: string;
            /**
             * @description The subject: `dns` is the records of the name, `zone` the name servers of its zone and their signatures, `delegation` the record that delegates challenges.
             * @enum {string}
             */
            area: "dns" | "zone" | "ownership" | "delegation" | "certificate" | "plan" | "suspension";
            /**
             * @description `error`: the owner has to act; `warning`: it resolves automatically, or matters only later; `info`: progress.
             * @enum {string}
             */
            severity: "error" | "warning" | "info";
            /** @description Whether the domain cannot go live until this is solved. A live domain stays live. */
            blocking: boolean;
            /** @description Whether it is solved in time, without a change by the owner. */
            resolvesAutomatically: boolean;
            /** @description What was found, for the owner of the domain. */
            message: string;
            /** @description What is wrong, in short and without the values of records: for a page that lists the records to create, change and delete. Null: show `message` and `remediation`. */
            cause: string | null;
            /** @description What to do. */
            remediation: string;
            /** @description Observed and expected values, by name. */
            evidence: {
                [key: string]: string | number | string[];
            };
        };
        /** @description How many domains a project has. */
        DomainCounts: {
            /**
             * Format: int32
             * @description Domains that are not removed.
             */
            total: number;
            /** @description These domains by state. */
            byState: {
                /** Format: int32 */
                awaiting_dns: number;
                /** Format: int32 */
                verified: number;
                /** Format: int32 */
                live: number;
            };
            /**
             * Format: int32
             * @description Live domains whose DNS no longer points here.
             */
            misconfigured: number;
        };
        /** @description A domain to add. */
        NewDomain: {
            /** @description The host name, in ASCII or Unicode, as a browser accepts it. Of a URL, the host is used. */
            name: string;
            /**
             * @description Whether to add the counterpart as well (`www.<apex>` for the apex and vice versa), with a redirect (301) to this name. This name becomes the primary domain if the project has none.
             * @default false
             */
            pair?: boolean;
            /** @description An id of your own, which several domains may share. */
            externalId?: string;
            /** @description Values by key, for your own use: at most 16 keys of up to 40 characters without brackets and control characters, not `constructor` or `prototype`, with values of up to 512 bytes. */
            metadata?: {
                [key: string]: string;
            };
        };
        /** @description Domains to add. Domains that exist keep their `externalId` and `metadata`. */
        NewDomainBatch: {
            domains: {
                /** @description The host name, in ASCII or Unicode. */
                name: string;
                /** @description An id of your own, which several domains may share. */
                externalId?: string;
                /** @description Values by key, for your own use: at most 16 keys of up to 40 characters without brackets and control characters, not `constructor` or `prototype`, with values of up to 512 bytes. */
                metadata?: {
                    [key: string]: string;
                };
            }[];
        };
        /** @description The results of a batch. */
        AddedDomains: {
            /** @description One for each name, in the order sent. */
            results: components["schemas"]["AddedDomain"][];
        };
        /** @description What became of a name of a batch. */
        AddedDomain: {
            /** @description The name as it was sent. */
            name: string;
            /**
             * @description `exists`: the project already has the domain, and nothing changes.
             * @enum {string}
             */
            result: "created" | "exists" | "refused";
            /** @description The id of the domain; null if the name was refused. */
            id: string | null;
            /** @description The DNS records to create, as `GET` shows them. */
            records: components["schemas"]["RequiredRecord"][];
            /** @description Why the name was refused, as a request for it alone would be. */
            error: components["schemas"]["Error"] | null;
        };
        /** @description Domains to remove. */
        DomainBatchRemoval: {
            domains: {
                /** @description The name or the id of the domain. */
                name: string;
            }[];
        };
        /** @description The results of a batch. */
        RemovedDomains: {
            /** @description One for each name, in the order sent. */
            results: components["schemas"]["RemovedDomain"][];
        };
        /** @description What became of a domain of a batch. */
        RemovedDomain: {
            /** @description The name or the id as it was sent. */
            name: string;
            /**
             * @description `removed`: no edge serves the domain any more, unless a wildcard does. `stopping`: removed, but some edge may still serve it.
             * @enum {string}
             */
            result: "removed" | "stopping" | "refused";
            /** @description The id of the domain; null if the name was refused. */
            id: string | null;
            /** @description The wildcard of the organization that covers the name and serves it; null without one. */
            coveredBy: string | null;
            /** @description Why the name was refused, as a request for it alone would be. */
            error: components["schemas"]["Error"] | null;
        };
        /** @description Changes to a domain. */
        DomainChange: {
            externalId?: string | null;
            /** @description Keys to set. A key with null is removed; keys that are absent keep their values. */
            metadata?: {
                [key: string]: string | null;
            };
            /** @description The channel that the domain is to serve. Null: what the project serves. A redirect of the domain still comes first, and so does an origin of its own. */
            channel?: string | null;
        };
        /** @description An event in the history of a domain. */
        DomainHistoryEntry: {
            /**
             * Format: int32
             * @description Number within the project. Numbers ascend; some may be missing.
             */
            number: number;
            /** Format: uuid */
            domainId: string;
            /** @description The kind of event, such as `dns.checked` or `certificate.issued`. Alerts about the certificate, each sent once: `certificate.overdue`, `certificate.renewal_at_risk`, `certificate.expiring`, `certificate.expired`. The detail of `domain.suspended` and `domain.resumed` contains the reason. A move has a line `owner.moved` in the history of both projects. After a removal that was answered with 202, `traffic.stopped` follows when the last edge has stopped serving the domain. */
            type: string;
            from: components["schemas"]["DomainState"] | null;
            to: components["schemas"]["DomainState"];
            actor: components["schemas"]["Actor"];
            /** @description What happened and why, for people. */
            detail: string;
            /** Format: date-time */
            at: string;
        };
        /** @description The person, API key or service that caused an event. */
        Actor: {
            /** @enum {string} */
            kind: "api_key" | "person" | "system";
            /** @description The id of the person or the API key; null for the service. */
            id: string | null;
            /** @description The person’s name or e-mail address, or the API key as shown in lists. */
            display: string | null;
        };
        /** @description A move of a domain to another project. */
        DomainMove: {
            /**
             * Format: uuid
             * @description The project to move the domain to, of the same organization.
             */
            projectId: string;
            /**
             * @description What to do if the domain configuration of the project refers to the domain. `refuse`: change nothing, and answer 409 with the entries. `move`: move the redirects from and to the domain with it, and the domains that these connect. A redirect to the host of the project then leads to the host of the other project. A primary domain becomes that of the other project if that has none.
             * @default refuse
             * @enum {string}
             */
            redirects?: "refuse" | "move";
        };
        /** @description A link with which the owner of a domain sets it up. */
        SetupLink: {
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            expiresAt: string;
            returnUrl: string | null;
        };
        /** @description A set-up link to create. */
        NewSetupLink: {
            /**
             * Format: int32
             * @description Seconds until the link ends.
             * @default 604800
             */
            expiresIn?: number;
            /**
             * Format: uri
             * @description Where the page offers to go back to. Its origin has to be one of `returnOrigins` of the set-up page (putSetupPage).
             */
            returnUrl?: string;
        };
        /** @description A new set-up link. */
        CreatedSetupLink: {
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            expiresAt: string;
            returnUrl: string | null;
            /** @description The link, which is shown only once. */
            url: string;
        };
        /** @description What the pages of set-up links show of your organization. */
        SetupPage: {
            /** @description Your name, as the owners of domains know it. */
            name: string | null;
            /** @description Background of buttons, with white text. */
            color: string | null;
            /** @description Where the owner of a domain finds help. */
            supportAddress: (string) | null;
            /** @description Origins of your own pages to which a set-up link may lead back. */
            returnOrigins: string[];
            logo: components["schemas"]["SetupLogo"] | null;
        };
        /** @description The logo on the pages of set-up links. */
        SetupLogo: {
            /** @description The image, in WebP. It has another address when it is another image. */
            url: string;
            /**
             * Format: int32
             * @description In pixels.
             */
            width: number;
            /**
             * Format: int32
             * @description In pixels.
             */
            height: number;
        };
        /** @description What the pages of set-up links show of your organization, but for its logo. */
        NewSetupPage: {
            /** @description Your name, as the owners of domains know it. */
            name: string | null;
            /** @description Background of buttons, with white text. */
            color: string | null;
            /** @description Where the owner of a domain finds help. */
            supportAddress: (string) | null;
            /** @description Origins of your own pages to which a set-up link may lead back. */
            returnOrigins: string[];
        };
        /** @description A set-up link to open. */
        NewSetupSession: {
            /** @description The part of the link after `#`, or a token of this operation that is still valid. */
            token: string;
        };
        /** @description A token for the page of a set-up link. */
        SetupSession: {
            /** @description For the operations below `/v1/setup`: `Authorization: Bearer <token>`. */
            token: string;
            /**
             * Format: date-time
             * @description Afterwards, or soon before, send the token to this operation for another one.
             */
            expiresAt: string;
        };
        /** @description What a set-up link shows. */
        Setup: {
            /** @description The domain, and the other name of its pair if it has one. */
            domains: components["schemas"]["SetupDomain"][];
            /** @description Your name, as the owners of domains know it. */
            name: string | null;
            color: string | null;
            supportAddress: string | null;
            logo: components["schemas"]["SetupLogo"] | null;
            returnUrl: string | null;
            /** @description The domain of the platform, which runs the page. */
            platform: string;
            /**
             * Format: date-time
             * @description When the link ends.
             */
            expiresAt: string;
        };
        /** @description A domain, as its owner sees it by a set-up link. */
        SetupDomain: {
            /** @description In ASCII form (A-labels, RFC 5890). */
            name: string;
            unicodeName: string;
            /** @description The registrable domain, by the public suffix list. */
            apexName: string;
            state: components["schemas"]["DomainState"];
            /** @description Whether the domain is live although its DNS no longer points here. */
            misconfigured: boolean;
            /** Format: date-time */
            createdAt: string;
            verifiedAt: string | null;
            liveAt: string | null;
            /** @description The DNS records to create. */
            records: components["schemas"]["RequiredRecord"][];
            /** @description The result of the last DNS check. */
            dns: {
                /** @description When a check was last requested. */
                requestedAt: string | null;
                checkedAt: string | null;
                nextCheckAt: string | null;
                /** @description The name servers of the zone of the domain, which identify the DNS provider. Empty until they are known. */
                nameServers: string[];
                observed: components["schemas"]["ObservedRecord"][];
                conflicts: components["schemas"]["RecordConflict"][];
                /** @description Records that were in `conflicts` and are gone: all of them until the domain is verified, then those of which caches may have copies. Absent without any. */
                former?: components["schemas"]["FormerRecord"][];
            };
            /** @description Whether a TXT record must prove ownership of the name. */
            ownership: {
                /** @description Whether a TXT record must prove ownership of the name: if another organization has or had it, or if it is an apex or shows only addresses, which do not identify an organization. An apex needs none if a check finds that its `www.` name, in the same zone, points to the target of this organization, or that the apex itself does through a CNAME. */
                required: boolean;
                /** @enum {string} */
                state: "not_required" | "pending" | "proven";
                record: components["schemas"]["RequiredRecord"] | null;
            };
            /** @description Whether the DNS record can be switched without an interruption, while the domain awaits its DNS. Null afterwards, and where challenges cannot be delegated. */
            readiness: components["schemas"]["DomainReadiness"] | null;
            /** @description Why the domain is not live yet, or what prevents its certificate. */
            issues: components["schemas"]["DomainIssue"][];
            certificate: {
                /** @enum {string} */
                state: "pending" | "issued" | "failed" | "expired";
                issuer: string | null;
                notAfter: string | null;
            } | null;
            /** @description Whether visitors get 410 instead of the site. */
            isSuspended: boolean;
        };
        /** @description The certificates of a domain: the uploaded one, and the one that we order. */
        CertificateChoice: {
            /** @description Which one visitors get; null while there is none. */
            source: ("own" | "automatic") | null;
            own: components["schemas"]["OwnCertificate"] | null;
            automatic: components["schemas"]["DomainCertificate"] | null;
        };
        /** @description A certificate of your own, with its key. */
        NewOwnCertificate: {
            /** @description The chain in PEM, the certificate of the domain first, each followed by the one that signed it. */
            certificate: string;
            /** @description The private key in PEM, without a passphrase: RSA of 2048 to 4096 bits, or ECDSA with P-256 or P-384. It is stored encrypted, and no answer contains it. */
            privateKey: string;
            /**
             * @description `public`: the chain must lead to a root that browsers trust. `private`: your visitors trust another root.
             * @default public
             * @enum {string}
             */
            trust?: "public" | "private";
            /**
             * @description Which certificate visitors get: `own`, the uploaded one, or `automatic`, the one that we order. The other one takes its place while the preferred one is missing or not valid.
             * @default own
             * @enum {string}
             */
            prefer?: "own" | "automatic";
        };
        /** @description Which certificate visitors get. */
        CertificatePreference: {
            /**
             * @description Which certificate visitors get: `own`, the uploaded one, or `automatic`, the one that we order. The other one takes its place while the preferred one is missing or not valid.
             * @enum {string}
             */
            prefer: "own" | "automatic";
        };
        /** @description An import or a removal of many domains. */
        DomainImport: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            projectId: string;
            /** @enum {string} */
            action: "add" | "remove";
            /**
             * @description `finished`, `cancelled` and `failed` are final. What was done before stays done.
             * @enum {string}
             */
            state: "running" | "finished" | "cancelled" | "failed";
            /** @description Why the import failed; null unless it did. */
            reason: string | null;
            /**
             * Format: int32
             * @description Lines of the file, without the header of a CSV file.
             */
            lines: number;
            /**
             * Format: int32
             * @description Lines that have a result.
             */
            done: number;
            /** @description How many lines have each result. */
            results: {
                /** Format: int32 */
                created: number;
                /** Format: int32 */
                exists: number;
                /** Format: int32 */
                removed: number;
                /** Format: int32 */
                refused: number;
            };
            /**
             * Format: int32
             * @description How many edges may still serve some of the domains that were removed.
             */
            pendingEdges: number;
            /** Format: date-time */
            createdAt: string;
            /** @description The import and its report are deleted 30 days later. */
            endedAt: string | null;
        };
        /** @description The primary domain and the redirects of a project. */
        DomainConfig: {
            domains: {
                /** @description The main domain of the project. It becomes the `url` of the project once visitors can use it. */
                primary?: string;
                /** @default [] */
                redirects?: components["schemas"]["Redirect"][];
            };
            /** @description Whether the host of the project below the platform domain redirects to the primary domain with 308. While the primary domain is not available, it serves the site. Requires `domains.primary`. */
            platformRedirect?: boolean;
        };
        /** @description Redirects the visitors of one domain to another, keeping path and query. */
        Redirect: {
            /** @description A domain of the project. */
            from: string;
            /** @description Another domain of the project, or the host of the project below the platform domain. */
            to: string;
            /**
             * Format: int32
             * @description The HTTP status of the redirect.
             * @enum {integer}
             */
            status: 301 | 302 | 307 | 308;
        };
        /** @description A webhook endpoint, without its secret. */
        WebhookEndpoint: {
            /** Format: uuid */
            id: string;
            url: string;
            description: string | null;
            eventTypes: components["schemas"]["WebhookEventType"][];
            projectId: string | null;
            enabled: boolean;
            /** @description `owner`: disabled by a request; `gone`: the endpoint answered 410; `failing`: all deliveries failed for days. */
            disabledReason: ("owner" | "gone" | "failing") | null;
            disabledAt: string | null;
            /** @description Time of the first failure since the last successful delivery; null if there was none. */
            failingSince: string | null;
            /** @description Since when the endpoint is paused, because the organization has used its `databaseBytes` and deliveries to the endpoint are waiting: no new events are recorded, and the waiting ones are sent. It resumes automatically. Null if it is not paused. */
            pausedAt: string | null;
            /** @description Until when requests are also signed with the previous secret; null if they are not. */
            previousSecretUntil: string | null;
            /** Format: date-time */
            createdAt: string;
        };
        /**
         * @description The type of an event. The part before the first dot is the kind of resource in `data`.
         * @enum {string}
         */
        WebhookEventType: "domain.added" | "domain.verified" | "domain.verification_failed" | "domain.ready" | "domain.certificate.issued" | "domain.certificate.renewed" | "domain.certificate.failed" | "domain.certificate.expiring" | "domain.live" | "domain.misconfigured" | "domain.recovered" | "domain.issues_found" | "domain.issues_resolved" | "domain.address_retiring" | "domain.suspended" | "domain.resumed" | "domain.moved" | "domain.removed" | "origin.changed" | "origin.tested" | "origin.failing" | "origin.restored" | "origin.removed" | "pet.created" | "order.created";
        /** @description A webhook endpoint to create. */
        NewWebhookEndpoint: {
            /**
             * Format: uri
             * @description The URL that receives the requests: https, without user name, password or fragment.
             */
            url: string;
            /** @default null */
            description?: string | null;
            /** @description The types of events to send. */
            eventTypes: components["schemas"]["WebhookEventType"][];
            /**
             * @description Send only events about domains and origins of this project. Null: all events of the organization, including animals and orders.
             * @default null
             */
            projectId?: string | null;
        };
        /** @description A webhook endpoint with its new secret. */
        CreatedWebhookEndpoint: {
            /** Format: uuid */
            id: string;
            url: string;
            description: string | null;
            eventTypes: components["schemas"]["WebhookEventType"][];
            projectId: string | null;
            enabled: boolean;
            /** @description `owner`: disabled by a request; `gone`: the endpoint answered 410; `failing`: all deliveries failed for days. */
            disabledReason: ("owner" | "gone" | "failing") | null;
            disabledAt: string | null;
            /** @description Time of the first failure since the last successful delivery; null if there was none. */
            failingSince: string | null;
            /** @description Since when the endpoint is paused, because the organization has used its `databaseBytes` and deliveries to the endpoint are waiting: no new events are recorded, and the waiting ones are sent. It resumes automatically. Null if it is not paused. */
            pausedAt: string | null;
            /** @description Until when requests are also signed with the previous secret; null if they are not. */
            previousSecretUntil: string | null;
            /** Format: date-time */
            createdAt: string;
            /** @description The secret that signs the requests: `whsec_` and base64. It is shown only once. */
            secret: string;
        };
        /** @description Changes to a webhook endpoint. */
        WebhookEndpointChange: {
            /**
             * Format: uri
             * @description The URL that receives the requests: https, without user name, password or fragment.
             */
            url?: string;
            description?: string | null;
            /** @description The types of events to send. */
            eventTypes?: components["schemas"]["WebhookEventType"][];
            /** @description False: no more events are sent, and pending deliveries fail. True: new events are sent again, regardless of why the endpoint was disabled. */
            enabled?: boolean;
        };
        /** @description The delivery of an event to an endpoint. */
        WebhookDelivery: {
            /**
             * Format: uuid
             * @description The `webhook-id` header of the requests: the same for all attempts and replays.
             */
            id: string;
            /** Format: uuid */
            endpointId: string;
            /** @enum {string} */
            type: "domain.added" | "domain.verified" | "domain.verification_failed" | "domain.ready" | "domain.certificate.issued" | "domain.certificate.renewed" | "domain.certificate.failed" | "domain.certificate.expiring" | "domain.live" | "domain.misconfigured" | "domain.recovered" | "domain.issues_found" | "domain.issues_resolved" | "domain.address_retiring" | "domain.suspended" | "domain.resumed" | "domain.moved" | "domain.removed" | "origin.changed" | "origin.tested" | "origin.failing" | "origin.restored" | "origin.removed" | "pet.created" | "order.created" | "endpoint.test";
            /** @description The id of the resource that the event is about. */
            subjectId: string;
            /**
             * Format: int32
             * @description Increases with each event of the resource.
             */
            sequence: number;
            /** @enum {string} */
            state: "pending" | "delivered" | "failed";
            /**
             * Format: date-time
             * @description When the event happened: the `timestamp` in the body.
             */
            createdAt: string;
            deliveredAt: string | null;
            /** @description When the next attempt starts automatically; null if none is planned. */
            nextAttemptAt: string | null;
            /**
             * Format: int32
             * @description Attempts that have failed since the event happened, the delivery was resent, or an attempt succeeded.
             */
            failures: number;
            /**
             * Format: int32
             * @description After this number of failed attempts, the delivery has `failed`.
             */
            maxAttempts: number;
            /** @description The newest twenty attempts, in ascending order. */
            attempts: components["schemas"]["WebhookAttempt"][];
        };
        /** @description An attempt to deliver an event. */
        WebhookAttempt: {
            /** Format: int32 */
            number: number;
            /**
             * Format: date-time
             * @description When the request started.
             */
            at: string;
            /** @description HTTP status of the response; null without a response. */
            status: number | null;
            /** Format: int32 */
            durationMs: number;
            /** @description Why the attempt failed; null if it succeeded. */
            error: string | null;
            /** @description The first bytes of the response body, at most 1 KiB; null without a response. */
            bodyStart: string | null;
        };
        /** @description Attempts to deliver to an endpoint, and how long they took. */
        WebhookStatistics: {
            /** @enum {string} */
            period: "day" | "week";
            /**
             * Format: date-time
             * @description The start of the first point, a full hour.
             */
            from: string;
            /**
             * Format: int32
             * @description Requests that were sent.
             */
            attempts: number;
            /**
             * Format: int32
             * @description Those that failed.
             */
            failedAttempts: number;
            /**
             * Format: int32
             * @description Deliveries that the endpoint accepted.
             */
            delivered: number;
            /**
             * Format: int32
             * @description Deliveries that have used up their attempts.
             */
            failed: number;
            /** @description The time that half of the attempts took at most, to about 5 percent; null without attempts. */
            medianMs: number | null;
            /** @description The same for 95 of 100 attempts. */
            p95Ms: number | null;
            /** @description The same counts over time, in ascending order and without gaps. */
            points: {
                /** Format: date-time */
                from: string;
                /** Format: int32 */
                attempts: number;
                /** Format: int32 */
                failedAttempts: number;
            }[];
        };
        /** @description A delivery with its request body, and the headers of its attempts. */
        WebhookDeliveryWithBody: {
            /**
             * Format: uuid
             * @description The `webhook-id` header of the requests: the same for all attempts and replays.
             */
            id: string;
            /** Format: uuid */
            endpointId: string;
            /** @enum {string} */
            type: "domain.added" | "domain.verified" | "domain.verification_failed" | "domain.ready" | "domain.certificate.issued" | "domain.certificate.renewed" | "domain.certificate.failed" | "domain.certificate.expiring" | "domain.live" | "domain.misconfigured" | "domain.recovered" | "domain.issues_found" | "domain.issues_resolved" | "domain.address_retiring" | "domain.suspended" | "domain.resumed" | "domain.moved" | "domain.removed" | "origin.changed" | "origin.tested" | "origin.failing" | "origin.restored" | "origin.removed" | "pet.created" | "order.created" | "endpoint.test";
            /** @description The id of the resource that the event is about. */
            subjectId: string;
            /**
             * Format: int32
             * @description Increases with each event of the resource.
             */
            sequence: number;
            /** @enum {string} */
            state: "pending" | "delivered" | "failed";
            /**
             * Format: date-time
             * @description When the event happened: the `timestamp` in the body.
             */
            createdAt: string;
            deliveredAt: string | null;
            /** @description When the next attempt starts automatically; null if none is planned. */
            nextAttemptAt: string | null;
            /**
             * Format: int32
             * @description Attempts that have failed since the event happened, the delivery was resent, or an attempt succeeded.
             */
            failures: number;
            /**
             * Format: int32
             * @description After this number of failed attempts, the delivery has `failed`.
             */
            maxAttempts: number;
            /** @description The newest twenty attempts, in ascending order. */
            attempts: components["schemas"]["WebhookAttemptDetail"][];
            /** @description The body of the requests as sent: JSON text. */
            body: string;
        };
        /** @description An attempt to deliver an event, with its headers. */
        WebhookAttemptDetail: {
            /** Format: int32 */
            number: number;
            /**
             * Format: date-time
             * @description When the request started.
             */
            at: string;
            /** @description HTTP status of the response; null without a response. */
            status: number | null;
            /** Format: int32 */
            durationMs: number;
            /** @description Why the attempt failed; null if it succeeded. */
            error: string | null;
            /** @description The first bytes of the response body, at most 1 KiB; null without a response. */
            bodyStart: string | null;
            /** @description The headers of the request with its signatures; null if it could not be signed. */
            requestHeaders: {
                [key: string]: string;
            } | null;
            /** @description The first headers of the response, at most 2 KiB, without cookies and credentials; null without a response. */
            responseHeaders: {
                [key: string]: string;
            } | null;
        };
        /** @description An open stream of webhook events. */
        WebhookListener: {
            /** Format: uuid */
            id: string;
            eventTypes: components["schemas"]["WebhookEventType"][];
            projectId: string | null;
            /** Format: date-time */
            createdAt: string;
        };
        /** @description An API key, without the key itself. */
        ApiKey: {
            /** Format: uuid */
            id: string;
            /** @description A label for the key: 1 to 100 characters. */
            name: string;
            /** @description The prefix and the last four characters of the key, to identify it. */
            display: string;
            scopes: components["schemas"]["Scope"][];
            /** Format: date-time */
            createdAt: string;
            expiresAt: string | null;
            /** @description Accurate to the minute; null if the key has not been used. */
            lastUsedAt: string | null;
            revokedAt: string | null;
            /** @description Why the key was revoked: it was reported as leaked, or its person was removed or got a lower role. Null for another reason. */
            revocationReason: ("leaked" | "person_removed" | "person_demoted") | null;
            createdBy: components["schemas"]["ApiKeyCreator"];
            /** @description The person who created this key, or the first of the keys with which it was created; null if nobody did. */
            person: components["schemas"]["ApiKeyPerson"] | null;
        };
        /** @description The person, API key or operator that created a key. */
        ApiKeyCreator: {
            /** @enum {string} */
            kind: "person" | "api_key" | "operator";
            /** @description The id of the person or API key; null for an operator. */
            id: string | null;
            /** @description The person’s name or e-mail address as it is now, the API key as shown in lists, or the operator’s name. */
            display: string | null;
        };
        /** @description The person from whom a key comes. */
        ApiKeyPerson: {
            /** Format: uuid */
            id: string;
            /** @description Their name or e-mail address; null if it was deleted. */
            name: string | null;
            /** @description False if they have left the organization. */
            isMember: boolean;
        };
        /** @description An API key to create. */
        NewApiKey: {
            /** @description A label for the key: 1 to 100 characters. */
            name: string;
            /** @description Only scopes that the calling key has. */
            scopes: components["schemas"]["Scope"][];
            /**
             * Format: date-time
             * @description In the future, before the year 10000 in UTC. If absent, the key does not expire.
             */
            expiresAt?: string;
        };
        /** @description A new API key. */
        CreatedApiKey: {
            /** Format: uuid */
            id: string;
            /** @description A label for the key: 1 to 100 characters. */
            name: string;
            /** @description The prefix and the last four characters of the key, to identify it. */
            display: string;
            scopes: components["schemas"]["Scope"][];
            /** Format: date-time */
            createdAt: string;
            expiresAt: string | null;
            /** @description Accurate to the minute; null if the key has not been used. */
            lastUsedAt: string | null;
            revokedAt: string | null;
            /** @description Why the key was revoked: it was reported as leaked, or its person was removed or got a lower role. Null for another reason. */
            revocationReason: ("leaked" | "person_removed" | "person_demoted") | null;
            createdBy: components["schemas"]["ApiKeyCreator"];
            /** @description The person who created this key, or the first of the keys with which it was created; null if nobody did. */
            person: components["schemas"]["ApiKeyPerson"] | null;
            /** @description The key. It is shown only once. */
            secret: string;
        };
        /** @description A change: its kind, actor, client address and subject. */
        AuditEvent: {
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            at: string;
            /** @description The kind of change: `organization.created`, `organization.plan_changed`, `organization.limit_changed`, `organization.suspended`, `organization.resumed`, `organization.sign_in_refused`, `organization.setup_page_changed`, `organization.setup_logo_changed`, `organization.setup_logo_removed`, `api_key.created`, `api_key.revoked`, `session.opened`, `session.ended`, `person.added`, `person.role_changed`, `person.removed`, `invitation.created`, `invitation.deleted`, `project.created`, `project.changed`, `project.config_changed`, `project.suspended`, `project.resumed`, `deployment.created`, `deployment.activated`, `deployment.deleted`, `channel.created`, `channel.changed`, `channel.removed`, `channel.link_created`, `channel.links_ended`, `origin.changed`, `origin.removed`, `origin.tested`, `origin.failing`, `origin.restored`, `domain.added`, `domain.changed`, `domain.verify_requested`, `domain.reverify_requested`, `domain.moved`, `domain.removed`, `domain.suspended`, `domain.resumed`, `setup_link.created`, `setup_link.deleted`, `domain_import.created`, `domain_import.cancelled`, `certificate.uploaded`, `certificate.changed`, `certificate.removed`, `certificate.revocation_requested`, `webhook_endpoint.created`, `webhook_endpoint.changed`, `webhook_endpoint.paused`, `webhook_endpoint.resumed`, `webhook_endpoint.secret_rotated`, `webhook_endpoint.tested`, `webhook_endpoint.deleted`, `webhook_delivery.replayed`. */
            type: string;
            actor: components["schemas"]["AuditActor"];
            /** @description The IP address of the client; null for an operator. */
            address: string | null;
            /** @description The `X-Request-Id` of the response; null for an operator. */
            requestId: string | null;
            /** @description The resource that was changed. */
            subject: {
                /** @enum {string} */
                kind: "organization" | "api_key" | "session" | "person" | "invitation" | "project" | "deployment" | "channel" | "origin" | "domain" | "setup_link" | "domain_import" | "certificate" | "webhook_endpoint" | "webhook_delivery";
                id: string;
                /** @description Its name when it was changed, else its name now; of a webhook endpoint the host, and of an origin the domain or the URL. Null where it has none, such as a session, and where the name of a person was deleted. */
                display: string | null;
            };
            /** @description The project of the resource, by its name now; null where it is in none. */
            project: {
                /** Format: uuid */
                id: string;
                name: string;
            } | null;
            /** @description Further details by name; never a secret. */
            detail: {
                [key: string]: string | number | boolean | null | string[];
            };
        };
        /** @description The person, key, operator or service that made a change. */
        AuditActor: {
            /** @enum {string} */
            kind: "api_key" | "session" | "person" | "operator" | "system";
            /** @description The id of the person, or of the API key, also for its sessions; null for an operator and for the service. */
            id: string | null;
            /** @description The person’s name or e-mail address as it is now, null once it was deleted; the API key as shown in lists, also after its deletion; or the name of the operator. */
            display: string | null;
        };
        /** @description A new session. */
        CreatedSession: {
            /** @description A bearer key with the scopes of the API key. It is shown only once. */
            secret: string;
            /**
             * Format: date-time
             * @description Twelve hours after creation, or when the API key expires.
             */
            expiresAt: string;
        };
        /** @description A new role. */
        PersonChange: {
            role: components["schemas"]["Role"];
        };
        /** @description A person with their new role. */
        ChangedPerson: {
            /** Format: uuid */
            id: string;
            /** @description As the identity provider sent it at the last sign-in. */
            name: string | null;
            /** @description As the identity provider sent it at the last sign-in. For display: it identifies nobody. */
            email: string | null;
            role: components["schemas"]["Role"];
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            lastSignInAt: string;
            /** @description Keys of the person with a scope that the new role lacks: they ended. */
            revokedApiKeys: components["schemas"]["SomeApiKeys"];
        };
        /** @description An invitation that nobody has used yet. */
        Invitation: {
            /** Format: uuid */
            id: string;
            /** @description For whom the invitation is: 1 to 100 characters, for lists. */
            name: string;
            role: components["schemas"]["Role"];
            /** Format: date-time */
            createdAt: string;
            /**
             * Format: date-time
             * @description Seven days after creation.
             */
            expiresAt: string;
        };
        /** @description An invitation to create. */
        NewInvitation: {
            /** @description For whom the invitation is: 1 to 100 characters, for lists. */
            name: string;
            role: components["schemas"]["Role"];
        };
        /** @description A new invitation. */
        CreatedInvitation: {
            /** Format: uuid */
            id: string;
            /** @description For whom the invitation is: 1 to 100 characters, for lists. */
            name: string;
            role: components["schemas"]["Role"];
            /** Format: date-time */
            createdAt: string;
            /**
             * Format: date-time
             * @description Seven days after creation.
             */
            expiresAt: string;
            /**
             * Format: uri
             * @description The link for the invited person. It works once, and is shown only once.
             */
            url: string;
        };
    };
    responses: {
        /** @description The request is not valid. */
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
        /** @description The key is missing or not valid. */
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
        /** @description The path does not support this method. */
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
        /** @description The client accepts none of the available content types. */
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
        /** @description The URL has more than 4 096 characters, or a part of its path is too long. */
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
        /** @description The resource does not match the condition of the request. */
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
        /** @description The expectation is not supported. */
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
        /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. */
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
        /** @description The service is temporarily unavailable. */
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
        /** @description The content type of the body is not supported. */
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
        /** @description The current state does not allow this. */
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
        /** @description The Idempotency-Key was used for another request. */
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
        /** @description The resource does not exist. */
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
    };
    parameters: {
        /**
         * @description Identifies the request in our logs. An id that is not acceptable is replaced.
         * @example 4e1c3f0a-8a52-4c57-9a39-0c1f6d2b7e55
         */
        RequestId: string;
        /**
         * @description The trace that the request belongs to, by W3C Trace Context.
         * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
         */
        TraceParent: string;
        /**
         * @description Makes retries safe: for 24 hours the same key with the same body gets the same response, and nothing is done twice. Bare or in quotes.
         * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
         */
        IdempotencyKey: string;
        /**
         * @description On a stream: the id of the last event received, after which the stream continues; `0` for the beginning.
         * @example 4
         */
        LastEventId: string;
        /**
         * @description Proceeds only if the resource has this `ETag`, or one of a list; `*` matches any.
         * @example "Qg5vKcbcWnFOLP_fq8L2dlbXqYGGWHk3kNnxXzkS2sc"
         */
        IfMatch: string;
        /**
         * @description Proceeds only if the resource has none of these `ETag`s; otherwise a read answers 304.
         * @example "Qg5vKcbcWnFOLP_fq8L2dlbXqYGGWHk3kNnxXzkS2sc"
         */
        IfNoneMatch: string;
    };
    requestBodies: never;
    headers: {
        /**
         * @description Identifies the request in our logs: the client’s id, if it sent an acceptable one.
         * @example 4e1c3f0a-8a52-4c57-9a39-0c1f6d2b7e55
         */
        "X-Request-Id": string;
        /**
         * @description The trace that the request belongs to, by W3C Trace Context.
         * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
         */
        traceparent: string;
        /**
         * @description Responses that require a key must not be cached.
         * @example no-store
         */
        "Cache-Control": "no-store";
        /**
         * @description Tells browsers not to guess the content type.
         * @example nosniff
         */
        "X-Content-Type-Options": "nosniff";
        /**
         * @description The number of requests (`q`) that the organization may make in a window of seconds (`w`), if a limit is set.
         * @example "default";q=1000;w=60
         */
        "RateLimit-Policy": string;
        /**
         * @description The requests that are left (`r`), and the seconds until the window resets (`t`), if a limit is set.
         * @example "default";r=999;t=60
         */
        RateLimit: string;
        /**
         * @description Seconds to wait before the next attempt.
         * @example 30
         */
        "Retry-After": number;
        /**
         * @description Why the key was rejected, by RFC 6750.
         * @example Bearer realm="pets-api", error="insufficient_scope", scope="pets:write"
         */
        "WWW-Authenticate": string;
        /**
         * @description The methods that the path supports.
         * @example GET, HEAD, OPTIONS, POST
         */
        Allow: string;
        /**
         * @description The path of the new resource.
         * @example /v1/pets/10
         */
        Location: string;
        /**
         * @description Links by RFC 8288. `rel="next"` is the next page; the last page has none. On a deprecated operation: `successor-version`, `deprecation` and `sunset`.
         * @example <https://api.pets.example/v1/pets?limit=20&cursor=eyJ2IjoxfQ>; rel="next"
         */
        Link: string;
        /**
         * @description On a stream: tells proxies not to buffer it.
         * @example no
         */
        "X-Accel-Buffering": "no";
        /**
         * @description Identifies this version of the resource, by RFC 9110 §8.8.3: for `If-Match` and `If-None-Match`.
         * @example "Qg5vKcbcWnFOLP_fq8L2dlbXqYGGWHk3kNnxXzkS2sc"
         */
        ETag: string;
        /**
         * @description When the operation became deprecated, by RFC 9745.
         * @example @1764547200
         */
        Deprecation: string;
        /**
         * @description When the operation will be removed, by RFC 8594.
         * @example Thu, 05 Dec 2030 00:00:00 GMT
         */
        Sunset: string;
        /**
         * @description This is the stored response to the first request with this `Idempotency-Key`.
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
                /** @description Maximum number of entries. */
                limit?: number;
                /** @description Where the page starts: from the `Link` header of the previous page. */
                cursor?: string;
                /** @description Return only animals with this status. */
                status?: components["schemas"]["PetStatus"];
                /** @description Return only animals whose name contains this text, without regard to case. */
                q?: string;
                /** @description The order: of creation, which is the default, or with `-` the newest first. */
                sort?: "createdAt" | "-createdAt";
            };
            header?: {
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`, `invalid_cursor`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`. */
            403: components["responses"]["Forbidden"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createPet: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes retries safe: for 24 hours the same key with the same body gets the same response, and nothing is done twice. Bare or in quotes.
                 * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
            /** @description The new animal with its id. */
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
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`, `malformed_json`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`, `suspended`. */
            403: components["responses"]["Forbidden"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The current state does not allow this. `idempotency_in_progress`. */
            409: components["responses"]["Conflict"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The body is too large. `payload_too_large`. */
            413: components["responses"]["PayloadTooLarge"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The content type of the body is not supported. `unsupported_media_type`. */
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The Idempotency-Key was used for another request. `idempotency_key_reused`. */
            422: components["responses"]["UnprocessableContent"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getPet: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
                 * @description The id of the animal.
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
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`. */
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
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
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
            /** @description The resource does not exist. `not_found`. */
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
            /** @description The path does not support this method. `method_not_allowed`. */
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
            /** @description The client accepts none of the available content types. `not_acceptable`. */
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
            /** @description The operation was removed. `gone`. */
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
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: {
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
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
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
            /** @description The expectation is not supported. `expectation_failed`. */
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
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
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
            /** @description The service is temporarily unavailable. `unavailable`. */
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
                /** @description Maximum number of entries. */
                limit?: number;
                /** @description Where the page starts: from the `Link` header of the previous page. */
                cursor?: string;
                /** @description Return only orders with this status. */
                status?: components["schemas"]["OrderStatus"];
                /** @description Return only orders of an animal whose name contains this text, without regard to case. Requires the scope `pets:read` as well. */
                q?: string;
                /** @description The order: of creation, which is the default, or with `-` the newest first. */
                sort?: "createdAt" | "-createdAt";
                /** @description `pet`: each order contains its animal. Requires the scope `pets:read` as well. */
                expand?: "pet";
            };
            header?: {
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`, `invalid_cursor`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`. */
            403: components["responses"]["Forbidden"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createOrder: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes retries safe: for 24 hours the same key with the same body gets the same response, and nothing is done twice. Bare or in quotes.
                 * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
            /** @description The placed order. */
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
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`, `malformed_json`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`, `suspended`. */
            403: components["responses"]["Forbidden"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The current state does not allow this. `idempotency_in_progress`, `conflict`. */
            409: components["responses"]["Conflict"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The body is too large. `payload_too_large`. */
            413: components["responses"]["PayloadTooLarge"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The content type of the body is not supported. `unsupported_media_type`. */
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The Idempotency-Key was used for another request. `idempotency_key_reused`. */
            422: components["responses"]["UnprocessableContent"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getOrder: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
                 * @description The id of the order.
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
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`. */
            403: components["responses"]["Forbidden"];
            /** @description The resource does not exist. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    endOrder: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
                 * @description The id of the order.
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
            /** @description The changed order. */
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
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`, `malformed_json`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`, `suspended`. */
            403: components["responses"]["Forbidden"];
            /** @description The resource does not exist. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The current state does not allow this. `conflict`. */
            409: components["responses"]["Conflict"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The body is too large. `payload_too_large`. */
            413: components["responses"]["PayloadTooLarge"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The content type of the body is not supported. `unsupported_media_type`. */
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getOrganization: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
                     *         "databaseBytes": 21474836480,
                     *         "importBytesPerDay": 1073741824,
                     *         "keptDeployments": 20,
                     *         "channelsPerProject": 50,
                     *         "origins": 200,
                     *         "apiKeys": 100,
                     *         "projects": 100,
                     *         "domainsPerProject": 1000,
                     *         "webhookEndpoints": 20
                     *       },
                     *       "usage": {
                     *         "apiKeys": 3,
                     *         "projects": 2,
                     *         "domains": 5,
                     *         "domainsPerProject": 3,
                     *         "webhookEndpoints": 1,
                     *         "origins": 1,
                     *         "storageBytes": 1310720,
                     *         "databaseBytes": 2621440,
                     *         "importBytesPerDay": 0
                     *       },
                     *       "domainsEndAt": null,
                     *       "caller": {
                     *         "scopes": [
                     *           "projects:read",
                     *           "projects:write"
                     *         ],
                     *         "person": null
                     *       },
                     *       "suspensions": [],
                     *       "notices": []
                     *     }
                     */
                    "application/json": components["schemas"]["Organization"];
                };
            };
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`. */
            403: components["responses"]["Forbidden"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listProjects: {
        parameters: {
            query?: {
                /** @description Maximum number of entries. If absent, up to 1 000 entries are returned on one page. */
                limit?: number;
                /** @description Where the page starts: from the `Link` header of the previous page. */
                cursor?: string;
                /** @description Return only projects whose name or slug contains this text, without regard to case. */
                q?: string;
                /** @description The order: of creation, which is the default, or with `-` the newest first. */
                sort?: "createdAt" | "-createdAt";
            };
            header?: {
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
                     *         "trailingSlash": "auto",
                     *         "suspensions": [],
                     *         "createdAt": "2026-11-02T09:00:00.000Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Project"][];
                };
            };
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`, `invalid_cursor`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`. */
            403: components["responses"]["Forbidden"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createProject: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes retries safe: for 24 hours the same key with the same body gets the same response, and nothing is done twice. Bare or in quotes.
                 * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
            /** @description The new project. */
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
                     *       "trailingSlash": "auto",
                     *       "suspensions": [],
                     *       "createdAt": "2026-11-02T09:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Project"];
                };
            };
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`, `malformed_json`, `name_reserved`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`, `suspended`, `project_limit_reached`. */
            403: components["responses"]["Forbidden"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The current state does not allow this. `idempotency_in_progress`, `already_exists`. */
            409: components["responses"]["Conflict"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The body is too large. `payload_too_large`. */
            413: components["responses"]["PayloadTooLarge"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The content type of the body is not supported. `unsupported_media_type`. */
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The Idempotency-Key was used for another request. `idempotency_key_reused`. */
            422: components["responses"]["UnprocessableContent"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getProject: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
                 * @description The id of the project.
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
                     *       "trailingSlash": "auto",
                     *       "suspensions": [],
                     *       "createdAt": "2026-11-02T09:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Project"];
                };
            };
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`. */
            403: components["responses"]["Forbidden"];
            /** @description The resource does not exist. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    updateProject: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
                 * @description The id of the project.
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
                     *       "trailingSlash": "auto",
                     *       "suspensions": [],
                     *       "createdAt": "2026-11-02T09:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Project"];
                };
            };
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`, `malformed_json`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`, `suspended`. */
            403: components["responses"]["Forbidden"];
            /** @description The resource does not exist. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The body is too large. `payload_too_large`. */
            413: components["responses"]["PayloadTooLarge"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The content type of the body is not supported. `unsupported_media_type`. */
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    explainUrl: {
        parameters: {
            query: {
                /**
                 * @description A URL of a host of the project. Its port does not matter.
                 * @example https://docs.example.com/old
                 */
                url: string;
            };
            header?: {
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
                 * @description The id of the project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Each answer until a page. */
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
                     *       "hops": [
                     *         {
                     *           "url": "https://docs.example.com/old",
                     *           "status": 301,
                     *           "reason": "rule",
                     *           "rule": {
                     *             "line": 1,
                     *             "from": "/old",
                     *             "to": "/docs/",
                     *             "status": 301
                     *           },
                     *           "file": null,
                     *           "location": "https://docs.example.com/docs/",
                     *           "needsLink": false
                     *         },
                     *         {
                     *           "url": "https://docs.example.com/docs/",
                     *           "status": 200,
                     *           "reason": "file",
                     *           "rule": null,
                     *           "file": "docs/index.html",
                     *           "location": null,
                     *           "needsLink": false
                     *         }
                     *       ],
                     *       "end": "answer"
                     *     }
                     */
                    "application/json": components["schemas"]["Explanation"];
                };
            };
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`. */
            403: components["responses"]["Forbidden"];
            /** @description The resource does not exist. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listDeployments: {
        parameters: {
            query?: {
                /** @description Maximum number of entries. If absent, a page has the newest hundred and the one that is served. */
                limit?: number;
                /** @description Where the page starts: from the `Link` header of the previous page. */
                cursor?: string;
                /** @description Return only deployments in this state. */
                state?: "ready" | "collected";
            };
            header?: {
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
                 * @description The id of the project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of deployments. */
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
                     *         "id": "5f0c2c5e-7d0e-4a53-8a45-0f5ad1a3f7c2",
                     *         "projectId": "0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f",
                     *         "state": "ready",
                     *         "active": true,
                     *         "channels": [],
                     *         "contentHash": "b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9",
                     *         "files": 2,
                     *         "bytes": 18204,
                     *         "message": "New opening hours",
                     *         "source": {
                     *           "branch": "main",
                     *           "commit": "4f1c2d9",
                     *           "url": "https://git.example.com/acme/docs/commit/4f1c2d9"
                     *         },
                     *         "author": {
                     *           "kind": "person",
                     *           "id": "5b0c7e62-9f4a-4d1e-8a37-6c2d1f0e9b84",
                     *           "display": "Ada Lovelace"
                     *         },
                     *         "createdAt": "2026-11-02T09:05:00.000Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Deployment"][];
                };
            };
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`, `invalid_cursor`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`. */
            403: components["responses"]["Forbidden"];
            /** @description The resource does not exist. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createDeployment: {
        parameters: {
            query?: {
                /** @description Paths of files that are published although they would be refused as secrets or left out, separated by commas. */
                allow?: string;
                /** @description Serve it on this channel, which is created if it is not there, and not as the active deployment. */
                channel?: string;
                /** @description Who may read that channel from now on: everybody (`public`), or only visitors with a `link`. */
                access?: "public" | "link";
                /** @description What this deployment is, to tell it from others. */
                message?: string;
                /** @description The branch of the repository. */
                branch?: string;
                /** @description The commit, in hexadecimal. */
                commit?: string;
                /** @description Where people see the source, or the run that built it. */
                sourceUrl?: string;
            };
            header?: {
                /**
                 * @description Makes retries safe: for 24 hours the same key with the same body gets the same response, and nothing is done twice. Bare or in quotes.
                 * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
                 * @description The id of the project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
            };
            cookie?: never;
        };
        /** @description A gzipped tar archive of plain files and folders: at most 50 MiB as sent, 200 MiB and 10 000 files unpacked, paths of at most 512 characters each and 1 MiB together. Names are stored in Unicode form NFC and are case-sensitive. Links, sparse files and special files are refused, and so are files that may be secrets: those in `.git/`, `.env` and `.env.*` but for `.example`, `.sample` and `.template`, and private keys in PEM form. `allow` publishes such a file. The answer lists files that operating systems add, which are left out. All other files are published, `.well-known/` too, but for `_redirects` and `_headers` at the root, which say what the site answers; a line that cannot be applied refuses the bundle. */
        requestBody: {
            content: {
                "application/gzip": Blob;
            };
        };
        responses: {
            /** @description The new deployment. */
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
                     *       "channels": [],
                     *       "contentHash": "b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9",
                     *       "files": 2,
                     *       "bytes": 18204,
                     *       "message": "New opening hours",
                     *       "source": {
                     *         "branch": "main",
                     *         "commit": "4f1c2d9",
                     *         "url": "https://git.example.com/acme/docs/commit/4f1c2d9"
                     *       },
                     *       "author": {
                     *         "kind": "person",
                     *         "id": "5b0c7e62-9f4a-4d1e-8a37-6c2d1f0e9b84",
                     *         "display": "Ada Lovelace"
                     *       },
                     *       "createdAt": "2026-11-02T09:05:00.000Z",
                     *       "ignored": {
                     *         "count": 1,
                     *         "paths": [
                     *           ".DS_Store"
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["CreatedDeployment"];
                };
            };
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`, `malformed_json`, `invalid_bundle`, `name_reserved`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`, `suspended`, `storage_limit_reached`, `channel_limit_reached`. */
            403: components["responses"]["Forbidden"];
            /** @description The resource does not exist. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The current state does not allow this. `idempotency_in_progress`. */
            409: components["responses"]["Conflict"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The body is too large. `payload_too_large`. */
            413: components["responses"]["PayloadTooLarge"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The content type of the body is not supported. `unsupported_media_type`. */
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The Idempotency-Key was used for another request. `idempotency_key_reused`. */
            422: components["responses"]["UnprocessableContent"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getDeployment: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
                 * @description The id of the project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
                /**
                 * @description The id of the deployment.
                 * @example 5f0c2c5e-7d0e-4a53-8a45-0f5ad1a3f7c2
                 */
                deploymentId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The deployment. */
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
                     *       "id": "5f0c2c5e-7d0e-4a53-8a45-0f5ad1a3f7c2",
                     *       "projectId": "0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f",
                     *       "state": "ready",
                     *       "active": true,
                     *       "channels": [],
                     *       "contentHash": "b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9",
                     *       "files": 2,
                     *       "bytes": 18204,
                     *       "message": "New opening hours",
                     *       "source": {
                     *         "branch": "main",
                     *         "commit": "4f1c2d9",
                     *         "url": "https://git.example.com/acme/docs/commit/4f1c2d9"
                     *       },
                     *       "author": {
                     *         "kind": "person",
                     *         "id": "5b0c7e62-9f4a-4d1e-8a37-6c2d1f0e9b84",
                     *         "display": "Ada Lovelace"
                     *       },
                     *       "createdAt": "2026-11-02T09:05:00.000Z",
                     *       "servedEverywhere": true
                     *     }
                     */
                    "application/json": components["schemas"]["DeploymentWithEdges"];
                };
            };
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`. */
            403: components["responses"]["Forbidden"];
            /** @description The resource does not exist. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteDeployment: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
                 * @description The id of the project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
                /**
                 * @description The id of the deployment.
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
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`, `malformed_json`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`, `suspended`. */
            403: components["responses"]["Forbidden"];
            /** @description The resource does not exist. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The current state does not allow this. `conflict`. */
            409: components["responses"]["Conflict"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The body is too large. `payload_too_large`. */
            413: components["responses"]["PayloadTooLarge"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The content type of the body is not supported. `unsupported_media_type`. */
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getDeploymentChanges: {
        parameters: {
            query?: {
                /** @description The deployment to compare with. If absent, the kept one before it. */
                since?: string;
            };
            header?: {
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
                 * @description The id of the project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
                /**
                 * @description The id of the deployment.
                 * @example 5f0c2c5e-7d0e-4a53-8a45-0f5ad1a3f7c2
                 */
                deploymentId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The differences. */
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
                     *       "since": "0c7f1a52-93c8-4f0e-8a6e-2b1d5c3e4f60",
                     *       "added": {
                     *         "count": 1,
                     *         "paths": [
                     *           "about.html"
                     *         ]
                     *       },
                     *       "changed": {
                     *         "count": 1,
                     *         "paths": [
                     *           "index.html"
                     *         ]
                     *       },
                     *       "removed": {
                     *         "count": 0,
                     *         "paths": []
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["DeploymentChanges"];
                };
            };
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`. */
            403: components["responses"]["Forbidden"];
            /** @description The resource does not exist. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The current state does not allow this. `deployment_collected`. */
            409: components["responses"]["Conflict"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    activateDeployment: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes retries safe: for 24 hours the same key with the same body gets the same response, and nothing is done twice. Bare or in quotes.
                 * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
                 * @description The id of the project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
                /**
                 * @description The id of the deployment.
                 * @example 5f0c2c5e-7d0e-4a53-8a45-0f5ad1a3f7c2
                 */
                deploymentId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The deployment, which is now served. */
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
                     *       "channels": [],
                     *       "contentHash": "b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9",
                     *       "files": 2,
                     *       "bytes": 18204,
                     *       "message": "New opening hours",
                     *       "source": {
                     *         "branch": "main",
                     *         "commit": "4f1c2d9",
                     *         "url": "https://git.example.com/acme/docs/commit/4f1c2d9"
                     *       },
                     *       "author": {
                     *         "kind": "person",
                     *         "id": "5b0c7e62-9f4a-4d1e-8a37-6c2d1f0e9b84",
                     *         "display": "Ada Lovelace"
                     *       },
                     *       "createdAt": "2026-11-02T09:05:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Deployment"];
                };
            };
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`, `malformed_json`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`, `suspended`. */
            403: components["responses"]["Forbidden"];
            /** @description The resource does not exist. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The current state does not allow this. `idempotency_in_progress`, `deployment_collected`. */
            409: components["responses"]["Conflict"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The body is too large. `payload_too_large`. */
            413: components["responses"]["PayloadTooLarge"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The content type of the body is not supported. `unsupported_media_type`. */
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The Idempotency-Key was used for another request. `idempotency_key_reused`. */
            422: components["responses"]["UnprocessableContent"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createUpload: {
        parameters: {
            query?: {
                /** @description Paths of files that are published although they would be refused as secrets or left out, separated by commas. */
                allow?: string;
                /** @description Serve it on this channel, which is created if it is not there, and not as the active deployment. */
                channel?: string;
                /** @description Who may read that channel from now on: everybody (`public`), or only visitors with a `link`. */
                access?: "public" | "link";
                /** @description What this deployment is, to tell it from others. */
                message?: string;
                /** @description The branch of the repository. */
                branch?: string;
                /** @description The commit, in hexadecimal. */
                commit?: string;
                /** @description Where people see the source, or the run that built it. */
                sourceUrl?: string;
            };
            header?: {
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
                 * @description The id of the project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
            };
            cookie?: never;
        };
        /** @description The manifest: a JSON object with `path`, `sha256` (hexadecimal) and `bytes` for each file, in a line of its own. At most 4 MiB. `Content-Encoding: gzip` is supported. */
        requestBody: {
            content: {
                "application/x-ndjson": Blob;
            };
        };
        responses: {
            /** @description The upload. */
            201: {
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
                     *       "id": "3d1f6a0e-6f0b-4c55-9d0a-7a4e5b8c9d10",
                     *       "projectId": "0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f",
                     *       "expiresAt": "2026-11-02T10:05:00.000Z",
                     *       "lacking": [
                     *         "index.html"
                     *       ],
                     *       "ignored": {
                     *         "count": 0,
                     *         "paths": []
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["DeploymentUpload"];
                };
            };
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`, `malformed_json`, `invalid_bundle`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`, `suspended`, `storage_limit_reached`. */
            403: components["responses"]["Forbidden"];
            /** @description The resource does not exist. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The body is too large. `payload_too_large`. */
            413: components["responses"]["PayloadTooLarge"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The content type of the body is not supported. `unsupported_media_type`. */
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    sendUploadFiles: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
                 * @description The id of the project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
                /**
                 * @description The id of the upload.
                 * @example 3d1f6a0e-6f0b-4c55-9d0a-7a4e5b8c9d10
                 */
                uploadId: string;
            };
            cookie?: never;
        };
        /** @description A gzipped tar archive of at most 50 MiB, as for createDeployment, with any of the files of the manifest. */
        requestBody: {
            content: {
                "application/gzip": Blob;
            };
        };
        responses: {
            /** @description The upload, and what it still lacks. */
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
                     *       "id": "3d1f6a0e-6f0b-4c55-9d0a-7a4e5b8c9d10",
                     *       "projectId": "0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f",
                     *       "expiresAt": "2026-11-02T10:05:00.000Z",
                     *       "lacking": [
                     *         "index.html"
                     *       ],
                     *       "ignored": {
                     *         "count": 0,
                     *         "paths": []
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["DeploymentUpload"];
                };
            };
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`, `malformed_json`, `invalid_bundle`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`, `suspended`, `storage_limit_reached`. */
            403: components["responses"]["Forbidden"];
            /** @description The resource does not exist. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The current state does not allow this. `conflict`. */
            409: components["responses"]["Conflict"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The body is too large. `payload_too_large`. */
            413: components["responses"]["PayloadTooLarge"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The content type of the body is not supported. `unsupported_media_type`. */
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    completeUpload: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes retries safe: for 24 hours the same key with the same body gets the same response, and nothing is done twice. Bare or in quotes.
                 * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
                 * @description The id of the project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
                /**
                 * @description The id of the upload.
                 * @example 3d1f6a0e-6f0b-4c55-9d0a-7a4e5b8c9d10
                 */
                uploadId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The new deployment. */
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
                     *       "channels": [],
                     *       "contentHash": "b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9",
                     *       "files": 2,
                     *       "bytes": 18204,
                     *       "message": "New opening hours",
                     *       "source": {
                     *         "branch": "main",
                     *         "commit": "4f1c2d9",
                     *         "url": "https://git.example.com/acme/docs/commit/4f1c2d9"
                     *       },
                     *       "author": {
                     *         "kind": "person",
                     *         "id": "5b0c7e62-9f4a-4d1e-8a37-6c2d1f0e9b84",
                     *         "display": "Ada Lovelace"
                     *       },
                     *       "createdAt": "2026-11-02T09:05:00.000Z",
                     *       "ignored": {
                     *         "count": 1,
                     *         "paths": [
                     *           ".DS_Store"
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["CreatedDeployment"];
                };
            };
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`, `malformed_json`, `invalid_bundle`, `name_reserved`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`, `suspended`, `storage_limit_reached`, `channel_limit_reached`. */
            403: components["responses"]["Forbidden"];
            /** @description The resource does not exist. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The current state does not allow this. `idempotency_in_progress`, `upload_incomplete`. */
            409: components["responses"]["Conflict"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The body is too large. `payload_too_large`. */
            413: components["responses"]["PayloadTooLarge"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The content type of the body is not supported. `unsupported_media_type`. */
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The Idempotency-Key was used for another request. `idempotency_key_reused`. */
            422: components["responses"]["UnprocessableContent"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listChannels: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
                 * @description The id of the project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The channels. */
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
                     *         "name": "pr-12",
                     *         "projectId": "0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f",
                     *         "deploymentId": "5f0c2c5e-7d0e-4a53-8a45-0f5ad1a3f7c2",
                     *         "url": "https://pr-12--acme-docs.pets.example",
                     *         "access": "public",
                     *         "domains": [],
                     *         "createdAt": "2026-11-02T09:05:00.000Z",
                     *         "updatedAt": "2026-11-02T09:05:00.000Z",
                     *         "expiresAt": "2026-12-02T09:05:00.000Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Channel"][];
                };
            };
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`. */
            403: components["responses"]["Forbidden"];
            /** @description The resource does not exist. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getChannel: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
                 * @description The id of the project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
                /**
                 * @description The name of the channel.
                 * @example pr-12
                 */
                channel: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The channel. */
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
                     *       "name": "pr-12",
                     *       "projectId": "0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f",
                     *       "deploymentId": "5f0c2c5e-7d0e-4a53-8a45-0f5ad1a3f7c2",
                     *       "url": "https://pr-12--acme-docs.pets.example",
                     *       "access": "public",
                     *       "domains": [],
                     *       "createdAt": "2026-11-02T09:05:00.000Z",
                     *       "updatedAt": "2026-11-02T09:05:00.000Z",
                     *       "expiresAt": "2026-12-02T09:05:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Channel"];
                };
            };
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`. */
            403: components["responses"]["Forbidden"];
            /** @description The resource does not exist. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    putChannel: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
                 * @description The id of the project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
                /**
                 * @description The name of the channel.
                 * @example pr-12
                 */
                channel: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "deploymentId": "5f0c2c5e-7d0e-4a53-8a45-0f5ad1a3f7c2"
                 *     }
                 */
                "application/json": components["schemas"]["ChannelChange"];
            };
        };
        responses: {
            /** @description The channel. */
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
                     *       "name": "pr-12",
                     *       "projectId": "0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f",
                     *       "deploymentId": "5f0c2c5e-7d0e-4a53-8a45-0f5ad1a3f7c2",
                     *       "url": "https://pr-12--acme-docs.pets.example",
                     *       "access": "public",
                     *       "domains": [],
                     *       "createdAt": "2026-11-02T09:05:00.000Z",
                     *       "updatedAt": "2026-11-02T09:05:00.000Z",
                     *       "expiresAt": "2026-12-02T09:05:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Channel"];
                };
            };
            /** @description The new channel. */
            201: {
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
                     *       "name": "pr-12",
                     *       "projectId": "0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f",
                     *       "deploymentId": "5f0c2c5e-7d0e-4a53-8a45-0f5ad1a3f7c2",
                     *       "url": "https://pr-12--acme-docs.pets.example",
                     *       "access": "public",
                     *       "domains": [],
                     *       "createdAt": "2026-11-02T09:05:00.000Z",
                     *       "updatedAt": "2026-11-02T09:05:00.000Z",
                     *       "expiresAt": "2026-12-02T09:05:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Channel"];
                };
            };
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`, `malformed_json`, `name_reserved`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`, `suspended`, `channel_limit_reached`. */
            403: components["responses"]["Forbidden"];
            /** @description The resource does not exist. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The current state does not allow this. `deployment_collected`. */
            409: components["responses"]["Conflict"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The body is too large. `payload_too_large`. */
            413: components["responses"]["PayloadTooLarge"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The content type of the body is not supported. `unsupported_media_type`. */
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    removeChannel: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
                 * @description The id of the project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
                /**
                 * @description The name of the channel.
                 * @example pr-12
                 */
                channel: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Removed, but `pendingEdges` may still serve it. */
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
                     *       "name": "pr-12",
                     *       "projectId": "0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f",
                     *       "pendingEdges": 1
                     *     }
                     */
                    "application/json": components["schemas"]["RemovedChannel"];
                };
            };
            /** @description Removed, and no longer served by any edge. */
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
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`, `malformed_json`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`, `suspended`. */
            403: components["responses"]["Forbidden"];
            /** @description The resource does not exist. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The current state does not allow this. `conflict`. */
            409: components["responses"]["Conflict"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The body is too large. `payload_too_large`. */
            413: components["responses"]["PayloadTooLarge"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The content type of the body is not supported. `unsupported_media_type`. */
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createChannelLink: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes retries safe: for 24 hours the same key with the same body gets the same response, and nothing is done twice. Bare or in quotes.
                 * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
                 * @description The id of the project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
                /**
                 * @description The name of the channel.
                 * @example pr-12
                 */
                channel: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "expiresIn": 604800
                 *     }
                 */
                "application/json": components["schemas"]["NewChannelLink"];
            };
        };
        responses: {
            /** @description The link. */
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
                     *       "url": "https://pr-12--acme-docs.pets.example/?__preview=1794992400.pkW2fO7UjVqzJ0m9yR1c4vXh8sTgD5aLbN3eQwKxYtZuHn6iCoEoPrSd_lM-AFyGBvIjU7XkRm2Wq0T9hLc5Dg",
                     *       "expiresAt": "2026-11-18T09:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["CreatedChannelLink"];
                };
            };
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`, `malformed_json`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`, `suspended`. */
            403: components["responses"]["Forbidden"];
            /** @description The resource does not exist. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The current state does not allow this. `idempotency_in_progress`, `conflict`. */
            409: components["responses"]["Conflict"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The body is too large. `payload_too_large`. */
            413: components["responses"]["PayloadTooLarge"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The content type of the body is not supported. `unsupported_media_type`. */
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The Idempotency-Key was used for another request. `idempotency_key_reused`. */
            422: components["responses"]["UnprocessableContent"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    endChannelLinks: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
                 * @description The id of the project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
                /**
                 * @description The name of the channel.
                 * @example pr-12
                 */
                channel: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Ended, but `pendingEdges` may still accept them. */
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
                     *       "pendingEdges": 1
                     *     }
                     */
                    "application/json": components["schemas"]["EndedChannelLinks"];
                };
            };
            /** @description Ended, and no longer accepted by any edge. */
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
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`, `malformed_json`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`. */
            403: components["responses"]["Forbidden"];
            /** @description The resource does not exist. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The current state does not allow this. `conflict`. */
            409: components["responses"]["Conflict"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The body is too large. `payload_too_large`. */
            413: components["responses"]["PayloadTooLarge"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The content type of the body is not supported. `unsupported_media_type`. */
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getOrigin: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
                 * @description The id of the project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The origin. */
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
                     *       "id": "7c1d1a1e-4b0b-4f53-9a3d-0d6c5b1f2e77",
                     *       "projectId": "0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f",
                     *       "domainId": null,
                     *       "url": "https://app.example.net",
                     *       "hostHeader": null,
                     *       "timeouts": {
                     *         "connect": 5,
                     *         "answer": 60,
                     *         "idle": 300
                     *       },
                     *       "headers": [
                     *         "x-platform-secret"
                     *       ],
                     *       "metadata": [
                     *         "tier"
                     *       ],
                     *       "maxConnections": 100,
                     *       "state": "serving",
                     *       "test": {
                     *         "startedAt": "2026-11-02T09:05:00.000Z",
                     *         "finishedAt": "2026-11-02T09:05:01.000Z",
                     *         "passed": true,
                     *         "status": 200,
                     *         "failure": null,
                     *         "address": "203.0.113.7",
                     *         "durationMs": 84
                     *       },
                     *       "health": {
                     *         "state": "reachable",
                     *         "since": "2026-11-02T09:05:01.000Z",
                     *         "failure": null
                     *       },
                     *       "createdAt": "2026-11-02T09:05:00.000Z",
                     *       "updatedAt": "2026-11-02T09:05:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Origin"];
                };
            };
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`. */
            403: components["responses"]["Forbidden"];
            /** @description The resource does not exist. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    putOrigin: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
                 * @description The id of the project.
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
                 *       "url": "https://app.example.net",
                 *       "headers": {
                 *         "x-platform-secret": "S3CRET"
                 *       },
                 *       "metadata": [
                 *         "tier"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["NewOrigin"];
            };
        };
        responses: {
            /** @description The origin. */
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
                     *       "id": "7c1d1a1e-4b0b-4f53-9a3d-0d6c5b1f2e77",
                     *       "projectId": "0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f",
                     *       "domainId": null,
                     *       "url": "https://app.example.net",
                     *       "hostHeader": null,
                     *       "timeouts": {
                     *         "connect": 5,
                     *         "answer": 60,
                     *         "idle": 300
                     *       },
                     *       "headers": [
                     *         "x-platform-secret"
                     *       ],
                     *       "metadata": [
                     *         "tier"
                     *       ],
                     *       "maxConnections": 100,
                     *       "state": "serving",
                     *       "test": {
                     *         "startedAt": "2026-11-02T09:05:00.000Z",
                     *         "finishedAt": "2026-11-02T09:05:01.000Z",
                     *         "passed": true,
                     *         "status": 200,
                     *         "failure": null,
                     *         "address": "203.0.113.7",
                     *         "durationMs": 84
                     *       },
                     *       "health": {
                     *         "state": "reachable",
                     *         "since": "2026-11-02T09:05:01.000Z",
                     *         "failure": null
                     *       },
                     *       "createdAt": "2026-11-02T09:05:00.000Z",
                     *       "updatedAt": "2026-11-02T09:05:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Origin"];
                };
            };
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`, `malformed_json`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`, `suspended`, `origin_limit_reached`. */
            403: components["responses"]["Forbidden"];
            /** @description The resource does not exist. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The body is too large. `payload_too_large`. */
            413: components["responses"]["PayloadTooLarge"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The content type of the body is not supported. `unsupported_media_type`. */
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteOrigin: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
                 * @description The id of the project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The project has no origin. */
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
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`, `malformed_json`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`, `suspended`. */
            403: components["responses"]["Forbidden"];
            /** @description The resource does not exist. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The body is too large. `payload_too_large`. */
            413: components["responses"]["PayloadTooLarge"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The content type of the body is not supported. `unsupported_media_type`. */
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    testOrigin: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes retries safe: for 24 hours the same key with the same body gets the same response, and nothing is done twice. Bare or in quotes.
                 * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
                 * @description The id of the project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The test has begun. */
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
                     *       "id": "7c1d1a1e-4b0b-4f53-9a3d-0d6c5b1f2e77",
                     *       "projectId": "0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f",
                     *       "domainId": null,
                     *       "url": "https://app.example.net",
                     *       "hostHeader": null,
                     *       "timeouts": {
                     *         "connect": 5,
                     *         "answer": 60,
                     *         "idle": 300
                     *       },
                     *       "headers": [
                     *         "x-platform-secret"
                     *       ],
                     *       "metadata": [
                     *         "tier"
                     *       ],
                     *       "maxConnections": 100,
                     *       "state": "serving",
                     *       "test": {
                     *         "startedAt": "2026-11-02T09:05:00.000Z",
                     *         "finishedAt": "2026-11-02T09:05:01.000Z",
                     *         "passed": true,
                     *         "status": 200,
                     *         "failure": null,
                     *         "address": "203.0.113.7",
                     *         "durationMs": 84
                     *       },
                     *       "health": {
                     *         "state": "reachable",
                     *         "since": "2026-11-02T09:05:01.000Z",
                     *         "failure": null
                     *       },
                     *       "createdAt": "2026-11-02T09:05:00.000Z",
                     *       "updatedAt": "2026-11-02T09:05:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Origin"];
                };
            };
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`, `malformed_json`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`, `suspended`. */
            403: components["responses"]["Forbidden"];
            /** @description The resource does not exist. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The current state does not allow this. `idempotency_in_progress`. */
            409: components["responses"]["Conflict"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The body is too large. `payload_too_large`. */
            413: components["responses"]["PayloadTooLarge"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The content type of the body is not supported. `unsupported_media_type`. */
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The Idempotency-Key was used for another request. `idempotency_key_reused`. */
            422: components["responses"]["UnprocessableContent"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getDomainOrigin: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
                 * @description The id of the project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
                /**
                 * @description The name or the id of the domain.
                 * @example docs.example.com
                 */
                domain: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The origin. */
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
                     *       "id": "7c1d1a1e-4b0b-4f53-9a3d-0d6c5b1f2e77",
                     *       "projectId": "0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f",
                     *       "domainId": null,
                     *       "url": "https://app.example.net",
                     *       "hostHeader": null,
                     *       "timeouts": {
                     *         "connect": 5,
                     *         "answer": 60,
                     *         "idle": 300
                     *       },
                     *       "headers": [
                     *         "x-platform-secret"
                     *       ],
                     *       "metadata": [
                     *         "tier"
                     *       ],
                     *       "maxConnections": 100,
                     *       "state": "serving",
                     *       "test": {
                     *         "startedAt": "2026-11-02T09:05:00.000Z",
                     *         "finishedAt": "2026-11-02T09:05:01.000Z",
                     *         "passed": true,
                     *         "status": 200,
                     *         "failure": null,
                     *         "address": "203.0.113.7",
                     *         "durationMs": 84
                     *       },
                     *       "health": {
                     *         "state": "reachable",
                     *         "since": "2026-11-02T09:05:01.000Z",
                     *         "failure": null
                     *       },
                     *       "createdAt": "2026-11-02T09:05:00.000Z",
                     *       "updatedAt": "2026-11-02T09:05:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Origin"];
                };
            };
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`. */
            403: components["responses"]["Forbidden"];
            /** @description The resource does not exist. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    putDomainOrigin: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
                 * @description The id of the project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
                /**
                 * @description The name or the id of the domain.
                 * @example docs.example.com
                 */
                domain: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "https://app.example.net",
                 *       "headers": {
                 *         "x-platform-secret": "S3CRET"
                 *       },
                 *       "metadata": [
                 *         "tier"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["NewOrigin"];
            };
        };
        responses: {
            /** @description The origin. */
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
                     *       "id": "7c1d1a1e-4b0b-4f53-9a3d-0d6c5b1f2e77",
                     *       "projectId": "0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f",
                     *       "domainId": null,
                     *       "url": "https://app.example.net",
                     *       "hostHeader": null,
                     *       "timeouts": {
                     *         "connect": 5,
                     *         "answer": 60,
                     *         "idle": 300
                     *       },
                     *       "headers": [
                     *         "x-platform-secret"
                     *       ],
                     *       "metadata": [
                     *         "tier"
                     *       ],
                     *       "maxConnections": 100,
                     *       "state": "serving",
                     *       "test": {
                     *         "startedAt": "2026-11-02T09:05:00.000Z",
                     *         "finishedAt": "2026-11-02T09:05:01.000Z",
                     *         "passed": true,
                     *         "status": 200,
                     *         "failure": null,
                     *         "address": "203.0.113.7",
                     *         "durationMs": 84
                     *       },
                     *       "health": {
                     *         "state": "reachable",
                     *         "since": "2026-11-02T09:05:01.000Z",
                     *         "failure": null
                     *       },
                     *       "createdAt": "2026-11-02T09:05:00.000Z",
                     *       "updatedAt": "2026-11-02T09:05:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Origin"];
                };
            };
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`, `malformed_json`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`, `suspended`, `origin_limit_reached`. */
            403: components["responses"]["Forbidden"];
            /** @description The resource does not exist. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The body is too large. `payload_too_large`. */
            413: components["responses"]["PayloadTooLarge"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The content type of the body is not supported. `unsupported_media_type`. */
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteDomainOrigin: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
                 * @description The id of the project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
                /**
                 * @description The name or the id of the domain.
                 * @example docs.example.com
                 */
                domain: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The domain has no origin of its own. */
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
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`, `malformed_json`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`, `suspended`. */
            403: components["responses"]["Forbidden"];
            /** @description The resource does not exist. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The body is too large. `payload_too_large`. */
            413: components["responses"]["PayloadTooLarge"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The content type of the body is not supported. `unsupported_media_type`. */
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    testDomainOrigin: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes retries safe: for 24 hours the same key with the same body gets the same response, and nothing is done twice. Bare or in quotes.
                 * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
                 * @description The id of the project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
                /**
                 * @description The name or the id of the domain.
                 * @example docs.example.com
                 */
                domain: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The test has begun. */
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
                     *       "id": "7c1d1a1e-4b0b-4f53-9a3d-0d6c5b1f2e77",
                     *       "projectId": "0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f",
                     *       "domainId": null,
                     *       "url": "https://app.example.net",
                     *       "hostHeader": null,
                     *       "timeouts": {
                     *         "connect": 5,
                     *         "answer": 60,
                     *         "idle": 300
                     *       },
                     *       "headers": [
                     *         "x-platform-secret"
                     *       ],
                     *       "metadata": [
                     *         "tier"
                     *       ],
                     *       "maxConnections": 100,
                     *       "state": "serving",
                     *       "test": {
                     *         "startedAt": "2026-11-02T09:05:00.000Z",
                     *         "finishedAt": "2026-11-02T09:05:01.000Z",
                     *         "passed": true,
                     *         "status": 200,
                     *         "failure": null,
                     *         "address": "203.0.113.7",
                     *         "durationMs": 84
                     *       },
                     *       "health": {
                     *         "state": "reachable",
                     *         "since": "2026-11-02T09:05:01.000Z",
                     *         "failure": null
                     *       },
                     *       "createdAt": "2026-11-02T09:05:00.000Z",
                     *       "updatedAt": "2026-11-02T09:05:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Origin"];
                };
            };
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`, `malformed_json`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`, `suspended`. */
            403: components["responses"]["Forbidden"];
            /** @description The resource does not exist. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The current state does not allow this. `idempotency_in_progress`. */
            409: components["responses"]["Conflict"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The body is too large. `payload_too_large`. */
            413: components["responses"]["PayloadTooLarge"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The content type of the body is not supported. `unsupported_media_type`. */
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The Idempotency-Key was used for another request. `idempotency_key_reused`. */
            422: components["responses"]["UnprocessableContent"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listDomains: {
        parameters: {
            query?: {
                /** @description Maximum number of entries. If absent, up to 1 000 entries are returned on one page. */
                limit?: number;
                /** @description Where the page starts: from the `Link` header of the previous page. */
                cursor?: string;
                /** @description Return only domains with this `externalId`. */
                externalId?: string;
                /** @description Return only domains with these values, such as `metadata[tier]=gold`. */
                metadata?: {
                    [key: string]: string;
                };
                /** @description Return only domains in this state. */
                state?: "awaiting_dns" | "verified" | "live";
                /** @description Return only live domains whose DNS no longer points here, or only the others. */
                misconfigured?: boolean;
                /** @description Return only domains whose name begins with this text, in ASCII form: fast in a list of any length. */
                q?: string;
                /** @description Return only domains whose name contains this text, in ASCII form. A page reads at most 1 000 domains: it may have fewer entries than its limit, or none, and still a `Link`. */
                contains?: string;
                /** @description Return only domains whose certificate expires before this time. */
                expiresBefore?: string;
                /** @description The order, with `-` descending: in which the domains were added, or of names, which is the default with `q`, `externalId` and `metadata`. */
                sort?: "createdAt" | "-createdAt" | "name" | "-name";
            };
            header?: {
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
                 * @description The id of the project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of domains. */
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
                     *         "id": "7c1d3a90-4b6e-4f7a-9e55-1d2c3b4a5f60",
                     *         "name": "docs.example.com",
                     *         "unicodeName": "docs.example.com",
                     *         "apexName": "example.com",
                     *         "projectId": "0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f",
                     *         "externalId": "customer-42",
                     *         "metadata": {
                     *           "tier": "gold"
                     *         },
                     *         "channel": null,
                     *         "originId": null,
                     *         "state": "awaiting_dns",
                     *         "misconfigured": false,
                     *         "createdAt": "2026-11-02T09:10:00.000Z",
                     *         "verifiedAt": null,
                     *         "liveAt": null,
                     *         "removedAt": null,
                     *         "pendingEdges": 0,
                     *         "pairedWith": null,
                     *         "coveredBy": null,
                     *         "exclusions": null,
                     *         "records": [
                     *           {
                     *             "type": "CNAME",
                     *             "name": "docs",
                     *             "value": "k3vq7m2xw5tdz4hcy6rb.cname.pets.example",
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
                     *         "readiness": null,
                     *         "suspensions": [],
                     *         "issues": [
                     *           {
                     *             "code": "no_record",
                     *             "title": "no DNS record yet",
                     *             "area": "dns",
                     *             "severity": "info",
                     *             "blocking": true,
                     *             "resolvesAutomatically": false,
                     *             "message": "No DNS record for docs.example.com was found yet.",
                     *             "cause": "docs.example.com has no DNS record yet.",
                     *             "remediation": "At your DNS provider, create the record that points docs.example.com to k3vq7m2xw5tdz4hcy6rb.cname.pets.example. We check for it automatically.",
                     *             "evidence": {
                     *               "name": "docs.example.com",
                     *               "expected": "k3vq7m2xw5tdz4hcy6rb.cname.pets.example",
                     *               "servers": [
                     *                 "192.0.2.53:53"
                     *               ]
                     *             }
                     *           }
                     *         ]
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Domain"][];
                };
            };
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`, `invalid_cursor`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`. */
            403: components["responses"]["Forbidden"];
            /** @description The resource does not exist. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    addDomain: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes retries safe: for 24 hours the same key with the same body gets the same response, and nothing is done twice. Bare or in quotes.
                 * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
                 * @description The id of the project.
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
            /** @description The new domain with the records to create. */
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
                     *       "externalId": "customer-42",
                     *       "metadata": {
                     *         "tier": "gold"
                     *       },
                     *       "channel": null,
                     *       "originId": null,
                     *       "state": "awaiting_dns",
                     *       "misconfigured": false,
                     *       "createdAt": "2026-11-02T09:10:00.000Z",
                     *       "verifiedAt": null,
                     *       "liveAt": null,
                     *       "removedAt": null,
                     *       "pendingEdges": 0,
                     *       "pairedWith": null,
                     *       "coveredBy": null,
                     *       "exclusions": null,
                     *       "records": [
                     *         {
                     *           "type": "CNAME",
                     *           "name": "docs",
                     *           "value": "k3vq7m2xw5tdz4hcy6rb.cname.pets.example",
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
                     *       "readiness": null,
                     *       "suspensions": [],
                     *       "issues": [
                     *         {
                     *           "code": "no_record",
                     *           "title": "no DNS record yet",
                     *           "area": "dns",
                     *           "severity": "info",
                     *           "blocking": true,
                     *           "resolvesAutomatically": false,
                     *           "message": "No DNS record for docs.example.com was found yet.",
                     *           "cause": "docs.example.com has no DNS record yet.",
                     *           "remediation": "At your DNS provider, create the record that points docs.example.com to k3vq7m2xw5tdz4hcy6rb.cname.pets.example. We check for it automatically.",
                     *           "evidence": {
                     *             "name": "docs.example.com",
                     *             "expected": "k3vq7m2xw5tdz4hcy6rb.cname.pets.example",
                     *             "servers": [
                     *               "192.0.2.53:53"
                     *             ]
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Domain"];
                };
            };
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`, `malformed_json`, `invalid_domain`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`, `suspended`, `name_blocked`, `plan_required`, `domain_limit_reached`, `storage_limit_reached`. */
            403: components["responses"]["Forbidden"];
            /** @description The resource does not exist. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The current state does not allow this. `idempotency_in_progress`, `deployment_required`, `domain_exists`, `wildcard_needs_dns_challenge`. */
            409: components["responses"]["Conflict"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The body is too large. `payload_too_large`. */
            413: components["responses"]["PayloadTooLarge"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The content type of the body is not supported. `unsupported_media_type`. */
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The Idempotency-Key was used for another request. `idempotency_key_reused`. */
            422: components["responses"]["UnprocessableContent"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    findDomains: {
        parameters: {
            query?: {
                /** @description Maximum number of entries. */
                limit?: number;
                /** @description Where the page starts: from the `Link` header of the previous page. */
                cursor?: string;
                /** @description Return only the domain with this name, in ASCII or Unicode. */
                name?: string;
                /** @description Return only domains with this `externalId`. */
                externalId?: string;
                /** @description Return only domains with these values, such as `metadata[tier]=gold`. */
                metadata?: {
                    [key: string]: string;
                };
                /** @description Return only domains in this state. */
                state?: "awaiting_dns" | "verified" | "live";
                /** @description Return only live domains whose DNS no longer points here, or only the others. */
                misconfigured?: boolean;
                /** @description Return only domains whose name begins with this text, in ASCII form: fast in a list of any length. */
                q?: string;
                /** @description Return only domains whose name contains this text, in ASCII form. A page reads at most 1 000 domains: it may have fewer entries than its limit, or none, and still a `Link`. */
                contains?: string;
                /** @description Return only domains whose certificate expires before this time. */
                expiresBefore?: string;
            };
            header?: {
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
            /** @description A page of domains. */
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
                     *         "id": "7c1d3a90-4b6e-4f7a-9e55-1d2c3b4a5f60",
                     *         "name": "docs.example.com",
                     *         "unicodeName": "docs.example.com",
                     *         "apexName": "example.com",
                     *         "projectId": "0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f",
                     *         "externalId": "customer-42",
                     *         "metadata": {
                     *           "tier": "gold"
                     *         },
                     *         "channel": null,
                     *         "originId": null,
                     *         "state": "awaiting_dns",
                     *         "misconfigured": false,
                     *         "createdAt": "2026-11-02T09:10:00.000Z",
                     *         "verifiedAt": null,
                     *         "liveAt": null,
                     *         "removedAt": null,
                     *         "pendingEdges": 0,
                     *         "pairedWith": null,
                     *         "coveredBy": null,
                     *         "exclusions": null,
                     *         "records": [
                     *           {
                     *             "type": "CNAME",
                     *             "name": "docs",
                     *             "value": "k3vq7m2xw5tdz4hcy6rb.cname.pets.example",
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
                     *         "readiness": null,
                     *         "suspensions": [],
                     *         "issues": [
                     *           {
                     *             "code": "no_record",
                     *             "title": "no DNS record yet",
                     *             "area": "dns",
                     *             "severity": "info",
                     *             "blocking": true,
                     *             "resolvesAutomatically": false,
                     *             "message": "No DNS record for docs.example.com was found yet.",
                     *             "cause": "docs.example.com has no DNS record yet.",
                     *             "remediation": "At your DNS provider, create the record that points docs.example.com to k3vq7m2xw5tdz4hcy6rb.cname.pets.example. We check for it automatically.",
                     *             "evidence": {
                     *               "name": "docs.example.com",
                     *               "expected": "k3vq7m2xw5tdz4hcy6rb.cname.pets.example",
                     *               "servers": [
                     *                 "192.0.2.53:53"
                     *               ]
                     *             }
                     *           }
                     *         ]
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Domain"][];
                };
            };
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`, `invalid_cursor`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`. */
            403: components["responses"]["Forbidden"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    countDomains: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
                 * @description The id of the project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The numbers. */
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
                     *       "total": 3,
                     *       "byState": {
                     *         "awaiting_dns": 1,
                     *         "verified": 0,
                     *         "live": 2
                     *       },
                     *       "misconfigured": 0
                     *     }
                     */
                    "application/json": components["schemas"]["DomainCounts"];
                };
            };
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`. */
            403: components["responses"]["Forbidden"];
            /** @description The resource does not exist. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    addDomains: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes retries safe: for 24 hours the same key with the same body gets the same response, and nothing is done twice. Bare or in quotes.
                 * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
                 * @description The id of the project.
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
                 *       "domains": [
                 *         {
                 *           "name": "docs.example.com",
                 *           "externalId": "customer-42",
                 *           "metadata": {
                 *             "tier": "gold"
                 *           }
                 *         },
                 *         {
                 *           "name": "*.example.com"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["NewDomainBatch"];
            };
        };
        responses: {
            /** @description A result for each name. */
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
                     *       "results": [
                     *         {
                     *           "name": "docs.example.com",
                     *           "result": "created",
                     *           "id": "7c1d3a90-4b6e-4f7a-9e55-1d2c3b4a5f60",
                     *           "records": [
                     *             {
                     *               "type": "CNAME",
                     *               "name": "docs",
                     *               "value": "k3vq7m2xw5tdz4hcy6rb.cname.pets.example",
                     *               "ttl": 3600,
                     *               "purpose": "routing"
                     *             }
                     *           ],
                     *           "error": null
                     *         },
                     *         {
                     *           "name": "co.uk",
                     *           "result": "refused",
                     *           "id": null,
                     *           "records": [],
                     *           "error": {
                     *             "code": "invalid_domain",
                     *             "message": "name: co.uk is a public suffix: other people register names below it.",
                     *             "status": 400,
                     *             "errors": [
                     *               {
                     *                 "field": "name",
                     *                 "message": "co.uk is a public suffix: other people register names below it."
                     *               }
                     *             ]
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["AddedDomains"];
                };
            };
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`, `malformed_json`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`, `suspended`, `plan_required`. */
            403: components["responses"]["Forbidden"];
            /** @description The resource does not exist. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The current state does not allow this. `idempotency_in_progress`, `deployment_required`. */
            409: components["responses"]["Conflict"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The body is too large. `payload_too_large`. */
            413: components["responses"]["PayloadTooLarge"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The content type of the body is not supported. `unsupported_media_type`. */
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The Idempotency-Key was used for another request. `idempotency_key_reused`. */
            422: components["responses"]["UnprocessableContent"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    removeDomains: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes retries safe: for 24 hours the same key with the same body gets the same response, and nothing is done twice. Bare or in quotes.
                 * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
                 * @description The id of the project.
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
                 *       "domains": [
                 *         {
                 *           "name": "docs.example.com"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["DomainBatchRemoval"];
            };
        };
        responses: {
            /** @description A result for each domain. */
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
                     *       "results": [
                     *         {
                     *           "name": "docs.example.com",
                     *           "result": "removed",
                     *           "id": "7c1d3a90-4b6e-4f7a-9e55-1d2c3b4a5f60",
                     *           "coveredBy": null,
                     *           "error": null
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["RemovedDomains"];
                };
            };
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`, `malformed_json`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`, `suspended`. */
            403: components["responses"]["Forbidden"];
            /** @description The resource does not exist. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The current state does not allow this. `idempotency_in_progress`. */
            409: components["responses"]["Conflict"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The body is too large. `payload_too_large`. */
            413: components["responses"]["PayloadTooLarge"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The content type of the body is not supported. `unsupported_media_type`. */
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The Idempotency-Key was used for another request. `idempotency_key_reused`. */
            422: components["responses"]["UnprocessableContent"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getDomain: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
                 * @description The id of the project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
                /**
                 * @description The name or the id of the domain.
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
                     *       "externalId": "customer-42",
                     *       "metadata": {
                     *         "tier": "gold"
                     *       },
                     *       "channel": null,
                     *       "originId": null,
                     *       "state": "awaiting_dns",
                     *       "misconfigured": false,
                     *       "createdAt": "2026-11-02T09:10:00.000Z",
                     *       "verifiedAt": null,
                     *       "liveAt": null,
                     *       "removedAt": null,
                     *       "pendingEdges": 0,
                     *       "pairedWith": null,
                     *       "coveredBy": null,
                     *       "exclusions": null,
                     *       "records": [
                     *         {
                     *           "type": "CNAME",
                     *           "name": "docs",
                     *           "value": "k3vq7m2xw5tdz4hcy6rb.cname.pets.example",
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
                     *       "readiness": null,
                     *       "suspensions": [],
                     *       "issues": [
                     *         {
                     *           "code": "no_record",
                     *           "title": "no DNS record yet",
                     *           "area": "dns",
                     *           "severity": "info",
                     *           "blocking": true,
                     *           "resolvesAutomatically": false,
                     *           "message": "No DNS record for docs.example.com was found yet.",
                     *           "cause": "docs.example.com has no DNS record yet.",
                     *           "remediation": "At your DNS provider, create the record that points docs.example.com to k3vq7m2xw5tdz4hcy6rb.cname.pets.example. We check for it automatically.",
                     *           "evidence": {
                     *             "name": "docs.example.com",
                     *             "expected": "k3vq7m2xw5tdz4hcy6rb.cname.pets.example",
                     *             "servers": [
                     *               "192.0.2.53:53"
                     *             ]
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Domain"];
                };
            };
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`. */
            403: components["responses"]["Forbidden"];
            /** @description The resource does not exist. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    removeDomain: {
        parameters: {
            query?: {
                /** @description Whether the wildcard that covers the name stops serving it as well, until the name is added again or the exclusion is lifted. A wildcard can exclude 100 names. */
                exclude?: boolean;
            };
            header?: {
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
                 * @description The id of the project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
                /**
                 * @description The name or the id of the domain.
                 * @example docs.example.com
                 */
                domain: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Removed. The wildcard `coveredBy` serves the name. */
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
                     *       "externalId": "customer-42",
                     *       "metadata": {
                     *         "tier": "gold"
                     *       },
                     *       "channel": null,
                     *       "originId": null,
                     *       "state": "awaiting_dns",
                     *       "misconfigured": false,
                     *       "createdAt": "2026-11-02T09:10:00.000Z",
                     *       "verifiedAt": null,
                     *       "liveAt": null,
                     *       "removedAt": null,
                     *       "pendingEdges": 0,
                     *       "pairedWith": null,
                     *       "coveredBy": null,
                     *       "exclusions": null,
                     *       "records": [
                     *         {
                     *           "type": "CNAME",
                     *           "name": "docs",
                     *           "value": "k3vq7m2xw5tdz4hcy6rb.cname.pets.example",
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
                     *       "readiness": null,
                     *       "suspensions": [],
                     *       "issues": [
                     *         {
                     *           "code": "no_record",
                     *           "title": "no DNS record yet",
                     *           "area": "dns",
                     *           "severity": "info",
                     *           "blocking": true,
                     *           "resolvesAutomatically": false,
                     *           "message": "No DNS record for docs.example.com was found yet.",
                     *           "cause": "docs.example.com has no DNS record yet.",
                     *           "remediation": "At your DNS provider, create the record that points docs.example.com to k3vq7m2xw5tdz4hcy6rb.cname.pets.example. We check for it automatically.",
                     *           "evidence": {
                     *             "name": "docs.example.com",
                     *             "expected": "k3vq7m2xw5tdz4hcy6rb.cname.pets.example",
                     *             "servers": [
                     *               "192.0.2.53:53"
                     *             ]
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Domain"];
                };
            };
            /** @description Removed, but `pendingEdges` may still serve it. */
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
                     *       "externalId": "customer-42",
                     *       "metadata": {
                     *         "tier": "gold"
                     *       },
                     *       "channel": null,
                     *       "originId": null,
                     *       "state": "awaiting_dns",
                     *       "misconfigured": false,
                     *       "createdAt": "2026-11-02T09:10:00.000Z",
                     *       "verifiedAt": null,
                     *       "liveAt": null,
                     *       "removedAt": null,
                     *       "pendingEdges": 0,
                     *       "pairedWith": null,
                     *       "coveredBy": null,
                     *       "exclusions": null,
                     *       "records": [
                     *         {
                     *           "type": "CNAME",
                     *           "name": "docs",
                     *           "value": "k3vq7m2xw5tdz4hcy6rb.cname.pets.example",
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
                     *       "readiness": null,
                     *       "suspensions": [],
                     *       "issues": [
                     *         {
                     *           "code": "no_record",
                     *           "title": "no DNS record yet",
                     *           "area": "dns",
                     *           "severity": "info",
                     *           "blocking": true,
                     *           "resolvesAutomatically": false,
                     *           "message": "No DNS record for docs.example.com was found yet.",
                     *           "cause": "docs.example.com has no DNS record yet.",
                     *           "remediation": "At your DNS provider, create the record that points docs.example.com to k3vq7m2xw5tdz4hcy6rb.cname.pets.example. We check for it automatically.",
                     *           "evidence": {
                     *             "name": "docs.example.com",
                     *             "expected": "k3vq7m2xw5tdz4hcy6rb.cname.pets.example",
                     *             "servers": [
                     *               "192.0.2.53:53"
                     *             ]
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Domain"];
                };
            };
            /** @description Removed, and no longer served by any edge. */
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
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`, `malformed_json`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`, `suspended`, `domain_limit_reached`. */
            403: components["responses"]["Forbidden"];
            /** @description The resource does not exist. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The current state does not allow this. `conflict`. */
            409: components["responses"]["Conflict"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The body is too large. `payload_too_large`. */
            413: components["responses"]["PayloadTooLarge"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The content type of the body is not supported. `unsupported_media_type`. */
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    updateDomain: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
                 * @description The id of the project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
                /**
                 * @description The name or the id of the domain.
                 * @example docs.example.com
                 */
                domain: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "externalId": "customer-42",
                 *       "metadata": {
                 *         "tier": "gold",
                 *         "trial": null
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["DomainChange"];
            };
        };
        responses: {
            /** @description The changed domain. */
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
                     *       "externalId": "customer-42",
                     *       "metadata": {
                     *         "tier": "gold"
                     *       },
                     *       "channel": null,
                     *       "originId": null,
                     *       "state": "awaiting_dns",
                     *       "misconfigured": false,
                     *       "createdAt": "2026-11-02T09:10:00.000Z",
                     *       "verifiedAt": null,
                     *       "liveAt": null,
                     *       "removedAt": null,
                     *       "pendingEdges": 0,
                     *       "pairedWith": null,
                     *       "coveredBy": null,
                     *       "exclusions": null,
                     *       "records": [
                     *         {
                     *           "type": "CNAME",
                     *           "name": "docs",
                     *           "value": "k3vq7m2xw5tdz4hcy6rb.cname.pets.example",
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
                     *       "readiness": null,
                     *       "suspensions": [],
                     *       "issues": [
                     *         {
                     *           "code": "no_record",
                     *           "title": "no DNS record yet",
                     *           "area": "dns",
                     *           "severity": "info",
                     *           "blocking": true,
                     *           "resolvesAutomatically": false,
                     *           "message": "No DNS record for docs.example.com was found yet.",
                     *           "cause": "docs.example.com has no DNS record yet.",
                     *           "remediation": "At your DNS provider, create the record that points docs.example.com to k3vq7m2xw5tdz4hcy6rb.cname.pets.example. We check for it automatically.",
                     *           "evidence": {
                     *             "name": "docs.example.com",
                     *             "expected": "k3vq7m2xw5tdz4hcy6rb.cname.pets.example",
                     *             "servers": [
                     *               "192.0.2.53:53"
                     *             ]
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Domain"];
                };
            };
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`, `malformed_json`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`, `suspended`. */
            403: components["responses"]["Forbidden"];
            /** @description The resource does not exist. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The body is too large. `payload_too_large`. */
            413: components["responses"]["PayloadTooLarge"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The content type of the body is not supported. `unsupported_media_type`. */
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    liftExclusion: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
                 * @description The id of the project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
                /**
                 * @description The name or the id of the domain.
                 * @example docs.example.com
                 */
                domain: string;
                /**
                 * @description The excluded name.
                 * @example docs.example.com
                 */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Lifted. */
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
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`, `malformed_json`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`, `suspended`. */
            403: components["responses"]["Forbidden"];
            /** @description The resource does not exist. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The body is too large. `payload_too_large`. */
            413: components["responses"]["PayloadTooLarge"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The content type of the body is not supported. `unsupported_media_type`. */
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listDomainEvents: {
        parameters: {
            query?: {
                /** @description Maximum number of entries. */
                limit?: number;
                /** @description Where the page starts: from the `Link` header of the previous page. */
                cursor?: string;
            };
            header?: {
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
                 * @description The id of the project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
                /**
                 * @description The name or the id of the domain.
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
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`, `invalid_cursor`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`. */
            403: components["responses"]["Forbidden"];
            /** @description The resource does not exist. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listProjectEvents: {
        parameters: {
            query?: {
                /** @description Maximum number of entries. */
                limit?: number;
                /** @description Where the page starts: from the `Link` header of the previous page. */
                cursor?: string;
            };
            header?: {
                /**
                 * @description On a stream: the id of the last event received, after which the stream continues; `0` for the beginning.
                 * @example 4
                 */
                "Last-Event-ID"?: components["parameters"]["LastEventId"];
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
                 * @description The id of the project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the history, or the stream. */
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
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`, `invalid_cursor`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`. */
            403: components["responses"]["Forbidden"];
            /** @description The resource does not exist. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    verifyDomain: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes retries safe: for 24 hours the same key with the same body gets the same response, and nothing is done twice. Bare or in quotes.
                 * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
                 * @description The id of the project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
                /**
                 * @description The name or the id of the domain.
                 * @example docs.example.com
                 */
                domain: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The domain with its scheduled check. */
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
                     *       "externalId": "customer-42",
                     *       "metadata": {
                     *         "tier": "gold"
                     *       },
                     *       "channel": null,
                     *       "originId": null,
                     *       "state": "awaiting_dns",
                     *       "misconfigured": false,
                     *       "createdAt": "2026-11-02T09:10:00.000Z",
                     *       "verifiedAt": null,
                     *       "liveAt": null,
                     *       "removedAt": null,
                     *       "pendingEdges": 0,
                     *       "pairedWith": null,
                     *       "coveredBy": null,
                     *       "exclusions": null,
                     *       "records": [
                     *         {
                     *           "type": "CNAME",
                     *           "name": "docs",
                     *           "value": "k3vq7m2xw5tdz4hcy6rb.cname.pets.example",
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
                     *       "readiness": null,
                     *       "suspensions": [],
                     *       "issues": [
                     *         {
                     *           "code": "no_record",
                     *           "title": "no DNS record yet",
                     *           "area": "dns",
                     *           "severity": "info",
                     *           "blocking": true,
                     *           "resolvesAutomatically": false,
                     *           "message": "No DNS record for docs.example.com was found yet.",
                     *           "cause": "docs.example.com has no DNS record yet.",
                     *           "remediation": "At your DNS provider, create the record that points docs.example.com to k3vq7m2xw5tdz4hcy6rb.cname.pets.example. We check for it automatically.",
                     *           "evidence": {
                     *             "name": "docs.example.com",
                     *             "expected": "k3vq7m2xw5tdz4hcy6rb.cname.pets.example",
                     *             "servers": [
                     *               "192.0.2.53:53"
                     *             ]
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Domain"];
                };
            };
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`, `malformed_json`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`, `suspended`. */
            403: components["responses"]["Forbidden"];
            /** @description The resource does not exist. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The current state does not allow this. `idempotency_in_progress`. */
            409: components["responses"]["Conflict"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The body is too large. `payload_too_large`. */
            413: components["responses"]["PayloadTooLarge"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The content type of the body is not supported. `unsupported_media_type`. */
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The Idempotency-Key was used for another request. `idempotency_key_reused`. */
            422: components["responses"]["UnprocessableContent"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    watchDomain: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes retries safe: for 24 hours the same key with the same body gets the same response, and nothing is done twice. Bare or in quotes.
                 * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
                 * @description The id of the project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
                /**
                 * @description The name or the id of the domain.
                 * @example docs.example.com
                 */
                domain: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The domain with its next check. */
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
                     *       "id": "7c1d3a90-4b6e-4f7a-9e55-1d2c3b4a5f60",
                     *       "name": "docs.example.com",
                     *       "unicodeName": "docs.example.com",
                     *       "apexName": "example.com",
                     *       "projectId": "0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f",
                     *       "externalId": "customer-42",
                     *       "metadata": {
                     *         "tier": "gold"
                     *       },
                     *       "channel": null,
                     *       "originId": null,
                     *       "state": "awaiting_dns",
                     *       "misconfigured": false,
                     *       "createdAt": "2026-11-02T09:10:00.000Z",
                     *       "verifiedAt": null,
                     *       "liveAt": null,
                     *       "removedAt": null,
                     *       "pendingEdges": 0,
                     *       "pairedWith": null,
                     *       "coveredBy": null,
                     *       "exclusions": null,
                     *       "records": [
                     *         {
                     *           "type": "CNAME",
                     *           "name": "docs",
                     *           "value": "k3vq7m2xw5tdz4hcy6rb.cname.pets.example",
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
                     *       "readiness": null,
                     *       "suspensions": [],
                     *       "issues": [
                     *         {
                     *           "code": "no_record",
                     *           "title": "no DNS record yet",
                     *           "area": "dns",
                     *           "severity": "info",
                     *           "blocking": true,
                     *           "resolvesAutomatically": false,
                     *           "message": "No DNS record for docs.example.com was found yet.",
                     *           "cause": "docs.example.com has no DNS record yet.",
                     *           "remediation": "At your DNS provider, create the record that points docs.example.com to k3vq7m2xw5tdz4hcy6rb.cname.pets.example. We check for it automatically.",
                     *           "evidence": {
                     *             "name": "docs.example.com",
                     *             "expected": "k3vq7m2xw5tdz4hcy6rb.cname.pets.example",
                     *             "servers": [
                     *               "192.0.2.53:53"
                     *             ]
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Domain"];
                };
            };
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`, `malformed_json`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`, `suspended`. */
            403: components["responses"]["Forbidden"];
            /** @description The resource does not exist. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The current state does not allow this. `idempotency_in_progress`. */
            409: components["responses"]["Conflict"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The body is too large. `payload_too_large`. */
            413: components["responses"]["PayloadTooLarge"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The content type of the body is not supported. `unsupported_media_type`. */
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The Idempotency-Key was used for another request. `idempotency_key_reused`. */
            422: components["responses"]["UnprocessableContent"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    reverifyDomain: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes retries safe: for 24 hours the same key with the same body gets the same response, and nothing is done twice. Bare or in quotes.
                 * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
                 * @description The id of the project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
                /**
                 * @description The name or the id of the domain.
                 * @example docs.example.com
                 */
                domain: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The domain with its scheduled attempt. */
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
                     *       "externalId": "customer-42",
                     *       "metadata": {
                     *         "tier": "gold"
                     *       },
                     *       "channel": null,
                     *       "originId": null,
                     *       "state": "awaiting_dns",
                     *       "misconfigured": false,
                     *       "createdAt": "2026-11-02T09:10:00.000Z",
                     *       "verifiedAt": null,
                     *       "liveAt": null,
                     *       "removedAt": null,
                     *       "pendingEdges": 0,
                     *       "pairedWith": null,
                     *       "coveredBy": null,
                     *       "exclusions": null,
                     *       "records": [
                     *         {
                     *           "type": "CNAME",
                     *           "name": "docs",
                     *           "value": "k3vq7m2xw5tdz4hcy6rb.cname.pets.example",
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
                     *       "readiness": null,
                     *       "suspensions": [],
                     *       "issues": [
                     *         {
                     *           "code": "no_record",
                     *           "title": "no DNS record yet",
                     *           "area": "dns",
                     *           "severity": "info",
                     *           "blocking": true,
                     *           "resolvesAutomatically": false,
                     *           "message": "No DNS record for docs.example.com was found yet.",
                     *           "cause": "docs.example.com has no DNS record yet.",
                     *           "remediation": "At your DNS provider, create the record that points docs.example.com to k3vq7m2xw5tdz4hcy6rb.cname.pets.example. We check for it automatically.",
                     *           "evidence": {
                     *             "name": "docs.example.com",
                     *             "expected": "k3vq7m2xw5tdz4hcy6rb.cname.pets.example",
                     *             "servers": [
                     *               "192.0.2.53:53"
                     *             ]
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Domain"];
                };
            };
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`, `malformed_json`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`, `suspended`. */
            403: components["responses"]["Forbidden"];
            /** @description The resource does not exist. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The current state does not allow this. `idempotency_in_progress`, `reverify_too_early`. */
            409: components["responses"]["Conflict"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The body is too large. `payload_too_large`. */
            413: components["responses"]["PayloadTooLarge"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The content type of the body is not supported. `unsupported_media_type`. */
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The Idempotency-Key was used for another request. `idempotency_key_reused`. */
            422: components["responses"]["UnprocessableContent"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    moveDomain: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes retries safe: for 24 hours the same key with the same body gets the same response, and nothing is done twice. Bare or in quotes.
                 * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
                 * @description The id of the project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
                /**
                 * @description The name or the id of the domain.
                 * @example docs.example.com
                 */
                domain: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "projectId": "0198a5a4-2f4e-7b60-9c1d-5f0e8d3c2b1a",
                 *       "redirects": "move"
                 *     }
                 */
                "application/json": components["schemas"]["DomainMove"];
            };
        };
        responses: {
            /** @description The domain, in the other project. */
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
                     *       "id": "7c1d3a90-4b6e-4f7a-9e55-1d2c3b4a5f60",
                     *       "name": "docs.example.com",
                     *       "unicodeName": "docs.example.com",
                     *       "apexName": "example.com",
                     *       "projectId": "0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f",
                     *       "externalId": "customer-42",
                     *       "metadata": {
                     *         "tier": "gold"
                     *       },
                     *       "channel": null,
                     *       "originId": null,
                     *       "state": "awaiting_dns",
                     *       "misconfigured": false,
                     *       "createdAt": "2026-11-02T09:10:00.000Z",
                     *       "verifiedAt": null,
                     *       "liveAt": null,
                     *       "removedAt": null,
                     *       "pendingEdges": 0,
                     *       "pairedWith": null,
                     *       "coveredBy": null,
                     *       "exclusions": null,
                     *       "records": [
                     *         {
                     *           "type": "CNAME",
                     *           "name": "docs",
                     *           "value": "k3vq7m2xw5tdz4hcy6rb.cname.pets.example",
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
                     *       "readiness": null,
                     *       "suspensions": [],
                     *       "issues": [
                     *         {
                     *           "code": "no_record",
                     *           "title": "no DNS record yet",
                     *           "area": "dns",
                     *           "severity": "info",
                     *           "blocking": true,
                     *           "resolvesAutomatically": false,
                     *           "message": "No DNS record for docs.example.com was found yet.",
                     *           "cause": "docs.example.com has no DNS record yet.",
                     *           "remediation": "At your DNS provider, create the record that points docs.example.com to k3vq7m2xw5tdz4hcy6rb.cname.pets.example. We check for it automatically.",
                     *           "evidence": {
                     *             "name": "docs.example.com",
                     *             "expected": "k3vq7m2xw5tdz4hcy6rb.cname.pets.example",
                     *             "servers": [
                     *               "192.0.2.53:53"
                     *             ]
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Domain"];
                };
            };
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`, `malformed_json`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`, `suspended`, `name_blocked`, `plan_required`, `domain_limit_reached`. */
            403: components["responses"]["Forbidden"];
            /** @description The resource does not exist. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The current state does not allow this. `idempotency_in_progress`, `deployment_required`, `conflict`. */
            409: components["responses"]["Conflict"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The body is too large. `payload_too_large`. */
            413: components["responses"]["PayloadTooLarge"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The content type of the body is not supported. `unsupported_media_type`. */
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The Idempotency-Key was used for another request. `idempotency_key_reused`. */
            422: components["responses"]["UnprocessableContent"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listSetupLinks: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
                 * @description The id of the project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
                /**
                 * @description The name or the id of the domain.
                 * @example docs.example.com
                 */
                domain: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The links. */
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
                     *         "id": "a3d1c2b4-7e55-4f0a-9c1d-2b3c4d5e6f70",
                     *         "createdAt": "2026-11-02T09:00:00.000Z",
                     *         "expiresAt": "2026-11-09T09:00:00.000Z",
                     *         "returnUrl": null
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["SetupLink"][];
                };
            };
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`. */
            403: components["responses"]["Forbidden"];
            /** @description The resource does not exist. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createSetupLink: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes retries safe: for 24 hours the same key with the same body gets the same response, and nothing is done twice. Bare or in quotes.
                 * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
                 * @description The id of the project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
                /**
                 * @description The name or the id of the domain.
                 * @example docs.example.com
                 */
                domain: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "expiresIn": 604800
                 *     }
                 */
                "application/json": components["schemas"]["NewSetupLink"];
            };
        };
        responses: {
            /** @description The link. */
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
                     *       "id": "a3d1c2b4-7e55-4f0a-9c1d-2b3c4d5e6f70",
                     *       "createdAt": "2026-11-02T09:00:00.000Z",
                     *       "expiresAt": "2026-11-09T09:00:00.000Z",
                     *       "returnUrl": null,
                     *       "url": "https://pets.example/setup#Zk3v0yVQ6cT1d8mRkqJ2x0o7l9nUeWb5sHf4gAiXtPM"
                     *     }
                     */
                    "application/json": components["schemas"]["CreatedSetupLink"];
                };
            };
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`, `malformed_json`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`, `suspended`. */
            403: components["responses"]["Forbidden"];
            /** @description The resource does not exist. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The current state does not allow this. `idempotency_in_progress`, `conflict`. */
            409: components["responses"]["Conflict"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The body is too large. `payload_too_large`. */
            413: components["responses"]["PayloadTooLarge"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The content type of the body is not supported. `unsupported_media_type`. */
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The Idempotency-Key was used for another request. `idempotency_key_reused`. */
            422: components["responses"]["UnprocessableContent"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteSetupLink: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
                 * @description The id of the project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
                /**
                 * @description The name or the id of the domain.
                 * @example docs.example.com
                 */
                domain: string;
                /**
                 * @description The id of the link.
                 * @example a3d1c2b4-7e55-4f0a-9c1d-2b3c4d5e6f70
                 */
                setupLinkId: string;
            };
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
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`, `malformed_json`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`. */
            403: components["responses"]["Forbidden"];
            /** @description The resource does not exist. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The body is too large. `payload_too_large`. */
            413: components["responses"]["PayloadTooLarge"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The content type of the body is not supported. `unsupported_media_type`. */
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getSetupPage: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
            /** @description The settings. */
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
                     *       "name": "Acme",
                     *       "color": "#1a5fb4",
                     *       "supportAddress": "help@acme.example",
                     *       "returnOrigins": [
                     *         "https://app.acme.example"
                     *       ],
                     *       "logo": {
                     *         "url": "https://pets.example/setup/logos/9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08.webp",
                     *         "width": 320,
                     *         "height": 80
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["SetupPage"];
                };
            };
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`. */
            403: components["responses"]["Forbidden"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    putSetupPage: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
                 *       "name": "Acme",
                 *       "color": "#1a5fb4",
                 *       "supportAddress": "help@acme.example",
                 *       "returnOrigins": [
                 *         "https://app.acme.example"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["NewSetupPage"];
            };
        };
        responses: {
            /** @description The settings. */
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
                     *       "name": "Acme",
                     *       "color": "#1a5fb4",
                     *       "supportAddress": "help@acme.example",
                     *       "returnOrigins": [
                     *         "https://app.acme.example"
                     *       ],
                     *       "logo": {
                     *         "url": "https://pets.example/setup/logos/9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08.webp",
                     *         "width": 320,
                     *         "height": 80
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["SetupPage"];
                };
            };
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`, `malformed_json`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`, `suspended`. */
            403: components["responses"]["Forbidden"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The body is too large. `payload_too_large`. */
            413: components["responses"]["PayloadTooLarge"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The content type of the body is not supported. `unsupported_media_type`. */
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    putSetupLogo: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
        /** @description A PNG or a WebP of at most 64 KiB and 1024 × 1024 pixels that is not animated. Pages show it at most 40 pixels high. */
        requestBody: {
            content: {
                "image/png": Blob;
                "image/webp": Blob;
            };
        };
        responses: {
            /** @description The logo. */
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
                     *       "url": "https://pets.example/setup/logos/9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08.webp",
                     *       "width": 320,
                     *       "height": 80
                     *     }
                     */
                    "application/json": components["schemas"]["SetupLogo"];
                };
            };
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`, `malformed_json`, `invalid_logo`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`, `suspended`. */
            403: components["responses"]["Forbidden"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The body is too large. `payload_too_large`. */
            413: components["responses"]["PayloadTooLarge"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The content type of the body is not supported. `unsupported_media_type`. */
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteSetupLogo: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
            /** @description Removed, or there was none. */
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
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`, `malformed_json`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`. */
            403: components["responses"]["Forbidden"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The body is too large. `payload_too_large`. */
            413: components["responses"]["PayloadTooLarge"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The content type of the body is not supported. `unsupported_media_type`. */
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createSetupSession: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
                 *       "token": "Zk3v0yVQ6cT1d8mRkqJ2x0o7"
                 *     }
                 */
                "application/json": components["schemas"]["NewSetupSession"];
            };
        };
        responses: {
            /** @description The token. */
            201: {
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
                     *       "token": "setup.a3d1c2b4-7e55-4f0a-9c1d-2b3c4d5e6f70.1793613600.mac",
                     *       "expiresAt": "2026-11-09T09:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["SetupSession"];
                };
            };
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`, `malformed_json`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`. */
            403: components["responses"]["Forbidden"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The body is too large. `payload_too_large`. */
            413: components["responses"]["PayloadTooLarge"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The content type of the body is not supported. `unsupported_media_type`. */
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getSetup: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
                     * @example {
                     *       "domains": [
                     *         {
                     *           "name": "docs.example.com",
                     *           "unicodeName": "docs.example.com",
                     *           "apexName": "example.com",
                     *           "state": "awaiting_dns",
                     *           "misconfigured": false,
                     *           "createdAt": "2026-11-02T09:10:00.000Z",
                     *           "verifiedAt": null,
                     *           "liveAt": null,
                     *           "records": [
                     *             {
                     *               "type": "CNAME",
                     *               "name": "docs",
                     *               "value": "k3vq7m2xw5tdz4hcy6rb.cname.pets.example",
                     *               "ttl": 3600,
                     *               "purpose": "routing"
                     *             }
                     *           ],
                     *           "dns": {
                     *             "requestedAt": null,
                     *             "checkedAt": "2026-11-02T09:10:01.000Z",
                     *             "nextCheckAt": "2026-11-02T09:10:31.000Z",
                     *             "nameServers": [
                     *               "ns1.dns.example",
                     *               "ns2.dns.example"
                     *             ],
                     *             "observed": [],
                     *             "conflicts": []
                     *           },
                     *           "ownership": {
                     *             "required": false,
                     *             "state": "not_required",
                     *             "record": null
                     *           },
                     *           "readiness": null,
                     *           "issues": [
                     *             {
                     *               "code": "no_record",
                     *               "title": "no DNS record yet",
                     *               "area": "dns",
                     *               "severity": "info",
                     *               "blocking": true,
                     *               "resolvesAutomatically": false,
                     *               "message": "No DNS record for docs.example.com was found yet.",
                     *               "cause": "docs.example.com has no DNS record yet.",
                     *               "remediation": "At your DNS provider, create the record that points docs.example.com to k3vq7m2xw5tdz4hcy6rb.cname.pets.example. We check for it automatically.",
                     *               "evidence": {
                     *                 "name": "docs.example.com",
                     *                 "expected": "k3vq7m2xw5tdz4hcy6rb.cname.pets.example",
                     *                 "servers": [
                     *                   "192.0.2.53:53"
                     *                 ]
                     *               }
                     *             }
                     *           ],
                     *           "certificate": null,
                     *           "isSuspended": false
                     *         }
                     *       ],
                     *       "name": "Acme",
                     *       "color": "#1a5fb4",
                     *       "supportAddress": "help@acme.example",
                     *       "logo": {
                     *         "url": "https://pets.example/setup/logos/9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08.webp",
                     *         "width": 320,
                     *         "height": 80
                     *       },
                     *       "returnUrl": null,
                     *       "platform": "pets.example",
                     *       "expiresAt": "2026-11-09T09:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Setup"];
                };
            };
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`. */
            403: components["responses"]["Forbidden"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    watchSetup: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
                     * @example {
                     *       "domains": [
                     *         {
                     *           "name": "docs.example.com",
                     *           "unicodeName": "docs.example.com",
                     *           "apexName": "example.com",
                     *           "state": "awaiting_dns",
                     *           "misconfigured": false,
                     *           "createdAt": "2026-11-02T09:10:00.000Z",
                     *           "verifiedAt": null,
                     *           "liveAt": null,
                     *           "records": [
                     *             {
                     *               "type": "CNAME",
                     *               "name": "docs",
                     *               "value": "k3vq7m2xw5tdz4hcy6rb.cname.pets.example",
                     *               "ttl": 3600,
                     *               "purpose": "routing"
                     *             }
                     *           ],
                     *           "dns": {
                     *             "requestedAt": null,
                     *             "checkedAt": "2026-11-02T09:10:01.000Z",
                     *             "nextCheckAt": "2026-11-02T09:10:31.000Z",
                     *             "nameServers": [
                     *               "ns1.dns.example",
                     *               "ns2.dns.example"
                     *             ],
                     *             "observed": [],
                     *             "conflicts": []
                     *           },
                     *           "ownership": {
                     *             "required": false,
                     *             "state": "not_required",
                     *             "record": null
                     *           },
                     *           "readiness": null,
                     *           "issues": [
                     *             {
                     *               "code": "no_record",
                     *               "title": "no DNS record yet",
                     *               "area": "dns",
                     *               "severity": "info",
                     *               "blocking": true,
                     *               "resolvesAutomatically": false,
                     *               "message": "No DNS record for docs.example.com was found yet.",
                     *               "cause": "docs.example.com has no DNS record yet.",
                     *               "remediation": "At your DNS provider, create the record that points docs.example.com to k3vq7m2xw5tdz4hcy6rb.cname.pets.example. We check for it automatically.",
                     *               "evidence": {
                     *                 "name": "docs.example.com",
                     *                 "expected": "k3vq7m2xw5tdz4hcy6rb.cname.pets.example",
                     *                 "servers": [
                     *                   "192.0.2.53:53"
                     *                 ]
                     *               }
                     *             }
                     *           ],
                     *           "certificate": null,
                     *           "isSuspended": false
                     *         }
                     *       ],
                     *       "name": "Acme",
                     *       "color": "#1a5fb4",
                     *       "supportAddress": "help@acme.example",
                     *       "logo": {
                     *         "url": "https://pets.example/setup/logos/9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08.webp",
                     *         "width": 320,
                     *         "height": 80
                     *       },
                     *       "returnUrl": null,
                     *       "platform": "pets.example",
                     *       "expiresAt": "2026-11-09T09:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Setup"];
                };
            };
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`, `malformed_json`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`. */
            403: components["responses"]["Forbidden"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The body is too large. `payload_too_large`. */
            413: components["responses"]["PayloadTooLarge"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The content type of the body is not supported. `unsupported_media_type`. */
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    streamSetup: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
            /** @description The stream. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    traceparent: components["headers"]["traceparent"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-Accel-Buffering": components["headers"]["X-Accel-Buffering"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example retry: 1000
                     *     event: ready
                     *     data: {}
                     *
                     *     event: changed
                     *     data: {}
                     */
                    "text/event-stream": string;
                };
            };
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`. */
            403: components["responses"]["Forbidden"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getDomainCertificate: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
                 * @description The id of the project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
                /**
                 * @description The name or the id of the domain.
                 * @example docs.example.com
                 */
                domain: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Both certificates. */
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
                     *       "source": "own",
                     *       "own": {
                     *         "id": "4f1c9d2e-7a63-4b58-8e0d-9c2b1a3f4d5e",
                     *         "state": "active",
                     *         "isServed": true,
                     *         "prefer": "own",
                     *         "trust": "public",
                     *         "names": [
                     *           "docs.example.com",
                     *           "*.docs.example.com"
                     *         ],
                     *         "issuer": "Example Issuing CA",
                     *         "notBefore": "2026-11-01T00:00:00.000Z",
                     *         "notAfter": "2027-05-01T00:00:00.000Z",
                     *         "fingerprint": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *         "uploadedAt": "2026-11-02T09:10:00.000Z",
                     *         "revocation": {
                     *           "result": "good",
                     *           "checkedAt": "2026-11-02T09:10:02.000Z",
                     *           "detail": null
                     *         }
                     *       },
                     *       "automatic": null
                     *     }
                     */
                    "application/json": components["schemas"]["CertificateChoice"];
                };
            };
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`. */
            403: components["responses"]["Forbidden"];
            /** @description The resource does not exist. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    uploadDomainCertificate: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
                 * @description The id of the project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
                /**
                 * @description The name or the id of the domain.
                 * @example docs.example.com
                 */
                domain: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "certificate": "-----BEGIN CERTIFICATE-----\nMIIDXTCCAkWg…\n-----END CERTIFICATE-----\n",
                 *       "privateKey": "-----BEGIN PRIVATE KEY-----\nMIGHAgEAMBMG…\n-----END PRIVATE KEY-----\n"
                 *     }
                 */
                "application/json": components["schemas"]["NewOwnCertificate"];
            };
        };
        responses: {
            /** @description Both certificates. */
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
                     *       "source": "own",
                     *       "own": {
                     *         "id": "4f1c9d2e-7a63-4b58-8e0d-9c2b1a3f4d5e",
                     *         "state": "active",
                     *         "isServed": true,
                     *         "prefer": "own",
                     *         "trust": "public",
                     *         "names": [
                     *           "docs.example.com",
                     *           "*.docs.example.com"
                     *         ],
                     *         "issuer": "Example Issuing CA",
                     *         "notBefore": "2026-11-01T00:00:00.000Z",
                     *         "notAfter": "2027-05-01T00:00:00.000Z",
                     *         "fingerprint": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *         "uploadedAt": "2026-11-02T09:10:00.000Z",
                     *         "revocation": {
                     *           "result": "good",
                     *           "checkedAt": "2026-11-02T09:10:02.000Z",
                     *           "detail": null
                     *         }
                     *       },
                     *       "automatic": null
                     *     }
                     */
                    "application/json": components["schemas"]["CertificateChoice"];
                };
            };
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`, `malformed_json`, `invalid_certificate`, `invalid_private_key`, `certificate_key_mismatch`, `certificate_name_mismatch`, `certificate_expired`, `certificate_untrusted`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`, `suspended`. */
            403: components["responses"]["Forbidden"];
            /** @description The resource does not exist. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The body is too large. `payload_too_large`. */
            413: components["responses"]["PayloadTooLarge"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The content type of the body is not supported. `unsupported_media_type`. */
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteDomainCertificate: {
        parameters: {
            query?: {
                /** @description Delete it even if visitors then get an error, since there is no valid automatic certificate. */
                force?: boolean;
            };
            header?: {
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
                 * @description The id of the project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
                /**
                 * @description The name or the id of the domain.
                 * @example docs.example.com
                 */
                domain: string;
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
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`, `malformed_json`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`, `suspended`. */
            403: components["responses"]["Forbidden"];
            /** @description The resource does not exist. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The current state does not allow this. `automatic_certificate_missing`. */
            409: components["responses"]["Conflict"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The body is too large. `payload_too_large`. */
            413: components["responses"]["PayloadTooLarge"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The content type of the body is not supported. `unsupported_media_type`. */
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    updateDomainCertificate: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
                 * @description The id of the project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
                /**
                 * @description The name or the id of the domain.
                 * @example docs.example.com
                 */
                domain: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "prefer": "automatic"
                 *     }
                 */
                "application/json": components["schemas"]["CertificatePreference"];
            };
        };
        responses: {
            /** @description Both certificates. */
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
                     *       "source": "own",
                     *       "own": {
                     *         "id": "4f1c9d2e-7a63-4b58-8e0d-9c2b1a3f4d5e",
                     *         "state": "active",
                     *         "isServed": true,
                     *         "prefer": "own",
                     *         "trust": "public",
                     *         "names": [
                     *           "docs.example.com",
                     *           "*.docs.example.com"
                     *         ],
                     *         "issuer": "Example Issuing CA",
                     *         "notBefore": "2026-11-01T00:00:00.000Z",
                     *         "notAfter": "2027-05-01T00:00:00.000Z",
                     *         "fingerprint": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *         "uploadedAt": "2026-11-02T09:10:00.000Z",
                     *         "revocation": {
                     *           "result": "good",
                     *           "checkedAt": "2026-11-02T09:10:02.000Z",
                     *           "detail": null
                     *         }
                     *       },
                     *       "automatic": null
                     *     }
                     */
                    "application/json": components["schemas"]["CertificateChoice"];
                };
            };
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`, `malformed_json`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`, `suspended`. */
            403: components["responses"]["Forbidden"];
            /** @description The resource does not exist. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The body is too large. `payload_too_large`. */
            413: components["responses"]["PayloadTooLarge"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The content type of the body is not supported. `unsupported_media_type`. */
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listDomainImports: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
                 * @description The id of the project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The imports. */
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
                     *         "id": "5e0c8a3e-7a53-4c53-9b0e-2f9d1c6b7a84",
                     *         "projectId": "0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f",
                     *         "action": "add",
                     *         "state": "running",
                     *         "reason": null,
                     *         "lines": 100000,
                     *         "done": 12300,
                     *         "results": {
                     *           "created": 12270,
                     *           "exists": 20,
                     *           "removed": 0,
                     *           "refused": 10
                     *         },
                     *         "pendingEdges": 0,
                     *         "createdAt": "2026-11-02T09:10:00.000Z",
                     *         "endedAt": null
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["DomainImport"][];
                };
            };
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`. */
            403: components["responses"]["Forbidden"];
            /** @description The resource does not exist. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createDomainImport: {
        parameters: {
            query?: {
                /** @description Whether the domains of the file are added or removed. */
                action?: "add" | "remove";
            };
            header?: {
                /**
                 * @description Makes retries safe: for 24 hours the same key with the same body gets the same response, and nothing is done twice. Bare or in quotes.
                 * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
                 * @description The id of the project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
            };
            cookie?: never;
        };
        /** @description NDJSON: a JSON string or an object with `name` in each line, and optionally `externalId` and `metadata`. CSV (RFC 4180): a header with a column `name`, and optionally `external_id` and a column `metadata.KEY` for each key; empty cells set nothing. Semicolons or tabs may separate the columns, as Excel writes them. Other fields and columns are ignored. In UTF-8, or in UTF-16 with a byte order mark: at most 100 000 lines of 4 096 bytes, empty ones included, and 32 MiB. Domains that exist keep their `externalId` and `metadata`. */
        requestBody: {
            content: {
                "application/x-ndjson": Blob;
                "text/csv": Blob;
            };
        };
        responses: {
            /** @description The import. */
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
                     *       "id": "5e0c8a3e-7a53-4c53-9b0e-2f9d1c6b7a84",
                     *       "projectId": "0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f",
                     *       "action": "add",
                     *       "state": "running",
                     *       "reason": null,
                     *       "lines": 100000,
                     *       "done": 12300,
                     *       "results": {
                     *         "created": 12270,
                     *         "exists": 20,
                     *         "removed": 0,
                     *         "refused": 10
                     *       },
                     *       "pendingEdges": 0,
                     *       "createdAt": "2026-11-02T09:10:00.000Z",
                     *       "endedAt": null
                     *     }
                     */
                    "application/json": components["schemas"]["DomainImport"];
                };
            };
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`, `malformed_json`, `invalid_import`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`, `suspended`, `plan_required`, `storage_limit_reached`. */
            403: components["responses"]["Forbidden"];
            /** @description The resource does not exist. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The current state does not allow this. `idempotency_in_progress`, `deployment_required`. */
            409: components["responses"]["Conflict"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The body is too large. `payload_too_large`. */
            413: components["responses"]["PayloadTooLarge"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The content type of the body is not supported. `unsupported_media_type`. */
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The Idempotency-Key was used for another request. `idempotency_key_reused`. */
            422: components["responses"]["UnprocessableContent"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getDomainImport: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
                 * @description The id of the project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
                /**
                 * @description The id of the import.
                 * @example 5e0c8a3e-7a53-4c53-9b0e-2f9d1c6b7a84
                 */
                importId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The import. */
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
                     *       "id": "5e0c8a3e-7a53-4c53-9b0e-2f9d1c6b7a84",
                     *       "projectId": "0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f",
                     *       "action": "add",
                     *       "state": "running",
                     *       "reason": null,
                     *       "lines": 100000,
                     *       "done": 12300,
                     *       "results": {
                     *         "created": 12270,
                     *         "exists": 20,
                     *         "removed": 0,
                     *         "refused": 10
                     *       },
                     *       "pendingEdges": 0,
                     *       "createdAt": "2026-11-02T09:10:00.000Z",
                     *       "endedAt": null
                     *     }
                     */
                    "application/json": components["schemas"]["DomainImport"];
                };
            };
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`. */
            403: components["responses"]["Forbidden"];
            /** @description The resource does not exist. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getDomainImportReport: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
                 * @description The id of the project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
                /**
                 * @description The id of the import.
                 * @example 5e0c8a3e-7a53-4c53-9b0e-2f9d1c6b7a84
                 */
                importId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The report. */
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
                    "application/x-ndjson": Blob;
                    "text/csv": Blob;
                };
            };
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`. */
            403: components["responses"]["Forbidden"];
            /** @description The resource does not exist. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    cancelDomainImport: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes retries safe: for 24 hours the same key with the same body gets the same response, and nothing is done twice. Bare or in quotes.
                 * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
                 * @description The id of the project.
                 * @example 0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f
                 */
                projectId: string;
                /**
                 * @description The id of the import.
                 * @example 5e0c8a3e-7a53-4c53-9b0e-2f9d1c6b7a84
                 */
                importId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The import, which has ended. */
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
                     *       "id": "5e0c8a3e-7a53-4c53-9b0e-2f9d1c6b7a84",
                     *       "projectId": "0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f",
                     *       "action": "add",
                     *       "state": "running",
                     *       "reason": null,
                     *       "lines": 100000,
                     *       "done": 12300,
                     *       "results": {
                     *         "created": 12270,
                     *         "exists": 20,
                     *         "removed": 0,
                     *         "refused": 10
                     *       },
                     *       "pendingEdges": 0,
                     *       "createdAt": "2026-11-02T09:10:00.000Z",
                     *       "endedAt": null
                     *     }
                     */
                    "application/json": components["schemas"]["DomainImport"];
                };
            };
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`, `malformed_json`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`, `suspended`. */
            403: components["responses"]["Forbidden"];
            /** @description The resource does not exist. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The current state does not allow this. `idempotency_in_progress`. */
            409: components["responses"]["Conflict"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The body is too large. `payload_too_large`. */
            413: components["responses"]["PayloadTooLarge"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The content type of the body is not supported. `unsupported_media_type`. */
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The Idempotency-Key was used for another request. `idempotency_key_reused`. */
            422: components["responses"]["UnprocessableContent"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getDomainConfig: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Proceeds only if the resource has this `ETag`, or one of a list; `*` matches any.
                 * @example "Qg5vKcbcWnFOLP_fq8L2dlbXqYGGWHk3kNnxXzkS2sc"
                 */
                "If-Match"?: components["parameters"]["IfMatch"];
                /**
                 * @description Proceeds only if the resource has none of these `ETag`s; otherwise a read answers 304.
                 * @example "Qg5vKcbcWnFOLP_fq8L2dlbXqYGGWHk3kNnxXzkS2sc"
                 */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
                 * @description The id of the project.
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
            /** @description The configuration still matches `If-None-Match`. */
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
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`. */
            403: components["responses"]["Forbidden"];
            /** @description The resource does not exist. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    putDomainConfig: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Proceeds only if the resource has this `ETag`, or one of a list; `*` matches any.
                 * @example "Qg5vKcbcWnFOLP_fq8L2dlbXqYGGWHk3kNnxXzkS2sc"
                 */
                "If-Match"?: components["parameters"]["IfMatch"];
                /**
                 * @description Proceeds only if the resource has none of these `ETag`s; otherwise a read answers 304.
                 * @example "Qg5vKcbcWnFOLP_fq8L2dlbXqYGGWHk3kNnxXzkS2sc"
                 */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
                 * @description The id of the project.
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
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`, `malformed_json`, `redirect_cycle`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`, `suspended`. */
            403: components["responses"]["Forbidden"];
            /** @description The resource does not exist. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The body is too large. `payload_too_large`. */
            413: components["responses"]["PayloadTooLarge"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The content type of the body is not supported. `unsupported_media_type`. */
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listWebhookEndpoints: {
        parameters: {
            query?: {
                /** @description Maximum number of entries. */
                limit?: number;
                /** @description Where the page starts: from the `Link` header of the previous page. */
                cursor?: string;
                /** @description Return only endpoints that are enabled, or only those that are not. */
                enabled?: boolean;
                /** @description The order: of creation, which is the default, or with `-` the newest first. */
                sort?: "createdAt" | "-createdAt";
            };
            header?: {
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
                     *         "pausedAt": null,
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
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`, `invalid_cursor`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`. */
            403: components["responses"]["Forbidden"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes retries safe: for 24 hours the same key with the same body gets the same response, and nothing is done twice. Bare or in quotes.
                 * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
            /** @description The new endpoint with its secret. */
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
                     *       "pausedAt": null,
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
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`, `malformed_json`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`, `suspended`, `webhook_limit_reached`. */
            403: components["responses"]["Forbidden"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The current state does not allow this. `idempotency_in_progress`. */
            409: components["responses"]["Conflict"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The body is too large. `payload_too_large`. */
            413: components["responses"]["PayloadTooLarge"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The content type of the body is not supported. `unsupported_media_type`. */
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The Idempotency-Key was used for another request. `idempotency_key_reused`. */
            422: components["responses"]["UnprocessableContent"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
                 * @description The id of the endpoint.
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
                     *       "pausedAt": null,
                     *       "disabledAt": null,
                     *       "failingSince": null,
                     *       "previousSecretUntil": null,
                     *       "createdAt": "2026-11-02T09:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookEndpoint"];
                };
            };
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`. */
            403: components["responses"]["Forbidden"];
            /** @description The resource does not exist. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
                 * @description The id of the endpoint.
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
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`, `malformed_json`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`, `suspended`. */
            403: components["responses"]["Forbidden"];
            /** @description The resource does not exist. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The body is too large. `payload_too_large`. */
            413: components["responses"]["PayloadTooLarge"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The content type of the body is not supported. `unsupported_media_type`. */
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    updateWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
                 * @description The id of the endpoint.
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
                     *       "pausedAt": null,
                     *       "disabledAt": null,
                     *       "failingSince": null,
                     *       "previousSecretUntil": null,
                     *       "createdAt": "2026-11-02T09:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookEndpoint"];
                };
            };
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`, `malformed_json`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`, `suspended`. */
            403: components["responses"]["Forbidden"];
            /** @description The resource does not exist. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The body is too large. `payload_too_large`. */
            413: components["responses"]["PayloadTooLarge"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The content type of the body is not supported. `unsupported_media_type`. */
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: {
                /** @description For how many seconds the previous secret signs as well. 0: it ends immediately. */
                overlapSeconds?: number;
            };
            header?: {
                /**
                 * @description Makes retries safe: for 24 hours the same key with the same body gets the same response, and nothing is done twice. Bare or in quotes.
                 * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
                 * @description The id of the endpoint.
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
                     *       "pausedAt": null,
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
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`, `malformed_json`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`, `suspended`. */
            403: components["responses"]["Forbidden"];
            /** @description The resource does not exist. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The current state does not allow this. `idempotency_in_progress`. */
            409: components["responses"]["Conflict"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The body is too large. `payload_too_large`. */
            413: components["responses"]["PayloadTooLarge"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The content type of the body is not supported. `unsupported_media_type`. */
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The Idempotency-Key was used for another request. `idempotency_key_reused`. */
            422: components["responses"]["UnprocessableContent"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    testWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes retries safe: for 24 hours the same key with the same body gets the same response, and nothing is done twice. Bare or in quotes.
                 * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
                 * @description The id of the endpoint.
                 * @example 4f1d8a52-6f0e-4f6c-9a3b-7d2e1c0b9a88
                 */
                endpointId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The scheduled delivery. */
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
                     *       "failures": 0,
                     *       "maxAttempts": 10,
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
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`, `malformed_json`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`, `suspended`. */
            403: components["responses"]["Forbidden"];
            /** @description The resource does not exist. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The current state does not allow this. `idempotency_in_progress`, `conflict`. */
            409: components["responses"]["Conflict"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The body is too large. `payload_too_large`. */
            413: components["responses"]["PayloadTooLarge"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The content type of the body is not supported. `unsupported_media_type`. */
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The Idempotency-Key was used for another request. `idempotency_key_reused`. */
            422: components["responses"]["UnprocessableContent"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getWebhookStatistics: {
        parameters: {
            query?: {
                /** @description `day`: the last 24 hours in points of one hour; `week`: the last 7 days in points of six hours. */
                period?: "day" | "week";
            };
            header?: {
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
                 * @description The id of the endpoint.
                 * @example 4f1d8a52-6f0e-4f6c-9a3b-7d2e1c0b9a88
                 */
                endpointId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The statistics. */
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
                     *       "period": "day",
                     *       "from": "2026-11-01T10:00:00.000Z",
                     *       "attempts": 1204,
                     *       "failedAttempts": 3,
                     *       "delivered": 1201,
                     *       "failed": 0,
                     *       "medianMs": 41,
                     *       "p95Ms": 187,
                     *       "points": [
                     *         {
                     *           "from": "2026-11-01T10:00:00.000Z",
                     *           "attempts": 52,
                     *           "failedAttempts": 0
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookStatistics"];
                };
            };
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`. */
            403: components["responses"]["Forbidden"];
            /** @description The resource does not exist. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listWebhookDeliveries: {
        parameters: {
            query?: {
                /** @description Maximum number of entries. */
                limit?: number;
                /** @description Where the page starts: from the `Link` header of the previous page. */
                cursor?: string;
                /** @description Return only deliveries in this state. */
                state?: "pending" | "delivered" | "failed";
                /** @description Return only deliveries of this type of event. */
                type?: "domain.added" | "domain.verified" | "domain.verification_failed" | "domain.ready" | "domain.certificate.issued" | "domain.certificate.renewed" | "domain.certificate.failed" | "domain.certificate.expiring" | "domain.live" | "domain.misconfigured" | "domain.recovered" | "domain.issues_found" | "domain.issues_resolved" | "domain.address_retiring" | "domain.suspended" | "domain.resumed" | "domain.moved" | "domain.removed" | "origin.changed" | "origin.tested" | "origin.failing" | "origin.restored" | "origin.removed" | "pet.created" | "order.created" | "endpoint.test";
                /** @description Return only the delivery with this id, and deliveries about the resource with this id. */
                search?: string;
            };
            header?: {
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
                 * @description The id of the endpoint.
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
                     *         "failures": 0,
                     *         "maxAttempts": 10,
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
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`, `invalid_cursor`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`. */
            403: components["responses"]["Forbidden"];
            /** @description The resource does not exist. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getWebhookDelivery: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
                 * @description The id of the endpoint.
                 * @example 4f1d8a52-6f0e-4f6c-9a3b-7d2e1c0b9a88
                 */
                endpointId: string;
                /**
                 * @description The id of the delivery.
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
                     *       "failures": 0,
                     *       "maxAttempts": 10,
                     *       "attempts": [
                     *         {
                     *           "number": 1,
                     *           "at": "2026-11-02T09:00:00.012Z",
                     *           "status": 200,
                     *           "durationMs": 38,
                     *           "error": null,
                     *           "bodyStart": "ok",
                     *           "requestHeaders": {
                     *             "content-type": "application/json",
                     *             "user-agent": "pets-webhooks/1.0",
                     *             "webhook-id": "d0c1b2a3-9e8f-4a7b-8c6d-5e4f3a2b1c0d",
                     *             "webhook-timestamp": "1793610000",
                     *             "webhook-signature": "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4="
                     *           },
                     *           "responseHeaders": {
                     *             "content-type": "text/plain",
                     *             "server": "nginx"
                     *           }
                     *         }
                     *       ],
                     *       "body": "{\"type\":\"pet.created\",\"timestamp\":\"2026-11-02T09:00:00.000Z\",\"sequence\":1,\"data\":{\"id\":10}}"
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookDeliveryWithBody"];
                };
            };
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`. */
            403: components["responses"]["Forbidden"];
            /** @description The resource does not exist. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    replayWebhookDelivery: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes retries safe: for 24 hours the same key with the same body gets the same response, and nothing is done twice. Bare or in quotes.
                 * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
                 * @description The id of the endpoint.
                 * @example 4f1d8a52-6f0e-4f6c-9a3b-7d2e1c0b9a88
                 */
                endpointId: string;
                /**
                 * @description The id of the delivery.
                 * @example d0c1b2a3-9e8f-4a7b-8c6d-5e4f3a2b1c0d
                 */
                deliveryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The scheduled delivery. */
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
                     *       "failures": 0,
                     *       "maxAttempts": 10,
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
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`, `malformed_json`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`, `suspended`. */
            403: components["responses"]["Forbidden"];
            /** @description The resource does not exist. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The current state does not allow this. `idempotency_in_progress`, `conflict`. */
            409: components["responses"]["Conflict"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The body is too large. `payload_too_large`. */
            413: components["responses"]["PayloadTooLarge"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The content type of the body is not supported. `unsupported_media_type`. */
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The Idempotency-Key was used for another request. `idempotency_key_reused`. */
            422: components["responses"]["UnprocessableContent"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listenToWebhooks: {
        parameters: {
            query?: {
                /** @description Types of events, separated by commas. If absent, all types. */
                eventTypes?: string;
                /** @description Only events about domains and origins of this project. If absent, all events of the organization. */
                projectId?: string;
            };
            header?: {
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
            /** @description The open streams, or a new one. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    traceparent: components["headers"]["traceparent"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-Accel-Buffering": components["headers"]["X-Accel-Buffering"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "5a2e9c63-1f7b-4d08-8c4e-6b3f2d1a0c99",
                     *         "eventTypes": [
                     *           "domain.live",
                     *           "pet.created"
                     *         ],
                     *         "projectId": null,
                     *         "createdAt": "2026-11-02T09:00:00.000Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["WebhookListener"][];
                    /**
                     * @example retry: 1000
                     *     event: listening
                     *     data: {"id":"5a2e9c63-1f7b-4d08-8c4e-6b3f2d1a0c99","eventTypes":["domain.live","pet.created"],"projectId":null,"createdAt":"2026-11-02T09:00:00.000Z","secret":"whsec_…"}
                     *
                     *     event: delivery
                     *     data: {"id":"d0c1b2a3-9e8f-4a7b-8c6d-5e4f3a2b1c0d","type":"pet.created","subjectId":"10","headers":{"content-type":"application/json","webhook-id":"d0c1b2a3-9e8f-4a7b-8c6d-5e4f3a2b1c0d","webhook-timestamp":"1793610000","webhook-signature":"v1,…"},"body":"{…}"}
                     */
                    "text/event-stream": string;
                };
            };
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`. */
            403: components["responses"]["Forbidden"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listApiKeys: {
        parameters: {
            query?: {
                /** @description Maximum number of entries. If absent, up to 1 000 entries are returned on one page. */
                limit?: number;
                /** @description Where the page starts: from the `Link` header of the previous page. */
                cursor?: string;
                /** @description Return only keys that are valid, or that were revoked or have expired. */
                state?: "valid" | "ended";
                /** @description Return only keys whose name contains this text, without regard to case. */
                q?: string;
                /** @description Return only keys that this person made, and those made with them. */
                personId?: string;
                /** @description The order: of creation, which is the default, or with `-` the newest first. */
                sort?: "createdAt" | "-createdAt";
            };
            header?: {
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
                     *         "revokedAt": null,
                     *         "revocationReason": null,
                     *         "createdBy": {
                     *           "kind": "person",
                     *           "id": "5b0c7e62-9f4a-4d1e-8a37-6c2d1f0e9b84",
                     *           "display": "Ada Lovelace"
                     *         },
                     *         "person": {
                     *           "id": "5b0c7e62-9f4a-4d1e-8a37-6c2d1f0e9b84",
                     *           "name": "Ada Lovelace",
                     *           "isMember": true
                     *         }
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["ApiKey"][];
                };
            };
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`, `invalid_cursor`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`. */
            403: components["responses"]["Forbidden"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createApiKey: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes retries safe: for 24 hours the same key with the same body gets the same response, and nothing is done twice. Bare or in quotes.
                 * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
                     *       "revocationReason": null,
                     *       "createdBy": {
                     *         "kind": "person",
                     *         "id": "5b0c7e62-9f4a-4d1e-8a37-6c2d1f0e9b84",
                     *         "display": "Ada Lovelace"
                     *       },
                     *       "person": {
                     *         "id": "5b0c7e62-9f4a-4d1e-8a37-6c2d1f0e9b84",
                     *         "name": "Ada Lovelace",
                     *         "isMember": true
                     *       },
                     *       "secret": "pets_live_…"
                     *     }
                     */
                    "application/json": components["schemas"]["CreatedApiKey"];
                };
            };
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`, `malformed_json`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`, `suspended`, `api_key_limit_reached`. */
            403: components["responses"]["Forbidden"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The current state does not allow this. `idempotency_in_progress`. */
            409: components["responses"]["Conflict"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The body is too large. `payload_too_large`. */
            413: components["responses"]["PayloadTooLarge"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The content type of the body is not supported. `unsupported_media_type`. */
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The Idempotency-Key was used for another request. `idempotency_key_reused`. */
            422: components["responses"]["UnprocessableContent"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    revokeApiKey: {
        parameters: {
            query?: {
                /** @description The key is known to strangers. Its owners get a notice, and the caller needs none of its scopes. */
                reason?: "leaked";
            };
            header?: {
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
                 * @description The id of the key.
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
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`, `malformed_json`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`. */
            403: components["responses"]["Forbidden"];
            /** @description The resource does not exist. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The body is too large. `payload_too_large`. */
            413: components["responses"]["PayloadTooLarge"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The content type of the body is not supported. `unsupported_media_type`. */
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listAuditEvents: {
        parameters: {
            query?: {
                /** @description Maximum number of entries. */
                limit?: number;
                /** @description Where the page starts: from the `Link` header of the previous page. */
                cursor?: string;
                /** @description Return only changes of this kind. */
                type?: "organization.created" | "organization.plan_changed" | "organization.limit_changed" | "organization.suspended" | "organization.resumed" | "organization.sign_in_refused" | "organization.setup_page_changed" | "organization.setup_logo_changed" | "organization.setup_logo_removed" | "api_key.created" | "api_key.revoked" | "session.opened" | "session.ended" | "person.added" | "person.role_changed" | "person.removed" | "invitation.created" | "invitation.deleted" | "project.created" | "project.changed" | "project.config_changed" | "project.suspended" | "project.resumed" | "deployment.created" | "deployment.activated" | "deployment.deleted" | "channel.created" | "channel.changed" | "channel.removed" | "channel.link_created" | "channel.links_ended" | "origin.changed" | "origin.removed" | "origin.tested" | "origin.failing" | "origin.restored" | "domain.added" | "domain.changed" | "domain.verify_requested" | "domain.reverify_requested" | "domain.moved" | "domain.removed" | "domain.suspended" | "domain.resumed" | "setup_link.created" | "setup_link.deleted" | "domain_import.created" | "domain_import.cancelled" | "certificate.uploaded" | "certificate.changed" | "certificate.removed" | "certificate.revocation_requested" | "webhook_endpoint.created" | "webhook_endpoint.changed" | "webhook_endpoint.paused" | "webhook_endpoint.resumed" | "webhook_endpoint.secret_rotated" | "webhook_endpoint.tested" | "webhook_endpoint.deleted" | "webhook_delivery.replayed";
                /** @description Return only changes by this person, or by this API key and its sessions: `actor.id`. */
                actorId?: string;
                /** @description Return only changes of this resource: `subject.id`. */
                subjectId?: string;
            };
            header?: {
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
            /** @description A page of events. */
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
                     *           "id": "c9a1f6de-3b52-4f0e-8c61-2f0f3ec4a7b5",
                     *           "display": "Inventory import"
                     *         },
                     *         "project": null,
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
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`, `invalid_cursor`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`. */
            403: components["responses"]["Forbidden"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createSession: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes retries safe: for 24 hours the same key with the same body gets the same response, and nothing is done twice. Bare or in quotes.
                 * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`, `malformed_json`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`. */
            403: components["responses"]["Forbidden"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The current state does not allow this. `idempotency_in_progress`. */
            409: components["responses"]["Conflict"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The body is too large. `payload_too_large`. */
            413: components["responses"]["PayloadTooLarge"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The content type of the body is not supported. `unsupported_media_type`. */
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The Idempotency-Key was used for another request. `idempotency_key_reused`. */
            422: components["responses"]["UnprocessableContent"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    endSession: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`, `malformed_json`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`. */
            403: components["responses"]["Forbidden"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The body is too large. `payload_too_large`. */
            413: components["responses"]["PayloadTooLarge"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The content type of the body is not supported. `unsupported_media_type`. */
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listPeople: {
        parameters: {
            query?: {
                /** @description Maximum number of entries. */
                limit?: number;
                /** @description Where the page starts: from the `Link` header of the previous page. */
                cursor?: string;
            };
            header?: {
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
            /** @description A page of people. */
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
                     *         "id": "5b0c7e62-9f4a-4d1e-8a37-6c2d1f0e9b84",
                     *         "name": "Ada Lovelace",
                     *         "email": "ada@example.com",
                     *         "role": "developer",
                     *         "createdAt": "2026-11-02T09:00:00.000Z",
                     *         "lastSignInAt": "2026-11-20T08:15:00.000Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Person"][];
                };
            };
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`, `invalid_cursor`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`. */
            403: components["responses"]["Forbidden"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    removePerson: {
        parameters: {
            query?: {
                /** @description Whether API keys that the person made, and those made with them, are revoked. Needed if there are valid ones. */
                keys?: "revoke" | "keep";
            };
            header?: {
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
                 * @description The id of the person.
                 * @example 5b0c7e62-9f4a-4d1e-8a37-6c2d1f0e9b84
                 */
                personId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Removed. */
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
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`, `malformed_json`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`. */
            403: components["responses"]["Forbidden"];
            /** @description The resource does not exist. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The current state does not allow this. `conflict`, `keys_undecided`. */
            409: components["responses"]["Conflict"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The body is too large. `payload_too_large`. */
            413: components["responses"]["PayloadTooLarge"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The content type of the body is not supported. `unsupported_media_type`. */
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    updatePerson: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
                 * @description The id of the person.
                 * @example 5b0c7e62-9f4a-4d1e-8a37-6c2d1f0e9b84
                 */
                personId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "role": "admin"
                 *     }
                 */
                "application/json": components["schemas"]["PersonChange"];
            };
        };
        responses: {
            /** @description The person. */
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
                     *       "id": "5b0c7e62-9f4a-4d1e-8a37-6c2d1f0e9b84",
                     *       "name": "Ada Lovelace",
                     *       "email": "ada@example.com",
                     *       "role": "developer",
                     *       "createdAt": "2026-11-02T09:00:00.000Z",
                     *       "lastSignInAt": "2026-11-20T08:15:00.000Z",
                     *       "revokedApiKeys": {
                     *         "total": 0,
                     *         "first": []
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ChangedPerson"];
                };
            };
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`, `malformed_json`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`, `suspended`. */
            403: components["responses"]["Forbidden"];
            /** @description The resource does not exist. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The current state does not allow this. `conflict`. */
            409: components["responses"]["Conflict"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The body is too large. `payload_too_large`. */
            413: components["responses"]["PayloadTooLarge"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The content type of the body is not supported. `unsupported_media_type`. */
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listInvitations: {
        parameters: {
            query?: {
                /** @description Maximum number of entries. */
                limit?: number;
                /** @description Where the page starts: from the `Link` header of the previous page. */
                cursor?: string;
            };
            header?: {
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
            /** @description A page of invitations. */
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
                     *         "id": "e1d0a7c4-52b8-4c3f-9d6e-7f8091a2b3c4",
                     *         "name": "Ada Lovelace",
                     *         "role": "developer",
                     *         "createdAt": "2026-11-02T09:00:00.000Z",
                     *         "expiresAt": "2026-11-09T09:00:00.000Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Invitation"][];
                };
            };
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`, `invalid_cursor`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`. */
            403: components["responses"]["Forbidden"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createInvitation: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes retries safe: for 24 hours the same key with the same body gets the same response, and nothing is done twice. Bare or in quotes.
                 * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
                 *       "name": "Ada Lovelace",
                 *       "role": "developer"
                 *     }
                 */
                "application/json": components["schemas"]["NewInvitation"];
            };
        };
        responses: {
            /** @description The invitation. */
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
                     *       "id": "e1d0a7c4-52b8-4c3f-9d6e-7f8091a2b3c4",
                     *       "name": "Ada Lovelace",
                     *       "role": "developer",
                     *       "createdAt": "2026-11-02T09:00:00.000Z",
                     *       "expiresAt": "2026-11-09T09:00:00.000Z",
                     *       "url": "https://api.example.com/dashboard/invitation#Jv3Zt0cXw9uQm5sNfLr8aKdEy2hBgP7iOxT1CkR4VbU"
                     *     }
                     */
                    "application/json": components["schemas"]["CreatedInvitation"];
                };
            };
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`, `malformed_json`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`, `suspended`. */
            403: components["responses"]["Forbidden"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The current state does not allow this. `idempotency_in_progress`, `conflict`. */
            409: components["responses"]["Conflict"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The body is too large. `payload_too_large`. */
            413: components["responses"]["PayloadTooLarge"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The content type of the body is not supported. `unsupported_media_type`. */
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The Idempotency-Key was used for another request. `idempotency_key_reused`. */
            422: components["responses"]["UnprocessableContent"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteInvitation: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Identifies the request in our logs. An id that is not acceptable is replaced.
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
                 * @description The id of the invitation.
                 * @example e1d0a7c4-52b8-4c3f-9d6e-7f8091a2b3c4
                 */
                invitationId: string;
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
            /** @description The request is not valid. `invalid_request`, `invalid_parameter`, `malformed_json`. */
            400: components["responses"]["BadRequest"];
            /** @description The key is missing or not valid. `unauthenticated`, `invalid_api_key`. */
            401: components["responses"]["Unauthenticated"];
            /** @description The key, or the organization’s plan, does not allow this. `forbidden`. */
            403: components["responses"]["Forbidden"];
            /** @description The resource does not exist. `not_found`. */
            404: components["responses"]["NotFound"];
            /** @description The path does not support this method. `method_not_allowed`. */
            405: components["responses"]["MethodNotAllowed"];
            /** @description The client accepts none of the available content types. `not_acceptable`. */
            406: components["responses"]["NotAcceptable"];
            /** @description The request did not arrive in time. `timeout`. */
            408: components["responses"]["RequestTimeout"];
            /** @description The resource does not match the condition of the request. `precondition_failed`. */
            412: components["responses"]["PreconditionFailed"];
            /** @description The body is too large. `payload_too_large`. */
            413: components["responses"]["PayloadTooLarge"];
            /** @description The URL has more than 4 096 characters, or a part of its path is too long. `uri_too_long`. */
            414: components["responses"]["UriTooLong"];
            /** @description The content type of the body is not supported. `unsupported_media_type`. */
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The expectation is not supported. `expectation_failed`. */
            417: components["responses"]["ExpectationFailed"];
            /** @description The organization exceeds its rate limit, its limit of open streams, or its share of requests under way. `rate_limited`, `concurrency_limited`. */
            429: components["responses"]["TooManyRequests"];
            /** @description The header section is too large. `headers_too_large`. */
            431: components["responses"]["HeadersTooLarge"];
            /** @description Something went wrong on our side. `internal`. */
            500: components["responses"]["InternalServerError"];
            /** @description The service is temporarily unavailable. `unavailable`. */
            503: components["responses"]["ServiceUnavailable"];
        };
    };
}
