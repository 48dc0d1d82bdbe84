# One image for each app: docker build --target pets-api|domains-worker|edge|cli .
# `knot` is the name server of DNS-01 challenges.
# The image pets-api also contains migrations, the administrator's command and the setup of docker-compose.yml.
# `haproxy` and `backup` are services that docker-compose.yml offers.
# `dev-dns` and `pebble` are the DNS server and the test CA of the development profile.
# Labels come from build arguments: --build-arg VERSION=… --build-arg COMMIT=…

# Tag and digest; `npm run images:pin` updates the digest.
ARG NODE_IMAGE=node:24-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d
# The backup's pg_dump has to be as new as the server: the same image as in docker-compose.yml.
ARG POSTGRES_IMAGE=postgres:18@sha256:3a82e1f56c8f0f5616a11103ac3d47e632c3938698946a7ad26da0df1334744a

FROM ${NODE_IMAGE} AS build
WORKDIR /src
ENV NX_DAEMON=false NX_TUI=false
COPY . .
# `npm ci` refuses the lock file if an optional package of another platform is unavailable: docs/decisions/0028.
RUN --mount=type=cache,target=/root/.npm \
    npm install --no-audit --no-fund --loglevel=error \
 && npx nx run-many -t build --projects=tag:type:app,@pets/dev-stack --outputStyle=static \
 && for project in apps/pets-api apps/domains-worker apps/edge apps/cli tools/dev-stack; do \
      node deploy/images/assemble.mjs "$project" "/out/$(basename "$project")" || exit 1; \
    done \
 && rm -rf node_modules .nx

FROM ${NODE_IMAGE} AS runtime
# The init process forwards signals and reaps health checks, under any runtime.
RUN apt-get update -qq \
 && apt-get install -y -qq --no-install-recommends tini \
 && rm -rf /var/lib/apt/lists/* \
 # Mount points, so that a named volume belongs to the user of the process.
 && install -d -o node -g node /data/deployments /data/edge \
      /secrets/api /secrets/worker /secrets/edge /secrets/database /secrets/redis /secrets/platform /secrets/pebble /secrets/knot /secrets/dev-dns /secrets/backup /secrets/alerts
WORKDIR /app
ENV NODE_ENV=production
USER node
ENTRYPOINT ["/usr/bin/tini", "--"]
ARG VERSION=1.0.0
ARG COMMIT=unknown
LABEL org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.revision="$COMMIT" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.vendor="pets"

FROM runtime AS pets-api
LABEL org.opencontainers.image.title="pets-api" \
      org.opencontainers.image.description="The animal store API, the state of custom domains, and the dashboard"
COPY --from=build /out/pets-api ./
COPY deploy/images/healthy.mjs ./deploy/images/
COPY deploy/compose/*.mjs ./deploy/compose/
COPY deploy/helm/files/alerts.yml ./deploy/helm/files/
EXPOSE 3000
HEALTHCHECK --interval=5s --timeout=3s --start-period=30s --retries=3 \
  CMD ["node", "deploy/images/healthy.mjs", "http://127.0.0.1:3000/readyz"]
CMD ["node", "apps/pets-api/dist/main.js"]

FROM runtime AS domains-worker
LABEL org.opencontainers.image.title="domains-worker" \
      org.opencontainers.image.description="Looks at DNS and orders certificates for custom domains"
COPY --from=build /out/domains-worker ./
COPY deploy/images/healthy.mjs ./deploy/images/
EXPOSE 9091
HEALTHCHECK --interval=5s --timeout=3s --start-period=30s --retries=3 \
  CMD ["node", "deploy/images/healthy.mjs", "http://127.0.0.1:9091/readyz"]
CMD ["node", "apps/domains-worker/dist/main.js"]

FROM runtime AS edge
LABEL org.opencontainers.image.title="edge" \
      org.opencontainers.image.description="Serves projects and custom domains over TLS"
COPY --from=build /out/edge ./
COPY deploy/images/healthy.mjs ./deploy/images/
EXPOSE 8080 8443 9090
HEALTHCHECK --interval=5s --timeout=3s --start-period=30s --retries=3 \
  CMD ["node", "deploy/images/healthy.mjs", "http://127.0.0.1:9090/readyz"]
CMD ["node", "apps/edge/dist/main.js"]

FROM runtime AS cli
LABEL org.opencontainers.image.title="pets" \
      org.opencontainers.image.description="The pets command"
COPY --from=build /out/cli ./
ENTRYPOINT ["/usr/bin/tini", "--", "node", "apps/cli/bin/pets.mjs"]
CMD ["--help"]

# The name server of the zone of DNS-01 challenges, from Debian's package.
FROM ${NODE_IMAGE} AS knot
RUN apt-get update -qq \
 && apt-get install -y -qq --no-install-recommends knot tini \
 && rm -rf /var/lib/apt/lists/*
ARG VERSION=1.0.0
ARG COMMIT=unknown
LABEL org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.revision="$COMMIT" \
      org.opencontainers.image.licenses="GPL-3.0-or-later" \
      org.opencontainers.image.title="knot" \
      org.opencontainers.image.description="The name server of the zone of DNS-01 challenges"
COPY deploy/knot/start.sh /app/
WORKDIR /app
USER node
ENTRYPOINT ["/usr/bin/tini", "--"]
EXPOSE 5353/udp 5353/tcp
HEALTHCHECK --interval=5s --timeout=3s --start-period=20s --retries=3 \
  CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/5353"]
CMD ["/app/start.sh"]

# In front of two edges, from Debian's package.
FROM ${NODE_IMAGE} AS haproxy
RUN apt-get update -qq \
 && apt-get install -y -qq --no-install-recommends haproxy tini \
 && rm -rf /var/lib/apt/lists/*
ARG VERSION=1.0.0
ARG COMMIT=unknown
LABEL org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.revision="$COMMIT" \
      org.opencontainers.image.licenses="GPL-2.0-or-later" \
      org.opencontainers.image.title="haproxy" \
      org.opencontainers.image.description="The load balancer of two edges"
COPY deploy/haproxy/haproxy.cfg /app/
WORKDIR /app
USER node
ENTRYPOINT ["/usr/bin/tini", "--"]
EXPOSE 8080 8443
HEALTHCHECK --interval=5s --timeout=3s --start-period=20s --retries=3 \
  CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/8080"]
# SIGUSR1 lets open connections end; SIGTERM would cut them.
STOPSIGNAL SIGUSR1
CMD ["haproxy", "-db", "-f", "/app/haproxy.cfg"]

# Backups of the database and of the files of deployments. User 1000 owns what it reads and writes.
FROM ${POSTGRES_IMAGE} AS backup
# Mount points, as above: on a new machine, `restore` is the first to mount the volume of deployments.
RUN install -d -o 1000 -g 1000 /backups /data/deployments
ARG VERSION=1.0.0
ARG COMMIT=unknown
LABEL org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.revision="$COMMIT" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.title="backup" \
      org.opencontainers.image.description="Backups of the database and of the files of deployments"
COPY --chmod=755 deploy/backup/backup.sh /usr/local/bin/
USER 1000:1000
ENTRYPOINT ["backup.sh"]
CMD []
HEALTHCHECK --interval=60s --timeout=10s --start-period=600s --retries=3 CMD ["backup.sh", "healthy"]

# For development only.
FROM runtime AS dev-dns
LABEL org.opencontainers.image.title="dev-dns" \
      org.opencontainers.image.description="The DNS server of the development profile"
COPY --from=build /out/dev-stack ./
COPY deploy/images/healthy.mjs ./deploy/images/
ENV HOST=0.0.0.0
EXPOSE 8053/udp 8053/tcp 8055
HEALTHCHECK --interval=5s --timeout=3s --start-period=20s --retries=3 \
  CMD ["node", "deploy/images/healthy.mjs", "http://127.0.0.1:8055/records"]
CMD ["node", "tools/dev-stack/dist/dev-dns/main.js"]

# Let's Encrypt's test CA from Debian's package. For development only.
FROM ${NODE_IMAGE} AS pebble
RUN apt-get update -qq \
 && apt-get install -y -qq --no-install-recommends pebble tini \
 && rm -rf /var/lib/apt/lists/*
COPY deploy/compose/pebble.json /app/
WORKDIR /app
USER node
ENTRYPOINT ["/usr/bin/tini", "--"]
CMD ["pebble", "-config", "/app/pebble.json"]
